/**
 * Packaged static assets over a real server: what arrives on the wire.
 *
 * @module
 */

import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import { difference, PACKAGED_FILES, SECRET } from "./static_assets.ts";
import { askAll, askWire, hangUp, type WireInit } from "./static_http.ts";

/** A server that is asked. */
export interface StaticServer {
  readonly port: number;
  /** Its number as a process. */
  readonly pid: number;
  /** What it serves. */
  readonly folder: string;
  /** Where it may write packages. */
  readonly outputDir: string;
  /** Whether the runtime says the length of a stream that is complete when it takes it. */
  readonly measures: boolean;
}

const KEYS = Object.keys(PACKAGED_FILES);

/** Statuses and what an answer has to contain: [path, method, status, header, value] */
const REFUSALS: readonly (readonly [
  path: string,
  init: WireInit,
  status: number,
  header?: readonly [string, string],
])[] = [
  ["/packaged/none.txt", {}, 404],
  ["/packaged/none.txt", { method: "HEAD" }, 404],
  ["/packaged/sub", {}, 404],
  ["/packaged/.hidden", {}, 404],
  ["/packaged/..%2Fsmall.txt", {}, 403],
  ["/packaged/%zz", {}, 400],
  ["/packaged/small.txt", { method: "OPTIONS" }, 405, ["allow", "GET, HEAD"]],
  ["/packaged/small.txt", { method: "DELETE" }, 405, ["allow", "GET, HEAD"]],
  ["/packaged/small.txt", { headers: { "If-Match": '"x"' } }, 412],
  ["/packaged/small.txt", { headers: { Range: "bytes=0-1" } }, 200, ["content-length", "6"]],
  ["/through/none.txt", {}, 200],
];

/** The cases of a server. @param mounts Where it has the files. */
export function packagedCases(
  { port }: Pick<StaticServer, "port">,
  mounts: readonly string[],
): readonly RuntimeCase[] {
  return [
    ...mounts.map((prefix): RuntimeCase => ({
      name: `packaged: GET ${prefix}/* has every byte and its Content-Length`,
      async run() {
        for (const key of KEYS) {
          const { status, headers, body, framing } = await askWire(port, pathOf(prefix, key));
          const bytes = PACKAGED_FILES[key] as Uint8Array;
          const expected = [200, "length", String(bytes.length)];
          assertSame([key, status, framing, headers.get("content-length")], [key, ...expected]);
          assert(/^"[0-9a-f]{64}"$/.test(headers.get("etag") ?? ""), `${key}: no strong ETag`);
          const differs = difference(body, bytes);
          assert(differs === undefined, `${key}: ${differs}`);
        }
      },
    })),
    {
      name: "packaged: HEAD has the Content-Length of GET, and no body",
      async run() {
        for (const key of KEYS) {
          const path = pathOf("/packaged", key);
          // The GET behind it is misread if HEAD has a body, or its framing is not that of GET.
          const [head, get] = await askAll(port, [[path, { method: "HEAD" }], [path]]);
          const length = String(PACKAGED_FILES[key]?.length);
          assertSame([key, head?.status, head?.headers.get("content-length")], [key, 200, length]);
          assertSame([key, get?.status, get?.body.length], [key, 200, Number(length)]);
          for (const name of ["etag", "content-type", "cache-control", "x-content-type-options"]) {
            assertSame([key, head?.headers.get(name)], [key, get?.headers.get(name)]);
          }
          assertSame([key, head?.headers.get("transfer-encoding") ?? null], [key, null]);
        }
      },
    },
    {
      name: "packaged: 304 has the ETag, Cache-Control and nothing of the contents",
      async run() {
        for (const key of KEYS) {
          const path = pathOf("/packaged", key);
          const etag = (await askWire(port, path, { method: "HEAD" })).headers.get("etag") ?? "";
          for (const method of ["GET", "HEAD"]) {
            const init = { method, headers: { "If-None-Match": `"x", W/${etag}` } };
            const [unchanged, next] = await askAll(port, [[path, init], ["/packaged/small.txt"]]);
            const get = (name: string): string | null => unchanged?.headers.get(name) ?? null;
            assertSame([unchanged?.status, get("etag"), get("cache-control")], [
              304,
              etag,
              "max-age=60",
            ]);
            assertSame([get("content-type"), get("transfer-encoding")], [null, null]);
            const length = get("content-length"); // RFC 9110 §8.6: that of GET, or none
            assert(
              length === null || length === String(PACKAGED_FILES[key]?.length),
              `${method} ${key}: 304 says Content-Length: ${length}`,
            );
            assertSame([next?.status, next?.body.length], [200, 6]);
          }
        }
      },
    },
    {
      name: "packaged: what is refused has its status",
      async run() {
        for (const [path, init, status, header] of REFUSALS) {
          const response = await askWire(port, path, init);
          const value = header && response.headers.get(header[0]);
          assertSame([path, init, response.status, value], [path, init, status, header?.[1]]);
        }
      },
    },
    {
      name: "packaged: a wrong digest is a 500, and never the bytes",
      async run() {
        for (const _ of ["first", "second"]) {
          const { status, body } = await askWire(port, "/corrupt/bad.txt");
          assertSame([status, new TextDecoder().decode(body).includes(SECRET)], [500, false]);
        }
      },
    },
    {
      name: "packaged: 200 aborted downloads do no harm",
      async run() {
        for (let i = 0; i < 20; i++) {
          await Promise.all(Array.from({ length: 10 }, () => hangUp(port, "/packaged/large.bin")));
        }
        const { status, body } = await askWire(port, "/packaged/large.bin");
        assertSame([status, body.length], [200, PACKAGED_FILES["large.bin"]?.length]);
      },
    },
  ];
}

/** The path of a file beneath a mount. */
export function pathOf(prefix: string, key: string): string {
  return `${prefix}/${key.split("/").map(encodeURIComponent).join("/")}`;
}
