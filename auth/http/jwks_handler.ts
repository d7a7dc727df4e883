/**
 * `jwksHandler`: the published keys, RFC 7517 §5, as a route.
 *
 * @module
 */

import { problem } from "../../router/problem.ts";
import type { RouteRequest } from "../../router/types.ts";
import { digestText } from "../_kdf.ts";
import { publicJwk } from "../jwt/jwk.ts";
import type { JwkSet } from "../jwt/types.ts";
import type { KeyService } from "../keys/key_service.ts";

/** A set in its serialized form. */
interface JwksDocument {
  readonly set: JwkSet;
  readonly text: string;
  readonly etag: string;
}

/**
 * Creates the handler that publishes a service's keys, for `GET /.well-known/jwks.json`. It is public: mount it with
 * `auth: false` where routes are protected.
 *
 * Responses are `application/jwk-set+json`, cacheable for the service's `cacheAge` by shared caches, and carry a strong
 * `ETag`; pages of other origins may read them. Private members are never included, whatever `jwks()` returns.
 *
 * @throws {TypeError} If `keys` is not a key service.
 *
 * @example
 * ```ts
 * import { createRouter } from "@gatehouse/http";
 * import { inMemoryAuthStores, jwksHandler, keyService } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const keys = keyService({ store: inMemoryAuthStores().keys });
 * const router = createRouter().get("/.well-known/jwks.json", jwksHandler(keys), { auth: false });
 *
 * const response = await router.request("/.well-known/jwks.json");
 * assertEquals(response.headers.get("Cache-Control"), "public, max-age=600");
 * assertEquals((await response.json()).keys[0].alg, "ES256");
 * ```
 */
export function jwksHandler(
  keys: Pick<KeyService, "jwks" | "cacheAge">,
): (req: Pick<RouteRequest, "method" | "headers">) => Promise<Response> {
  if (typeof keys?.jwks !== "function" || !Number.isInteger(keys.cacheAge) || keys.cacheAge < 0) {
    throw new TypeError("Cannot publish keys: keys must be a key service");
  }
  const maxAge = keys.cacheAge;
  let last: JwksDocument | undefined;

  async function current(): Promise<JwksDocument> {
    const set = await keys.jwks();
    const known = last;
    if (known?.set === set) return known;
    return last = await writeDocument(set, known);
  }

  return async ({ method, headers: asked }) => {
    if (method !== "GET" && method !== "HEAD") {
      return problem(405, "method_not_allowed", { headers: [["Allow", "GET, HEAD"]] });
    }
    const { text, etag } = await current();
    const headers = {
      "Access-Control-Allow-Origin": "*",
      "Cache-Control": `public, max-age=${maxAge}`,
      ETag: etag,
    };
    if (includesTag(asked.get("If-None-Match"), etag)) {
      return new Response(null, { status: 304, headers });
    }
    const type = { "Content-Type": "application/jwk-set+json" }; // RFC 7517 §8.5.2
    return new Response(text, { headers: { ...headers, ...type } });
  };
}

/** Serializes a set. If the JSON is unchanged, so is the tag, without another digest. */
async function writeDocument(set: JwkSet, known?: JwksDocument): Promise<JwksDocument> {
  const text = JSON.stringify({ keys: set.keys.map(publicJwk) });
  const etag = text === known?.text ? known.etag : `"${await digestText(text)}"`;
  return { set, text, etag };
}

/**
 * Whether `If-None-Match` has a tag, RFC 9110 §13.1.2. These tags contain no comma;
 * `checkPreconditions()`, which parses any list, is in static/, which auth/ does not import.
 */
function includesTag(field: string | null, etag: string): boolean {
  if (field === null) return false;
  if (field.trim() === "*") return true;
  return field.split(",").some((member) => member.trim().replace(/^W\//, "") === etag);
}
