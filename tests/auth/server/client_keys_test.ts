/** Keys of clients: in their record, and published. Sources: RFC 7517 §5, RFC 7591 §2, and the attacks AS19, AS36 and AS38. */

import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { AuthError, generateSecret, inMemoryAuthStores, publicJwk } from "../../../auth/mod.ts";
import {
  type AuthorizationServerOptions,
  type ClientInit,
  registerClient,
  rotateClientSecret,
  staticClients,
} from "../../../auth/server/mod.ts";
import { authenticateClient } from "../../../auth/server/clients/authentication.ts";
import {
  type AssertionChanges,
  assertionFields,
  assertionsOf,
  ID,
  KEY,
  NOW,
  OTHER_KEY,
  PUBLISHER,
  setup,
  signAssertion,
} from "./_assertions.ts";
import { testClients } from "./_clients.ts";
import { assertErrorPage, assertTokenError, claimsOf, SECRET, serverSite } from "./_site.ts";
import { lastRefusal, tokensOf } from "./_tokens.ts";

const JWKS_URI = "https://keys.example/jwks.json";

/** A client whose keys are published. */
function published(keys: { current: readonly object[]; fail?: boolean }, clock = { now: NOW }) {
  const fetched: string[] = [];
  const warnings: string[] = [];
  const authenticate = setup({
    client: { jwksUri: JWKS_URI },
    now: () => clock.now,
    warn: (message) => void warnings.push(message),
    fetch(url, { redirect }) {
      fetched.push(`${redirect} ${url}`);
      if (keys.fail) return Promise.reject(new TypeError("refused"));
      return Promise.resolve(Response.json({ keys: keys.current }));
    },
  });
  const send = async (changes: AssertionChanges = {}) =>
    await authenticate(assertionFields(await signAssertion(ID, clock.now, changes)));
  return { send, fetched, warnings, clock };
}

Deno.test("authenticateClient() fetches published keys once, and again for a new key", async () => {
  const keys = { current: [publicJwk(KEY)] };
  const { send, fetched, clock } = published(keys);
  assertEquals([await send(), await send()], [ID, ID]);
  assertEquals(fetched, [`manual ${JWKS_URI}`]);
  keys.current = [publicJwk(OTHER_KEY)];
  const next = { key: OTHER_KEY, header: { kid: OTHER_KEY.kid } };
  assertEquals(await send(next), "assertion_refused"); // not more often than each 30 seconds
  clock.now += 30;
  assertEquals([await send(next), await send()], [ID, "assertion_refused"]);
  assertEquals(fetched.length, 2);
});

Deno.test("authenticateClient() is unavailable, and refuses nobody, while keys cannot be fetched", async () => {
  const keys = { current: [publicJwk(KEY)], fail: true };
  const { send, clock } = published(keys);
  const error = await assertRejects(() => send(), AuthError);
  assertEquals([error.code, error.reason], ["service_unavailable", "jwks_unavailable"]);
  keys.fail = false;
  clock.now += 30;
  assertEquals(await send(), ID);
});

Deno.test("authenticateClient() ignores private keys and secrets that are published, and warns", async () => {
  for (const key of [KEY, { kty: "oct", k: "AAAA", kid: KEY.kid }]) {
    const { send, warnings } = published({ current: [key] });
    assertEquals([await send(), warnings.length], ["assertion_refused", 1]);
    assertStringIncludes(warnings[0] ?? "", "contains a private key or a secret");
  }
});

Deno.test("authenticateClient() reads the keys of a record whose other member is null, as databases have it", async () => {
  const fields = async () => assertionFields(await signAssertion(ID, NOW));
  const keys = { keys: [publicJwk(KEY)] };
  const fetch = () => Promise.resolve(Response.json(keys));
  for (const client of [{ jwks: null, jwksUri: JWKS_URI }, { jwks: keys, jwksUri: null }]) {
    const authenticate = setup({ client: client as object, fetch });
    assertEquals(await authenticate(await fields()), ID);
  }
});

Deno.test("clientAssertions() remembers the keys of 1,000 addresses, those that were used last (AS37)", async () => {
  const fetched: string[] = [];
  const { refusalOf } = assertionsOf({
    fetch: (url) => (fetched.push(url), Promise.reject(new TypeError("refused"))), // not again before 30 seconds
  });
  const assertion = await signAssertion(ID, NOW);
  const use = async (index: number) => {
    const jwksUri = `https://k${index}.example/`;
    await assertRejects(() => refusalOf(assertion, { ...PUBLISHER, jwksUri }), AuthError);
    return fetched.splice(0).length;
  };
  for (let i = 0; i < 1_000; i++) await use(i);
  assertEquals(await use(0), 0); // and now the newest
  assertEquals(await use(1_000), 1);
  assertEquals([await use(0), await use(1)], [0, 1]);
});

/** Addresses that are never fetched, AS38; of a store whose records others have written. */
const ADDRESSES = [
  "http://keys.example/jwks.json",
  "https://127.0.0.1/jwks.json",
  "https://[::1]/jwks.json",
  "https://169.254.169.254/latest/meta-data",
  "https://10.0.0.1/",
  "https://localhost/",
  "https://user@keys.example/",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "keys",
];
for (const jwksUri of ADDRESSES) {
  Deno.test(`authenticateClient() does not fetch keys from ${jwksUri}, AS38`, async () => {
    const fetched: string[] = [];
    const authenticate = setup({
      client: { jwksUri },
      fetch: (url) => (fetched.push(url), Promise.resolve(Response.json({ keys: [] }))),
    });
    const fields = assertionFields(await signAssertion(ID, NOW));
    await assertRejects(() => authenticate(fields), TypeError);
    assertEquals(fetched, []);
  });
}

Deno.test("authenticateClient() limits how often it fetches from one host", async () => {
  const clients = Array.from({ length: 30 }, (_, i) => ({
    ...PUBLISHER,
    clientId: `c${i}`,
    jwksUri: `https://keys.example/${i}`,
  }));
  let fetched = 0;
  const context = {
    clients: testClients(...clients),
    assertions: assertionsOf({
      fetch: () => (fetched++, Promise.resolve(Response.json({ keys: [publicJwk(KEY)] }))),
    }),
  };
  const outcomes: string[] = [];
  for (const { clientId } of clients) {
    const form = new Map(Object.entries(assertionFields(await signAssertion(clientId, NOW))));
    outcomes.push(
      await authenticateClient(context, { authorization: null, form })
        .then(({ kind }) => kind, (error) => error.reason),
    );
  }
  assertEquals([fetched, outcomes.filter((one) => one === "client").length], [20, 20]);
  assert(outcomes.slice(20).every((one) => one === "jwks_unavailable"));
});

const PUBLIC = publicJwk(KEY);

/** Keys that are refused of every client, and the start of why. */
const BAD_KEYS: readonly (readonly [why: string, keys: object, message: string])[] = [
  ["no key", { jwks: { keys: [] } }, "jwks has no key for signatures"],
  ["a private key", { jwks: { keys: [KEY] } }, "jwks must not contain a private key"],
  [
    "a private key beside a public one",
    { jwks: { keys: [PUBLIC, { ...PUBLIC, kid: "x", d: "" }] } },
    "jwks must not contain a private key",
  ],
  [
    "a part of a private key",
    { jwks: { keys: [{ ...PUBLIC, dp: "AQ" }] } },
    "jwks must not contain a private key",
  ],
  [
    "a secret",
    { jwks: { keys: [{ kty: "oct", k: "A".repeat(43) }] } },
    "jwks must not contain a private key or a secret",
  ],
  ["a duplicate kid", { jwks: { keys: [PUBLIC, PUBLIC] } }, "jwks has a duplicate kid"],
  [
    "17 keys",
    { jwks: { keys: Array.from({ length: 17 }, (_, i) => ({ ...PUBLIC, kid: `${i}` })) } },
    "jwks must not have more than 16 keys",
  ],
  ["a key for encryption only", { jwks: { keys: [{ ...PUBLIC, use: "enc" }] } }, "has no key"],
  ["an unknown type of key only", { jwks: { keys: [{ kty: "AKP" }] } }, "has no key"],
  [
    "a point that is not on the curve",
    { jwks: { keys: [{ ...PUBLIC, y: PUBLIC.x }] } },
    "has no key",
  ],
  ["an RSA key of 1,024 bits", {
    jwks: { keys: [{ kty: "RSA", n: `w${"A".repeat(169)}E`, e: "AQAB" }] },
  }, "has no key"],
  ["an algorithm of secrets", { jwks: { keys: [{ ...PUBLIC, alg: "HS256" }] } }, "has no key"],
  ["a kid that is a number", { jwks: { keys: [{ ...PUBLIC, kid: 7 }] } }, "has no key"],
  ["a set that is null", { jwks: null }, "jwks must be an object"],
  ["a set that is an array", { jwks: [PUBLIC] }, "jwks must be an object"],
  ["keys that are strings", { jwks: { keys: ["x"] } }, "jwks must be an object"],
  ["keys that are arrays", { jwks: { keys: [[]] } }, "jwks must be an object"],
  ["keys of null", { jwks: { keys: [null] } }, "jwks must be an object"],
  ["both, RFC 7591 §2", { jwks: { keys: [PUBLIC] }, jwksUri: JWKS_URI }, "and not both"],
  ["neither", {}, "needs jwks"],
  ["an address of http", { jwksUri: "http://keys.example/" }, "must be an https URL"],
  ["an address with a user", { jwksUri: "https://u@keys.example/" }, "must be an https URL"],
  ["an address with a password", { jwksUri: "https://:p@keys.example/" }, "must be an https URL"],
  ["javascript: as an address", { jwksUri: "javascript:alert(1)" }, "must be an https URL"],
];

for (const [why, keys, message] of BAD_KEYS) {
  Deno.test(`staticClients() and registerClient() reject keys with ${why}`, async () => {
    const client = {
      name: "Reports",
      redirectUris: ["https://reports.example/cb"],
      authentication: "private_key_jwt",
      ...keys,
    } as unknown as ClientInit;
    const { clients } = inMemoryAuthStores();
    const errors = [
      assertThrows(() => staticClients([{ ...client, clientId: ID }])),
      await assertRejects(() => registerClient(clients, client)),
    ];
    for (const error of errors) {
      assert(error instanceof RangeError || error instanceof TypeError);
      assertStringIncludes(error.message, message);
    }
    assertEquals(await clients.list({ limit: 1 }), []);
  });

  Deno.test(`registerClientOf() refuses keys with ${why}, AS36`, async () => {
    const { jwksUri: jwks_uri, ...more } = keys as { jwksUri?: string };
    const site = keySite();
    const [status, body] = await site.register({ ...METADATA, jwks_uri, ...more });
    assertEquals([status, body["error"]], [400, "invalid_client_metadata"]);
    assert(!/jwksUri|authentication /.test(String(body["error_description"])));
  });
}

Deno.test("staticClients() takes keys, of which only public members for signatures are kept", async () => {
  const other = { kty: "RSA", n: "x", e: "AQAB", kid: "encryption", use: "enc" };
  const clients = staticClients([{
    clientId: ID,
    name: "Reports",
    redirectUris: ["https://reports.example/cb"],
    jwks: { keys: [{ ...PUBLIC, x5c: ["x"], note: "n" }, other] },
  }]);
  const { authentication, jwks, secretHashes } = await clients.find(ID) ?? {};
  assert([jwks, jwks?.keys, jwks?.keys[0]].every(Object.isFrozen));
  assertEquals([authentication, jwks, secretHashes], [
    "private_key_jwt",
    { keys: [PUBLIC] },
    undefined,
  ]);
});

Deno.test("registerClient() makes no secret for a client with keys", async () => {
  const { clients } = inMemoryAuthStores();
  const { client, secret } = await registerClient(clients, {
    name: "Reports",
    redirectUris: ["https://reports.example/cb"],
    jwksUri: JWKS_URI,
  });
  assertEquals([client.authentication, client.jwksUri, secret], [
    "private_key_jwt",
    JWKS_URI,
    undefined,
  ]);
  await assertRejects(() => rotateClientSecret(clients, client.clientId), TypeError, "no secret");
});

Deno.test("staticClients() rejects keys of a client that does not authenticate by them", () => {
  const client = { clientId: ID, name: "Reports", redirectUris: ["https://reports.example/cb"] };
  for (const authentication of ["none", "client_secret_basic"] as const) {
    assertThrows(
      () => staticClients([{ ...client, jwksUri: JWKS_URI, authentication }]),
      RangeError,
      "jwks and jwksUri are for authentication private_key_jwt",
    );
  }
  assertThrows(
    () => staticClients([{ ...client, jwksUri: JWKS_URI, secret: SECRET }]),
    RangeError,
    "jwks and jwksUri are for authentication private_key_jwt",
  );
  assertThrows(
    () =>
      staticClients([{
        ...client,
        jwksUri: JWKS_URI,
        secret: SECRET,
        authentication: "private_key_jwt",
      }]),
    RangeError,
    "its authentication cannot be private_key_jwt",
  );
  assertThrows(
    () => staticClients([{ ...client, type: "native", jwksUri: JWKS_URI }]),
    RangeError,
    "a native client cannot keep a secret or a key",
  );
});

const TOKEN = generateSecret();
const METADATA = {
  redirect_uris: ["https://reports.example/cb"],
  token_endpoint_auth_method: "private_key_jwt",
};

/** A server whose clients register themselves, or have a document. */
function keySite(given: Partial<AuthorizationServerOptions> = {}) {
  const fetched: string[] = [];
  const answers = new Map<string, unknown>([[JWKS_URI, { keys: [PUBLIC] }]]);
  const clock = { now: NOW };
  const stores = inMemoryAuthStores({ now: () => clock.now });
  const site = serverSite({
    app: { clock },
    server: {
      clients: stores.clients,
      states: stores.states,
      registration: { initialAccessToken: TOKEN },
      clientIdMetadata: true,
      fetch(url) {
        fetched.push(url);
        const found = answers.get(url);
        return Promise.resolve(
          found === undefined ? new Response(null, { status: 404 }) : Response.json(found),
        );
      },
      ...given,
    },
  });
  return {
    ...site,
    stores,
    fetched,
    answers,
    async register(metadata: object): Promise<[number, Record<string, unknown>]> {
      const response = await site.send("/oauth/register", {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify(metadata),
      });
      return [response.status, await response.json()];
    },
    async fields(clientId: string, changes: AssertionChanges = {}) {
      return assertionFields(await signAssertion(clientId, clock.now, changes));
    },
  };
}

for (
  const [why, keys] of [
    ["jwks", { jwks: { keys: [PUBLIC] } }],
    ["jwks_uri", { jwks_uri: JWKS_URI }],
  ] as const
) {
  Deno.test(`registerClientOf() registers ${why}, and the client signs in, refreshes and revokes by it`, async () => {
    const site = keySite();
    const [status, body] = await site.register({ ...METADATA, ...keys });
    assertEquals(status, 201);
    assertEquals(body, {
      ...body,
      ...keys,
      token_endpoint_auth_method: "private_key_jwt",
    });
    assertEquals(["client_secret" in body, "client_secret_expires_at" in body], [false, false]);
    assertEquals(site.fetched, []);
    const clientId = String(body["client_id"]);
    const [redirect_uri] = METADATA.redirect_uris;
    const browser = await site.signedIn();
    const code = await site.code(browser, {
      client_id: clientId,
      redirect_uri,
      scope: "offline_access notes:read",
    });
    const base = { client_id: clientId, redirect_uri };
    await assertTokenError(await site.redeem(code, base), "invalid_client");
    const used = await site.fields(clientId);
    await tokensOf(await site.redeem(code, { ...base, ...used }));
    // One assertion is for one request, whatever it asks for and wherever
    for (const path of ["/oauth/token", "/oauth/revoke"]) {
      const again = new URLSearchParams({ token: "x", grant_type: "refresh_token", ...used });
      const response = await site.send(path, { method: "POST", body: again });
      await assertTokenError(response, "invalid_client");
      assertEquals(lastRefusal(site), "assertion_reused");
    }
    const [grant] = await site.server.listGrants("u1");
    assertEquals(grant?.clientId, clientId);
  });
}

/** Addresses of keys that others may not make the server fetch, AS36 and AS38. */
const INTERNAL = [
  "https://169.254.169.254/latest/meta-data",
  "https://127.0.0.1/jwks.json",
  "https://[::1]/jwks.json",
  "https://1.1.1.1/jwks.json",
  "https://localhost/jwks.json",
  "https://vault.internal/jwks.json",
  "https://vault/jwks.json",
  "https://keys.example:6379/jwks.json",
  "http://keys.example/jwks.json",
  "file:///etc/passwd",
];
for (const jwks_uri of INTERNAL) {
  Deno.test(`registerClientOf() and documents refuse keys at ${jwks_uri}, AS36, AS38`, async () => {
    const site = keySite();
    const [status, body] = await site.register({ ...METADATA, jwks_uri });
    assertEquals([status, body["error"]], [400, "invalid_client_metadata"]);
    site.answers.set(CHATGPT, { ...DOCUMENT, token_endpoint_auth_methods_supported: [], jwks_uri });
    const response = await site.authorize(await site.signedIn(), {
      client_id: CHATGPT,
      redirect_uri: DOCUMENT.redirect_uris[0],
    });
    await assertErrorPage(response, 400, "client_document_invalid");
    assertEquals(site.fetched, [CHATGPT]);
  });
}

Deno.test("registerClientOf() does not keep keys of a client that authenticates otherwise", async () => {
  const site = keySite();
  const [status, body] = await site.register({
    redirect_uris: METADATA.redirect_uris,
    jwks_uri: "http://169.254.169.254/",
    jwks: { keys: [KEY] },
  });
  assertEquals([status, "jwks" in body, "jwks_uri" in body], [201, false, false]);
  const client = await site.stores.clients.find(String(body["client_id"]));
  assertEquals([client?.jwks, client?.jwksUri], [undefined, undefined]);
});

const CHATGPT = "https://chatgpt.example/oauth/client.json";

/** The document of ChatGPT, 2026-08: it prefers a key, and can do without. */
const DOCUMENT = {
  client_id: CHATGPT,
  client_uri: "https://chatgpt.example/",
  redirect_uris: ["https://chatgpt.example/connector/oauth"],
  token_endpoint_auth_method: "private_key_jwt",
  token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  client_name: "ChatGPT",
  token_endpoint_auth_signing_alg: "RS256",
  jwks_uri: JWKS_URI,
};

for (const keepsIdentifiers of [true, false]) {
  const method = keepsIdentifiers ? "private_key_jwt" : "none";
  Deno.test(`AuthorizationServer takes ChatGPT's document for a client of ${method}`, async () => {
    const site = keySite(keepsIdentifiers ? {} : { states: undefined });
    site.answers.set(CHATGPT, DOCUMENT);
    const client = { client_id: CHATGPT, redirect_uri: DOCUMENT.redirect_uris[0] };
    const code = await site.code(await site.signedIn(), { ...client, scope: "notes:read" });
    const [plain, signed] = [{}, await site.fields(CHATGPT)];
    const [wrong, right] = keepsIdentifiers ? [plain, signed] : [signed, plain];
    await assertTokenError(await site.redeem(code, { ...client, ...wrong }), "invalid_client");
    const tokens = await tokensOf(await site.redeem(code, { ...client, ...right }));
    assertEquals(claimsOf(tokens.access_token)["client_id"], CHATGPT);
    assertEquals(site.fetched, keepsIdentifiers ? [CHATGPT, JWKS_URI] : [CHATGPT]);
  });
}

Deno.test("AuthorizationServer takes a document with the keys in it", async () => {
  const site = keySite();
  const { jwks_uri: _, ...document } = DOCUMENT;
  site.answers.set(CHATGPT, { ...document, jwks: { keys: [PUBLIC] } });
  const client = { client_id: CHATGPT, redirect_uri: DOCUMENT.redirect_uris[0] };
  const code = await site.code(await site.signedIn(), { ...client, scope: "notes:read" });
  const other = await site.fields(CHATGPT, { key: OTHER_KEY, header: { kid: KEY.kid } });
  await assertTokenError(await site.redeem(code, { ...client, ...other }), "invalid_client");
  await tokensOf(await site.redeem(code, { ...client, ...await site.fields(CHATGPT) }));
  assertEquals(site.fetched, [CHATGPT]);
});

Deno.test("AuthorizationServer without states has no private_key_jwt: not in the metadata, nor in code, nor registered", async () => {
  const reports = { clientId: ID, name: "Reports", redirectUris: ["https://reports.example/cb"] };
  const clients = staticClients([{ ...reports, jwks: { keys: [PUBLIC] } }]);
  assertThrows(
    () => serverSite({ server: { clients } }),
    TypeError,
    "clients with private_key_jwt need the option states",
  );
  const without = keySite({ states: undefined });
  const [status, body] = await without.register({ ...METADATA, jwks_uri: JWKS_URI });
  assertEquals([status, body["error"]], [400, "invalid_client_metadata"]);
  const { states } = inMemoryAuthStores();
  const servers = [without, keySite(), serverSite({ server: { clients, states } })];
  for (const endpoint of ["token", "revocation"]) {
    const listed = servers.map(({ server }) => {
      const metadata = server.metadata();
      const methods = metadata[`${endpoint}_endpoint_auth_methods_supported`] as string[];
      const algorithms = metadata[`${endpoint}_endpoint_auth_signing_alg_values_supported`];
      return [methods.includes("private_key_jwt"), algorithms];
    });
    const all = ["RS", "PS", "ES"].flatMap((name) => [256, 384, 512].map((bits) => name + bits));
    const on = [true, [...all, "EdDSA", "Ed25519"]];
    assertEquals(listed, [[false, undefined], on, on]);
  }
});

Deno.test("exchangeTokens() tells a client with a wrong assertion no more than invalid_client, and counts it", async () => {
  let failed = 0;
  const site = keySite({
    throttle: {
      challenge: () => Promise.resolve(),
      token: () => Promise.resolve({ fail: () => Promise.resolve(void failed++) }),
    },
  });
  const [, body] = await site.register({ ...METADATA, jwks: { keys: [PUBLIC] } });
  const clientId = String(body["client_id"]);
  for (const id of [clientId, "unknown"]) {
    const fields = await site.fields(id, { key: OTHER_KEY, header: { kid: KEY.kid } });
    const response = await site.token({
      grant_type: "refresh_token",
      refresh_token: "x",
      ...fields,
    });
    assertEquals(response.headers.get("WWW-Authenticate"), null);
    await assertTokenError(response, "invalid_client");
  }
  assertEquals(failed, 2);
});

Deno.test("exchangeTokens() answers 500 while identifiers cannot be kept, and 503 while keys cannot be fetched", async () => {
  const states = { claim: () => Promise.reject(new Error("store is down: hunter2")) };
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const site = keySite({ states, warn });
  const rows = [
    [{ jwks: { keys: [PUBLIC] } }, 500, "server_error"],
    [{ jwks_uri: "https://keys.example/missing" }, 503, "temporarily_unavailable"],
  ] as const;
  for (const [keys, status, error] of rows) {
    const [, body] = await site.register({ ...METADATA, ...keys });
    const fields = await site.fields(String(body["client_id"]));
    const response = await site.token({
      grant_type: "refresh_token",
      refresh_token: "x",
      ...fields,
    });
    assertEquals([response.status, await response.json()], [status, { error }]);
  }
  assert(warnings.length > 0);
});
