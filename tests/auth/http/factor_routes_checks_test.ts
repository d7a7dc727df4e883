/** The routes of second factors: forged requests, invalid bodies, caches, documents, and when they are absent. */

import {
  createContainer,
  generateOpenAPI,
  inMemoryAuthStores,
  registerAuth,
  type SchemaObject,
  totpCode,
  totpFactors,
} from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { SECRET } from "../_services.ts";
import { createTestApp } from "./_app.ts";
import { assertFits, INFO, operationsOf } from "./_documents.ts";
import { begin, complete, createFactorApp, MFA, outcome, signIn, withFactor } from "./_factors.ts";
import { createTokenApp } from "./_token_routes.ts";

const POSTED = [
  "/auth/login/second-factor",
  "/auth/step-up",
  "/auth/second-factors/totp/start",
  "/auth/second-factors/totp/confirm",
  "/auth/second-factors/recovery-codes",
  "/auth/second-factors/remove",
] as const;

/** Requests that another site's page can cause: [why, header fields, whether the page's token is sent] */
const FORGED: readonly (readonly [why: string, headers: Record<string, string>, token: boolean])[] =
  [
    ["without a token", {}, false],
    ["of another site", {
      "Sec-Fetch-Site": "cross-site",
      Origin: "https://evil.example",
    }, true],
    ["of a sibling", { "Sec-Fetch-Site": "same-site", Origin: "https://b.example.com" }, true],
  ];

for (const path of POSTED) {
  Deno.test(`POST ${path} refuses forged requests, and uses nothing up`, async () => {
    const scene = await withFactor();
    const { app, totp, recoveryCodes } = scene;
    const page = await signIn(scene);
    const other = app.browser();
    await begin(other);
    const body = { totp: await totp(), code: await totp() };
    for (const [why, headers, hasToken] of FORGED) {
      for (const sender of [page, other]) {
        const init = hasToken ? { headers } : { headers, token: false } as const;
        assertEquals(await outcome(sender.post(path, body, init)), "403 csrf_failed", why);
      }
    }
    const listed = await app.runtime.secondFactors?.list("u1");
    assertEquals(listed?.recoveryCodes, recoveryCodes.length);
    assertEquals(await outcome(complete(other, { totp: await totp() })), "200");
  });

  Deno.test(`GET ${path} is not found, or not allowed, and the response to POST is not stored`, async () => {
    const page = createFactorApp().browser();
    assertEquals((await outcome(page.send(path))).slice(0, 3), "405");
    const response = await page.post(path, {});
    assertEquals(response.headers.get("Cache-Control"), "no-store", await response.text());
    assert(response.status >= 400);
    assert(response.headers.get("Vary")?.includes("Cookie"));
  });
}

Deno.test("GET /second-factors needs a session, shows no secret, and is not stored", async () => {
  const scene = await withFactor();
  const anonymous = scene.app.browser();
  assertEquals(await outcome(anonymous.send("/auth/second-factors")), "401 unauthenticated");
  const response = await (await signIn(scene)).send("/auth/second-factors");
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(Object.keys(await response.json()), ["totp", "recoveryCodes"]);
});

const RECOVERY = "00000-00000";

/** [why, body, the member that is invalid] */
const INVALID: readonly (readonly [why: string, body: unknown, pointer: string])[] = [
  ["an array", [], ""],
  ["null", null, ""],
  ["a string", "123456", ""],
  ["no member", {}, ""],
  ["an unknown member", { code: "123456" }, ""],
  ["both members", { totp: "123456", recoveryCode: RECOVERY }, ""],
  ["a code and null", { totp: "123456", recoveryCode: null }, ""],
  ["null as the code", { totp: null }, ""],
  ["a number", { totp: 123456 }, ""],
  ["an array as the code", { totp: ["123456"] }, ""],
  ["an object as the recovery code", { recoveryCode: {} }, ""],
];

for (const path of ["/auth/login/second-factor", "/auth/step-up"]) {
  Deno.test(`POST ${path} refuses invalid bodies by 422, and counts nothing`, async () => {
    const scene = await withFactor();
    const page = await signIn(scene);
    await begin(page);
    scene.app.events.length = 0;
    for (const [why, body, pointer] of INVALID) {
      const response = await page.post(path, body);
      const { code, violations } = await response.json();
      assertEquals([response.status, code], [422, "validation_failed"], why);
      assertEquals(violations.map((one: { pointer: string }) => one.pointer), [pointer], why);
    }
    assertEquals(scene.app.events, []);
    assertEquals(await outcome(page.post(path, { totp: await scene.totp() })), "200");
  });
}

Deno.test("POST /login/second-factor refuses a rememberBrowser that is no boolean, before the ticket is used", async () => {
  const { app, totp } = await withFactor();
  const page = app.browser();
  await begin(page);
  for (const rememberBrowser of ["true", 1, null, {}]) {
    const response = await complete(page, { totp: await totp(), rememberBrowser });
    const { violations } = await response.json();
    assertEquals([response.status, violations[0].pointer], [422, "/rememberBrowser"]);
  }
  assertEquals(await outcome(complete(page, { totp: await totp() })), "200");
});

Deno.test("POST /second-factors/totp/confirm refuses a code that is no string by 422", async () => {
  const app = createFactorApp();
  const page = await app.signedIn();
  for (const body of [{}, { code: 123456 }, { code: null }, []]) {
    const refused = page.post("/auth/second-factors/totp/confirm", body);
    assertEquals(await outcome(refused), "422 validation_failed");
  }
});

Deno.test("POST /login/second-factor of a wrong code responds alike, whatever was wrong", async () => {
  const { app, wrong, totp } = await withFactor();
  const [page, used] = [app.browser(), app.browser()];
  const code = await totp();
  await begin(used);
  await complete(used, { totp: code });
  await begin(page);
  const bodies: string[] = [];
  for (const proof of [{ totp: await wrong() }, { totp: code }, { recoveryCode: RECOVERY }]) {
    const response = await complete(page, proof);
    const text = await response.text();
    bodies.push(`${response.status} ${text} ${[...response.headers].join()}`);
  }
  assertEquals(new Set(bodies).size, 1, bodies.join("\n"));
  assert(page.jar.get(MFA) !== undefined);
});

/** Asserts that the body of a response is what the document says. */
async function assertDocumented(
  operations: ReturnType<typeof operationsOf>,
  name: string,
  answer: Promise<Response>,
): Promise<void> {
  const response = await answer;
  const documented = operations.get(name)?.responses as unknown as Record<
    string,
    { readonly content?: Record<string, { readonly schema: SchemaObject }> }
  >;
  assert(Object.hasOwn(documented, String(response.status)), `${name}: ${response.status}`);
  const schema = documented[response.status]?.content?.["application/json"]?.schema;
  const text = await response.text();
  if (schema === undefined) return assertEquals(text, "");
  assertFits(JSON.parse(text), schema, name);
}

Deno.test("generateOpenAPI() documents the routes of second factors as they respond", async () => {
  const scene = await withFactor();
  const { app, totp } = scene;
  const operations = operationsOf(generateOpenAPI(INFO, app.router));
  for (const path of POSTED) {
    const operation = operations.get(`POST ${path}`);
    assertEquals([operation?.tags, operation?.parameters?.length], [["Authentication"], 1], path);
  }
  const page = await signIn(scene);
  await begin(page);
  const step = async () => ({ totp: await totp() });
  const rows: readonly (readonly [path: string, json?: object])[] = [
    ["login/second-factor", { ...await step(), rememberBrowser: true }],
    ["second-factors/totp/start"],
    ["second-factors/recovery-codes"],
    ["second-factors/remove"],
  ];
  const base = "/auth/second-factors";
  await assertDocumented(operations, `GET ${base}`, page.send(base));
  for (const [path, json] of rows) {
    await assertDocumented(operations, `POST /auth/${path}`, page.post(`/auth/${path}`, json));
  }
  await assertDocumented(operations, `GET ${base}`, page.send(base));
  const { secret } = await (await page.post(`${base}/totp/start`)).json();
  const confirm = page.post(`${base}/totp/confirm`, {
    code: await totpCode(secret, app.clock.now),
  });
  await assertDocumented(operations, `POST ${base}/totp/confirm`, confirm);
  app.clock.now += 30;
  const proof = { totp: await totpCode(secret, app.clock.now) };
  await assertDocumented(operations, "POST /auth/step-up", page.post("/auth/step-up", proof));
});

Deno.test("without the option secondFactors there are no routes, and nothing in the documents", async () => {
  for (const app of [createTestApp(), createTokenApp()]) {
    const page = await app.signedIn();
    for (const path of POSTED) assertEquals(await outcome(page.post(path, {})), "404 not_found");
    assertEquals(await outcome(page.send("/auth/second-factors")), "404 not_found");
    const document = generateOpenAPI(INFO, app.router);
    assertEquals(JSON.stringify(document).includes("second-factor"), false);
    assertEquals(app.runtime.secondFactors, undefined);
  }
});

/** [why, options, message] */
const OPTIONS: readonly (readonly [why: string, secondFactors: unknown, stores?: object])[] = [
  ["the options themselves", { issuer: "Notes" }],
  ["null", null],
  ["true", true],
  ["no issuer", totpFactors({} as never)],
  ["an unknown option", totpFactors({ issuer: "Notes", digits: 8 } as never)],
  ["no store of factors", totpFactors({ issuer: "Notes" }), { factors: undefined }],
  ["no store of states", totpFactors({ issuer: "Notes" }), { states: undefined }],
];

for (const [why, secondFactors, missing] of OPTIONS) {
  Deno.test(`registerAuth() refuses secondFactors with ${why}`, () => {
    const stores = { ...inMemoryAuthStores(), ...missing };
    const options = { secret: SECRET, deployment: "direct", stores, secondFactors } as never;
    const register = () => registerAuth(Object.assign(options, { container: createContainer() }));
    assertThrows(register, TypeError, "Cannot ");
  });
}
