/** Mounts without a router: every status, in the order of the checks, and the content of each response. */

import {
  mountStatic,
  type ProblemDetails,
  type StaticAssetOptions,
  type StaticMount,
} from "@gatehouse/http";
import { createMount } from "../../router/static_mount.ts";
import { mountStatic as mountNative } from "@gatehouse/http/native";
import { assert, assertEquals } from "@std/assert";
import { rawFetch, withServer } from "../attacks/_raw.ts";
import { entryOf, get, packageOf } from "../static/_packages.ts";

const FILES = { "a.txt": "hello\n", "sub/n.txt": "n", "app.css": "p {}", "100%.txt": "%" };
const PACKAGE = await packageOf(FILES);
const { etag: ETAG } = await entryOf("a.txt", FILES["a.txt"]);
const OPTIONS: StaticAssetOptions & { fallthrough?: false } = {
  directory: "mount",
  package: PACKAGE,
};
const CACHED = { ...OPTIONS, cacheControl: "public, max-age=60" } as const;

/** Header fields of a response, in the order of their names. */
function fieldsOf(response: Response | undefined): Record<string, string> {
  return Object.fromEntries(response?.headers ?? []);
}

/** Requests under `/assets`, in the order of the checks: an earlier row takes precedence. */
const ANSWERS: readonly [
  why: string,
  method: string,
  path: string,
  fields: HeadersInit,
  status: number,
  code?: string,
][] = [
  ["a file", "GET", "/assets/a.txt", {}, 200],
  ["a file in a folder", "GET", "/assets/sub/n.txt", {}, 200],
  ["a percent sign in the name", "GET", "/assets/100%25.txt", {}, 200],
  ["a query", "GET", "/assets/a.txt?v=../x", {}, 200],
  ["an escaped prefix", "GET", "/%61ssets/a.txt", {}, 200],
  ["a range, which is not supported", "GET", "/assets/a.txt", { Range: "bytes=0-1" }, 200],
  [
    "another media type, since nothing is negotiated",
    "GET",
    "/assets/a.txt",
    { Accept: "a/b" },
    200,
  ],
  ["the tag", "GET", "/assets/a.txt", { "If-None-Match": ETAG }, 304],
  ["the tag, weakened", "HEAD", "/assets/a.txt", { "If-None-Match": `W/${ETAG}` }, 304],
  ["another method", "POST", "/assets/a.txt", {}, 405, "method_not_allowed"],
  ["another method at the prefix", "POST", "/assets", {}, 405, "method_not_allowed"],
  ["another method next to the prefix", "POST", "/assetsx", {}, 404, "not_found"],
  [
    "OPTIONS, which the mount handles too",
    "OPTIONS",
    "/assets/a.txt",
    {},
    405,
    "method_not_allowed",
  ],
  ["a method before a malformed path", "PUT", "/assets/%zz", {}, 405, "method_not_allowed"],
  ["a method before traversal", "DELETE", "/assets/..%2fa", {}, 405, "method_not_allowed"],
  ["a method before a miss", "PATCH", "/assets/none", {}, 405, "method_not_allowed"],
  [
    "a method before its preconditions",
    "POST",
    "/assets/a.txt",
    {
      "If-Match": '"x"',
    },
    405,
    "method_not_allowed",
  ],
  ["a method in lower case", "patch", "/assets/a.txt", {}, 405, "method_not_allowed"],
  ["malformed", "GET", "/assets/%zz", {}, 400, "invalid_target"],
  ["malformed before traversal", "GET", "/assets/..%2f%zz", {}, 400, "invalid_target"],
  ["malformed before a hidden name", "GET", "/assets/.env%00", {}, 400, "invalid_target"],
  ["traversal", "GET", "/assets/..%2fa.txt", {}, 403, "access_denied"],
  ["traversal before a hidden name", "GET", "/assets/.x%2f..", {}, 403, "access_denied"],
  [
    "traversal before preconditions",
    "GET",
    "/assets/..%5ca",
    {
      "If-None-Match": "*",
    },
    403,
    "access_denied",
  ],
  ["a miss", "GET", "/assets/none", {}, 404, "not_found"],
  ["a miss before preconditions", "GET", "/assets/none", { "If-Match": "*" }, 404, "not_found"],
  [
    "a hidden name before preconditions",
    "GET",
    "/assets/.env",
    {
      "If-None-Match": "*",
    },
    404,
    "not_found",
  ],
  ["a folder", "GET", "/assets/sub", {}, 404, "not_found"],
  ["a folder with a slash", "GET", "/assets/sub/", {}, 404, "not_found"],
  ["the mount itself", "GET", "/assets", {}, 404, "not_found"],
  ["the mount itself with a slash", "GET", "/assets/", {}, 404, "not_found"],
  ["a longer prefix", "GET", "/assetsX/a.txt", {}, 404, "not_found"],
  ["a prefix that ends in an escaped slash", "GET", "/assets%2fa.txt", {}, 404, "not_found"],
  ["another path", "GET", "/a.txt", {}, 404, "not_found"],
  ["another path that is malformed", "GET", "/other/%zz", {}, 404, "not_found"],
  ["a longer prefix and a malformed path", "GET", "/assetsX/%zz", {}, 404, "not_found"],
  ["case", "GET", "/assets/A.TXT", {}, 404, "not_found"],
  [
    "a failed precondition",
    "GET",
    "/assets/a.txt",
    {
      "If-Match": '"x"',
    },
    412,
    "precondition_failed",
  ],
  [
    "If-Match before If-None-Match",
    "GET",
    "/assets/a.txt",
    {
      "If-Match": '"x"',
      "If-None-Match": ETAG,
    },
    412,
    "precondition_failed",
  ],
];

for (const [why, method, path, headers, status, code] of ANSWERS) {
  Deno.test(`mountStatic() answers ${status} to ${method} ${path}: ${why}`, async () => {
    for (const [fallthrough, options] of [[false, CACHED], [true, CACHED]] as const) {
      const mount = mountStatic("/assets", { ...options, fallthrough });
      const response = await get(mount, path, { method, headers });
      if (fallthrough && [400, 403, 404, 405].includes(status)) {
        assertEquals(response, undefined);
        continue;
      }
      assertEquals(response?.status, status);
      const cached = status === 200 || status === 304;
      const { headers: fields } = response ?? new Response();
      assertEquals(fields.get("Cache-Control"), cached ? CACHED.cacheControl : null);
      assertEquals(fields.get("Allow"), status === 405 ? "GET, HEAD" : null);
      assertEquals(fields.get("Last-Modified"), null);
      if (code === undefined) {
        await response?.body?.cancel();
        continue;
      }
      assertEquals(fields.get("Content-Type"), "application/problem+json");
      assertEquals(fields.get("ETag"), null, "an error is not a file");
      const body: ProblemDetails = await response?.json();
      assertEquals([body.status, body.code, body.type], [status, code, "about:blank"]);
    }
  });
}

Deno.test("mountStatic() sends these header fields, and no others", async () => {
  const file = {
    "content-length": "6",
    "content-type": "text/plain; charset=utf-8",
    "etag": ETAG,
    "x-content-type-options": "nosniff",
  };
  const mount = mountStatic("/", OPTIONS);
  const cached = mountStatic("/", CACHED);
  const cache = { "cache-control": CACHED.cacheControl };
  assertEquals(fieldsOf(await get(mount, "/a.txt")), file);
  assertEquals(fieldsOf(await get(cached, "/a.txt")), { ...file, ...cache });
  const head = await get(cached, "/a.txt", { method: "HEAD" });
  assertEquals([fieldsOf(head), head?.body], [{ ...file, ...cache }, null]);
  const init = { headers: { "If-None-Match": "*" } };
  assertEquals(fieldsOf(await get(mount, "/a.txt", init)), { "etag": ETAG });
  const unchanged = await get(cached, "/a.txt", init);
  assertEquals([fieldsOf(unchanged), unchanged?.body], [{ "etag": ETAG, ...cache }, null]);
});

Deno.test("mountStatic() returns a fetch for Deno.serve, unbound, which compiles without fallthrough", async () => {
  const { fetch } = mountStatic("/assets", OPTIONS);
  ({ fetch }) satisfies Deno.ServeDefaultExport;
  void ((): unknown => Deno.serve(mountNative("/", { directory: "public" }).fetch));
  const through: StaticMount = mountStatic("/", { ...OPTIONS, fallthrough: true });
  // @ts-expect-error -- with fallthrough, the response may be undefined
  void ((): unknown => Deno.serve(through.fetch));
  await withServer(fetch, async (port) => {
    const answers: readonly [method: string, target: string, status: number, body: RegExp][] = [
      ["GET", "/assets/a.txt", 200, /^hello\n$/],
      ["HEAD", "/assets/a.txt", 200, /^$/],
      ["HEAD", "/assets/none", 404, /^$/],
      ["HEAD", "/assets/%zz", 400, /^$/],
      ["GET", "/assets/../a.txt", 403, /access_denied/],
      ["GET", "/assets/./a.txt", 404, /not_found/],
      ["GET", "/assets//a.txt", 404, /not_found/],
      ["GET", "/assets/a.txt%00", 400, /invalid_target/],
      ["GET", "http://elsewhere.example/assets/a.txt", 200, /^hello\n$/],
      ["PROPFIND", "/assets/a.txt", 405, /method_not_allowed/],
    ];
    for (const [method, target, status, body] of answers) {
      const response = await rawFetch(port, target, { method });
      assertEquals(response.status, status, `${method} ${target}`);
      assert(body.test(response.body), `${method} ${target}: ${response.text}`);
    }
  });
});

Deno.test("createMount() answers a target that a router has parsed", async () => {
  const { answer } = createMount("/assets", OPTIONS, undefined);
  const headers = new Headers();
  const targets: readonly [path: string, bad: boolean, status: number][] = [
    ["/assets/a.txt", false, 200],
    ["/assets/a.txt", true, 400],
    ["/assets/../a.txt", false, 403],
    ["/assets/\ud800", false, 404],
    ["", false, 404],
  ];
  for (const [path, bad, status] of targets) {
    const response = await answer({ method: "GET", url: "", headers, target: { path, bad } });
    assertEquals(response?.status, status, JSON.stringify(path));
    await response?.body?.cancel();
  }
});
