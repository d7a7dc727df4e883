/** Deno KV files that other processes lock, write to, or leave behind when they are killed. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { denoKvAdapter } from "../../../../auth/stores/engines/kv.ts";
import { authStores } from "../../../../auth/stores/repo.ts";
import { pausesOf } from "../../../auth/_pauses.ts";
import { createTestApp } from "../../../auth/http/_app.ts";
import { assertRefused, FAULT } from "../../../auth/http/_routes.ts";
import { START } from "../../../auth/_services.ts";
import { allKeys, assertWhole, hookedKv, kvFile } from "../../../auth/stores/_kv.ts";
import { holdFile, startWriters } from "./_kv_processes.ts";

const NAMES = Array.from({ length: 50 }, (_, n) => `${n}`);

const fullRecord = (text: string) => ({ value: 1, unique: text, index: [text, text] } as const);

Deno.test("denoKvAdapter() waits while another process locks the file for a second", async () => {
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
  assert(performance.now() - start > 900, "the file was locked");
  await released;
  assertEquals(await assertWhole(kv, "c"), 50);
});

Deno.test("denoKvAdapter() rejects writes when the file is locked for longer, and recovers", async () => {
  await using file = await kvFile();
  using kv = await Deno.openKv(file.path);
  const adapter = denoKvAdapter(kv);
  await adapter.put("c", "before", fullRecord("before"));
  {
    await using holder = await holdFile(file.path);
    const puts = Promise.allSettled(
      NAMES.map((name) => adapter.put("c", name, fullRecord(name))),
    );
    const sameRecord = Promise.allSettled(NAMES.map(() => adapter.put("c", "same", { value: 1 })));
    for (const result of [...await puts, ...await sameRecord]) {
      assert(result.status === "rejected");
      assertLocked(result.reason);
    }
    assertEquals((await adapter.get("c", "before"))?.value, 1, "reads need no lock");
    await holder.release(0);
  }
  assertEquals(await assertWhole(kv, "c"), 1, "nothing was written");
  for (const name of NAMES) await adapter.put("c", name, fullRecord(name));
  assertEquals(await assertWhole(kv, "c"), 1 + NAMES.length);
});

Deno.test("denoKvAdapter() does not retry if Deno KV itself waited longer for the lock", async () => {
  using kv = await Deno.openKv(":memory:");
  let commits = 0;
  const adapter = denoKvAdapter(hookedKv(kv, {
    async onCommit() {
      commits++;
      await new Promise((resolve) => setTimeout(resolve, 5_100));
      throw new TypeError("database is locked");
    },
  }));
  const error = await assertRejects(() => adapter.put("c", "k", { value: 1 }));
  assertLocked(error);
  assertEquals(commits, 1);
});

Deno.test("registerAuth() on a locked Deno KV file responds 500 to writes and recovers", async () => {
  await using file = await kvFile();
  using kv = await Deno.openKv(file.path);
  const clock = { now: START };
  const adapter = denoKvAdapter(kv, { now: () => clock.now });
  const app = createTestApp({ stores: authStores(adapter), clock });
  const ada = await app.signedIn();
  const cookies = ada.jar.field();
  const page = app.browser();
  await page.token();
  {
    await using _holder = await holdFile(file.path);
    assertEquals((await ada.send("/me")).status, 200);
    clock.now += 120; // the session's last use is due to be written
    const written = [ada.send("/me"), ada.send("/maybe"), page.login()];
    for (const answer of await Promise.all(written)) await assertRefused(answer, FAULT);
    assertEquals((await ada.send("/public")).status, 200);
  }
  assertEquals(app.hasher.calls, [], "no password is verified unless the attempt is counted");
  assertEquals(app.errors.length, 3, "every failure is reported");
  for (const error of app.errors) {
    assertStringIncludes(Deno.inspect(error), "database is locked");
  }
  assertEquals([(await ada.send("/me")).status, ada.jar.field()], [200, cookies]);
  assertEquals((await page.login()).status, 200);
});

// tests/contracts/processes_test.ts tests concurrent writes to all stores; these two check the resulting file
Deno.test("denoKvAdapter() of 200 writers in four processes leaves one record and its index entries", async () => {
  await using file = await kvFile();
  using kv = await Deno.openKv(file.path);
  await using writers = await startWriters(file.path);
  await writers.write("one record");
  assertEquals(await assertWhole(kv, "puts"), 1);
});

Deno.test("denoKvAdapter() writes no part of a record if its process is killed", async () => {
  await using file = await kvFile();
  using kv = await Deno.openKv(file.path);
  {
    await using writers = await startWriters(file.path);
    await writers.killWhile("many records", async () => (await allKeys(kv)).length > 0);
  }
  assert(await assertWhole(kv, "puts") > 0);
});

Deno.test("denoKvAdapter() put() rejects on a database on which every commit conflicts", async () => {
  using kv = await Deno.openKv(":memory:");
  let commits = 0;
  const adapter = denoKvAdapter(hookedKv(kv, {
    onCommit() {
      commits++;
      return Promise.resolve({ ok: false });
    },
  }));
  await pausesOf(async () => {
    const put = () => adapter.put("c", "k", { value: 1 });
    await assertRejects(put, Error, "Cannot write record: too many conflicts");
  });
  assertEquals(commits, 1_000);
});

function assertLocked(error: unknown): void {
  assert(error instanceof Error && error.cause instanceof TypeError);
  assertEquals(error.message, "Cannot write record: Deno KV's database is locked");
  assertEquals(error.cause.message, "database is locked");
}
