/** staticFeatures({ ranges, lastModified }): RFC 9110 §13 and §14, from a folder and from a package. */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { noise } from "../static/_packages.ts";
import { type Mode, MODES, MODIFIED, withSite } from "./_static_site.ts";

const LARGE = noise(700_000);
const FILES = { "a.txt": "0123456789", "empty.txt": "", "large.bin": LARGE };
const EARLIER = "Sun, 06 Nov 1994 08:49:36 GMT";

interface Row {
  readonly path?: string;
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly status: number;
  readonly range?: string;
  readonly body?: string;
  readonly mode?: Mode;
  readonly why: string;
}

/** `{ETAG}` is the file's own tag. */
const ROWS: readonly Row[] = [
  { headers: {}, status: 200, body: "0123456789", why: "no range" },
  {
    headers: { Range: "bytes=2-4" },
    status: 206,
    range: "bytes 2-4/10",
    body: "234",
    why: "§15.3.7.1: one range",
  },
  {
    headers: { Range: "bytes=-3" },
    status: 206,
    range: "bytes 7-9/10",
    body: "789",
    why: "a suffix",
  },
  {
    headers: { Range: "bytes=0-" },
    status: 206,
    range: "bytes 0-9/10",
    body: "0123456789",
    why: "all",
  },
  {
    headers: { Range: "bytes=0-99999999999999999999" },
    status: 206,
    range: "bytes 0-9/10",
    body: "0123456789",
    why: "past all integers",
  },
  {
    headers: { Range: "bytes=10-" },
    status: 416,
    range: "bytes */10",
    why: "§15.5.17: not satisfiable",
  },
  { headers: { Range: "bytes=-0" }, status: 416, range: "bytes */10", why: "a suffix of nothing" },
  {
    path: "empty.txt",
    headers: { Range: "bytes=0-" },
    status: 416,
    range: "bytes */0",
    why: "an empty file",
  },
  {
    path: "empty.txt",
    headers: { Range: "bytes=-1" },
    status: 200,
    body: "",
    why: "the end of an empty file",
  },
  {
    headers: { Range: "bytes=0-1,3-4" },
    status: 200,
    body: "0123456789",
    why: "§14.2: several ranges",
  },
  {
    headers: { Range: `bytes=${"0-0,".repeat(1000)}0-0` },
    status: 200,
    body: "0123456789",
    why: "CVE-2011-3192: many ranges",
  },
  { headers: { Range: "bytes=5-2" }, status: 200, body: "0123456789", why: "an invalid range" },
  { headers: { Range: "lines=1-2" }, status: 200, body: "0123456789", why: "another unit" },
  {
    method: "HEAD",
    headers: { Range: "bytes=2-4" },
    status: 200,
    body: "",
    why: "§14.2: for GET only",
  },
  {
    method: "HEAD",
    headers: { Range: "bytes=99-" },
    status: 200,
    body: "",
    why: "§14.2: for GET only",
  },
  {
    headers: { Range: "bytes=2-4", "If-None-Match": "{ETAG}" },
    status: 304,
    why: "§13.2.2: preconditions first",
  },
  {
    headers: { Range: "bytes=99-", "If-None-Match": "{ETAG}" },
    status: 304,
    why: "before 416, too",
  },
  {
    headers: { Range: "bytes=2-4", "If-Match": '"other"' },
    status: 412,
    why: "preconditions first",
  },
  {
    headers: { Range: "bytes=2-4", "If-Range": "{ETAG}" },
    status: 206,
    range: "bytes 2-4/10",
    body: "234",
    mode: "packaged",
    why: "§13.1.5: the strong tag",
  },
  {
    headers: { Range: "bytes=2-4", "If-Range": "{ETAG}" },
    status: 200,
    body: "0123456789",
    mode: "live",
    why: "§13.1.5: a weak tag never matches",
  },
  {
    headers: { Range: "bytes=2-4", "If-Range": "W/{ETAG}" },
    status: 200,
    body: "0123456789",
    why: "a weak tag",
  },
  {
    headers: { Range: "bytes=99-", "If-Range": '"other"' },
    status: 200,
    body: "0123456789",
    why: "§13.1.5: false, so that Range is ignored",
  },
  {
    headers: { Range: "bytes=2-4", "If-Range": MODIFIED },
    status: 206,
    range: "bytes 2-4/10",
    body: "234",
    mode: "live",
    why: "the exact date",
  },
  {
    headers: { Range: "bytes=2-4", "If-Range": MODIFIED },
    status: 200,
    body: "0123456789",
    mode: "packaged",
    why: "packages have no date",
  },
  {
    headers: { Range: "bytes=2-4", "If-Range": EARLIER },
    status: 200,
    body: "0123456789",
    why: "another date",
  },
  { headers: { "If-Range": "{ETAG}" }, status: 200, body: "0123456789", why: "no Range" },
  { headers: { "If-Modified-Since": MODIFIED }, status: 304, mode: "live", why: "not modified" },
  {
    headers: { "If-Modified-Since": MODIFIED },
    status: 200,
    mode: "packaged",
    why: "packages have no date",
  },
  { headers: { "If-Unmodified-Since": EARLIER }, status: 412, mode: "live", why: "modified" },
  { path: "none.txt", headers: { Range: "bytes=0-" }, status: 404, why: "no file" },
  { method: "POST", headers: { Range: "bytes=0-" }, status: 405, why: "another method" },
  { path: "..%2Fa.txt", headers: { Range: "bytes=0-" }, status: 403, why: "a way up" },
  { path: ".env", headers: { Range: "bytes=0-" }, status: 404, why: "a hidden file" },
];

for (const mode of MODES) {
  for (const row of ROWS.filter((one) => one.mode === undefined || one.mode === mode)) {
    const { path = "a.txt", method = "GET", headers, status, range = null, body, why } = row;
    const shown = JSON.stringify(headers).slice(0, 60);
    Deno.test(`staticFeatures() answers ${status} to ${method} ${path} ${shown}, ${mode}: ${why}`, () =>
      withSite(mode, FILES, { ranges: true, lastModified: true }, async ({ ask }) => {
        const etag = (await ask(`/assets/${path}`)).field("ETag") ?? "none";
        const filled = Object.entries(headers).map(([name, value]) =>
          [name, value.replace("{ETAG}", etag)] as const
        );
        const response = await ask(`/assets/${path}`, Object.fromEntries(filled), method);
        assertEquals([response.status, response.field("Content-Range")], [status, range]);
        if (body !== undefined) assertEquals(response.text, body);
        const hasFile = status === 200 || status === 206;
        assertEquals(response.field("Accept-Ranges"), hasFile ? "bytes" : null);
        assertEquals(
          response.field("Last-Modified"),
          hasFile && mode === "live" ? MODIFIED : null,
        );
        if (status === 206) {
          assertEquals(response.field("Content-Length"), String(body?.length));
          assertEquals(response.field("ETag"), etag);
          assertEquals(response.field("Content-Type"), "text/plain; charset=utf-8");
        }
        if (status === 416) {
          assertEquals(JSON.parse(response.text).code, "range_not_satisfiable");
        }
      }));
  }

  Deno.test(`staticFeatures() sends every part of a large file, ${mode}`, () =>
    withSite(mode, FILES, { ranges: true }, async ({ mount }) => {
      for (
        const [start, end] of [
          [0, 1],
          [1, 65_537],
          [65_535, 65_536],
          [100_000, 500_000],
          [262_144, 700_000],
          [699_999, 700_000],
          [0, 700_000],
        ] as const
      ) {
        const response = await mount.fetch(
          new Request("http://localhost/assets/large.bin", {
            headers: { Range: `bytes=${start}-${end - 1}` },
          }),
        );
        const bytes = new Uint8Array(await response?.arrayBuffer() ?? []);
        assertEquals(response?.status, 206);
        assertEquals(response?.headers.get("Content-Length"), String(end - start));
        assert(
          bytes.length === end - start && bytes.every((byte, i) => byte === LARGE[start + i]),
          `${start}-${end}`,
        );
      }
    }));
}

Deno.test("staticFeatures() does not date a file that may change within its second", () =>
  withSite("live", FILES, { ranges: true, lastModified: true }, async ({ folder, ask }) => {
    const path = join(folder, "root/a.txt");
    const future = new Date(Date.now() + 5000);
    await Deno.utime(path, future, future);
    const date = future.toUTCString();
    const response = await ask("/assets/a.txt", { "If-Modified-Since": date });
    assertEquals([response.status, response.field("Last-Modified")], [200, null]);
    assertEquals(
      (await ask("/assets/a.txt", { Range: "bytes=0-0", "If-Range": date })).status,
      200,
    );
  }));

Deno.test("staticFeatures() breaks off a part of a file that is truncated while it is sent", () =>
  withSite("live", FILES, { ranges: true }, async ({ folder, mount }) => {
    const headers = { Range: "bytes=100000-699999" };
    const request = new Request("http://localhost/assets/large.bin", { headers });
    const response = await mount.fetch(request);
    const reader = response?.body?.getReader();
    assertEquals((await reader?.read())?.done, false);
    await Deno.truncate(join(folder, "root/large.bin"), 1000);
    const failure = await (async () => {
      while (!(await reader?.read())?.done);
    })().catch((error: Error) => error.message);
    assertEquals(failure, "Cannot send the file: it was truncated");
  }));

Deno.test("staticFeatures() ends a part of a file that grows while it is sent", () =>
  withSite("live", FILES, { ranges: true }, async ({ folder, mount }) => {
    const headers = { Range: "bytes=100000-" };
    const response = await mount.fetch(
      new Request("http://localhost/assets/large.bin", { headers }),
    );
    await Deno.writeTextFile(join(folder, "root/large.bin"), "more", { append: true });
    assertEquals((await response?.arrayBuffer())?.byteLength, 600_000);
  }));

Deno.test("mountStatic() ignores ranges and dates without features", () =>
  withSite("live", FILES, { ranges: false }, async ({ ask }) => {
    const headers = { Range: "bytes=0-1", "If-Modified-Since": MODIFIED };
    const response = await ask("/assets/a.txt", headers);
    assertEquals([response.status, response.text], [200, "0123456789"]);
    for (const name of ["Accept-Ranges", "Last-Modified", "Vary", "Content-Encoding"]) {
      assertEquals(response.field(name), null);
    }
  }));
