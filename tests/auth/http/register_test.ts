import {
  Auth,
  AUTH_RUNTIME,
  type AuthOptions,
  AUTHORIZATION_MANAGER,
  authorizationAllowed,
  authorizationDenied,
  type Container,
  createContainer,
  createRouter,
  defaultContainer,
  getAuthRuntime,
  inject,
  inMemoryAuthStores,
  json,
  registerAuth,
  token,
  withAuthRoutes,
} from "@gatehouse/http";
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { codeOf, untyped } from "../../router/_helpers.ts";
import { createTestApp } from "./_app.ts";
import { SECRET } from "../_services.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";

const stores = inMemoryAuthStores();

function optionsOf(rest: object = {}): AuthOptions {
  return { secret: SECRET, stores, container: createContainer(), warn: () => {}, ...rest };
}

/** What cannot work, and what the message says of it. */
const WRONG: readonly (readonly [why: string, options: unknown, message: string])[] = [
  ["no options", undefined, "options must be an object"],
  ["null", null, "options must be an object"],
  ["a text", "secret", "options must be an object"],
  ["an option that all objects have", optionsOf({ valueOf: 1 }), "unknown option valueOf"],
  ["an unknown option", optionsOf({ secrets: SECRET }), "unknown option secrets"],
  [
    "an option in other case",
    optionsOf({ trustedorigins: [] }),
    "unknown option trustedorigins",
  ],
  ["no secret", optionsOf({ secret: undefined }), "is its environment variable set?"],
  ["an empty list of secrets", optionsOf({ secret: [] }), "the array of secrets is empty"],
  ["a number for a secret", optionsOf({ secret: 1 }), "the secret must be a string"],
  [
    "a secret in a list that is none",
    optionsOf({ secret: [SECRET, null] }),
    "a secret must be a string",
  ],
  ["no stores", optionsOf({ stores: undefined }), "stores.users is missing"],
  ["null for stores", optionsOf({ stores: null }), "stores.users is missing"],
  ["no users", optionsOf({ stores: { sessions: stores.sessions } }), "stores.users is missing"],
  ["no sessions", optionsOf({ stores: { users: stores.users } }), "stores.sessions is missing"],
  [
    "users that are no store",
    optionsOf({ stores: { ...stores, users: {} } }),
    "stores.users is missing",
  ],
  [
    "no counts",
    optionsOf({ stores: { users: stores.users, sessions: stores.sessions } }),
    'stores.throttle is missing; pass it, or throttle: "insecureSkip"',
  ],
  ["false for throttle", optionsOf({ throttle: false }), "throttle must be an object of rules or"],
  ["null for throttle", optionsOf({ throttle: null }), "throttle must be an object of rules or"],
  ["an unknown rule", optionsOf({ throttle: { adress: {} } }), "option adress"],
  [
    "false for csrf",
    optionsOf({ csrf: false }),
    'csrf must be "origin", "token" or "insecureSkip"',
  ],
  ["a word for csrf", optionsOf({ csrf: "none" }), 'csrf must be "origin", "token" or'],
  ["a field that is none", optionsOf({ csrfHeader: "X CSRF" }), ""],
  ["strategies that are no list", optionsOf({ strategies: "session" }), ""],
  ["a strategy that is none", optionsOf({ strategies: [{}] }), "strategies[0] must have a name"],
  [
    "null in strategies",
    optionsOf({ strategies: [keyStrategy(), null] }),
    "strategies[1] must have",
  ],
  ["a function as strategy", optionsOf({ strategies: [() => true] }), "and authenticate()"],
  ["a challenge in two lines", optionsOf({ strategies: [keyStrategy({ challenge: "a\nb" })] }), ""],
  ["a field with a space", optionsOf({ strategies: [keyStrategy({ field: "X Key" })] }), ""],
  ["a name of cookies that is none", optionsOf({ cookie: { name: "a b" } }), "Cannot name cookies"],
  ["an empty name of cookies", optionsOf({ cookie: { name: "" } }), "Cannot name cookies"],
  ["a manager that is none", optionsOf({ authorization: {} }), "manager has no authorize()"],
  ["null for a manager", optionsOf({ authorization: null }), "manager has no authorize()"],
  ["a function as manager", optionsOf({ authorization: () => true }), "no authorize()"],
  ["a container that is none", optionsOf({ container: {} }), "the container has no has()"],
  ["half a container", optionsOf({ container: { has: () => false } }), "no register()"],
  ["null for a container", optionsOf({ container: null }), "the container has no has()"],
  ["an unknown limit", optionsOf({ session: { idel: 300 } }), "unknown option idel"],
  [
    "an unknown persistent limit",
    optionsOf({ session: { persistent: { max: 1 } } }),
    "unknown option max",
  ],
  [
    "a misspelt store",
    optionsOf({ stores: { ...inMemoryAuthStores(), refreshToken: {} } }),
    "unknown option refreshToken",
  ],
  ["sameSite in other case", optionsOf({ cookie: { sameSite: "lax" } }), "sameSite must be Strict"],
  ["a domain that is none", optionsOf({ cookie: { domain: "a b" } }), "domain must be a host name"],
  ["an origin with a path", optionsOf({ trustedOrigins: ["https://a.example/"] }), "Cannot trust"],
  ["any origin", optionsOf({ trustedOrigins: ["*"] }), "Cannot trust origin"],
  ["a proxy that is none", optionsOf({ trustedProxies: ["localhost"] }), "Cannot trust proxies"],
  [
    "an address that is none",
    optionsOf({ clientAddress: "1.2.3.4" }),
    "clientAddress must be a function",
  ],
  ["null for a listener", optionsOf({ events: null }), "events must be a function"],
  ["a listener that is none", optionsOf({ events: {} }), "events must be a function"],
  ["a warning that is none", optionsOf({ warn: console }), "warn must be a function"],
  ["a clock that is none", optionsOf({ now: 1_700_000_000 }), "now must be a function"],
  ["a hasher that is none", optionsOf({ hasher: {} }), "a hasher has no hash() or no verify()"],
  ["half a hasher", optionsOf({ hasher: { hash: () => "" } }), "no hash() or no verify()"],
  ["no hasher", optionsOf({ hasher: [] }), "hasher must not be empty"],
];

for (const [why, options, message] of WRONG) {
  Deno.test(`registerAuth() refuses ${why}, says so, and registers nothing`, () => {
    const error = assertThrows(() => registerAuth(untyped(options)), TypeError, message);
    assertEquals(error.message.includes(SECRET), false);
    const { container } = Object(options);
    if (typeof container?.has !== "function") return;
    assertEquals([AUTH_RUNTIME, AUTHORIZATION_MANAGER].map(container.has), [false, false]);
  });
}

/** Numbers that are out of bounds. */
const BOUNDS: readonly (readonly [why: string, options: object])[] = [
  ["a secret of 31 bytes", { secret: "a".repeat(31) }],
  ["a short secret behind a long one", { secret: [SECRET, "short"] }],
  ["no time at all", { session: { absolute: 0 } }],
  ["a limit in milliseconds", { session: { absolute: 86_400_000 } }],
  ["an idle limit past the absolute one", { session: { absolute: 60, idle: 61 } }],
  ["a persistent limit that is none", { session: { persistent: { absolute: NaN } } }],
];

for (const [why, rest] of BOUNDS) {
  Deno.test(`registerAuth() refuses ${why} as out of bounds`, () => {
    const options = optionsOf(rest);
    const error = assertThrows(() => registerAuth(options), RangeError);
    assertEquals(error.message.includes(SECRET), false);
    assertEquals(options.container?.has(AUTH_RUNTIME), false);
  });
}

Deno.test("registerAuth() takes a secret of 32 bytes, however many letters they are", () => {
  assert(registerAuth(optionsOf({ secret: "a".repeat(32) })));
  assert(registerAuth(optionsOf({ secret: "ü".repeat(16) })));
});

Deno.test("registerAuth() takes undefined for every option that may be left out", () => {
  const names = ["strategies", "authorization", "session", "hasher", "hashing", "passwordPolicy"];
  names.push("throttle", "cookie", "csrf", "csrfHeader", "trustedOrigins", "trustedProxies");
  names.push("clientAddress", "events", "warn", "now");
  const rest = Object.fromEntries(names.map((name) => [name, undefined]));
  const { runtime } = { runtime: registerAuth(optionsOf(rest)) };
  assertEquals([runtime.csrfRule, runtime.csrf.header], ["origin", "X-CSRF-Token"]);
  assertEquals(runtime.strategy.strategies.map(({ name }) => name), ["session"]);
});

Deno.test("registerAuth() refuses a second registration, and keeps the first", () => {
  const options = optionsOf();
  const { container = defaultContainer } = options;
  const runtime = registerAuth(options);
  assertThrows(() => registerAuth(options), TypeError, "the container has it");
  assertEquals(getAuthRuntime(container), runtime);
  assertNotEquals(registerAuth(optionsOf()), runtime, "another container has room for another");
});

Deno.test("registerAuth() makes a runtime that nobody can change", () => {
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

Deno.test("registerAuth() takes any object that is a container", async () => {
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

Deno.test("registerAuth() asks the manager that the container makes, with what it injects", async () => {
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
  container.register(AUTHORIZATION_MANAGER, { useClass: Manager }); // later than the runtime
  container.register(LIMIT, { useValue: "ten" });
  const client = await signedIn();
  assertEquals((await client.send("/in")).status, 200);
  assertEquals(await codeOf(client.send("/over")), [403, "access_denied"]);
});

Deno.test("registerAuth() keeps the container's manager from the first question on", async () => {
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

Deno.test("registerAuth() refuses a manager beside the container's, and never lets one replace the option's", async () => {
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

Deno.test("Auth() is for classes, and registers when the class is defined", () => {
  const container = createContainer();
  const decorate = Auth(optionsOf({ container }));
  assertEquals(container.has(AUTH_RUNTIME), false);
  assertThrows(() => untyped<(target: unknown) => void>(decorate)({}), TypeError);
  assertEquals(container.has(AUTH_RUNTIME), false);
  @Auth(optionsOf({ container }))
  class Application {}
  assertEquals([container.has(AUTH_RUNTIME), container.has(Application)], [true, false]);
});
