/**
 * The log of authentication: refusals that may need attention.
 *
 * @module
 */

import type { AuthEvent } from "@gatehouse/http";

/** One line for an event, `undefined` for regular ones. Events contain no secret and no user input. */
export function eventLine(event: AuthEvent): string | undefined {
  switch (event.type) {
    case "login.throttled":
      return line(event.type, {
        attempt: event.attempt,
        address: event.address,
        seconds: event.retryAfter,
      });
    case "csrf.failed":
      return line(event.type, { reason: event.reason });
    case "authz.denied":
      return line(event.type, { sub: event.sub, route: event.route, reason: event.reason });
    case "refresh.reuse_detected":
      return line(event.type, { sub: event.sub });
    case "webauthn.counter_regressed":
      return line(event.type, { sub: event.sub, credentialId: event.credentialId });
    default:
      return undefined;
  }
}

/** Values are JSON, so that none can contain a line break. */
function line(
  type: string,
  members: Readonly<Record<string, string | number | undefined>>,
): string {
  const parts = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [type, ...parts].join(" ");
}
