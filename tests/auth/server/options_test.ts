/** Options of the authorization server. */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { type AsymmetricAlgorithm, inMemoryAuthStores, keyService } from "../../../auth/mod.ts";
import {
  AuthorizationServer,
  type AuthorizationServerOptions,
  type AuthorizationSubject,
  handleOAuthServerRequest,
  mountOAuthServer,
  staticClients,
} from "../../../auth/server/mod.ts";
import { createRouter } from "../../../router/mod.ts";
import {
  assertErrorPage,
  CHALLENGE,
  claimsOf,
  CLIENTS,
  headerOf,
  ISSUER,
  serverSite,
} from "./_site.ts";
import { granted } from "./_tokens.ts";

/** SPEC's five options. */
function required(
  algorithms: readonly [AsymmetricAlgorithm, ...AsymmetricAlgorithm[]] = ["RS256"],
): AuthorizationServerOptions {
  const stores = inMemoryAuthStores();
  return {
    issuer: ISSUER,
    clients: staticClients(CLIENTS),
    codes: stores.authorizations,
    tokens: stores.refreshTokens,
    keyService: keyService({ store: stores.keys, algorithms }),
  };
}

Deno.test("AuthorizationServer with the five options answers, and signs nobody in", async () => {
  const server = new AuthorizationServer(required());
  assertEquals([server.issuer, server.metadata()["issuer"]], [ISSUER, ISSUER]);
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "spa",
    redirect_uri: "https://app.example/cb",
    scope: "openid",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  });
  const send = (url: string) => handleOAuthServerRequest(server, new Request(ISSUER + url));
  const asked = await send(`/oauth/authorize?${query}`);
  assertEquals(asked.status, 303);
  assertMatch(
    asked.headers.get("Location") ?? "",
    /^\/sign-in\?next=%2Foauth%2Fauthorize%3Fid%3D[\w-]{22}&reason=signed_out$/,
  );
  const silent = await send(`/oauth/authorize?${query}&prompt=none`);
  assertMatch(silent.headers.get("Location") ?? "", /error=login_required/);
  assertEquals((await send("/oauth/userinfo")).status, 401);
  assertEquals(await server.listGrants("u1"), []);
  assertEquals(await server.revokeGrant("u1", "x"), false);
});

/** Options of a wrong shape. */
const REJECTED: readonly (readonly [
  why: string,
  options: Readonly<Record<string, unknown>>,
  ErrorClass?: typeof TypeError | typeof RangeError,
  text?: RegExp,
])[] = [
  ...["issuer", "clients", "codes", "tokens", "keyService"].flatMap((name) => [
    [`no ${name}`, { [name]: undefined }] as const,
    [`${name} that is null`, { [name]: null }] as const,
    [`${name} that is an empty object`, { [name]: {} }] as const,
    [`${name} that is a number`, { [name]: 1 }] as const,
  ]),
  ["an unknown option", { issuers: "x" }, TypeError, /unknown option issuers/],
  ["a misspelt option", { insecureLoopBack: true }, TypeError, /unknown option/],
  ["codes without find()", { codes: { create() {}, update() {} } }],
  ["codes without create()", { codes: { find() {}, update() {} } }],
  ["tokens without find()", { tokens: { create() {}, rotate() {}, revoke() {}, list() {} } }],
  ["tokens without revoke()", { tokens: { create() {}, find() {}, rotate() {}, list() {} } }],
  ["users without findBySub()", { users: {} }],
  ["users that are null", { users: null }],
  ["states without claim()", { states: { put() {} } }, TypeError, /states/],
  ["grants that are text", { grants: "refresh_token" }, TypeError, /grants/],
  ["no grants", { grants: [] }, TypeError, /grants/],
  ["an unknown grant", { grants: ["password"] }, TypeError, /grants/],
  ["throttle without token()", { throttle: { challenge() {} } }],
  ["throttle without challenge()", { throttle: { token() {} } }],
  ["throttle that is null", { throttle: null }],
  ...[
    "accessTokenClaims",
    "authenticate",
    "claims",
    "clientAddress",
    "consent",
    "events",
    "login",
    "now",
    "strings",
    "warn",
  ].map((name) =>
    [`${name} that is no function`, { [name]: {} }, TypeError, new RegExp(name)] as const
  ),
  ["pushedRequests that are text", { pushedRequests: "yes" }, TypeError, /pushedRequests/],
  ["pushedRequests that are null", { pushedRequests: null }, TypeError, /pushedRequests/],
  ["references of 4 seconds", { lifetimes: { pushedRequest: 4 } }, RangeError, /pushedRequest/],
  [
    "references of more than 10 minutes, RFC 9126 §2.2",
    { lifetimes: { pushedRequest: 601 } },
    RangeError,
    /pushedRequest/,
  ],
  ["insecureLoopback that is text", { insecureLoopback: "false" }, TypeError, /insecureLoopback/],
  ["acrValues that are text", { acrValues: "aal1" }, TypeError, /acrValues/],
  ["acrValues with a space", { acrValues: ["aal1 aal2"] }, TypeError, /acrValues/],
  ["acrValues with an empty string", { acrValues: [""] }, TypeError, /acrValues/],
  ["resources that are text", { resources: "https://api.example" }, TypeError, /resources/],
  ["no resources", { resources: [] }, TypeError, /resources/],
  ["an empty resource", { resources: [""] }, TypeError, /resources/],
  ["a resource that is a number", { resources: [1] }, TypeError, /resources/],
  ["scopes that are null", { scopes: null }],
  ["a scope with a space", { scopes: { "a b": { description: "x" } } }, RangeError],
  ["a scope with a quote", { scopes: { 'a"': { description: "x" } } }, RangeError],
  ["an empty scope", { scopes: { "": { description: "x" } } }, RangeError],
  ["a scope without a description", { scopes: { a: {} } }, TypeError, /description/],
  ["a scope with an empty description", { scopes: { a: { description: "" } } }, TypeError],
  ["a scope that is undefined", { scopes: { a: undefined } }, TypeError],
  [
    "a scope of an unknown resource",
    {
      scopes: { a: { description: "A", resource: "https://other.example" } },
    },
    TypeError,
    /resource/,
  ],
  ["an algorithm that the keys do not have", { idTokenAlgorithm: "ES384" }, TypeError, /idToken/],
  ["a symmetric algorithm", { idTokenAlgorithm: "HS256" }, TypeError, /idToken/],
  ["no signature", { idTokenAlgorithm: "none" }, TypeError, /idToken/],
  ["lifetimes that are null", { lifetimes: null }],
  ["an unknown lifetime", { lifetimes: { session: 1 } }, TypeError, /unknown option session/],
  ...["pushedRequest", "interaction", "code", "accessToken", "idToken", "refreshToken", "grant"]
    .flatMap((name) =>
      [0, -1, 1.5, NaN, Infinity, "60", 34_560_001].map((seconds) =>
        [
          `lifetimes.${name} of ${seconds}`,
          { lifetimes: { [name]: seconds } },
          RangeError,
          new RegExp(name),
        ] as const
      )
    ),
  [
    "codes that live for more than 10 minutes, RFC 6749 §4.1.2",
    {
      lifetimes: { code: 601 },
    },
    RangeError,
    /code/,
  ],
  [
    "interactions of more than an hour",
    {
      lifetimes: { interaction: 3_601 },
    },
    RangeError,
    /interaction/,
  ],
  [
    "access tokens that outlive their key",
    {
      lifetimes: { accessToken: 3_601 },
    },
    RangeError,
    /accessToken/,
  ],
  ["access tokens that outlive their grant", { lifetimes: { grant: 599 } }, RangeError, /grant/],
  ["ID tokens that outlive their key", { lifetimes: { idToken: 3_601 } }, RangeError, /idToken/],
];
for (const [why, options, ErrorClass = TypeError, text = /./] of REJECTED) {
  Deno.test(`AuthorizationServer rejects ${why}`, () => {
    const all = { ...required(), warn: () => {}, ...options } as AuthorizationServerOptions;
    const error = assertThrows(() => new AuthorizationServer(all), ErrorClass);
    assertMatch(error.message, /^Cannot create authorization server/);
    assertMatch(error.message, text);
  });
}

for (const options of [undefined, null, "x"]) {
  Deno.test(`AuthorizationServer rejects ${options} for options`, () => {
    const given = options as unknown as AuthorizationServerOptions;
    assertThrows(() => new AuthorizationServer(given), TypeError, "options must be an object");
  });
}

/** Issuers, RFC 8414 §2, 21-9. */
const ISSUERS: readonly (readonly [issuer: string, isAccepted: boolean, loopback?: boolean])[] = [
  ["https://id.example", true],
  ["https://id.example:8443", true],
  ["https://id.example/tenant", true],
  ["https://id.example/a/b", true],
  ["https://xn--bcher-kva.example", true],
  ["https://localhost", true],
  ["", false],
  ["id.example", false],
  ["https://id.example/", false],
  ["https://id.example/tenant/", false],
  ["https://id.example?", false],
  ["https://id.example?a=b", false],
  ["https://id.example#", false],
  ["https://id.example/#a", false],
  ["https://user:password@id.example", false],
  ["https://ID.example", false],
  ["HTTPS://id.example", false],
  ["https://id.example:443", false],
  ["https://id.example/a/../b", false],
  ["https://id.example/a b", false],
  ["https://id.example\\a", false],
  ["https://bücher.example", false],
  [" https://id.example", false],
  ["https:id.example", false],
  ["http://id.example", false],
  ["http://id.example", false, true],
  ["http://localhost:8000", false],
  ["http://localhost:8000", true, true],
  ["http://id.localhost:8000", true, true],
  ["http://127.0.0.1:8000/tenant", true, true],
  ["http://[::1]:8000", true, true],
  ["http://127.0.0.2", false, true],
  ["http://localhost.evil.example", false, true],
  ["http://notlocalhost", false, true],
  ["http://127.0.0.1.evil.example", false, true],
  ["ftp://localhost", false, true],
  ["urn:example:id", false, true],
];
for (const [issuer, isAccepted, insecureLoopback] of ISSUERS) {
  const how = insecureLoopback ? " with insecureLoopback" : "";
  Deno.test(`AuthorizationServer ${isAccepted ? "accepts" : "rejects"} the issuer ${issuer}${how}, 21-9`, () => {
    const create = () => new AuthorizationServer({ ...required(), issuer, insecureLoopback });
    if (isAccepted) assertEquals(create().metadata()["issuer"], issuer);
    else assertThrows(create, TypeError, "issuer must be an https URL");
  });
}

/** How ID tokens are signed, by the algorithms of the keys. */
const ALGORITHMS: readonly (readonly [
  algorithms: readonly [AsymmetricAlgorithm, ...AsymmetricAlgorithm[]],
  given: AsymmetricAlgorithm | undefined,
  expected: AsymmetricAlgorithm,
  warns: boolean,
])[] = [
  [["RS256"], undefined, "RS256", false],
  [["ES256", "RS256"], undefined, "RS256", false],
  [["ES256"], undefined, "ES256", true],
  [["EdDSA", "ES256"], undefined, "EdDSA", true],
  [["ES256"], "ES256", "ES256", false],
  [["ES256", "RS256"], "ES256", "ES256", false],
];
for (const [algorithms, idTokenAlgorithm, expected, warns] of ALGORITHMS) {
  Deno.test(`AuthorizationServer signs ID tokens by ${expected} of ${algorithms}${idTokenAlgorithm ? ", as it is told" : ""}${warns ? ", and warns" : ""}`, () => {
    const warnings: string[] = [];
    const server = new AuthorizationServer({
      ...required(algorithms),
      idTokenAlgorithm,
      warn: (message) => void warnings.push(message),
    });
    assertEquals(server.metadata()["id_token_signing_alg_values_supported"], [expected]);
    assertEquals(warnings.length, warns ? 1 : 0);
    if (warns) assert(warnings[0]?.includes(`signs ID tokens by ${expected}`));
  });
}

/** Options that mean what they would without them. */
const ACCEPTED: readonly (readonly [why: string, options: Partial<AuthorizationServerOptions>])[] =
  [
    ["all undefined", {
      users: undefined,
      authenticate: undefined,
      login: undefined,
      consent: undefined,
      strings: undefined,
      claims: undefined,
      accessTokenClaims: undefined,
      scopes: undefined,
      resources: undefined,
      acrValues: undefined,
      idTokenAlgorithm: undefined,
      lifetimes: undefined,
      pushedRequests: undefined,
      insecureLoopback: undefined,
      throttle: undefined,
      clientAddress: undefined,
      events: undefined,
      warn: undefined,
      now: undefined,
    }],
    ["lifetimes that are undefined", { lifetimes: { code: undefined, grant: undefined } }],
    ["the longest lifetimes", {
      lifetimes: {
        pushedRequest: 600,
        interaction: 3_600,
        code: 600,
        accessToken: 3_600,
        idToken: 3_600,
        refreshToken: 34_560_000,
        grant: 34_560_000,
      },
    }],
    ["a refresh token that would outlive its grant", {
      lifetimes: { refreshToken: 1_000, grant: 600 },
    }],
  ];
for (const [why, options] of ACCEPTED) {
  Deno.test(`AuthorizationServer accepts ${why}`, () => {
    const server = new AuthorizationServer({ ...required(), ...options });
    const metadata = new AuthorizationServer(required()).metadata();
    assertEquals(server.metadata(), metadata);
  });
}

Deno.test("AuthorizationServer reads its options once", async () => {
  const scopes: Record<string, { description: string }> = { a: { description: "A" } };
  const resources = [ISSUER];
  const acrValues = ["aal1"];
  const options = { ...required(), scopes, resources, acrValues };
  const server = new AuthorizationServer(options);
  const before = JSON.stringify(server.metadata());
  scopes["b"] = { description: "B" };
  resources[0] = "https://evil.example";
  acrValues.push("aal2");
  Object.assign(options, { issuer: "https://evil.example" });
  assertEquals(JSON.stringify(server.metadata()), before);
  const url = `${ISSUER}/.well-known/openid-configuration`;
  assertEquals(await (await handleOAuthServerRequest(server, new Request(url))).text(), before);
});

Deno.test("AuthorizationServer limits a scope of its own that has the name of a standard one", () => {
  const scopes = { profile: { description: "See your card" } };
  const server = new AuthorizationServer({ ...required(), scopes });
  assertEquals(server.metadata()["scopes_supported"], ["openid", "offline_access", "profile"]);
});

Deno.test("AuthorizationServer without resources issues tokens for itself", async () => {
  const site = serverSite({ server: { resources: undefined } });
  const { access_token } = await granted(site, { scope: "openid notes:read" });
  assertEquals(claimsOf(access_token)["aud"], ISSUER);
});

Deno.test("AuthorizationServer of an issuer with a path issues tokens, and keeps to it", async () => {
  const issuer = `${ISSUER}/tenant`;
  const stores = inMemoryAuthStores();
  const server = new AuthorizationServer({
    ...required(["ES256", "RS256"]),
    issuer,
    codes: stores.authorizations,
    tokens: stores.refreshTokens,
    authenticate: () =>
      Promise.resolve({
        sub: "u1",
        securityStamp: "s",
        authTime: Math.floor(Date.now() / 1_000),
        amr: ["pwd"],
      }),
    clients: staticClients(CLIENTS),
  });
  const router = mountOAuthServer(createRouter(), server);
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "own",
    redirect_uri: "https://own.example/cb",
    scope: "openid",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  });
  const url = `${issuer}/oauth/authorize?${query}`;
  const response = await router.fetch(new Request(url));
  const location = new URL(response.headers.get("Location") ?? "");
  assertEquals(location.searchParams.get("iss"), issuer);
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: "own",
    code: location.searchParams.get("code") ?? "",
    redirect_uri: "https://own.example/cb",
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  });
  const token = `${issuer}/oauth/token`;
  const tokens = await (await router.fetch(new Request(token, { method: "POST", body }))).json();
  const [id, access] = [claimsOf(tokens.id_token), claimsOf(tokens.access_token)];
  assertEquals([id["iss"], access["iss"], access["aud"]], [issuer, issuer, issuer]);
  assertEquals([headerOf(tokens.id_token)["alg"], "sid" in id], ["RS256", false]);
  const info = await router.fetch(
    new Request(`${issuer}/oauth/userinfo`, {
      headers: { Authorization: `Bearer ${tokens.access_token}` },
    }),
  );
  assertEquals([info.status, await info.json()], [200, { sub: "u1" }]);
});

Deno.test("handleOAuthServerRequest() and mountOAuthServer() reject what is no server", async () => {
  const fake = { issuer: ISSUER } as AuthorizationServer;
  await assertRejects(() => handleOAuthServerRequest(fake, new Request(ISSUER)), TypeError);
  assertThrows(() => mountOAuthServer(createRouter(), fake), TypeError);
  const server = new AuthorizationServer(required());
  const router = createRouter();
  await router.request("/");
  assertThrows(() => mountOAuthServer(router, server), TypeError, "has begun to answer");
});

/** What `authenticate` must not return: it could not be revoked, or would always be recent. */
const UNUSABLE: readonly (readonly [why: string, subject: Readonly<Record<string, unknown>>])[] = [
  ["no sub", { sub: undefined }],
  ["an empty sub", { sub: "" }],
  ["no security stamp", { securityStamp: undefined }],
  ["a time in milliseconds", { authTime: Date.now() }],
  ["no methods", { amr: undefined }],
];
for (const [why, changes] of UNUSABLE) {
  Deno.test(`AuthorizationServer reports a subject with ${why}, and signs nobody in`, async () => {
    const warnings: unknown[] = [];
    const site = serverSite({
      server: {
        authenticate: () => {
          const known = { sub: "u1", securityStamp: "s", authTime: 0, amr: ["pwd"] };
          return Promise.resolve({ ...known, ...changes } as unknown as AuthorizationSubject);
        },
        warn: (_message, error) => void warnings.push(error),
      },
    });
    const response = await site.authorize(site.app.browser(), { client_id: "own" });
    await assertErrorPage(response, 500, "server_error");
    assertMatch(String(warnings), /the authentication must have sub/);
  });
}
