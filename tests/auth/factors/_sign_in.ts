/**
 * Sign-ins with a second factor, of users who have one.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import { factorService } from "../../../auth/factors/factor_service.ts";
import { secondFactorService } from "../../../auth/factors/sign_in.ts";
import type { BegunSignIn, SecondFactors } from "../../../auth/factors/sign_in_types.ts";
import { totpCode } from "../../../auth/factors/totp.ts";
import type { AuthEvent } from "../../../auth/events.ts";
import type { Authentication, PasswordAuthentication } from "../../../auth/principal.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { AuthStores } from "../../../auth/stores/types.ts";
import { throttleService } from "../../../auth/throttle/throttle_service.ts";
import { refusal } from "../_refusal.ts";
import { CLIENT, SECRET, START, wrongCode } from "./_factors.ts";

export { CLIENT, OTHER_SECRET, SECRET, START } from "./_factors.ts";

/** Ada, `u1`, and Eve, `u2`. */
export const USERS = { u1: "ada", u2: "eve" } as const;

/** A user of the scene. */
export type Sub = keyof typeof USERS;

/** The service and what it works with. */
export interface Scene {
  readonly service: SecondFactors;
  readonly stores: AuthStores;
  readonly events: AuthEvent[];
  readonly clock: { now: number };
  /** Secrets of the authenticators. */
  readonly secrets: Map<Sub, string>;
  readonly recoveryCodes: Map<Sub, readonly string[]>;
  /** Sets up an authenticator, and waits for its next code. */
  enrol(sub?: Sub): Promise<void>;
  /** A right code. */
  code(sub?: Sub): Promise<string>;
  /** A wrong one. */
  wrong(sub?: Sub): Promise<string>;
  /** Ticket of a sign-in by password. */
  ticket(sub?: Sub): Promise<string>;
}

/** Options of {@linkcode scene}. */
export interface SceneOptions {
  /** Existing stores. */
  readonly over?: AuthStores;
  readonly wrap?: (stores: AuthStores) => Partial<AuthStores>;
  readonly secret?: string | readonly string[];
  readonly clock?: { now: number };
  /** Whether attempts are limited. @default {false} */
  readonly throttled?: boolean;
}

/** Creates the service. */
export function scene(options: SceneOptions = {}): Scene {
  const { secret = SECRET, clock = { now: START }, wrap, throttled = false } = options;
  const now = () => clock.now;
  const kept = options.over ?? inMemoryAuthStores({ now });
  const stores = { ...kept, ...wrap?.(kept) };
  const { users, states } = stores;
  const keys = deriveKeys(secret);
  const events: AuthEvent[] = [];
  const told = (event: AuthEvent) => void events.push(event);
  const throttle = throttleService({ store: stores.throttle, keys, now, events: told });
  const factors = factorService({
    ...{ factors: stores.factors, users, keys, issuer: "Acme", now, events: told },
    throttle: throttled ? throttle : "insecureSkip",
  });
  const service = { ...factors, ...secondFactorService({ factors, states, users, keys, now }) };
  const secrets = new Map<Sub, string>();
  const recoveryCodes = new Map<Sub, readonly string[]>();
  const code = (sub: Sub = "u1") => totpCode(secrets.get(sub) ?? "", clock.now);

  return {
    ...{ service, stores, events, clock, secrets, recoveryCodes, code },
    async enrol(sub = "u1") {
      const { secret } = await service.enrolTotp(sub, USERS[sub]);
      secrets.set(sub, secret);
      const made = await service.confirmTotp(sub, await code(sub));
      recoveryCodes.set(sub, made.recoveryCodes);
      clock.now += 30;
      events.length = 0;
    },
    wrong: (sub = "u1") => wrongCode(secrets.get(sub) ?? "", clock.now),
    async ticket(sub = "u1") {
      const ticket = await service.begin({ authentication: byPassword(clock.now, sub) });
      assert(ticket !== undefined);
      return ticket;
    },
  };
}

/** Ada has an authenticator, and with `two` Eve, too: recovery codes take long to hash. */
export async function enrolled(
  { two = false, ...options }: SceneOptions & { readonly two?: boolean } = {},
): Promise<Scene> {
  const own = scene(options);
  for (const sub of ["u1", "u2"] as const) {
    const user = { sub, identifier: USERS[sub], securityStamp: `s-${sub}`, createdAt: START };
    assertEquals(await own.stores.users.create(user), "created");
    if (two || sub === "u1") await own.enrol(sub);
  }
  return own;
}

/** A sign-in by password. */
export function byPassword(at: number, sub: Sub = "u1"): PasswordAuthentication {
  const own = { sub, identifier: USERS[sub], securityStamp: `s-${sub}` };
  return Object.freeze({ ...own, authTime: at, amr: ["pwd"] });
}

/** A sign-in without a password. */
export function by(amr: readonly string[], more: Partial<Authentication> = {}): Authentication {
  return Object.freeze({ sub: "u1", securityStamp: "s-u1", authTime: START, amr, ...more });
}

/** Completes a sign-in with a right code. */
export async function complete(own: Scene, ticket: string, sub?: Sub): Promise<BegunSignIn> {
  return await own.service.complete(ticket, { totp: await own.code(sub) }, CLIENT);
}

/** The code of a refusal. */
export async function codeOf(attempt: () => Promise<unknown>): Promise<string> {
  return (await refusal(attempt)).code;
}

/** Changes a user's stamp, as a new password does. */
export async function changeStamp({ stores: { users } }: Scene, sub: Sub = "u1"): Promise<void> {
  const { version = "" } = await users.findBySub(sub) ?? {};
  assertEquals(await users.update(sub, version, { securityStamp: "s-new" }), "updated");
}
