import { assert, assertEquals, assertRejects } from "@std/assert";
import { type DenoKvAdapter, denoKvAdapter } from "../../../auth/stores/kv.ts";
import { pausesOf } from "../_pauses.ts";
import { allKeys, hookedKv, kvFile, type KvHooks } from "./_kv.ts";

const FULL = { value: "secret", unique: "u", index: ["i", "j"] } as const;

/** Everything that an adapter can be asked, and what it answers where there is `FULL` under `k`. */
const CALLS: readonly {
  readonly name: string;
  readonly cannot: string;
  readonly call: (adapter: DenoKvAdapter, version: string) => Promise<unknown>;
}[] = [
  { name: "get()", cannot: "read", call: (adapter) => adapter.get("c", "k") },
  { name: "find()", cannot: "read", call: (adapter) => adapter.find("c", "u") },
  { name: "list()", cannot: "list", call: (adapter) => adapter.list("c", 0, "i") },
  { name: "put()", cannot: "keep", call: (adapter) => adapter.put("c", "k", FULL) },
  { name: "delete()", cannot: "remove", call: (adapter) => adapter.delete("c", "k") },
  { name: "take()", cannot: "remove", call: (adapter) => adapter.atomic.take("c", "k") },
  {
    name: "cas()",
    cannot: "keep",
    call: (adapter, version) => adapter.atomic.cas("c", "k", version, FULL),
  },
  {
    name: "cas() that removes",
    cannot: "remove",
    call: (adapter, version) => adapter.atomic.cas("c", "k", version, null),
  },
];

/** Opens a database with a record in it, and an adapter with something in between. */
async function openWith(
  hooks: KvHooks,
): Promise<{ kv: Deno.Kv; adapter: DenoKvAdapter; version: string }> {
  const kv = await Deno.openKv(":memory:");
  const plain = denoKvAdapter(kv);
  await plain.put("c", "k", FULL);
  const version = (await plain.get("c", "k"))?.version ?? "";
  return { kv, adapter: denoKvAdapter(hookedKv(kv, hooks)), version };
}

/** Throws a fault some times, and then no more. */
function failing(fault: Error, times: number): { readonly calls: () => number; run(): void } {
  let calls = 0;
  return {
    calls: () => calls,
    run() {
      if (++calls <= times) throw fault;
    },
  };
}

/** What SQLite says of a lock, as Deno KV throws it. */
const LOCKED: readonly string[] = ["database is locked", "database table is locked"];

for (const { name, call } of CALLS) {
  Deno.test(`denoKvAdapter() ${name} asks a locked database again`, async () => {
    for (const message of LOCKED) {
      const commits = failing(new TypeError(message), 3);
      const reads = failing(new TypeError(message), 3);
      const { kv, adapter, version } = await openWith({
        onRead: () => Promise.resolve(reads.run()),
        async onCommit(commit) {
          commits.run();
          return await commit();
        },
      });
      using _kv = kv;
      const plain = denoKvAdapter(kv);
      const result = await call(adapter, version);
      assert(reads.calls() > 3);
      assert(commits.calls() === 0 || commits.calls() === 4, "it is committed once");
      const { status } = (result ?? {}) as { status?: string };
      assert(status === undefined || status === "ok");
      if (name === "take()") assertEquals(result, FULL.value);
      const gone = /take|delete|removes/.test(name);
      assertEquals((await plain.get("c", "k"))?.value, gone ? undefined : FULL.value);
    }
  });
}

/** What is not known to have come before the commit. */
const OTHER_FAULTS: readonly Error[] = [
  new TypeError("disk I/O error"),
  new TypeError("database disk image is malformed"),
  new TypeError("database or disk is full"),
  new Error("batch transaction failed"),
  new TypeError("Can not write to a read-only database."),
  new Error("error sending request: connection reset"),
];

for (const { name, cannot, call } of CALLS) {
  Deno.test(`denoKvAdapter() ${name} hands on other faults, and does nothing twice`, async () => {
    for (const fault of OTHER_FAULTS) {
      const reads = failing(fault, 1);
      const reading = await openWith({ onRead: () => Promise.resolve(reads.run()) });
      using _reading = reading.kv;
      const refusal = `Cannot ${cannot} record${cannot === "list" ? "s" : ""}: Deno KV failed`;
      const refused = () => call(reading.adapter, reading.version);
      const first = await assertRejects(refused, Error, refusal);
      assertEquals([first.cause, reads.calls()], [fault, 1]);
      assertEquals(first.message.includes("secret"), false);

      let commits = 0;
      const writing = await openWith({
        async onCommit(commit) {
          commits++;
          await commit(); // The answer is what was lost
          throw fault;
        },
      });
      using _writing = writing.kv;
      const result = call(writing.adapter, writing.version);
      if (["get()", "find()", "list()"].includes(name)) {
        await result;
      } else {
        const second = await assertRejects(() => result, Error, refusal);
        assertEquals([second.cause, commits], [fault, 1]);
      }
      assertEquals(await call(reading.adapter, reading.version).then(() => true), true, "recovers");
    }
  });
}

for (const { name, cannot, call } of CALLS) {
  Deno.test(`denoKvAdapter() ${name} says that Deno KV is closed`, async () => {
    const kv = await Deno.openKv(":memory:");
    const adapter = denoKvAdapter(kv);
    await adapter.put("c", "k", FULL);
    kv.close();
    const closed = `Cannot ${cannot} record${cannot === "list" ? "s" : ""}: Deno KV is closed`;
    const error = await assertRejects(() => call(adapter, "v"), Error, closed);
    assert(error.cause instanceof Error);
  });
}

Deno.test("denoKvAdapter() leaves no call unanswered if Deno KV is closed meanwhile", async () => {
  await using file = await kvFile();
  const kv = await Deno.openKv(file.path);
  const adapter = denoKvAdapter(kv);
  const puts = Array.from({ length: 100 }, (_, n) => adapter.put("c", `${n}`, { value: n }));
  const gets = Array.from({ length: 100 }, (_, n) => adapter.get("c", `${n}`));
  const settling = Promise.allSettled([...puts, ...gets]);
  await puts[0];
  kv.close();
  const ends = (await settling).map((each) =>
    each.status === "rejected" ? `${each.reason}` : "done"
  );
  const known = [
    "done",
    "Error: Cannot keep record: Deno KV is closed",
    "Error: Cannot read record: Deno KV is closed",
  ];
  assertEquals([...new Set(ends)].filter((end) => !known.includes(end)), []);
  using again = await Deno.openKv(file.path);
  const kept = (await allKeys(again)).length;
  assertEquals(kept, ends.slice(0, 100).filter((end) => end === "done").length);
});

Deno.test("denoKvAdapter() looks again as often as somebody else is first", async () => {
  let left = 5;
  const overtaking: DenoKvAdapter[] = [];
  const { kv, adapter } = await openWith({
    async onCommit(commit) {
      if (left-- > 0) await overtaking[0]?.put("c", "k", { value: left, unique: `u${left}` });
      return await commit();
    },
  });
  using _kv = kv;
  overtaking.push(denoKvAdapter(kv));
  await adapter.put("c", "k", FULL);
  assertEquals((await adapter.get("c", "k"))?.value, FULL.value);
  assertEquals((await allKeys(kv)).length, 4);
  left = 1;
  const { version = null } = await adapter.get("c", "k") ?? {};
  assertEquals(await adapter.atomic.cas("c", "k", version, FULL), { status: "lost" });
});

/** What a commit meets forty times, and the longest pause after each time, in milliseconds. */
const PAUSES: readonly {
  readonly why: string;
  readonly meet: () => Deno.KvCommitError;
  readonly most: (time: number) => number;
}[] = [
  {
    why: "a lock",
    meet() {
      throw new TypeError("database is locked");
    },
    most: (time) => Math.min(4 * 2 ** time, 250),
  },
  {
    why: "others who are first, but not after the first time",
    meet: () => ({ ok: false }),
    most: (time) => time === 1 ? 0 : Math.min(4 * 2 ** (time - 1), 32),
  },
];

for (const { why, meet, most } of PAUSES) {
  Deno.test(`denoKvAdapter() waits longer and longer, and not as long as others, for ${why}`, async () => {
    let left = 40;
    const { kv, adapter } = await openWith({
      onCommit: async (commit) => left-- > 0 ? meet() : await commit(),
    });
    using _kv = kv;
    const pauses = await pausesOf(() => adapter.put("c", "k", FULL));
    const longest = Array.from({ length: 40 }, (_, time) => most(time + 1)).filter((ms) => ms > 0);
    assertEquals(pauses.length, longest.length);
    for (const [index, ms] of pauses.entries()) {
      assert(ms >= 1 && ms < 1 + (longest[index] ?? 0), `${ms} ms after ${index} others`);
    }
    const last = Math.max(...longest);
    assert(pauses.some((ms) => ms > last / 2) && pauses.some((ms, n) => n > 9 && ms < last / 2));
  });
}

Deno.test("denoKvAdapter() knows its own commit where a remote database was sent it twice", async () => {
  using kv = await Deno.openKv(":memory:");
  const adapter = denoKvAdapter(
    hookedKv(kv, {
      // The answer to the first one was lost; the checks of the second one fail by the first
      async onCommit(commit) {
        await commit();
        return { ok: false };
      },
    }),
  );
  const record = { value: 1, unique: "text", index: ["a"] } as const;
  const made = await adapter.atomic.cas("c", "k", null, record);
  assert(made.status === "ok");
  assertEquals((await adapter.get("c", "k"))?.version, made.version);
  const changed = await adapter.atomic.cas("c", "k", made.version, { ...record, value: 2 });
  assert(changed.status === "ok");
  assertEquals((await adapter.get("c", "k"))?.value, 2);
  await adapter.put("c", "k", { value: 3 });
  assertEquals((await adapter.get("c", "k"))?.value, 3);
  assertEquals((await adapter.atomic.cas("c", "k", made.version, record)).status, "lost");
});

Deno.test("denoKvAdapter() lets four commits wait in Deno KV, and one while it is locked", async () => {
  let [running, most, faults, locked] = [0, 0, 0, false];
  const { kv, adapter } = await openWith({
    async onCommit(commit) {
      running++;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      if (!locked) return await commit();
      if (++faults === 4) most = 0; // These came before anybody knew
      locked = faults < 40;
      throw new TypeError("database is locked");
    },
  });
  using _kv = kv;
  const putAll = () =>
    Promise.all(Array.from({ length: 100 }, (_, n) => adapter.put("c", `${n}`, { value: n })));
  await putAll();
  assertEquals([most, running], [4, 0]);
  locked = true;
  let mostWhileLocked = 0;
  const watching = setInterval(() => mostWhileLocked = locked ? most : mostWhileLocked, 1);
  await putAll();
  clearInterval(watching);
  assertEquals([mostWhileLocked, most, faults, running], [1, 4, 40, 0]);
  assertEquals((await adapter.get("c", "99"))?.value, 99);
});

Deno.test("denoKvAdapter() refuses no commit that waits where others are slow, or one has failed", async () => {
  let running = 0;
  const released = Promise.withResolvers<void>();
  const { kv, adapter } = await openWith({
    async onCommit(commit) {
      if (running++ === 0) throw new TypeError("disk I/O error");
      await released.promise;
      return await commit();
    },
  });
  using _kv = kv;
  await assertRejects(() => adapter.put("c", "k", { value: 0 }), Error, "Deno KV failed");
  const puts = Array.from({ length: 8 }, (_, n) => adapter.put("c", `${n}`, { value: n }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals(running, 1 + 4, "no lock was found");
  const now = performance.now.bind(performance);
  performance.now = () => now() + 6_000;
  try {
    released.resolve();
    await Promise.all(puts);
  } finally {
    performance.now = now;
  }
  assertEquals((await adapter.get("c", "7"))?.value, 7);
});
