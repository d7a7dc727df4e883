/**
 * What responses say of the strategies behind them: the ways in, and what they depend on.
 *
 * @module
 */

import type { AuthStrategy } from "./strategy.ts";

/** Value of `WWW-Authenticate`, RFC 9110 §11.6.1: one challenge for each way in. */
export function challengeOf(strategies: readonly AuthStrategy[]): string {
  const challenges = strategies.map(ownChallenge).filter((one) => one !== undefined);
  return challenges.length === 0 ? "Session" : [...new Set(challenges)].join(", ");
}

/** Names for `Vary`, RFC 9110 §12.5.5: the header fields that credentials are in. */
export function varyOf(strategies: readonly AuthStrategy[]): readonly string[] {
  const names = strategies.map(fieldOf).filter((name) => name !== undefined);
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}

/**
 * Whether browsers send a strategy's credential by themselves, with requests that other sites make too: cookies, and what
 * a dialog put into `Authorization`. A strategy that does not say where its credential is may take such a one.
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

/** For cookies and keys in fields of their own nobody has registered a scheme. */
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
