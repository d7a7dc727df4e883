import {
  chain,
  cookiePolicy,
  inMemoryAuthStores,
  sessionCookieStrategy,
  sessionService,
  type StrategyResult,
} from "@gatehouse/http";
import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { activeSessionOf } from "../../../auth/session/cookie_strategy.ts";
import { untyped } from "../../router/_helpers.ts";
import { setDisabled, START, type WithAda, withAda } from "../_services.ts";
import { keyStrategy } from "../_strategies.ts";

const cookies = cookiePolicy();

Deno.test("sessionCookieStrategy() returns no-credential without a cookie", async () => {
  const { authenticate } = await createStrategy();
  assertEquals(await authenticate(undefined), { status: "no-credential" });
  assertEquals(await authenticate(""), { status: "no-credential" });
  assertEquals(await authenticate("theme=dark; sid=x; __Secure-sid=x; X__Host-sid=x"), {
    status: "no-credential",
  });
});

Deno.test("sessionCookieStrategy() creates the principal of a session", async () => {
  const { authenticate, tokens, clock } = await createStrategy();
  clock.now += 120;
  const result = await authenticate(`a=b; __Host-sid=${tokens[0]}`);
  assert(result.status === "authenticated");
  const { sessionId, ...principal } = result.principal;
  assertEquals(principal, { sub: "u1", method: "session", amr: ["pwd"], authTime: START });
  assertEquals(activeSessionOf(result.principal)?.session.id, sessionId);
  assertEquals(activeSessionOf(result.principal)?.user.identifier, "ada@example.org");
  assert(Object.isFrozen(result.principal));
});

Deno.test("sessionCookieStrategy() returns the acr of the session", async () => {
  const { sessions, authenticate, before } = await createStrategy();
  const { sub, securityStamp } = before;
  const { token } = await sessions.create({
    ...{ sub, securityStamp, authTime: START - 60, amr: ["hwk"], acr: "2" },
  });
  const result = await authenticate(`__Host-sid=${token}`);
  assert(result.status === "authenticated");
  const { acr, amr, authTime } = result.principal;
  assertEquals([acr, amr, authTime], ["2", ["hwk"], START - 60]);
});

Deno.test("sessionCookieStrategy() is frozen, and uses its clock", async () => {
  const { sessions, authenticate, before, clock, strategy } = await createStrategy();
  assert(Object.isFrozen(strategy));
  clock.now = 5_000_000_000; // the machine's clock would reject an authTime of that year
  const { token } = await sessions.create({ ...before, authTime: clock.now, amr: ["pwd"] });
  assertEquals((await authenticate(`__Host-sid=${token}`)).status, "authenticated");
});

const FAILURES: readonly (readonly [
  why: string,
  field: (tokens: readonly string[]) => string,
  code: string,
])[] = [
  ["an unknown token", () => "__Host-sid=" + "A".repeat(43), "session_expired"],
  ["a malformed token", () => "__Host-sid=made-up", "session_expired"],
  ["an empty cookie", () => "__Host-sid=", "session_expired"],
  ["a token of 4 KB", () => "__Host-sid=" + "A".repeat(4096), "session_expired"],
  ["a token in quotes", ([token]) => `__Host-sid="${token}"`, "session_expired"],
  ["a duplicate cookie", ([a, b]) => `__Host-sid=${a}; __Host-sid=${b}`, "session_ambiguous"],
  [
    "a duplicate cookie with the same value",
    ([a]) => `__Host-sid=${a}; x=1; __Host-sid=${a}`,
    "session_ambiguous",
  ],
  ["a second, empty cookie", ([a]) => `__Host-sid=${a}; __Host-sid=`, "session_ambiguous"],
];

for (const [why, field, code] of FAILURES) {
  Deno.test(`sessionCookieStrategy() fails at ${why}`, async () => {
    const { authenticate, tokens } = await createStrategy();
    const result = await authenticate(field(tokens));
    assert(result.status === "failed");
    assertEquals(result.code, code);
    assertEquals(result.message.includes(tokens[0] ?? ""), false);
  });
}

const ENDS: readonly (readonly [why: string, end: (services: WithAda) => unknown])[] = [
  ["revoked", ({ sessions, tokens }) => sessions.revokeToken(tokens[0] ?? "")],
  ["idle for too long", ({ clock }) => clock.now += 3_600],
  ["over", ({ clock }) => clock.now += 86_400],
  ["of a disabled user", ({ stores }) => setDisabled(stores)],
  ["of a deleted user", ({ accounts }) => accounts.remove("u1")],
];

for (const [why, end] of ENDS) {
  Deno.test(`sessionCookieStrategy() fails at a session that is ${why}`, async () => {
    const services = await createStrategy();
    const field = `__Host-sid=${services.tokens[0]}`;
    assertEquals((await services.authenticate(field)).status, "authenticated");
    await end(services);
    const result = await services.authenticate(field);
    assertEquals(result.status === "failed" && result.code, "session_expired");
  });
}

Deno.test("sessionCookieStrategy() halts the chain at an expired session", async () => {
  const { strategy } = await createStrategy();
  const key = keyStrategy();
  const headers = { Cookie: "__Host-sid=dead", "X-Key": "good" };
  const request = new Request("https://example.com/", { headers });
  assertEquals((await chain([strategy, key]).authenticate({ request })).status, "failed");
  assertEquals(key.asked.length, 0);
});

Deno.test("sessionCookieStrategy() rejects with the error of the store", async () => {
  const broken = () => Promise.reject(new Error("The database is down"));
  const { authenticate } = await createStrategy({ verify: broken });
  await assertRejects(() => authenticate("__Host-sid=a"), Error, "The database is down");
  assertEquals((await authenticate(undefined)).status, "no-credential");
});

Deno.test("sessionCookieStrategy() reads the cookie that the policy names", async () => {
  const { sessions, tokens } = await withAda();
  const shared = cookiePolicy({ domain: "example.com", warn: () => {} });
  const strategy = sessionCookieStrategy({ sessions, cookies: shared });
  assertEquals(strategy.scheme, { type: "cookie", name: "__Secure-sid" });
  const ask = async (field: string) => {
    const request = new Request("https://example.com/", { headers: { Cookie: field } });
    return (await strategy.authenticate({ request })).status;
  };
  assertEquals(await ask(`__Secure-sid=${tokens[0]}`), "authenticated");
  assertEquals(await ask(`__Host-sid=${tokens[0]}`), "no-credential");
});

Deno.test("sessionCookieStrategy() creates a principal for each request", async () => {
  const { authenticate, tokens } = await createStrategy();
  const [one, two] = await Promise.all(tokens.map((token) => authenticate(`__Host-sid=${token}`)));
  assert(one?.status === "authenticated" && two?.status === "authenticated");
  assertNotEquals(one.principal.sessionId, two.principal.sessionId);
  assertEquals(activeSessionOf({ ...one.principal }), undefined, "a copy has no session");
});

Deno.test("sessionCookieStrategy() rejects options without sessions or cookies", () => {
  const sessions = sessionService(inMemoryAuthStores());
  for (const options of [{}, { sessions }, { cookies }, { sessions: {}, cookies }]) {
    assertThrows(
      () => sessionCookieStrategy(untyped(options)),
      TypeError,
      "Cannot create session strategy: sessions or cookies are missing",
    );
  }
});

interface Made extends WithAda {
  readonly strategy: ReturnType<typeof sessionCookieStrategy>;
  authenticate(field: string | undefined): Promise<StrategyResult>;
}

async function createStrategy(
  given?: Pick<WithAda["sessions"], "verify">,
): Promise<Made> {
  const services = await withAda();
  const now = () => services.clock.now;
  const strategy = sessionCookieStrategy({ sessions: given ?? services.sessions, cookies, now });
  return {
    ...services,
    strategy,
    async authenticate(field) {
      const headers: HeadersInit = field === undefined ? {} : { Cookie: field };
      const request = new Request("https://example.com/", { headers });
      return await strategy.authenticate({ request });
    },
  };
}
