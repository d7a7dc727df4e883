/** Concurrent migrations and sweeps of several processes. */

import { assertEquals } from "@std/assert";
import type { SqlAdapter } from "../../auth/stores/engines/sql.ts";
import { CLIENTS, freshPlace, openAdapter, openFreshAdapter } from "./_adapters.ts";
import { engineTest } from "./_engines.ts";

const START = 1_700_000_000;
const now = () => START;

for (const { name: client } of CLIENTS.filter(({ engine }) => engine === "postgres")) {
  engineTest(
    "postgres",
    `migrate() of eight processes creates one table, over ${client}`,
    async (url) => {
      for (let round = 0; round < 5; round++) {
        await using opened = new AsyncDisposableStack();
        const place = freshPlace();
        const eight = await Promise.all(
          Array.from(
            { length: 8 },
            async () => opened.use(await openAdapter(client, { url, place, now, connections: 1 })),
          ),
        );
        const [first] = eight;
        opened.defer(async () => await first?.remove());
        await Promise.all(eight.map(({ adapter }, at) => adapter.put("notes", `${at}`, RECORD)));
        assertEquals((await first?.adapter.list("notes", 0, "i"))?.length, 8);
      }
    },
  );

  engineTest(
    "postgres",
    `sweep() of four processes deletes every record once, over ${client}`,
    async (url) => {
      await using opened = new AsyncDisposableStack();
      const first = opened.use(await openFreshAdapter(client, { url, now }));
      const { place } = first;
      const more = await Promise.all(
        [1, 2, 3].map(async () => opened.use(await openAdapter(client, { url, now, place }))),
      );
      const adapters = [first, ...more].map(({ adapter }) => adapter as SqlAdapter);
      const expired = { ...RECORD, expiresAt: START - 1_000 };
      await first.adapter.put("notes", "persistent", RECORD); // the first write sweeps, the later ones do not
      for (let at = 0; at < 4_500; at += 500) {
        await Promise.all(
          Array.from(
            { length: 500 },
            (_, more) => first.adapter.put("notes", `${at + more}`, expired),
          ),
        );
      }
      // Each skips rows that another one has locked, so a last sweep may find some
      const deleted = await Promise.all(adapters.map((adapter) => adapter.sweep()));
      deleted.push(await (first.adapter as SqlAdapter).sweep());
      assertEquals(deleted.reduce((sum, count) => sum + count), 4_500);
      assertEquals((await first.adapter.list("notes", 0, "i")).length, 1);
    },
  );
}

const RECORD = { value: 1, index: ["i"] } as const;
