/** Options and services of registerAuth(). */

import {
  apiKeyService,
  Auth,
  AUTH_RUNTIME,
  AuthError,
  type AuthEvent,
  type AuthOptions,
  AUTHORIZATION_MANAGER,
  authorizationAllowed,
  authorizationDenied,
  type AuthRuntime,
  type Container,
  createContainer,
  createRouter,
  type Credential,
  defaultContainer,
  generateOpenAPI,
  getAuthRuntime,
  inject,
  inMemoryAuthStores,
  type IssuedTokens,
  json,
  type JwtOptions,
  type RefreshFamily,
  registerAuth,
  token,
  type TokenRuntime,
  withAuthRoutes,
} from "@gatehouse/http";
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { credentialOf } from "../../contracts/_races.ts";
import { codeOf, untyped } from "../../router/_helpers.ts";
import { decode } from "../_decode.ts";
import {
  ADA,
  fail,
  NOBODY,
  OTHER_PASSWORD,
  PASSWORD,
  refusal,
  SECRET,
  START,
  types,
} from "../_services.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";
import { present, refreshTokenOf } from "../tokens/_tokens.ts";
import { createTestApp, ORIGIN, type TestApp, type TestAppOptions } from "./_app.ts";
import { WEBAUTHN } from "./_passkeys.ts";
import { JWT } from "./_token_routes.ts";

const stores = inMemoryAuthStores();

function optionsOf(rest: object = {}): AuthOptions {
  return { secret: SECRET, stores, container: createContainer(), warn: () => {}, ...rest };
}

/** Invalid options, and the messages. */
const WRONG: readonly (readonly [why: string, options: unknown, message: string])[] = [
  ["no options", undefined, "options must be an object"],
  ["null", null, "options must be an object"],
  ["a string", "secret", "options must be an object"],
  [
    "an option named like a property of every object",
    optionsOf({ valueOf: 1 }),
    "unknown option valueOf",
  ],
  ["an unknown option", optionsOf({ secrets: SECRET }), "unknown option secrets"],
  [
    "an option in another case",
    optionsOf({ trustedorigins: [] }),
    "unknown option trustedorigins",
  ],
  ["no secret", optionsOf({ secret: undefined }), "is its environment variable set?"],
  ["an empty array of secrets", optionsOf({ secret: [] }), "the array of secrets is empty"],
  ["a number as secret", optionsOf({ secret: 1 }), "the secret must be a string"],
  [
    "an array with an invalid secret",
    optionsOf({ secret: [SECRET, null] }),
    "a secret must be a string",
  ],
  ["no stores", optionsOf({ stores: undefined }), "stores.users is missing"],
  ["null as stores", optionsOf({ stores: null }), "stores.users is missing"],
  ["no users", optionsOf({ stores: { sessions: stores.sessions } }), "stores.users is missing"],
  ["no sessions", optionsOf({ stores: { users: stores.users } }), "stores.sessions is missing"],
  [
    "users that are not a store",
    optionsOf({ stores: { ...stores, users: {} } }),
    "stores.users is missing",
  ],
  [
    "no throttle store",
    optionsOf({ stores: { users: stores.users, sessions: stores.sessions } }),
    'stores.throttle is missing; pass it, or throttle: "insecureSkip"',
  ],
  ["false as throttle", optionsOf({ throttle: false }), "throttle must be an object of rules or"],
  ["null as throttle", optionsOf({ throttle: null }), "throttle must be an object of rules or"],
  ["an unknown rule", optionsOf({ throttle: { adress: {} } }), "option adress"],
  [
    "false as csrf",
    optionsOf({ csrf: false }),
    'csrf must be "origin", "token" or "insecureSkip"',
  ],
  ["another string as csrf", optionsOf({ csrf: "none" }), 'csrf must be "origin", "token" or'],
  [
    "another authorizationPolicy",
    optionsOf({ authorizationPolicy: "Required" }),
    'authorizationPolicy must be "optional" or "required"',
  ],
  ["true as authorizationPolicy", optionsOf({ authorizationPolicy: true }), 'must be "optional"'],
  ["an invalid header field for csrf", optionsOf({ csrfHeader: "X CSRF" }), ""],
  ["strategies that are not an array", optionsOf({ strategies: "session" }), ""],
  ["an invalid strategy", optionsOf({ strategies: [{}] }), "strategies[0] must have a name"],
  [
    "null in strategies",
    optionsOf({ strategies: [keyStrategy(), null] }),
    "strategies[1] must have",
  ],
  ["a function as strategy", optionsOf({ strategies: [() => true] }), "and authenticate()"],
  [
    "a challenge with a line break",
    optionsOf({ strategies: [keyStrategy({ challenge: "a\nb" })] }),
    "",
  ],
  ["a header field with a space", optionsOf({ strategies: [keyStrategy({ field: "X Key" })] }), ""],
  ["an invalid name of cookies", optionsOf({ cookie: { name: "a b" } }), "Cannot name cookies"],
  ["an empty name of cookies", optionsOf({ cookie: { name: "" } }), "Cannot name cookies"],
  ["an invalid manager", optionsOf({ authorization: {} }), "manager has no authorize()"],
  ["null as manager", optionsOf({ authorization: null }), "manager has no authorize()"],
  ["a function as manager", optionsOf({ authorization: () => true }), "no authorize()"],
  ["an invalid container", optionsOf({ container: {} }), "the container has no has()"],
  [
    "a container without register()",
    optionsOf({ container: { has: () => false } }),
    "no register()",
  ],
  ["null as container", optionsOf({ container: null }), "the container has no has()"],
  ["an unknown limit", optionsOf({ session: { idel: 300 } }), "unknown option idel"],
  [
    "an unknown persistent limit",
    optionsOf({ session: { persistent: { max: 1 } } }),
    "unknown option max",
  ],
  ["a misspelled rule of passwords", optionsOf({ passwordPolicy: { minLenght: 8 } }), "minLenght"],
  ["a misspelled limit of hashing", optionsOf({ hashing: { runing: 1 } }), "unknown option runing"],
  ["an unknown option of cookies", optionsOf({ cookie: { secure: false } }), "option secure"],
  [
    "a misspelled store",
    optionsOf({ stores: { ...inMemoryAuthStores(), refreshToken: {} } }),
    "unknown option refreshToken",
  ],
  [
    "sameSite in another case",
    optionsOf({ cookie: { sameSite: "lax" } }),
    "sameSite must be Strict",
  ],
  ["an invalid domain", optionsOf({ cookie: { domain: "a b" } }), "domain must be a host name"],
  ["an origin with a path", optionsOf({ trustedOrigins: ["https://a.example/"] }), "Cannot trust"],
  ["any origin", optionsOf({ trustedOrigins: ["*"] }), "Cannot trust origin"],
  [
    "an invalid proxy",
    optionsOf({ deployment: { proxies: ["localhost"] } }),
    "Cannot trust proxies",
  ],
  [
    "a clientAddress that is not a function",
    optionsOf({ deployment: { clientAddress: "1.2.3.4" } }),
    "deployment must be",
  ],
  ["one strategy", optionsOf({ strategies: keyStrategy }), "strategies must be an array"],
  ["null as events", optionsOf({ events: null }), "events must be a function"],
  ["events that are not a function", optionsOf({ events: {} }), "events must be a function"],
  ["warn that is not a function", optionsOf({ warn: console }), "warn must be a function"],
  ["now that is not a function", optionsOf({ now: 1_700_000_000 }), "now must be a function"],
  ["an invalid hasher", optionsOf({ hasher: {} }), "a hasher has no hash() or no verify()"],
  [
    "a hasher without verify()",
    optionsOf({ hasher: { hash: () => "" } }),
    "no hash() or no verify()",
  ],
  ["an empty array of hashers", optionsOf({ hasher: [] }), "hasher must not be empty"],
  ["true as webauthn", optionsOf({ webauthn: true }), "rpId must be a domain"],
  ["null as webauthn", optionsOf({ webauthn: null }), "rpId must be a domain"],
  [
    "an unknown option of webauthn, as other packages name it",
    optionsOf({ webauthn: { ...WEBAUTHN, origin: ORIGIN } }),
    "unknown option origin",
  ],
  [
    "a misspelt requirement of webauthn, which would count as omitted",
    optionsOf({ webauthn: { ...WEBAUTHN, atestation: "direct" } }),
    "unknown option atestation",
  ],
  [
    "webauthn without origins",
    optionsOf({ webauthn: { ...WEBAUTHN, origins: undefined } }),
    "origins must be a non-empty array",
  ],
  [
    "webauthn with an address as rpId",
    optionsOf({ webauthn: { ...WEBAUTHN, rpId: "192.0.2.1" } }),
    "rpId must be a domain",
  ],
  [
    "an attestation of webauthn that nobody judges",
    optionsOf({ webauthn: { ...WEBAUTHN, attestation: "direct" } }),
    '"direct" needs verifyAttestation',
  ],
];

for (const [why, options, message] of WRONG) {
  Deno.test(`registerAuth() rejects ${why}, and registers nothing`, () => {
    const error = assertThrows(() => registerAuth(untyped<never>(options)), TypeError, message);
    assertEquals(error.message.includes(SECRET), false);
    const { container } = Object(options);
    if (typeof container?.has !== "function") return;
    assertEquals([AUTH_RUNTIME, AUTHORIZATION_MANAGER].map(container.has), [false, false]);
  });
}

/** Numbers that are out of range. */
const BOUNDS: readonly (readonly [why: string, options: object])[] = [
  ["a secret of 31 bytes", { secret: "a".repeat(31) }],
  ["a secret of one letter", { secret: "a".repeat(32) }],
  ["a secret of documentation", { secret: "a secret of at least 32 bytes, kept" }],
  ["a short secret after a long one", { secret: [SECRET, "short"] }],
  ["a limit of zero", { session: { absolute: 0 } }],
  ["a limit in milliseconds", { session: { absolute: 86_400_000 } }],
  ["an idle limit longer than the absolute one", { session: { absolute: 60, idle: 61 } }],
  ["an invalid persistent limit", { session: { persistent: { absolute: NaN } } }],
  ["a timeout of webauthn in milliseconds", { webauthn: { ...WEBAUTHN, timeout: 300_000 } }],
];

for (const [why, rest] of BOUNDS) {
  Deno.test(`registerAuth() rejects ${why} as out of range`, () => {
    const options = optionsOf(rest);
    const error = assertThrows(() => registerAuth(options), RangeError);
    assertEquals(error.message.includes(SECRET), false);
    assertEquals(options.container?.has(AUTH_RUNTIME), false);
  });
}

Deno.test("registerAuth() accepts a secret of 32 bytes, whatever the number of characters", () => {
  assert(registerAuth(optionsOf({ secret: "0123456789abcdef".repeat(2) })));
  assert(registerAuth(optionsOf({ secret: "àáâãäåæçèéêëìíîï" })));
});

Deno.test("registerAuth() accepts undefined for every optional option", () => {
  const names = ["strategies", "authorization", "session", "hasher", "hashing", "passwordPolicy"];
  names.push("throttle", "cookie", "csrf", "csrfHeader", "trustedOrigins", "deployment");
  names.push("events", "warn", "now", "jwt", "webauthn");
  const rest = Object.fromEntries(names.map((name) => [name, undefined]));
  const { runtime } = { runtime: registerAuth(optionsOf(rest)) };
  assertEquals([runtime.csrfRule, runtime.csrf.header], ["origin", "X-CSRF-Token"]);
  assertEquals(runtime.strategy.strategies.map(({ name }) => name), ["session"]);
  assertEquals([runtime.tokens, runtime.webauthn], [undefined, undefined]);
});

Deno.test("registerAuth() rejects a second registration, and keeps the first", () => {
  const options = optionsOf();
  const { container = defaultContainer } = options;
  const runtime = registerAuth(options);
  assertThrows(() => registerAuth(options), TypeError, "the container has it");
  assertEquals(getAuthRuntime(container), runtime);
  assertNotEquals(registerAuth(optionsOf()), runtime, "another container accepts another runtime");
});

Deno.test("registerAuth() returns a frozen runtime", () => {
  const runtime = registerAuth(optionsOf());
  assert(Object.isFrozen(runtime) && Object.isFrozen(runtime.strategy.strategies));
  assertThrows(() => Object.assign(runtime, { csrfRule: "insecureSkip" }), TypeError);
});

Deno.test("registerAuth() reads its options once", async () => {
  const strategies = [keyStrategy()];
  const options = { ...optionsOf(), strategies };
  const runtime = registerAuth(options);
  strategies.length = 0;
  Object.assign(options, { csrf: "insecureSkip", authorization: managerOf(() => true) });
  const router = withAuthRoutes(createRouter(), { runtime }).get("/", () => json(1));
  assertEquals((await router.request("/", { headers: { "X-Key": "good" } })).status, 200);
});

Deno.test("registerAuth() accepts any object with the container's methods", async () => {
  const inner = new Map<unknown, unknown>();
  const container: Container = {
    register(token, provider) {
      inner.set(token, "useValue" in provider ? provider.useValue : undefined);
    },
    resolve: <T>(token: unknown) => inner.get(token) as T,
    has: (token) => inner.has(token),
  };
  const manager = managerOf(() => authorizationAllowed());
  const { runtime, router, signedIn } = createTestApp({ container, authorization: manager });
  assertEquals(inner.get("auth.Runtime"), runtime);
  assertEquals(inner.get("auth.AuthorizationManager"), manager);
  assertEquals(getAuthRuntime(container), runtime);
  router.get("/asked", () => json(1), { authorization: { metadata: 1 } });
  assertEquals((await (await signedIn()).send("/asked")).status, 200);
});

Deno.test("registerAuth() calls the manager that the container creates, with its injected dependencies", async () => {
  const LIMIT = token<string>("limit");
  class Manager {
    readonly #limit = inject(LIMIT);
    authorize(_: unknown, { metadata }: { metadata: unknown }) {
      return metadata === this.#limit ? authorizationAllowed() : authorizationDenied("over");
    }
  }
  const container = createContainer();
  const { router, signedIn } = createTestApp({ container });
  router.get("/in", () => json(1), { authorization: { metadata: "ten" } })
    .get("/over", () => json(1), { authorization: { metadata: "eleven" } });
  container.register(AUTHORIZATION_MANAGER, { useClass: Manager }); // after the runtime
  container.register(LIMIT, { useValue: "ten" });
  const client = await signedIn();
  assertEquals((await client.send("/in")).status, 200);
  assertEquals(await codeOf(client.send("/over")), [403, "access_denied"]);
});

Deno.test("registerAuth() keeps the container's manager after the first call", async () => {
  const app = createTestApp();
  app.router.get("/asked", () => json(1), { authorization: { metadata: 1 } });
  const client = await app.signedIn();
  app.container.register(AUTHORIZATION_MANAGER, {
    useValue: managerOf(() => authorizationDenied("")),
  });
  assertEquals((await client.send("/asked")).status, 403);
  app.container.register(AUTHORIZATION_MANAGER, {
    useValue: managerOf(() => authorizationAllowed()),
  });
  assertEquals((await client.send("/asked")).status, 403);
});

Deno.test("registerAuth() rejects managers both in the options and in the container", async () => {
  const container = createContainer();
  const allows = { useValue: managerOf(() => authorizationAllowed()) };
  container.register(AUTHORIZATION_MANAGER, allows);
  const authorization = managerOf(() => authorizationDenied("no"));
  assertThrows(
    () => registerAuth(optionsOf({ container, authorization })),
    TypeError,
    "both the container and the options have an authorization manager",
  );
  assertEquals(container.has(AUTH_RUNTIME), false);
  const app = createTestApp({ authorization });
  app.container.register(AUTHORIZATION_MANAGER, allows);
  app.router.get("/asked", () => json(1), { authorization: { metadata: 1 } });
  assertEquals((await (await app.signedIn()).send("/asked")).status, 403);
});

Deno.test("Auth() decorates classes, and registers when the class is defined", () => {
  const container = createContainer();
  const decorate = Auth(optionsOf({ container }));
  assertEquals(container.has(AUTH_RUNTIME), false);
  assertThrows(() => untyped<(target: unknown) => void>(decorate)({}), TypeError);
  assertEquals(container.has(AUTH_RUNTIME), false);
  @Auth(optionsOf({ container }))
  class Application {}
  assertEquals([container.has(AUTH_RUNTIME), container.has(Application)], [true, false]);
});

// API keys of an application that passes its stores to `registerAuth()`.

for (const name of ["disable", "remove"] as const) {
  Deno.test(`registerAuth() makes users.${name}() revoke API keys`, async () => {
    const stores = inMemoryAuthStores();
    const { users } = registerAuth({ secret: SECRET, stores, container: createContainer() });
    for (const sub of ["u1", "u2"]) {
      const user = { sub, identifier: `${sub}.ada`, securityStamp: "s1", createdAt: START };
      await stores.users.create(user);
    }
    const apiKeys = apiKeyService(stores);
    const { key } = await apiKeys.create("u1");
    const other = await apiKeys.create("u2");
    await users[name]("u1");
    assertEquals(await stores.apiKeys.list("u1"), []);
    if (name === "disable") await users.enable("u1");
    assertEquals(await apiKeys.verify(key), undefined);
    assert(await apiKeys.verify(other.key) !== undefined);
  });
}

// The options in `jwt`, one by one.

/** An authentication of Ada, `u1`. */
const STAMPED = { sub: "u1", securityStamp: "s1", authTime: START, amr: ["pwd"] };

interface Bench {
  readonly runtime: TokenRuntime;
  readonly clock: { now: number };
  readonly events: AuthEvent[];
  readonly warnings: string[];
  issue(): Promise<IssuedTokens>;
}

async function createBench(
  jwt: Partial<JwtOptions> = {},
  listen: (event: AuthEvent) => void = () => {},
): Promise<Bench> {
  const stores = inMemoryAuthStores({ now: () => 0 });
  await stores.users.create({
    sub: "u1",
    identifier: "ada",
    securityStamp: "s1",
    createdAt: START,
  });
  const clock = { now: START };
  const events: AuthEvent[] = [];
  const warnings: string[] = [];
  const runtime = registerAuth({
    secret: SECRET,
    deployment: "direct",
    stores,
    container: createContainer(),
    now: () => clock.now,
    events: (event) => {
      events.push(event);
      listen(event);
    },
    warn: (message) => void warnings.push(message),
    jwt: { ...JWT, ...jwt },
  });
  return { runtime, clock, events, warnings, issue: () => runtime.tokens.issue(STAMPED) };
}

const CLIENTS: readonly (readonly [why: string, jwt: Partial<JwtOptions>, clientId: string])[] = [
  ["the audience by default", {}, JWT.audience],
  ["the configured clientId", { clientId: "notes-app" }, "notes-app"],
];

for (const [why, jwt, clientId] of CLIENTS) {
  Deno.test(`registerAuth() issues tokens to a client: ${why}`, async () => {
    const { issue } = await createBench(jwt);
    const { client_id, aud, iss } = decode((await issue()).accessToken).claims;
    assertEquals([client_id, aud, iss], [clientId, JWT.audience, JWT.issuer]);
  });
}

/** Keys sign for an hour, or longer if access tokens have a longer lifetime. */
const LIFETIMES: readonly (readonly [lifetime: number | undefined, longest: number])[] = [
  [undefined, 3_600],
  [600, 3_600],
  [3_600, 3_600],
  [3_601, 3_601],
  [172_800, 172_800],
];

for (const [lifetime, longest] of LIFETIMES) {
  Deno.test(`registerAuth() allows keys to sign for ${longest} s if the lifetime of tokens is ${lifetime ?? "the default"}`, async () => {
    const { issue, runtime: { tokens: { keys } } } = await createBench({ lifetime });
    assertEquals((await issue()).expiresIn, lifetime ?? 600);
    await keys.sign({ sub: "u1" }, { expiresIn: longest });
    await assertRejects(() => keys.sign({ sub: "u1" }, { expiresIn: longest + 1 }), RangeError);
  });
}

Deno.test("registerAuth() generates keys for the configured algorithms, and the first one signs", async () => {
  const { issue, runtime: { tokens } } = await createBench({ algorithms: ["EdDSA", "ES256"] });
  const { accessToken } = await issue();
  assertEquals(decode(accessToken).header["alg"], "EdDSA");
  const { keys } = await tokens.keys.jwks();
  assertEquals(keys.map(({ alg }) => alg).sort(), ["ES256", "EdDSA"]);
  assertEquals((await present(tokens, accessToken)).status, "authenticated");
});

const ROTATIONS: readonly (readonly [rotateAfter: number | undefined, keys: number])[] = [
  [undefined, 1],
  [86_400, 2],
];

for (const [rotateAfter, count] of ROTATIONS) {
  Deno.test(`registerAuth() has ${count} keys a day after the first one if rotateAfter is ${rotateAfter}`, async () => {
    const { issue, clock, events, runtime: { tokens } } = await createBench({ rotateAfter });
    await issue();
    clock.now += 86_400 - 60;
    assertEquals((await tokens.keys.jwks()).keys.length, count);
    assertEquals(events.map(({ type }) => type), Array(count).fill("key.rotated"));
    assertEquals(events.at(-1)?.at, count === 1 ? START : clock.now);
  });
}

/** Lifetimes of refresh tokens, by the configured limits. */
const LIMITS: readonly (readonly [
  why: string,
  refresh: JwtOptions["refresh"],
  after: number,
  isGood: boolean,
])[] = [
  ["before 14 days by default", undefined, 1_209_599, true],
  ["at 14 days by default", undefined, 1_209_600, false],
  ["before the configured lifetime", { lifetime: 60 }, 59, true],
  ["at the configured lifetime", { lifetime: 60 }, 60, false],
  ["before the family's lifetime", { familyLifetime: 100 }, 99, true],
  ["at the family's lifetime", { familyLifetime: 100 }, 100, false],
];

for (const [why, refresh, after, isGood] of LIMITS) {
  Deno.test(`registerAuth() applies the limits of refresh tokens: ${why}`, async () => {
    const { issue, clock, runtime: { tokens } } = await createBench({ refresh });
    const first = refreshTokenOf(await issue());
    clock.now += after;
    const attempt = tokens.refresh(first);
    if (!isGood) return void await assertRejects(() => attempt);
    const result = await present(tokens, (await attempt).accessToken);
    assertEquals(result.status, "authenticated"); // all by the same clock
  });
}

Deno.test("registerAuth() warns of listeners that fail on token events", async () => {
  const { issue, warnings, events, runtime: { tokens } } = await createBench({}, () => {
    throw new Error("full");
  });
  await tokens.refresh(refreshTokenOf(await issue()));
  assertEquals(events.map(({ type }) => type), ["key.rotated", "refresh.rotated"]);
  assertEquals(warnings.length, 2);
  for (const { type } of events) assert(warnings.some((warning) => warning.includes(type)), type);
});

Deno.test("registerAuth() checks in the store whether a token's user still has access", async () => {
  const open = new Set(["u1"]);
  const { issue, runtime: { tokens } } = await createBench({ accept: ({ sub }) => open.has(sub) });
  const { accessToken } = await issue();
  assertEquals((await present(tokens, accessToken)).status, "authenticated");
  open.clear();
  const result = await present(tokens, accessToken);
  assert(result.status === "failed");
  assertEquals([result.code, result.message], ["invalid_token", "not_accepted"]);
});

Deno.test("registerAuth() does not read the users of tokens if accept is insecureSkip", async () => {
  const { issue, runtime: { tokens, users } } = await createBench({ accept: "insecureSkip" });
  const { accessToken } = await issue();
  await users.remove("u1");
  assertEquals((await present(tokens, accessToken)).status, "authenticated");
});

for (const accept of [true, "skip", null, {}]) {
  Deno.test(`registerAuth() rejects accept: ${JSON.stringify(accept)}`, async () => {
    await assertRejects(
      () => createBench({ accept: untyped(accept) }),
      TypeError,
      "accept must be",
    );
  });
}

for (const store of ["keys", "refreshTokens"] as const) {
  Deno.test(`registerAuth() rejects jwt without stores.${store}`, () => {
    const stores = { ...inMemoryAuthStores(), [store]: undefined };
    const make = () =>
      registerAuth({
        secret: SECRET,
        stores: untyped(stores),
        deployment: "direct",
        container: createContainer(),
        jwt: JWT,
      });
    assertThrows(make, TypeError, "jwt needs stores.keys and stores.refreshTokens");
  });
}

// The option `webauthn`.

for (const store of ["credentials", "states"] as const) {
  Deno.test(`registerAuth() rejects webauthn without stores.${store}`, () => {
    const rest = { stores: { ...stores, [store]: undefined }, webauthn: WEBAUTHN };
    const options = optionsOf(rest);
    const message = "webauthn needs stores.credentials and stores.states";
    assertThrows(() => registerAuth(options), TypeError, message);
    assertEquals(options.container?.has(AUTH_RUNTIME), false);
  });
}

Deno.test("registerAuth() creates the passkey service with its clock, events, keys and throttle", async () => {
  const challenge = { kind: "window", limit: 1, seconds: 60 } as const;
  const { runtime, clock, events } = createTestApp({
    throttle: { challenge },
    webauthn: { ...WEBAUTHN, maxAge: 60, identified: true },
  });
  const { webauthn } = runtime;
  assert(webauthn !== undefined);
  assertEquals([webauthn.rpId, webauthn.maxAge, webauthn.signUp], ["example.com", 60, false]);
  clock.now += 7;
  const client = { address: "192.0.2.1" };
  const options = { browser: "b", client, identifier: "nobody" };
  const { allowCredentials } = await webauthn.authenticationOptions(options);
  assert(allowCredentials.length > 0, "decoys, by the keys");
  assertEquals((await refusal(() => webauthn.authenticationOptions(options))).code, "throttled");
  await refusal(() => webauthn.verifyAuthentication({}, { browser: "b" }));
  const at = START + 7;
  assertEquals(events.map((event) => [event.type, event.at]), [
    ["login.throttled", at],
    ["webauthn.failed", at],
  ]);
});

Deno.test("registerAuth() without a throttle does not count ceremonies", async () => {
  const { webauthn } = createTestApp({ throttle: "insecureSkip", webauthn: WEBAUTHN }).runtime;
  assert(webauthn !== undefined);
  for (let i = 0; i < 600; i++) { // more than the default rule allows
    await webauthn.authenticationOptions({ browser: "b", client: { address: "192.0.2.1" } });
  }
});

Deno.test("AUTH_RUNTIME is the documented name", () => {
  assertEquals(AUTH_RUNTIME, "auth.Runtime");
});

Deno.test("getAuthRuntime() returns the registered runtime, or explains how to register one", () => {
  const { container, runtime } = createTestApp();
  assertEquals(getAuthRuntime(container), runtime);
  for (const empty of [createContainer(), defaultContainer]) {
    assertThrows(
      () => getAuthRuntime(empty),
      TypeError,
      "Cannot find authentication: call registerAuth() first, or pass the option runtime",
    );
  }
});

Deno.test("AuthRuntime calls strategies in order, with the session cookie last", () => {
  const { runtime } = createTestApp({ strategies: [keyStrategy(), keyStrategy({ name: "b" })] });
  assertEquals(runtime.strategy.strategies.map(({ name }) => name), ["key", "b", "session"]);
});

/** What a secret signs, and whether it is valid after a rotation of the secret. */
const SECRET_ROTATIONS: readonly (readonly [
  why: string,
  next: string | readonly string[],
  holds: boolean,
])[] = [
  ["the same secret", SECRET, true],
  ["a new one before it", ["another secret that only the tests know", SECRET], true],
  ["a new one after it", [SECRET, "another secret that only the tests know"], true],
  ["a new one instead of it", "another secret that only the tests know", false],
];

for (const [why, secret, holds] of SECRET_ROTATIONS) {
  Deno.test(`AuthRuntime after a restart with ${why}: session, token and device ${holds ? "stay valid" : "become invalid"}`, async () => {
    const stores = inMemoryAuthStores({ now: () => 0 });
    const first = createTestApp({ stores, csrf: "token" });
    const client = first.browser();
    await client.register();
    const token = await client.token();
    const second = createTestApp({ stores, csrf: "token", secret });
    const other = second.browser();
    for (const name of client.jar.names()) other.jar.set(name, client.jar.get(name) ?? "");
    assertEquals((await other.send("/me")).status, 200, "sessions do not depend on the secret");
    const response = await other.send("/notes", { method: "POST", json: {}, token });
    assertEquals(response.status, holds ? 201 : 403);
    const request = new Request(ORIGIN, { headers: { Cookie: client.jar.field() } });
    const known = second.runtime.client(request);
    assertEquals(known.device, client.jar.get("__Host-dev"));
    assertEquals(await isKnownBrowser(second, known), holds);
  });
}

Deno.test("AuthRuntime applies the given limits of sessions, and the given clock", async () => {
  const app = createTestApp({ session: { absolute: 100, idle: 50 } });
  const client = await app.signedIn();
  app.clock.now += 49;
  assertEquals((await client.send("/me")).status, 200);
  app.clock.now += 49;
  assertEquals((await client.send("/me")).status, 200);
  app.clock.now += 2;
  assertEquals(await codeOf(client.send("/me")), [401, "session_expired"]);
  assertEquals(app.events.map(({ type, at }) => [type, at]), [
    ["session.expired", START + 100],
    ["credential.refused", START + 100],
  ]);
});

Deno.test("AuthRuntime passes clock, events and warnings to every service", async () => {
  const app = createTestApp({ cookie: { domain: "example.com" } });
  const { runtime, events, warnings, clock } = app;
  assertEquals(warnings.length, 1, "the warning about the cookie's domain");
  assertEquals([runtime.now(), runtime.events === undefined], [START, false]);
  clock.now += 7;
  const authentication = await runtime.passwords.createUser({ ...ADA }, { sub: "u1" });
  await runtime.sessions.create(authentication);
  await refusal(() => runtime.passwords.verify({ ...ADA, password: "x" }, { address: undefined }));
  await refusal(() => runtime.csrf.check(new Request(ORIGIN, { method: "POST" })));
  await runtime.users.remove("u1");
  assertEquals(types(events), [
    "user.created",
    "session.created",
    "login.failed",
    "csrf.failed",
    "user.removed",
  ]);
  assertEquals(events.every(({ at }) => at === START + 7), true);
});

Deno.test("AuthRuntime handles requests even if the listener fails, and warns", async () => {
  const app = createTestApp({
    strategies: [keyStrategy()],
    events: () => {
      throw new Error("The log is full");
    },
  });
  const headers = { "X-Key": "bad" };
  assertEquals(await codeOf(app.router.request("/me", { headers })), [401, "invalid_key"]);
  assertMatch(app.warnings.join(), /credential\.refused/);
});

Deno.test("AuthRuntime responds 500 if the clock returns milliseconds, and creates no infinite session", async () => {
  const app = createTestApp({ now: () => START * 1000 });
  const client = app.browser();
  client.jar.set("__Host-sid", "A".repeat(43));
  assertFalse((await client.send("/me")).ok);
  assertFalse((await app.browser().register()).ok);
});

Deno.test("AuthRuntime without a throttle counts nothing, and sets no device cookie", async () => {
  const { stores, ...app } = createTestApp({ throttle: "insecureSkip" });
  assertEquals(app.runtime.throttle, undefined);
  const client = app.browser();
  await client.register();
  assertFalse(client.jar.names().includes("__Host-dev"));
  const wrong = { ...ADA, password: "wrong" };
  await fail(20, () => app.runtime.passwords.verify(wrong, { address: "192.0.2.1" }));
  assertEquals((await client.login()).status, 200);
  const { throttle: _, ...without } = stores;
  const options = { secret: SECRET, container: createContainer(), stores: without };
  assert(registerAuth({ ...options, throttle: "insecureSkip" }));
});

Deno.test("AuthRuntime applies the given rules of the throttle", async () => {
  const client = { kind: "window", limit: 2, seconds: 60 } as const;
  const { runtime, clock } = createTestApp({ throttle: { client } });
  await runtime.passwords.createUser({ ...ADA });
  const wrong = { ...ADA, password: "x" };
  const codeOfAttempt = async () =>
    (await refusal(() => runtime.passwords.verify(wrong, { address: "192.0.2.1" }))).code;
  assertEquals(await codeOfAttempt(), "invalid_credentials");
  assertEquals(await codeOfAttempt(), "invalid_credentials");
  assertEquals(await codeOfAttempt(), "throttled");
  clock.now += 60;
  assertEquals(await codeOfAttempt(), "invalid_credentials");
});

/** The client, by the properties of the request. */
const REQUEST_CLIENTS: readonly (readonly [
  why: string,
  options: TestAppOptions,
  headers: Record<string, string>,
  args: readonly unknown[],
  address: string | undefined,
])[] = [
  [
    "Deno.serve",
    {},
    {},
    [{ remoteAddr: { transport: "tcp", hostname: "192.0.2.7" } }],
    "192.0.2.7",
  ],
  ["Bun", {}, {}, [{ requestIP: () => ({ address: "192.0.2.8" }) }], "192.0.2.8"],
  ["nobody", {}, {}, [], undefined],
  [
    "a header field that anyone can send",
    {},
    { "X-Forwarded-For": "203.0.113.1" },
    [{ remoteAddr: { transport: "tcp", hostname: "192.0.2.7" } }],
    "192.0.2.7",
  ],
  [
    "a trusted proxy",
    { deployment: { proxies: ["192.0.2.0/24"] } },
    { "X-Forwarded-For": "203.0.113.1" },
    [{ remoteAddr: { transport: "tcp", hostname: "192.0.2.7" } }],
    "203.0.113.1",
  ],
  [
    "a custom reader",
    { deployment: { clientAddress: ({ headers }) => headers.get("X-Real") ?? undefined } },
    { "X-Real": "203.0.113.9" },
    [],
    "203.0.113.9",
  ],
];

for (const [why, options, headers, args, address] of REQUEST_CLIENTS) {
  Deno.test(`client() determines the address by ${why}`, () => {
    const { runtime } = createTestApp(options);
    const request = new Request(ORIGIN, { headers });
    assertEquals(runtime.client(request, ...args), { address });
    assertEquals(runtime.client({ raw: request }, ...args), { address });
  });
}

const WARNED: readonly [why: string, options: TestAppOptions, warned: number][] = [
  ["no deployment", { deployment: undefined }, 1],
  ["no deployment and no throttle", { deployment: undefined, throttle: "insecureSkip" }, 0],
  ["direct clients", { deployment: "direct" }, 0],
  ["proxies", { deployment: { proxies: ["10.0.0.0/8"] } }, 0],
];
for (const [why, options, warned] of WARNED) {
  Deno.test(`registerAuth() warns ${warned} times at the start, and never of a request, with ${why}`, () => {
    const { runtime, warnings } = createTestApp(options);
    const remoteAddr = { transport: "tcp", hostname: "192.0.2.7" };
    runtime.client(new Request(ORIGIN), { remoteAddr });
    assertEquals(warnings.length, warned);
    for (const warning of warnings) assert(warning.includes("deployment is missing"), warning);
  });
}

Deno.test("client() accepts a device cookie only if it occurs once", () => {
  const { runtime } = createTestApp();
  const deviceOf = (Cookie: string) =>
    runtime.client(new Request(ORIGIN, { headers: { Cookie } })).device;
  assertEquals(deviceOf("__Host-dev=a"), "a");
  assertEquals(deviceOf("__Host-dev=a; __Host-dev=b"), undefined);
  assertEquals(deviceOf("dev=a"), undefined);
});

Deno.test("routes() returns the routes of the runtime, without registration if the runtime disables it", () => {
  const { runtime } = createTestApp();
  const pathsOf = (routes = runtime.routes()) => routes.map(({ path }) => path);
  assertEquals(pathsOf(), ["/register", "/login", "/logout", "/session", "/csrf"]);
  assertEquals(pathsOf(runtime.routes({ registration: "closed" })), pathsOf().slice(1));
  assertThrows(() => runtime.routes({ registration: "no" as "open" }), TypeError, "registration");
});

Deno.test("integration() can omit the routes, or registration only", async () => {
  const none = createTestApp({ integration: { routes: false } });
  assertEquals((await none.browser().send("/auth/csrf")).status, 404);
  const closed = createTestApp({ integration: { routes: { registration: "closed" } } });
  assertEquals((await closed.browser().send("/auth/csrf")).status, 200);
  assertEquals((await closed.browser().register()).status, 404);
});

Deno.test("integration() documents what guards require", () => {
  const app = createTestApp({
    strategies: [keyStrategy({ name: "robots" })],
    authorization: { authorize: () => ({ status: "allowed" }) },
  });
  app.router.get("/asked", () => json(1), { authorization: { metadata: 1 } });
  const { components, paths } = generateOpenAPI({ title: "t", version: "1" }, app.router);
  assertEquals(Object.values(components?.securitySchemes ?? {}), [
    { type: "apiKey", in: "header", name: "X-Key" },
    { type: "apiKey", in: "cookie", name: "__Host-sid" },
  ]);
  const [key = "", session = ""] = Object.keys(components?.securitySchemes ?? {});
  const either = [{ [key]: [] }, { [session]: [] }];
  const seen = ["/me", "/maybe", "/public", "/asked"].map((path) => {
    const { security, responses } = paths[path]?.get ?? {};
    return [security, Object.keys(responses ?? {}).filter((status) => /^40/.test(status))];
  });
  assertEquals<unknown>(seen, [
    [either, ["401"]],
    [[...either, {}], ["401"]],
    [[], []],
    [either, ["401", "403"]],
  ]);
});

/** Whether the throttle counts a device separately: unknown devices have exhausted the account's limit. */
async function isKnownBrowser(
  { runtime }: TestApp,
  client: { readonly address: string | undefined },
): Promise<boolean> {
  const wrong = { ...ADA, password: "wrong" };
  const strangers = { address: "203.0.113.5" };
  const attempt = (by: typeof client) => refusal(() => runtime.passwords.verify(wrong, by));
  for (let i = 0; i < 8; i++) await attempt(strangers);
  assertEquals((await attempt(strangers)).code, "throttled");
  return (await attempt({ ...client, address: strangers.address })).code === "invalid_credentials";
}

// What is revoked with a password, a session or an account: in every store of the application.

const CHANGE = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };

/** Operations that revoke access. */
const ENDS: readonly (readonly [why: string, end: (runtime: AuthRuntime) => Promise<unknown>])[] = [
  ["change()", ({ passwords }) => passwords.change("u1", CHANGE, NOBODY)],
  ["reset()", ({ passwords }) => passwords.reset("u1", OTHER_PASSWORD)],
  ["revokeAll()", ({ sessions }) => sessions.revokeAll("u1")],
  ["disable()", ({ users }) => users.disable("u1")],
  ["remove()", ({ users }) => users.remove("u1")],
];

for (const [why, end] of ENDS) {
  Deno.test(`AuthRuntime revokes refresh tokens by ${why}, and no others`, async () => {
    const { runtime, stores } = await createApp();
    await end(runtime);
    const families = await Promise.all(["f1", "f9"].map((id) => stores.refreshTokens.find(id)));
    assertEquals(families.map((family) => family?.revoked), [true, false]);
  });
}

Deno.test("AuthRuntime removes passkeys with the account, and no others", async () => {
  const { runtime, stores } = await createApp();
  await runtime.users.remove("u1");
  assertEquals(await stores.credentials.find("c1"), null);
  assertEquals((await stores.credentials.find("c9"))?.sub, "u9");
});

Deno.test("AuthRuntime removes a password beside a passkey, and passkeys by a reset, and no others", async () => {
  const { runtime, stores } = await createApp();
  assertEquals(await runtime.passwords.remove("u1"), true);
  assertEquals((await stores.users.findBySub("u1"))?.passwordHash, undefined);
  await runtime.passwords.reset("u1", "another green bottle on a wall");
  assertEquals(await stores.credentials.find("c1"), null);
  assertEquals((await stores.credentials.find("c9"))?.sub, "u9");
  const error = await assertRejects(() => runtime.passwords.remove("u1"), AuthError);
  assertEquals(error.code, "last_way_in");
});

Deno.test("AuthRuntime revokes sessions when a password is changed or reset", async () => {
  for (const [why, end] of ENDS.slice(0, 2)) {
    const app = await createApp();
    const client = await app.signedIn();
    assertEquals((await client.send("/me")).status, 200, why);
    await end(app.runtime);
    assertEquals((await client.send("/me")).status, 401, why);
    assertEquals((await app.stores.sessions.list("u1")).length, 0, why);
  }
});

/** Ada has a session, a refresh token and a passkey, and so has another user. */
async function createApp(): Promise<TestApp> {
  const app = createTestApp();
  await app.signedIn();
  const { securityStamp = "" } = await app.stores.users.findBySub("u1") ?? {};
  for (const [id, sub] of [["1", "u1"], ["9", "u9"]] as const) {
    const family: RefreshFamily = {
      id: `f${id}`,
      sub,
      securityStamp,
      currentHash: "hash",
      generation: 0,
      revoked: false,
      createdAt: START,
      expiresAt: START + 1_000,
      familyExpiresAt: START + 10_000,
      authTime: START,
      amr: ["pwd"],
    };
    const passkey: Credential = { ...credentialOf(`c${id}`), sub };
    await app.stores.refreshTokens.create(family);
    await app.stores.credentials.create(passkey);
  }
  return app;
}
