/** The routes of authentication in OpenAPI documents. */

import {
  type AuthRoute,
  type AuthRuntime,
  createRouter,
  createTokenRoutes,
  generateOpenAPI,
  mountAuthRoutes,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type SchemaObject,
} from "@gatehouse/http";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ADA, EVE_PASSWORD } from "../_services.ts";
import { createTestApp, type TestApp, type TestAppOptions, type TestBrowser } from "./_app.ts";
import { assertFits, INFO, operationsOf } from "./_documents.ts";
import { createTokenApp, JWT, postJson, refresh } from "./_token_routes.ts";

interface Documented extends TestApp {
  readonly document: OpenApiDocument;
}

function documented(options: TestAppOptions = {}): Documented {
  const app = createTestApp(options);
  return { ...app, document: generateOpenAPI(INFO, app.router) };
}

Deno.test("generateOpenAPI() documents the five routes of authentication, each with its own summary and operationId", () => {
  const operations = operationsOf(documented().document);
  assertEquals([...operations.keys()].sort(), [
    "GET /auth/csrf",
    "GET /auth/session",
    "POST /auth/login",
    "POST /auth/logout",
    "POST /auth/register",
  ]);
  const ids = [...operations.values()].map(({ operationId }) => operationId);
  assertEquals(new Set(ids).size, 5);
  for (const { summary = "", tags } of operations.values()) {
    assertMatch(summary, /^[A-Z]/);
    assertEquals(tags, ["Authentication"]);
  }
});

Deno.test("generateOpenAPI() omits registration if it is disabled", () => {
  const { document } = documented({ integration: { routes: { registration: "closed" } } });
  assertEquals(operationsOf(document).has("POST /auth/register"), false);
});

Deno.test("generateOpenAPI() documents the routes under their base path, in guarded and other routers", () => {
  const { runtime, document } = documented({ integration: { basePath: "/api/auth" } });
  assert("/api/auth/login" in document.paths);
  const plain = mountAuthRoutes(createRouter(), runtime.routes(), "/");
  assert("/login" in generateOpenAPI(INFO, plain).paths);
});

for (const header of ["X-CSRF-Token", "X-Own"]) {
  Deno.test(`generateOpenAPI() documents ${header} for operations that change something, and only for these`, () => {
    for (
      const [name, { parameters = [] }] of operationsOf(documented({ csrfHeader: header }).document)
    ) {
      const wanted: unknown[] = name.startsWith("POST")
        ? [{ name: header, in: "header", required: true }]
        : [];
      const found: unknown[] = parameters.map((parameter) => {
        const { name, in: where, required } = parameter as ParameterObject;
        return { name, in: where, required };
      });
      assertEquals(found, wanted, name);
    }
  });
}

/** Requests, their operation, and the status of the response. */
const ANSWERS: readonly (readonly [
  operation: string,
  status: number,
  ask: (page: TestBrowser, app: TestApp) => Promise<Response>,
])[] = [
  [
    "POST /auth/register",
    201,
    (page) => page.register({ identifier: "eve", password: EVE_PASSWORD }),
  ],
  ["POST /auth/register", 400, (page) => page.register({ identifier: "", password: EVE_PASSWORD })],
  ["POST /auth/register", 403, (page) => page.post("/auth/register", ADA, { token: "" })],
  ["POST /auth/register", 409, (page) => page.register()],
  ["POST /auth/register", 413, (page) => page.post("/auth/register", { a: "a".repeat(20_000) })],
  ["POST /auth/register", 415, (page) => page.post("/auth/register")],
  ["POST /auth/register", 422, (page) => page.register({ identifier: "eve", password: "eve" })],
  ["POST /auth/login", 200, (page) => page.login()],
  ["POST /auth/login", 200, (page) => page.login({ ...ADA, remember: true })],
  ["POST /auth/login", 400, (page) => page.login({ ...ADA, identifier: "" })],
  ["POST /auth/login", 401, (page) => page.login({ ...ADA, password: EVE_PASSWORD })],
  ["POST /auth/login", 403, (page) => page.post("/auth/login", ADA, { token: "" })],
  ["POST /auth/login", 413, (page) => page.post("/auth/login", { a: "a".repeat(20_000) })],
  ["POST /auth/login", 415, (page) => page.post("/auth/login")],
  ["POST /auth/login", 422, (page) => page.post("/auth/login", [])],
  ["POST /auth/login", 429, async (page) => {
    for (let i = 0; i < 5; i++) await page.login({ ...ADA, password: EVE_PASSWORD });
    return await page.login();
  }],
  ["POST /auth/logout", 204, (page) => page.logout()],
  ["POST /auth/logout", 403, (page) => page.post("/auth/logout", undefined, { token: "" })],
  [
    "GET /auth/session",
    200,
    (_page, app) => app.signedIn().then((page) => page.send("/auth/session")),
  ],
  ["GET /auth/session", 401, (page) => page.send("/auth/session")],
  ["GET /auth/csrf", 200, (page) => page.send("/auth/csrf")],
  [
    "GET /auth/csrf",
    403,
    (page) => page.send("/auth/csrf", { headers: { Cookie: "__Host-sid=a; __Host-sid=b" } }),
  ],
];

for (const [name, status, ask] of ANSWERS) {
  Deno.test(`generateOpenAPI() documents ${name} with ${status}, and the body of the response`, async () => {
    const app = documented();
    await app.signedIn();
    const response = await ask(app.browser(), app);
    const body = await response.text();
    assertEquals(response.status, status, body);
    const written = operationsOf(app.document).get(name)?.responses ?? {};
    assert(`${status}` in written, `${status} is not one of ${Object.keys(written)}`);
    if (status >= 300) return;
    const { content = {} } = written[`${status}`] as {
      content?: Record<string, { schema: SchemaObject }>;
    };
    const schema = content["application/json"]?.schema;
    if (status === 204) return assertEquals([schema, body], [undefined, ""]);
    assert(schema !== undefined);
    assertFits(JSON.parse(body), schema, "");
  });
}

Deno.test("generateOpenAPI() documents required members of each body", () => {
  const operations = operationsOf(documented().document);
  for (
    const [name, required, all] of [
      ["POST /auth/register", ["identifier", "password"], ["identifier", "password"]],
      ["POST /auth/login", ["identifier", "password"], ["identifier", "password", "remember"]],
    ] as const
  ) {
    const { requestBody } = operations.get(name) ?? {};
    const { content } = requestBody as { content: Record<string, { schema: SchemaObject }> };
    assertEquals(Object.keys(content), ["application/json"]);
    const schema = content["application/json"]?.schema as {
      required: readonly string[];
      properties: Record<string, unknown>;
    };
    assertEquals([schema.required, Object.keys(schema.properties)], [required, all]);
  }
  for (const name of ["POST /auth/logout", "GET /auth/session", "GET /auth/csrf"]) {
    const { requestBody = {} } = operations.get(name) ?? {};
    assert(!("required" in requestBody) || requestBody.required !== true, name);
  }
});

Deno.test("generateOpenAPI() documents Retry-After for throttled clients", () => {
  for (const [name, { responses = {} }] of operationsOf(documented().document)) {
    for (const status of ["429", "503"]) {
      if (!(status in responses)) continue;
      const { headers = {} } = responses[status] as { headers?: Record<string, unknown> };
      assertEquals(Object.keys(headers), ["Retry-After"], `${name} ${status}`);
    }
  }
});

Deno.test("generateOpenAPI() does not disclose a secret, an identifier or a host of an application", () => {
  const text = JSON.stringify(documented().document);
  for (const word of ["a secret that only", "ada@example.org", "example.com", "pbkdf2"]) {
    assertEquals(text.includes(word), false, word);
  }
});

// The routes of authentication in the document, by the option tokens.

type Tokens = boolean | "only";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
}

interface Body {
  readonly required?: boolean;
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

const KINDS: readonly Tokens[] = [false, true, "only"];

function routesOf(runtime: AuthRuntime, tokens: Tokens): readonly AuthRoute[] {
  return tokens === "only" ? createTokenRoutes({ runtime }) : runtime.routes({ tokens });
}

function documentOf(tokens: Tokens): OpenApiDocument {
  const { runtime } = createTestApp({ jwt: JWT });
  const router = mountAuthRoutes(createRouter(), routesOf(runtime, tokens), "/auth");
  return generateOpenAPI({ title: "Test", version: "1.0.0" }, router);
}

function operation({ paths }: OpenApiDocument, path: string, method = "post"): OperationObject {
  const found = (paths[path] as Readonly<Record<string, OperationObject>>)[method];
  assert(found !== undefined, path);
  return found;
}

function bodyOf(document: OpenApiDocument, path: string): Body {
  return operation(document, path).requestBody as unknown as Body;
}

function schemaOf({ content }: Body): Schema {
  const { schema } = content["application/json"] ?? {};
  assert(schema !== undefined);
  return schema;
}

function answerOf(document: OpenApiDocument, path: string, status: string): Schema {
  return schemaOf(operation(document, path).responses?.[status] as unknown as Body);
}

const BROWSER = ["principal", "session", "user", "csrfToken"];
const PROGRAM = ["accessToken", "tokenType", "expiresIn", "refreshToken"];

const SIGNED_IN: readonly (readonly [
  tokens: Tokens,
  required: readonly string[],
  others: readonly string[],
])[] = [
  [false, BROWSER, []],
  [true, [...BROWSER, ...PROGRAM], ["scope"]],
  ["only", ["user", ...PROGRAM], ["scope"]],
];

for (const [tokens, required, others] of SIGNED_IN) {
  Deno.test(`generateOpenAPI() documents responses of sign-ins if tokens is ${tokens}, without other members`, async () => {
    const document = documentOf(tokens);
    for (const [path, status] of [["/auth/login", "200"], ["/auth/register", "201"]] as const) {
      const schema = answerOf(document, path, status);
      assertEquals([...schema.required ?? []].sort(), [...required].sort(), path);
      const names = Object.keys(schema.properties ?? {}).sort();
      assertEquals(names, [...required, ...others].sort(), path);
    }
    if (tokens !== "only") return;
    const app = createTestApp({ jwt: JWT, integration: { routes: false } });
    mountAuthRoutes(app.router, createTokenRoutes({ runtime: app.runtime }), "/auth");
    await app.signedIn();
    const answer = await (await postJson(app, "/auth/login", ADA)).json();
    assertEquals(Object.keys(answer).sort(), [...required].sort());
  });
}

/** The documented body: whether it is optional, its members, and the required ones. */
const BODIES: readonly (readonly [
  tokens: Tokens,
  path: string,
  isRequired: boolean,
  properties: readonly string[],
  required: readonly string[],
])[] = [
  [false, "/auth/logout", false, [], []],
  [true, "/auth/logout", false, ["refreshToken"], []],
  ["only", "/auth/logout", false, ["refreshToken"], []],
  [true, "/auth/refresh", true, ["refreshToken"], ["refreshToken"]],
  ["only", "/auth/refresh", true, ["refreshToken"], ["refreshToken"]],
  [false, "/auth/register", true, ["identifier", "password"], ["identifier", "password"]],
  [false, "/auth/login", true, ["identifier", "password", "remember"], ["identifier", "password"]],
  ["only", "/auth/login", true, ["identifier", "password"], ["identifier", "password"]],
];

for (const [tokens, path, isRequired, properties, required] of BODIES) {
  Deno.test(`generateOpenAPI() documents the body of ${path} if tokens is ${tokens}`, () => {
    const body = bodyOf(documentOf(tokens), path);
    const schema = schemaOf(body);
    assertEquals(body.required, isRequired);
    assertEquals(Object.keys(schema.properties ?? {}), properties);
    assertEquals(schema.required ?? [], required);
  });
}

Deno.test("generateOpenAPI() documents constants and defaults", () => {
  const document = documentOf(true);
  for (const path of ["/auth/login", "/auth/refresh"]) {
    const { tokenType } = answerOf(document, path, "200").properties ?? {};
    assertEquals(tokenType?.const, "Bearer"); // as in IssuedTokens
  }
  const { required } = answerOf(document, "/auth/refresh", "200");
  assertEquals(required, PROGRAM);
  const { remember } = schemaOf(bodyOf(document, "/auth/login")).properties ?? {};
  assertEquals(remember?.default, false);
  const { principal } = answerOf(document, "/auth/login", "200").properties ?? {};
  assertEquals(principal?.required, ["sub", "method", "authTime"]);
});

for (const tokens of KINDS) {
  Deno.test(`generateOpenAPI() documents error responses if tokens is ${tokens}`, () => {
    const document = documentOf(tokens);
    const fields = (path: string, status: string, method?: string) => {
      const response = operation(document, path, method).responses?.[status];
      return Object.keys((response as { readonly headers?: object } | undefined)?.headers ?? {});
    };
    assertEquals(fields("/auth/login", "401"), ["WWW-Authenticate"]);
    assertEquals(fields("/auth/session", "401", "get"), ["WWW-Authenticate"]);
    for (const path of ["/auth/login", "/auth/register"]) {
      for (const status of ["429", "503"]) {
        assertEquals(fields(path, status), ["Retry-After"], `${path} ${status}`);
      }
    }
  });
}

/** Some request bodies may be empty; an API client has a token instead of a session. */
const READ_ANSWERS: readonly (readonly [
  tokens: Tokens,
  logoutReads: boolean,
  session: readonly string[],
])[] = [
  [false, false, ["principal", "session", "user"]],
  [true, true, ["principal", "session", "user"]],
  ["only", true, ["principal"]],
];

for (const [tokens, logoutReads, session] of READ_ANSWERS) {
  Deno.test(`generateOpenAPI() documents responses of /logout and /session if tokens is ${tokens}`, () => {
    const document = documentOf(tokens);
    const { responses = {} } = operation(document, "/auth/logout");
    assertEquals("400" in responses, logoutReads);
    const answer = operation(document, "/auth/session", "get").responses?.["200"];
    const { properties = {}, required } = schemaOf(answer as unknown as Body);
    assertEquals([Object.keys(properties), required], [session, ["principal"]]);
  });
}

Deno.test("generateOpenAPI() has different summaries for browsers and API clients", () => {
  for (const path of ["/auth/register", "/auth/login", "/auth/logout"]) {
    const summaries = KINDS.map((tokens) => operation(documentOf(tokens), path).summary);
    assertEquals(new Set(summaries).size, 2, path);
    assertEquals(summaries[0], summaries[1], path);
  }
});

// The document of routes that issue tokens.

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
}

function postOperation({ paths }: OpenApiDocument, path: string): OperationObject {
  const found = (paths[path] as { readonly post?: OperationObject } | undefined)?.post;
  assert(found !== undefined, path);
  return found;
}

function responseSchema({ responses }: OperationObject, status: string): ObjectSchema {
  const { content } = responses?.[status] as { content: Record<string, { schema: SchemaObject }> };
  return content["application/json"]?.schema as unknown as ObjectSchema;
}

Deno.test("generateOpenAPI() documents POST /auth/refresh if tokens are issued, without a CSRF token", () => {
  const document = generateOpenAPI(INFO, createTokenApp().router);
  const { parameters = [], responses = {}, security } = postOperation(
    document,
    "/auth/refresh",
  );
  assertEquals([parameters, security], [[], []]);
  assert(["200", "400", "401"].every((status) => status in responses));
});

Deno.test("generateOpenAPI() documents responses of sign-ins and /auth/refresh, without other members", async () => {
  const app = createTokenApp({ jwt: { ...JWT, scope: ["notes:read"] } });
  const document = generateOpenAPI(INFO, app.router);
  await app.signedIn();
  const login = await (await app.browser().login(ADA)).json();
  const next = await (await refresh(app, login.refreshToken)).json();
  for (const [path, answer] of [["/auth/login", login], ["/auth/refresh", next]] as const) {
    const { properties, required } = responseSchema(
      postOperation(document, path),
      "200",
    );
    const members = Object.keys(answer).sort();
    assertEquals(Object.keys(properties).sort(), members, path);
    assertEquals([...required, "scope"].sort(), members, path);
  }
});

Deno.test("generateOpenAPI() documents bearer tokens as a security scheme", () => {
  const { components, paths } = generateOpenAPI(INFO, createTokenApp().router);
  assertEquals(components?.securitySchemes?.["bearer"], {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
  });
  const { get } = paths["/me"] as { readonly get?: OperationObject };
  assertEquals(get?.security, [{ bearer: [] }, { session: [] }]);
});
