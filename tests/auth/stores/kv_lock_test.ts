import { assert, assertEquals, assertRejects } from "@std/assert";
import { denoKvAdapter } from "../../../auth/stores/kv.ts";
import { assertWhole, hookedKv, kvFile } from "./_kv.ts";
import { holdFile } from "./_kv_processes.ts";

const NAMES = Array.from({ length: 50 }, (_, n) => `${n}`);

const fullRecord = (text: string) => ({ value: 1, unique: text, index: [text, text] } as const);

Deno.test("denoKvAdapter() waits for a file that another process has locked for a second", async () => {
  await using file = await kvFile();
  using kv = await Deno.openKv(file.path);
  const adapter = denoKvAdapter(kv);
  await adapter.put("c", "gone", { value: 1 });
  await using holder = await holdFile(file.path);
  const released = holder.release(1_000);
  const start = performance.now();
  const puts = NAMES.map((name) => adapter.put("c", name, fullRecord(name)));
  const taking = adapter.atomic.take("c", "gone");
  assertEquals((await Promise.all(puts)).length, 50);
  assertEquals(await taking, 1);
  assert(performance.now() - start > 900, "it was locked");
  await released;
  assertEquals(await assertWhole(kv, "c"), 50);
});

// Each takes as long as the patience of an adapter
Deno.test("denoKvAdapter() is patient for five seconds, and refuses then", async () => {
  await Promise.all([refusesOvertaken(), refusesWaiting(), refusesLockedAndRecovers()]);
});

/** Somebody else is always first. */
async function refusesOvertaken(): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  const hooked = hookedKv(kv, { onCommit: () => Promise.resolve({ ok: false }) });
  const put = () => denoKvAdapter(hooked).put("c", "k", { value: 1 });
  await assertRejects(put, Error, "Cannot keep record: others keep changing it");
}

/** Deno KV says after five seconds that its file is locked. Nobody waits for that once more. */
async function refusesWaiting(): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  let commits = 0;
  const adapter = denoKvAdapter(hookedKv(kv, {
    async onCommit() {
      commits++;
      await new Promise((resolve) => setTimeout(resolve, 5_100));
      throw new TypeError("database is locked");
    },
  }));
  const puts = NAMES.map((name) => adapter.put("c", name, fullRecord(name)));
  const ends = await Promise.allSettled(puts);
  for (const { reason } of refusedOf(ends)) assertRefused(reason);
  assertEquals([refusedOf(ends).length, commits], [NAMES.length, 4]);
}

async function refusesLockedAndRecovers(): Promise<void> {
  await using file = await kvFile();
  using kv = await Deno.openKv(file.path);
  const adapter = denoKvAdapter(kv);
  await using holder = await holdFile(file.path);
  const released = holder.release(6_000);
  const ends = await Promise.allSettled(
    NAMES.map((name) => adapter.put("c", name, fullRecord(name))),
  );
  await released;
  const refused = refusedOf(ends);
  assert(refused.length > 0);
  for (const { reason } of refused) assertRefused(reason);
  assertEquals(await assertWhole(kv, "c"), NAMES.length - refused.length, "they are not there");
  for (const name of NAMES) await adapter.put("c", name, fullRecord(name));
  assertEquals(await assertWhole(kv, "c"), NAMES.length);
}

function refusedOf(ends: readonly PromiseSettledResult<void>[]): readonly PromiseRejectedResult[] {
  return ends.filter((end) => end.status === "rejected");
}

function assertRefused(error: unknown): void {
  assert(error instanceof Error && error.cause instanceof TypeError);
  assertEquals(error.message, "Cannot keep record: Deno KV's database stays locked");
  assertEquals(error.cause.message, "database is locked");
}
