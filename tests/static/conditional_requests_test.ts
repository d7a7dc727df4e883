/** The shared table of conditional requests, byte for byte over sockets, against packaged files and a folder. */

import { mountStatic as mountPackaged, type StaticAssetOptions } from "@gatehouse/http";
import { mountStatic, routerBuilder } from "@gatehouse/http/native";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { exchange, type RawResponse, withServer } from "../attacks/_raw.ts";
import { packageOf } from "./_packages.ts";

interface ConditionalCase {
  readonly id: string;
  readonly mode: "both" | "live" | "packaged";
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw_headers?: readonly (readonly [name: string, value: string])[];
  readonly expect: readonly number[];
  readonly prefer: number;
  readonly why: string;
}

/** A server, its folder if any, and the entity tag of `a.txt` before the case. */
interface Site {
  readonly port: number;
  readonly folder: string | undefined;
  readonly etag: string;
}

const MODES = ["packaged", "live", "live router"] as const;
type Mode = typeof MODES[number];

const DATA = new URL("../../../shared/static/conditional.json", import.meta.url);
const FILES = { "a.txt": "hello\n", "same.txt": "hello\n", "sub/n.txt": "n" };
const CACHE_CONTROL = "public, max-age=60";
/** Whether a case needs a symbolic link, which this folder lacks; tests/attacks has links. */
function isLinked({ path }: ConditionalCase): boolean {
  return path.includes("link");
}

/** Changes of the file between the request for its tag and the case. */
const CHANGES: Readonly<Record<string, (path: string) => Promise<void>>> = {
  "changed-size": (path) => Deno.writeTextFile(path, "!", { append: true }),
  "changed-same-size": async (path) => {
    await Deno.writeTextFile(path, "HELLO\n");
    await Deno.utime(path, new Date(), new Date(Date.now() + 5000));
  },
  "changed-mtime-restored": async (path) => {
    const { mtime } = await Deno.stat(path);
    await new Promise((resolve) => setTimeout(resolve, 1100)); // ctime may count whole seconds
    await Deno.writeTextFile(path, "HELLO\n");
    await Deno.utime(path, new Date(), mtime ?? new Date());
  },
  "rename-swap": async (path) => {
    await new Promise((resolve) => setTimeout(resolve, 20)); // file times have a resolution of a few milliseconds
    await Deno.writeTextFile(`${path}.next`, "HELLO\n");
    await Deno.rename(`${path}.next`, path);
  },
};

/** Assertions of the column `check`, in addition to the status. */
const CHECKS: Readonly<Record<string, (response: RawResponse, site: Site) => unknown>> = {
  "cc-200": ({ headers }) => assertEquals(headers.get("Cache-Control"), CACHE_CONTROL),
  "cc-304": ({ headers }) => assertEquals(headers.get("Cache-Control"), CACHE_CONTROL),
  "cc-404": ({ headers }) => assertEquals(headers.get("Cache-Control"), null),
  "changed-size": ({ headers }, { etag }) => assertNotEquals(headers.get("ETag"), etag),
  "range-only": ({ headers }) =>
    assertEquals([headers.get("Content-Range"), headers.get("Accept-Ranges")], [null, null]),
  "package-dup": async ({ headers }, { port }) => {
    const other = await exchange(port, requestBytes("GET", "/assets/same.txt", []));
    assertEquals(other.headers.get("ETag"), headers.get("ETag"));
  },
};

/** Cases, or `undefined` if the folder is absent or unreadable. */
function readCases(): readonly ConditionalCase[] | undefined {
  try {
    return (JSON.parse(Deno.readTextFileSync(DATA)) as { cases: readonly ConditionalCase[] }).cases;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) {
      return undefined;
    }
    throw error;
  }
}

/** The bytes of a request, one for each character. */
function requestBytes(
  method: string,
  path: string,
  fields: readonly (readonly [name: string, value: string])[],
): Uint8Array<ArrayBuffer> {
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const text = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n`;
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

/** Replaces the placeholders by a tag. */
function fill(value: string, etag: string): string {
  const bare = etag.replace(/^W\//, "");
  return value
    .replace(/^\{30000 x '\\"'\}$/, '"'.repeat(30_000))
    .replaceAll("{OLD_ETAG}", etag)
    .replaceAll("{ETAG}", etag)
    .replaceAll("{BARE_UPPER}", bare.toUpperCase())
    .replaceAll("{BARE}", bare)
    .replaceAll("{INNER}", bare.slice(1, -1));
}

/** Serves the files while `use` runs. */
async function withSite(
  mode: Mode,
  cacheControl: string | undefined,
  use: (site: Site) => Promise<void>,
): Promise<void> {
  const folder = mode === "packaged" ? undefined : await makeFolder();
  const options: StaticAssetOptions = {
    directory: folder === undefined ? "conditional requests" : `${folder}/root`,
    ...(cacheControl === undefined ? {} : { cacheControl }),
  };
  const handler = mode === "packaged"
    ? mountPackaged("/assets", { ...options, package: await packageOf(FILES) }).fetch
    : mode === "live"
    ? mountStatic("/assets", options).fetch
    : routerBuilder().static("/assets", options).build().fetch;
  try {
    await withServer(handler as Deno.ServeHandler, async (port) => {
      const { headers } = await exchange(port, requestBytes("GET", "/assets/a.txt", []));
      await use({ port, folder, etag: headers.get("ETag") ?? "none" });
    });
  } finally {
    if (folder !== undefined) await Deno.remove(folder, { recursive: true });
  }
}

async function makeFolder(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "conditional_" });
  await Deno.mkdir(`${folder}/root/sub`, { recursive: true });
  for (const [key, text] of Object.entries(FILES)) {
    await Deno.writeTextFile(`${folder}/root/${key}`, text);
  }
  await Deno.writeTextFile(`${folder}/root/.env`, "SECRET");
  await Deno.writeTextFile(`${folder}/secret.txt`, "SECRET");
  return folder;
}

/** Assertions of every response. */
function checkResponse(response: RawResponse, test: ConditionalCase, mode: Mode): void {
  const { status, headers, body, text } = response;
  const why = `${test.why}\n${text}`;
  assert(test.expect.includes(status), why);
  assertEquals(status, test.prefer, why);
  assert(!text.includes("SECRET"), why);
  assertEquals(headers.get("Last-Modified"), null, why);
  if (status === 304) {
    assertEquals(body, "", why);
    assertEquals([headers.get("Content-Type"), headers.get("Content-Length")], [null, null], why);
  }
  if (status === 200) {
    const isHead = test.method === "HEAD";
    assertEquals(headers.get("Content-Length") !== null, isHead || mode === "packaged", why);
    if (isHead) assertEquals([body, headers.get("Content-Length")], ["", "6"], why);
    else assert(/^hello\n!?$/i.test(body), why);
  }
  if (status === 200 || status === 304) {
    assertEquals(headers.get("ETag")?.startsWith("W/"), mode !== "packaged", why);
  }
  if (status === 405) assertEquals(headers.get("Allow"), "GET, HEAD", why);
}

async function runCase(test: ConditionalCase, mode: Mode): Promise<void> {
  const cacheControl = test.id.startsWith("cc-") ? CACHE_CONTROL : undefined;
  let known: string | undefined;
  // The tag of another build of the same files.
  if (test.id === "package-rebuild-same") {
    await withSite(
      mode,
      cacheControl,
      ({ etag }) => Promise.resolve(void (known = etag)),
    );
  }
  await withSite(mode, cacheControl, async (site) => {
    const change = CHANGES[test.id];
    if (change !== undefined) await change(`${site.folder}/root/a.txt`);
    else if (JSON.stringify(test.headers).includes("OLD_ETAG")) assert(known !== undefined);
    const fields = [...Object.entries(test.headers), ...test.raw_headers ?? []]
      .map(([name, value]) => [name, fill(value, known ?? site.etag)] as const);
    const response = await exchange(site.port, requestBytes(test.method, test.path, fields));
    checkResponse(response, test, mode);
    if (response.status === 304) assertEquals(response.headers.get("ETag"), site.etag);
    if (cacheControl === undefined) assertEquals(response.headers.get("Cache-Control"), null);
    await CHECKS[test.id]?.(response, site);
  });
}

const cases = readCases();
if (cases === undefined) {
  const name =
    "mountStatic() under ../shared/static/conditional.json (ignored: no shared data here)";
  Deno.test({ name, ignore: true, fn() {} });
} else {
  let ran = 0;
  for (const mode of MODES) {
    for (const test of cases) {
      if (test.mode !== "both" && test.mode !== mode.split(" ")[0]) continue;
      if (isLinked(test)) continue;
      const name = `mountStatic() answers ${test.prefer} to ${test.id}, ${mode}: ${test.why}`;
      Deno.test(name, async () => {
        await runCase(test, mode);
        ran++;
      });
    }
  }
  Deno.test("mountStatic() passes all cases of the shared table except those with a link", () => {
    const linked = cases.filter(isLinked).map(({ id }) => id);
    // deno-lint-ignore no-console -- how many cases ran is part of the result
    console.log(`static/conditional.json: ${ran} runs of ${cases.length} cases; a link: ${linked}`);
    assert(ran > cases.length - linked.length, "no case ran");
  });
}
