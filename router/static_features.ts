/**
 * Features of static mounts that are off unless they are asked for. Applications that do not import this do not load it.
 *
 * @module
 */

import { problem } from "./problem.ts";
import {
  checkIfRange,
  checkValidators,
  lastModifiedOf,
  type Validators,
} from "../static/conditional_dates.ts";
import { type ContentCoding, EXTENSIONS, preferredCodings } from "../static/content_coding.ts";
import { formatHttpDate } from "../static/http_date.ts";
import { isAssetKey } from "../static/key.ts";
import { checkNames } from "../static/options.ts";
import { findPage } from "../static/page.ts";
import { readRange } from "../static/range.ts";
import type {
  Fields,
  FileFinder,
  Representation,
  StaticAssetOptions,
  StaticEntry,
  StaticFeatures,
  StaticRequest,
  StaticSource,
} from "../static/types.ts";

/** Options of {@linkcode staticFeatures}. */
export interface StaticFeatureOptions {
  /** Answer requests for one range of bytes with 206, RFC 9110 §14; for several, all bytes are sent. @default {false} */
  ranges?: boolean;
  /**
   * Send a compressed sibling, such as `app.js.br` for `app.js`, to clients that accept its coding, RFC 9110 §12.5.3. An
   * array lists the codings that are looked for, best first. `true` is `["br", "zstd", "gzip"]`, with the extensions `.br`,
   * `.zst` and `.gz`. @default {false}
   */
  precompressed?: boolean | readonly ContentCoding[];
  /**
   * Files that never change, since their names contain a hash of their contents: their `Cache-Control` is
   * `public, max-age=31536000, immutable`. A regular expression is matched with the path in the folder; `true` matches a
   * hexadecimal hash of at least 8 digits before the extensions, as in `app.3f9a1c2b.js`. @default {false}
   */
  immutable?: boolean | RegExp;
  /** Name of the file that answers for its folder: `"index.html"`. `/docs` is redirected to `/docs/`. @default none */
  index?: string;
  /**
   * Path in the folder of the page that answers to navigations to paths without a file: `"index.html"`. The request accepts
   * `text/html`, and the last segment has no dot. @default none
   */
  spa?: string;
  /**
   * Send `Last-Modified`, and evaluate `If-Modified-Since` and `If-Unmodified-Since`, RFC 9110 §13.1. Packaged files have
   * no time. @default {false}
   */
  lastModified?: boolean;
}

const CANNOT = "Cannot create static features";

/**
 * Turns on features of static mounts.
 *
 * @throws {TypeError} If an option is unknown or invalid; when mounted, if `spa` and `fallthrough` are both set.
 *
 * @example
 * ```ts
 * import { routerBuilder, staticFeatures } from "@gatehouse/http/native";
 * import { assertEquals } from "@std/assert";
 *
 * const directory = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${directory}/index.html`, "<p>Hello");
 *
 * const features = staticFeatures({ ranges: true, precompressed: true, index: "index.html" });
 * const router = routerBuilder().static("/", { directory, features }).build();
 *
 * const response = await router.request("/", { headers: { Range: "bytes=3-" } });
 * assertEquals(response.status, 206);
 * assertEquals(response.headers.get("Content-Range"), "bytes 3-7/8");
 * assertEquals(await response.text(), "Hello");
 * ```
 */
export function staticFeatures(options: StaticFeatureOptions): StaticFeatures {
  const features = readFeatures(options);
  return Object.freeze({
    finder(mount: StaticAssetOptions): FileFinder {
      if (features.spa !== undefined && mount.fallthrough === true) {
        throw new TypeError(
          "Cannot mount static assets: with spa, fallthrough would leave nothing to later routes; mount it after them",
        );
      }
      return createFinder(features, mount.cacheControl);
    },
  });
}

/** The features of a mount. */
interface Features {
  readonly ranges: boolean;
  readonly codings: readonly ContentCoding[];
  readonly immutable: RegExp | undefined;
  readonly index: string | undefined;
  readonly spa: string | undefined;
  readonly lastModified: boolean;
}

/** Finds what to answer with, by the steps of RFC 9110 in their order. */
function createFinder(features: Features, cacheControl: string | undefined): FileFinder {
  const { codings, immutable, ranges } = features;

  /** Header fields of every response, 304 too. */
  function commonFields(key: string, isPage: boolean): Fields {
    const cache = immutable?.test(key) ? IMMUTABLE : cacheControl;
    return [
      ...field("Cache-Control", cache),
      ...field("Vary", codings.length > 0 ? "Accept-Encoding" : undefined),
      ...field("Vary", isPage ? "Accept" : undefined),
    ];
  }

  return (request, rest, source) => {
    if (source === undefined) return "missing";
    // What the path names
    const found = findPage(request, rest, source, features);
    if (found.kind === "refused") return found.reason;
    if (found.kind === "redirect") return redirect(found.location);
    const { key, kind } = found;
    const common = commonFields(key, kind === "page");

    // §12.5.3: a content coding
    const { entry, coding } = selectCoding(request, found, source, codings);
    const etag = coding === undefined ? entry.etag : entry.etag.replace(/"$/, `-${coding}"`);

    // §13.2.2, steps 1 to 4: preconditions
    const nowMs = Date.now();
    const modified = features.lastModified && entry.modifiedMs !== undefined
      ? lastModifiedOf(entry.modifiedMs, nowMs)
      : undefined;
    const validators: Validators = { etag, modified, nowMs };
    switch (checkValidators(request, validators)) {
      case 304:
        return new Response(null, { status: 304, headers: [["ETag", etag], ...common] });
      case 412:
        return problem(412, "precondition_failed", { headers: common.filter(isVary) });
    }

    const whole: Representation = {
      contentType: found.entry.contentType,
      size: entry.size,
      etag,
      sized: entry.sized,
      fields: [
        ...common,
        ...field("Content-Encoding", coding),
        ...field("Last-Modified", modified === undefined ? undefined : formatHttpDate(modified)),
        ...field("Accept-Ranges", ranges ? "bytes" : undefined),
      ],
      open: entry.open,
    };
    // Step 5 and §14.2: a range
    return ranges && request.method === "GET" ? selectRange(request, whole, validators) : whole;
  };
}

/** The file, or its compressed sibling that the client prefers. */
function selectCoding(
  { headers }: StaticRequest,
  { key, entry }: { readonly key: string; readonly entry: StaticEntry },
  source: StaticSource,
  codings: readonly ContentCoding[],
): { readonly entry: StaticEntry; readonly coding?: ContentCoding } {
  if (codings.length === 0) return { entry };
  for (const coding of preferredCodings(headers.get("accept-encoding"), codings)) {
    const sibling = source.lookup(key + EXTENSIONS[coding]);
    if (sibling !== undefined) return { entry: sibling, coding };
  }
  return { entry };
}

/** All of a file, or the range that the client asks for. */
function selectRange(
  { headers }: StaticRequest,
  whole: Representation,
  validators: Validators,
): Representation | Response {
  const field = headers.get("range");
  if (field === null || !checkIfRange(headers.get("if-range"), validators)) return whole;
  const { size, fields = [], open } = whole;
  const range = readRange(field, size);
  if (range === undefined) return whole;
  if (range === "unsatisfiable") {
    const contentRange = ["Content-Range", `bytes */${size}`] as [string, string];
    const headers = [...fields.filter(isVary), contentRange];
    return problem(416, "range_not_satisfiable", { headers });
  }
  const { start, end } = range;
  return {
    ...whole,
    status: 206,
    size: end - start,
    sized: true,
    fields: [...fields, ["Content-Range", `bytes ${start}-${end - 1}/${size}`]],
    open: () => open(start, end),
  };
}

/** A header field, if there is a value. */
function field(name: string, value: string | undefined): Fields {
  return value === undefined ? [] : [[name, value]];
}

function isVary([name]: Fields[number]): boolean {
  return name === "Vary";
}

function redirect(location: string): Response {
  return new Response(null, { status: 301, headers: [["Location", location]] });
}

const IMMUTABLE = "public, max-age=31536000, immutable";

/** A hexadecimal hash with a digit and a letter, which no date and hardly a word has, before the extensions. */
const HASHED_REGEXP =
  /[.-](?=[0-9a-f]{0,63}[0-9])(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{8,64}(?:\.[^./]+)+$/;

const NAMES: Readonly<Record<keyof StaticFeatureOptions, true>> = {
  ranges: true,
  precompressed: true,
  immutable: true,
  index: true,
  spa: true,
  lastModified: true,
};

/** @throws {TypeError} If an option is unknown or invalid. */
function readFeatures(options: StaticFeatureOptions): Features {
  checkNames(CANNOT, options, NAMES);
  const {
    ranges = false,
    precompressed = false,
    immutable = false,
    index,
    spa,
    lastModified = false,
  } = options;
  for (const [name, flag] of Object.entries({ ranges, lastModified })) {
    if (typeof flag !== "boolean") throw new TypeError(`${CANNOT}: ${name} must be a boolean`);
  }
  if (index !== undefined && (!isKey(index) || index.includes("/"))) {
    throw new TypeError(`${CANNOT}: index must be the name of a file`);
  }
  if (spa !== undefined && !isKey(spa)) {
    throw new TypeError(`${CANNOT}: spa must be the path of a file in the folder`);
  }
  return {
    ranges,
    codings: readCodings(precompressed),
    immutable: readImmutable(immutable),
    index,
    spa,
    lastModified,
  };
}

function isKey(value: unknown): boolean {
  return typeof value === "string" && isAssetKey(value);
}

function readCodings(value: boolean | readonly ContentCoding[]): readonly ContentCoding[] {
  const known = Object.keys(EXTENSIONS) as ContentCoding[];
  if (typeof value === "boolean") return value ? known : [];
  if (!Array.isArray(value) || !value.every((one) => known.includes(one))) {
    throw new TypeError(
      `${CANNOT}: precompressed must be a boolean or an array of ${known.join(", ")}`,
    );
  }
  return [...value];
}

function readImmutable(value: boolean | RegExp): RegExp | undefined {
  if (typeof value === "boolean") return value ? HASHED_REGEXP : undefined;
  if (!(value instanceof RegExp)) {
    throw new TypeError(`${CANNOT}: immutable must be a boolean or a regular expression`);
  }
  return new RegExp(value.source, value.flags.replace(/[gy]/g, "")); // test() of these depends on the last match
}
