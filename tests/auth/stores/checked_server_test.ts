/** Authorizations and clients with the types of other engines: what decides is not guessed. */

import { assertEquals, assertRejects } from "@std/assert";
import {
  checkedAuthorizations,
  checkedClients,
  isClientDisabled,
} from "../../../auth/stores/checked_server.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type {
  Authorization,
  AuthorizationStore,
  ClientStore,
  RegisteredClient,
  SignIn,
  StoredAuthorization,
} from "../../../auth/stores/types.ts";
import {
  clientOf,
  CREATED,
  deviceIssuedOf,
  devicePendingOf,
  findClient,
  issuedOf,
  pendingOf,
  pushedOf,
  redeemedOf,
  signInsOf,
  WHOLE_REQUEST,
} from "../../contracts/_server_records.ts";

const NOT_STRINGS: readonly unknown[] = [null, undefined, "", 7, 7n, true, new Uint8Array([7])];
const NOT_TIMES: readonly unknown[] = [null, undefined, "7", 7n, new Date(7), NaN, Infinity];
const NOT_ARRAYS: readonly unknown[] = [null, undefined, "openid", '["openid"]', {}, [7], [null]];
const NOT_OBJECTS: readonly unknown[] = [null, undefined, "{}", 7];

const STRING = "a non-empty string";
const TIME = "a number of seconds";
const ARRAY = "an array of strings";

/** An authorization, as a store that returns it. */
const SEEN: Authorization = {
  ...pendingOf("a1"),
  request: WHOLE_REQUEST,
  seen: { authTime: CREATED, sessionId: "s1" },
};
const PUSHED = pushedOf("a1");
const PENDING = pendingOf("a1");
const ISSUED = issuedOf("a1");
const REDEEMED = redeemedOf("a1", "g1");
const SIGN_INS = signInsOf("a1");
const DEVICE = devicePendingOf("a1");
const ALLOWED_DEVICE = deviceIssuedOf("a1");

/** Members that decide, of a state, and what they must not be. */
const DECIDING: readonly (readonly [
  path: string,
  authorization: Authorization,
  type: string,
  others: readonly unknown[],
])[] = [
  ["id", PENDING, STRING, NOT_STRINGS],
  ["issuer", PENDING, STRING, NOT_STRINGS],
  ["clientId", ISSUED, STRING, NOT_STRINGS],
  ["createdAt", PENDING, TIME, NOT_TIMES],
  ["expiresAt", ISSUED, TIME, NOT_TIMES],
  ["expiresAt", REDEEMED, TIME, NOT_TIMES],
  ["state", PENDING, "one of its states", [
    ...NOT_STRINGS,
    "Pending",
    "redeemed ",
    "__proto__",
  ]],
  ["browser", PENDING, STRING, NOT_STRINGS],
  ["uriHash", PUSHED, STRING, NOT_STRINGS],
  ["request", PUSHED, "an object", NOT_OBJECTS],
  ["request.redirectUri", PUSHED, STRING, NOT_STRINGS],
  ["request", PENDING, "an object", NOT_OBJECTS],
  ["request", ISSUED, "an object", NOT_OBJECTS],
  ["request.redirectUri", PENDING, STRING, NOT_STRINGS],
  ["request.redirectUri", ISSUED, STRING, NOT_STRINGS],
  ["request.codeChallenge", ISSUED, STRING, NOT_STRINGS],
  ["request.scope", PENDING, ARRAY, NOT_ARRAYS],
  ["request.prompt", PENDING, ARRAY, NOT_ARRAYS],
  ["request.acrValues", PENDING, ARRAY, NOT_ARRAYS],
  [
    "request.resources",
    PENDING,
    ARRAY,
    NOT_ARRAYS.filter((value) => value !== undefined && value !== null),
  ],
  ["request.maxAge", PENDING, TIME, ["7", 7n, NaN, Infinity, true]],
  ["request.dpopJkt", ISSUED, STRING, ["", 7, true, {}]],
  ["seen", SEEN, "an object", [null, "{}", 7]],
  ["seen.authTime", SEEN, TIME, NOT_TIMES], // any other time would be a new sign-in
  ["seen.sessionId", SEEN, STRING, NOT_STRINGS.filter((value) => value !== undefined)],
  ["codeHash", ISSUED, STRING, NOT_STRINGS],
  ["codeHash", REDEEMED, STRING, NOT_STRINGS],
  ["scope", ISSUED, ARRAY, NOT_ARRAYS],
  ["subject", ISSUED, "an object", NOT_OBJECTS],
  ["subject.sub", ISSUED, STRING, NOT_STRINGS],
  ["subject.securityStamp", ISSUED, STRING, NOT_STRINGS],
  ["subject.authTime", ISSUED, TIME, NOT_TIMES],
  ["subject.amr", ISSUED, ARRAY, NOT_ARRAYS],
  ["grantId", REDEEMED, STRING, NOT_STRINGS],
  ["clientId", REDEEMED, STRING, NOT_STRINGS],
  ["sub", SIGN_INS, STRING, NOT_STRINGS],
  ["signIns", SIGN_INS, "an array", [undefined, null, {}, "s1", 0]],
  ["codeHash", DEVICE, STRING, NOT_STRINGS],
  ["codeHash", ALLOWED_DEVICE, STRING, NOT_STRINGS],
  ["codeHash", { ...REDEEMED, state: "denied" }, STRING, ["", 7, true]],
  ["browser", DEVICE, STRING, ["", 7, true]], // whoever enters the code would take it from a browser
  ["request", DEVICE, "an object", NOT_OBJECTS],
  ["request.scope", DEVICE, ARRAY, NOT_ARRAYS],
  ["request.resources", ALLOWED_DEVICE, ARRAY, ["openid", {}, [7]]],
  ["scope", ALLOWED_DEVICE, ARRAY, NOT_ARRAYS],
  ["subject", ALLOWED_DEVICE, "an object", NOT_OBJECTS],
  ["subject.sub", ALLOWED_DEVICE, STRING, NOT_STRINGS],
];

for (const [path, authorization, type, others] of DECIDING) {
  const name = `${path} of a ${authorization.state} authorization`;
  Deno.test(`checkedAuthorizations() rejects a ${name} that is not ${type}`, async () => {
    for (const value of others) {
      const store = storeOf({ authorization: replaced(authorization, path, value), version: "1" });
      const message = `the stored ${path.split(".").at(-1)} must be ${type}`;
      await assertRejects(() => store.find("a1"), TypeError, message, String(value));
    }
  });
}

Deno.test("checkedAuthorizations() rejects sign-ins without a client or a session", async () => {
  for (const value of NOT_STRINGS) {
    for (
      const signIn of [
        { clientId: value, sessionId: "s1" },
        { clientId: "c", sessionId: value },
        null,
      ]
    ) {
      const signIns = [...SIGN_INS.signIns, signIn as SignIn];
      const store = storeOf({ authorization: { ...SIGN_INS, signIns }, version: "1" });
      await assertRejects(() => store.find("a1"), TypeError, "must be a non-empty string");
    }
  }
});

Deno.test("checkedAuthorizations() rejects a record without a version, or without an authorization", async () => {
  for (const version of NOT_STRINGS) {
    const store = storeOf({ authorization: PENDING, version: version as string });
    await assertRejects(() => store.find("a1"), TypeError, "the stored version");
  }
  for (const authorization of NOT_OBJECTS) {
    const store = storeOf({ authorization: authorization as Authorization, version: "1" });
    await assertRejects(() => store.find("a1"), TypeError, "the stored record");
  }
});

Deno.test("checkedAuthorizations() accepts every state, and columns that do not decide", async () => {
  const request = {
    ...WHOLE_REQUEST,
    maxAge: null,
    dpopJkt: null,
    loginHint: null,
    isAcrEssential: 0,
    more: 1,
  };
  const { id, issuer, clientId, createdAt, expiresAt } = PENDING;
  const denied = { state: "denied", id, issuer, clientId, createdAt, expiresAt };
  const records: readonly unknown[] = [
    PUSHED,
    PENDING,
    SEEN,
    ISSUED,
    REDEEMED,
    SIGN_INS,
    DEVICE,
    { ...DEVICE, browser: null },
    ALLOWED_DEVICE,
    denied,
    { ...denied, grantId: null, codeHash: null },
    { ...PENDING, request, ip: "192.0.2.1" },
    { ...PENDING, seen: undefined },
    { ...PENDING, seen: { authTime: 0 } },
    { ...ISSUED, scope: [], subject: { ...ISSUED.subject, acr: null, sessionId: null } },
  ];
  for (const record of records) {
    const stored = { authorization: record as Authorization, version: "1" };
    assertEquals(await storeOf(stored).find("a1"), stored);
  }
});

Deno.test("checkedAuthorizations() passes every call to the store", async () => {
  const { authorizations } = inMemoryAuthStores({ now: () => CREATED });
  const store = checkedAuthorizations(authorizations);
  assertEquals(await store.find("a1"), null);
  await store.create(ISSUED);
  await assertRejects(() => store.create(ISSUED), Error, "taken");
  const { version = "" } = await store.find("a1") ?? {};
  assertEquals(await store.update(REDEEMED, version), "updated");
  assertEquals(await store.update(ISSUED, version), "lost");
  assertEquals((await authorizations.find("a1"))?.authorization, REDEEMED);
});

const CLIENT: RegisteredClient = { ...clientOf("c1"), version: "1" };

Deno.test("checkedAuthorizations() and checkedClients() find nothing if the store returns another record", async () => {
  const { authorizations } = inMemoryAuthStores({ now: () => CREATED });
  await authorizations.create(ISSUED);
  const codes = checkedAuthorizations({
    ...authorizations,
    find: (id) => authorizations.find(id.toLowerCase()), // as a database that ignores case
  });
  assertEquals((await codes.find("a1"))?.authorization, ISSUED);
  assertEquals(await codes.find("A1"), null);
  const clients = checkedClients({ find: () => Promise.resolve(CLIENT) });
  assertEquals(await clients.find("c1"), CLIENT);
  assertEquals(await clients.find("C1"), null);
});

Deno.test("checkedClients() does not ask the store for an id that no client can have", async () => {
  const asked: string[] = [];
  const clients = checkedClients({
    find(clientId) {
      asked.push(clientId);
      return Promise.resolve(null);
    },
  });
  for (const clientId of ["", "a b", "é", "\0", "a".repeat(201), "a".repeat(200)]) {
    assertEquals(await clients.find(clientId), null);
  }
  assertEquals(asked, ["a".repeat(200)]);
});

/** Members that decide about a client, and what they must not be. */
const DECIDING_OF_CLIENT: readonly (readonly [
  member: keyof RegisteredClient,
  type: string,
  others: readonly unknown[],
])[] = [
  ["clientId", STRING, NOT_STRINGS],
  ["name", STRING, NOT_STRINGS],
  ["type", "web or native", [...NOT_STRINGS, "Web", "browser"]],
  ["authentication", "one of its methods", [...NOT_STRINGS, "None", "client_secret_jwt"]],
  ["redirectUris", ARRAY, NOT_ARRAYS],
  ["grants", ARRAY, NOT_ARRAYS],
  ["secretHashes", ARRAY, ["hash", '["hash"]', {}, [7], [null], 0, false]],
  ["scope", ARRAY, ["openid", "openid notes:read", {}, [7], [null], 0, false]],
  ["postLogoutRedirectUris", ARRAY, ["https://shop.example/", {}, [7], [null], 0, false]],
  ["introspects", ARRAY, ["https://api.example", {}, [7], [null], 0, false]],
  ["jwks", "a JWK Set", ["{}", 7, {}, [], { keys: null }, { keys: "[]" }, { keys: {} }]],
  ["jwksUri", STRING, ["", 7, 7n, true, {}]],
  ["expiresAt", TIME, ["7", 7n, NaN, Infinity, true, new Date(7)]],
];

for (const [member, type, others] of DECIDING_OF_CLIENT) {
  Deno.test(`checkedClients() rejects a ${member} that is not ${type}`, async () => {
    for (const value of others) {
      const store = clientsOf({ ...CLIENT, [member]: value });
      const message = `Cannot use client: the stored ${member} must be ${type}`;
      await assertRejects(() => store.find("c1"), TypeError, message, String(value));
    }
  });
}

Deno.test("checkedClients() accepts columns that do not decide, and members that it does not know", async () => {
  const patch = {
    secretHashes: null,
    jwks: null,
    jwksUri: null,
    scope: null,
    postLogoutRedirectUris: null,
    introspects: null,
    clientUri: null,
    firstParty: 0,
    disabled: 1,
    registeredAt: "2026-11-27",
    owner: "u1",
  };
  const client: unknown = { ...CLIENT, ...patch };
  assertEquals<unknown>(await clientsOf(client as RegisteredClient).find("c1"), client);
});

Deno.test("checkedClients() finds what the store finds", async () => {
  const { clients } = inMemoryAuthStores();
  const store = checkedClients(clients);
  assertEquals(await store.find("c1"), null);
  await clients.create(clientOf("c1"));
  assertEquals(await store.find("c1"), await findClient(clients, "c1"));
});

const DISABLED: readonly [why: string, disabled: unknown, expected: boolean][] = [
  ["SQLite and MySQL: a number", 1, true],
  ["a string column", "true", true],
  ["PostgreSQL's letter", "t", true],
  ["a string that means no, which is not interpreted", "false", true],
  ["the time of disabling", new Date(CREATED * 1_000), true],
  ["SQLite and MySQL: zero", 0, false],
  ["a column that was never set", null, false],
  ["a record without the member", undefined, false],
  ["a boolean", false, false],
];
for (const [why, disabled, expected] of DISABLED) {
  Deno.test(`isClientDisabled() is ${expected} of ${typeof disabled} ${disabled}: ${why}`, () => {
    const client: unknown = { ...CLIENT, disabled };
    assertEquals(isClientDisabled(client as RegisteredClient), expected);
  });
}

/** A store that finds one record, whatever its type. */
function storeOf(found: StoredAuthorization): AuthorizationStore {
  const unused = () => Promise.reject(new Error("only find() reads"));
  return checkedAuthorizations({
    create: unused,
    update: unused,
    find: () => Promise.resolve(found),
  });
}

function clientsOf(client: RegisteredClient): Pick<ClientStore, "find"> {
  return checkedClients({ find: () => Promise.resolve(client) });
}

/** A record with another value of a member: `request.scope`. */
function replaced<Value extends object>(record: Value, path: string, value: unknown): Value {
  const [member = "", ...rest] = path.split(".");
  const inner: unknown = Reflect.get(record, member);
  const next = rest.length === 0 || typeof inner !== "object" || inner === null
    ? value
    : replaced(inner, rest.join("."), value);
  return { ...record, [member]: next };
}
