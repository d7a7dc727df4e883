/**
 * The races. Each one is a call to a store, made concurrently, and its result.
 *
 * @module
 */

import type {
  AuthStores,
  NewIdentity,
  NewUserFactors,
  RefreshFamily,
  Session,
  StoredKey,
  User,
} from "../../auth/stores/types.ts";
import type { Credential } from "../../auth/stores/credential_types.ts";
import type { ThrottleKey, ThrottleRule } from "../../auth/throttle/rule.ts";
import { clientOf, redeemedOf } from "./_server_records.ts";

/** The time of all races. */
export const RACE_TIME = 1_700_000_000;

/** A racer: one of all callers of all processes. */
export interface Racer {
  readonly stores: AuthStores;
  /** Differs between all racers of a race. */
  readonly racer: string;
  /** Key of the record that the racers compete for; it differs per round. */
  readonly prize: string;
  /** The version that all racers have read, if any. */
  readonly version: string;
}

/** Attempts that {@linkcode WINDOW} allows. */
export const WINDOW_LIMIT = 10;
/** Attempts that {@linkcode BACKOFF} allows before its first wait. */
export const BACKOFF_FREE = 5;

const WINDOW: ThrottleRule = { kind: "window", limit: WINDOW_LIMIT, seconds: 60 };
const BACKOFF: ThrottleRule = {
  kind: "backoff",
  free: BACKOFF_FREE,
  wait: 30,
  maxWait: 900,
  forget: 3_600,
};

/** Name of a race. */
export type Race =
  | "consume"
  | "claim"
  | "createIdentity"
  | "updateIdentity"
  | "acceptCode"
  | "createAuthorization"
  | "redeemCode"
  | "createClient"
  | "updateClient"
  | "rotate"
  | "signCount"
  | "zeroCount"
  | "reserveWindow"
  | "reserveBackoff"
  | "reserveWithOthers"
  | "saveRing"
  | "createUser"
  | "updateUser"
  | "saveEmail"
  | "createSession"
  | "touch";

/** The races by their names. */
export const RACES: { readonly [R in Race]: (racer: Racer) => Promise<string> } = {
  async consume({ stores, prize }) {
    return await stores.states.consume(prize) === null ? "nothing" : "taken";
  },
  claim: ({ stores, prize }) => stores.states.claim(prize, RACE_TIME + 60),
  createIdentity: ({ stores, racer, prize }) =>
    stores.identities.create({ ...identityOf(prize), sub: `u${racer}` }),
  updateIdentity: ({ stores, racer, prize, version }) =>
    stores.identities.update(prize, version, { refreshingUntil: Number(racer) }),
  acceptCode: ({ stores, racer, prize, version }) =>
    stores.factors.save({ ...factorsOf(prize), recoveryCodes: [racer] }, version),
  async createAuthorization({ stores, racer, prize }) {
    try {
      await stores.authorizations.create(redeemedOf(prize, `grant ${racer}`));
      return "created";
    } catch (error) {
      return error instanceof Error ? error.message : "rejected with a non-Error";
    }
  },
  redeemCode: ({ stores, racer, prize, version }) =>
    stores.authorizations.update(redeemedOf(prize, `grant ${racer}`), version),
  createClient: ({ stores, racer, prize }) =>
    stores.clients.create({ ...clientOf(prize), name: `client ${racer}` }),
  updateClient: ({ stores, racer, prize, version }) =>
    stores.clients.update({ ...clientOf(prize), name: `client ${racer}`, version }),
  rotate: ({ stores, racer, prize }) =>
    stores.refreshTokens.rotate({
      familyId: prize,
      fromHash: "first",
      toHash: `next of ${racer}`,
      now: RACE_TIME,
      expiresAt: RACE_TIME + 600,
    }),
  signCount: ({ stores, racer, prize }) =>
    stores.credentials.updateSignCount(prize, 0, 1 + Number(racer)),
  zeroCount: ({ stores, racer, prize }) =>
    stores.credentials.updateSignCount(prize, 0, 0, {
      backedUp: true,
      userVerified: true,
      lastUsedAt: RACE_TIME - Number(racer),
    }),
  reserveWindow: ({ stores, prize }) => reserve(stores, { key: prize, rule: WINDOW }),
  reserveBackoff: ({ stores, prize }) => reserve(stores, { key: prize, rule: BACKOFF }),
  reserveWithOthers: ({ stores, prize }) =>
    reserve(stores, { key: prize, rule: BACKOFF }, [{ key: `${prize} other`, rule: WINDOW }]),
  saveRing: ({ stores, racer }) => stores.keys.save([keyOf(racer)], null),
  createUser: ({ stores, racer, prize }) => stores.users.create(userOf(`${prize} ${racer}`, prize)),
  updateUser: ({ stores, racer, prize, version }) =>
    stores.users.update(prize, version, { securityStamp: `stamp ${racer}` }),
  saveEmail: ({ stores, racer, prize }) =>
    stores.emails.save({ sub: `${prize} ${racer}`, email: prize, verifiedAt: RACE_TIME }, null),
  async createSession({ stores, racer, prize }) {
    try {
      await stores.sessions.create(sessionOf(prize, `${prize} hash ${racer}`));
      return "created";
    } catch (error) {
      return error instanceof Error ? error.message : "rejected with a non-Error";
    }
  },
  touch: ({ stores, prize }) => stores.sessions.touch(prize, RACE_TIME, RACE_TIME + 60),
};

async function reserve(
  { throttle }: AuthStores,
  key: ThrottleKey,
  others: readonly ThrottleKey[] = [],
): Promise<string> {
  const { allowed } = await throttle.reserve(key, others, RACE_TIME);
  return allowed ? "allowed" : "refused";
}

/** A user. */
export function userOf(sub: string, identifier: string): Omit<User, "version"> {
  return { sub, identifier, securityStamp: "stamp", createdAt: RACE_TIME };
}

/** An identity. */
export function identityOf(id: string): NewIdentity {
  return {
    id,
    issuer: "https://id.example",
    subject: `subject of ${id}`,
    sub: "u1",
    provider: "google",
    linkedAt: RACE_TIME,
    usedAt: RACE_TIME,
  };
}

/** The second factors of a user. */
export function factorsOf(sub: string): NewUserFactors {
  const [createdAt, confirmedAt] = [RACE_TIME, RACE_TIME + 1];
  const totp = { secret: "encrypted", createdAt, confirmedAt, lastStep: 56_666_666 };
  return { sub, totp, recoveryCodes: ["digest 1", "digest 2"] };
}

/** A session. */
export function sessionOf(id: string, tokenHash: string): Session {
  return {
    id,
    sub: "u1",
    tokenHash,
    securityStamp: "stamp",
    createdAt: RACE_TIME,
    activeAt: RACE_TIME,
    expiresAt: RACE_TIME + 3_600,
    authTime: RACE_TIME,
    amr: ["pwd"],
  };
}

/** A family whose current secret's digest is `first`. */
export function familyOf(id: string): RefreshFamily {
  return {
    id,
    sub: "u1",
    securityStamp: "stamp",
    sessionId: "s1",
    currentHash: "first",
    generation: 0,
    revoked: false,
    createdAt: RACE_TIME,
    expiresAt: RACE_TIME + 600,
    familyExpiresAt: RACE_TIME + 3_600,
    authTime: RACE_TIME,
    amr: ["pwd"],
  };
}

/** An unused passkey. */
export function credentialOf(id: string): Credential {
  return {
    id,
    sub: "u1",
    rpId: "example.com",
    userHandle: "handle",
    publicKey: "key",
    signCount: 0,
    backupEligible: false,
    backedUp: false,
    userVerified: true,
    aaguid: "00000000-0000-0000-0000-000000000000",
    fmt: "none",
    createdAt: RACE_TIME,
  };
}

/** A key of a ring, which signs nothing. */
export function keyOf(kid: string): StoredKey {
  return { kid, alg: "ES256", key: "encrypted", createdAt: RACE_TIME, activeAt: RACE_TIME };
}
