/** What several processes do at the same time besides reading and writing, and what PostgreSQL alone refuses. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { SqlAdapter } from "../../auth/store_sql.ts";
import { CLIENTS, freshPlace, openAdapter, openFreshAdapter } from "./_adapters.ts";
import { engineTest } from "./_engines.ts";

const START = 1_700_000_000;
const now = () => START;

for (const { name: client } of CLIENTS.filter(({ engine }) => engine === "postgres")) {
  engineTest(
    "postgres",
    `migrate() of eight at once makes one table, by ${client}`,
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
    `sweep() of four at once removes everything once, by ${client}`,
    async (url) => {
      await using opened = new AsyncDisposableStack();
      const first = opened.use(await openFreshAdapter(client, { url, now }));
      const { place } = first;
      const more = await Promise.all(
        [1, 2, 3].map(async () => opened.use(await openAdapter(client, { url, now, place }))),
      );
      const adapters = [first, ...more].map(({ adapter }) => adapter as SqlAdapter);
      const ended = { ...RECORD, expiresAt: START - 1_000 };
      await first.adapter.put("notes", "lasting", RECORD); // this sweeps, and no later writing does
      for (let at = 0; at < 4_500; at += 500) {
        await Promise.all(
          Array.from(
            { length: 500 },
            (_, more) => first.adapter.put("notes", `${at + more}`, ended),
          ),
        );
      }
      // What one of them has in hand, the others leave to it: whoever is last may find less than there was
      const removed = await Promise.all(adapters.map((adapter) => adapter.sweep()));
      removed.push(await (first.adapter as SqlAdapter).sweep());
      assertEquals(removed.reduce((sum, count) => sum + count), 4_500);
      assertEquals((await first.adapter.list("notes", 0, "i")).length, 1);
    },
  );

  engineTest(
    "postgres",
    `put() keeps long values, and refuses a key that is too long, by ${client}`,
    async (url) => {
      await using opened = await openFreshAdapter(client, { url, now });
      const { adapter } = opened;
      const long = randomText(2_000_000);
      await adapter.put("notes", "k", { value: long, unique: randomText(2_500) });
      assertEquals((await adapter.get("notes", "k"))?.value, long);
      const key = randomText(9_000);
      const error = await assertRejects(() => adapter.put("notes", key, RECORD), Error);
      assertEquals(error.message, "Cannot keep record: the database failed");
      const shown = Deno.inspect(error);
      assert(shown.includes("54000") && !shown.includes(key.slice(0, 20)), shown);
      assertEquals(await adapter.get("notes", key), null);
    },
  );
}

const RECORD = { value: 1, index: ["i"] } as const;

/** No compression makes it shorter. */
function randomText(length: number): string {
  const letters: string[] = [];
  while (letters.length * 32 < length) letters.push(crypto.randomUUID().replaceAll("-", ""));
  return letters.join("").slice(0, length);
}
