/**
 * Static assets under a path, from packages or folders.
 *
 * @module
 */

import { HOST } from "./internals.ts";
import { parseTarget } from "./path.ts";
import { errorResponse, HttpError, isProblemError, problem } from "./problem.ts";
import { OverloadError, resolveSource } from "../static/source.ts";
import { type KeyRefusal, parseKey } from "../static/key.ts";
import { checkOptions } from "../static/options.ts";
import { checkPreconditions } from "../static/conditional.ts";
import type {
  AnsweringMount,
  Fields,
  FileAccess,
  FileFinder,
  Representation,
  StaticAssetOptions,
  StaticEntry,
  StaticMount,
  StaticRequest,
  StaticSource,
} from "../static/types.ts";

/** Why no file is sent. */
type Refusal = KeyRefusal | "method_not_allowed" | "malformed";

/**
 * Serves the files of a package: GET and HEAD, entity tags, conditional requests (RFC 9110 §13). There are no listings;
 * byte ranges, index files and more are `features`. A path that is malformed is a 400, one with `..` a 403, another method
 * a 405, and a missing file or a name that starts with a dot a 404; with `fallthrough`, all are `undefined`.
 *
 * Use `routerBuilder().static()` to combine files and routes; this is for file servers and other frameworks. In a router
 * without `static()` use `router.mount("/assets", mountStatic("/", options))`, since a mount receives the rest of a
 * path; malformed paths are a 404 there. Names that start with a dot are only served as a prefix:
 * `mountStatic("/.well-known", { directory: "public/.well-known" })`.
 *
 * @param prefix Path of the files, without parameters.
 * @throws {TypeError} If the prefix or an option is invalid.
 *
 * @example
 * ```ts
 * import { mountStatic } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const hash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
 * const assets = mountStatic("/assets", {
 *   directory: "public",
 *   package: { // as packageStaticAssets() writes it
 *     version: 1,
 *     entries: {
 *       "hello.txt": {
 *         contentType: "text/plain; charset=utf-8",
 *         size: 5,
 *         hash,
 *         etag: `"${hash}"`,
 *         encoding: "base64",
 *         data: "aGVsbG8=",
 *       },
 *     },
 *   },
 * });
 *
 * const response = await assets.fetch(new Request("http://localhost/assets/hello.txt"));
 * assertEquals(await response.text(), "hello");
 * ```
 */
export function mountStatic<Fallthrough extends boolean = false>(
  prefix: string,
  options: StaticAssetOptions & { readonly fallthrough?: Fallthrough },
): StaticMount<true extends Fallthrough ? Response | undefined : Response> {
  return createMount(prefix, options, undefined) as StaticMount<Response>;
}

/** Creates a mount. @param files File system access, if the entry has it. */
export function createMount(
  prefix: string,
  options: StaticAssetOptions,
  files: FileAccess | undefined,
): AnsweringMount {
  checkOptions(prefix, options);
  const { fallthrough = false, cacheControl, features } = options;
  const base = prefix.replace(/\/$/, "");
  const sourceOf = resolveSource(prefix, options, files);
  const common: Fields = cacheControl === undefined ? [] : [["Cache-Control", cacheControl]];
  const find = features === undefined ? findFile : features.finder(options) as FileFinder;

  /** Finds a file without features, and evaluates the preconditions. */
  function findFile(
    request: StaticRequest,
    rest: string,
    source: StaticSource | undefined,
  ): ReturnType<FileFinder> {
    const parsed = parseKey(rest);
    if ("refused" in parsed) return parsed.refused;
    const entry = source?.lookup(parsed.key);
    if (entry === undefined) return "missing";
    switch (checkPreconditions(request, entry.etag)) {
      case 304:
        return new Response(null, { status: 304, headers: [["ETag", entry.etag], ...common] });
      case 412:
        return problem(412, "precondition_failed");
    }
    return entry;
  }

  /** Answers one request. The checks are in this order, so that files are not accessed before the path is valid. */
  function answer(request: StaticRequest): ReturnType<StaticMount["fetch"]> {
    const { method, target: { path, bad } } = request;
    const rest = pathAfter(base, path);
    if (rest === undefined) return refuse("missing");
    if (method !== "GET" && method !== "HEAD") return refuse("method_not_allowed");
    return bad ? refuse("malformed") : answerFile(request, rest, ATTEMPTS);
  }

  /** @param attempts How often the file may be looked up again because it was replaced before it was opened. */
  function answerFile(
    request: StaticRequest,
    rest: string,
    attempts: number,
  ): ReturnType<StaticMount["fetch"]> {
    const entry = attempts === 0 ? "missing" : find(request, rest, sourceOf());
    if (typeof entry === "string") return refuse(entry);
    if (entry instanceof Response) return entry;
    if (request.method === "HEAD") return fileResponse(entry, null);
    const body = openEntry(entry);
    if (body === undefined) return answerFile(request, rest, attempts - 1);
    return body instanceof Promise
      ? body.then((bytes) => fileResponse(entry, bytes))
      : fileResponse(entry, body);
  }

  function fileResponse(
    { status = 200, contentType, etag, fields = common, size, sized }: Representation,
    body: BodyInit | null,
  ): Response {
    const headers: [string, string][] = [
      ["Content-Type", contentType],
      ["X-Content-Type-Options", "nosniff"],
      ["ETag", etag],
      ...fields,
    ];
    if (sized || body === null) headers.push(["Content-Length", String(size)]);
    const init = { status, headers, encodeBody: "manual" }; // else workerd compresses what is compressed
    return HOST.createResponse !== undefined && body instanceof Uint8Array
      ? HOST.createResponse(body as Uint8Array<ArrayBuffer>, contentType, init)
      : new Response(body, init);
  }

  function refuse(reason: Refusal): Response | undefined {
    return fallthrough ? undefined : refusalResponse(reason);
  }

  function fetch({ method, headers, url }: Request): ReturnType<StaticMount["fetch"]> {
    try {
      return answer({ method, headers, url, target: parseTarget(url) });
    } catch (error) { // in a router, the router handles it
      if (isProblemError(error)) return errorResponse(error);
      throw error;
    }
  }

  return { prefix, answer, fetch };
}

/** Opens the contents. @throws {HttpError} 503 `service_unavailable` if too many files are open. */
function openEntry(entry: StaticEntry): ReturnType<StaticEntry["open"]> {
  try {
    return entry.open();
  } catch (error) {
    if (!(error instanceof OverloadError)) throw error;
    throw new HttpError(503, "service_unavailable", { cause: error.cause });
  }
}

/** The path after a prefix: empty, or starting with a slash; `undefined` if it is not under the prefix. */
function pathAfter(base: string, path: string): string | undefined {
  if (!path.startsWith(base)) return undefined;
  const rest = path.slice(base.length);
  return rest === "" || rest.startsWith("/") ? rest : undefined;
}

function refusalResponse(reason: Refusal): Response {
  switch (reason) {
    case "method_not_allowed":
      return problem(405, reason, { headers: [["Allow", "GET, HEAD"]] });
    case "malformed":
      return problem(400, "invalid_target", { detail: "The request target is malformed" });
    case "traversal":
      return problem(403, "access_denied");
    case "missing":
      return problem(404, "not_found");
  }
}

/** Maximum lookups of a file that is replaced before it is opened. */
const ATTEMPTS = 5;
