/**
 * An application whose sign-ins issue tokens, and an API client that stores them.
 *
 * @module
 */

import type { IssuedTokens, JwtOptions } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { createTestApp, type TestApp, type TestAppOptions } from "./_app.ts";
import { ADA } from "../_services.ts";

export const JWT: JwtOptions = { issuer: "https://example.com", audience: "notes" };

export function createTokenApp(options: TestAppOptions = {}): TestApp {
  const { integration = {}, ...rest } = options;
  const routes = typeof integration.routes === "object" ? integration.routes : {};
  return createTestApp({
    jwt: JWT,
    integration: { ...integration, routes: { registration: "open", tokens: true, ...routes } },
    ...rest,
  });
}

/** Signs Ada in as an API client, without storing cookies. */
export async function signInForTokens(app: TestApp): Promise<Required<IssuedTokens>> {
  await app.signedIn();
  const response = await app.browser().login(ADA);
  assertEquals(response.status, 200);
  app.events.length = 0;
  app.hasher.calls.length = 0;
  return await response.json();
}

/** Exchanges a refresh token as an API client: without cookies and without Origin or Fetch Metadata. */
export async function refresh(app: TestApp, refreshToken: unknown): Promise<Response> {
  return await postJson(app, "/auth/refresh", { refreshToken });
}

export async function postJson(
  { router }: TestApp,
  path: string,
  body: unknown,
): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  return await router.request(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Requests the principal with an access token. */
export async function ask({ router }: TestApp, accessToken: string): Promise<Response> {
  return await router.request("/me", { headers: { Authorization: `Bearer ${accessToken}` } });
}
