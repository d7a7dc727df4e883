/** The journeys of accounts, and their races, on servers. */

import { authStores } from "../../auth/stores/repo.ts";
import { testJourneys } from "../auth/accounts/_journeys.ts";
import { START } from "../auth/accounts/_accounts.ts";
import { CLIENTS, openFreshAdapter } from "./_adapters.ts";
import { engineTests } from "./_engines.ts";

for (const { name: client, engine } of CLIENTS) {
  engineTests(engine, `accounts over ${client}`, (url) => {
    testJourneys(client, async () => {
      const opened = await openFreshAdapter(client, { url, now: () => START });
      const stores = authStores(opened.adapter);
      return { stores, [Symbol.asyncDispose]: async () => await opened[Symbol.asyncDispose]() };
    });
  });
}
