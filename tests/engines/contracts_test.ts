/** The contracts of adapters and stores on servers, over every client and two separate connections. */

import { registerAdapter, runStorageCase, STORAGE_CASES } from "../contracts/storage_adapter.ts";
import { CLIENTS, openAdapter, openFreshAdapter } from "./_adapters.ts";
import { engineTests } from "./_engines.ts";

for (const { name: client, engine } of CLIENTS) {
  const name = `an adapter over ${client}`;
  engineTests(engine, name, (url) => {
    registerAdapter({
      name,
      async open(now) {
        await using opened = new AsyncDisposableStack();
        const first = opened.use(await openFreshAdapter(client, { url, now }));
        const { place } = first;
        const second = opened.use(await openAdapter(client, { url, now, place }));
        const all = opened.move();
        return { adapters: [first.adapter, second.adapter], dispose: () => all.disposeAsync() };
      },
    });
  });
}

// At this isolation level PostgreSQL rolls back one of two conflicting transactions, and the adapter must retry
engineTests("postgres", "sqlAdapter() on serializable transactions", (url) => {
  const strict = new URL(url);
  strict.searchParams.set("default_transaction_isolation", "serializable");
  for (const storageCase of STORAGE_CASES.filter(({ race }) => race)) {
    const name = "sqlAdapter() on serializable transactions";
    Deno.test(`${name} ${storageCase.name}`, () =>
      runStorageCase({
        name,
        async open(now) {
          const opened = await openFreshAdapter("postgres.js", { url: strict.href, now });
          return {
            adapters: [opened.adapter],
            dispose: async () => await opened[Symbol.asyncDispose](),
          };
        },
      }, storageCase));
  }
});
