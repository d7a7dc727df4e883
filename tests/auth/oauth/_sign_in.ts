/**
 * A client of the fake provider, and the walk of a browser through a sign-in.
 *
 * @module
 */

import { assertRejects } from "@std/assert";
import { AuthError, type AuthEvent, inMemoryAuthStores } from "../../../auth/mod.ts";
import {
  type OAuthClient,
  oauthClient,
  type OAuthClientDeps,
  type OAuthProvider,
  type OAuthResult,
  type OAuthStartOptions,
  oidcProvider,
} from "../../../auth/oauth/mod.ts";
import {
  type Changes,
  type FakeProvider,
  fakeProvider,
  type FakeProviderOptions,
} from "./_fake_provider.ts";

/** The time of tests. */
export const NOW = 1_800_000_000;

export const REDIRECT_URI = "https://app.example/auth/oauth/fake/callback";

/** A client, its provider, and what happened. */
export interface Site {
  readonly fake: FakeProvider;
  readonly client: OAuthClient;
  readonly events: AuthEvent[];
  readonly stores: ReturnType<typeof inMemoryAuthStores>;
  /** The clock; tests set it. */
  readonly clock: { now: number };
}

/** Options of {@linkcode site}. */
export interface SiteOptions {
  readonly fake?: FakeProviderOptions;
  readonly provider?: Partial<OAuthProvider>;
  readonly deps?: Partial<OAuthClientDeps>;
}

/** Creates a client of a fake provider. */
export function site({ fake: given, provider, deps }: SiteOptions = {}): Site {
  const clock = { now: NOW };
  const now = () => clock.now;
  const fake = fakeProvider({ now, ...given });
  const stores = inMemoryAuthStores({ now });
  const events: AuthEvent[] = [];
  const { issuer, clientId, clientSecret } = fake;
  const preset = oidcProvider({ issuer, clientId, clientSecret, name: "fake" });
  const client = oauthClient({ ...preset, ...provider }, {
    states: stores.states,
    redirectUri: REDIRECT_URI,
    fetch: fake.fetch,
    now,
    events: (event) => void events.push(event),
    warn: () => {},
    ...deps,
  });
  return { fake, client, events, stores, clock };
}

/** A browser: its cookies by name. */
export type Browser = Map<string, string>;

/** Stores cookies of a response. */
export function keepCookies(browser: Browser, cookies: readonly string[]): void {
  for (const cookie of cookies) {
    const [pair = ""] = cookie.split(";");
    const name = pair.slice(0, pair.indexOf("="));
    if (cookie.includes("Expires=Thu, 01 Jan 1970")) browser.delete(name);
    else browser.set(name, pair.slice(name.length + 1));
  }
}

/** A request of a browser. */
export function requestOf(browser: Browser, url: string, init: RequestInit = {}): Request {
  const Cookie = [...browser].map(([name, value]) => `${name}=${value}`).join("; ");
  return new Request(url, { ...init, headers: { ...init.headers, Cookie } });
}

/** Begins a sign-in in a browser. @returns The provider's URL. */
export async function start(
  { client }: Pick<Site, "client">,
  browser: Browser,
  options: OAuthStartOptions = {},
): Promise<string> {
  const request = requestOf(browser, "https://app.example/auth/oauth/fake/start");
  const { url, cookies } = await client.start(request, options);
  keepCookies(browser, cookies);
  return url;
}

/** A whole sign-in, with answers as they are changed. */
export async function signIn(
  site: Pick<Site, "client" | "fake">,
  changes: Changes = {},
  options: OAuthStartOptions = {},
): Promise<OAuthResult> {
  const browser: Browser = new Map();
  const url = await start(site, browser, options);
  site.fake.change(changes);
  return await site.client.callback(requestOf(browser, site.fake.authorize(url).url));
}

/** Asserts that a sign-in fails, and returns code, status and reason. */
export async function failure(work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const error = await assertRejects(work, AuthError);
  return [error.code, error.reason];
}
