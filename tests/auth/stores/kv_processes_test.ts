/** What the races of all stores (tests/contracts/processes_test.ts) do not show: how a file is left behind. */

import { assert, assertEquals } from "@std/assert";
import { allKeys, assertWhole, kvFile } from "./_kv.ts";
import { startWriters } from "./_kv_processes.ts";

Deno.test("denoKvAdapter() of 200 writers in four processes leaves one record, and nothing of any other", async () => {
  await using file = await kvFile();
  using kv = await Deno.openKv(file.path);
  await using writers = await startWriters(file.path);
  await writers.write("one record");
  assertEquals(await assertWhole(kv, "puts"), 1);
});

Deno.test("denoKvAdapter() writes nothing in part if its process is killed", async () => {
  await using file = await kvFile();
  using kv = await Deno.openKv(file.path);
  {
    await using writers = await startWriters(file.path);
    await writers.killWhile("many records", async () => (await allKeys(kv)).length > 0);
  }
  assert(await assertWhole(kv, "puts") > 0);
});
