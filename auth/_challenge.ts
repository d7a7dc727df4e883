/**
 * Response header fields that follow from the strategies of a route: `WWW-Authenticate` and `Vary`.
 *
 * @module
 */

import type { AuthStrategy } from "./strategy.ts";

/** Value of `WWW-Authenticate`, RFC 9110 §11.6.1: one challenge per strategy. */
export function challengeOf(strategies: readonly AuthStrategy[]): string {
  const challenges = strategies.map(ownChallenge).filter((one) => one !== undefined);
  return challenges.length === 0 ? "Session" : [...new Set(challenges)].join(", ");
}

/** Names for `Vary`, RFC 9110 §12.5.5: the header fields that carry credentials. */
export function varyOf(strategies: readonly AuthStrategy[]): readonly string[] {
  const names = strategies.map(fieldOf).filter((name) => name !== undefined);
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}

/**
 * Whether the credential is sent automatically, with cross-site requests too: cookies, and `Authorization` from the
 * browser's dialog. A strategy without a scheme may use such a credential.
 */
export function isAmbient({ scheme, ambient }: AuthStrategy): boolean {
  if (ambient !== undefined) return ambient;
  switch (scheme?.type) {
    case "bearer":
      return false;
    case "header":
      return ["authorization", "cookie"].includes(scheme.name.toLowerCase());
    default:
      return true;
  }
}

/** No authentication scheme is registered for cookies and for keys in custom header fields. */
function ownChallenge({ challenge, scheme }: AuthStrategy): string | undefined {
  if (challenge !== undefined) return challenge;
  switch (scheme?.type) {
    case "cookie":
      return "Session";
    case "bearer":
      return "Bearer";
    case "header":
      return "ApiKey";
    default:
      return undefined;
  }
}

function fieldOf({ scheme }: AuthStrategy): string | undefined {
  switch (scheme?.type) {
    case "cookie":
      return "Cookie";
    case "bearer":
      return "Authorization";
    default:
      return scheme?.name;
  }
}
