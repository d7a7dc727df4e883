/** Second factors and tokens: routes for API clients, sign-ins that issue tokens, RFC 9470. */

import {
  createRouter,
  createTokenRoutes,
  generateOpenAPI,
  mountAuthRoutes,
  type TypedRouter,
} from "@gatehouse/http";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { decode } from "../_decode.ts";
import { ADA, OTHER_PASSWORD, types } from "../_services.ts";
import { createTestApp } from "./_app.ts";
import { INFO } from "./_documents.ts";
import {
  begin,
  complete,
  createFactorApp,
  enrol,
  type FactorScene,
  outcome,
  withEve,
  withFactor,
} from "./_factors.ts";
import { ask, JWT, refresh } from "./_token_routes.ts";

interface ApiScene extends FactorScene {
  readonly api: TypedRouter;
}

/** Ada has a second factor; API clients sign in under /cli, pages with tokens under /auth. */
async function withApi(): Promise<ApiScene> {
  const scene = await withFactor({
    jwt: JWT,
    integration: { routes: { registration: "open", tokens: true } },
  });
  const { runtime } = scene.app;
  return {
    ...scene,
    api: mountAuthRoutes(createRouter(), createTokenRoutes({ runtime }), "/cli"),
  };
}

/** A request of an API client: no cookie, and no Origin or Fetch Metadata. */
async function post({ api }: Pick<ApiScene, "api">, path: string, body: object): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  return await api.request(`/cli${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Sends the password. @returns The ticket. */
async function ticketOf(scene: ApiScene, credentials = ADA): Promise<string> {
  const response = await post(scene, "/login", credentials);
  const { code, ticket } = await response.json();
  assertEquals([response.status, code], [401, "mfa_required"]);
  return ticket;
}

const second = "/login/second-factor";

Deno.test("POST /login for API clients is mfa_required, with a ticket in the problem and no cookie", async () => {
  const scene = await withApi();
  const response = await post(scene, "/login", ADA);
  assertEquals(response.headers.getSetCookie(), []);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const { ticket, ...problem } = await response.json();
  assertMatch(ticket, /^[\w-]{43}$/);
  assertEquals(problem, {
    factors: ["totp", "recovery_code"],
    type: "about:blank",
    title: "Unauthorized",
    status: 401,
    code: "mfa_required",
    detail: "The account has a second factor",
  });
  assertEquals(await scene.app.stores.refreshTokens.list("u1"), []);
});

Deno.test("POST /login/second-factor for API clients issues tokens of a sign-in by both factors", async () => {
  const scene = await withApi();
  const { app, totp } = scene;
  const ticket = await ticketOf(scene);
  app.events.length = 0;
  const response = await post(scene, second, { ticket, totp: await totp() });
  assertEquals([response.status, response.headers.getSetCookie()], [200, []]);
  const { user, accessToken, refreshToken, tokenType } = await response.json();
  assertEquals([user, tokenType], [{ sub: "u1", identifier: ADA.identifier }, "Bearer"]);
  const amr = ["pwd", "otp", "mfa"];
  assertEquals(decode(accessToken).claims.amr, amr);
  assertEquals(types(app.events), ["factor.used"]);
  const next = await (await refresh(app, refreshToken)).json();
  assertEquals(decode(next.accessToken).claims.amr, amr); // refreshed ones keep it
  const headers = { Authorization: `Bearer ${next.accessToken}` };
  assertEquals(await outcome(app.router.request("/mfa", { headers })), "200");
  const again = post(scene, second, { ticket, totp: await totp() });
  assertEquals(await outcome(again), "401 mfa_expired");
});

Deno.test("POST /login/second-factor for API clients accepts recovery codes, and five tries for a ticket", async () => {
  const scene = await withApi();
  const { recoveryCodes: [recoveryCode], wrong, totp } = scene;
  const proof = { ticket: await ticketOf(scene), recoveryCode };
  assertEquals(await outcome(post(scene, second, proof)), "200");
  const ticket = await ticketOf(scene);
  for (let i = 0; i < 5; i++) {
    const guess = post(scene, second, { ticket, totp: await wrong() });
    assertEquals(await outcome(guess), "401 invalid_second_factor");
  }
  scene.app.clock.now += 30; // the throttle's wait
  const late = post(scene, second, { ticket, totp: await totp() });
  assertEquals(await outcome(late), "401 mfa_expired");
});

Deno.test("POST /login/second-factor for API clients refuses invalid bodies by 422", async () => {
  const scene = await withApi();
  const ticket = await ticketOf(scene);
  const totp = await scene.totp();
  const rows: readonly (readonly [body: object, pointer: string])[] = [
    [{ totp }, "/ticket"],
    [{ ticket: null, totp }, "/ticket"],
    [{ ticket: [ticket], totp }, "/ticket"],
    [{ ticket }, ""],
    [{ ticket, totp, recoveryCode: "00000-00000" }, ""],
    [{ ticket, totp: Number(totp) }, ""],
    [[ticket], ""],
  ];
  for (const [body, pointer] of rows) {
    const { status, violations } = await (await post(scene, second, body)).json();
    assertEquals([status, violations?.[0]?.pointer], [422, pointer], JSON.stringify(body));
  }
  assertEquals(await outcome(post(scene, second, { ticket, totp })), "200");
});

Deno.test("POST /login/second-factor for API clients rejects a ticket after a new password, or if the account is gone", async () => {
  for (
    const change of [
      ({ app }: ApiScene) => app.runtime.passwords.reset("u1", OTHER_PASSWORD),
      ({ app }: ApiScene) => app.runtime.users.disable("u1"),
      ({ app }: ApiScene) => app.runtime.users.remove("u1"),
    ]
  ) {
    const scene = await withApi();
    const [ticket, totp] = [await ticketOf(scene), await scene.totp()];
    await change(scene);
    const response = post(scene, second, { ticket, totp });
    assertEquals(await outcome(response), "401 mfa_expired");
  }
});

Deno.test("createTokenRoutes() has no second-factor route without the option", () => {
  const { runtime } = createTestApp({ jwt: JWT });
  const paths = createTokenRoutes({ runtime }).map(({ path }) => path);
  assertEquals(paths.includes(second), false);
  const own = createTokenRoutes({ runtime: createFactorApp({ jwt: JWT }).runtime });
  assert(own.some(({ path }) => path === second));
  const router = mountAuthRoutes(createRouter(), own, "/cli");
  const operation = generateOpenAPI(INFO, router).paths[`/cli${second}`]?.post;
  assert(JSON.stringify(operation?.requestBody).includes('"required":["ticket"]'));
});

// Pages with tokens.

Deno.test("with tokens, /login/second-factor and /step-up issue them, and the ones before end", async () => {
  const { app, totp } = await withApi();
  const page = app.browser();
  const refused = await page.login();
  assertEquals((await refused.json()).accessToken, undefined);
  const first = await (await complete(page, { totp: await totp() })).json();
  assertEquals(decode(first.accessToken).claims.amr, ["pwd", "otp", "mfa"]);
  assertEquals(decode(first.accessToken).claims.sid, first.session.id);
  app.clock.now += 30;
  const next = await (await page.post("/auth/step-up", { totp: await totp() })).json();
  assertEquals(decode(next.accessToken).claims.auth_time, app.clock.now);
  assertEquals(await outcome(refresh(app, first.refreshToken)), "401 invalid_refresh_token");
  assertEquals(await outcome(refresh(app, next.refreshToken)), "200");
});

Deno.test("RFC 9470: a token of one factor gets insufficient_user_authentication where mfa is required", async () => {
  const app = createFactorApp({
    jwt: JWT,
    integration: { routes: { registration: "open", tokens: true } },
  });
  await app.signedIn();
  const { accessToken } = await (await app.browser().login()).json(); // before the factor is set up
  const { totp } = await enrol(app, "u1");
  const headers = { Authorization: `Bearer ${accessToken}` };
  const response = await app.router.request("/mfa", { headers });
  const challenge = 'Bearer error="insufficient_user_authentication"';
  assertEquals(response.headers.get("WWW-Authenticate"), challenge);
  assertEquals(await outcome(response), "401 insufficient_authentication");
  app.clock.now += 61;
  const old = await app.router.request("/recent", { headers });
  assertEquals(old.headers.get("WWW-Authenticate"), `${challenge}, max_age="60"`);
  await old.body?.cancel();
  // A token is no session: it cannot be stepped up, nor set up or remove a factor
  const page = app.browser();
  const paths = ["step-up", "second-factors/totp/start", "second-factors/remove"];
  for (const path of paths) {
    const stepped = page.post(`/auth/${path}`, { totp: await totp() }, { headers });
    assertEquals(await outcome(stepped), "401 insufficient_authentication", path);
  }
  assertEquals((await ask(app, accessToken)).status, 200);
});

Deno.test("tickets of pages and of API clients are both completed once, wherever they are completed", async () => {
  const scene = await withApi();
  const { app, totp } = scene;
  const page = app.browser();
  await begin(page);
  const ticket = page.jar.get("__Host-mfa") ?? "";
  assertEquals(await outcome(post(scene, second, { ticket, totp: await totp() })), "200");
  app.clock.now += 30;
  assertEquals(await outcome(complete(page, { totp: await totp() })), "401 mfa_expired");
  const eve = await withEve(app);
  const wrong = { ticket: await ticketOf(scene), totp: await eve.totp() };
  assertEquals(await outcome(post(scene, second, wrong)), "401 invalid_second_factor");
});
