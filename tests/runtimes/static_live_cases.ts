/**
 * Folders over a real server, where there is a file system: what is served, what is not, and how the runtime frames it.
 *
 * @module
 */

import { join } from "@std/path";
import { packageStaticAssets } from "../../static/native_package.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import { difference, PACKAGED_FILES, SECRET, SMALL, utf8 } from "./static_assets.ts";
import { LIVE_FILES } from "./static_fixture.ts";
import { askAll, askWire } from "./static_http.ts";
import { pathOf, type StaticServer } from "./static_packaged_cases.ts";

const KEYS = Object.keys(LIVE_FILES);

/** What must not be served, whatever it is. */
const MISSES: readonly string[] = [
  "none.txt",
  "small.txt/x",
  "small.txt/",
  "sub",
  "sub/",
  "",
  ".env",
  "%2eenv",
  ".hidden/z.txt",
  "sub/.config",
  "linkdir-in/.config",
  "link-out.txt",
  "link-chain.txt",
  "linkdir-out/secret.txt",
  "linkdir-out/root/small.txt/x",
  "link-dot.txt",
  "linkdir-dot/z.txt",
  "link-proc",
  "loop",
  "dangling",
  "linkdir-in",
  "fifo",
  "link-fifo",
  "sub%2Fn.txt",
  "sub%5Cn.txt",
];

/**
 * [target, statuses] What reaches a mount as it is written on Deno alone: others resolve it first. Statuses are those of
 * `../shared/static/paths.json`, with and without that.
 */
const RAW_TARGETS: readonly (readonly [target: string, statuses: readonly number[]])[] = [
  ["/live/../secret.txt", [403, 404]],
  ["/live/../../../../../../../../etc/passwd", [403, 404]],
  ["/live/sub/..", [403, 404]],
  ["/live/sub/../../secret.txt", [403, 404]],
  ["/live/%2e%2e/secret.txt", [403, 404]],
  ["/live/%2E%2E/secret.txt", [403, 404]],
  ["/live/.%2E/%2e./etc/passwd", [403, 404]],
  ["/live/..%2fsecret.txt", [403]],
  ["/live/..%5Csecret.txt", [403]],
  ["/live/sub/..%2f..%2fsecret.txt", [403]],
  ["/live/sub\\..\\..\\secret.txt", [403, 400, 404]],
  ["/live\\..\\secret.txt", [403, 400, 404]],
  ["/live//small.txt", [404]],
  ["/live//etc/passwd", [404]],
  ["/live/%2Fetc/passwd", [404]],
  ["http://evil.example/live/../secret.txt", [403, 404]],
  ["/live/../live/.env", [403, 404]],
  ["/live/%00", [400]],
  ["/live/%c0%ae%c0%ae/secret.txt", [400]],
  ["/live/%252e%252e%252fsecret.txt", [404]],
  ["/live/./.env", [404]],
];

/** The cases of a server. */
export function liveCases(server: StaticServer): readonly RuntimeCase[] {
  const { port, folder } = server;
  return [
    ...["/live", "/current", "/bare", "/live-through"].map((prefix): RuntimeCase => ({
      name: `live: GET ${prefix}/* has every byte, in chunks`,
      async run() {
        for (const key of KEYS) {
          const { status, headers, body, framing } = await askWire(port, pathOf(prefix, key));
          const bytes = LIVE_FILES[key] as Uint8Array;
          const isMeasured = server.measures && bytes.length < SMALL;
          const expected = isMeasured ? ["length", String(bytes.length)] : ["chunked", null];
          const length = headers.get("content-length");
          assertSame([key, status, framing, length], [key, 200, ...expected]);
          const differs = difference(body, bytes);
          assert(differs === undefined, `${key}: ${differs}`);
        }
      },
    })),
    {
      name: "live: HEAD has the Content-Length, and no body",
      async run() {
        for (const key of KEYS) {
          const path = pathOf("/live", key);
          const [head, get] = await askAll(port, [[path, { method: "HEAD" }], [path]]);
          const length = String(LIVE_FILES[key]?.length);
          assertSame([key, head?.status, head?.headers.get("content-length")], [key, 200, length]);
          assertSame([key, head?.headers.get("transfer-encoding") ?? null], [key, null]);
          assertSame([key, get?.status, get?.body.length], [key, 200, Number(length)]);
          for (const name of ["etag", "content-type", "cache-control", "x-content-type-options"]) {
            assertSame([key, head?.headers.get(name)], [key, get?.headers.get(name)]);
          }
        }
      },
    },
    {
      name: "live: the ETag is weak: size, time of contents, time of change",
      async run() {
        for (const key of KEYS) {
          const { headers } = await askWire(port, pathOf("/live", key), { method: "HEAD" });
          const etag = headers.get("etag") ?? "";
          const parts = /^W\/"(\d+)-(\d+)-(\d+)"$/.exec(etag);
          const { size, mtime, ctime } = await Deno.stat(join(folder, "root", key));
          assertSame([parts?.[1], parts?.[2]], [String(size), String(mtime?.getTime())]);
          // Deno has whole seconds of this one.
          const [said, real] = [Number(parts?.[3]), ctime?.getTime() ?? 0];
          assert(Math.floor(said / 1000) === Math.floor(real / 1000), `${etag}: ctime is ${real}`);
        }
      },
    },
    {
      name: "live: 304 and 412",
      async run() {
        for (const key of ["small.txt", "large.bin"]) {
          const path = pathOf("/live", key);
          const etag = (await askWire(port, path, { method: "HEAD" })).headers.get("etag") ?? "";
          for (const field of [etag, `"x", ${etag.slice(2)}`, "*"]) {
            const init = { headers: { "If-None-Match": field } };
            const [unchanged, next] = await askAll(port, [[path, init], ["/live/small.txt"]]);
            const get = (name: string): string | null => unchanged?.headers.get(name) ?? null;
            assertSame([unchanged?.status, get("etag"), get("cache-control")], [
              304,
              etag,
              "no-cache",
            ]);
            assertSame([get("content-type"), get("transfer-encoding")], [null, null]);
            assertSame([next?.status, next?.body.length], [200, 6]);
          }
          const { status } = await askWire(port, path, { headers: { "If-Match": etag } });
          assertSame(status, 412);
        }
      },
    },
    {
      name: "live: links inside are followed",
      async run() {
        for (const path of ["/live/link-in.txt", "/bare/link-in.txt", "/current/link-in.txt"]) {
          const { status, body } = await askWire(port, path);
          assertSame([status, text(body)], [200, "hello\n"]);
        }
        const { status, body } = await askWire(port, "/live/linkdir-in/deep/over.bin");
        assertSame([status, body.length], [200, LIVE_FILES["sub/deep/over.bin"]?.length]);
      },
    },
    {
      name: "live: what leads out, is hidden or is no file is a 404, at once",
      async run() {
        for (const rest of MISSES) {
          for (const method of ["GET", "HEAD"]) {
            const start = performance.now();
            const { status, body } = await askWire(port, `/live/${rest}`, { method });
            assertSame([method, rest, status, text(body).includes(SECRET)], [
              method,
              rest,
              404,
              false,
            ]);
            const ms = performance.now() - start;
            assert(ms < 1000, `${method} ${rest}: ${ms} ms`);
          }
        }
        assertSame(text((await askWire(port, "/live-through/link-out.txt")).body), "later");
      },
    },
    {
      name: "live: no target leads out of the folder, however the server reads it",
      async run() {
        for (const [target, statuses] of RAW_TARGETS) {
          const { status, body } = await askWire(port, target);
          assert(statuses.includes(status), `${target}: ${status}`);
          assert(!text(body).includes(SECRET) && !text(body).includes("root:"), `${target}: leak`);
        }
      },
    },
    {
      name: "live: a file that was changed has its new contents and another ETag",
      async run() {
        const path = join(folder, "root/changing.txt");
        const tags = new Set<string | null>();
        for (const contents of ["one", "three", "x".repeat(100_000), ""]) {
          await Deno.writeTextFile(path, contents);
          const { status, headers, body } = await askWire(port, "/live/changing.txt");
          assertSame([status, text(body)], [200, contents]);
          tags.add(headers.get("etag"));
        }
        assertSame(tags.size, 4);
        await Deno.remove(path);
        assertSame((await askWire(port, "/live/changing.txt")).status, 404);
      },
    },
    ...packagingCases(server),
  ];
}

function packagingCases({ port, folder, outputDir }: StaticServer): readonly RuntimeCase[] {
  const ask = async (query: string): Promise<void> => {
    const { status, body } = await askWire(port, `/package?outputDir=${outputDir}&${query}`);
    assert(status === 200, `${query}: ${status}: ${text(body)}`);
  };
  return [
    {
      name: "packageStaticAssets() writes the same bytes as on Deno",
      async run() {
        for (const format of ["json", "manifest", "js", "ts"] as const) {
          await ask(`format=${format}`);
          const directory = join(folder, "assets");
          const own = join(outputDir, "by-deno");
          const { files } = await packageStaticAssets({
            directory,
            outputDir: own,
            format,
            prefix: "generated",
          });
          for (const file of files) {
            const expected = await Deno.readFile(file);
            const actual = await Deno.readFile(join(outputDir, file.slice(own.length)));
            const differs = difference(actual, expected);
            assert(differs === undefined, `${format}: ${differs}`);
          }
        }
      },
    },
    {
      name: "packageStaticAssets() writes a module that can be imported, compressed as well",
      async run() {
        await ask("format=js");
        for (
          const [key, bytes] of [
            ...Object.entries(PACKAGED_FILES),
            ["sub/link.txt", utf8("hello\n")] as const,
          ]
        ) {
          const { status, headers, body } = await askWire(port, pathOf("/generated", key));
          assertSame([key, status, headers.get("content-length")], [
            key,
            200,
            String(bytes.length),
          ]);
          const differs = difference(body, bytes);
          assert(differs === undefined, `${key}: ${differs}`);
        }
        await ask("format=json&compress");
        const { entries } = JSON.parse(
          await Deno.readTextFile(join(outputDir, "static-assets.json")),
        );
        assertSame(entries["text.css"].encoding, "gzip+base64");
      },
    },
  ];
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
