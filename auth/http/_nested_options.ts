/**
 * Names of the nested options of `registerAuth`. A misspelt one must not count as omitted.
 *
 * @module
 */

import { type OptionNames, rejectUnknownOptions } from "../_options.ts";
import type { ServiceOptions } from "./service_options.ts";

/** The object form of an option. */
type Nested<Name extends keyof ServiceOptions> = Extract<
  Exclude<ServiceOptions[Name], undefined>,
  object
>;

type Session = Nested<"session">;
type Limits = Exclude<Session["persistent"], undefined>;
type Refresh = Exclude<Nested<"jwt">["refresh"], undefined>;

const STORES: OptionNames<Nested<"stores">> = {
  users: true,
  emails: true,
  sessions: true,
  credentials: true,
  states: true,
  refreshTokens: true,
  keys: true,
  throttle: true,
  apiKeys: true,
  identities: true,
  factors: true,
  authorizations: true,
  clients: true,
};
const LIMITS: OptionNames<Limits> = { absolute: true, idle: true };
const SESSION: OptionNames<Session> = { ...LIMITS, persistent: true };
const HASHING: OptionNames<Nested<"hashing">> = { running: true, waiting: true };
const POLICY: OptionNames<Nested<"passwordPolicy">> = {
  minLength: true,
  words: true,
  breached: true,
};
const COOKIE: OptionNames<Nested<"cookie">> = { name: true, domain: true, sameSite: true };
const THROTTLE: OptionNames<Nested<"throttle">> = {
  client: true,
  account: true,
  address: true,
  registration: true,
  challenge: true,
  token: true,
  factor: true,
  message: true,
  userCode: true,
};
const JWT: OptionNames<Nested<"jwt">> = {
  issuer: true,
  audience: true,
  clientId: true,
  scope: true,
  lifetime: true,
  accept: true,
  resourceMetadata: true,
  algorithms: true,
  rotateAfter: true,
  refresh: true,
};
const REFRESH: OptionNames<Refresh> = { lifetime: true, familyLifetime: true };

/** @throws {TypeError} If a nested option is not an object, or has an unknown name. */
export function checkNestedOptions(action: string, options: ServiceOptions): void {
  const { stores, session = {}, hashing = {}, passwordPolicy = {}, cookie = {} } = options;
  const { throttle, jwt } = options;
  rejectUnknownOptions<Nested<"stores">>(`${action}: stores`, stores ?? {}, STORES);
  rejectUnknownOptions(`${action}: session`, session, SESSION);
  rejectUnknownOptions(`${action}: session.persistent`, session.persistent ?? {}, LIMITS);
  rejectUnknownOptions(`${action}: hashing`, hashing, HASHING);
  rejectUnknownOptions(`${action}: passwordPolicy`, passwordPolicy, POLICY);
  rejectUnknownOptions(`${action}: cookie`, cookie, COOKIE);
  if (typeof throttle === "object" && throttle !== null) {
    rejectUnknownOptions(`${action}: throttle`, throttle, THROTTLE);
  }
  if (jwt === undefined) return;
  rejectUnknownOptions(`${action}: jwt`, jwt, JWT);
  rejectUnknownOptions(`${action}: jwt.refresh`, jwt.refresh ?? {}, REFRESH);
}
