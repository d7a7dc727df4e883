/** Bodies of a folder's files over connections: files that change while they are sent, clients that leave, memory. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exchange, rawBytes, within } from "../attacks/_raw.ts";
import {
  hammer,
  IS_LINUX,
  type Permission,
  PERMISSIONS,
  permissionsFor,
  withFolder,
  withProbe,
} from "./_races.ts";
import { type ServerBanner, withServerProcess } from "./_servers.ts";

const MEGABYTE = 1024 * 1024;
const SIZE = 10 * MEGABYTE;
/** More than the system keeps of a connection. */
const LARGE = 64 * MEGABYTE;

/** Runs a test of a file against servers with both kinds of permissions. */
function testServed(
  name: string,
  size: number,
  fn: (served: ServerBanner & { readonly folder: string; readonly path: string }) => Promise<void>,
): void {
  for (const permission of PERMISSIONS) {
    Deno.test({
      name: `static() ${name}, ${permission}`,
      ignore: !IS_LINUX,
      fn: () => withServed(permission, size, fn),
    });
  }
}

function withServed(
  permission: Permission,
  size: number,
  fn: (served: ServerBanner & { readonly folder: string; readonly path: string }) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    const path = `${folder}/file.bin`;
    await Deno.writeFile(path, new Uint8Array(size).fill(0x61));
    await Deno.utime(path, LONG_AGO, LONG_AGO); // where it can, Deno itself reads what has rested
    const start = { directory: folder, permissions: permissionsFor(permission, folder) };
    await withServerProcess(start, (server) => fn({ ...server, folder, path }));
  });
}

const LONG_AGO = 1_000_000_000;

/** A file that somebody writes is read by us: its stream must not end as if it were whole, nor go on for ever. */
async function touch(path: string): Promise<void> {
  await Deno.utime(path, new Date(), new Date());
}

/** A download over a connection of its own. */
interface Download {
  readonly connection: Deno.Conn;
  /** Reads more; how many bytes came, framing included; 0 at the end, and where the server broke the connection. */
  readonly read: () => Promise<number>;
  /** The last of what came. */
  readonly tail: () => string;
}

async function download(port: number, target = "/assets/file.bin"): Promise<Download> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(rawBytes(target));
  const buffer = new Uint8Array(MEGABYTE);
  let tail = "";
  const read = async () => {
    try {
      const count = await within(connection.read(buffer), "more of a body") ?? 0;
      if (count > 0) {
        tail = new TextDecoder().decode(buffer.subarray(Math.max(0, count - 5), count));
      }
      return count;
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionReset) return 0;
      throw error;
    }
  };
  return { connection, read, tail: () => tail };
}

/** Reads a download to its end; how many bytes came. */
async function drain({ read }: Download): Promise<number> {
  let total = 0;
  for (let count = await read(); count > 0; count = await read()) total += count;
  return total;
}

testServed("sends what was there of a file that is removed, race-unlink", SIZE, async (served) => {
  const response = await fetch(`http://127.0.0.1:${served.port}/assets/file.bin`);
  await Deno.remove(served.path);
  assertEquals((await response.bytes()).length, SIZE);
  assertEquals((await exchange(served.port, rawBytes("/assets/file.bin"))).status, 404);
});

testServed("ends a body whose file is cut, race-truncate", LARGE, async ({ port, path }) => {
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
});

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

/** Looks again for some seconds, until a number is small enough: connections end, and reads, when they get to it. */
async function settled(look: () => Promise<number>, most: number): Promise<number> {
  const end = performance.now() + 4000;
  for (;;) {
    const number = await look();
    if (number <= most || performance.now() > end) return number;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** [why, bytes, times] Clients that leave when they have seen the first bytes. */
const ABORTED: readonly (readonly [why: string, size: number, times: number])[] = [
  ["fd-abort", SIZE, 200],
  ["a file that is just streamed", 65 * 1024, 10_000],
  ["a large file", SIZE, 10_000],
];
const AT_ONCE = 20;

for (const [why, size, times] of ABORTED) {
  testServed(
    `closes files that ${times} clients leave, ${why}`,
    size,
    ({ pid, port, folder }) =>
      withProbe(async (look) => {
        assertEquals((await look(pid, folder)).files, 0);
        let left = times;
        const client = async () => {
          while (left-- > 0) {
            const { connection, read } = await download(port);
            assert(await read() > 0);
            connection.close(); // with bytes unread, so that it is reset
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, client));
        assertEquals(await settled(async () => (await look(pid, folder)).files, 0), 0);
      }),
  );
}

testServed(
  "opens no file for HEAD and 304, fd-head-304",
  SIZE,
  (served) =>
    withProbe(async (look) => {
      const url = `http://127.0.0.1:${served.port}/assets/file.bin`;
      const head = await fetch(url, { method: "HEAD" });
      await head.body?.cancel();
      const headers = { "If-None-Match": head.headers.get("ETag") ?? "" };
      for (const [init, status] of [[{ method: "HEAD" }, 200], [{ headers }, 304]] as const) {
        for (let i = 0; i < 1000; i++) {
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
        const options = { permission, root, path: "/file.bin", how: "cancel", ms: 500 };
        await hammer(options, ({ pid, tally }) =>
          withProbe(async (look) => {
            assertEquals(Object.keys(tally), ["cancelled"]);
            assertEquals((await look(pid, root)).files, 0);
          }));
      }),
  });
}

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
  "waits for clients that read slowly in little memory",
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
