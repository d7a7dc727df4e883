/** The shared cases of static paths, byte for byte: against servers of a folder, and of a package. */

import { routerBuilder } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { exchange, rawBytes, withServer } from "../attacks/_raw.ts";
import { faultsOf, type Mode } from "./_cases.ts";
import { type PathCase, readShared, type SharedPaths, withFixture } from "./_fixture.ts";
import { packageOf } from "./_packages.ts";
import { ALL, reading, type ServerBanner, withServerProcess } from "./_servers.ts";
import { PACKAGED } from "./_tree.ts";

const FILE = "paths.json";
const GUARDED: readonly string[] = ["/assets/private", "/assets/p,q"];

/** [name, permissions for a root] Servers of a folder: open files are checked differently. */
const SERVERS: readonly (readonly [
  name: string,
  permissions: (root: string) => readonly string[],
])[] = [
  ["with all permissions", () => ALL],
  ["that may only read the folder", (root) => reading(root)],
];

/** Cases of each mode that must run, so that a change cannot silently skip them. */
const EXPECTED: Readonly<Record<Mode, number>> = { live: 195, packaged: 179 };

const shared = readShared<SharedPaths>(FILE);

function testShared(name: string, fn: (cases: readonly PathCase[]) => Promise<void>): void {
  Deno.test({
    name: shared === undefined ? `${name} (skipped: no shared cases here)` : name,
    ignore: shared === undefined,
    fn: () => fn(shared?.cases ?? []),
  });
}

for (const [name, permissions] of SERVERS) {
  testShared(
    `static() answers the shared cases from a folder, in a server ${name}`,
    (cases) =>
      withFixture(async ({ root, missing }) => {
        const start = { directory: root, guarded: GUARDED, unprivileged: true };
        await withServerProcess({ ...start, permissions: permissions(root) }, async (server) => {
          const { run, skipped } = choose(cases, "live", missing, server);
          const faults: string[] = [];
          for (const test of run) {
            faults.push(...faultsOf(test, "live", await send(server.port, test)));
            const later = await send(server.fallthroughPort, test);
            faults.push(...faultsOf(test, "live", later, { fallthrough: true }));
          }
          report(`${name}, live`, cases, run, skipped);
          assertEquals(faults, []);
          assertEquals(run.length + skipped.length, EXPECTED.live);
        });
      }),
  );
}

testShared("static() answers the shared cases from a package", async (cases) => {
  const assets = { directory: "fixture", package: await packageOf(Object.fromEntries(PACKAGED)) };
  const { run, skipped } = choose(cases, "packaged", []);
  const faults: string[] = [];
  for (const fallthrough of [false, true]) {
    const router = routerBuilder().static("/assets", { ...assets, fallthrough }).build();
    for (const path of GUARDED) {
      router.under(path, () => new Response("guarded", { status: 401 }));
    }
    router.all("/*", () => new Response("later", { status: 404, headers: { "X-Later": "yes" } }));
    await withServer(router.fetch, async (port) => {
      for (const test of run) {
        faults.push(...faultsOf(test, "packaged", await send(port, test), { fallthrough }));
      }
    });
  }
  report("packaged", cases, run, skipped);
  assertEquals(faults, []);
  assertEquals(run.length + skipped.length, EXPECTED.packaged);
});

/** The cases of a mode, and why some are left out. */
function choose(
  cases: readonly PathCase[],
  mode: Mode,
  missing: readonly string[],
  server?: ServerBanner,
): { readonly run: readonly PathCase[]; readonly skipped: readonly string[] } {
  const run: PathCase[] = [];
  const skipped: string[] = [];
  for (const test of cases.filter(({ modes }) => modes.includes(mode))) {
    const name = test.path.split("/")[2] ?? "";
    const reason = !isForSystem(test.os)
      ? `for ${test.os}`
      : missing.includes(`root/${name}`)
      ? "cannot be made here"
      : test.needs === "non-root server" && server?.bypassesRights === true
      ? "the server may read everything"
      : undefined;
    if (reason === undefined) run.push(test);
    else skipped.push(`${test.id}: ${reason}`);
  }
  return { run, skipped };
}

function isForSystem(os: string): boolean {
  return os === "any" || os === Deno.build.os || (os === "posix" && Deno.build.os !== "windows");
}

/** Sends a case byte for byte, and measures the time. */
async function send(port: number, test: PathCase) {
  const headers = Object.entries(test.headers).map(([name, value]) => `${name}: ${value}`);
  const text = new TextDecoder().decode(rawBytes("%TARGET%", { method: test.method, headers }));
  const bytes = Uint8Array.from(
    text.replace("%TARGET%", () => test.path),
    (character) => character.charCodeAt(0),
  );
  const start = performance.now();
  const response = await exchange(port, bytes);
  return { ...response, elapsedMs: performance.now() - start };
}

function report(
  what: string,
  cases: readonly PathCase[],
  run: readonly PathCase[],
  skipped: readonly string[],
): void {
  // deno-lint-ignore no-console -- how many cases ran is part of the result
  console.log(
    `${FILE} ${what}: ${run.length} of ${cases.length} ran, twice; left out: ${
      skipped.join(", ") || "none"
    }`,
  );
}
