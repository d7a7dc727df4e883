/**
 * `webAuthnService`: passkeys, WebAuthn Level 3.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { rejectUnknownOptions } from "../_options.ts";
import { warnConsole } from "../_report.ts";
import { AuthError } from "../error.ts";
import { checkedCredentials, checkedUsers } from "../stores/checked.ts";
import { removeWayIn } from "../users/ways_in.ts";
import { beginAuthentication, finishAuthentication } from "./_authentication_ceremony.ts";
import { createChallenges } from "./_challenges.ts";
import { type CeremonyContext, passkeysOf } from "./_context.ts";
import { checkPasskeyName, toPasskeyInfo } from "./passkey_info.ts";
import { beginRegistration, beginSignUp, finishRegistration } from "./_registration_ceremony.ts";
import { readRelyingParty, relatedOrigins, WEBAUTHN_OPTIONS } from "./_relying_party.ts";
import type { WebAuthnService, WebAuthnServiceOptions } from "./service_types.ts";

/**
 * Creates a passkey service. `registerAuth()` creates one from its option `webauthn`, with routes.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 * @throws {RangeError} If a number is out of bounds.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores, webAuthnService } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const { users, credentials, states } = inMemoryAuthStores();
 * await users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: 0 });
 *
 * const passkeys = webAuthnService({
 *   rpId: "example.com",
 *   rpName: "Example",
 *   origins: ["https://example.com"],
 *   users,
 *   credentials,
 *   states,
 * });
 * const options = await passkeys.registrationOptions("u1", { browser: "a digest of its cookie" });
 * assertEquals(options.rp.id, "example.com");
 * assertEquals(options.user.name, "ada");
 * ```
 */
export function webAuthnService(options: WebAuthnServiceOptions): WebAuthnService {
  const context = createContext(options);
  const { rp, users, credentials, emit } = context;
  const { identities } = options;
  const { rpId, maxAge, signUp } = rp;
  return Object.freeze<WebAuthnService>({
    rpId,
    maxAge,
    signUp,
    relatedOrigins: Object.freeze(relatedOrigins(rp)),
    registrationOptions: (sub, options) => beginRegistration(context, sub, options),
    signUpOptions: (identifier, options) => beginSignUp(context, identifier, options),
    verifyRegistration: (response, options) => finishRegistration(context, response, options),
    authenticationOptions: (options) => beginAuthentication(context, options),
    verifyAuthentication: (response, options) => finishAuthentication(context, response, options),

    async list(sub) {
      const user = await users.findBySub(sub) ?? { sub, identifier: "" };
      const { passkeys, userHandle: userId } = await passkeysOf(context, user);
      const allAcceptedCredentialIds = passkeys.map(({ id }) => id);
      return {
        credentials: passkeys.map(toPasskeyInfo),
        signals: {
          allAcceptedCredentials: { rpId, userId, allAcceptedCredentialIds },
          currentUserDetails: { rpId, userId, name: user.identifier, displayName: user.identifier },
        },
      };
    },

    async rename(sub, id, name) {
      if (await credentials.rename(id, sub, checkPasskeyName(name)) === "not_found") return false;
      emit("webauthn.renamed", { sub, credentialId: id });
      return true;
    },

    async remove(sub, id) {
      switch (await removeWayIn({ users, credentials, identities }, sub, { kind: "passkey", id })) {
        case "removed":
          emit("webauthn.removed", { sub, credentialId: id });
          return true;
        case "not_found":
          return false;
        case "last":
          throw new AuthError("last_way_in", { detail: "Without it, the user could not sign in" });
      }
    },
  });
}

const ACTION = "Cannot create passkey service";

function createContext(options: WebAuthnServiceOptions): CeremonyContext {
  rejectUnknownOptions<WebAuthnServiceOptions>(ACTION, options, {
    ...WEBAUTHN_OPTIONS,
    credentials: true,
    identities: true,
    events: true,
    keys: true,
    now: true,
    states: true,
    throttle: true,
    users: true,
    warn: true,
  }); // a misspelt one must not count as omitted
  const { keys, throttle, events, warn = warnConsole, states } = options;
  const { users, credentials } = options;
  const isComplete = typeof users?.findBySub === "function" &&
    typeof credentials?.updateSignCount === "function" && typeof states?.consume === "function";
  if (!isComplete) throw new TypeError(`${ACTION}: users, credentials or states are missing`);
  const rp = readRelyingParty(options);
  if (relatedOrigins(rp).length === rp.origins.length) {
    warn(`No origin is on the domain of passkeys, ${rp.rpId}: is it misspelt?`);
  }
  if (rp.identified && typeof keys?.sign !== "function") {
    throw new TypeError(`${ACTION}: identified needs keys, which deriveKeys() creates`);
  }
  const now = createClock(options.now);
  return {
    rp,
    users: checkedUsers(users),
    credentials: checkedCredentials(credentials),
    challenges: createChallenges({ states, now, timeout: rp.timeout }),
    keys: rp.identified ? keys : undefined,
    throttle,
    now,
    emit: createEmitter({ events, now, warn }),
    warn,
  };
}
