/**
 * An application with providers, and browsers that go there and back.
 *
 * @module
 */

import {
  type AuthError,
  inMemoryAuthStores,
  oauthClient,
  type OAuthClientDeps,
} from "@gatehouse/http";
import { type OAuthProvider, oidcProvider } from "@gatehouse/http/auth/oauth";
import { assertEquals } from "@std/assert";
import type { TestBrowser } from "../../_browser.ts";
import { START } from "../../_services.ts";
import { type FakeProvider, fakeProvider } from "../../oauth/_fake_provider.ts";
import { createTestApp, ORIGIN, type TestApp, type TestAppOptions } from "../_app.ts";

/** Options of {@linkcode oauthApp}. */
export interface OAuthAppOptions extends TestAppOptions {
  readonly failurePath?: string;
  readonly registration?: "open" | "closed";
  readonly provider?: Partial<OAuthProvider>;
  readonly deps?: Partial<OAuthClientDeps>;
}

/** An application with two providers, `one` and `two`. */
export interface OAuthApp extends TestApp {
  readonly one: FakeProvider;
  readonly two: FakeProvider;
}

/** Creates the application. */
export function oauthApp(options: OAuthAppOptions = {}): OAuthApp {
  const { failurePath, registration = "open", provider, deps, ...own } = options;
  const clock = own.clock ?? { now: START };
  const now = () => clock.now;
  const stores = own.stores ?? inMemoryAuthStores({ now: () => 0 });
  const one = fakeProvider({ now, issuer: "https://one.example" });
  const two = fakeProvider({ now, issuer: "https://two.example", user: { sub: "two-1" } });
  const clientOf = (name: string, { issuer, clientId, clientSecret, fetch }: FakeProvider) =>
    oauthClient({ ...oidcProvider({ issuer, clientId, clientSecret, name }), ...provider, name }, {
      states: { ...stores.states, ...own.wrap?.(stores).states },
      redirectUri: `${ORIGIN}/auth/oauth/${name}/callback`,
      postLogoutRedirectUri: `${ORIGIN}/bye`,
      fetch,
      now,
      warn: () => {},
      ...deps,
    });
  const oauth = { one: clientOf("one", one), two: clientOf("two", two) };
  const app = createTestApp({
    ...own,
    stores,
    clock,
    integration: {
      routes: {
        registration,
        oauth,
        ...(failurePath === undefined ? {} : { oauthFailurePath: failurePath }),
      },
    },
  });
  return { ...app, one, two };
}

/** Follows a link to a provider. @returns The provider's URL. */
export async function goTo(
  browser: TestBrowser,
  name = "one",
  query = "",
): Promise<string> {
  const response = await browser.send(`/auth/oauth/${name}/start${query}`);
  assertEquals(response.status, 303, await response.text());
  return response.headers.get("Location") ?? "";
}

/** Comes back from the provider, as a browser does: from another site, without the origin's headers. */
export async function comeBack(
  browser: TestBrowser,
  fake: FakeProvider,
  url: string,
): Promise<Response> {
  const callback = new URL(fake.authorize(url).url);
  return await browser.send(callback.pathname + callback.search, {
    headers: { "Sec-Fetch-Site": "cross-site" },
  });
}

/** A whole sign-in. */
export async function signInWith(
  browser: TestBrowser,
  fake: FakeProvider,
  name = "one",
  query = "",
): Promise<Response> {
  return await comeBack(browser, fake, await goTo(browser, name, query));
}

/** Status and code of a problem. */
export async function problemOf(response: Response): Promise<readonly [number, AuthError["code"]]> {
  const { code } = await response.json();
  return [response.status, code];
}
