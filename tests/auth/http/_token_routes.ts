/**
 * An application whose sign-ins hand out tokens, and a program that keeps them.
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
    integration: { ...integration, routes: { tokens: true, ...routes } },
    ...rest,
  });
}

/** Signs Ada in, as a program does that is no browser, and forgets the cookies. */
export async function signInForTokens(app: TestApp): Promise<Required<IssuedTokens>> {
  await app.signedIn();
  const response = await app.browser().login(ADA);
  assertEquals(response.status, 200);
  app.events.length = 0;
  app.hasher.calls.length = 0;
  return await response.json();
}

/** Exchanges a refresh token as a program does: without a cookie, and without a word of where it comes from. */
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

/** Asks who it is, by an access token. */
export async function ask({ router }: TestApp, accessToken: string): Promise<Response> {
  return await router.request("/me", { headers: { Authorization: `Bearer ${accessToken}` } });
}
