/**
 * One of several processes that race on one engine.
 *
 * ```sh
 * deno run _racer.ts <client> <URL of the engine> <place> [<table of users>]
 * ```
 *
 * @module
 */

import { sqlUserStore } from "../../auth/stores/engines/sql.ts";
import { authStores } from "../../auth/stores/repo.ts";
import { raceFor } from "../contracts/_racers.ts";
import { RACE_TIME } from "../contracts/_races.ts";
import { type Client, openAdapter } from "./_adapters.ts";

async function main(
  [client = "", url = "", place = "", table]: readonly string[],
): Promise<void> {
  await using open = await openAdapter(client as Client, { url, place, now: () => RACE_TIME });
  const { adapter, query } = open;
  const users = table !== undefined && query !== undefined
    ? sqlUserStore({ query, dialect: "postgres", table })
    : {};
  await raceFor({ ...authStores(adapter), ...users });
}

if (import.meta.main) await main(Deno.args);
