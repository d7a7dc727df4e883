/** Large bodies of a folder's files: files that change while they are sent, thousands of clients that leave, memory. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exchange, rawBytes } from "../../attacks/_raw.ts";
import {
  download,
  drain,
  MEGABYTE,
  settled,
  testLeavers,
  testServed,
  touch,
} from "../../static/_downloads.ts";
import { withProbe } from "../../static/_races.ts";

const SIZE = 10 * MEGABYTE;
/** More than the system buffers of a connection. */
const LARGE = 64 * MEGABYTE;

testServed(
  "aborts a body whose file is truncated, race-truncate",
  LARGE,
  async ({ port, path }) => {
    await touch(path);
    const cut = await download(port);
    using _connection = cut.connection;
    let total = await cut.read();
    await Deno.truncate(path, 0);
    total += await drain(cut);
    assert(total < LARGE, `${total} bytes came`);
    assert(!cut.tail().endsWith("0\r\n\r\n"), "What is left looks like the whole");
    const next = await exchange(port, rawBytes("/assets/file.bin"));
    assertEquals([next.status, next.body], [200, ""], "the server serves no longer");
  },
);

testServed("ends a body whose file grows as it is read", SIZE, async ({ port, path }) => {
  await touch(path);
  const growing = await download(port);
  using _connection = growing.connection;
  using file = await Deno.open(path, { append: true });
  let total = 0;
  for (let count = await growing.read(); count > 0; count = await growing.read()) {
    total += count;
    await file.write(new Uint8Array(2 * count));
    assert(total < 100 * MEGABYTE, "The body goes on as long as the file grows");
  }
  assert(total >= SIZE, `${total} bytes came`);
  assertStringIncludes(growing.tail(), "0\r\n\r\n");
});

testLeavers("fd-abort", SIZE, 200);
testLeavers("a file that is just streamed", 65 * 1024, 10_000);
testLeavers("a large file", SIZE, 10_000);

testServed(
  "sends 1 GiB in little memory",
  0,
  ({ pid, port, folder, path }) =>
    withProbe(async (look) => {
      await Deno.truncate(path, 1024 * MEGABYTE);
      const before = (await look(pid, folder)).memory;
      const large = await download(port);
      using _connection = large.connection;
      let most = before;
      let total = 0;
      let portions = 0;
      for (let count = await large.read(); count > 0; count = await large.read()) {
        total += count;
        if (++portions % 200 === 0) most = Math.max(most, (await look(pid, folder)).memory);
      }
      assert(total >= 1024 * MEGABYTE, `${total} bytes came`);
      assertStringIncludes(large.tail(), "0\r\n\r\n");
      assert(most - before < 100 * MEGABYTE, `Memory grew by ${most - before} bytes`);
    }),
);

testServed(
  "serves slow clients in little memory",
  SIZE,
  ({ pid, port, folder }) =>
    withProbe(async (look) => {
      const before = (await look(pid, folder)).memory;
      const clients = await Promise.all(Array.from({ length: 50 }, () => download(port)));
      await Promise.all(clients.map(({ read }) => read()));
      const most = clients.length;
      const files = await settled(async () => (await look(pid, folder)).files, most);
      const { memory } = await look(pid, folder);
      clients.forEach(({ connection }) => connection.close());
      assert(files <= most, `${files} files are open`);
      assert(memory - before < 150 * MEGABYTE, `Memory grew by ${memory - before} bytes`);
    }),
);
