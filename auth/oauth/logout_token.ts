/**
 * Logout tokens, OpenID Connect Back-Channel Logout 1.0.
 *
 * @module
 */

import { decodeBase64Url } from "../_base64url.ts";
import { digestText } from "../_kdf.ts";
import { parseStrictObject } from "../_strict_json.ts";
import type { ClientContext } from "./_context.ts";
import { check, detailOf, failureOf, oauthError } from "./_failure.ts";
import { isSubject, issuerOf, verifySignedToken } from "./_id_token.ts";
import type { LogoutToken } from "./client_types.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const TYPE = "logout+jwt";

/** §2.4 recommends two minutes to the expiry; one that was issued earlier is refused. */
const MAX_AGE = 300;

/** Verifies a logout token, §2.6. @throws {AuthError} `logout_token_refused`, `provider_unreachable` */
export async function verifyLogoutToken(
  context: ClientContext,
  token: string,
): Promise<LogoutToken> {
  const { metadata, keys } = await context.server();
  const claims = await verifyClaims(context, keys, token); // steps 1 to 3: as an ID token
  const { sub, sid, events, nonce, jti, exp = 0 } = claims;

  const issuer = issuerOf(context, metadata.issuer, claims);
  checkToken(issuer !== undefined, "iss_mismatch");
  checkToken(sub !== undefined || sid !== undefined, "sub_missing"); // step 4
  checkToken(sub === undefined || isSubject(sub), "sub_malformed");
  checkToken(sid === undefined || isSubject(sid), "sid_malformed");
  checkToken(isLogoutEvent(events), "events_missing"); // step 5
  checkToken(nonce === undefined, "nonce_present"); // step 6: an ID token in its place
  checkToken(typeof jti === "string" && jti !== "", "jti_missing");

  const key = `oauth-logout:${await digestText(JSON.stringify([issuer, jti]))}`; // step 7
  const claimed = await context.states.claim(key, exp + context.clockTolerance);
  checkToken(claimed === "claimed", "jti_used");
  return {
    issuer,
    ...(sub === undefined ? {} : { subject: sub }),
    ...(isSubject(sid) ? { sid } : {}),
  };
}

/** Servers that do not set the type yet send `JWT` or none. */
async function verifyClaims(
  context: ClientContext,
  keys: Parameters<typeof verifySignedToken>[1],
  token: string,
) {
  const typ = headerType(token) === TYPE ? TYPE : "JWT";
  try {
    return (await verifySignedToken(context, keys, token, { typ, maxAge: MAX_AGE })).claims;
  } catch (cause) {
    if (failureOf(cause) !== "id_token_refused") throw cause;
    throw oauthError("logout_token_refused", { detail: detailOf(cause), cause });
  }
}

function headerType(token: string): string | undefined {
  try {
    const { typ } = parseStrictObject(decodeBase64Url(token.split(".", 1)[0] ?? ""));
    return typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : undefined;
  } catch {
    return undefined;
  }
}

function isLogoutEvent(events: unknown): boolean {
  if (typeof events !== "object" || events === null || !Object.hasOwn(events, EVENT)) return false;
  const event: unknown = Object.getOwnPropertyDescriptor(events, EVENT)?.value;
  return typeof event === "object" && event !== null && !Array.isArray(event);
}

function checkToken(condition: boolean, detail: string): asserts condition {
  check(condition, "logout_token_refused", { detail });
}
