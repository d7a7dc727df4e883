/** What the OpenAPI document says of the routes of authentication, and that it is so. */

import {
  createRouter,
  generateOpenAPI,
  mountAuthRoutes,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type SchemaObject,
} from "@gatehouse/http";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { createTestApp, type TestApp, type TestAppOptions, type TestBrowser } from "./_app.ts";
import { ADA, EVE_PASSWORD } from "../_services.ts";

const INFO = { title: "Test", version: "1.0.0" };

interface Documented extends TestApp {
  readonly document: OpenApiDocument;
}

function documented(options: TestAppOptions = {}): Documented {
  const app = createTestApp(options);
  return { ...app, document: generateOpenAPI(INFO, app.router) };
}

function operationsOf({ paths }: OpenApiDocument): Map<string, OperationObject> {
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) =>
        [`${method.toUpperCase()} ${path}`, operation as OperationObject] as const
      )
    ).filter(([name]) => name.includes("/auth/")),
  );
}

Deno.test("generateOpenAPI() writes the five routes of authentication, each with a summary and an id of its own", () => {
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

Deno.test("generateOpenAPI() writes nothing of registration where it is closed", () => {
  const { document } = documented({ integration: { routes: { registration: "closed" } } });
  assertEquals(operationsOf(document).has("POST /auth/register"), false);
});

Deno.test("generateOpenAPI() writes the routes beneath their own base path, guarded router or not", () => {
  const { runtime, document } = documented({ integration: { basePath: "/api/auth" } });
  assert("/api/auth/login" in document.paths);
  const plain = mountAuthRoutes(createRouter(), runtime.routes(), "/");
  assert("/login" in generateOpenAPI(INFO, plain).paths);
});

for (const header of ["X-CSRF-Token", "X-Own"]) {
  Deno.test(`generateOpenAPI() asks for ${header} on what changes something, and only there`, () => {
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

/** Requests, the operation that they are of, and the status that they meet. */
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
  Deno.test(`generateOpenAPI() says of ${name} that it may answer ${status}, and how`, async () => {
    const app = documented();
    await app.signedIn();
    const response = await ask(app.browser(), app);
    const body = await response.text();
    assertEquals(response.status, status, body);
    const written = operationsOf(app.document).get(name)?.responses ?? {};
    assert(`${status}` in written, `${status} is none of ${Object.keys(written)}`);
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

/** What is there is written, and what is required is there. A bounded kind of validation: objects, lists and scalars. */
function assertFits(value: unknown, schema: SchemaObject, at: string): void {
  const { type, properties = {}, required = [], items } = schema as {
    type?: string;
    properties?: Record<string, SchemaObject>;
    required?: readonly string[];
    items?: SchemaObject;
  };
  if (type === "object") {
    assert(typeof value === "object" && value !== null, at);
    const members = Object.entries(value);
    for (const name of required) assert(Object.hasOwn(value, name), `${at}/${name} is required`);
    for (const [name, member] of members) {
      const own = properties[name];
      assert(own !== undefined, `${at}/${name} is not written`);
      assertFits(member, own, `${at}/${name}`);
    }
  } else if (type === "array") {
    assert(Array.isArray(value) && items !== undefined, at);
    value.forEach((item, i) => assertFits(item, items, `${at}/${i}`));
  } else {
    assertEquals(typeof value, type, at);
  }
}

Deno.test("generateOpenAPI() says what each body needs", () => {
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

Deno.test("generateOpenAPI() says that a throttled client is told how long to wait", () => {
  for (const [name, { responses = {} }] of operationsOf(documented().document)) {
    for (const status of ["429", "503"]) {
      if (!(status in responses)) continue;
      const { headers = {} } = responses[status] as { headers?: Record<string, unknown> };
      assertEquals(Object.keys(headers), ["Retry-After"], `${name} ${status}`);
    }
  }
});

Deno.test("generateOpenAPI() writes no secret, identifier or host of an application into the document", () => {
  const text = JSON.stringify(documented().document);
  for (const word of ["a secret of at least", "ada@example.org", "example.com", "pbkdf2"]) {
    assertEquals(text.includes(word), false, word);
  }
});
