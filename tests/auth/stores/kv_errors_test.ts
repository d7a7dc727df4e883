import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type DenoKv, type DenoKvAdapter, denoKvAdapter } from "../../../auth/stores/engines/kv.ts";
import { authStores } from "../../../auth/stores/repo.ts";
import { pausesOf } from "../_pauses.ts";
import { createTestApp } from "../http/_app.ts";
import { assertRefused, FAULT } from "../http/_routes.ts";
import { ADA, PASSWORD, START } from "../_services.ts";
import { allKeys, hookedKv, kvFile, type KvHooks } from "./_kv.ts";

const FULL = { value: "secret", unique: "u", index: ["i", "j"] } as const;

/** Every method, and the operation in its error message. The record `k` is `FULL`. */
const CALLS: readonly {
  readonly name: string;
  readonly cannot: string;
  readonly call: (adapter: DenoKvAdapter, version: string) => Promise<unknown>;
}[] = [
  { name: "get()", cannot: "read", call: (adapter) => adapter.get("c", "k") },
  { name: "find()", cannot: "read", call: (adapter) => adapter.find("c", "u") },
  { name: "list()", cannot: "list", call: (adapter) => adapter.list("c", 0, "i") },
  { name: "put()", cannot: "write", call: (adapter) => adapter.put("c", "k", FULL) },
  { name: "delete()", cannot: "delete", call: (adapter) => adapter.delete("c", "k") },
  { name: "take()", cannot: "delete", call: (adapter) => adapter.atomic.take("c", "k") },
  {
    name: "cas()",
    cannot: "write",
    call: (adapter, version) => adapter.atomic.cas("c", "k", version, FULL),
  },
  {
    name: "cas() that deletes",
    cannot: "delete",
    call: (adapter, version) => adapter.atomic.cas("c", "k", version, null),
  },
];

/** Opens a database that holds `FULL`, and an adapter whose calls are intercepted. */
async function openWith(
  hooks: KvHooks,
): Promise<{ kv: Deno.Kv; adapter: DenoKvAdapter; version: string }> {
  const kv = await Deno.openKv(":memory:");
  const plain = denoKvAdapter(kv);
  await plain.put("c", "k", FULL);
  const version = (await plain.get("c", "k"))?.version ?? "";
  return { kv, adapter: denoKvAdapter(hookedKv(kv, hooks)), version };
}

/** Throws an error a number of times. */
function failing(fault: Error, times: number): { readonly calls: () => number; run(): void } {
  let calls = 0;
  return {
    calls: () => calls,
    run() {
      if (++calls <= times) throw fault;
    },
  };
}

/** SQLite's messages for a lock, as Deno KV throws them. */
const LOCKED: readonly string[] = ["database is locked", "database table is locked"];

for (const { name, call } of CALLS) {
  Deno.test(`denoKvAdapter() ${name} retries on a locked database`, async () => {
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
      const gone = /take|delete/.test(name);
      assertEquals((await plain.get("c", "k"))?.value, gone ? undefined : FULL.value);
    }
  });
}

/** Errors after which the commit may have been made. */
const OTHER_FAULTS: readonly Error[] = [
  new TypeError("disk I/O error"),
  new TypeError("database disk image is malformed"),
  new TypeError("database or disk is full"),
  new Error("batch transaction failed"),
  new TypeError("Can not write to a read-only database."),
  new Error("error sending request: connection reset"),
];

for (const { name, cannot, call } of CALLS) {
  Deno.test(`denoKvAdapter() ${name} rejects on other errors without a retry`, async () => {
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
          await commit(); // only the response is lost
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
  Deno.test(`denoKvAdapter() ${name} rejects if Deno KV is closed`, async () => {
    const kv = await Deno.openKv(":memory:");
    const adapter = denoKvAdapter(kv);
    await adapter.put("c", "k", FULL);
    kv.close();
    const closed = `Cannot ${cannot} record${cannot === "list" ? "s" : ""}: Deno KV is closed`;
    const error = await assertRejects(() => call(adapter, "v"), Error, closed);
    assert(error.cause instanceof Error);
  });
}

Deno.test("denoKvAdapter() settles every call if Deno KV is closed concurrently", async () => {
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
    "Error: Cannot write record: Deno KV is closed",
    "Error: Cannot read record: Deno KV is closed",
  ];
  assertEquals([...new Set(ends)].filter((end) => !known.includes(end)), []);
  using again = await Deno.openKv(file.path);
  const kept = (await allKeys(again)).length;
  assertEquals(kept, ends.slice(0, 100).filter((end) => end === "done").length);
});

Deno.test("denoKvAdapter() put() retries on every conflict, and cas() is lost", async () => {
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

/** Errors of forty commits, and the longest pause after each, in milliseconds. */
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
    why: "a conflict, except the first one",
    meet: () => ({ ok: false }),
    most: (time) => time === 1 ? 0 : Math.min(4 * 2 ** (time - 1), 32),
  },
];

for (const { why, meet, most } of PAUSES) {
  Deno.test(`denoKvAdapter() backs off exponentially with jitter after ${why}`, async () => {
    let left = 40;
    const { kv, adapter } = await openWith({
      onCommit: async (commit) => left-- > 0 ? meet() : await commit(),
    });
    using _kv = kv;
    const pauses = await pausesOf(() => adapter.put("c", "k", FULL));
    const longest = Array.from({ length: 40 }, (_, time) => most(time + 1)).filter((ms) => ms > 0);
    assertEquals(pauses.length, longest.length);
    for (const [index, ms] of pauses.entries()) {
      assert(ms >= 1 && ms < 1 + (longest[index] ?? 0), `${ms} ms at pause ${index}`);
    }
    const last = Math.max(...longest);
    assert(pauses.some((ms) => ms > last / 2) && pauses.some((ms, n) => n > 9 && ms < last / 2));
  });
}

Deno.test("denoKvAdapter() recognizes its own commit after a remote database got it twice", async () => {
  using kv = await Deno.openKv(":memory:");
  const adapter = denoKvAdapter(
    hookedKv(kv, {
      // The response of the first commit was lost; the second one conflicts with the first
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

/** Another writer commits before each of a number of commits. */
async function overtaken(commits: number): Promise<{ kv: Deno.Kv; adapter: DenoKvAdapter }> {
  const others: DenoKvAdapter[] = [];
  let left = commits;
  const { kv, adapter } = await openWith({
    async onCommit(commit) {
      if (left-- > 0) await others[0]?.put("c", "k", { value: left, unique: `u${left}` });
      return await commit();
    },
  });
  others.push(denoKvAdapter(kv));
  return { kv, adapter };
}

Deno.test("denoKvAdapter() put() survives 100 conflicts with other writers, however long they take", async () => {
  const { kv, adapter } = await overtaken(100);
  using _kv = kv;
  const now = performance.now.bind(performance);
  let late = 0;
  performance.now = () => now() + (late += 60_000);
  try {
    await pausesOf(() => adapter.put("c", "k", FULL));
  } finally {
    performance.now = now;
  }
  assertEquals((await adapter.get("c", "k"))?.value, FULL.value);
  assertEquals((await allKeys(kv)).length, 4);
});

Deno.test("denoKvAdapter() makes no commit that conflicts with one of its own", async () => {
  let [running, most, commits] = [0, 0, 0];
  const { kv, adapter } = await openWith({
    async onCommit(commit) {
      commits++;
      most = Math.max(most, ++running);
      const result = await commit();
      running--;
      return result;
    },
  });
  using _kv = kv;
  const values = Array.from({ length: 200 }, (_, value) => value);
  await Promise.all(values.map((value) => adapter.put("c", "k", { value })));
  assertEquals([commits, most], [200, 1], "one after another");
  most = 0;
  await Promise.all(values.map((value) => adapter.put("c", `${value}`, { value })));
  assert(most > 1, "other records do not wait");
});

Deno.test("denoKvAdapter() put() is not blocked by a write of the same record that hangs", async () => {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let commits = 0;
  const { kv, adapter } = await openWith({
    async onCommit(commit) {
      if (++commits === 1) {
        reached.resolve();
        await released.promise;
      }
      return await commit();
    },
  });
  using _kv = kv;
  const hanging = adapter.put("c", "k", { value: "first" });
  await reached.promise; // otherwise the second one may commit first, and hang
  const pauses = await pausesOf(() => adapter.put("c", "k", { value: "second" }));
  assertEquals(pauses, [1_000]);
  assertEquals((await adapter.get("c", "k"))?.value, "second");
  released.resolve();
  await hanging;
  assertEquals((await adapter.get("c", "k"))?.value, "first");
});

/** A file, and the database that the application has open. */
interface Place {
  readonly path: string;
  kv: Deno.Kv;
  /** Thrown by every call. */
  fault?: Error;
}

/** A failure of Deno KV, and the message reported for it. */
interface Fault {
  readonly why: string;
  readonly message: string;
  begin(place: Place): Promise<AsyncDisposable> | AsyncDisposable;
}

const FAULTS: readonly Fault[] = [
  {
    why: "a Deno KV that fails",
    message: "disk I/O error",
    begin(place) {
      place.fault = new TypeError("disk I/O error");
      return {
        [Symbol.asyncDispose]() {
          delete place.fault;
          return Promise.resolve();
        },
      };
    },
  },
  {
    why: "a Deno KV that is closed",
    message: "Deno KV is closed",
    begin(place) {
      place.kv.close();
      return {
        async [Symbol.asyncDispose]() {
          place.kv = await Deno.openKv(place.path);
        },
      };
    },
  },
];

for (const { why, message, begin } of FAULTS) {
  Deno.test(`registerAuth() on ${why} responds 500 and recovers`, async () => {
    await using file = await kvFile();
    const place: Place = { path: file.path, kv: await Deno.openKv(file.path) };
    try {
      const clock = { now: START };
      const adapter = denoKvAdapter(failingKv(place), { now: () => clock.now });
      const app = createTestApp({ stores: authStores(adapter), clock });
      const ada = await app.signedIn();
      const cookies = ada.jar.field();
      const page = app.browser();
      await page.token();

      {
        await using _fault = await begin(place);
        await assertRefused(await ada.send("/me"), FAULT);
        clock.now += 120; // the session's last use is due to be written
        const written = [ada.send("/me"), ada.send("/maybe"), page.login()];
        for (const answer of await Promise.all(written)) await assertRefused(answer, FAULT);
        assertEquals((await ada.send("/public")).status, 200);
        assertEquals(
          (await app.browser().send("/me")).status,
          401,
          "a request without credentials needs no store",
        );
      }
      assertEquals(app.hasher.calls, [], "no password is verified unless the attempt is counted");
      assertEquals(app.errors.length, 4, "every failure is reported");
      for (const error of app.errors) assertStringIncludes(Deno.inspect(error), message);
      const reported = Deno.inspect([app.errors, app.events, app.warnings], { depth: 20 });
      for (const secret of [ada.jar.get("__Host-sid") ?? "", PASSWORD, ADA.identifier]) {
        assert(secret !== "" && !reported.includes(secret), "a secret is reported");
      }

      assertEquals([(await ada.send("/me")).status, ada.jar.field()], [200, cookies]);
      assertEquals((await page.login()).status, 200);
    } finally {
      place.kv.close();
    }
  });
}

/** The database of a place, which may fail and be replaced. */
function failingKv(place: Place): DenoKv {
  const fail = () => {
    if (place.fault !== undefined) throw place.fault;
  };
  const current = () =>
    hookedKv(place.kv, {
      onRead: fail,
      onCommit(commit) {
        fail();
        return commit();
      },
    });
  return {
    getMany: (keys) => current().getMany(keys),
    list: (range, options) => current().list(range, options),
    atomic: () => current().atomic(),
  };
}
