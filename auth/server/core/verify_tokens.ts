/**
 * Verification of tokens that the server has signed itself.
 *
 * @module
 */

import { AuthError } from "../../error.ts";
import { parseStrictObject } from "../../_strict_json.ts";
import { boundKeyOf } from "../../jwt/confirmation.ts";
import { verifyJws } from "../../jwt/jws.ts";
import { jwtVerifier } from "../../jwt/jwt.ts";
import type { JwtClaims } from "../../jwt/types.ts";
import { clientSubject } from "../../tokens/client_subject.ts";
import type { ServerContext } from "./context.ts";

/** The claims of an access token that say whose it is. */
export interface OwnAccessToken {
  readonly sub: string;
  readonly clientId: string;
  /** Absent from a token that the client has for itself. */
  readonly grantId?: string;
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  /** Thumbprint of the key that it is bound to, RFC 9449 §6.1. */
  readonly jkt?: string;
  /** All of its claims. */
  readonly claims: JwtClaims;
}

/** Verifies an access token, RFC 9068 §4, whatever API it is for; `undefined` if it is not a valid one of this server. */
export async function verifyAccessToken(
  { keys, issuer, resources, now }: Pick<ServerContext, "keys" | "issuer" | "resources" | "now">,
  token: string,
): Promise<OwnAccessToken | undefined> {
  const verify = jwtVerifier({
    algorithms: keys.algorithms,
    keys: keys.resolve,
    issuer,
    audience: [...resources, issuer],
    typ: "at+jwt",
    now,
  });
  const verified = await verify(token).catch(withoutRejection);
  return verified === undefined ? undefined : ownAccessToken(verified.claims);
}

/** The claims of a verified access token; `undefined` if one has the wrong type. */
export function ownAccessToken(claims: JwtClaims): OwnAccessToken | undefined {
  const { sub, aud = [], client_id: clientId, gid: grantId, scope } = claims;
  const jkt = boundKeyOf(claims);
  if (typeof sub !== "string" || typeof clientId !== "string") return undefined;
  const isClients = grantId === undefined && sub === clientSubject(clientId);
  if (typeof grantId !== "string" && !isClients) return undefined;
  const words = typeof scope === "string" ? scope.split(" ").filter((word) => word !== "") : [];
  return {
    sub,
    clientId,
    ...(typeof grantId === "string" ? { grantId } : {}),
    scope: words,
    audience: [aud].flat(),
    ...(jkt === undefined ? {} : { jkt }),
    claims,
  };
}

/** An ID token of this server: whose it is, and of which client. */
export interface OwnIdToken {
  readonly sub: string;
  readonly clientId: string;
}

/**
 * Verifies an ID token that a client presents as a hint, OpenID Connect Core §3.1.2.1. It may have expired.
 *
 * @returns `undefined` if this server has not issued it.
 */
export async function readIdTokenHint(
  { keys, issuer }: Pick<ServerContext, "keys" | "issuer">,
  token: string,
): Promise<OwnIdToken | undefined> {
  const options = { algorithms: keys.algorithms, keys: keys.resolve };
  const verified = await verifyJws(token, options).catch(withoutRejection);
  if (verified === undefined || verified.header.typ !== "JWT") return undefined;
  const { iss, aud: clientId, sub } = parseStrictObject(verified.payload);
  const isOurs = iss === issuer && typeof clientId === "string" && typeof sub === "string";
  return isOurs ? { sub, clientId } : undefined;
}

/** `undefined` for a token that is rejected. Other errors are passed on: keys that cannot be loaded. */
function withoutRejection(error: unknown): undefined {
  if (error instanceof AuthError && error.status === 401) return undefined;
  throw error;
}
