/**
 * What a path names where there are index files and a page for the paths of a single-page application.
 *
 * @module
 */

import { type KeyRefusal, parseKey } from "./key.ts";
import type { StaticEntry, StaticRequest, StaticSource } from "./types.ts";
import { readWeights } from "./weights.ts";

/** Names of the pages. */
export interface Pages {
  /** Name of the file that answers for its folder. */
  readonly index: string | undefined;
  /** Key of the file that answers to navigations to paths without a file. */
  readonly spa: string | undefined;
}

/** What a path names. */
export type Found =
  | { readonly kind: "file"; readonly key: string; readonly entry: StaticEntry }
  | { readonly kind: "page"; readonly key: string; readonly entry: StaticEntry }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "refused"; readonly reason: KeyRefusal };

/**
 * Finds what a path names, in this order: a file; the index file of a folder, after a redirect to its path with a slash, so
 * that the page's relative links work; the page of a single-page application. Paths that name no file whatever there is, by
 * `..` or a name that starts with a dot, are refused first.
 *
 * @param rest The path after the mount's prefix.
 */
export function findPage(
  request: StaticRequest,
  rest: string,
  source: StaticSource,
  { index, spa }: Pages,
): Found {
  const parsed = parseKey(rest);
  const folder = "key" in parsed ? parsed.key + "/" : folderOf(rest);
  if ("refused" in parsed && folder === undefined) {
    return { kind: "refused", reason: parsed.refused };
  }
  if ("key" in parsed) {
    const entry = source.lookup(parsed.key);
    if (entry !== undefined) return { kind: "file", key: parsed.key, entry };
  }
  if (index !== undefined) {
    const key = folder + index;
    const entry = source.lookup(key);
    if (entry !== undefined) {
      return rest.endsWith("/")
        ? { kind: "file", key, entry }
        : { kind: "redirect", location: withSlash(request) };
    }
  }
  const page = spa !== undefined && isNavigation(request, rest) ? source.lookup(spa) : undefined;
  return page === undefined || spa === undefined
    ? { kind: "refused", reason: "missing" }
    : { kind: "page", key: spa, entry: page };
}

/** Prefix of the keys in the folder that a path names: `sub/`, or empty for the mount itself. */
function folderOf(rest: string): string | undefined {
  if (rest === "" || rest === "/") return "";
  const parsed = rest.endsWith("/") ? parseKey(rest.slice(0, -1)) : undefined;
  return parsed !== undefined && "key" in parsed ? parsed.key + "/" : undefined;
}

/**
 * The reference to a path with a slash, and its query. It is relative to the URL that the client knows, since a mount may be
 * under a prefix of another application, and to one segment, so that it cannot lead to another host.
 */
function withSlash({ url, target: { path } }: StaticRequest): string {
  const name = path.slice(path.lastIndexOf("/") + 1).replaceAll("%25", "%");
  return `${encodeURIComponent(name)}/${QUERY_REGEXP.exec(url)?.[1] ?? ""}`;
}

/** A query of characters that are valid in a header field. */
const QUERY_REGEXP = /^[^?#]*(\?[\x21\x22\x24-\x7e]*)(?:#|$)/;

/** Whether a browser asks for a page: it accepts HTML, and the path has no extension. */
function isNavigation({ headers }: StaticRequest, rest: string): boolean {
  if (rest.slice(rest.lastIndexOf("/")).includes(".")) return false;
  return (readWeights(headers.get("accept") ?? "").get("text/html") ?? 0) > 0;
}
