/**
 * Packaged static assets on every runtime: what decodes, digests, unpacks and streams them is the runtime's.
 *
 * @module
 */

import { mountStatic, type StaticAssetOptions, type StaticMount } from "../../mod.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import { difference, PACKAGED_FILES, packagedOptions } from "./static_assets.ts";
import { surroundingCases } from "./static_surrounding_cases.ts";

async function mounted(options: Partial<StaticAssetOptions> = {}): Promise<StaticMount> {
  return mountStatic("/assets", { ...await packagedOptions(), ...options });
}

/** Asks a mount for a path, as a server that normalises nothing would. */
async function ask(mount: StaticMount, path: string, init?: RequestInit): Promise<Response> {
  const request = new Request("http://localhost/", init);
  Object.defineProperty(request, "url", { value: "http://localhost" + path });
  const response = await mount.fetch(request);
  assert(response !== undefined, `there is no answer to ${path}`);
  return response;
}

/** [status, method, path, header fields, why] */
const STATUSES: readonly (readonly [
  status: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  why: string,
])[] = [
  [200, "GET", "/assets/small.txt", {}, "a file"],
  [200, "HEAD", "/assets/small.txt", {}, "its head"],
  [200, "GET", "/assets/small.txt?v=%zz", {}, "the query is not looked at"],
  [200, "GET", "/assets/sub/caf%C3%A9%20100%25.txt", {}, "escapes are decoded once"],
  [200, "GET", "/assets/small.txt", { "If-None-Match": '"other"' }, "another tag"],
  [200, "GET", "/assets/small.txt", { "If-Match": "*" }, "there is such a file"],
  [304, "GET", "/assets/small.txt", { "If-None-Match": "*" }, "any tag"],
  [412, "GET", "/assets/small.txt", { "If-Match": '"other"' }, "another tag is wanted"],
  [
    404,
    "GET",
    "/assets/none.txt",
    { "If-Match": '"other"' },
    "preconditions are for what is there",
  ],
  [404, "GET", "/assets/none.txt", {}, "no such file"],
  [404, "GET", "/assets/sub", {}, "a folder"],
  [404, "GET", "/assets/", {}, "no listing"],
  [404, "GET", "/assets", {}, "the mount itself"],
  [404, "GET", "/assets/.small.txt", {}, "a hidden name"],
  [404, "GET", "/assets/sub%2Fsmall.txt", {}, "an encoded slash"],
  [404, "GET", "/assets/./small.txt", {}, "a dot segment is not resolved"],
  [404, "GET", "/assets/__proto__", {}, "no property of an object"],
  [404, "GET", "/assets/constructor", {}, "no property of an object"],
  [403, "GET", "/assets/../small.txt", {}, "a way up"],
  [403, "GET", "/assets/%2e%2e/small.txt", {}, "a way up, encoded"],
  [403, "GET", "/assets/..%2Fsmall.txt", {}, "a way up, with an encoded slash"],
  [403, "GET", "/assets/..%5Csmall.txt", {}, "a way up, with an encoded backslash"],
  [400, "GET", "/assets/%zz", {}, "a malformed escape"],
  [400, "GET", "/assets/%ff", {}, "no UTF-8"],
  [400, "GET", "/assets/small.txt%00", {}, "a NUL"],
  [405, "POST", "/assets/small.txt", {}, "another method"],
  [405, "OPTIONS", "/assets/none.txt", {}, "another method, whatever there is"],
  [405, "DELETE", "/assets/../small.txt", {}, "another method, before the path"],
];

/** Replaces a method of bytes for as long as `use` takes, as if the runtime lacked it. */
async function without(name: "fromBase64", use: () => Promise<void>): Promise<void> {
  const present = Object.getOwnPropertyDescriptor(Uint8Array, name);
  if (present !== undefined) Reflect.deleteProperty(Uint8Array, name);
  try {
    assert(!(name in Uint8Array), `${name} cannot be taken away`);
    await use();
  } finally {
    if (present !== undefined) Object.defineProperty(Uint8Array, name, present);
  }
}

async function checkContents(mount: StaticMount): Promise<void> {
  for (const [key, bytes] of Object.entries(PACKAGED_FILES)) {
    const path = "/assets/" + key.split("/").map(encodeURIComponent).join("/");
    for (const round of ["first", "second"]) { // the first one decodes
      const response = await ask(mount, path);
      const received = new Uint8Array(await response.arrayBuffer());
      const differs = difference(received, bytes);
      assert(differs === undefined, `${key}, ${round} time: ${differs}`);
    }
  }
}

/** Every case, in the order in which they run. */
export const staticCases: readonly RuntimeCase[] = [
  {
    name: "mountStatic() has the statuses of its table",
    async run() {
      const mount = await mounted();
      for (const [status, method, path, headers, why] of STATUSES) {
        const response = await ask(mount, path, { method, headers });
        const text = await response.text();
        assert(response.status === status, `${method} ${path}: ${response.status}; ${why}`);
        if (status === 304 || method === "HEAD") assert(text === "", `${why}: there is a body`);
        assert(response.headers.get("allow") === (status === 405 ? "GET, HEAD" : null), why);
      }
    },
  },
  {
    name: "mountStatic() says what a file is, to GET and HEAD alike",
    async run() {
      const options = await packagedOptions();
      const mount = await mounted({ cacheControl: "max-age=60" });
      for (
        const [key, { contentType, size, etag, hash }] of Object.entries(options.package.entries)
      ) {
        for (const method of ["GET", "HEAD"]) {
          const path = "/assets/" + key.split("/").map(encodeURIComponent).join("/");
          const { status, headers, body } = await ask(mount, path, { method });
          assertSame(
            [
              status,
              ...["content-type", "content-length", "etag"].map((name) => headers.get(name)),
            ],
            [200, contentType, String(size), `"${hash}"`],
          );
          assertSame(headers.get("x-content-type-options"), "nosniff");
          assertSame(headers.get("cache-control"), "max-age=60");
          await body?.cancel();

          const init = { method, headers: { "If-None-Match": `"x", W/${etag}` } };
          const unchanged = await ask(mount, path, init);
          assertSame([unchanged.status, unchanged.headers.get("etag")], [304, etag]);
          assertSame(unchanged.headers.get("cache-control"), "max-age=60");
          assertSame([unchanged.body, unchanged.headers.get("content-type")], [null, null]);
        }
      }
    },
  },
  {
    name: "mountStatic() serves packaged files byte for byte, from base64 and gzip",
    run: async () => checkContents(await mounted()),
  },
  {
    name: "mountStatic() serves them where Uint8Array.fromBase64 is missing",
    run: () => without("fromBase64", async () => checkContents(await mounted())),
  },
  {
    name: "mountStatic() serves one file to many at once",
    async run() {
      const mount = await mounted();
      const keys = ["text.css", "large.bin", "text.css", "large.bin"];
      const bodies = await Promise.all(
        keys.map(async (key) =>
          new Uint8Array(await (await ask(mount, `/assets/${key}`)).arrayBuffer())
        ),
      );
      for (const [i, key] of keys.entries()) {
        const differs = difference(bodies[i] as Uint8Array, PACKAGED_FILES[key] as Uint8Array);
        assert(differs === undefined, `${key}: ${differs}`);
      }
    },
  },
  {
    name: "mountStatic() leaves what it does not serve to others under fallthrough",
    async run() {
      const { fetch } = await mounted({ fallthrough: true });
      for (const path of ["/assets/none", "/assets/..%2Fa", "/assets/%zz"]) {
        assertSame(await fetch(new Request("http://localhost" + path)) === undefined, true);
      }
      const post = new Request("http://localhost/assets/small.txt", { method: "POST" });
      assertSame(await fetch(post) === undefined, true);
      const found = await fetch(new Request("http://localhost/assets/small.txt"));
      assertSame(await found?.text(), "hello\n");
    },
  },
  ...surroundingCases,
];
