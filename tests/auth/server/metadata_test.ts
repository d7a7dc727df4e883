/** Metadata, JWKS and CORS: RFC 8414, OpenID Connect Discovery, and that behaviour and metadata agree (AS42 to AS44). */

import { assert, assertEquals } from "@std/assert";
import { inMemoryAuthStores, keyService, verifyJwt } from "../../../auth/mod.ts";
import { createRouter } from "../../../router/mod.ts";
import {
  AuthorizationServer,
  type AuthorizationServerOptions,
  handleOAuthServerRequest,
  mountOAuthServer,
  staticClients,
} from "../../../auth/server/mod.ts";
import {
  assertRedirectError,
  assertTokenError,
  basic,
  CLIENTS,
  ISSUER,
  responseParameters,
  SECRET,
  type ServerSite,
  serverSite,
} from "./_site.ts";
import { bearer, granted, isAlive, redeemAs, refreshAs, revokeAs, tokensOf } from "./_tokens.ts";

type Metadata = Readonly<Record<string, unknown>>;

async function metadataOf(site: ServerSite): Promise<Metadata> {
  const response = await site.send("/.well-known/openid-configuration");
  assertEquals(response.status, 200);
  return await response.json();
}

/** A server by itself: no application, no sessions. */
function bareServer(options: Partial<AuthorizationServerOptions> = {}): AuthorizationServer {
  const stores = inMemoryAuthStores();
  return new AuthorizationServer({
    issuer: ISSUER,
    clients: staticClients(CLIENTS),
    codes: stores.authorizations,
    tokens: stores.refreshTokens,
    keyService: keyService({ store: stores.keys, algorithms: ["ES256", "RS256"] }),
    ...options,
  });
}

Deno.test("metadata() is the document of RFC 8414 §2, oidcc-discovery-endpoint-verification, BCP-2.1.1-e, BCP-2.6-b", () => {
  assertEquals(bareServer().metadata(), {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/oauth/authorize`,
    token_endpoint: `${ISSUER}/oauth/token`,
    revocation_endpoint: `${ISSUER}/oauth/revoke`,
    userinfo_endpoint: `${ISSUER}/oauth/userinfo`,
    jwks_uri: `${ISSUER}/.well-known/jwks.json`,
    scopes_supported: ["openid", "offline_access"],
    response_types_supported: ["code"],
    response_modes_supported: ["query", "form_post"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    revocation_endpoint_auth_methods_supported: [
      "client_secret_basic",
      "client_secret_post",
      "none",
    ],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    claims_supported: [
      "iss",
      "sub",
      "aud",
      "exp",
      "iat",
      "auth_time",
      "acr",
      "amr",
      "nonce",
      "at_hash",
      "sid",
    ],
    claims_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
  });
});

Deno.test("metadata() follows from the options: scopes, claims, contexts, algorithm", () => {
  const scopes = { "notes:read": { description: "Read your notes" } };
  const rows: readonly (readonly [Partial<AuthorizationServerOptions>, string, unknown])[] = [
    [{ scopes }, "scopes_supported", ["openid", "offline_access", "notes:read"]],
    [{ scopes, claims: () => ({}) }, "scopes_supported", [
      "openid",
      "profile",
      "email",
      "address",
      "phone",
      "offline_access",
      "notes:read",
    ]],
    [{ acrValues: ["aal1", "aal2"] }, "acr_values_supported", ["aal1", "aal2"]],
    [{ acrValues: [] }, "acr_values_supported", undefined],
    [{ idTokenAlgorithm: "ES256" }, "id_token_signing_alg_values_supported", ["ES256"]],
  ];
  for (const [options, name, expected] of rows) {
    assertEquals(bareServer(options).metadata()[name], expected);
  }
  const claims = bareServer({ claims: () => ({}) }).metadata()["claims_supported"] as string[];
  assertEquals(
    ["name", "email", "email_verified", "address", "phone_number"].filter((name) =>
      !claims.includes(name)
    ),
    [],
  );
});

/** Issuers, and the paths of their endpoints, 8414-3. */
const ISSUERS: readonly (readonly [
  issuer: string,
  basePath: string,
  options?: Partial<AuthorizationServerOptions>,
])[] = [
  ["https://example.com", ""],
  ["https://example.com/tenant", "/tenant"],
  ["https://example.com/tenants/a-1", "/tenants/a-1"],
  ["https://example.com:8443/tenant", "/tenant"],
  ["http://localhost:8000", "", { insecureLoopback: true }],
  ["http://127.0.0.1:8000/tenant", "/tenant", { insecureLoopback: true }],
];
for (const [issuer, basePath, options] of ISSUERS) {
  Deno.test(`handleOAuthServerRequest() and mountOAuthServer() find the endpoints of ${issuer}, 8414-3, 8414-3.3`, async () => {
    const server = bareServer({ issuer, ...options });
    const router = mountOAuthServer(createRouter(), server);
    const { origin } = new URL(issuer);
    const send = [
      (path: string) => handleOAuthServerRequest(server, new Request(origin + path)),
      async (path: string) => await router.fetch(new Request(origin + path)),
    ];
    const wellKnown = [
      `/.well-known/oauth-authorization-server${basePath}`,
      `/.well-known/openid-configuration${basePath}`,
      `${basePath}/.well-known/openid-configuration`,
    ];
    for (const sent of send) {
      for (const path of wellKnown) {
        const response = await sent(path);
        assertEquals([response.status, await response.json()], [200, server.metadata()], path);
        assertEquals(response.headers.get("Content-Type"), "application/json");
        assertEquals(response.headers.get("Cache-Control"), "public, max-age=300");
      }
      const statuses = new Map<string, number>();
      for (const path of ["authorize", "token", "revoke", "userinfo"]) {
        const response = await sent(`${basePath}/oauth/${path}`);
        await response.body?.cancel();
        statuses.set(path, response.status);
      }
      assertEquals(Object.fromEntries(statuses), {
        authorize: 400,
        token: 405,
        revoke: 405,
        userinfo: 401,
      });
      const unknown = [
        `${basePath}/oauth/introspect`,
        `${basePath}/oauth/token/`,
        `${basePath}/oauth`,
        `${basePath}/OAuth/token`,
        `${basePath}//oauth/token`,
        `/other${basePath}/oauth/token`,
        ...(basePath === "" ? ["/x/.well-known/openid-configuration"] : [
          "/oauth/token",
          "/.well-known/openid-configuration",
          "/.well-known/oauth-authorization-server",
          `/.well-known/jwks.json${basePath}`,
        ]),
      ];
      for (const path of unknown) {
        const response = await sent(path);
        await response.body?.cancel();
        assertEquals(response.status, 404, path);
      }
    }
    for (const [name, url] of Object.entries(server.metadata())) {
      if (!name.endsWith("_endpoint") && name !== "jwks_uri") continue;
      assert(String(url).startsWith(`${issuer}/`), name); // no other origin, no fragment, nothing twice
      assertEquals(new URL(String(url)).href, url);
    }
  });
}

/** Header fields that change nothing, AS42, BCP-4.13, CVE-2026-33495. */
const FORWARDED: readonly (readonly [name: string, value: string])[] = [
  ["Host", "evil.example"],
  ["X-Forwarded-Host", "evil.example"],
  ["X-Forwarded-Proto", "http"],
  ["X-Forwarded-Port", "8080"],
  ["X-Forwarded-Prefix", "/evil"],
  ["X-Original-URL", "/evil"],
  ["Forwarded", "host=evil.example;proto=http"],
];
for (const [name, value] of FORWARDED) {
  Deno.test(`metadata() and tokens do not depend on ${name}, AS42, BCP-4.13, CVE-2026-33495`, async () => {
    const site = serverSite();
    const headers = { [name]: value };
    const urls = [
      "/.well-known/openid-configuration",
      "https://evil.example/.well-known/openid-configuration",
      "http://example.com:81/.well-known/openid-configuration",
    ];
    for (const url of urls) {
      const response = await site.send(url, { headers });
      assertEquals(await response.json(), site.server.metadata());
    }
    const challenge = await site.send("https://evil.example/oauth/userinfo", { headers });
    assertEquals(challenge.headers.get("WWW-Authenticate"), `Bearer realm="${ISSUER}"`);
    const refused = await site.send("https://evil.example/oauth/token", {
      method: "POST",
      headers: { ...headers, ...basic("web", "x") },
      body: new URLSearchParams({ grant_type: "refresh_token" }),
    });
    assertEquals(refused.headers.get("WWW-Authenticate"), `Basic realm="${ISSUER}"`);
    await assertTokenError(refused, "invalid_client", 401);
  });
}

// AS43: each value of the metadata works, and nothing else does

for (
  const [clientId, method] of [
    ["web", "client_secret_basic"],
    ["post", "client_secret_post"],
    ["spa", "none"],
  ] as const
) {
  Deno.test(`metadata() advertises ${method}, which works at both endpoints, AS43`, async () => {
    const site = serverSite();
    const metadata = await metadataOf(site);
    for (const endpoint of ["token", "revocation"]) {
      const methods = metadata[`${endpoint}_endpoint_auth_methods_supported`] as string[];
      assert(methods.includes(method));
      assertEquals(methods.length, 3);
    }
    const tokens = await granted(site, { client_id: clientId });
    const next = await tokensOf(await refreshAs(site, clientId, tokens.refresh_token));
    assertEquals((await revokeAs(site, clientId, next.refresh_token)).status, 200);
    assertEquals(await isAlive(site, next, clientId), [false, false]);
  });
}

/** Values of parameters: those that the metadata lists are accepted, the others refused. */
const PARAMETERS: readonly (readonly [
  member: string,
  parameter: string,
  others: readonly string[],
  error: string,
])[] = [
  ["response_types_supported", "response_type", [
    "token",
    "id_token",
    "code id_token",
    "none",
    "code code",
  ], "unsupported_response_type"],
  ["response_modes_supported", "response_mode", [
    "fragment",
    "web_message",
    "jwt",
    "query.jwt",
  ], "invalid_request"],
  ["code_challenge_methods_supported", "code_challenge_method", [
    "plain",
    "s256",
    "S512",
  ], "invalid_request"],
  ["scopes_supported", "scope", ["unknown"], "invalid_scope"],
  ["prompt_values_supported", "prompt", ["create", "None"], "invalid_request"],
];
for (const [member, parameter, others, error] of PARAMETERS) {
  Deno.test(`metadata() advertises in ${member} what works, and all of it, AS43`, async () => {
    const site = serverSite();
    const metadata = await metadataOf(site);
    const browser = await site.signedIn();
    for (const value of metadata[member] as string[]) {
      const response = await site.authorize(browser, { [parameter]: value });
      const error = response.status === 303 &&
        new URL(response.headers.get("Location") ?? "", ISSUER).searchParams.get("error");
      assert(error === false || error === null || value === "none", `${value}: ${error}`);
      await response.body?.cancel();
    }
    for (const value of others) {
      assertRedirectError(await site.authorize(browser, { [parameter]: value }), error);
    }
  });
}

Deno.test("grants limits what all clients may exchange, and what the metadata advertise, AS43", async () => {
  const site = serverSite({ server: { grants: ["authorization_code"] } });
  assertEquals((await metadataOf(site))["grant_types_supported"], ["authorization_code"]);
  const code = await site.code(await site.signedIn());
  const tokens = await (await site.redeem(code)).json();
  assertEquals(Object.keys(tokens).includes("refresh_token"), false);
  const form = { grant_type: "refresh_token", refresh_token: "a.b", client_id: "spa" };
  await assertTokenError(await site.token(form), "unsupported_grant_type");
});

Deno.test("metadata() advertises grant types: the others are unsupported, AS43, BCP-2.4", async () => {
  const site = serverSite();
  assertEquals((await metadataOf(site))["grant_types_supported"], [
    "authorization_code",
    "refresh_token",
  ]);
  const others = [
    "password",
    "client_credentials",
    "implicit",
    "urn:ietf:params:oauth:grant-type:device_code",
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
    "urn:ietf:params:oauth:grant-type:token-exchange",
    "__proto__",
  ];
  for (const grant_type of others) {
    const refused = await site.token({ grant_type, client_id: "spa", username: "u1" });
    await assertTokenError(refused, "unsupported_grant_type");
  }
});

Deno.test("metadata() advertises iss, claims and the algorithm of ID tokens as they are, AS43", async () => {
  const site = serverSite();
  const metadata = await metadataOf(site);
  const browser = await site.signedIn();
  const page = await site.authorize(browser, { claims: '{"id_token":{"email":null}}' });
  const parameters = responseParameters(await site.decide(browser, page));
  assertEquals(parameters.get("iss"), metadata["issuer"]);
  const tokens = await tokensOf(await redeemAs(site, "spa", parameters.get("code") ?? ""));
  const { claims, header } = await verifyJwt(tokens.id_token, {
    algorithms: metadata["id_token_signing_alg_values_supported"] as ["ES256"],
    keys: await (await site.send("/.well-known/jwks.json")).json(),
    issuer: ISSUER,
    audience: "spa",
    now: () => site.app.clock.now,
  });
  assertEquals([header.alg], metadata["id_token_signing_alg_values_supported"]);
  const supported = metadata["claims_supported"] as string[];
  assertEquals(Object.keys(claims).filter((name) => !supported.includes(name)), []);
  const userinfo = await site.send(new URL(String(metadata["userinfo_endpoint"])).pathname, {
    headers: bearer(tokens.access_token),
  });
  assertEquals(userinfo.status, 200);
  for (const parameter of ["request", "request_uri"] as const) {
    assertEquals(metadata[`${parameter}_parameter_supported`], false);
    const refused = await site.authorize(browser, { [parameter]: "https://169.254.169.254/" });
    assertRedirectError(refused, `${parameter}_not_supported`);
  }
});

Deno.test("jwks.json publishes public keys only, with a tag", async () => {
  const site = serverSite();
  await granted(site);
  const response = await site.send("/.well-known/jwks.json");
  assertEquals(response.headers.get("Content-Type"), "application/jwk-set+json");
  const { keys } = await response.json();
  assert(keys.length > 0);
  for (const key of keys) {
    assertEquals(["d", "p", "q", "dp", "dq", "qi", "k"].filter((name) => name in key), []);
    assertEquals([key.use, typeof key.kid], ["sig", "string"]);
  }
  const etag = response.headers.get("ETag") ?? "";
  const again = await site.send("/.well-known/jwks.json", { headers: { "If-None-Match": etag } });
  assertEquals(again.status, 304);
});

/** Endpoints, their methods, and whether pages of other origins may call them, AS44, BCP-2.6-a. */
const CORS: readonly (readonly [
  path: string,
  allow: string,
  cors: boolean,
  method: string,
  status: number,
])[] = [
  ["/oauth/authorize", "GET, POST", false, "GET", 400],
  ["/oauth/token", "POST, OPTIONS", true, "POST", 400],
  ["/oauth/revoke", "POST, OPTIONS", true, "POST", 400],
  ["/oauth/userinfo", "GET, HEAD, POST, OPTIONS", true, "GET", 401],
  ["/.well-known/jwks.json", "GET, HEAD, OPTIONS", true, "GET", 200],
  ["/.well-known/openid-configuration", "GET, HEAD, OPTIONS", true, "GET", 200],
  ["/.well-known/oauth-authorization-server", "GET, HEAD, OPTIONS", true, "GET", 200],
];
for (const [path, allow, cors, method, status] of CORS) {
  for (const origin of ["https://app.example", "null", ISSUER]) {
    Deno.test(`answer() ${cors ? "allows" : "does not allow"} ${path} to pages of ${origin}, AS44`, async () => {
      const site = serverSite();
      const preflight = await site.send(path, {
        method: "OPTIONS",
        headers: {
          "Origin": origin,
          "Access-Control-Request-Method": method,
          "Access-Control-Request-Headers": "authorization",
        },
      });
      const response = await site.send(path, {
        method,
        headers: { "Origin": origin, "Cookie": "sid=x", "Sec-Fetch-Site": "cross-site" },
      });
      await response.body?.cancel();
      assertEquals(response.status, status);
      const names = (headers: Headers) =>
        [...headers].filter(([name]) => name.startsWith("access-control-"));
      if (cors) {
        assertEquals(preflight.status, 204);
        assertEquals(names(preflight.headers), [
          ["access-control-allow-headers", "*, Authorization"],
          ["access-control-allow-methods", allow],
          ["access-control-allow-origin", "*"],
          ["access-control-expose-headers", "Retry-After, WWW-Authenticate, DPoP-Nonce"],
          ["access-control-max-age", "7200"],
        ]);
        assertEquals(names(response.headers), [
          ["access-control-allow-origin", "*"],
          ["access-control-expose-headers", "Retry-After, WWW-Authenticate, DPoP-Nonce"],
        ]);
      } else {
        assertEquals([preflight.status, preflight.headers.get("Allow")], [405, allow]);
        assertEquals([...names(preflight.headers), ...names(response.headers)], []);
      }
    });
  }
  for (const other of ["PUT", "DELETE", "PATCH", ...(allow.includes("HEAD") ? [] : ["HEAD"])]) {
    Deno.test(`answer() refuses ${other} ${path}`, async () => {
      const response = await serverSite().send(path, { method: other });
      assertEquals([response.status, response.headers.get("Allow")], [405, allow]);
    });
  }
  if (!allow.includes("HEAD")) continue;
  Deno.test(`answer() answers HEAD ${path} without a body`, async () => {
    const request = new Request(ISSUER + path, { method: "HEAD" });
    const response = await handleOAuthServerRequest(bareServer(), request);
    assertEquals([response.status, await response.text()], [status, ""]);
  });
}

Deno.test("answer() never sets a cookie outside of the authorization endpoint, and allows no credentials", async () => {
  const site = serverSite();
  const { access_token, refresh_token } = await granted(site);
  const responses = [
    await site.send("/oauth/userinfo", { headers: bearer(access_token) }),
    await refreshAs(site, "spa", refresh_token),
    await site.token({ grant_type: "refresh_token" }, basic("web", SECRET)),
    await site.send("/.well-known/openid-configuration"),
  ];
  for (const { headers } of responses) {
    assertEquals(headers.getSetCookie(), []);
    assertEquals(headers.get("Access-Control-Allow-Credentials"), null);
  }
});

Deno.test("jwks.json of a key service that fails is 503 or 500, without details", async () => {
  const kept = inMemoryAuthStores().keys;
  const fails: typeof kept = {
    ...kept,
    load: () => Promise.reject(new Error("hunter2")),
  };
  const keys = keyService({ store: fails, algorithms: ["ES256"], warn: () => {} });
  const server = bareServer({ keyService: keys, idTokenAlgorithm: "ES256", warn: () => {} });
  const request = new Request(`${ISSUER}/.well-known/jwks.json`);
  const response = await handleOAuthServerRequest(server, request);
  assert(response.status === 500 || response.status === 503);
  assertEquals((await response.text()).includes("hunter2"), false);
});
