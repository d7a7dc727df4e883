/** The routes of passkeys in OpenAPI documents. */

import { generateOpenAPI, type OpenApiDocument, type SchemaObject } from "@gatehouse/http";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { EVE_PASSWORD, repeat } from "../_services.ts";
import { assertFits, INFO, operationsOf } from "./_documents.ts";
import {
  ask,
  createAuthenticator,
  createPasskeyApp,
  type PasskeyAppOptions,
  type PasskeyPath,
  type PasskeyScene,
  register,
  signIn,
  withPasskey,
} from "./_passkeys.ts";
import { JWT } from "./_token_routes.ts";

const BASE = "/auth/webauthn";

function documentOf(options: PasskeyAppOptions = {}): OpenApiDocument {
  return generateOpenAPI(INFO, createPasskeyApp(options).router);
}

Deno.test("generateOpenAPI() documents the seven routes of passkeys, each with its own summary and operationId", () => {
  const operations = [...operationsOf(documentOf())].filter(([name]) => name.includes(BASE));
  assertEquals(operations.map(([name]) => name).sort(), [
    `GET ${BASE}/credentials`,
    `POST ${BASE}/credentials/remove`,
    `POST ${BASE}/credentials/rename`,
    `POST ${BASE}/login/options`,
    `POST ${BASE}/login/verify`,
    `POST ${BASE}/register/options`,
    `POST ${BASE}/register/verify`,
  ]);
  const all = operations.map(([, operation]) => operation);
  assertEquals(new Set(all.map(({ operationId }) => operationId)).size, 7);
  assertEquals(new Set(all.map(({ summary }) => summary)).size, 7);
  for (const { summary, tags } of all) {
    assertMatch(summary, /^[A-Z]/);
    assertEquals(tags, ["Authentication"]);
  }
});

Deno.test("generateOpenAPI() names the standard's JSON forms of ceremonies, and describes what is added to them", () => {
  const operations = operationsOf(documentOf());
  const bodies = [["register/verify", "RegistrationResponseJSON", "name"], [
    "login/verify",
    "AuthenticationResponseJSON",
    "remember",
  ]] as const;
  for (const [path, form, own] of bodies) {
    const { requestBody } = operations.get(`POST ${BASE}/${path}`) as unknown as {
      requestBody: { content: Record<string, { schema: SchemaObject }> };
    };
    const schema = requestBody.content["application/json"]?.schema;
    assertMatch(String(schema?.["description"]), new RegExp(`^${form}, WebAuthn Level 3`));
    assertEquals(Object.keys(schema?.["properties"] ?? {}), [own]);
  }
  const forms = [["register", "Creation"], ["login", "Request"]] as const;
  for (const [path, form] of forms) {
    const { content } = operations.get(`POST ${BASE}/${path}/options`)?.responses["200"] as {
      content: Record<string, { schema: SchemaObject }>;
    };
    const description = String(content["application/json"]?.schema["description"]);
    assertMatch(
      description,
      new RegExp(`^PublicKeyCredential${form}OptionsJSON, WebAuthn Level 3`),
    );
  }
});

const OPTIONS: PasskeyAppOptions = {
  webauthn: { signUp: true, identified: true },
  throttle: { challenge: { kind: "window", limit: 8, seconds: 60 } },
};

type Step = (scene: PasskeyScene) => Promise<Response>;

function post(path: PasskeyPath, json: unknown): Step {
  return ({ page }) => ask(page, path, json);
}

function forged(path: PasskeyPath): Step {
  return ({ page }) => page.post(`${BASE}/${path}`, {}, { token: "" });
}

function anonymous(path: PasskeyPath): Step {
  return ({ app }) => ask(app.browser(), path, {});
}

function throttled(path: PasskeyPath): Step {
  return async ({ page }) => {
    for (const _ of repeat(8, () => 0)) await (await ask(page, path)).body?.cancel();
    return await ask(page, path);
  };
}

function noJson(path: PasskeyPath): Step {
  return async ({ page }) =>
    await page.send(`${BASE}/${path}`, {
      method: "POST",
      token: await page.token(),
      body: "{",
      headers: { "Content-Type": "application/json" },
    });
}

/** Requests, their operation, and the status of the response. */
const ANSWERS: readonly (readonly [path: PasskeyPath, status: number, step: Step])[] = [
  ["register/options", 200, post("register/options", {})],
  [
    "register/options",
    200,
    ({ app }) => ask(app.browser(), "register/options", { identifier: "grace" }),
  ],
  ["register/options", 400, noJson("register/options")],
  [
    "register/options",
    400,
    ({ app }) => ask(app.browser(), "register/options", { identifier: "" }),
  ],
  ["register/options", 401, anonymous("register/options")],
  ["register/options", 403, forged("register/options")],
  ["register/options", 409, async ({ app, page }) => {
    const eve = { identifier: "eve", password: EVE_PASSWORD };
    await (await page.register(eve)).body?.cancel();
    return await ask(app.browser(), "register/options", { identifier: "eve" });
  }],
  ["register/options", 413, post("register/options", { a: "a".repeat(70_000) })],
  ["register/options", 422, post("register/options", [])],
  ["register/options", 429, throttled("register/options")],
  ["register/verify", 201, ({ page }) => register(page, createAuthenticator(), { name: "Key" })],
  ["register/verify", 201, ({ app }) => {
    const options = { identifier: "grace" };
    return register(app.browser(), createAuthenticator(), { options });
  }],
  ["register/verify", 400, post("register/verify", {})],
  ["register/verify", 401, async ({ app, page }) => {
    app.clock.now += 901;
    return await ask(page, "register/verify");
  }],
  ["register/verify", 403, forged("register/verify")],
  ["register/verify", 415, ({ page }) => page.post(`${BASE}/register/verify`)],
  ["register/verify", 422, post("register/verify", { name: 5 })],
  ["login/options", 200, post("login/options", {})],
  ["login/options", 200, post("login/options", { identifier: "grace" })],
  ["login/options", 400, post("login/options", { identifier: "" })],
  ["login/options", 403, forged("login/options")],
  ["login/options", 422, post("login/options", { identifier: 5 })],
  ["login/options", 429, throttled("login/options")],
  ["login/verify", 200, ({ app, authenticator }) => signIn(app.browser(), authenticator)],
  ["login/verify", 400, async ({ app, page, authenticator }) => {
    const options = await (await ask(page, "login/options")).json();
    return await ask(app.browser(), "login/verify", await authenticator.get(options));
  }],
  ["login/verify", 401, post("login/verify", {})],
  ["login/verify", 403, forged("login/verify")],
  ["login/verify", 422, post("login/verify", { remember: 5 })],
  [
    "credentials/rename",
    204,
    ({ page, passkey: { id } }) => ask(page, "credentials/rename", { id, name: "Key" }),
  ],
  ["credentials/rename", 400, noJson("credentials/rename")],
  ["credentials/rename", 401, anonymous("credentials/rename")],
  ["credentials/rename", 403, forged("credentials/rename")],
  ["credentials/rename", 404, post("credentials/rename", { id: "a", name: "Key" })],
  ["credentials/rename", 422, post("credentials/rename", { id: "a", name: "" })],
  [
    "credentials/remove",
    204,
    ({ page, passkey: { id } }) => ask(page, "credentials/remove", { id }),
  ],
  ["credentials/remove", 400, noJson("credentials/remove")],
  ["credentials/remove", 401, anonymous("credentials/remove")],
  ["credentials/remove", 403, forged("credentials/remove")],
  ["credentials/remove", 404, post("credentials/remove", { id: "a" })],
  ["credentials/remove", 409, async ({ app }) => {
    const page = app.browser();
    const options = { identifier: "grace" };
    const { credential: { id } } = await (await register(page, createAuthenticator(), { options }))
      .json();
    return await ask(page, "credentials/remove", { id });
  }],
  ["credentials/remove", 422, post("credentials/remove", {})],
];

/** Asserts that the status is documented, and so is each member of a success. */
async function assertDocumented(
  document: OpenApiDocument,
  name: string,
  response: Response,
  status: number,
): Promise<void> {
  const body = await response.text();
  assertEquals(response.status, status, body);
  const written = operationsOf(document).get(name)?.responses ?? {};
  assert(`${status}` in written, `${status} is not one of ${Object.keys(written)}`);
  const { headers = {}, content = {} } = written[`${status}`] as {
    headers?: Record<string, unknown>;
    content?: Record<string, { schema: SchemaObject }>;
  };
  for (const header of Object.keys(headers)) assert(response.headers.has(header), header);
  if (status >= 300) return;
  const schema = content["application/json"]?.schema;
  if (status === 204) return assertEquals([schema, body], [undefined, ""]);
  assert(schema !== undefined);
  assertFits(JSON.parse(body), schema, "");
}

for (const [path, status, step] of ANSWERS) {
  Deno.test(`generateOpenAPI() documents POST ${BASE}/${path} with ${status}, and the body of the response`, async () => {
    const scene = await withPasskey(OPTIONS);
    const document = generateOpenAPI(INFO, scene.app.router);
    await assertDocumented(document, `POST ${BASE}/${path}`, await step(scene), status);
  });
}

Deno.test(`generateOpenAPI() documents GET ${BASE}/credentials, and the body of the response`, async () => {
  const { app, page, authenticator } = await withPasskey(OPTIONS);
  await (await signIn(app.browser(), authenticator)).body?.cancel(); // it has been used
  const document = generateOpenAPI(INFO, app.router);
  const name = `GET ${BASE}/credentials`;
  await assertDocumented(document, name, await page.send(`${BASE}/credentials`), 200);
  await assertDocumented(document, name, await app.browser().send(`${BASE}/credentials`), 401);
});

Deno.test("generateOpenAPI() documents that a sign-in with a passkey answers as one with a password, with tokens and without", () => {
  for (const tokens of [false, true]) {
    const integration = { routes: { registration: "open", tokens } } as const;
    const operations = operationsOf(documentOf({ jwt: JWT, integration }));
    const schemaOf = (name: string, status: string) => {
      const { content } = operations.get(name)?.responses[status] as {
        content: Record<string, { schema: SchemaObject }>;
      };
      return content["application/json"]?.schema;
    };
    const login = schemaOf("POST /auth/login", "200");
    assertEquals(schemaOf(`POST ${BASE}/login/verify`, "200"), login);
    const registered = schemaOf(`POST ${BASE}/register/verify`, "201")?.["properties"];
    const { credential, ...rest } = registered as Record<string, unknown>;
    assert(credential !== undefined);
    assertEquals<unknown>(rest, login?.["properties"]);
    const statuses = Object.keys(operations.get(`POST ${BASE}/login/verify`)?.responses ?? {});
    assertEquals(statuses.includes("503"), tokens);
  }
});

Deno.test("generateOpenAPI() documents the CSRF token of the routes of passkeys that change something", () => {
  for (const [name, { parameters = [] }] of operationsOf(documentOf())) {
    if (name.includes(BASE)) assertEquals(parameters.length, name.startsWith("POST") ? 1 : 0, name);
  }
});
