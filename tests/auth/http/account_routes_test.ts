/** The routes of accounts by e-mail. */

import { generateOpenAPI, requireVerifiedEmail } from "@gatehouse/http";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { ADA, OTHER_PASSWORD, PASSWORD, repeat, START } from "../_services.ts";
import {
  type AccountApp,
  type ACCOUNTS,
  codeOf,
  createAccountApp,
  MAIL,
  NEW_MAIL,
  tokenOf,
  verifyMail,
} from "./_accounts.ts";
import { createTestApp, type TestBrowser } from "./_app.ts";
import { assertFits, INFO, operationsOf } from "./_documents.ts";
import { seen } from "./_routes.ts";

/** Ada has an account, and a page without a session. */
async function prepared(app: AccountApp = createAccountApp()): Promise<
  AccountApp & { readonly page: TestBrowser }
> {
  await app.runtime.passwords.createUser({ ...ADA }, { sub: "u1" });
  app.events.length = 0;
  return { ...app, page: app.browser() };
}

/** Every route, and a body of the right shape. */
const ROUTES: readonly (readonly [
  flow: keyof typeof ACCOUNTS,
  path: string,
  body: Record<string, string>,
])[] = [
  ["verifyEmail", "email/verify/start", {}],
  ["verifyEmail", "email/verify/finish", { token: "x" }],
  ["changeEmail", "email/change", { email: NEW_MAIL }],
  ["resetPassword", "password/forgot", { identifier: MAIL }],
  ["resetPassword", "password/reset", { token: "x", newPassword: OTHER_PASSWORD }],
  ["signInLink", "link/start", { email: MAIL }],
  ["signInLink", "link/finish", { token: "x" }],
  ["signInCode", "code/start", { email: MAIL }],
  ["signInCode", "code/finish", { email: MAIL, code: "000000" }],
];

for (const [flow, path, body] of ROUTES) {
  Deno.test(`POST /${path} is there if ${flow} is on, and changes nothing by GET`, async () => {
    const { page, stores, ...app } = await prepared();
    const states = JSON.stringify(await stores.users.findBySub("u1"));
    for (const method of ["GET", "HEAD"]) {
      const response = await page.send(`/auth/${path}?token=x`, { method });
      assertEquals(response.status, 405);
      await response.body?.cancel();
    }
    const query = new URLSearchParams(body);
    assertEquals(await codeOf(page.send(`/auth/${path}?${query}`)), "405 method_not_allowed");
    assertEquals(JSON.stringify(await stores.users.findBySub("u1")), states);
    assertEquals([await app.delivered(), app.events], [[], []]);
    const without = createAccountApp({
      accounts: {
        [flow]: undefined,
        ...(path.startsWith("email/verify/f") ? { changeEmail: undefined } : {}),
      },
    });
    assertEquals(await codeOf(without.browser().post(`/auth/${path}`, body)), "404 not_found");
    const none = createTestApp();
    assertEquals(await codeOf(none.browser().post(`/auth/${path}`, body)), "404 not_found");
  });

  Deno.test(`POST /${path} needs a CSRF token, and a body of its shape`, async () => {
    const { page, delivered, runtime } = await prepared();
    assertEquals(
      await codeOf(page.post(`/auth/${path}`, body, { token: false })),
      "403 csrf_failed",
    );
    const headers = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
    assertEquals(await codeOf(page.post(`/auth/${path}`, body, { headers })), "403 csrf_failed");
    const { token } = await runtime.sessions.create(
      await runtime.passwords.verify({ ...ADA }, { address: undefined }),
    );
    page.keep([runtime.cookies.set("sid", token)]);
    const csrf = await page.send("/auth/csrf");
    const init = { token: (await csrf.json()).csrfToken };
    for (const odd of [[], "x", null, 5]) {
      if (path === "email/verify/start") continue;
      assertEquals(await codeOf(page.post(`/auth/${path}`, odd, init)), "422 validation_failed");
    }
    for (const name of Object.keys(body)) {
      for (const value of [undefined, null, 5, [body[name]], { x: 1 }]) {
        const changed = page.post(`/auth/${path}`, { ...body, [name]: value }, init);
        assertEquals(await codeOf(changed), "422 validation_failed");
      }
    }
    assertEquals(await delivered(), []);
  });
}

Deno.test("POST /email/verify/start needs a session, /email/change a recent one, and neither takes a token or key", async () => {
  const app = await prepared();
  for (
    const [path, body] of [["email/verify/start", {}], ["email/change", {
      email: NEW_MAIL,
    }]] as const
  ) {
    assertEquals(await codeOf(app.page.post(`/auth/${path}`, body)), "401 unauthenticated");
    const page = await app.signedIn();
    app.clock.now += 901;
    const answer = await codeOf(page.post(`/auth/${path}`, body));
    assertEquals(answer, path === "email/change" ? "401 insufficient_authentication" : "202");
  }
  assertEquals((await app.delivered()).map(({ kind }) => kind), ["verify_email"]);
});

Deno.test("POST /email/verify/start and /finish verify the address of a signed-in user", async () => {
  const app = await prepared();
  const page = await app.signedIn();
  const message = await app.ask(page, "email/verify/start");
  assertEquals([message.kind, message.to], ["verify_email", MAIL]);
  const token = tokenOf(message);
  const finish = (browser: TestBrowser) => browser.post("/auth/email/verify/finish", { token });
  assertEquals(await codeOf(finish(app.browser())), "401 unauthenticated", "the victim of a link");
  const other = await app.signedIn(); // the mail is read on another device
  const response = await finish(other);
  assertEquals([response.status, await response.json()], [200, { email: MAIL }]);
  assertEquals(response.headers.getSetCookie(), []);
  assertEquals(await codeOf(finish(other)), "400 invalid_link");
  assertEquals(await codeOf(page.post("/auth/email/verify/start", {})), "202");
  assertEquals(await app.delivered(), []);
});

Deno.test("POST /email/change tells both addresses, with the language of the request, and waits for each delivery", async () => {
  const app = await prepared();
  await verifyMail(app);
  const page = await app.signedIn();
  const headers = { "Accept-Language": "de-AT" };
  const asked = page.post("/auth/email/change", { email: NEW_MAIL }, { headers });
  assertEquals(await codeOf(asked), "202");
  const [link, note] = await app.delivered();
  assertEquals([link?.to, link?.locale, note?.to, note?.locale], [
    NEW_MAIL,
    "de-AT",
    MAIL,
    "de-AT",
  ]);
  const finish = { token: tokenOf(link) };
  const done = page.post("/auth/email/verify/finish", finish, { headers });
  assertEquals(await codeOf(done), "200");
  const [last] = await app.delivered();
  assertEquals([last?.kind, last?.to, last?.locale], ["email_changed", MAIL, "de-AT"]);
  assertEquals((await page.send("/me")).status, 200, "the session stays");
  const login = app.browser().login({ identifier: NEW_MAIL, password: PASSWORD });
  assertEquals(await codeOf(login), "200");
});

Deno.test("POST /password/reset sets the password, ends sessions, and signs nobody in", async () => {
  const app = await prepared();
  const old = await app.signedIn();
  const token = tokenOf(await app.ask(app.page, "password/forgot", { identifier: MAIL }));
  const weak = app.page.post("/auth/password/reset", { token, newPassword: "short" });
  assertEquals(await codeOf(weak), "422 weak_password");
  const response = await app.page.post("/auth/password/reset", {
    token,
    newPassword: OTHER_PASSWORD,
  });
  assertEquals([response.status, response.headers.getSetCookie()], [204, []]);
  assertEquals((await old.send("/me")).status, 401);
  assertEquals(await codeOf(app.page.login({ ...ADA, password: OTHER_PASSWORD })), "200");
});

for (
  const [kind, remember] of [["link", false], ["link", true], ["code", false], [
    "code",
    true,
  ]] as const
) {
  Deno.test(`POST /${kind}/finish signs in, ${remember ? "and keeps the user" : "until the browser is closed, as one who is not kept"} signed in`, async () => {
    const app = await prepared();
    await verifyMail(app);
    const message = await app.ask(app.page, `${kind}/start`, { email: MAIL, remember });
    const body = kind === "link"
      ? { token: tokenOf(message) }
      : { email: MAIL, code: message.code };
    const response = await app.page.post(`/auth/${kind}/finish`, body);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    const { principal, session, user, csrfToken, ...others } = await response.json();
    assertEquals([response.status, others], [200, {}]);
    assertEquals(principal, {
      sub: "u1",
      method: "email",
      amr: ["email"],
      authTime: START,
      sessionId: session.id,
    });
    assertEquals(user, { sub: "u1", identifier: MAIL });
    assert(typeof csrfToken === "string");
    assertEquals((await app.page.send("/me")).status, 200);
    app.page.close();
    assertEquals((await app.page.send("/me")).status, remember ? 200 : 401);
  });
}

Deno.test("POST /code/finish refuses a wrong code like an unknown address", async () => {
  const app = await prepared();
  const code = (await app.ask(app.page, "code/start", { email: MAIL })).code === "000000"
    ? "000001"
    : "000000";
  await app.page.post("/auth/code/start", { email: "nobody@example.org" });
  const answers = new Set<string>();
  for (const email of [MAIL, "nobody@example.org", "other@example.org"]) {
    const response = await app.page.post("/auth/code/finish", { email, code });
    answers.add(JSON.stringify(await seen(response)));
  }
  assertEquals(answers.size, 1);
  assertMatch([...answers][0] ?? "", /401.*invalid_code/);
});

Deno.test("POST /password/forgot, /link/start and /code/start answer known and unknown addresses with the same bytes", async () => {
  const app = await prepared();
  const { passwords, users } = app.runtime;
  await passwords.createUser({ identifier: "off@example.org", password: PASSWORD }, { sub: "u2" });
  await users.disable("u2");
  const names = [MAIL, "off@example.org", "nobody@example.org"];
  for (
    const [path, member] of [["password/forgot", "identifier"], ["link/start", "email"], [
      "code/start",
      "email",
    ]] as const
  ) {
    const answers = new Set<string>();
    for (const name of names) {
      const page = app.browser();
      await page.token();
      const own: unknown[] = [];
      for (const _ of repeat(4, () => 0)) {
        own.push(await seen(await page.post(`/auth/${path}`, { [member]: name })));
      }
      answers.add(JSON.stringify(own));
    }
    assertEquals(answers.size, 1, path);
  }
  const late: string[] = [];
  for (const name of names) {
    const page = app.browser();
    let response = await page.post("/auth/code/start", { email: name });
    for (let i = 0; i < 12; i++) response = await page.post("/auth/code/start", { email: name });
    late.push(JSON.stringify(await seen(response)));
  }
  assertEquals(new Set(late).size, 1);
  assertMatch(late[0] ?? "", /429.*throttled/);
});

Deno.test("POST /register stores an address and sends its link; a wrong one creates no account", async () => {
  const app = createAccountApp();
  const body = { identifier: "ada", password: PASSWORD };
  for (const email of ["x", 5, null, [MAIL], `${MAIL}\r\nBcc: x@example.org`]) {
    const response = app.browser().post("/auth/register", { ...body, email });
    assertEquals(await codeOf(response), "400 invalid_identifier");
  }
  const other = app.browser().post("/auth/register", {
    ...body,
    identifier: NEW_MAIL,
    email: MAIL,
  });
  assertEquals(await codeOf(other), "400 invalid_identifier");
  assertEquals((await app.stores.users.list({ limit: 5 })).length, 0);
  const page = app.browser();
  assertEquals(await codeOf(page.post("/auth/register", { ...body, email: MAIL })), "201");
  const [message] = await app.delivered();
  assertEquals([message?.kind, message?.to], ["verify_email", MAIL]);
  const { accounts } = app.runtime;
  assertEquals(await accounts?.verifyEmail(tokenOf(message), message?.sub ?? ""), {
    sub: message?.sub ?? "",
    email: MAIL,
  });
});

Deno.test("POST /register ignores an address if there are no accounts by e-mail", async () => {
  const page = createTestApp().browser();
  const body = { identifier: "ada", password: PASSWORD, email: "x" };
  assertEquals(await codeOf(page.post("/auth/register", body)), "201");
});

Deno.test("requireVerifiedEmail() admits users with a verified address", async () => {
  const app = await prepared();
  const use = [requireVerifiedEmail({ runtime: app.runtime })];
  app.router.get("/only", () => new Response("in"), { use });
  const page = await app.signedIn();
  assertEquals(await codeOf(page.send("/only")), "403 email_unverified");
  assertEquals(await codeOf(app.page.send("/only")), "401 unauthenticated");
  await verifyMail(app);
  assertEquals((await page.send("/only")).status, 200);
  await verifyMail(app, "u1", NEW_MAIL);
  assertEquals((await page.send("/only")).status, 200);
  const { version = "" } = await app.stores.emails.findBySub("u1") ?? {};
  await app.stores.emails.save({ sub: "u1", email: NEW_MAIL }, version);
  assertEquals(await codeOf(page.send("/only")), "403 email_unverified");
  assertThrows(
    () => requireVerifiedEmail({ runtime: createTestApp().runtime }),
    TypeError,
    "accounts",
  );
});

Deno.test("generateOpenAPI() documents the routes of the flows that are on, and the address of /register", async () => {
  const app = await prepared();
  const operations = operationsOf(generateOpenAPI(INFO, app.router));
  const names = ROUTES.map(([, path]) => `POST /auth/${path}`);
  const own = [...operations].filter(([name]) => names.includes(name));
  assertEquals(own.map(([name]) => name).sort(), [...names].sort());
  assertEquals(new Set(own.map(([, { summary }]) => summary)).size, names.length);
  assertEquals(new Set(own.map(([, { operationId }]) => operationId)).size, names.length);
  for (const [, { responses }] of own) assert("403" in responses);
  const bodyOf = (from: typeof operations) =>
    JSON.stringify(from.get("POST /auth/register")?.requestBody);
  assertMatch(bodyOf(operations), /"email"/);
  const without = operationsOf(generateOpenAPI(INFO, createTestApp().router));
  assertEquals([...without.keys()].filter((name) => names.includes(name)), []);
  assertEquals(/"email"/.test(bodyOf(without)), false);
  const message = await app.ask(app.page, "link/start", { email: MAIL });
  const response = await app.page.post("/auth/link/finish", { token: tokenOf(message) });
  const documented = operations.get("POST /auth/link/finish")?.responses["200"] as {
    content: Record<string, { schema: Record<string, unknown> }>;
  };
  const schema = documented.content["application/json"]?.schema ?? {};
  assertFits(await response.json(), schema, "link/finish");
});

Deno.test("emailAccounts() rejects a misspelt flow, and options that registerAuth() passes", () => {
  for (const name of ["resetPasword", "throttle", "users", "now"]) {
    const accounts = { [name]: { page: "/x" } };
    assertThrows(() => createAccountApp({ accounts }), TypeError, name);
  }
});
