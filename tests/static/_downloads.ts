/**
 * Downloads of a folder's files over connections, from servers with all and with limited permissions.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { rawBytes, within } from "../attacks/_raw.ts";
import {
  IS_LINUX,
  type Permission,
  PERMISSIONS,
  permissionsFor,
  withFolder,
  withProbe,
} from "./_races.ts";
import { type ServerBanner, withServerProcess } from "./_servers.ts";

export const MEGABYTE: number = 1024 * 1024;

/** Runs a test of a file against servers with both kinds of permissions. */
export function testServed(
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
    await Deno.utime(path, LONG_AGO, LONG_AGO); // Deno reads files that have not changed recently in another way
    const start = { directory: folder, permissions: permissionsFor(permission, folder) };
    await withServerProcess(start, (server) => fn({ ...server, folder, path }));
  });
}

const LONG_AGO = 1_000_000_000;

/** Another process writes a file while it is read: its stream must neither end as if complete nor continue forever. */
export async function touch(path: string): Promise<void> {
  await Deno.utime(path, new Date(), new Date());
}

/** A download over a separate connection. */
export interface Download {
  readonly connection: Deno.Conn;
  /** Reads more and returns the number of bytes, framing included; 0 at the end, and if the server reset the connection. */
  readonly read: () => Promise<number>;
  /** The last bytes received. */
  readonly tail: () => string;
}

export async function download(port: number, target = "/assets/file.bin"): Promise<Download> {
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

/** Reads a download to its end and returns the number of bytes. */
export async function drain({ read }: Download): Promise<number> {
  let total = 0;
  for (let count = await read(); count > 0; count = await read()) total += count;
  return total;
}

/** Polls for some seconds until a number is small enough: connections and reads end asynchronously. */
export async function settled(look: () => Promise<number>, most: number): Promise<number> {
  const end = performance.now() + 4000;
  for (;;) {
    const number = await look();
    if (number <= most || performance.now() > end) return number;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const AT_ONCE = 20;

/** Tests that a server closes the files of clients that disconnect after the first bytes. */
export function testLeavers(why: string, size: number, times: number): void {
  testServed(
    `closes files when ${times} clients disconnect, ${why}`,
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
