/** Clients that register themselves. Sources: RFC 7591 §2, §3 and §5, OpenID Connect Registration §2, MCP, and the attacks AS36. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { generateSecret, inMemoryAuthStores } from "../../../auth/mod.ts";
import { registerClient, type RegistrationOptions } from "../../../auth/server/mod.ts";
import type { ClientStore } from "../../../auth/stores/server_types.ts";
import { REGISTRATIONS } from "../../_effort.ts";
import {
  assertErrorPage,
  CHALLENGE,
  ISSUER,
  type ServerSite,
  serverSite,
  VERIFIER,
} from "./_site.ts";
import { tokensOf } from "./_tokens.ts";

const TOKEN = generateSecret();
const LOOPBACK = "http://localhost:51234/callback";
const DAY = 86_400;

interface RegistrationSite extends ServerSite {
  readonly stores: ReturnType<typeof inMemoryAuthStores>;
  register(
    metadata: unknown,
    options?: { readonly token?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>;
  /** How many clients are stored. */
  count(): Promise<number>;
  readonly warnings: string[];
}

function registrationSite(
  registration: RegistrationOptions = { initialAccessToken: TOKEN },
  change: (clients: ClientStore) => ClientStore = (clients) => clients,
): RegistrationSite {
  const clock = { now: () => 0 };
  const warnings: string[] = [];
  const stores = inMemoryAuthStores({ now: () => clock.now() });
  const site = serverSite({
    server: {
      clients: change(stores.clients),
      registration,
      ...unlimited(registration),
      warn: (message) => void warnings.push(message),
    },
  });
  clock.now = () => site.app.clock.now;
  return {
    ...site,
    stores,
    warnings,
    async register(metadata, { token = TOKEN, headers = {} } = {}) {
      const body = typeof metadata === "string" ? metadata : JSON.stringify(metadata);
      const all = { "Content-Type": "application/json", ...headers };
      const authorization = token === "" ? {} : { Authorization: `Bearer ${token}` };
      return await site.send("/oauth/register", {
        method: "POST",
        headers: { ...all, ...authorization },
        body,
      });
    },
    count: async () => (await stores.clients.list({ limit: 200_000 })).length,
  };
}

/** Registration by everybody, without the limit of one address. */
function unlimited({ insecureOpen }: RegistrationOptions) {
  if (insecureOpen === undefined) return {};
  return {
    throttle: {
      challenge: () => Promise.resolve(),
      registration: () => Promise.resolve(),
      token: () => Promise.resolve({ fail: () => Promise.resolve() }),
    },
  };
}

const WEB = { redirect_uris: ["https://app.example/cb"] };

/** What is registered of metadata. */
const REGISTERED: readonly (readonly [why: string, asked: object, told: object])[] = [
  ["the least, 7591-2", WEB, {
    client_name: "app.example",
    application_type: "web",
    redirect_uris: ["https://app.example/cb"],
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["authorization_code"],
    response_types: ["code"],
  }],
  ["a client of the MCP SDK", {
    client_name: "Inspector",
    redirect_uris: [LOOPBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: "notes:read",
  }, {
    client_name: "Inspector",
    application_type: "native",
    redirect_uris: [LOOPBACK],
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  }],
  ["a native client that wants a secret, and gets none, RFC 8252 §8.5", {
    redirect_uris: [LOOPBACK],
    token_endpoint_auth_method: "client_secret_post",
  }, { token_endpoint_auth_method: "none", application_type: "native" }],
  ["an editor with a web page and loopback", {
    client_name: "Editor",
    redirect_uris: [
      "https://editor.example/redirect",
      "http://127.0.0.1/",
      "com.example.editor:/cb",
    ],
    application_type: "web",
    token_endpoint_auth_method: "none",
  }, { application_type: "native" }],
  ["a redirect URI twice", { redirect_uris: [LOOPBACK, LOOPBACK] }, { redirect_uris: [LOOPBACK] }],
  ["places after a sign-out, RP-Initiated Logout §3.1", {
    ...WEB,
    post_logout_redirect_uris: ["https://app.example/bye", "https://app.example/bye"],
  }, { post_logout_redirect_uris: ["https://app.example/bye"] }],
  ["where it is told of the end of a session, Back-Channel Logout §2.2", {
    ...WEB,
    backchannel_logout_uri: "https://app.example/logout?of=notes",
    backchannel_logout_session_required: true,
  }, { backchannel_logout_uri: "https://app.example/logout?of=notes" }],
  ["other grants beside ours, §2", {
    ...WEB,
    grant_types: ["authorization_code", "implicit", "password", "client_credentials"],
    response_types: ["code", "token"],
  }, { grant_types: ["authorization_code"], response_types: ["code"] }],
  ["a wish for unsigned ID tokens, oidcc-idtoken-unsigned", {
    ...WEB,
    id_token_signed_response_alg: "none",
  }, {}],
  ["a grant type twice", {
    ...WEB,
    grant_types: ["refresh_token", "authorization_code", "refresh_token"],
  }, {
    grant_types: ["refresh_token", "authorization_code"],
  }],
  ["a native client without a redirect URI of the device", { ...WEB, application_type: "native" }, {
    application_type: "native",
    token_endpoint_auth_method: "none",
  }],
  ["16 redirect URIs", {
    redirect_uris: Array.from({ length: 16 }, (_, i) => `https://app.example/${i}`),
  }, {}],
  ["all scopes, unless they are limited", WEB, {
    scope: "openid profile email address phone offline_access notes:read notes:write",
  }],
  ["a home page", { ...WEB, client_uri: "https://app.example/" }, {
    client_uri: "https://app.example/",
  }],
  ["a client that must push its requests, RFC 9126 §6 (AS34)", {
    ...WEB,
    require_pushed_authorization_requests: true,
  }, { require_pushed_authorization_requests: true }],
  ["client_secret_post", { ...WEB, token_endpoint_auth_method: "client_secret_post" }, {
    token_endpoint_auth_method: "client_secret_post",
  }],
  ["a client whose tokens must be bound, 9449-5.2", { ...WEB, dpop_bound_access_tokens: true }, {
    dpop_bound_access_tokens: true,
  }],
  ["a client whose tokens need not be bound", { ...WEB, dpop_bound_access_tokens: false }, {}],
];

for (const [why, asked, told] of REGISTERED) {
  Deno.test(`registerClientOf() registers ${why}`, async () => {
    const site = registrationSite();
    const response = await site.register(asked);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
    const body = await response.json();
    assertEquals(response.status, 201, JSON.stringify(body));
    assertMatch(body.client_id, /^[\w-]{22}$/);
    assertEquals(body.client_id_issued_at, site.app.clock.now);
    const isSecret = body.token_endpoint_auth_method !== "none";
    assertEquals(["client_secret" in body, body.client_secret_expires_at], [
      isSecret,
      isSecret ? 0 : undefined,
    ]);
    assertEquals({ ...body, ...told }, body);
    assertEquals(body.id_token_signed_response_alg, undefined);
    assertEquals(site.app.events.at(-1)?.type, "client.registered");
    const stored = await site.stores.clients.find(body.client_id);
    assertEquals(stored?.name, body.client_name);
    assertEquals(JSON.stringify(stored).includes(body.client_secret ?? "no secret"), false);
  });
}

Deno.test("registerClientOf() ignores what would give privileges (AS36, GHSA-jmcv-4jfc-6qqj)", async () => {
  const site = registrationSite({ initialAccessToken: TOKEN, scope: ["notes:read"] });
  const body = await (await site.register({
    ...WEB,
    client_id: "spa",
    client_secret: "chosen by the client, 32 characters",
    firstParty: true,
    skip_consent: true,
    trusted: true,
    scope: "notes:read notes:write admin",
    jwks_uri: "http://169.254.169.254/",
    logo_uri: "http://10.0.0.1/logo.png",
    policy_uri: "javascript:alert(1)",
    contacts: ["x"],
    software_statement: "e30.e30.",
    "client_name#ja": "x",
  })).json();
  const { version: _, secretHashes, ...stored } = await site.stores.clients.find(body.client_id) ??
    {};
  assertEquals(stored, {
    clientId: body.client_id,
    name: "app.example",
    type: "web",
    redirectUris: ["https://app.example/cb"],
    authentication: "client_secret_basic",
    grants: ["authorization_code"],
    scope: ["notes:read"],
    registeredAt: site.app.clock.now,
  });
  assertEquals(secretHashes?.length, 1);
  assertEquals(body.scope, "notes:read");
  for (const name of ["jwks_uri", "logo_uri", "policy_uri", "software_statement", "contacts"]) {
    assertEquals(name in body, false, name);
  }
});

const REDIRECT = "invalid_redirect_uri";
const METADATA = "invalid_client_metadata";

const REFUSED: readonly (readonly [why: string, error: string, metadata: unknown])[] = [
  ["no redirect URI", REDIRECT, {}],
  ["an empty list of them", REDIRECT, { redirect_uris: [] }],
  ["a string for the list", REDIRECT, { redirect_uris: "https://app.example/cb" }],
  ["a redirect URI that is no string", REDIRECT, { redirect_uris: [7] }],
  ["null for one", REDIRECT, { redirect_uris: [null] }],
  ["nested lists", REDIRECT, { redirect_uris: [["https://app.example/cb"]] }],
  ["17 of them", REDIRECT, {
    redirect_uris: Array.from({ length: 17 }, (_, i) => `https://app.example/${i}`),
  }],
  ["http", REDIRECT, { redirect_uris: ["http://app.example/cb"] }],
  ["a fragment", REDIRECT, { redirect_uris: ["https://app.example/cb#x"] }],
  ["a wildcard", REDIRECT, { redirect_uris: ["https://*.app.example/cb"] }],
  ["javascript:, 7591-3.2.2", REDIRECT, { redirect_uris: ["javascript:alert(1)"] }],
  ["data:", REDIRECT, { redirect_uris: ["data:text/html,x"] }],
  ["a scheme without a dot", REDIRECT, { redirect_uris: ["app:/cb"] }],
  ["a place after a sign-out that may not be registered", REDIRECT, {
    ...WEB,
    post_logout_redirect_uris: ["javascript:alert(1)"],
  }],
  ["places after a sign-out that are no list", REDIRECT, {
    ...WEB,
    post_logout_redirect_uris: "https://app.example/bye",
  }],
  ["17 places after a sign-out", REDIRECT, {
    ...WEB,
    post_logout_redirect_uris: Array.from({ length: 17 }, (_, i) => `https://app.example/${i}`),
  }],
  ...[
    "http://app.example/logout",
    "http://localhost/logout",
    "https://localhost/logout",
    "https://127.0.0.1/logout",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/logout",
    "https://notes/logout",
    "https://notes.internal/logout",
    "https://app.example/logout#x",
    "https://ada@app.example/logout",
    "javascript:alert(1)",
    7,
    null,
  ].map((uri) =>
    [`${uri} to be told at, CVE-2020-10770`, METADATA, {
      ...WEB,
      backchannel_logout_uri: uri,
    }] as const
  ),
  ["a user name", REDIRECT, { redirect_uris: ["https://a@app.example/cb"] }],
  ["a bad one behind a good one", REDIRECT, {
    redirect_uris: [WEB.redirect_uris[0], "http://x.example/"],
  }],
  ["a name that is no string", METADATA, { ...WEB, client_name: { de: "x" } }],
  ["an empty name", METADATA, { ...WEB, client_name: "" }],
  ["a name with a line break", METADATA, { ...WEB, client_name: "a\nb" }],
  ["a name of 201 characters", METADATA, { ...WEB, client_name: "a".repeat(201) }],
  ["javascript: as home page", METADATA, { ...WEB, client_uri: "javascript:alert(1)" }],
  ["a text for a boolean", METADATA, { ...WEB, require_pushed_authorization_requests: "false" }],
  ["private_key_jwt", METADATA, { ...WEB, token_endpoint_auth_method: "private_key_jwt" }],
  ["private_key_jwt of a native client", METADATA, {
    redirect_uris: [LOOPBACK],
    token_endpoint_auth_method: "private_key_jwt",
  }],
  ["an unknown method", METADATA, { ...WEB, token_endpoint_auth_method: "toString" }],
  ["no code flow", METADATA, { ...WEB, grant_types: ["client_credentials"] }],
  ["a grant type that is a string", METADATA, { ...WEB, grant_types: "authorization_code" }],
  ["grant types that are a number", METADATA, { ...WEB, grant_types: 7 }],
  ["refreshes without the code flow", METADATA, { ...WEB, grant_types: ["refresh_token"] }],
  ["a response type that is a string", METADATA, { ...WEB, response_types: "code" }],
  ["response types that are a number", METADATA, { ...WEB, response_types: 7 }],
  ["the implicit flow", METADATA, { ...WEB, response_types: ["token"] }],
  ["no JSON", METADATA, "{"],
  ["a list", METADATA, "[]"],
  ["null", METADATA, "null"],
  [
    "a member twice",
    METADATA,
    '{"redirect_uris":["https://a.example/"],"redirect_uris":["https://b.example/"]}',
  ],
  ["__proto__", METADATA, '{"redirect_uris":["https://a.example/"],"__proto__":{}}'],
  ["17 KiB (AS36)", METADATA, { ...WEB, x: "a".repeat(17_000) }],
];

for (const [why, error, metadata] of REFUSED) {
  Deno.test(`registerClientOf() refuses ${why}`, async () => {
    const site = registrationSite();
    const response = await site.register(metadata);
    const body = await response.json();
    assertEquals([response.status, body.error, Object.keys(body)], [400, error, [
      "error",
      "error_description",
    ]]);
    assertEquals(await site.count(), 0);
    const event = site.app.events.at(-1);
    assertEquals([event?.type, event?.type === "client.refused" && event.reason], [
      "client.refused",
      error,
    ]);
  });
}

Deno.test("registerClientOf() reads application/json only", async () => {
  const site = registrationSite();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"]) {
    const response = await site.register(WEB, { headers: { "Content-Type": type } });
    assertEquals([response.status, (await response.json()).error], [400, METADATA]);
  }
  const response = await site.register(WEB, {
    headers: { "Content-Type": "Application/JSON; charset=utf-8" },
  });
  assertEquals(response.status, 201);
});

const CREDENTIALS: readonly (readonly [why: string, token: string, challenge: string])[] = [
  ["no token", "", `Bearer realm="${ISSUER}"`],
  ["a wrong token", generateSecret(), `Bearer realm="${ISSUER}", error="invalid_token"`],
  ["a part of the token", TOKEN.slice(0, -1), `Bearer realm="${ISSUER}", error="invalid_token"`],
  ["a longer token", `${TOKEN}a`, `Bearer realm="${ISSUER}", error="invalid_token"`],
];

for (const [why, token, challenge] of CREDENTIALS) {
  Deno.test(`registerClientOf() refuses ${why}, RFC 7591 §3`, async () => {
    const site = registrationSite();
    const response = await site.register(WEB, { token });
    assertEquals([response.status, await response.json()], [401, { error: "invalid_token" }]);
    assertEquals(response.headers.get("WWW-Authenticate"), challenge);
    assertEquals(await site.count(), 0);
    const event = site.app.events.at(-1);
    assertEquals(event?.type === "client.refused" && event.reason, "initial_access_token_wrong");
  });
}

Deno.test("registerClientOf() takes each of two initial access tokens", async () => {
  const next = generateSecret();
  const site = registrationSite({ initialAccessToken: [next, TOKEN] });
  for (const token of [next, TOKEN]) {
    assertEquals((await site.register(WEB, { token })).status, 201);
  }
});

Deno.test("AuthorizationServer has no registration unless it is switched on", async () => {
  const site = serverSite();
  const response = await site.send("/oauth/register", { method: "POST", body: "{}" });
  assertEquals([response.status, site.server.metadata()["registration_endpoint"]], [
    404,
    undefined,
  ]);
  const open = registrationSite();
  assertEquals(open.server.metadata()["registration_endpoint"], `${ISSUER}/oauth/register`);
});

/** Allows a registered client to read notes. @returns Its refresh token. */
async function use(site: ServerSite, clientId: string): Promise<string> {
  const params = {
    client_id: clientId,
    redirect_uri: LOOPBACK,
    scope: "offline_access notes:read",
  };
  const browser = await site.signedIn();
  const page = await site.authorize(browser, { ...params, code_challenge: CHALLENGE });
  assertEquals(page.status, 200, "a client that has registered itself is always asked for");
  const answer = await site.decide(browser, page);
  const code = new URL(answer.headers.get("Location") ?? "").searchParams.get("code") ?? "";
  const redeemed = await site.redeem(code, {
    client_id: clientId,
    redirect_uri: LOOPBACK,
    code_verifier: VERIFIER,
  });
  return (await tokensOf(redeemed)).refresh_token;
}

const NATIVE = { redirect_uris: [LOOPBACK], grant_types: ["authorization_code", "refresh_token"] };

Deno.test("AuthorizationServer forgets open registrations that are not used, and keeps those that are", async () => {
  const site = registrationSite({ insecureOpen: true, expiresIn: 30 * DAY });
  const idOf = async () => (await (await site.register(NATIVE, { token: "" })).json()).client_id;
  const [unused, used] = [await idOf(), await idOf()];
  let token = await use(site, used);
  const isKnown = async (clientId: string) => await site.stores.clients.find(clientId) !== null;
  assertEquals([await isKnown(unused), await isKnown(used)], [true, true]);
  site.app.clock.now += DAY;
  assertEquals([await isKnown(unused), await isKnown(used)], [false, true]);
  const page = await site.authorize(await site.signedIn(), {
    client_id: unused,
    redirect_uri: LOOPBACK,
  });
  assert((await page.text()).includes("client_unknown"));
  // Each refresh in the second half of its lifetime extends it
  for (let i = 0; i < 3; i++) {
    site.app.clock.now += 9 * DAY;
    const form = { grant_type: "refresh_token", refresh_token: token, client_id: used };
    token = (await tokensOf(await site.token(form))).refresh_token;
  }
  site.app.clock.now += 14 * DAY;
  assertEquals(await isKnown(used), true);
  site.app.clock.now += 16 * DAY;
  assertEquals(await isKnown(used), false);
});

/** Registers a native client. @returns Its id. */
async function idOf(site: RegistrationSite): Promise<string> {
  const response = await site.register(NATIVE);
  assertEquals(response.status, 201);
  return (await response.json()).client_id;
}

/** The record of a client: when it expires, and how often it was written. */
async function recordOf(site: RegistrationSite, clientId: string) {
  const { expiresAt, version } = await site.stores.clients.find(clientId) ?? {};
  return { left: expiresAt === undefined ? undefined : expiresAt - site.app.clock.now, version };
}

const TOKEN_ONLY = { initialAccessToken: TOKEN } as const;

/** Lifetime of a client, in seconds: as registered, and after its first token. */
const LIFETIMES: readonly (readonly [
  why: string,
  registration: RegistrationOptions,
  registered: number | undefined,
  used: number | undefined,
])[] = [
  ["by everybody", { insecureOpen: true }, DAY, 90 * DAY],
  ["by everybody, with expiresIn", { insecureOpen: true, expiresIn: 7 * DAY }, DAY, 7 * DAY],
  ["with a token", TOKEN_ONLY, undefined, undefined],
  ["with a token and expiresIn", { ...TOKEN_ONLY, expiresIn: 7 * DAY }, 7 * DAY, 7 * DAY],
];

for (const [why, registration, registered, used] of LIFETIMES) {
  Deno.test(`AuthorizationServer keeps a client of a registration ${why} for ${registered} and then ${used} seconds`, async () => {
    const site = registrationSite(registration);
    const clientId = await idOf(site);
    const first = await recordOf(site, clientId);
    assertEquals(first.left, registered);
    const token = await use(site, clientId);
    const second = await recordOf(site, clientId);
    assertEquals(second.left, used);
    assertEquals(second.version === first.version, registered === used, "written if it changes");
    // In the first half of its lifetime it is not written again
    const form = { grant_type: "refresh_token", refresh_token: token, client_id: clientId };
    await tokensOf(await site.token(form));
    assertEquals((await recordOf(site, clientId)).version, second.version);
    assertEquals(site.warnings, []);
  });
}

Deno.test("AuthorizationServer gives no expiry to a client of the application", async () => {
  const site = registrationSite({ insecureOpen: true });
  const { client } = await registerClient(site.stores.clients, {
    name: "Ours",
    type: "native",
    redirectUris: [LOOPBACK],
  });
  const before = await recordOf(site, client.clientId);
  await use(site, client.clientId);
  assertEquals(await recordOf(site, client.clientId), before);
  assertEquals(before.left, undefined);
});

Deno.test("AuthorizationServer answers with tokens if the registration cannot be extended", async () => {
  const site = registrationSite({ insecureOpen: true }, (stores) => ({
    ...stores,
    update: () => Promise.reject(new TypeError("down")),
  }));
  await use(site, await idOf(site));
  assertEquals(site.warnings, ["Cannot extend the registration of a client"]);
});

Deno.test("AuthorizationServer refuses a client from its expiry on, if the store keeps it for longer", async () => {
  let isKept = false;
  const site = registrationSite({ insecureOpen: true }, (stores) => {
    const kept = new Map<string, Awaited<ReturnType<typeof stores.find>>>();
    return {
      ...stores,
      async find(clientId) {
        const found = await stores.find(clientId);
        if (found !== null) kept.set(clientId, found);
        return isKept ? kept.get(clientId) ?? null : found;
      },
    };
  });
  const clientId = await idOf(site);
  const params = { client_id: clientId, redirect_uri: LOOPBACK };
  const ask = async () => await site.authorize(await site.signedIn(), params);
  assertEquals((await ask()).status, 200);
  isKept = true;
  assertEquals((await ask()).status, 200);
  site.app.clock.now += DAY;
  await assertErrorPage(await ask(), 400, "client_unknown");
});

Deno.test("registerClientOf() does not limit how many clients register with a token", async () => {
  const site = registrationSite({ ...TOKEN_ONLY, limit: 1 });
  for (let i = 0; i < 3; i++) assertEquals((await site.register(WEB)).status, 201);
});

Deno.test("registerClientOf() counts anew when the clock was set back", async () => {
  const site = registrationSite({ insecureOpen: true, limit: 1 });
  const statusOf = async () => (await site.register(WEB)).status;
  assertEquals([await statusOf(), await statusOf()], [201, 429]);
  site.app.clock.now -= 10;
  assertEquals([await statusOf(), await statusOf()], [201, 429]);
});

Deno.test("registerClientOf() answers 503 if the store has the id already", async () => {
  const site = registrationSite(TOKEN_ONLY, (stores) => ({
    ...stores,
    create: () => Promise.resolve("taken"),
  }));
  assertEquals((await site.register(WEB)).status, 503);
});

Deno.test("registerClientOf() counts wrong initial access tokens of an address", async () => {
  let failed = 0;
  const token = () => Promise.resolve({ fail: () => Promise.resolve(void failed++) });
  const throttle = { challenge: () => Promise.resolve(), token };
  const { clients } = inMemoryAuthStores();
  const server = { clients, registration: TOKEN_ONLY, throttle };
  const site = serverSite({ server });
  for (const [sent, count] of [[TOKEN, 0], [generateSecret(), 1], [`${TOKEN}a`, 2]] as const) {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${sent}` };
    const init = { method: "POST", headers, body: JSON.stringify(WEB) };
    await (await site.send("/oauth/register", init)).body?.cancel();
    assertEquals(failed, count);
  }
});

const NAMES: readonly (readonly [name: string, metadata: object])[] = [
  ["client_name", { ...WEB, client_name: "" }],
  ["client_uri", { ...WEB, client_uri: "http://app.example/" }],
  ["dpop_bound_access_tokens", { ...WEB, dpop_bound_access_tokens: "true" }],
];

for (const [name, metadata] of NAMES) {
  Deno.test(`registerClientOf() describes an error by the member ${name}, RFC 7591 §3.2.2`, async () => {
    const { error_description } = await (await registrationSite().register(metadata)).json();
    assertMatch(error_description, new RegExp(`^${name} must `));
  });
}

Deno.test("AuthorizationServer does not extend an open registration by token requests that fail", async () => {
  const site = registrationSite({ insecureOpen: true });
  const { client_id } = await (await site.register(NATIVE, { token: "" })).json();
  const form = {
    grant_type: "authorization_code",
    code: "x",
    redirect_uri: LOOPBACK,
    code_verifier: VERIFIER,
  };
  assertEquals((await site.token({ client_id, ...form })).status, 400);
  assertEquals((await site.stores.clients.find(client_id))?.expiresAt, site.app.clock.now + DAY);
});

Deno.test(`registerClientOf() keeps a bounded number of clients, of any number of registrations (AS36)`, async () => {
  const limit = 100;
  const site = registrationSite({ insecureOpen: true, limit });
  const all = REGISTRATIONS;
  const outcomes = new Map<number, number>();
  for (let i = 0; i < all; i++) {
    const response = await site.register(WEB, { token: "" });
    outcomes.set(response.status, (outcomes.get(response.status) ?? 0) + 1);
    if (response.status === 429) assertEquals(response.headers.get("Retry-After"), `${DAY}`);
    await response.body?.cancel();
  }
  assertEquals([...outcomes], [[201, limit], [429, all - limit]]);
  assertEquals(await site.count(), limit);
  // The next day, those of the day before are gone
  site.app.clock.now += DAY;
  for (let i = 0; i < 2 * limit; i++) {
    await (await site.register(WEB, { token: "" })).body?.cancel();
  }
  assertEquals(await site.count(), limit);
});

Deno.test("registerClientOf() limits open registrations of one address", async () => {
  const stores = inMemoryAuthStores();
  const site = serverSite({
    server: { clients: stores.clients, registration: { insecureOpen: true } },
  });
  const statuses: number[] = [];
  for (let i = 0; i < 21; i++) {
    const response = await site.app.browser().send("/oauth/register", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(WEB),
    });
    statuses.push(response.status);
    await response.body?.cancel();
  }
  assertEquals([...new Set(statuses.slice(0, 20)), statuses[20]], [201, 429]);
});

const WRONG: readonly (readonly [why: string, registration: unknown])[] = [
  ["neither token nor insecureOpen", {}],
  ["both", { initialAccessToken: TOKEN, insecureOpen: true }],
  ["insecureOpen that is false", { insecureOpen: false }],
  ["insecureOpen that is a string", { insecureOpen: "true" }],
  ["insecureOpen that is false beside a token", { initialAccessToken: TOKEN, insecureOpen: false }],
  ["insecureOpen that is a string beside a token", {
    initialAccessToken: TOKEN,
    insecureOpen: "true",
  }],
  ["a limit that is no integer", { insecureOpen: true, limit: 1.5 }],
  ["a limit that is no number", { insecureOpen: true, limit: "7" }],
  ["an empty token", { initialAccessToken: "" }],
  ["a short token", { initialAccessToken: "secret" }],
  ["a token with a space", { initialAccessToken: `${TOKEN} ${TOKEN}` }],
  ["an empty list of tokens", { initialAccessToken: [] }],
  ["a token that is missing in the environment", { initialAccessToken: undefined }],
  ["a limit of 0", { insecureOpen: true, limit: 0 }],
  ["a lifetime of 0", { insecureOpen: true, expiresIn: 0 }],
  ["a malformed scope", { insecureOpen: true, scope: ["a b"] }],
  ["an unknown option", { insecureOpen: true, open: true }],
];

for (const [why, registration] of WRONG) {
  Deno.test(`AuthorizationServer refuses registration with ${why}`, () => {
    assertThrows(() => registrationSite(registration as RegistrationOptions));
  });
}

Deno.test("AuthorizationServer refuses registration without a store, and by everybody without a throttle", () => {
  assertThrows(
    () => serverSite({ server: { registration: { initialAccessToken: TOKEN } } }),
    TypeError,
    "store",
  );
  const { clients } = inMemoryAuthStores();
  for (const missing of ["create", "update"] as const) {
    const server = {
      clients: { ...clients, [missing]: undefined },
      registration: { initialAccessToken: TOKEN },
    };
    assertThrows(() => serverSite({ server }), TypeError, "store");
  }
  const server = { clients, registration: { insecureOpen: true }, throttle: undefined } as const;
  assertThrows(() => serverSite({ server }), TypeError, "throttle");
});
