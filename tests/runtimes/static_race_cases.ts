/**
 * Folders under stress: clients that hang up, and somebody who exchanges what is served.
 *
 * @module
 */

import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import { SECRET } from "./static_assets.ts";
import { LARGE, PUBLIC_TEXT, RACED_SIZES } from "./static_fixture.ts";
import { askWire, hangUp } from "./static_http.ts";
import type { StaticServer } from "./static_packaged_cases.ts";
import type { SwapOrder } from "./static_swapper.ts";

const RACE_MS = 2000;
const ABORTED = 500;
const AT_ONCE = 20;
/** More than sockets hold, so that most of it is still to be read when it changes. */
const CHANGING = 24_000_000;

/** The cases of a server. */
export function raceCases(server: StaticServer): readonly RuntimeCase[] {
  const { port } = server;
  return [
    {
      name: `live: ${ABORTED} aborted downloads leave no file open`,
      async run() {
        let most = 0;
        for (let i = 0; i < ABORTED; i += AT_ONCE) {
          const read = await Promise.all(
            Array.from({ length: AT_ONCE }, () => hangUp(port, "/live/large.bin")),
          );
          assert(read.every((count) => count > 0), "there is no answer");
          most = Math.max(most, openFiles(server).length);
        }
        const left = await waitForClosed(server);
        assert(left.length === 0, `${left.length} files are open, at most ${most} were`);
        assert(most > 0, "none was open meanwhile, so that nothing was seen");
        const { status, body } = await askWire(port, "/live/large.bin");
        assertSame([status, body.length], [200, LARGE]);
      },
    },
    {
      name: "live: HEAD, 304 and fully read downloads leave no file open",
      async run() {
        for (let i = 0; i < 20; i++) {
          const init = i % 2 === 0 ? { method: "HEAD" } : { headers: { "If-None-Match": "*" } };
          await askWire(port, "/live/large.bin", init);
          await askWire(port, "/live/over.bin");
        }
        assertSame((await waitForClosed(server)).length, 0);
      },
    },
    {
      name: "live: a file that becomes shorter is not sent as if it were whole",
      async run() {
        const path = await writeChanging(server);
        const meanwhile = (): Promise<void> => Deno.truncate(path, 1000);
        const answer = await askWire(port, "/live/changing.bin", { meanwhile }).catch(() => null);
        assert(answer === null, `${answer?.body.length} of ${CHANGING} bytes came, and an end`);
        assertSame((await waitForClosed(server)).length, 0);
        assertSame((await askWire(port, "/live/changing.bin")).body.length, 1000);
      },
    },
    {
      name: "live: a file that grows ends where it did when it was opened",
      async run() {
        const path = await writeChanging(server);
        const meanwhile = (): Promise<void> =>
          Deno.writeTextFile(path, "more".repeat(1000), { append: true });
        const { status, body } = await askWire(port, "/live/changing.bin", { meanwhile });
        assertSame([status, body.length], [200, CHANGING]);
        assertSame((await askWire(port, "/live/changing.bin")).body.length, CHANGING + 4000);
      },
    },
    race(server, "files", "/live/raced"),
    race(server, "folder", "/live/turned"),
  ];
}

/** Writes a file that will change while it is sent. */
async function writeChanging({ folder }: StaticServer): Promise<string> {
  const path = `${folder}/root/changing.bin`;
  await Deno.writeFile(path, new Uint8Array(CHANGING));
  return path;
}

function race(
  server: StaticServer,
  kind: SwapOrder["kind"],
  path: string,
): RuntimeCase {
  return {
    name: `live: ${kind} that become links for ${RACE_MS / 1000} s leak nothing`,
    async run() {
      const { port, folder } = server;
      let racing = true;
      const swapping = swap({ kind, folder, ms: RACE_MS }).finally(() => racing = false);
      const statuses = new Map<number, number>();
      const clients = Array.from({ length: 8 }, async (_, i) => {
        const names = Object.keys(RACED_SIZES);
        for (let n = i; racing; n++) {
          const name = names[n % names.length] ?? "";
          const response = await fetch(`http://127.0.0.1:${port}${path}/${name}`);
          const text = await response.text();
          assert(!text.includes(SECRET), `${name}: the secret got out`);
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          if (response.status !== 200) continue;
          const whole = PUBLIC_TEXT.repeat((RACED_SIZES[name] ?? 0) / PUBLIC_TEXT.length);
          assert(text === whole, `${name}: ${text.length} characters of ${whole.length}`);
        }
      });
      await Promise.allSettled(clients); // to the end, or the next case starts in the middle
      const [count] = await Promise.all([swapping, ...clients]);
      const seen = JSON.stringify([...statuses]);
      assert(count > 100 && (statuses.get(200) ?? 0) > 10, `${count} exchanges, ${seen}`);
      assertSame([...statuses.keys()].filter((status) => status !== 200 && status !== 404), []);
      assertSame((await waitForClosed(server)).length, 0);
    },
  };
}

async function swap(order: SwapOrder): Promise<number> {
  const worker = new Worker(new URL("./static_swapper.ts", import.meta.url), { type: "module" });
  try {
    return await new Promise<number>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message));
      };
      worker.postMessage(order);
    });
  } finally {
    worker.terminate();
  }
}

/** Files of the fixture that a process holds open. */
function openFiles({ pid, folder: fixture }: StaticServer): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return [...Deno.readDirSync(folder)].flatMap(({ name }) => {
    try {
      const path = Deno.readLinkSync(`${folder}/${name}`);
      return path.startsWith(fixture) ? [path] : [];
    } catch {
      return []; // it was closed meanwhile
    }
  });
}

/** Servers notice that a client went away a moment later. */
async function waitForClosed(server: StaticServer): Promise<readonly string[]> {
  for (let i = 0;; i++) {
    const open = openFiles(server);
    if (open.length === 0 || i === 100) return open;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
