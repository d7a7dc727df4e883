/**
 * `dpopTokenStrategy`: access tokens that are bound to a key of the client, RFC 9449.
 *
 * @module
 */

import { originalRequest } from "../../router/original_request.ts";
import { createClock } from "../_clock.ts";
import { rejectUnknownOptions } from "../_options.ts";
import { parseIdentifier } from "../_origin.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import {
  challengeErrorOf,
  DPOP_ALGORITHMS,
  type ProofOutcome,
  proofVerifier,
  readDpopToken,
  readNonceKeys,
} from "../dpop/proof.ts";
import { AuthError } from "../error.ts";
import { boundKeyOf } from "../jwt/confirmation.ts";
import type { Principal } from "../principal.ts";
import type { StateStore } from "../stores/types.ts";
import { type AuthFailed, authFailed, type AuthStrategy, noCredential } from "../strategy.ts";
import {
  type BearerTokenStrategyOptions,
  createBearerStrategy,
  OPTION_NAMES,
} from "./bearer_strategy.ts";

/** Options of {@linkcode dpopTokenStrategy}. */
export interface DpopTokenStrategyOptions extends BearerTokenStrategyOptions {
  /**
   * The server's URL as clients call it: `https://api.example`, and the path that a proxy removes, if it does. Proofs are for its
   * URLs; the host of a request would be the word of whoever sends it.
   */
  readonly baseUrl: string;
  /** Keeps the identifiers of proofs, each of which is accepted once. All processes need the same store. */
  readonly states: Pick<StateStore, "claim">;
  /**
   * Demands a nonce in each proof, RFC 9449 §9, so that nobody can make proofs in advance: keys from {@linkcode deriveKeys}, or `keys`
   * of `registerAuth()`. All processes need the same ones.
   *
   * @default no nonces: a proof is accepted for 60 seconds
   */
  readonly nonceKeys?: Pick<DerivedKeys, "sign" | "verify"> | undefined;
  /** Allows a `baseUrl` with `http` on this machine: for development. @default {false} */
  readonly insecureLoopback?: boolean | undefined;
}

/**
 * Creates the strategy that reads `Authorization: DPoP …`, a token with the thumbprint of a key in `cnf.jkt`, and the header field
 * `DPoP`, a proof of that key for this request: RFC 9449 §7. A proof is accepted once, within 60 seconds of its `iat`, or with a
 * nonce of this server. An open connection that is checked again needs no new one.
 *
 * Beside {@linkcode bearerTokenStrategy}, which refuses such tokens, clients without a key may still use the API; alone, it demands
 * a key of all. The principal is the same, with `dpop` as its method. It fails with `token_expired`, `invalid_token`,
 * `invalid_dpop_proof` or `use_dpop_nonce`, and a challenge that lists the algorithms: ES256, PS256, Ed25519, EdDSA.
 *
 * @throws {TypeError | RangeError} If an option is missing or invalid.
 *
 * @example
 * ```ts
 * import {
 *   bearerTokenStrategy,
 *   createRouter,
 *   dpopTokenStrategy,
 *   inMemoryAuthStores,
 *   json,
 *   remoteJwks,
 *   resourceServer,
 *   withAuthRoutes,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const tokens = {
 *   algorithms: ["ES256"],
 *   keys: remoteJwks("https://id.example/.well-known/jwks.json"),
 *   issuer: "https://id.example",
 *   audience: "https://api.example",
 * } as const;
 * const { states } = inMemoryAuthStores(); // in production a database
 * const runtime = resourceServer({
 *   strategies: [
 *     dpopTokenStrategy({ ...tokens, baseUrl: "https://api.example", states }),
 *     bearerTokenStrategy(tokens), // if tokens need not be bound
 *   ],
 * });
 * const router = withAuthRoutes(createRouter(), { runtime })
 *   .get("/notes", (req) => json(req.principal.sub), { scope: ["notes:read"] });
 *
 * const { headers } = await router.request("/notes");
 * assertEquals(
 *   headers.get("WWW-Authenticate"),
 *   'DPoP realm="api", algs="ES256 PS256 Ed25519 EdDSA", Bearer realm="api"',
 * );
 * ```
 */
export function dpopTokenStrategy(options: DpopTokenStrategyOptions): AuthStrategy {
  rejectUnknownOptions<DpopTokenStrategyOptions>(ACTION, options, {
    ...OPTION_NAMES, // in the function: a spread at the top would stay in every bundle
    baseUrl: true,
    states: true,
    nonceKeys: true,
    insecureLoopback: true,
  });
  const { baseUrl, states, nonceKeys, insecureLoopback = false, ...rest } = options;
  const base = parseIdentifier(baseUrl, insecureLoopback);
  if (base === undefined) {
    throw new TypeError(`${ACTION}: baseUrl must be an https URL without query and fragment`);
  }
  if (typeof states?.claim !== "function") throw new TypeError(`${ACTION}: states are missing`);
  const prefix = base.origin + base.pathname.replace(/\/$/, "");
  const tokens = createBearerStrategy(rest, { scoped: true, scopeOfUnscoped: [], method: "dpop" });
  const bearer = tokens.challenge ?? "";
  const challenge = `${bearer.replace("Bearer", "DPoP")}, algs="${DPOP_ALGORITHMS.join(" ")}"`;
  const verify = proofVerifier({
    states,
    nonceKeys: readNonceKeys(ACTION, { nonceKeys }),
    issuer: prefix,
    now: createClock(rest.now),
  });

  /** The proof of a request, whose path routers around this one may have removed a prefix of. */
  async function verifyProof(
    request: Request,
    token: string,
    { claims = {} }: Principal,
  ): Promise<ProofOutcome> {
    const original = originalRequest(request);
    const proof = request.headers.get("DPoP");
    const claimed = CLAIMED.get(original);
    const outcome = await verify({
      proof,
      method: original.method,
      url: prefix + new URL(original.url).pathname,
      token: { value: token, jkt: boundKeyOf(claims) },
      isClaimed: claimed?.proof === proof && claimed.states === states,
    });
    if (outcome.kind === "verified") CLAIMED.set(original, { proof, states });
    return outcome;
  }

  /** @throws {AuthError} With the nonce: only errors have header fields, and the client does not fail, but repeats the request. */
  function refused({ reason, nonce = "" }: Extract<ProofOutcome, { kind: "refused" }>): AuthFailed {
    const withError = (error: string) => `${challenge}, error="${error}"`;
    switch (challengeErrorOf(reason)) {
      case "invalid_token":
        return authFailed("invalid_token", reason, withError("invalid_token"));
      case "invalid_dpop_proof":
        return authFailed("invalid_dpop_proof", reason, withError("invalid_dpop_proof"));
      case "use_dpop_nonce": {
        const { code } = authFailed("use_dpop_nonce", reason);
        const headers = { "WWW-Authenticate": withError(code), "DPoP-Nonce": nonce };
        throw new AuthError("unauthenticated", { code, reason, headers });
      }
    }
  }

  return Object.freeze<AuthStrategy>({
    name: "dpop",
    scheme: { type: "bearer", scheme: "DPoP" },
    scoped: true,
    challenge,
    async authenticate({ request, recheck = false }) {
      const credentials = readDpopToken(request.headers.get("Authorization"));
      if (credentials === undefined) return noCredential();
      const { token } = credentials;
      const headers = { Authorization: `Bearer ${token}` };
      const result = await tokens.authenticate({ request: new Request(request.url, { headers }) });
      if (result.status === "failed") {
        const error = result.challenge?.slice(bearer.length) ?? "";
        return authFailed(result.code, result.message, challenge + error);
      }
      // The proof of an open connection was verified when it was opened; it has expired since
      if (result.status !== "authenticated" || recheck) return result;
      const outcome = await verifyProof(request, token, result.principal);
      return outcome.kind === "verified" ? result : refused(outcome);
    },
  });
}

const ACTION = "Cannot create DPoP strategy";

/** Proofs whose identifiers were claimed, by request: several guards of one request verify the same one. */
const CLAIMED: WeakMap<Request, { readonly proof: string | null; readonly states: unknown }> =
  /* @__PURE__ */ new WeakMap();
