/** The shared cases with all features on: the answer is that of a mount without features, but for the listed rows. */

import { mountStatic as mountPackaged, staticFeatures, type StaticMount } from "@gatehouse/http";
import { mountStatic } from "@gatehouse/http/native";
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { exchange, rawBytes, type RawResponse, withServer } from "../attacks/_raw.ts";
import { type PathCase, readShared, type SharedPaths, withFixture } from "./_fixture.ts";
import { packageOf } from "./_packages.ts";
import { PACKAGED } from "./_tree.ts";

const FEATURES = staticFeatures({
  ranges: true,
  precompressed: true,
  immutable: true,
  index: "index.html",
  spa: "sub/index.html",
  lastModified: true,
});

/** [id, status with all features, why] Rows that differ. */
const PATHS: readonly (readonly [id: string, status: number, why: string])[] = [
  ["dir-sub", 301, "index: the folder has an index file"],
  ["dir-sub-slash", 200, "index: it answers for its folder"],
  ["h-range", 206, "ranges: one range"],
  ["h-range-bad", 416, "ranges: past the end"],
];
/** What depends on dates, which packages do not have. */
const DATED: readonly (readonly [id: string, status: number, why: string])[] = [
  ["ims-only-future", 304, "lastModified: not modified since"],
  ["ius-old", 412, "lastModified: modified since"],
];
const CONDITIONS: readonly (readonly [id: string, status: number, why: string])[] = [
  ["range-only", 206, "ranges: one range"],
  ["cond-directory", 301, "index: the folder has an index file"],
];

/** When the file was written, in seconds: the date of one that has just been is withheld. */
const CHANGED_AT = Date.UTC(2024, 0, 1) / 1000;

/** Header fields that features add. */
const ADDED: readonly string[] = ["accept-ranges", "last-modified", "vary", "date"];

interface ConditionalCase {
  readonly id: string;
  readonly mode: "both" | "live" | "packaged";
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const paths = readShared<SharedPaths>("paths.json");
const conditions = readShared<{ readonly cases: readonly ConditionalCase[] }>("conditional.json");

/** The mounts of one source: without features, and with all of them. */
type Pair = readonly [plain: StaticMount, featured: StaticMount];

async function withPairs(use: (pairs: Readonly<Record<string, Pair>>) => Promise<void>) {
  const pkg = await packageOf(Object.fromEntries(PACKAGED));
  await withFixture(async ({ root: directory }) => {
    await Deno.utime(join(directory, "a.txt"), CHANGED_AT, CHANGED_AT);
    const packaged = { directory, package: pkg };
    await use({
      live: [
        mountStatic("/assets", { directory }),
        mountStatic("/assets", { directory, features: FEATURES }),
      ],
      packaged: [
        mountPackaged("/assets", packaged),
        mountPackaged("/assets", { ...packaged, features: FEATURES }),
      ],
    });
  });
}

async function send(
  mount: StaticMount,
  path: string,
  method: string,
  fields: Readonly<Record<string, string>>,
): Promise<RawResponse> {
  const headers = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const text = new TextDecoder().decode(rawBytes("%TARGET%", { method, headers }));
  const bytes = Uint8Array.from(text.replace("%TARGET%", () => path), (one) => one.charCodeAt(0));
  let response: RawResponse | undefined;
  await withServer(mount.fetch as Deno.ServeHandler, async (port) => {
    response = await exchange(port, bytes);
  });
  assert(response !== undefined);
  return response;
}

/** What must be alike: the status, the fields but for those that features add, and the body. */
function comparable({ status, headers, body }: RawResponse): unknown {
  const fields = [...headers].filter(([name]) => !ADDED.includes(name));
  return { status, fields, body };
}

async function differing(
  pair: Pair,
  rows: readonly Pick<ConditionalCase, "id" | "path" | "method" | "headers">[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { id, path, method, headers } of rows) {
    const [plain, featured] = [
      await send(pair[0], path, method, headers),
      await send(pair[1], path, method, headers),
    ];
    if (JSON.stringify(comparable(plain)) === JSON.stringify(comparable(featured))) continue;
    found.set(id, featured.status);
  }
  return found;
}

Deno.test({
  name: "staticFeatures() changes the listed rows of paths.json only",
  ignore: paths === undefined,
  fn: () =>
    withPairs(async (pairs) => {
      for (const [mode, pair] of Object.entries(pairs)) {
        const rows = (paths?.cases ?? []).filter((one: PathCase) => one.modes.includes(mode));
        const found = await differing(pair, rows);
        assertEquals([...found], PATHS.map(([id, status]) => [id, status]), mode);
      }
    }),
});

Deno.test({
  name: "staticFeatures() changes the listed rows of conditional.json only",
  ignore: conditions === undefined,
  fn: () =>
    withPairs(async (pairs) => {
      for (const [mode, pair] of Object.entries(pairs)) {
        const { headers } = await send(pair[0], "/assets/a.txt", "GET", {});
        const etag = headers.get("ETag") ?? "";
        const rows = (conditions?.cases ?? []).filter((one) =>
          one.mode === "both" || one.mode === mode
        )
          .filter(({ headers }) =>
            Object.values(headers).every((value) => !value.startsWith("{3000"))
          )
          .map((one) => ({
            ...one,
            headers: Object.fromEntries(
              Object.entries(one.headers).map(([name, value]) => [
                name,
                value.replaceAll(/\{(?:OLD_)?ETAG\}/g, etag).replaceAll(
                  "{BARE}",
                  etag.replace(/^W\//, ""),
                ),
              ]),
            ),
          }));
        const found = await differing(pair, rows);
        const expected = [...CONDITIONS, ...mode === "live" ? DATED : []];
        assertEquals(found, new Map(expected.map(([id, status]) => [id, status])), mode);
      }
    }),
});
