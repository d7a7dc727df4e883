/** Tokens that are bound to a key, at an API: RFC 9449 §7 and §9. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  AuthError,
  type AuthStrategy,
  bearerTokenStrategy,
  deriveKeys,
  dpopTokenStrategy,
  type DpopTokenStrategyOptions,
  inMemoryAuthStores,
  type JwtClaims,
  protectedResource,
  publicJwk,
  resourceServer,
  withAuthRoutes,
} from "../../../auth/mod.ts";
import { createRouter, generateOpenAPI, json } from "../../../mod.ts";
import { type ProofClaims, type ProofKey, proofKey } from "../dpop/_proofs.ts";
import { START } from "../_services.ts";
import { AUDIENCE, createIssuer, ISSUER } from "./_bearer.ts";

const NOTES = `${AUDIENCE}/notes`;
const CHALLENGE = 'DPoP realm="api", algs="ES256 PS256 Ed25519 EdDSA"';
const NONCE_KEYS = deriveKeys("k3-Zq8vT1xW5rY7uP9sD2fG4hJ6kL0mN");
const [KEY, OTHER] = [await proofKey(), await proofKey("Ed25519")];

/** An API, and the tokens of its issuer. */
async function createApi(changes: Partial<DpopTokenStrategyOptions> = {}) {
  const issuer = await createIssuer();
  const { clock } = issuer;
  const now = () => clock.now;
  const { states } = inMemoryAuthStores({ now });
  const tokens = {
    algorithms: ["ES256"],
    keys: publicJwk(issuer.key),
    issuer: ISSUER,
    audience: AUDIENCE,
    now,
  } as const;
  const options = { ...tokens, baseUrl: AUDIENCE, states, ...changes };
  const strategy = dpopTokenStrategy(options);
  return {
    clock,
    options,
    strategy,
    bearer: bearerTokenStrategy(tokens),
    token: (key: ProofKey | undefined = KEY, claims: JwtClaims = {}) =>
      issuer.token({ ...(key === undefined ? {} : { cnf: { jkt: key.jkt } }), ...claims }),
  };
}

/** A request with a token and a proof. */
async function send(
  token: string,
  { key = KEY, url = NOTES, method = "GET", claims, authorization = `DPoP ${token}` }: {
    readonly key?: ProofKey;
    readonly url?: string;
    readonly method?: string;
    readonly claims?: ProofClaims;
    readonly authorization?: string;
  } = {},
): Promise<Request> {
  const proof = await key.prove({ method, url, token }, claims);
  return new Request(url, { method, headers: { Authorization: authorization, DPoP: proof } });
}

Deno.test("dpopTokenStrategy() accepts a bound token with a proof of its key, once, 9449-7, AS39", async () => {
  const { strategy, token } = await createApi();
  const request = await send(await token(KEY, { scope: "notes:read" }));
  const result = await strategy.authenticate({ request });
  assert(result.status === "authenticated");
  const { sub, method, scope } = result.principal;
  assertEquals([sub, method, scope], ["u1", "dpop", ["notes:read"]]);
  assertEquals([strategy.name, strategy.scoped], ["dpop", true]);

  // Another request with the same proof; of several guards, none accepts it
  const other = new Request(request);
  for (let guards = 0; guards < 2; guards++) {
    assertEquals(await strategy.authenticate({ request: other }), {
      status: "failed",
      code: "invalid_dpop_proof",
      message: "dpop_proof_replayed",
      challenge: `${CHALLENGE}, error="invalid_dpop_proof"`,
    });
  }
});

Deno.test("dpopTokenStrategy() claims a proof once for a request, in each store, and each proof, AS39", async () => {
  const { strategy, options, token, clock } = await createApi();
  const { states } = inMemoryAuthStores({ now: () => clock.now });
  const second = dpopTokenStrategy({ ...options, states });
  const request = await send(await token());
  const statusAt = async ({ authenticate }: AuthStrategy, request: Request) =>
    (await authenticate({ request })).status;
  for (const each of [strategy, second, second]) {
    assertEquals(await statusAt(each, request), "authenticated");
  }
  assertEquals(await statusAt(second, new Request(request)), "failed");

  const next = await send(await token());
  assertEquals(await statusAt(strategy, next), "authenticated");
  next.headers.set("DPoP", request.headers.get("DPoP") ?? "");
  assertEquals(await statusAt(strategy, next), "failed");
});

Deno.test("dpopTokenStrategy() accepts a proof for HEAD where a route answers GET", async () => {
  const { strategy, token } = await createApi();
  const runtime = resourceServer({ strategies: [strategy], deployment: "direct" });
  const router = withAuthRoutes(createRouter(), { runtime })
    .get("/notes", () => json(true), { scope: "any" });
  const statusOf = async (htm: string) =>
    (await router.fetch(await send(await token(), { method: "HEAD", claims: { htm } }))).status;
  assertEquals([await statusOf("HEAD"), await statusOf("GET")], [200, 401]);
});

for (
  const [why, authorization] of [
    ["nothing", undefined],
    ["a bearer token", "Bearer abc"],
    ["Basic credentials", "Basic dTI6cGFzc3dvcmQ="],
    ["a scheme that starts alike", "DPoPX abc"],
  ] as const
) {
  Deno.test(`dpopTokenStrategy() has no credential in ${why}`, async () => {
    const { strategy } = await createApi();
    const headers = authorization === undefined ? {} : { Authorization: authorization };
    const result = await strategy.authenticate({ request: new Request(NOTES, { headers }) });
    assertEquals(result, { status: "no-credential" });
  });
}

for (const scheme of ["DPoP ", "dpop ", "DPOP  "]) {
  Deno.test(`dpopTokenStrategy() accepts a token after "${scheme}"`, async () => {
    const { strategy, token } = await createApi();
    const value = await token();
    const request = await send(value, { authorization: `${scheme}${value}` });
    assertEquals((await strategy.authenticate({ request })).status, "authenticated");
  });
}

const INVALID = "invalid_dpop_proof";

/** What is refused: the error, and what only the log says. */
const REFUSED: readonly (readonly [
  why: string,
  code: string,
  message: string,
  request: (api: Awaited<ReturnType<typeof createApi>>) => Promise<Request>,
])[] = [
  [
    "no proof",
    INVALID,
    "dpop_proof_missing",
    async ({ token }) =>
      new Request(NOTES, { headers: { Authorization: `DPoP ${await token()}` } }),
  ],
  [
    "a proof of another key",
    "invalid_token",
    "dpop_key_mismatch",
    async ({ token }) => await send(await token(), { key: OTHER }),
  ],
  [
    "a proof without the token's digest",
    INVALID,
    "dpop_proof_mismatch",
    async ({ token }) => await send(await token(), { claims: { ath: undefined } }),
  ],
  ["a proof for another token", INVALID, "dpop_proof_mismatch", async ({ token }) => {
    const { headers } = await send(await token(KEY, { jti: "other" }));
    const Authorization = `DPoP ${await token()}`;
    return new Request(NOTES, { headers: { Authorization, DPoP: headers.get("DPoP") ?? "" } });
  }],
  [
    "a proof for another path",
    INVALID,
    "dpop_proof_mismatch",
    async ({ token }) => await send(await token(), { claims: { htu: `${AUDIENCE}/other` } }),
  ],
  [
    "a proof for another method",
    INVALID,
    "dpop_proof_mismatch",
    async ({ token }) => await send(await token(), { claims: { htm: "DELETE" } }),
  ],
  [
    "a proof for the host of the request, which is another's",
    INVALID,
    "dpop_proof_mismatch",
    async (
      { token },
    ) => await send(await token(), { url: "https://evil.example/notes" }),
  ],
  [
    "a proof of yesterday",
    INVALID,
    "dpop_proof_expired",
    async ({ token }) => await send(await token(), { claims: { iat: START - 86_400 } }),
  ],
  ["two proofs", INVALID, "dpop_proof_malformed", async ({ token }) => {
    const request = await send(await token());
    request.headers.append("DPoP", request.headers.get("DPoP") ?? "");
    return request;
  }],
  [
    "a bearer token, 9449-7.2",
    "invalid_token",
    "not_accepted",
    async ({ token }) => await send(await token(undefined, { cnf: undefined })),
  ],
  [
    "a token with another confirmation",
    "invalid_token",
    "not_accepted",
    async ({ token }) => await send(await token(undefined, { cnf: { "x5t#S256": KEY.jkt } })),
  ],
  [
    "a thumbprint that is no string",
    "invalid_token",
    "dpop_key_mismatch",
    async ({ token }) => await send(await token(undefined, { cnf: { jkt: [KEY.jkt] } })),
  ],
  ["a malformed token", "invalid_token", "token_malformed", async () => await send("abc")],
  [
    "only the scheme",
    "invalid_token",
    "token_malformed",
    async ({ token }) => await send(await token(), { authorization: "DPoP" }),
  ],
  ["text after the token", "invalid_token", "token_malformed", async ({ token }) => {
    const value = await token();
    return await send(value, { authorization: `DPoP ${value} ${value}` });
  }],
  ["two tokens", "invalid_token", "token_malformed", async ({ token }) => {
    const value = await token();
    return await send(value, { authorization: `Bearer ${value}, DPoP ${value}` });
  }],
  [
    "a token for another API",
    "invalid_token",
    "aud_mismatch",
    async ({ token }) => await send(await token(KEY, { aud: "https://other.example" })),
  ],
];

for (const [why, code, message, request] of REFUSED) {
  Deno.test(`dpopTokenStrategy() refuses ${why}, AS39`, async () => {
    const api = await createApi();
    const result = await api.strategy.authenticate({ request: await request(api) });
    assert(result.status === "failed");
    assertEquals([result.code, result.message], [code, message]);
    assert(result.challenge?.startsWith(`${CHALLENGE}, error="${code}"`), result.challenge);
  });
}

Deno.test("dpopTokenStrategy() says that a token has expired", async () => {
  const { strategy, token, clock } = await createApi();
  const value = await token();
  clock.now += 700;
  const request = await send(value, { claims: { iat: clock.now } });
  const result = await strategy.authenticate({ request });
  assert(result.status === "failed");
  assertEquals(result.code, "token_expired");
  assertEquals(
    result.challenge,
    `${CHALLENGE}, error="invalid_token", error_description="The token has expired"`,
  );
});

Deno.test("dpopTokenStrategy() asks accept", async () => {
  const { strategy, token } = await createApi({ accept: () => false });
  const result = await strategy.authenticate({ request: await send(await token()) });
  assertEquals(result.status === "failed" && result.message, "not_accepted");
});

Deno.test("bearerTokenStrategy() refuses a token that is bound to a key, 9449-7.2", async () => {
  const { bearer, token } = await createApi();
  for (const value of [await token(), await token(undefined, { cnf: { jkt: null } })]) {
    const request = new Request(NOTES, { headers: { Authorization: `Bearer ${value}` } });
    const result = await bearer.authenticate({ request });
    assertEquals(result.status === "failed" && result.code, "invalid_token");
  }
  const other = await token(undefined, { cnf: { "x5t#S256": KEY.jkt } }); // RFC 7800 §3.1: not understood, ignored
  const request = new Request(NOTES, { headers: { Authorization: `Bearer ${other}` } });
  assertEquals((await bearer.authenticate({ request })).status, "authenticated");
});

Deno.test("dpopTokenStrategy() demands a nonce with nonceKeys, in a 401 with it, 9449-9", async () => {
  const { strategy, options, token } = await createApi({ nonceKeys: NONCE_KEYS });
  const value = await token();
  const runtime = resourceServer({ strategies: [strategy], deployment: "direct" });
  const router = withAuthRoutes(createRouter(), { runtime })
    .get("/notes", (req) => json(req.principal.sub), { scope: "any" });
  const refused = await router.fetch(await send(value));
  const nonce = refused.headers.get("DPoP-Nonce");
  assertEquals([refused.status, refused.headers.get("Cache-Control")], [401, "no-store"]);
  assertEquals(refused.headers.get("WWW-Authenticate"), `${CHALLENGE}, error="use_dpop_nonce"`);
  assertEquals((await refused.json()).code, "use_dpop_nonce");
  const response = await router.fetch(await send(value, { claims: { nonce } }));
  assertEquals([response.status, await response.json()], [200, "u1"]);

  // It is for one server: another one with the same keys has others
  const url = `${AUDIENCE}/v2/notes`;
  const proof = await KEY.prove({ method: "GET", url, token: value }, { nonce });
  const headers = { Authorization: `DPoP ${value}`, DPoP: proof };
  const foreign = dpopTokenStrategy({ ...options, baseUrl: `${AUDIENCE}/v2` });
  await assertRejects(
    async () => await foreign.authenticate({ request: new Request(NOTES, { headers }) }),
    AuthError,
  );
});

Deno.test("dpopTokenStrategy() is checked by two guards, and below a mount, with one proof", async () => {
  const { strategy, options, token } = await createApi();
  const outer = resourceServer({ strategies: [strategy], deployment: "direct" });
  const inner = resourceServer({ strategies: [dpopTokenStrategy(options)], deployment: "direct" });
  const mounted = withAuthRoutes(createRouter(), { runtime: inner })
    .get("/notes", (req) => json(req.url), { scope: "any" });
  const router = createRouter().mount("/v1", mounted);
  const guarded = withAuthRoutes(createRouter(), { runtime: outer }).mount("/v1", mounted, {
    scope: "any",
  });
  for (const app of [router, guarded]) {
    const request = await send(await token(), { url: `${AUDIENCE}/v1/notes` });
    assertEquals((await app.fetch(new Request(request))).status, 200);
    assertEquals((await app.fetch(new Request(request))).status, 401, "the same proof again");
  }
});

Deno.test("dpopTokenStrategy() compares with the path that a proxy removes", async () => {
  const { strategy, token } = await createApi({ baseUrl: `${AUDIENCE}/api` });
  const value = await token();
  const proof = await KEY.prove({ method: "GET", url: `${AUDIENCE}/api/notes`, token: value });
  const headers = { Authorization: `DPoP ${value}`, DPoP: proof };
  const request = new Request("http://10.0.0.7:8000/notes?page=2", { headers });
  assertEquals((await strategy.authenticate({ request })).status, "authenticated");
});

Deno.test("dpopTokenStrategy() checks an open connection again without a new proof", async () => {
  const { strategy, token, clock } = await createApi();
  const request = await send(await token());
  assertEquals((await strategy.authenticate({ request })).status, "authenticated");
  clock.now += 300; // the proof has expired, and was used
  const again = await strategy.authenticate({ request, recheck: true });
  assertEquals(again.status, "authenticated");
  clock.now += 400; // so has the token
  assertEquals((await strategy.authenticate({ request, recheck: true })).status, "failed");
});

Deno.test("dpopTokenStrategy() passes on errors of the store", async () => {
  const states = { claim: () => Promise.reject(new AuthError("service_unavailable")) };
  const { strategy, token } = await createApi({ states });
  const request = await send(await token());
  await assertRejects(async () => await strategy.authenticate({ request }), AuthError);
});

Deno.test("resourceServer() offers DPoP beside Bearer, and refuses a lack of scope by DPoP", async () => {
  const { strategy, bearer, token } = await createApi();
  const runtime = resourceServer({ strategies: [strategy, bearer], deployment: "direct" });
  const router = withAuthRoutes(createRouter(), { runtime })
    .get("/notes", (req) => json(req.principal.method), { scope: ["notes:read"] })
    .get("/recent", () => json(true), { scope: "any", auth: { maxAge: 60 } });
  const { headers } = await router.request("/notes");
  assertEquals(headers.get("WWW-Authenticate"), `${CHALLENGE}, Bearer realm="api"`);
  assertEquals(headers.get("Vary"), "Authorization");

  const bound = await router.fetch(await send(await token(KEY, { scope: "notes:read" })));
  assertEquals(await bound.json(), "dpop");
  const plain = await token(undefined, { cnf: undefined, scope: "notes:read" });
  const free = await router.request("/notes", { headers: { Authorization: `Bearer ${plain}` } });
  assertEquals(await free.json(), "bearer");

  const narrow = await router.fetch(await send(await token()));
  assertEquals(
    [narrow.status, narrow.headers.get("WWW-Authenticate")],
    [403, 'DPoP error="insufficient_scope", scope="notes:read"'],
  );
  const url = `${AUDIENCE}/recent`;
  const old = await router.fetch(await send(await token(KEY, { auth_time: START - 600 }), { url }));
  assertEquals(
    [old.status, old.headers.get("WWW-Authenticate")],
    [401, 'DPoP error="insufficient_user_authentication", max_age="60"'],
  );
});

Deno.test("generateOpenAPI() describes the scheme DPoP", async () => {
  const { strategy, bearer } = await createApi();
  const runtime = resourceServer({ strategies: [strategy, bearer], deployment: "direct" });
  const router = withAuthRoutes(createRouter(), { runtime })
    .get("/notes", () => json(true), { scope: ["notes:read"] });
  const document = generateOpenAPI({ title: "Notes", version: "1" }, router);
  assertEquals(document.components?.securitySchemes, {
    bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
    dpop: { type: "http", scheme: "DPoP" },
  });
});

Deno.test("protectedResource() says whether tokens may or must be bound, RFC 9728 §2", () => {
  const base = { resource: AUDIENCE, authorizationServers: [ISSUER] };
  const algorithms = { dpop_signing_alg_values_supported: ["ES256", "PS256", "Ed25519", "EdDSA"] };
  const common = protectedResource(base).metadata;
  assertEquals(protectedResource({ ...base, dpop: false }).metadata, common);
  assertEquals(protectedResource({ ...base, dpop: true }).metadata, { ...common, ...algorithms });
  assertEquals(protectedResource({ ...base, dpop: "required" }).metadata, {
    ...common,
    ...algorithms,
    dpop_bound_access_tokens_required: true,
  });
  const untyped = { ...base, dpop: "yes" as never };
  assertThrows(() => protectedResource(untyped), TypeError, "dpop must be a boolean");
});

const MALFORMED: readonly (readonly [why: string, options: object, message: string])[] = [
  ["no baseUrl", { baseUrl: undefined }, "baseUrl must be an https URL"],
  ["a baseUrl with http", { baseUrl: "http://api.example" }, "baseUrl must be an https URL"],
  ["a baseUrl with a query", { baseUrl: `${AUDIENCE}?a=b` }, "baseUrl must be an https URL"],
  ["no states", { states: undefined }, "states are missing"],
  ["states without claim()", { states: { put() {} } }, "states are missing"],
  ["a baseUrl on this machine", { baseUrl: "http://localhost:8000" }, "baseUrl must be an https"],
  ["nonceKeys that are null", { nonceKeys: null }, "nonceKeys must have sign() and verify()"],
  ["nonceKeys without sign()", { nonceKeys: { verify() {} } }, "nonceKeys must have sign()"],
  ["nonceKeys without verify()", { nonceKeys: { sign() {} } }, "nonceKeys must have sign()"],
  ["an unknown option", { base: AUDIENCE }, "unknown option base"],
  ["no issuer", { issuer: undefined }, "issuer or audience is missing"],
];

for (const [why, changes, message] of MALFORMED) {
  Deno.test(`dpopTokenStrategy() refuses ${why}`, async () => {
    await assertRejects(() => createApi(changes), TypeError, message);
  });
}

Deno.test("dpopTokenStrategy() accepts http on this machine with insecureLoopback", async () => {
  const baseUrl = "http://localhost:8000";
  const { strategy, token } = await createApi({ baseUrl, insecureLoopback: true });
  const request = await send(await token(), { url: `${baseUrl}/notes` });
  assertEquals((await strategy.authenticate({ request })).status, "authenticated");
});
