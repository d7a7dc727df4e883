/** Bodies of a folder's files over connections. `tests/exhaustive/static/streams_test.ts` has the large ones. */

import { assertEquals } from "@std/assert";
import { exchange, rawBytes } from "../attacks/_raw.ts";
import { MEGABYTE, testLeavers, testServed } from "./_downloads.ts";
import { hammer, IS_LINUX, PERMISSIONS, withFolder, withProbe } from "./_races.ts";

const SIZE = MEGABYTE;

testServed(
  "sends the whole of a file that is deleted in the meantime, race-unlink",
  SIZE,
  async (served) => {
    const response = await fetch(`http://127.0.0.1:${served.port}/assets/file.bin`);
    await Deno.remove(served.path);
    assertEquals((await response.bytes()).length, SIZE);
    assertEquals((await exchange(served.port, rawBytes("/assets/file.bin"))).status, 404);
  },
);

testLeavers("fd-abort", SIZE, 20);

testServed(
  "does not open files for HEAD and 304, fd-head-304",
  SIZE,
  (served) =>
    withProbe(async (look) => {
      const url = `http://127.0.0.1:${served.port}/assets/file.bin`;
      const head = await fetch(url, { method: "HEAD" });
      await head.body?.cancel();
      const headers = { "If-None-Match": head.headers.get("ETag") ?? "" };
      for (const [init, status] of [[{ method: "HEAD" }, 200], [{ headers }, 304]] as const) {
        for (let i = 0; i < 100; i++) {
          const response = await fetch(url, init);
          await response.body?.cancel();
          assertEquals(response.status, status);
        }
      }
      assertEquals((await look(served.pid, served.folder)).files, 0);
    }),
);

for (const permission of PERMISSIONS) {
  Deno.test({
    name: `mountStatic() closes files whose bodies are cancelled, fd-cancel, ${permission}`,
    ignore: !IS_LINUX,
    fn: () =>
      withFolder(async (root) => {
        await Deno.writeFile(`${root}/file.bin`, new Uint8Array(SIZE));
        const options = { permission, root, path: "/file.bin", how: "cancel", ms: 100 };
        await hammer(options, ({ pid, tally }) =>
          withProbe(async (look) => {
            assertEquals(Object.keys(tally), ["cancelled"]);
            assertEquals((await look(pid, root)).files, 0);
          }));
      }),
  });
}
