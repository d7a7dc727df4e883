/** What of a sign-in's tokens ends with it: POST /auth/logout, passwords, accounts. */

import { assertEquals } from "@std/assert";
import type { TestApp } from "./_app.ts";
import { decode } from "../_decode.ts";
import { assertRefused, FORGED } from "./_routes.ts";
import { ADA, NOBODY, OTHER_PASSWORD, PASSWORD, setDisabled } from "../_services.ts";
import { ask, createTokenApp, refresh, signInForTokens } from "./_token_routes.ts";

/** What a logout says, and whether another sign-in's refresh token is dead after. */
const BODIES: readonly (readonly [
  why: string,
  body: (token: string) => unknown,
  status: number,
  after: number,
])[] = [
  ["nothing", () => undefined, 204, 200],
  ["an empty object", () => ({}), 204, 200],
  ["a refresh token", (refreshToken) => ({ refreshToken }), 204, 401],
  ["a refresh token that is none", () => ({ refreshToken: "made-up" }), 204, 200],
  ["a number for it", () => ({ refreshToken: 5 }), 204, 200],
  ["null for it", () => ({ refreshToken: null }), 204, 200],
  ["a list", (refreshToken) => [refreshToken], 204, 200],
  ["a text", (refreshToken) => refreshToken, 204, 200],
];

for (const [why, body, status, after] of BODIES) {
  Deno.test(`POST /auth/logout with ${why} is a ${status}, and the token is a ${after} after`, async () => {
    const app = createTokenApp();
    const { refreshToken } = await signInForTokens(app);
    const page = await app.signedIn();
    const said = body(refreshToken);
    const response = await page.post("/auth/logout", said, said === undefined ? {} : {});
    assertEquals([response.status, await response.text()], [status, ""]);
    assertEquals((await page.send("/me")).status, 401);
    assertEquals((await refresh(app, refreshToken)).status, after);
  });
}

Deno.test("POST /auth/logout ends the tokens of its own session without being told", async () => {
  const app = createTokenApp();
  await app.signedIn();
  const page = app.browser();
  const { refreshToken, accessToken } = await (await page.login(ADA)).json();
  assertEquals((await page.logout()).status, 204);
  assertEquals((await refresh(app, refreshToken)).status, 401);
  assertEquals((await ask(app, accessToken)).status, 200); // until it ends, ten minutes at most
});

Deno.test("POST /auth/logout ends the session though the body cannot be read, and says so", async () => {
  const app = createTokenApp();
  for (const [body, status] of [["{", 400], [`"${"a".repeat(16_384)}"`, 413]] as const) {
    const page = await app.signedIn();
    const headers = { "Content-Type": "application/json" };
    const token = await page.token();
    const response = await page.send("/auth/logout", { method: "POST", body, headers, token });
    assertEquals(response.status, status);
    assertEquals((await page.send("/me")).status, 401);
  }
});

Deno.test("POST /auth/logout without a CSRF token ends nothing", async () => {
  const app = createTokenApp();
  const { refreshToken } = await signInForTokens(app);
  const page = await app.signedIn();
  const init = { method: "POST", json: { refreshToken } };
  await assertRefused(await page.send("/auth/logout", init), FORGED);
  assertEquals((await refresh(app, refreshToken)).status, 200);
});

Deno.test("POST /auth/logout takes no token for anything where the routes hand out none", async () => {
  const app = createTokenApp({ integration: { routes: { tokens: false } } });
  await app.signedIn();
  const authentication = await app.runtime.passwords.verify({ ...ADA }, NOBODY);
  const issued = await app.runtime.tokens?.issue(authentication);
  const page = await app.signedIn();
  assertEquals((await page.post("/auth/logout", issued)).status, 204);
  await app.runtime.tokens?.refresh(issued?.refreshToken ?? "");
});

/** How access ends, for all that the user has. */
const ENDS: readonly (readonly [why: string, end: (app: TestApp) => Promise<unknown>])[] = [
  ["a changed password", ({ runtime }) => {
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    return runtime.passwords.change("u1", change, NOBODY);
  }],
  ["a reset password", ({ runtime }) => runtime.passwords.reset("u1", OTHER_PASSWORD)],
  ["a disabled account", ({ runtime }) => runtime.users.disable("u1")],
  ["an account that was disabled by hand", ({ stores }) => setDisabled(stores)],
  ["an account that is open again", async ({ runtime }) => {
    await runtime.users.disable("u1");
    await runtime.users.enable("u1");
  }],
  ["an account that is gone", ({ runtime }) => runtime.users.remove("u1")],
  ["sessions that were all revoked", ({ runtime }) => runtime.sessions.revokeAll("u1")],
];

for (const [why, end] of ENDS) {
  Deno.test(`Refresh tokens end with ${why}`, async () => {
    const app = createTokenApp();
    const first = await signInForTokens(app);
    const second = await (await refresh(app, first.refreshToken)).json();
    await end(app);
    assertEquals((await refresh(app, second.refreshToken)).status, 401);
  });
}

Deno.test("Refresh tokens of a session end with it in the user's list", async () => {
  const app = createTokenApp();
  const { refreshToken } = await signInForTokens(app);
  const kept = await signInForTokens(app);
  const [latest] = await app.runtime.sessions.list("u1");
  const sessions = await app.runtime.sessions.list("u1");
  const own = sessions.find(({ id }) => sessionOf(kept.accessToken) === id);
  await app.runtime.sessions.revokeOthers("u1", own?.id ?? latest?.id ?? "");
  assertEquals((await refresh(app, refreshToken)).status, 401);
  assertEquals((await refresh(app, kept.refreshToken)).status, 200);
});

function sessionOf(accessToken: string): unknown {
  return decode(accessToken).claims.sid;
}
