/** The profile `fapi2`: each requirement of the FAPI 2.0 Security Profile for authorization servers, with what it permits and refuses. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  type AsymmetricAlgorithm,
  deriveKeys,
  generateJwk,
  generateSecret,
  inMemoryAuthStores,
  keyService,
  publicJwk,
} from "../../../auth/mod.ts";
import {
  AuthorizationServer,
  type AuthorizationServerOptions,
  staticClients,
} from "../../../auth/server/mod.ts";
import type { ClientKey } from "../../../auth/stores/server_types.ts";
import { proofKey } from "../dpop/_proofs.ts";
import { START } from "../_services.ts";
import {
  type AssertionChanges,
  assertionFields,
  KEY as CLIENT_KEY,
  keyOf,
  signAssertion,
} from "./_assertions.ts";
import { answerOf } from "./_authorize.ts";
import { usePath } from "./_pushed.ts";
import {
  API,
  assertTokenError,
  claimsOf,
  CLIENTS,
  headerOf,
  ISSUER,
  type Params,
  responseParameters,
  type ServerSite,
  serverSite,
  VERIFIER,
} from "./_site.ts";
import { isAlive, tokensOf } from "./_tokens.ts";

const REDIRECT_URI = "https://bank.example/cb";
const [PROOF_KEY, OTHER_KEY] = [await proofKey("PS256"), await proofKey()];
const KEYS = {
  ES256: CLIENT_KEY,
  PS256: await keyOf("PS256"),
  Ed25519: await generateJwk("EdDSA"),
};

type Headers = Readonly<Record<string, string>>;

/** A site with the profile. */
function fapiSite(server: Partial<AuthorizationServerOptions> = {}): ServerSite {
  const clock = { now: START };
  const { states } = inMemoryAuthStores({ now: () => clock.now });
  return serverSite({
    app: { clock },
    clients: Object.entries(KEYS).map(([alg, key]) => ({
      clientId: alg === "ES256" ? "bank" : `bank-${alg}`,
      name: "Bank",
      redirectUris: [REDIRECT_URI],
      jwks: { keys: [publicJwk(key)] },
    })),
    server: { profile: "fapi2", states, ...server },
  });
}

/** Fields by which a client authenticates. */
async function authenticated(
  site: ServerSite,
  changes: AssertionChanges = {},
  clientId = "bank",
): Promise<Record<string, string>> {
  const assertion = await signAssertion(clientId, site.app.clock.now, changes);
  return { client_id: clientId, ...assertionFields(assertion) };
}

/** Pushes a request. */
async function push(
  site: ServerSite,
  params?: Params,
  credentials?: Record<string, string>,
  headers: Headers = {},
): Promise<Response> {
  const path = site.authorizePath({ client_id: "bank", redirect_uri: REDIRECT_URI, ...params });
  const body = new URL(path, ISSUER).searchParams;
  const all = credentials ?? await authenticated(site);
  for (const [name, value] of Object.entries(all)) body.set(name, value);
  return await site.send("/oauth/par", { method: "POST", headers, body });
}

/** A code of a request that was pushed, and that Ada has allowed. */
async function codeOf(site: ServerSite, params: Params = {}): Promise<string> {
  const { request_uri } = await (await push(site, params)).json();
  const browser = await site.signedIn();
  const page = await browser.send(usePath(request_uri, { client_id: "bank" }));
  const answer = page.status === 200 ? await site.decide(browser, page) : page;
  return responseParameters(answer).get("code") ?? "";
}

async function proofOf(site: ServerSite, key = PROOF_KEY): Promise<Headers> {
  const target = { method: "POST", url: `${ISSUER}/oauth/token` };
  return { DPoP: await key.prove(target, { iat: site.app.clock.now }) };
}

async function redeem(
  site: ServerSite,
  code: string,
  { headers, credentials }: {
    readonly headers?: Headers;
    readonly credentials?: Record<string, string>;
  } = {},
): Promise<Response> {
  return await site.token({
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...credentials ?? await authenticated(site),
  }, headers ?? await proofOf(site));
}

async function refresh(
  site: ServerSite,
  refresh_token: string,
  headers?: Headers,
): Promise<Response> {
  const credentials = await authenticated(site);
  const form = { grant_type: "refresh_token", refresh_token, ...credentials };
  return await site.token(form, headers ?? await proofOf(site));
}

Deno.test("FAPI2-5.3.2.1-1: metadata says what the profile demands", async () => {
  const response = await fapiSite().send("/.well-known/openid-configuration");
  const metadata = await response.json();
  const algorithms = ["ES256", "PS256", "Ed25519", "EdDSA"];
  const expected = {
    pushed_authorization_request_endpoint: `${ISSUER}/oauth/par`,
    require_pushed_authorization_requests: true,
    token_endpoint_auth_methods_supported: ["private_key_jwt"],
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    dpop_signing_alg_values_supported: algorithms,
    id_token_signing_alg_values_supported: ["ES256"],
    code_challenge_methods_supported: ["S256"],
    response_types_supported: ["code"],
    authorization_response_iss_parameter_supported: true,
  };
  assertEquals({ ...metadata, ...expected }, metadata);
});

Deno.test("FAPI2-5.3.2.1-2: no password grant", async () => {
  const site = fapiSite();
  const credentials = await authenticated(site);
  const form = { grant_type: "password", username: "ada", password: "x", ...credentials };
  await assertTokenError(await site.token(form, await proofOf(site)), "unsupported_grant_type");
});

Deno.test("FAPI2-5.3.2.1-3: confidential clients only", async () => {
  const site = fapiSite();
  assertEquals((await push(site)).status, 201);
  const name = { name: "x", redirectUris: [REDIRECT_URI] };
  const stored = staticClients([{ ...name, clientId: "public" }]); // as in a store, where it is found only when it is used
  const clients = { find: (id: string) => stored.find(id) };
  const open = fapiSite({ clients });
  await assertTokenError(await push(open, {}, { client_id: "public" }), "invalid_client");
  const code = { grant_type: "authorization_code", code: "x", client_id: "public" };
  await assertTokenError(await open.token(code, await proofOf(open)), "invalid_client");
});

Deno.test("FAPI2-5.3.2.1-4, FAPI2-5.3.2.1-5: tokens are bound to a key by DPoP, and of no use without it", async () => {
  const site = fapiSite();
  const code = await codeOf(site);
  await assertTokenError(await redeem(site, code, { headers: {} }), "invalid_dpop_proof");
  const tokens = await tokensOf(await redeem(site, code));
  assertEquals(tokens.token_type, "DPoP");
  assertEquals(claimsOf(tokens.access_token)["cnf"], { jkt: PROOF_KEY.jkt });
  const userinfo = async (key: typeof PROOF_KEY, scheme: string) => {
    const target = { method: "GET", url: `${ISSUER}/oauth/userinfo`, token: tokens.access_token };
    const Authorization = `${scheme} ${tokens.access_token}`;
    return (await site.send("/oauth/userinfo", {
      headers: { Authorization, DPoP: await key.prove(target) },
    })).status;
  };
  assertEquals(await userinfo(PROOF_KEY, "DPoP"), 200);
  assertEquals([await userinfo(OTHER_KEY, "DPoP"), await userinfo(PROOF_KEY, "Bearer")], [
    401,
    401,
  ]);
  await assertTokenError(await refresh(site, tokens.refresh_token, {}), "invalid_dpop_proof");
});

Deno.test("FAPI2-5.3.2.1-6: clients authenticate by private_key_jwt, and by nothing else", async () => {
  const site = fapiSite();
  assertEquals((await push(site)).status, 201);
  for (const credentials of [{ client_secret: "x" }, {}]) {
    await assertTokenError(
      await push(site, {}, { client_id: "bank", ...credentials }),
      "invalid_client",
    );
  }
  const both = { ...await authenticated(site), client_secret: "x" };
  await assertTokenError(await push(site, {}, both), "invalid_request");
});

Deno.test("FAPI2-5.3.2.1-7: no open redirector", async () => {
  const site = fapiSite();
  const browser = await site.signedIn();
  const path = site.authorizePath({ client_id: "bank", redirect_uri: "https://evil.example/" });
  assertEquals(await answerOf(await browser.send(path)), "400 redirect_uri_mismatch");
  const pushed = await push(site, { redirect_uri: "https://evil.example/" });
  assertEquals([pushed.status, pushed.headers.get("Location")], [400, null]);
});

Deno.test("FAPI2-5.3.2.1-8: aud of an assertion is the issuer, as a string", async () => {
  const site = fapiSite();
  const attempt = async (aud: unknown) =>
    (await push(site, {}, await authenticated(site, { claims: { aud } }))).status;
  assertEquals(await attempt(ISSUER), 201);
  for (const aud of [[ISSUER], `${ISSUER}/oauth/token`, `${ISSUER}/oauth/par`, `${ISSUER}/`]) {
    assertEquals(await attempt(aud), 400, String(aud));
  }
});

Deno.test("FAPI2-5.3.2.1-9: refresh tokens are not rotated", async () => {
  const site = fapiSite();
  const { refresh_token, access_token } = await tokensOf(await redeem(site, await codeOf(site)));
  for (let i = 0; i < 3; i++) {
    site.app.clock.now += 60;
    const next = await tokensOf(await refresh(site, refresh_token));
    assertEquals(next.refresh_token, refresh_token);
    assert(next.access_token !== access_token);
  }
  const many = await Promise.all([1, 2, 3, 4].map(() => refresh(site, refresh_token)));
  assertEquals(many.map(({ status }) => status), [200, 200, 200, 200]);
  assertEquals((await site.server.listGrants("u1")).length, 1);
  const credentials = await authenticated(site);
  const form = new URLSearchParams({ token: refresh_token, ...credentials });
  assertEquals((await site.send("/oauth/revoke", { method: "POST", body: form })).status, 200);
  await assertTokenError(await refresh(site, refresh_token), "invalid_grant");
});

Deno.test("FAPI2-5.3.2.1-9: an unrotated refresh token ends with its grant's time, and with the password", async () => {
  const site = fapiSite({ lifetimes: { refreshToken: 1_000, grant: 1_500 } });
  const { refresh_token } = await tokensOf(await redeem(site, await codeOf(site)));
  site.app.clock.now += 900;
  assertEquals((await refresh(site, refresh_token)).status, 200);
  site.app.clock.now += 599; // longer than 1,000 s since it was issued
  assertEquals((await refresh(site, refresh_token)).status, 200);
  site.app.clock.now += 1;
  await assertTokenError(await refresh(site, refresh_token), "invalid_grant");
});

Deno.test("FAPI2-5.3.2.1-10: with nonceKeys, proofs need a nonce, at the push and for tokens, 9449-8", async () => {
  const site = fapiSite({ dpop: { nonceKeys: deriveKeys(generateSecret()) } });
  const pushWith = async (nonce?: string) => {
    const target = { method: "POST", url: `${ISSUER}/oauth/par` };
    const DPoP = await PROOF_KEY.prove(target, { iat: site.app.clock.now, nonce });
    return await push(site, {}, undefined, { DPoP });
  };
  const refused = await pushWith();
  const nonce = refused.headers.get("DPoP-Nonce") ?? "";
  await assertTokenError(refused, "use_dpop_nonce");
  const pushed = await pushWith(nonce);
  assertEquals([pushed.status, pushed.headers.get("DPoP-Nonce")], [201, null]);
  site.app.clock.now += 45;
  const renewed = (await pushWith(nonce)).headers.get("DPoP-Nonce") ?? nonce;
  assert(renewed !== nonce);

  const code = await codeOf(site);
  await assertTokenError(await redeem(site, code), "use_dpop_nonce");
  const target = { method: "POST", url: `${ISSUER}/oauth/token` };
  const DPoP = await PROOF_KEY.prove(target, { iat: site.app.clock.now, nonce: renewed });
  assertEquals((await redeem(site, code, { headers: { DPoP } })).status, 200);
});

Deno.test("FAPI2-5.3.2.1-11: codes live for 60 seconds", async () => {
  const site = fapiSite();
  const [early, late] = [await codeOf(site), await codeOf(site)];
  site.app.clock.now += 59;
  assertEquals((await redeem(site, early)).status, 200);
  site.app.clock.now += 1;
  await assertTokenError(await redeem(site, late), "invalid_grant");
});

Deno.test("FAPI2-5.3.2.1-12: a code is bound to the key that the push names", async () => {
  const site = fapiSite();
  const code = await codeOf(site, { dpop_jkt: PROOF_KEY.jkt });
  const headers = await proofOf(site, OTHER_KEY);
  await assertTokenError(await redeem(site, code, { headers }), "invalid_grant");
  assertEquals((await redeem(site, code)).status, 200);
});

Deno.test("FAPI2-5.3.2.1-13: JWTs of the next 10 seconds are accepted, of more than 60 refused", async () => {
  const site = fapiSite();
  for (const [seconds, status] of [[0, 201], [10, 201], [61, 400]] as const) {
    for (const claim of ["iat", "nbf"]) {
      const claims = { [claim]: site.app.clock.now + seconds, exp: site.app.clock.now + 120 };
      const credentials = await authenticated(site, { claims });
      assertEquals((await push(site, {}, credentials)).status, status, `${claim} ${seconds}`);
    }
    const code = await codeOf(site);
    const target = { method: "POST", url: `${ISSUER}/oauth/token` };
    const DPoP = await PROOF_KEY.prove(target, { iat: site.app.clock.now + seconds });
    const response = await redeem(site, code, { headers: { DPoP } });
    assertEquals(response.status, status === 201 ? 200 : 400, `proof ${seconds}`);
  }
});

Deno.test("FAPI2-5.3.2.1-14: an access token has what was asked for and granted, for that API and UserInfo", async () => {
  const site = fapiSite();
  const { request_uri } = await (await push(site, { scope: "openid notes:read notes:write" }))
    .json();
  const browser = await site.signedIn();
  const page = await browser.send(usePath(request_uri, { client_id: "bank" }));
  const answer = await site.decide(browser, page, { scope: ["openid", "notes:read"] });
  const code = responseParameters(answer).get("code") ?? "";
  const { access_token } = await tokensOf(await redeem(site, code));
  const { scope, aud } = claimsOf(access_token);
  assertEquals([scope, aud], ["openid notes:read", [API, ISSUER]]);
});

/** Requests that are refused at the push. */
const REFUSED: readonly (readonly [id: string, why: string, Params, error: string])[] = [
  [
    "1",
    "of another response type",
    { response_type: "code id_token" },
    "unsupported_response_type",
  ],
  ["5", "without PKCE", { code_challenge: undefined }, "invalid_request"],
  ["5", "with PKCE's plain", { code_challenge_method: "plain" }, "invalid_request"],
  ["6", "without a redirect URI", { redirect_uri: undefined }, "invalid_request"],
  [
    "8",
    "with a redirect URI of http",
    { redirect_uri: "http://bank.example/cb" },
    "invalid_request",
  ],
];
for (const [id, why, params, error] of REFUSED) {
  Deno.test(`FAPI2-5.3.2.2-${id}: a pushed request ${why} is refused`, async () => {
    const response = await push(fapiSite(), params);
    assertEquals([response.status, (await response.json()).error], [400, error]);
  });
}

Deno.test("FAPI2-5.3.2.2-2, FAPI2-5.3.2.2-4: requests are pushed by clients that authenticate", async () => {
  const site = fapiSite();
  const response = await push(site);
  assertEquals(response.status, 201);
  await assertTokenError(await push(site, {}, { client_id: "bank" }), "invalid_client");
  const wrong = await authenticated(site, { key: await generateJwk("ES256") });
  await assertTokenError(await push(site, {}, wrong), "invalid_client");
});

Deno.test("FAPI2-5.3.2.2-3: a request that is not pushed is refused", async () => {
  const site = fapiSite();
  const browser = await site.signedIn();
  const path = site.authorizePath({ client_id: "bank", redirect_uri: REDIRECT_URI });
  const to = `${REDIRECT_URI}?`;
  assertEquals(await answerOf(await browser.send(path), { to }), "invalid_request");
});

Deno.test("FAPI2-5.3.2.2-7, FAPI2-5.3.2.2-10, FAPI2-5.3.2.2-11: the response has iss, by 303", async () => {
  const site = fapiSite();
  const { request_uri } = await (await push(site)).json();
  const browser = await site.signedIn();
  const page = await browser.send(usePath(request_uri, { client_id: "bank" }));
  const answer = await site.decide(browser, page);
  assertEquals(answer.status, 303);
  assertEquals(responseParameters(answer).get("iss"), ISSUER);
});

Deno.test("FAPI2-5.3.2.2-9: a code that was used is refused, and its tokens end", async () => {
  const site = fapiSite();
  const code = await codeOf(site);
  const tokens = await tokensOf(await redeem(site, code));
  await assertTokenError(await redeem(site, code), "invalid_grant");
  assertEquals(await isAlive(site, tokens), [false, false]);
  await assertTokenError(await refresh(site, tokens.refresh_token), "invalid_grant");
});

Deno.test("FAPI2-5.3.2.2-12: expires_in of a pushed request is less than 600", async () => {
  const site = fapiSite({ lifetimes: { pushedRequest: 599 } });
  const { request_uri, expires_in } = await (await push(site)).json();
  assertEquals(expires_in, 599);
  site.app.clock.now += 599;
  const browser = await site.signedIn();
  const late = await browser.send(usePath(request_uri, { client_id: "bank" }));
  assertEquals(await answerOf(late), "400 request_uri_unknown");
});

Deno.test("FAPI2-5.3.2.2-13: the user sees the client and the scopes", async () => {
  const site = fapiSite();
  const { request_uri } = await (await push(site)).json();
  const browser = await site.signedIn();
  const page = await browser.send(usePath(request_uri, { client_id: "bank" }));
  assertMatch(await page.text(), /Bank[^]*Read your notes/);
});

Deno.test("FAPI2-5.3.2.2-14: a nonce of 64 characters comes back", async () => {
  const site = fapiSite();
  const nonce = "n".repeat(64);
  const { id_token } = await tokensOf(await redeem(site, await codeOf(site, { nonce })));
  assertEquals(claimsOf(id_token)["nonce"], nonce);
});

for (const [alg, key] of Object.entries(KEYS)) {
  Deno.test(`FAPI2-5.4.1-1: an assertion is signed by ${alg}`, async () => {
    const site = fapiSite();
    const clientId = alg === "ES256" ? "bank" : `bank-${alg}`;
    const signed = alg === "Ed25519" ? "EdDSA" : alg as AsymmetricAlgorithm;
    const credentials = await authenticated(site, { key, alg: signed }, clientId);
    assertEquals((await push(site, { client_id: clientId }, credentials)).status, 201);
  });
}

Deno.test("FAPI2-5.4.1-1: an assertion by RS256 is refused, by a key that has no algorithm", async () => {
  const { alg: _, ...key } = publicJwk(KEYS.PS256);
  const client = {
    clientId: "rsa",
    name: "Bank",
    redirectUris: [REDIRECT_URI],
    jwks: { keys: [key] },
  };
  const site = fapiSite({ clients: staticClients([client]) });
  const signer = { ...KEYS.PS256, alg: "RS256" } as const;
  const attempt = async (alg: "PS256" | "RS256", signing = KEYS.PS256) =>
    (await push(
      site,
      { client_id: "rsa" },
      await authenticated(site, { key: signing, alg }, "rsa"),
    )).status;
  assertEquals([await attempt("PS256"), await attempt("RS256", signer)], [201, 400]);
});

Deno.test("FAPI2-5.4.1-2, FAPI2-5.4.1-3: keys of clients have 2048 bits, or 224 of a curve", async () => {
  const rsa = async (modulusLength: number) => {
    const publicExponent = new Uint8Array([1, 0, 1]);
    const algorithm = { name: "RSA-PSS", hash: "SHA-256", modulusLength, publicExponent };
    const { publicKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    const { kty = "", n, e } = await crypto.subtle.exportKey("jwk", publicKey);
    return { kty, n, e };
  };
  const clientOf = (key: ClientKey) =>
    staticClients([{
      clientId: "keys",
      name: "Bank",
      redirectUris: [REDIRECT_URI],
      jwks: { keys: [key] },
    }]);
  const bits192 = "A".repeat(32);
  clientOf(await rsa(2048));
  for (
    const key of [
      await rsa(1024),
      { ...await rsa(1024), alg: "PS256" },
      { kty: "EC", crv: "P-192", x: bits192, y: bits192 },
    ]
  ) assertThrows(() => clientOf(key), RangeError, "jwks has no key for signatures");
});

Deno.test("FAPI2-5.4.1-4: references, codes and refresh tokens have 256 random bits", async () => {
  const site = fapiSite();
  const secretsOf = async () => {
    const { request_uri } = await (await push(site)).json();
    const code = await codeOf(site);
    const { refresh_token } = await tokensOf(await redeem(site, code));
    return [request_uri, code, refresh_token].map((text) => text.split(".").at(-1));
  };
  const secrets = [...await secretsOf(), ...await secretsOf()];
  for (const secret of secrets) assertMatch(secret, /^[\w-]{43}$/);
  assertEquals(new Set(secrets).size, 6);
});

Deno.test("FAPI2-5.4.1-1: tokens are signed by the profile's algorithms", async () => {
  const site = fapiSite();
  const { access_token, id_token } = await tokensOf(await redeem(site, await codeOf(site)));
  assertEquals([headerOf(access_token)["alg"], headerOf(id_token)["alg"]], ["ES256", "ES256"]);
});

/** Options that contradict the profile: the section and the option that the error names. */
const CONTRADICTIONS: readonly (readonly [
  section: string,
  option: string,
  options: Readonly<Record<string, unknown>>,
])[] = [
  ["5.2.1", "insecureLoopback", { insecureLoopback: true, issuer: "http://localhost:8000" }],
  ["5.3.2.1-4", "dpop", { dpop: false }],
  ["5.3.2.1-6", "states", { states: undefined }],
  ["5.3.2.1-9", "refreshReuseSeconds", { refreshReuseSeconds: 10 }],
  ["5.3.2.1-11", "lifetimes.code", { lifetimes: { code: 61 } }],
  ["5.3.2.2-3", "pushedRequests", { pushedRequests: true }],
  ["5.3.2.2-3", "pushedRequests", { pushedRequests: false }],
  ["5.3.2.2-12", "lifetimes.pushedRequest", { lifetimes: { pushedRequest: 600 } }],
  ["5.3.2.1", "grants", { grants: ["urn:ietf:params:oauth:grant-type:device_code"] }],
  ["5.4.1-1", "keyService", { algorithms: ["RS256"] }],
  ["5.4.1-1", "keyService", { algorithms: ["ES256", "RS256"] }],
  ["5.4.1-1", "keyService", { algorithms: ["ES384"] }],
];

function serverOf(changes: Readonly<Record<string, unknown>> = {}): AuthorizationServer {
  const stores = inMemoryAuthStores();
  const { algorithms = ["PS256"], ...options } = changes;
  return new AuthorizationServer({
    profile: "fapi2",
    issuer: ISSUER,
    clients: staticClients([]),
    codes: stores.authorizations,
    tokens: stores.refreshTokens,
    states: stores.states,
    keyService: keyService({
      store: stores.keys,
      algorithms: algorithms as [AsymmetricAlgorithm],
    }),
    ...options,
  } as AuthorizationServerOptions);
}

for (const [section, option, options] of CONTRADICTIONS) {
  Deno.test(`FAPI2-${section}: ${option} of ${JSON.stringify(options)} is refused at the start`, () => {
    const { message } = assertThrows(() => serverOf(options), TypeError);
    assert(
      message.startsWith(`Cannot create authorization server: ${option} must`) ||
        option === "states",
    );
    assert(message.endsWith(`(FAPI 2.0 Security Profile §${section})`), message);
  });
}

Deno.test("AuthorizationServer with the profile fapi2 refuses clients that it would shut out, and unknown profiles", () => {
  for (const { clientId } of CLIENTS) {
    const clients = staticClients(CLIENTS.filter((client) => client.clientId === clientId));
    assertThrows(() => serverOf({ clients }), TypeError, "the profile does not allow clients with");
  }
  for (const profile of ["fapi1", "FAPI2", null, true]) {
    assertThrows(() => serverOf({ profile }), TypeError, "profile must be");
  }
});

Deno.test("AuthorizationServer with the profile fapi2 registers clients with keys only", async () => {
  const token = generateSecret();
  const stores = inMemoryAuthStores();
  const site = fapiSite({ clients: stores.clients, registration: { initialAccessToken: token } });
  const register = async (metadata: object) => {
    const response = await site.send("/oauth/register", {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ redirect_uris: [REDIRECT_URI], ...metadata }),
    });
    const { token_endpoint_auth_method: method, error } = await response.json();
    return error ?? method;
  };
  const jwks = { keys: [publicJwk(CLIENT_KEY)] };
  const token_endpoint_auth_method = "private_key_jwt";
  assertEquals(await register({ jwks, token_endpoint_auth_method }), "private_key_jwt");
  for (const method of [undefined, "none", "client_secret_basic"]) {
    const refused = await register({ token_endpoint_auth_method: method });
    assertEquals(refused, "invalid_client_metadata", method);
  }
  const native = { redirect_uris: ["com.example.bank:/cb"], jwks, token_endpoint_auth_method };
  assertEquals(await register(native), "invalid_client_metadata");
});

Deno.test("AuthorizationServer with the profile fapi2 accepts what agrees with it, and signs ID tokens by the keys' first algorithm", () => {
  const same = {
    dpop: true,
    grants: ["authorization_code", "refresh_token", "client_credentials"],
    pushedRequests: "required",
    lifetimes: { code: 60, pushedRequest: 599 },
  };
  for (const options of [{}, same, { algorithms: ["ES256"] }, { algorithms: ["Ed25519"] }]) {
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const server = serverOf({ ...options, warn });
    assertEquals(warnings, []);
    const { algorithms: [alg] = ["PS256"] } = options as { readonly algorithms?: string[] };
    assertEquals(server.metadata()["id_token_signing_alg_values_supported"], [alg]);
  }
});
