/**
 * Features of static mounts over a real server: packages on every runtime, folders where there are files.
 *
 * @module
 */

import type { StaticFeatureOptions } from "../../mod.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";
import { difference, noise, utf8 } from "./static_assets.ts";
import { askWire, type WireInit, type WireResponse } from "./static_http.ts";

/** The features of the mount `/features`. */
export const FEATURES: StaticFeatureOptions = {
  ranges: true,
  precompressed: true,
  immutable: true,
  index: "index.html",
  spa: "index.html",
};

const LARGE = noise(300_000);

/** `as gzip`, compressed. */
const GZIP = Uint8Array.from(
  atob("H4sIAAAAAAACA0ssVkivyiwAAKpLd+cHAAAA"),
  (character) => character.charCodeAt(0),
);

/** The files of the mount `/features`. */
export const FEATURE_FILES: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  "index.html": utf8("<p>root"),
  "docs/index.html": utf8("<p>docs"),
  "app.3f9a1c2b.js": utf8("0123456789"),
  "app.js": utf8("plain"),
  "app.js.gz": GZIP,
  "large.bin": LARGE,
};

/** [path, request, status, body, header fields] */
const ANSWERS: readonly (readonly [
  path: string,
  init: WireInit,
  status: number,
  body: string | undefined,
  fields: Readonly<Record<string, string | null>>,
])[] = [
  ["/features/app.3f9a1c2b.js", {}, 200, "0123456789", {
    "cache-control": "public, max-age=31536000, immutable",
    "accept-ranges": "bytes",
    "vary": "Accept-Encoding",
  }],
  ["/features/app.3f9a1c2b.js", { headers: { Range: "bytes=2-4" } }, 206, "234", {
    "content-range": "bytes 2-4/10",
    "content-length": "3",
  }],
  ["/features/app.3f9a1c2b.js", { headers: { Range: "bytes=10-" } }, 416, undefined, {
    "content-range": "bytes */10",
  }],
  ["/features/app.3f9a1c2b.js", { method: "HEAD", headers: { Range: "bytes=2-4" } }, 200, "", {
    "content-range": null,
    "content-length": "10",
  }],
  ["/features/app.js", { headers: { "Accept-Encoding": "gzip" } }, 200, "as gzip", {
    "content-encoding": "gzip",
    "content-type": "text/javascript; charset=utf-8",
    "vary": "Accept-Encoding",
  }],
  ["/features/docs/", {}, 200, "<p>docs", {}],
  ["/features/docs", {}, 301, "", { location: "docs/" }],
  ["/features/a/b", { headers: { Accept: "text/html" } }, 200, "<p>root", {}],
  ["/features/a/b", {}, 404, undefined, {}],
];

/** The cases of packages. */
export function featureCases(port: number): readonly RuntimeCase[] {
  return [
    {
      name: "features: ranges, encodings, pages and immutable names of packages",
      async run() {
        for (const [path, init, status, body, fields] of ANSWERS) {
          const answer = await askWire(port, path, init);
          const where = `${path} ${JSON.stringify(init)}`;
          const text = body === undefined ? undefined : await textOf(answer);
          assertSame([where, answer.status, text], [where, status, body]);
          for (const [name, value] of Object.entries(fields)) {
            assertSame([where, name, answer.headers.get(name)], [where, name, value]);
          }
        }
      },
    },
    rangeCase(port, "/features/large.bin", LARGE),
  ];
}

/** The body's text, decompressed once. */
async function textOf({ headers, body }: WireResponse): Promise<string> {
  const { body: stream } = new Response(new Uint8Array(body));
  const isPacked = headers.get("content-encoding") === "gzip" && stream !== null;
  const plain = isPacked ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
  return await new Response(plain).text();
}

/** The cases of folders. */
export function liveFeatureCases(port: number): readonly RuntimeCase[] {
  const path = "/live-features/small.txt";
  return [
    {
      name: "features: ranges and dates of folders",
      async run() {
        const part = await askWire(port, path, { headers: { Range: "bytes=1-3" } });
        assertSame([part.status, new TextDecoder().decode(part.body)], [206, "ell"]);
        assertSame(part.headers.get("content-range"), "bytes 1-3/6");
        const modified = part.headers.get("last-modified") ?? "";
        const again = await askWire(port, path, { headers: { "If-Modified-Since": modified } });
        assertSame([again.status, again.body.length], [304, 0]);
        const headers = { Range: "bytes=1-3", "If-Range": modified };
        assertSame((await askWire(port, path, { headers })).status, 206);
      },
    },
    {
      name: "features: a part of a large file of a folder",
      async run() {
        const whole = (await askWire(port, "/live-features/large.bin")).body;
        await rangeCase(port, "/live-features/large.bin", whole).run();
      },
    },
  ];
}

function rangeCase(port: number, path: string, bytes: Uint8Array): RuntimeCase {
  return {
    name: "features: parts of a large file",
    async run() {
      for (const [start, end] of [[0, 10], [70_000, 280_000], [bytes.length - 1, bytes.length]]) {
        const headers = { Range: `bytes=${start}-${Number(end) - 1}` };
        const { status, body } = await askWire(port, path, { headers });
        assertSame([status, difference(body, bytes.subarray(start, end))], [206, undefined]);
      }
    },
  };
}
