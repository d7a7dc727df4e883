/** Second factors: the password alone at every route. Rows are only added. */

import {
  createRouter,
  createTokenRoutes,
  emailAccounts,
  generateOpenAPI,
  inMemoryAuthStores,
  mountAuthRoutes,
} from "@gatehouse/http";
import { assertEquals, assertFalse } from "@std/assert";
import { ADA, OTHER_PASSWORD, START } from "../auth/_services.ts";
import type { TestApp } from "../auth/http/_app.ts";
import { INFO, operationsOf } from "../auth/http/_documents.ts";
import {
  begin,
  cookieOf,
  enrol,
  FACTORS,
  MFA,
  outcome,
  REMEMBERED,
  SID,
} from "../auth/http/_factors.ts";
import { oauthApp } from "../auth/http/oauth/_oauth.ts";
import { WEBAUTHN } from "../auth/http/_passkeys.ts";
import { JWT } from "../auth/http/_token_routes.ts";

/** Every route, and what an attacker gets who knows the password, and sends the ticket as everything that a body can have. */
const ROUTES: Readonly<Record<string, string>> = {
  "POST /auth/register": "409 identifier_unavailable",
  "POST /auth/login": "401 mfa_required",
  "POST /auth/login/second-factor": "401 invalid_second_factor",
  "POST /auth/logout": "204",
  "POST /auth/step-up": "401 unauthenticated",
  "GET /auth/session": "401 unauthenticated",
  "GET /auth/csrf": "200",
  "POST /auth/webauthn/register/options": "409 identifier_unavailable",
  "POST /auth/webauthn/register/verify": "400 webauthn_failed",
  "POST /auth/webauthn/login/options": "200", // a challenge, which only a passkey answers
  "POST /auth/webauthn/login/verify": "401 webauthn_failed",
  "GET /auth/webauthn/credentials": "401 unauthenticated",
  "POST /auth/webauthn/credentials/rename": "401 unauthenticated",
  "POST /auth/webauthn/credentials/remove": "401 unauthenticated",
  "GET /auth/oauth/{provider}/start": "303", // to the provider
  "GET /auth/oauth/{provider}/callback": "400 oauth_failed",
  "POST /auth/oauth/{provider}/link": "401 unauthenticated",
  "POST /auth/oauth/{provider}/logout": "200",
  "POST /auth/oauth/{provider}/backchannel-logout": "400 oauth_failed",
  "GET /auth/identities": "401 unauthenticated",
  "POST /auth/identities/unlink": "401 unauthenticated",
  "POST /auth/email/verify/start": "401 unauthenticated",
  "POST /auth/email/verify/finish": "401 unauthenticated",
  "POST /auth/email/change": "401 unauthenticated",
  "POST /auth/password/forgot": "202", // a message to Ada
  "POST /auth/password/reset": "400 invalid_link",
  "POST /auth/link/start": "202",
  "POST /auth/link/finish": "400 invalid_link",
  "POST /auth/code/start": "202",
  "POST /auth/code/finish": "401 invalid_code",
  "GET /auth/second-factors": "401 unauthenticated",
  "POST /auth/second-factors/totp/start": "401 unauthenticated",
  "POST /auth/second-factors/totp/confirm": "401 unauthenticated",
  "POST /auth/second-factors/recovery-codes": "401 unauthenticated",
  "POST /auth/second-factors/remove": "401 unauthenticated",
  "POST /cli/auth/register": "409 identifier_unavailable",
  "POST /cli/auth/login": "401 mfa_required",
  "POST /cli/auth/login/second-factor": "401 invalid_second_factor",
  "POST /cli/auth/logout": "204",
  "POST /cli/auth/refresh": "401 invalid_refresh_token",
  "GET /cli/auth/session": "401 unauthenticated",
};

/** An application with every route; Ada has a second factor. */
async function withEveryRoute() {
  const clock = { now: START };
  const stores = inMemoryAuthStores({ now: () => clock.now });
  const accounts = emailAccounts({
    deliver: () => {},
    origin: "https://example.com",
    ...{ verifyEmail: { page: "/v" }, changeEmail: { page: "/v" }, resetPassword: { page: "/p" } },
    ...{ signInLink: { page: "/l" }, signInCode: {} },
  });
  const webauthn = { ...WEBAUTHN, signUp: true };
  const app = oauthApp({ clock, stores, accounts, webauthn, jwt: JWT, secondFactors: FACTORS });
  await app.runtime.passwords.createUser({ ...ADA }, { sub: "u1" });
  const factors = await enrol(app, "u1");
  const { runtime } = app;
  const cli = mountAuthRoutes(createRouter(), createTokenRoutes({ runtime }), "/cli/auth");
  return { app, cli, ...factors };
}

/** All that lets somebody in. */
async function accessOf({ stores }: TestApp): Promise<readonly unknown[]> {
  return [
    await stores.sessions.list("u1"),
    await stores.refreshTokens.list("u1"),
    await stores.apiKeys.list("u1"),
    await stores.credentials.list("u1"),
    await stores.identities.list("u1"),
    await stores.users.findBySub("u1"),
    await stores.emails.findBySub("u1"),
    await stores.factors.find("u1"),
    (await stores.users.list({ limit: 10 })).length,
  ];
}

Deno.test("[neighbour] the password alone, at every route → no session, token, key, passkey or address", async () => {
  const { app: { router }, cli: clients } = await withEveryRoute();
  const operations = [router, clients]
    .flatMap((one) => [...operationsOf(generateOpenAPI(INFO, one)).keys()]);
  assertEquals(operations.sort(), Object.keys(ROUTES).sort());
  for (const [route, expected] of Object.entries(ROUTES)) {
    const { app, cli, wrong } = await withEveryRoute();
    const page = app.browser();
    await begin(page);
    const ticket = page.jar.get(MFA) ?? "";
    const before = await accessOf(app);
    const json = {
      ...ADA,
      ...{
        email: ADA.identifier,
        newPassword: OTHER_PASSWORD,
        amr: ["mfa"],
        rememberBrowser: true,
      },
      ...{ ticket, token: ticket, refreshToken: ticket, code: await wrong(), totp: await wrong() },
      ...{ id: ticket, name: "Phone", sub: "u1" },
    };
    const [method = "", path = ""] = route.replace("{provider}", "one").split(" ");
    const init = { method: "POST", body: JSON.stringify(json) };
    const headers = { "Content-Type": "application/json" };
    const response = path.startsWith("/cli")
      ? await cli.request(path, method === "GET" ? {} : { ...init, headers })
      : await (method === "GET" ? page.send(path) : page.post(path, json));
    const text = await response.clone().text();
    assertEquals(await outcome(response), expected, `${route}: ${text}`);
    assertEquals(cookieOf(response, SID)?.startsWith(`${SID}=;`) ?? true, true, route); // at most cleared
    assertEquals(cookieOf(response, REMEMBERED), undefined, route);
    assertFalse(/accessToken|recoveryCodes|secret/.test(text), route);
    assertEquals(await accessOf(app), before, route);
    assertEquals(await outcome(page.send("/me")), "401 unauthenticated", route);
  }
});
