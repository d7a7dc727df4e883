/** Clients in code and in a store. */

import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { digestText } from "../../../auth/_kdf.ts";
import { generateSecret } from "../../../auth/derived_keys.ts";
import { AuthError } from "../../../auth/error.ts";
import {
  type ClientInit,
  registerClient,
  type RegisterClientInit,
  revokeOldClientSecret,
  rotateClientSecret,
  staticClients,
} from "../../../auth/server/clients/manage.ts";
import { testClients } from "./_clients.ts";

const NOW = 1_700_000_000;
const now = () => NOW;

const SECRET = "kX2vQ9-zT4wR7_bN1mC6yH8jL3pF5dGa";
const OLD_SECRET = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

const SPA = {
  clientId: "spa",
  name: "Notes",
  redirectUris: ["https://notes.example/callback"],
} as const satisfies ClientInit;

const BOTH_GRANTS = ["authorization_code", "refresh_token"] as const;

Deno.test("staticClients() finds a public web client, with its defaults", async () => {
  assertEquals(await staticClients([SPA]).find("spa"), {
    ...SPA,
    type: "web",
    authentication: "none",
    grants: BOTH_GRANTS,
    registeredAt: 0,
    version: "static",
  });
});

Deno.test("staticClients() finds a client with everything", async () => {
  const { secret, ...init } = {
    ...SPA,
    clientId: "shop",
    type: "web",
    secret: SECRET,
    authentication: "client_secret_post",
    grants: ["authorization_code"],
    scope: ["orders:read"],
    firstParty: true,
    clientUri: "https://shop.example/about",
    requirePushedRequests: true,
  } as const;
  assertEquals(await staticClients([SPA, { ...init, secret }]).find("shop"), {
    ...init,
    secretHashes: [await digestText(SECRET)],
    registeredAt: 0,
    version: "static",
  });
});

Deno.test("staticClients() does not find an unknown client", async () => {
  const clients = staticClients([SPA]);
  for (const clientId of ["", "SPA", "spa ", "constructor", "__proto__"]) {
    assertEquals(await clients.find(clientId), null);
  }
  assertEquals(await staticClients([]).find("spa"), null);
});

Deno.test("staticClients() chooses client_secret_basic for a client with a secret", async () => {
  const clients = staticClients([{ ...SPA, secret: SECRET }]);
  assertEquals((await clients.find("spa"))?.authentication, "client_secret_basic");
});

Deno.test("staticClients() digests two secrets, the newest first", async () => {
  const clients = staticClients([{ ...SPA, secret: [SECRET, OLD_SECRET] }]);
  const hashes = [await digestText(SECRET), await digestText(OLD_SECRET)];
  assertEquals((await clients.find("spa"))?.secretHashes, hashes);
});

Deno.test("staticClients() digests a secret once, and returns no secret", async () => {
  const clients = staticClients([{ ...SPA, secret: SECRET }]);
  const [first, concurrent] = await Promise.all([clients.find("spa"), clients.find("spa")]);
  assertEquals(first, concurrent);
  const later = await clients.find("spa");
  assert(later === await clients.find("spa"));
  assertFalse(JSON.stringify([first, later]).includes(SECRET));
});

Deno.test("staticClients() returns frozen copies", async () => {
  const redirectUris: string[] = [...SPA.redirectUris];
  const init = { ...SPA, redirectUris, scope: ["a"], secret: [SECRET] };
  const clients = staticClients([init]);
  init.redirectUris.push("https://evil.example/");
  init.scope.push("admin");
  init.secret.push(OLD_SECRET);
  const client = await clients.find("spa");
  assertEquals(client?.redirectUris, SPA.redirectUris);
  assertEquals(client?.scope, ["a"]);
  assertEquals(client?.secretHashes?.length, 1);
  for (const value of [client, ...Object.values(client ?? {})]) assert(Object.isFrozen(value));
  assert(Object.isFrozen(clients));
});

/** Clients that need no more than their row says. */
const ACCEPTED: readonly (readonly [why: string, init: Partial<ClientInit>])[] = [
  ["a name of 200 characters", { name: "𝄞".repeat(200) }],
  ["a name in another script", { name: "メモ帳" }],
  ["an id of 200 characters", { clientId: "a".repeat(200) }],
  ["a URL as the id of a public client", { clientId: "https://app.example/client.json?a=%20+" }],
  ["an id with a colon and client_secret_post", {
    clientId: "a:b",
    authentication: "client_secret_post",
    secret: SECRET,
  }],
  ["a generated secret", { secret: generateSecret() }],
  ["a secret in hexadecimal digits", { secret: OLD_SECRET }],
  ["a secret with all kinds of characters", { secret: `:% +&=\\"~ ${SECRET}` }],
  ["no redirect URI without authorization_code", { redirectUris: [], grants: ["refresh_token"] }],
  ["several redirect URIs", { redirectUris: ["https://a.example/cb", "http://localhost:3000/"] }],
  ["where it is told of the end of a session", {
    backchannelLogoutUri: "https://notes.internal:8443/logout",
  }],
  ["places after a sign-out", { postLogoutRedirectUris: ["https://a.example/?out=1"] }],
  ["a native client", {
    type: "native",
    redirectUris: ["http://127.0.0.1/cb", "com.example.app:/cb"],
    authentication: "none",
  }],
  ["no scope at all", { scope: [] }],
  ["a home page with a query", { clientUri: "https://app.example/?a=b" }],
  ["options of undefined", {
    type: undefined,
    authentication: undefined,
    grants: undefined,
    scope: undefined,
    firstParty: undefined,
    clientUri: undefined,
    requirePushedRequests: undefined,
  }],
];
for (const [why, init] of ACCEPTED) {
  Deno.test(`staticClients() accepts ${why}`, async () => {
    const client = { ...SPA, ...init };
    assertEquals((await staticClients([client]).find(client.clientId))?.name, client.name);
  });
}

type Rejected = readonly [
  why: string,
  init: Readonly<Record<string, unknown>>,
  ErrorClass: typeof TypeError | typeof RangeError,
  message: string,
];

/** Rules for all clients. */
const REJECTED: readonly Rejected[] = [
  [
    "an unknown option",
    { redirectUri: "https://a.example" },
    TypeError,
    "unknown option redirectUri",
  ],
  ["an option of a record", { secretHashes: ["x"] }, TypeError, "unknown option secretHashes"],
  ["a name that is missing", { name: undefined }, TypeError, "name must be a string"],
  ["a name that is a number", { name: 7 }, TypeError, "name must be a string"],
  ["an empty name", { name: "" }, RangeError, "name must have 1 to 200 characters"],
  ["a blank name", { name: " \u3000" }, RangeError, "name must have 1 to 200 characters"],
  ["a name of 201 characters", { name: "a".repeat(201) }, RangeError, "name must have 1 to 200"],
  ["a name with NUL", { name: "a\0" }, RangeError, "name must have 1 to 200 characters"],
  ["a name with a lone surrogate", { name: "a\ud800" }, RangeError, "name must have 1 to 200"],
  ["an unknown type", { type: "browser" }, RangeError, "type must be web or native"],
  ["a type of null", { type: null }, RangeError, "type must be web or native"],
  ["a method that is not supported", { authentication: "client_secret_jwt" }, RangeError, "one of"],
  ["a method of the prototype", { authentication: "constructor" }, RangeError, "one of"],
  [
    "a native client with a secret",
    { type: "native", authentication: "client_secret_basic" },
    RangeError,
    "a native client cannot keep a secret",
  ],
  [
    "a native client of the server's owner",
    { type: "native", authentication: "none", firstParty: true },
    RangeError,
    "a native client cannot be firstParty",
  ],
  ["firstParty as text", { firstParty: "false" }, TypeError, "firstParty must be a boolean"],
  ["grants as text", { grants: "authorization_code" }, TypeError, "grants must be an array"],
  ["no grants", { grants: [] }, RangeError, "grants must list some of"],
  ["an unknown grant", { grants: ["implicit"] }, RangeError, "grants must list some of"],
  ["a grant of the prototype", { grants: ["toString"] }, RangeError, "grants must list some of"],
  [
    "a duplicate grant",
    { grants: ["refresh_token", "authorization_code", "refresh_token"] },
    RangeError,
    "grants has a duplicate",
  ],
  ["redirect URIs as text", { redirectUris: "https://a.example" }, TypeError, "must be an array"],
  ["redirect URIs that are missing", { redirectUris: undefined }, TypeError, "must be an array"],
  ["no redirect URI", { redirectUris: [] }, RangeError, "redirectUris must not be empty"],
  [
    "a redirect URI that is a URL",
    { redirectUris: [new URL("https://a.example")] },
    TypeError,
    "strings",
  ],
  [
    "a duplicate redirect URI",
    { redirectUris: ["https://a.example/cb", "https://a.example/cb"] },
    RangeError,
    "redirectUris has a duplicate",
  ],
  [
    "a place after a sign-out that is no https URL",
    { postLogoutRedirectUris: ["http://a.example/"] },
    RangeError,
    "a redirect URI must be https",
  ],
  [
    "a URI with a fragment to be told at",
    { backchannelLogoutUri: "https://a.example/#x" },
    RangeError,
    "backchannelLogoutUri must not have a fragment",
  ],
  [
    "a URI that is none to be told at",
    { backchannelLogoutUri: 7 },
    TypeError,
    "backchannelLogoutUri must be a string",
  ],
  [
    "places after a sign-out as text",
    { postLogoutRedirectUris: "https://a.example/" },
    TypeError,
    "postLogoutRedirectUris must be an array",
  ],
  [
    "a duplicate place after a sign-out",
    { postLogoutRedirectUris: ["https://a.example/", "https://a.example/"] },
    RangeError,
    "postLogoutRedirectUris has a duplicate",
  ],
  ["a scope as text", { scope: "a b" }, TypeError, "scope must be an array of strings"],
  ["a scope with a space", { scope: ["a b"] }, RangeError, "scope must not have duplicates"],
  ["a duplicate scope", { scope: ["a", "a"] }, RangeError, "scope must not have duplicates"],
  ["a text for a boolean", { requirePushedRequests: "yes" }, TypeError, "must be a boolean"],
  ["a home page that is a URL", { clientUri: new URL("https://a.example") }, TypeError, "a string"],
  ["a home page of http", { clientUri: "http://a.example" }, RangeError, "must be an https URL"],
  ["a home page of javascript:", { clientUri: "javascript:alert(1)" }, RangeError, "an https URL"],
  ["a home page that is relative", { clientUri: "/about" }, RangeError, "must be an https URL"],
  ["a home page with a user", { clientUri: "https://u@a.example" }, RangeError, "an https URL"],
  [
    "a home page of 2,049 characters",
    { clientUri: `https://a.example/${"a".repeat(2031)}` },
    RangeError,
    "must be an https URL",
  ],
  // Attacks AS3
  [
    "javascript:",
    { redirectUris: ["javascript:alert(1)"] },
    RangeError,
    "a redirect URI must be https",
  ],
  ["data:", { redirectUris: ["data:text/html,a"] }, RangeError, "a redirect URI must be https"],
  ["vbscript:", { redirectUris: ["vbscript:a"] }, RangeError, "a redirect URI must be https"],
  ["http", { redirectUris: ["http://a.example/cb"] }, RangeError, "a redirect URI must be https"],
  ["a scheme of web clients", { redirectUris: ["com.a.app:/cb"] }, RangeError, "must be https"],
  [
    "a scheme without a dot",
    { type: "native", authentication: "none", redirectUris: ["myapp:/cb"] },
    RangeError,
    "a redirect URI must be https",
  ],
  [
    "a fragment",
    { redirectUris: ["https://a.example/#b"] },
    RangeError,
    "must not have a fragment",
  ],
  ["a user", { redirectUris: ["https://u@a.example/"] }, RangeError, "must not have a user name"],
  [
    "a wildcard",
    { redirectUris: ["https://*.a.example/"] },
    RangeError,
    "must not have a wildcard",
  ],
  ["port 0", { redirectUris: ["https://a.example:0/"] }, RangeError, "must not have port 0"],
  [
    "a default port",
    { redirectUris: ["https://a.example:443/"] },
    RangeError,
    "must be spelled as",
  ],
  ["a relative redirect URI", { redirectUris: ["/cb"] }, RangeError, "must be absolute"],
  [
    "a space",
    { redirectUris: ["https://a.example/ "] },
    RangeError,
    "must be a URI of at most 2,048",
  ],
  [
    "the second redirect URI",
    { redirectUris: ["https://a.example/cb", "https://a.example/cb#"] },
    RangeError,
    "must not have a fragment",
  ],
];
for (const [why, init, ErrorClass, message] of REJECTED) {
  Deno.test(`staticClients() and registerClient() reject ${why}`, async () => {
    const { clientId: _, ...rest } = SPA;
    const client = { ...rest, authentication: "none", ...init } as unknown as RegisterClientInit;
    const errors = [
      assertThrows(() => staticClients([SPA, { ...client, clientId: "b" }])),
      await assertRejects(() => registerClient(testClients(), client)),
    ];
    for (const error of errors) checkError(error, ErrorClass, message);
  });
}

/** Rules for what registerClient() generates. */
const REJECTED_STATIC: readonly Rejected[] = [
  ["an id that is missing", { clientId: undefined }, TypeError, "clientId must be a string"],
  ["an id that is a number", { clientId: 7 }, TypeError, "clientId must be a string"],
  ["an empty id", { clientId: "" }, RangeError, "clientId must have 1 to 200"],
  ["an id of 201 characters", { clientId: "a".repeat(201) }, RangeError, "1 to 200"],
  ["an id with a space", { clientId: "a b" }, RangeError, "clientId must have"],
  ["an id with a quote", { clientId: 'a"b' }, RangeError, "clientId must have"],
  ["an id with a backslash", { clientId: "a\\b" }, RangeError, "clientId must have"],
  ["an id with a line feed", { clientId: "a\n" }, RangeError, "clientId must have"],
  ["an id outside of ASCII", { clientId: "é" }, RangeError, "clientId must have"],
  [
    "a colon for Basic",
    { clientId: "a:b", secret: SECRET },
    RangeError,
    "must not contain :, + or %",
  ],
  [
    "a plus for Basic",
    { clientId: "a+b", secret: SECRET },
    RangeError,
    "must not contain :, + or %",
  ],
  [
    "an escape for Basic",
    { clientId: "a%41", secret: SECRET },
    RangeError,
    "must not contain :, +",
  ],
  ["a duplicate id", { clientId: "spa" }, RangeError, "duplicate clientId"],
  ["a secret of undefined", { secret: undefined }, TypeError, "is its environment variable set?"],
  ["a secret of null", { secret: null }, TypeError, "secret must be a string"],
  ["a secret that is a number", { secret: 7 }, TypeError, "secret must be a string"],
  ["a second secret of undefined", { secret: [SECRET, undefined] }, TypeError, "secret must be"],
  ["an empty secret", { secret: "" }, RangeError, "at least 32 printable ASCII characters"],
  ["a secret of 31 characters", { secret: SECRET.slice(1) }, RangeError, "at least 32 printable"],
  ["a secret with a line feed", { secret: `${SECRET}\n` }, RangeError, "at least 32 printable"],
  ["a secret outside of ASCII", { secret: `${SECRET}é` }, RangeError, "at least 32 printable"],
  [
    "nine different characters",
    { secret: "123456789".repeat(4) },
    RangeError,
    "not made at random",
  ],
  ["a short second secret", { secret: [SECRET, "short"] }, RangeError, "at least 32 printable"],
  ["no secrets", { secret: [] }, RangeError, "a client has one secret, or two"],
  [
    "three secrets",
    { secret: [SECRET, OLD_SECRET, generateSecret()] },
    RangeError,
    "a client has one secret, or two",
  ],
  ["the same secret twice", { secret: [SECRET, SECRET] }, RangeError, "secret has a duplicate"],
  [
    "a secret of a public client",
    { secret: SECRET, authentication: "none" },
    RangeError,
    "a client with a secret must authenticate by it",
  ],
  [
    "client_secret_basic without a secret",
    { authentication: "client_secret_basic" },
    RangeError,
    "authentication client_secret_basic needs a secret",
  ],
  [
    "client_secret_post without a secret",
    { authentication: "client_secret_post" },
    RangeError,
    "authentication client_secret_post needs a secret",
  ],
  ["a secret of a native client", { type: "native", secret: SECRET }, RangeError, "cannot keep a"],
];
for (const [why, init, ErrorClass, message] of REJECTED_STATIC) {
  Deno.test(`staticClients() rejects ${why}`, () => {
    const client = { ...SPA, clientId: "b", ...init } as unknown as ClientInit;
    checkError(assertThrows(() => staticClients([SPA, client])), ErrorClass, message);
  });
}

Deno.test("staticClients() rejects what is not an array of objects", () => {
  for (const clients of [undefined, null, SPA, "spa", [null], ["spa"]]) {
    const error = assertThrows(() => staticClients(clients as unknown as ClientInit[]));
    checkError(error, TypeError, "");
  }
});

/** The message begins alike, and contains neither a secret nor another value. */
function checkError(error: unknown, ErrorClass: typeof Error, message: string): void {
  assert(error instanceof ErrorClass, String(error));
  assert(error.message.startsWith("Cannot register client: "), error.message);
  assertStringIncludes(error.message, message);
  for (const value of [SECRET, SECRET.slice(1), "a.example", "alert"]) {
    assertFalse(error.message.includes(value), error.message);
  }
}

Deno.test("registerClient() stores a web client, and the digest of its secret", async () => {
  const store = testClients();
  const { clientId: _, ...init } = SPA;
  const { client, secret } = await registerClient(store, init, { now });
  assertMatch(client.clientId, /^[\w-]{22}$/);
  assertMatch(secret ?? "", /^[\w-]{43}$/);
  const expected = {
    ...init,
    clientId: client.clientId,
    type: "web",
    authentication: "client_secret_basic",
    grants: BOTH_GRANTS,
    secretHashes: [await digestText(secret ?? "")],
    registeredAt: NOW,
  } as const;
  assertEquals(client, expected);
  assertEquals([...store.records.values()], [{ ...expected, version: "0" }]);
  for (const value of [client, ...Object.values(client)]) assert(Object.isFrozen(value));
});

/** Which clients get a secret. */
const METHODS: readonly (readonly [
  init: Partial<RegisterClientInit>,
  authentication: string,
  hasSecret: boolean,
])[] = [
  [{ type: "web" }, "client_secret_basic", true],
  [{ authentication: "client_secret_post" }, "client_secret_post", true],
  [{ authentication: "none" }, "none", false],
  [{ type: "native" }, "none", false],
];
for (const [init, authentication, hasSecret] of METHODS) {
  Deno.test(`registerClient() chooses ${authentication} of ${JSON.stringify(init)}`, async () => {
    const { redirectUris, name } = SPA;
    const result = await registerClient(testClients(), { name, redirectUris, ...init });
    assertEquals(result.client.authentication, authentication);
    assertEquals("secret" in result, hasSecret);
    assertEquals("secretHashes" in result.client, hasSecret);
  });
}

Deno.test("registerClient() generates another id and secret for each client", async () => {
  const store = testClients();
  const { redirectUris, name } = SPA;
  const [a, b] = await Promise.all([
    registerClient(store, { name, redirectUris }),
    registerClient(store, { name, redirectUris }),
  ]);
  assertNotEquals(a.client.clientId, b.client.clientId);
  assertNotEquals(a.secret, b.secret);
  assertEquals(store.records.size, 2);
});

Deno.test("registerClient() rejects a given id, a given secret, and unknown options", async () => {
  const store = testClients();
  const { clientId, ...init } = SPA;
  for (const more of [{ clientId }, { secret: SECRET }, { registeredAt: 0 }, { disabled: true }]) {
    const client = { ...init, ...more };
    checkError(
      await assertRejects(() => registerClient(store, client)),
      TypeError,
      "unknown option",
    );
  }
  const options = { clock: now } as { now?: () => number };
  checkError(await assertRejects(() => registerClient(store, init, options)), TypeError, "clock");
  await assertRejects(() => registerClient(store, init, { now: () => NaN }), RangeError);
  await assertRejects(() => registerClient(store, null as unknown as typeof init), TypeError);
  assertEquals(store.records.size, 0);
});

Deno.test("registerClient() rejects if the store has the id", async () => {
  const { clientId: _, ...init } = SPA;
  const create = () => Promise.resolve("taken" as const);
  const error = await assertRejects(() => registerClient({ create }, init), AuthError);
  assertEquals(error.reason, "client_id_taken");
});

async function withSecret() {
  const { redirectUris, name } = SPA;
  const store = testClients();
  const { client, secret = "" } = await registerClient(store, { name, redirectUris });
  const { clientId } = client;
  return { store, clientId, secret, hashes: () => store.records.get(clientId)?.secretHashes };
}

Deno.test("rotateClientSecret() keeps two secrets, the newest first", async () => {
  const { store, clientId, secret, hashes } = await withSecret();
  const second = await rotateClientSecret(store, clientId);
  assertMatch(second, /^[\w-]{43}$/);
  assertEquals(hashes(), [await digestText(second), await digestText(secret)]);
  const third = await rotateClientSecret(store, clientId);
  assertEquals(hashes(), [await digestText(third), await digestText(second)]);
});

Deno.test("rotateClientSecret() changes nothing else", async () => {
  const { store, clientId } = await withSecret();
  const { secretHashes: _, version: __, ...before } = store.records.get(clientId) ?? {};
  await rotateClientSecret(store, clientId);
  const { secretHashes: ___, version, ...after } = store.records.get(clientId) ?? {};
  assertEquals(after, before);
  assertEquals(version, "1");
});

Deno.test("rotateClientSecret() retries after a concurrent update", async () => {
  const { store, clientId, secret, hashes } = await withSecret();
  const rotated = await Promise.all([
    rotateClientSecret(store, clientId),
    rotateClientSecret(store, clientId),
  ]);
  const valid = await Promise.all(rotated.map(digestText));
  assertEquals(new Set(hashes()), new Set(valid));
  assertFalse(hashes()?.includes(await digestText(secret)));
});

Deno.test("rotateClientSecret() keeps the previous secret if a lost update was written", async () => {
  const { store, clientId, secret, hashes } = await withSecret();
  let calls = 0;
  const second = await rotateClientSecret({
    ...store,
    async update(client) {
      const outcome = await store.update(client);
      return calls++ === 0 ? "lost" : outcome;
    },
  }, clientId);
  assertEquals(calls, 2);
  assertEquals(hashes(), [await digestText(second), await digestText(secret)]);
});

Deno.test("revokeOldClientSecret() keeps the newest secret", async () => {
  const { store, clientId, hashes } = await withSecret();
  const second = await rotateClientSecret(store, clientId);
  for (let i = 0; i < 2; i++) {
    await revokeOldClientSecret(store, clientId);
    assertEquals(hashes(), [await digestText(second)]);
  }
});

for (const update of [rotateClientSecret, revokeOldClientSecret]) {
  Deno.test(`${update.name}() rejects an unknown client, and one without a secret`, async () => {
    const { clientId: _, ...init } = SPA;
    const store = testClients();
    const { client } = await registerClient(store, { ...init, authentication: "none" });
    await assertRejects(() => update(store, "unknown"), TypeError, "the client does not exist");
    await assertRejects(
      () => update(store, client.clientId),
      TypeError,
      "the client has no secret",
    );
    assertEquals(store.records.get(client.clientId)?.version, "0");
  });

  Deno.test(`${update.name}() rejects a client that is deleted meanwhile`, async () => {
    const { store, clientId } = await withSecret();
    const deleted = { ...store, update: () => Promise.resolve("not_found" as const) };
    await assertRejects(() => update(deleted, clientId), TypeError, "the client does not exist");
  });

  Deno.test(`${update.name}() gives up after five conflicts`, async () => {
    const { store, clientId } = await withSecret();
    let calls = 0;
    const busy = { ...store, update: () => Promise.resolve((calls++, "lost" as const)) };
    const error = await assertRejects(() => update(busy, clientId), AuthError);
    assertEquals([error.code, error.reason, calls], ["service_unavailable", "update_conflict", 5]);
  });
}
