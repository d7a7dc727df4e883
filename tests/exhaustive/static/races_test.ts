/** Races for files: names that mean something else between two looks. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  hammer,
  IS_LINUX,
  type Permission,
  PERMISSIONS,
  permissionsFor,
  whileSwapping,
  withFolder,
  withSteps,
} from "../../static/_races.ts";
import { ALL, withServerProcess } from "../../static/_servers.ts";
import { LARGE, OUTSIDE, PUBLIC } from "../../static/_swaps.ts";
import { SECRET } from "../../static/_tree.ts";

const RACE_MS = 1200;
const CONNECTIONS = 8;

/** An answer whose body is public. */
const PUBLIC_ANSWER = `200 ${PUBLIC.length} ${PUBLIC.length} public…bytes `;
/** The same of a HEAD. */
const PUBLIC_HEAD = `200 ${PUBLIC.length} ${PUBLIC.length}`;
/** The first and the last of what may not be told. */
const ENDS = `${OUTSIDE.slice(0, 6)}…${OUTSIDE.slice(-6)}`;

/** [why, kind of exchange, path, method, permissions, answers that are right] What is exchanged for what. */
const RACES: readonly (readonly [
  why: string,
  kind: string,
  path: string,
  how: string,
  permissions: readonly Permission[],
  right: readonly string[],
])[] = [
  ["race-file: a file and a link out", "file", "/name.txt", "GET", PERMISSIONS, [
    "404",
    PUBLIC_ANSWER,
  ]],
  ["race-file: the same beneath a folder", "sub/file", "/sub/name.txt", "GET", PERMISSIONS, [
    "404",
    PUBLIC_ANSWER,
  ]],
  ["race-file: sizes of what is outside", "file", "/name.txt", "HEAD", PERMISSIONS, [
    "404",
    PUBLIC_HEAD,
  ]],
  // Without all permissions the system does not tell the paths of open files, which is documented.
  ["race-dir: a folder and a link out", "dir", "/d/name.txt", "GET", ["with all permissions"], [
    "404",
    PUBLIC_ANSWER,
  ]],
  ["race-dir: the same by a link", "dir", "/way/name.txt", "GET", ["with all permissions"], [
    "404",
    PUBLIC_ANSWER,
  ]],
  ["race-rename: versions of a large file", "rename", "/name.txt", "GET", PERMISSIONS, [
    `200 ${LARGE} ${LARGE} aaaaaa…aaaaaa`,
    `200 ${LARGE + 1} ${LARGE + 1} bbbbbb…bbbbbb`,
  ]],
  ["race-rename: the same", "rename", "/name.txt", "HEAD", PERMISSIONS, [
    `200 ${LARGE} ${LARGE}`,
    `200 ${LARGE + 1} ${LARGE + 1}`,
  ]],
  ["bytes of one file under the tag of another", "sizes", "/name.txt", "GET", PERMISSIONS, [
    "404",
    PUBLIC_ANSWER,
    "200 2000 2000 bbbbbb…bbbbbb",
  ]],
  [
    "a FIFO in place of a large file, which an open waits at",
    "fifo",
    "/name.txt",
    "GET",
    PERMISSIONS,
    [
      "404",
      `200 ${LARGE} ${LARGE} aaaaaa…aaaaaa`,
    ],
  ],
];

for (const [why, kind, path, how, permissions, right] of RACES) {
  for (const permission of permissions) {
    Deno.test({
      name: `mountStatic() wins races ${permission}, ${how} of ${why}`,
      ignore: !IS_LINUX,
      fn: () =>
        withFolder(async (folder) => {
          const swaps = await whileSwapping(kind, folder, async () => {
            const root = `${folder}/root`;
            await hammer({ permission, root, path, how, ms: RACE_MS }, ({ tally }) => {
              const wrong = Object.entries(tally).filter(([answer]) => !right.includes(answer));
              assertEquals(Object.fromEntries(wrong), {});
              assert(Object.keys(tally).some((answer) => answer.startsWith("200")));
            });
          });
          assert(swaps > 10, `There were ${swaps} exchanges`);
        }),
    });
  }
}

/** [id, kind of exchange, path] The same over connections, as the procedures have it. */
const SERVED: readonly (readonly [id: string, kind: string, path: string])[] = [
  ["race-file", "file", "/assets/name.txt"],
  ["race-dir", "dir", "/assets/d/name.txt"],
];

for (const [id, kind, path] of SERVED) {
  Deno.test({
    name: `static() wins races over ${CONNECTIONS} connections, ${id}`,
    ignore: !IS_LINUX,
    fn: () =>
      withFolder(async (folder) => {
        const start = { directory: `${folder}/root`, permissions: ALL };
        await withServerProcess(start, async ({ port }) => {
          const answers = new Set<string>();
          await whileSwapping(kind, folder, async () => {
            const end = performance.now() + RACE_MS;
            const client = async () => {
              while (performance.now() < end) {
                const response = await fetch(`http://127.0.0.1:${port}${path}`);
                const text = await response.text();
                assert(!text.includes(SECRET), "The secret was told");
                answers.add(response.status === 200 ? `200 ${text}` : String(response.status));
              }
            };
            await Promise.all(Array.from({ length: CONNECTIONS }, client));
          });
          answers.delete("404");
          assertEquals([...answers], [`200 ${PUBLIC}`]);
        });
      }),
  });
}

/** [permission, method, answer that tells] Races that are documented to be lost at times: a folder exchanged twice. */
const LOST: readonly (readonly [permission: Permission, how: string, telling: string])[] = [
  ["with permission to read the folder", "GET", `200 ${OUTSIDE.length} ${OUTSIDE.length} ${ENDS}`],
  ["with permission to read the folder", "HEAD", `200 ${OUTSIDE.length} ${OUTSIDE.length}`],
  ["with all permissions", "HEAD", `200 ${OUTSIDE.length} ${OUTSIDE.length}`],
];

for (const [permission, how, telling] of LOST) {
  Deno.test({
    name: `mountStatic() loses only documented races ${permission}, ${how} of race-dir`,
    ignore: !IS_LINUX,
    fn: () =>
      withFolder(async (folder) => {
        const options = { permission, root: `${folder}/root`, path: "/d/name.txt", how };
        await whileSwapping("dir", folder, () =>
          hammer({ ...options, ms: RACE_MS }, ({ tally }) => {
            const { [telling]: told = 0, ...others } = tally;
            const all = Object.values(others).reduce((sum, count) => sum + count, told);
            // deno-lint-ignore no-console -- nothing is asserted of how often this race is lost
            console.log(`race-dir ${permission}, ${how}: ${told} of ${all} answers told`);
            const right = ["404", PUBLIC_ANSWER, PUBLIC_HEAD];
            assertEquals(Object.keys(others).filter((answer) => !right.includes(answer)), []);
          }));
      }),
  });
}

for (const permission of PERMISSIONS) {
  Deno.test({
    name: `static() serves the release that a link points to, ${permission}`,
    ignore: !IS_LINUX,
    fn: () =>
      withFolder((folder) =>
        withSteps("deploy", folder, async (step) => {
          const permissions = permissionsFor(permission, folder);
          const start = { directory: `${folder}/current`, permissions };
          await withServerProcess(start, async ({ port }) => {
            const get = async (path: string) =>
              await (await fetch(`http://127.0.0.1:${port}/assets/${path}`)).text();
            const paths = ["name.txt", "sub/name.txt", "link.txt"];
            assertEquals(await get("link.txt"), "release0");
            await step();
            // A link into the former release leads out of this one, whatever was asked for before.
            assertMatch(await get("former/name.txt"), /not_found/);
            assertEquals(await Promise.all(paths.map(get)), paths.map(() => "release1"));
            await step();
            assertEquals(await Promise.all(paths.map(get)), paths.map(() => "release0"));
          });
        })
      ),
  });
}
