/**
 * Applications whose users have a second factor.
 *
 * @module
 */

import {
  type AuthOptions,
  inMemoryAuthStores,
  json,
  type PasswordCredentials,
  totpCode,
  totpFactors,
} from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { wrongCode } from "../factors/_factors.ts";
import { ADA, EVE_PASSWORD, START } from "../_services.ts";
import { createTestApp, type TestApp, type TestAppOptions, type TestBrowser } from "./_app.ts";

/** The session. */
export const SID = "__Host-sid";
/** The ticket of a sign-in. */
export const MFA = "__Host-mfa";
/** A remembered browser. */
export const REMEMBERED = "__Host-mfadev";
/** The throttle's device. */
export const DEVICE = "__Host-dev";

/** The option `secondFactors`. */
export const FACTORS: NonNullable<AuthOptions["secondFactors"]> = totpFactors({ issuer: "Notes" });

/** An authenticator app, and its recovery codes. */
export interface UserFactors {
  readonly recoveryCodes: readonly string[];
  /** The code of the current time. */
  totp(): Promise<string>;
  /** A wrong code. */
  wrong(): Promise<string>;
}

/** An application with the user Ada, `u1`, who has a second factor. */
export interface FactorScene extends UserFactors {
  readonly app: TestApp;
}

/** Creates an application with second factors, whose stores delete what has expired. Has `/mfa` and `/recent`. */
export function createFactorApp(options: TestAppOptions = {}): TestApp {
  const clock = options.clock ?? { now: START };
  const stores = inMemoryAuthStores({ now: () => clock.now });
  return guarded(createTestApp({ stores, secondFactors: FACTORS, ...options, clock }));
}

/** Adds `/mfa`, for sign-ins by two factors, and `/recent`, for those of the last minute. */
export function guarded<App extends TestApp>(app: App): App {
  app.router
    .get("/mfa", () => json("in"), { auth: { mode: "required", amr: ["mfa"] }, scope: "any" })
    .get("/recent", () => json("in"), { auth: { mode: "required", maxAge: 60 }, scope: "any" });
  return app;
}

/** Ada has an account and a second factor. */
export async function withFactor(options: TestAppOptions = {}): Promise<FactorScene> {
  const app = createFactorApp(options);
  await app.runtime.passwords.createUser({ ...ADA }, { sub: "u1" });
  return { app, ...await enrol(app, "u1") };
}

/** Sets up the second factor of a user, and waits for its next code. */
export async function enrol(app: TestApp, sub: string): Promise<UserFactors> {
  const { clock, events, hasher, runtime: { secondFactors } } = app;
  assert(secondFactors !== undefined);
  const { secret } = await secondFactors.enrolTotp(sub, "account");
  const code = await totpCode(secret, clock.now);
  const { recoveryCodes } = await secondFactors.confirmTotp(sub, code);
  clock.now += 30;
  events.length = 0;
  hasher.calls.length = 0;
  return {
    recoveryCodes,
    totp: () => totpCode(secret, clock.now),
    wrong: () => wrongCode(secret, clock.now),
  };
}

/** Creates Eve, `u2`, with a second factor. */
export async function withEve(app: TestApp): Promise<UserFactors> {
  await app.runtime.passwords.createUser({ ...EVE }, { sub: "u2" });
  return await enrol(app, "u2");
}

export const EVE: PasswordCredentials = { identifier: "eve@example.org", password: EVE_PASSWORD };

/** Sends the password, and the page has a ticket. */
export async function begin(
  page: TestBrowser,
  credentials: PasswordCredentials = ADA,
): Promise<void> {
  assertEquals(await outcome(page.login(credentials)), "401 mfa_required");
}

/** Sends the second factor. */
export async function complete(page: TestBrowser, body: object): Promise<Response> {
  return await page.post("/auth/login/second-factor", body);
}

/** Signs in by both factors. */
export async function signIn({ app, totp }: FactorScene, body = {}): Promise<TestBrowser> {
  const page = app.browser();
  await begin(page);
  const response = await complete(page, { totp: await totp(), ...body });
  assertEquals(response.status, 200, await response.text());
  app.clock.now += 30; // codes are accepted once
  app.events.length = 0;
  return page;
}

/** Status and code of a response. */
export async function outcome(response: Response | Promise<Response>): Promise<string> {
  const answer = await response;
  const text = await answer.text();
  const { code = "" } = text.startsWith("{") ? JSON.parse(text) : {};
  return `${answer.status} ${code}`.trim();
}

/** The value of `Set-Cookie` of a cookie. */
export function cookieOf(response: Response, name: string): string | undefined {
  return response.headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`));
}
