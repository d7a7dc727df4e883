/** What the OpenAPI document says of the routes of authentication by the kind of their tokens, beside their answers' status. */

import {
  type AuthRoute,
  type AuthRuntime,
  createRouter,
  createTokenRoutes,
  generateOpenAPI,
  mountAuthRoutes,
  type OpenApiDocument,
  type OperationObject,
} from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { createTestApp } from "./_app.ts";
import { ADA } from "../_services.ts";
import { JWT, postJson } from "./_token_routes.ts";

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
  Deno.test(`generateOpenAPI() writes what a sign-in answers where tokens is ${tokens}, and no more`, async () => {
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

/** What is written of a body: whether it may be left out, what it may hold, and what it has to. */
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
  Deno.test(`generateOpenAPI() says what the body of ${path} holds where tokens is ${tokens}`, () => {
    const body = bodyOf(documentOf(tokens), path);
    const schema = schemaOf(body);
    assertEquals(body.required, isRequired);
    assertEquals(Object.keys(schema.properties ?? {}), properties);
    assertEquals(schema.required ?? [], required);
  });
}

Deno.test("generateOpenAPI() gives the values that a program may rely on", () => {
  const document = documentOf(true);
  for (const path of ["/auth/login", "/auth/refresh"]) {
    const { tokenType } = answerOf(document, path, "200").properties ?? {};
    assertEquals(tokenType?.const, "Bearer"); // as IssuedTokens has it
  }
  const { required } = answerOf(document, "/auth/refresh", "200");
  assertEquals(required, PROGRAM);
  const { remember } = schemaOf(bodyOf(document, "/auth/login")).properties ?? {};
  assertEquals(remember?.default, false);
  const { principal } = answerOf(document, "/auth/login", "200").properties ?? {};
  assertEquals(principal?.required, ["sub", "method", "authTime"]);
});

for (const tokens of KINDS) {
  Deno.test(`generateOpenAPI() says what refusals carry where tokens is ${tokens}`, () => {
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

/** Bodies that are read may be no JSON; a program's session is a token, and no row in the list of sessions. */
const ANSWERS: readonly (readonly [
  tokens: Tokens,
  logoutReads: boolean,
  session: readonly string[],
])[] = [
  [false, false, ["principal", "session", "user"]],
  [true, true, ["principal", "session", "user"]],
  ["only", true, ["principal"]],
];

for (const [tokens, logoutReads, session] of ANSWERS) {
  Deno.test(`generateOpenAPI() says what /logout and /session answer where tokens is ${tokens}`, () => {
    const document = documentOf(tokens);
    const { responses = {} } = operation(document, "/auth/logout");
    assertEquals("400" in responses, logoutReads);
    const answer = operation(document, "/auth/session", "get").responses?.["200"];
    const { properties = {}, required } = schemaOf(answer as unknown as Body);
    assertEquals([Object.keys(properties), required], [session, ["principal"]]);
  });
}

Deno.test("generateOpenAPI() tells the routes of programs from those of pages, where a router has both", () => {
  for (const path of ["/auth/register", "/auth/login", "/auth/logout"]) {
    const summaries = KINDS.map((tokens) => operation(documentOf(tokens), path).summary);
    assertEquals(new Set(summaries).size, 2, path);
    assertEquals(summaries[0], summaries[1], path);
  }
});
