/** Folders and files that a process may not read, or reads with few permissions. */
// deno-lint-ignore-file no-console -- what could not be tested is said

import { assert, assertEquals } from "@std/assert";
import { rawFetch } from "../../attacks/_raw.ts";
import { scriptPath, withFixture } from "../../static/_fixture.ts";
import { withProbe } from "../../static/_races.ts";
import {
  ALL,
  reading,
  type ServerBanner,
  withProcess,
  withServerProcess,
} from "../../static/_servers.ts";

/** [why, permissions for a root] */
const PERMISSIONS: readonly (readonly [why: string, given: (root: string) => readonly string[]])[] =
  [
    ["the folder", (root) => [`--allow-read=${root}`, "--allow-net=127.0.0.1"]],
    ["everything", () => ["--allow-read", "--allow-net=127.0.0.1"]],
    ["everything, and to do everything", () => ALL],
  ];

for (const [what, permissions] of PERMISSIONS) {
  Deno.test(`static() does not prompt at a terminal, with permission to read ${what}`, async () => {
    await withFixture(async ({ root }) => {
      const script = scriptPath("server_main.ts");
      const settings = JSON.stringify({ directory: root });
      const command = [Deno.execPath(), "run", ...permissions(root), script, settings];
      const terminal = ["run", "-A", scriptPath("terminal_main.ts"), ...command];
      await withProcess(terminal, async ({ line }) => {
        const first = await line();
        if (first === "no terminal") return console.log("no terminal: not tested");
        const { port } = JSON.parse(first) as ServerBanner;
        for (const path of ["a.txt", "sub/n.txt", "link-in.txt"]) {
          const response = await fetch(`http://127.0.0.1:${port}/assets/${path}`, {
            signal: AbortSignal.timeout(5_000),
          });
          await response.body?.cancel();
          assertEquals(response.status, path === "link-in.txt" ? response.status : 200, path);
        }
      });
    });
  });
}

/** [what is asked, method, header fields] The same file, which only a GET would open. */
const QUESTIONS: readonly (readonly [string, string, readonly string[]])[] = [
  ["GET", "GET", []],
  ["HEAD", "HEAD", []],
  ["whether there is anything", "GET", ["If-None-Match: *"]],
  ["whether there is another version", "GET", ['If-Match: "x"']],
];
for (const [mode, permissions] of [["all", () => ALL], ["few", reading]] as const) {
  for (const [what, method, headers] of QUESTIONS) {
    Deno.test(`static() answers 404 for an unreadable file: ${what}, ${mode} permissions`, async () => {
      await withFixture(async ({ root, missing }) => {
        if (missing.includes("unreadable.txt")) return;
        const start = { directory: root, unprivileged: true, permissions: permissions(root) };
        await withServerProcess(start, async ({ port, bypassesRights }) => {
          if (bypassesRights) return console.log("the server may read everything: not tested");
          const { status } = await rawFetch(port, "/assets/unreadable.txt", { method, headers });
          assertEquals(status, 404);
          assert((await rawFetch(port, "/assets/a.txt", { method: "HEAD" })).status === 200);
        });
      });
    });
  }
}

Deno.test({
  name: "static() serves a link whose name differs in case alone, on a case-sensitive file system",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await withFixture(async ({ root }) => {
      await withServerProcess({ directory: root, permissions: ALL }, async ({ port }) => {
        const { status } = await rawFetch(port, "/assets/license");
        assertEquals(status, 200);
      });
    });
  },
});

/** [why, path] What is no file of the folder, whoever asks how. */
const NO_FILES: readonly (readonly [why: string, path: string])[] = [
  ["a link in a folder in it leads out", "/assets/sub/linkdir-out/secret.txt"],
  ["a link leads out", "/assets/linkdir-out/secret.txt"],
  ["it is a folder", "/assets/sub"],
  ["it is a FIFO", "/assets/fifo"],
];
for (const [mode, permissions] of [["all", () => ALL], ["few", reading]] as const) {
  Deno.test(`static() answers 404 for what is not a file, whatever the request, ${mode} permissions`, async () => {
    await withFixture(async ({ root }) => {
      const start = { directory: root, permissions: permissions(root) };
      await withServerProcess(start, async ({ port }) => {
        for (const [why, path] of NO_FILES) {
          for (const [what, method, headers] of QUESTIONS) {
            const { status } = await rawFetch(port, path, { method, headers });
            assertEquals(status, 404, `${why}: ${what}`);
          }
        }
      });
    });
  });

  Deno.test(`static() closes small files, ${mode} permissions`, async () => {
    await withFixture(async ({ root }) => {
      const start = { directory: root, permissions: permissions(root) };
      await withServerProcess(start, async ({ port, pid }) => {
        const get = async (path: string) =>
          await (await fetch(`http://127.0.0.1:${port}/assets/${path}`)).body?.cancel();
        for (let i = 0; i < 100; i++) await Promise.all([get("a.txt"), get("sub/n.txt")]);
        await withProbe(async (look) => assertEquals((await look(pid, root)).files, 0));
      });
    });
  });
}
