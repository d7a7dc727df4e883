/**
 * `relatedOriginsHandler`: the origins of other domains that may use the passkeys, WebAuthn Level 3 §5.11.1, as a route.
 *
 * @module
 */

import { problem } from "../../router/problem.ts";
import type { RouteRequest } from "../../router/types.ts";
import type { WebAuthnService } from "../webauthn/service_types.ts";

/** Seconds that caches may keep the document. */
const MAX_AGE = 3_600;

/**
 * Creates the handler that lists a service's origins of other domains than its `rpId`, for `GET /.well-known/webauthn` of that
 * domain: browsers ask it before they use a passkey there. It is public: mount it with `auth: false` where routes are protected.
 *
 * @throws {TypeError} If `webauthn` is not a passkey service.
 *
 * @example
 * ```ts
 * import { createRouter } from "@gatehouse/http";
 * import { inMemoryAuthStores, relatedOriginsHandler, webAuthnService } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const { users, credentials, states } = inMemoryAuthStores();
 * const webauthn = webAuthnService({
 *   users,
 *   credentials,
 *   states,
 *   rpId: "example.com",
 *   rpName: "Example",
 *   origins: ["https://example.com", "https://example.co.uk"],
 * });
 * const router = createRouter()
 *   .get("/.well-known/webauthn", relatedOriginsHandler(webauthn), { auth: false });
 *
 * const response = await router.request("/.well-known/webauthn");
 * assertEquals(await response.json(), { origins: ["https://example.co.uk"] });
 * ```
 */
export function relatedOriginsHandler(
  webauthn: Pick<WebAuthnService, "relatedOrigins">,
): (req: RouteRequest) => Response {
  const origins: unknown = webauthn?.relatedOrigins;
  if (!Array.isArray(origins)) {
    throw new TypeError("Cannot publish origins: webauthn must be a passkey service");
  }
  const text = JSON.stringify({ origins });
  return ({ method }) => {
    if (method !== "GET" && method !== "HEAD") {
      return problem(405, "method_not_allowed", { headers: [["Allow", "GET, HEAD"]] });
    }
    return new Response(text, {
      headers: {
        "Cache-Control": `public, max-age=${MAX_AGE}`,
        "Content-Type": "application/json",
      },
    });
  };
}
