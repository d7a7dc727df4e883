/** Metadata of an API, RFC 9728, and the challenges that lead to it. Sources: RFC 9728 §2, §3, §5; MCP's authorization, "in 2026". */

import { assertEquals, assertThrows } from "@std/assert";
import {
  bearerTokenStrategy,
  createContainer,
  createRouter,
  generateJwk,
  generateOpenAPI,
  generateSecret,
  inMemoryAuthStores,
  json,
  mountProtectedResource,
  protectedResource,
  type ProtectedResourceOptions,
  publicJwk,
  registerAuth,
  requireAuth,
  requireScope,
  resourceServer,
  signJwt,
  type TypedRouter,
} from "../../../mod.ts";

const ISSUER = "https://id.example";
const OPTIONS: ProtectedResourceOptions = {
  resource: "https://api.example/notes",
  authorizationServers: [ISSUER],
  scopes: ["notes:read", "notes:write"],
  name: "Notes",
};
const RESOURCE = protectedResource(OPTIONS);
const NAMED = `resource_metadata="${RESOURCE.metadataUrl}"`;

const key = await generateJwk("ES256");

async function tokenFor(scope: string): Promise<string> {
  const claims = { iss: ISSUER, aud: RESOURCE.resource, sub: "u1", scope };
  return await signJwt(claims, {
    algorithms: ["ES256"],
    key,
    header: { typ: "at+jwt" },
    expiresIn: 600,
  });
}

function bearer(resourceMetadata: string | undefined) {
  return bearerTokenStrategy({
    algorithms: ["ES256"],
    keys: publicJwk(key),
    issuer: ISSUER,
    audience: RESOURCE.resource,
    resourceMetadata,
  });
}

/** An API whose routes are guarded in every way that there is. */
function api() {
  const strategies = [bearer(RESOURCE.metadataUrl)];
  const runtime = resourceServer({ strategies, deployment: "direct" });
  return createRouter().withAuth(runtime.integration())
    .get("/scope", (req) => json(req.principal.sub), { scope: ["notes:read", "notes:write"] })
    .get("/any", (req) => json(req.principal.sub), { scope: "any" })
    .get("/none", (req) => json(req.principal.sub))
    .get("/fresh", (req) => json(req.principal.sub), { scope: "any", auth: { maxAge: 60 } })
    .get("/public", () => json("all"), { auth: false })
    .get("/middleware", () => json("all"), {
      auth: false,
      use: [requireAuth({ runtime, scope: ["notes:read"] })],
    })
    .get("/two", () => json("all"), {
      auth: false,
      use: [requireAuth({ runtime, scope: "any" }), requireScope("notes:write")],
    })
    .get("/optional", () => json("all"), {
      auth: { mode: "optional" },
      scope: "any",
      use: [requireScope("notes:write")],
    });
}

const CHALLENGES: readonly (readonly [
  why: string,
  path: string,
  token: string | undefined,
  status: number,
  challenge: string | null,
])[] = [
  [
    "no token, with the route's scopes",
    "/scope",
    undefined,
    401,
    `Bearer realm="api", ${NAMED}, scope="notes:read notes:write"`,
  ],
  ["no token, where any scope does", "/any", undefined, 401, `Bearer realm="api", ${NAMED}`],
  ["no token, where no scope is named", "/none", undefined, 401, `Bearer realm="api", ${NAMED}`],
  [
    "an invalid token",
    "/scope",
    "x",
    401,
    `Bearer realm="api", ${NAMED}, scope="notes:read notes:write", error="invalid_token", error_description="The token is not valid"`,
  ],
  [
    "a token with one of two scopes, all of which the challenge has",
    "/scope",
    "notes:read",
    403,
    `Bearer error="insufficient_scope", ${NAMED}, scope="notes:read notes:write"`,
  ],
  [
    "a token of a route that names no scope",
    "/none",
    "notes:read",
    403,
    `Bearer error="insufficient_scope", ${NAMED}`,
  ],
  [
    "a token without an authentication time",
    "/fresh",
    "notes:read",
    401,
    `Bearer error="insufficient_user_authentication", ${NAMED}, max_age="60"`,
  ],
  [
    "no token in middleware",
    "/middleware",
    undefined,
    401,
    `Bearer realm="api", ${NAMED}, scope="notes:read"`,
  ],
  [
    "another scope in middleware",
    "/middleware",
    "notes:write",
    403,
    `Bearer error="insufficient_scope", ${NAMED}, scope="notes:read"`,
  ],
  [
    "another scope for requireScope()",
    "/two",
    "notes:read",
    403,
    `Bearer error="insufficient_scope", ${NAMED}, scope="notes:write"`,
  ],
  [
    "no token for requireScope()",
    "/optional",
    undefined,
    401,
    `Bearer realm="api", ${NAMED}, scope="notes:write"`,
  ],
  ["no token where none is needed", "/public", undefined, 200, null],
  ["a token that is enough", "/scope", "notes:read notes:write", 200, null],
];

async function ask(
  router: Pick<TypedRouter, "request">,
  path: string,
  scope: string | undefined,
): Promise<Response> {
  const token = scope === undefined || scope === "x" ? scope : await tokenFor(scope);
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return await router.request(path, { headers });
}

for (const [why, path, scope, status, challenge] of CHALLENGES) {
  Deno.test(`bearerTokenStrategy() names the metadata of the API to a client with ${why}, 9728-5.1, MCP-4`, async () => {
    const response = await ask(api(), path, scope);
    assertEquals([response.status, response.headers.get("WWW-Authenticate")], [status, challenge]);
  });
}

Deno.test("bearerTokenStrategy() names neither metadata nor scopes in a 401, unless metadata are given", async () => {
  const runtime = resourceServer({ strategies: [bearer(undefined)], deployment: "direct" });
  const router = createRouter().withAuth(runtime.integration())
    .get("/scope", () => json("all"), { scope: ["notes:read"] });
  const { headers } = await router.request("/scope");
  assertEquals(headers.get("WWW-Authenticate"), 'Bearer realm="api"');
});

for (
  const [why, url] of [["empty", ""], ["with a quote", 'https://x.example/"'], [
    "with a line break",
    "https://x.example/\n",
  ]]
) {
  Deno.test(`bearerTokenStrategy() refuses a URL of metadata that is ${why}`, () => {
    assertThrows(() => bearer(url), TypeError, "resourceMetadata must be");
  });
}

Deno.test("registerAuth() names the metadata beside the challenge of its sessions", async () => {
  const runtime = registerAuth({
    secret: generateSecret(),
    stores: inMemoryAuthStores(),
    deployment: "direct",
    jwt: { issuer: ISSUER, audience: RESOURCE.resource, resourceMetadata: RESOURCE.metadataUrl },
    container: createContainer(),
  });
  const router = createRouter()
    .withAuth(runtime.integration({ routes: { registration: "closed" } }))
    .get("/scope", () => json("all"), { scope: ["notes:read"] });
  const { headers } = await router.request("/scope");
  const bearerChallenge = `Bearer realm="api", ${NAMED}, scope="notes:read"`;
  assertEquals(headers.get("WWW-Authenticate"), `${bearerChallenge}, Session`);
});

const PATHS: readonly (readonly [why: string, resource: string, url: string])[] = [
  [
    "a path, 9728-3.1, 9728-3.3",
    "https://api.example/notes",
    "https://api.example/.well-known/oauth-protected-resource/notes",
  ],
  [
    "a longer path",
    "https://api.example/a/b",
    "https://api.example/.well-known/oauth-protected-resource/a/b",
  ],
  ["no path", "https://api.example", "https://api.example/.well-known/oauth-protected-resource"],
  [
    "an empty path",
    "https://api.example/",
    "https://api.example/.well-known/oauth-protected-resource",
  ],
  [
    "a port",
    "https://api.example:8443/x",
    "https://api.example:8443/.well-known/oauth-protected-resource/x",
  ],
];

for (const [why, resource, url] of PATHS) {
  Deno.test(`mountProtectedResource() answers where clients look for an API with ${why}`, async () => {
    const one = protectedResource({ ...OPTIONS, resource });
    assertEquals(one.metadataUrl, url);
    const runtime = resourceServer({ strategies: [bearer(undefined)], deployment: "direct" });
    const router = mountProtectedResource(createRouter().withAuth(runtime.integration()), one);
    assertEquals(generateOpenAPI({ title: "Notes", version: "1" }, router).paths, {});
    const response = await router.fetch(new Request(url));
    assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
    assertEquals(response.headers.get("Content-Type"), "application/json");
    assertEquals(response.headers.get("Cache-Control"), "public, max-age=300");
    assertEquals(await response.json(), {
      resource, // exactly as it was given, §3.3
      authorization_servers: [ISSUER],
      scopes_supported: ["notes:read", "notes:write"],
      bearer_methods_supported: ["header"],
      resource_name: "Notes",
    });
  });
}

const METHODS: readonly (readonly [method: string, status: number])[] = [
  ["GET", 200],
  ["HEAD", 200],
  ["OPTIONS", 204],
  ["POST", 405],
  ["DELETE", 405],
];

for (const [method, status] of METHODS) {
  Deno.test(`ProtectedResource answers ${method} of pages of all origins by ${status}`, async () => {
    // The handler itself: routers drop the body of a response to HEAD
    const response = RESOURCE.handler(new Request(RESOURCE.metadataUrl, { method }));
    assertEquals([response.status, response.headers.get("Access-Control-Allow-Origin")], [
      status,
      "*",
    ]);
    assertEquals(response.headers.get("Access-Control-Allow-Headers"), "*, Authorization");
    assertEquals(response.headers.get("Access-Control-Allow-Methods"), "GET, HEAD, OPTIONS");
    const age = response.headers.get("Access-Control-Max-Age");
    assertEquals(age, method === "OPTIONS" ? "7200" : null);
    assertEquals(response.headers.get("Allow"), status === 405 ? "GET, HEAD, OPTIONS" : null);
    const text = await response.text();
    assertEquals(text !== "", method === "GET");
  });
}

const WRONG: readonly (readonly [why: string, change: Record<string, unknown>])[] = [
  ["http", { resource: "http://api.example" }],
  ["http to this machine", { resource: "http://localhost:8000/mcp" }],
  ["a query", { resource: "https://api.example/?x" }],
  ["a fragment", { resource: "https://api.example/#x" }],
  ["a user name", { resource: "https://a@api.example/" }],
  ["another spelling", { resource: "https://API.example/" }],
  ["dot segments", { resource: "https://api.example/a/../b" }],
  ["a quote in its path", { resource: 'https://api.example/"' }],
  ["a parameter in its path", { resource: "https://api.example/:id" }],
  ["a wildcard in its path", { resource: "https://api.example/*" }],
  ["no URL", { resource: "notes" }],
  ["no resource", { resource: undefined }],
  ["no authorization server", { authorizationServers: [] }],
  ["an authorization server that is a string", { authorizationServers: ISSUER }],
  ["an authorization server over http", { authorizationServers: ["http://id.example"] }],
  ["a scope with a space", { scopes: ["a b"] }],
  ["a scope that is a string", { scopes: "a" }],
  ["an empty name", { name: "" }],
  ["a name that is no string", { name: 7 }],
  ["no list of authorization servers", { authorizationServers: undefined }],
  ["a resource that is no string", { resource: new URL("https://api.example/notes") }],
  ["http to another host", { resource: "http://api.example/mcp", insecureLoopback: true }],
  ["another scheme", { resource: "ftp://localhost/mcp", insecureLoopback: true }],
  ["a host that begins as this machine", {
    resource: "http://localhost.example/mcp",
    insecureLoopback: true,
  }],
  ["a host that ends as this machine", {
    resource: "http://notlocalhost/mcp",
    insecureLoopback: true,
  }],
  ["an unknown option", { scope: ["a"] }],
];

for (const [why, change] of WRONG) {
  Deno.test(`protectedResource() refuses ${why}`, () => {
    assertThrows(
      () => protectedResource({ ...OPTIONS, ...change } as ProtectedResourceOptions),
      Error,
      "Cannot create protected resource: ",
    );
  });
}

Deno.test("protectedResource() allows http on this machine for development", () => {
  const resource = "http://localhost:8000/mcp";
  const options = {
    resource,
    authorizationServers: ["http://127.0.0.1:9000"],
    insecureLoopback: true,
  };
  const { metadataUrl, metadata } = protectedResource(options);
  assertEquals(metadataUrl, "http://localhost:8000/.well-known/oauth-protected-resource/mcp");
  assertEquals(metadata, {
    resource,
    authorization_servers: ["http://127.0.0.1:9000"],
    bearer_methods_supported: ["header"],
  });
});
