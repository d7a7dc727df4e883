/**
 * An application with passkeys, and pages that use them by fetch.
 *
 * @module
 */

import {
  inMemoryAuthStores,
  type PasskeyInfo,
  type WebAuthnConfig,
  type WebAuthnService,
} from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { EVE_PASSWORD, START } from "../_services.ts";
import {
  type Authenticator,
  createAuthenticator,
  type CreateChange,
  type GetChange,
} from "../webauthn/_authenticator.ts";
import {
  createTestApp,
  ORIGIN,
  type TestApp,
  type TestAppOptions,
  type TestBrowser,
} from "./_app.ts";
import type { Refusal } from "./_routes.ts";

export { createAuthenticator } from "../webauthn/_authenticator.ts";
export type { Authenticator, CreateChange, GetChange } from "../webauthn/_authenticator.ts";

export const WEBAUTHN: WebAuthnConfig = {
  rpId: "example.com",
  rpName: "Example",
  origins: [ORIGIN],
};

/** Where the routes of passkeys are. */
export const BASE = "/auth/webauthn";

export const ANONYMOUS: Refusal = {
  status: 401,
  code: "unauthenticated",
  headers: { "www-authenticate": "Session" },
};

/** The session is too old, or the credential is not a session. */
export const TOO_OLD: Refusal = {
  ...ANONYMOUS,
  code: "insufficient_authentication",
  detail: "The last sign-in is too long ago",
};

export interface PasskeyAppOptions extends Omit<TestAppOptions, "webauthn"> {
  /** Options in addition to {@linkcode WEBAUTHN}. */
  readonly webauthn?: Partial<WebAuthnConfig>;
}

/** Paths of the routes below {@linkcode BASE}. */
export type PasskeyPath =
  | "register/options"
  | "register/verify"
  | "login/options"
  | "login/verify"
  | "credentials/rename"
  | "credentials/remove";

export interface PasskeyApp extends TestApp {
  readonly webauthn: WebAuthnService;
}

export function createPasskeyApp({ webauthn, ...options }: PasskeyAppOptions = {}): PasskeyApp {
  const app = createTestApp({ ...options, webauthn: { ...WEBAUTHN, ...webauthn } });
  assert(app.runtime.webauthn !== undefined);
  return { ...app, webauthn: app.runtime.webauthn };
}

/** Posts to a route of passkeys. */
export async function ask(
  page: TestBrowser,
  path: PasskeyPath,
  json: unknown = {},
): Promise<Response> {
  return await page.post(`${BASE}/${path}`, json);
}

/** The JSON of a response with an expected status. */
// deno-lint-ignore no-explicit-any -- tests read any member
export async function bodyOf(response: Promise<Response>, status: number = 200): Promise<any> {
  const answer = await response;
  const text = await answer.text();
  assertEquals(answer.status, status, text);
  return text === "" ? undefined : JSON.parse(text);
}

export interface RegisterInit {
  /** The body of the request for options. */
  readonly options?: object;
  readonly name?: unknown;
  readonly change?: CreateChange;
}

/** Both requests of a registration. @returns The response to the second. */
export async function register(
  page: TestBrowser,
  authenticator: Authenticator,
  { options = {}, change, ...own }: RegisterInit = {},
): Promise<Response> {
  const created = await bodyOf(ask(page, "register/options", options));
  const response = await authenticator.create(created, change);
  return await ask(page, "register/verify", { ...response, ...own });
}

export interface SignInInit {
  /** The body of the request for options. */
  readonly options?: object;
  readonly remember?: unknown;
  readonly change?: GetChange;
}

/** Both requests of a sign-in. @returns The response to the second. */
export async function signIn(
  page: TestBrowser,
  authenticator: Authenticator,
  { options = {}, change, ...own }: SignInInit = {},
): Promise<Response> {
  const requested = await bodyOf(ask(page, "login/options", options));
  const response = await authenticator.get(requested, change);
  return await ask(page, "login/verify", { ...response, ...own });
}

export interface PasskeyScene {
  readonly app: PasskeyApp;
  /** Ada's browser, in which she is signed in, and has registered a passkey. */
  readonly page: TestBrowser;
  readonly authenticator: Authenticator;
  readonly passkey: PasskeyInfo;
}

/** Ada, `u1`, has a password and a passkey; events are not recorded yet. */
export async function withPasskey(options: PasskeyAppOptions = {}): Promise<PasskeyScene> {
  const app = createPasskeyApp(options);
  const page = await app.signedIn();
  const authenticator = createAuthenticator();
  const { credential } = await bodyOf(register(page, authenticator, { name: "Phone" }), 201);
  app.events.length = 0;
  return { app, page, authenticator, passkey: credential };
}

export interface TwoUserScene extends PasskeyScene {
  /** Eve's browser, in which she is signed in. */
  readonly eve: TestBrowser;
}

/** Ada has a passkey, and Eve an account. States expire. */
export async function withTwoUsers(options: PasskeyAppOptions = {}): Promise<TwoUserScene> {
  const clock = { now: START };
  const stores = inMemoryAuthStores({ now: () => clock.now });
  const scene = await withPasskey({ clock, stores, ...options });
  const eve = scene.app.browser({ address: "198.51.100.1" });
  await bodyOf(eve.register({ identifier: "eve", password: EVE_PASSWORD }), 201);
  scene.app.events.length = 0;
  return { ...scene, eve };
}

/** What a client saw of a refusal, and the reason in the event. */
export async function refusalOf(
  { app }: PasskeyScene,
  response: Response,
): Promise<readonly unknown[]> {
  const { code } = await response.json();
  const failed = app.events.find((event) => event.type === "webauthn.failed");
  return [response.status, code, failed?.type === "webauthn.failed" ? failed.reason : undefined];
}
