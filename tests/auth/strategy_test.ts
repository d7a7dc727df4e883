/** Strategies, chains, and the header fields that depend on them. */

import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { challengeOf, isAmbient, varyOf } from "../../auth/_challenge.ts";
import { createPrincipal } from "../../auth/principal.ts";
import {
  authenticated,
  authFailed,
  type AuthStrategy,
  chain,
  noCredential,
  type StrategyContext,
  type StrategyResult,
} from "../../auth/strategy.ts";
import { untyped } from "../router/_helpers.ts";
import { keyStrategy } from "./_strategies.ts";

const CONTEXT: StrategyContext = { request: new Request("https://example.com/") };
const PRINCIPAL = createPrincipal({ sub: "u1", method: "robot" });

/** A strategy that returns a given result, and records that it was called. */
function strategy(name: string, result: unknown, asked: string[] = []): AuthStrategy {
  return {
    name,
    // deno-lint-ignore require-await -- an application's async function need not await either
    async authenticate() {
      asked.push(name);
      return result as StrategyResult;
    },
  };
}

Deno.test("authenticated(), authFailed() and noCredential() return SPEC's three variants", () => {
  assertEquals(authenticated(PRINCIPAL), { status: "authenticated", principal: PRINCIPAL });
  assertEquals(authFailed("invalid_api_key", "no such key"), {
    status: "failed",
    code: "invalid_api_key",
    message: "no such key",
  });
  assertEquals(noCredential(), { status: "no-credential" });
  assert(Object.isFrozen(noCredential()));
});

for (const challenge of ["", " Bearer", "Bearer\r\nX: y", "Bearer ä", "Bearer \u{1f98a}"]) {
  Deno.test(`authFailed() rejects ${JSON.stringify(challenge)} as a challenge`, () => {
    assertThrows(() => authFailed("invalid_key", "bad", challenge), TypeError, "challenge");
  });
}

const YES = authenticated(PRINCIPAL);
const FAILED = authFailed("invalid_token", "it is bad");
const NO = noCredential();

/** The results of the strategies a, b, c, …; which of them are called; the result of the chain. */
const CHAINS: readonly [
  why: string,
  results: readonly StrategyResult[],
  asked: string,
  result: StrategyResult,
][] = [
  ["stops at the first strategy that authenticates", [YES, FAILED, NO], "a", YES],
  [
    "stops at the first strategy that fails, though a later one would authenticate",
    [FAILED, YES],
    "a",
    FAILED,
  ],
  ["continues without a credential", [NO, YES], "ab", YES],
  ["continues, and stops at a later failure", [NO, NO, FAILED, YES], "abc", FAILED],
  ["does not call a strategy after an authentication", [NO, YES, FAILED], "ab", YES],
  ["is anonymous if no strategy finds a credential", [NO, NO, NO], "abc", NO],
  ["is anonymous if the only strategy finds no credential", [NO], "a", NO],
];

for (const [why, results, asked, result] of CHAINS) {
  Deno.test(`chain() ${why}`, async () => {
    const said: string[] = [];
    const strategies = results.map((result, i) => strategy("abcd".charAt(i), result, said));
    assertEquals(await chain(strategies).authenticate(CONTEXT), result);
    assertEquals(said.join(""), asked);
  });
}

Deno.test("chain() returns the first result other than no-credential, for all results of three", async () => {
  const variants = [YES, FAILED, NO];
  for (const a of variants) {
    for (const b of variants) {
      for (const c of variants) {
        const results = [a, b, c];
        const made = chain(results.map((result) => strategy("x", result)));
        const expected = results.find(({ status }) => status !== "no-credential") ?? NO;
        assertStrictEquals((await made.authenticate(CONTEXT)).status, expected.status);
      }
    }
  }
});

Deno.test("chain() passes the same context to every strategy, and keeps its this", async () => {
  const seen: unknown[] = [];
  const own = {
    name: "own",
    authenticate(context: StrategyContext) {
      seen.push(this, context);
      return Promise.resolve(noCredential());
    },
  };
  await chain([own, own]).authenticate(CONTEXT);
  assertEquals(seen.length, 4);
  assertStrictEquals(seen[0], own);
  assertStrictEquals(seen[1], CONTEXT);
  assertStrictEquals(seen[3], CONTEXT);
});

Deno.test("chain() awaits each strategy before the next", async () => {
  const order: string[] = [];
  const slow: AuthStrategy = {
    name: "slow",
    async authenticate() {
      order.push("begin");
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push("end");
      return noCredential();
    },
  };
  await chain([slow, slow]).authenticate(CONTEXT);
  assertEquals(order, ["begin", "end", "begin", "end"]);
});

/** Invalid results of a strategy; none may let a request pass, authenticated or anonymous. */
const NO_RESULTS: readonly [why: string, result: unknown][] = [
  ["undefined", undefined],
  ["null", null],
  ["false", false],
  ["true", true],
  ["a string", "authenticated"],
  ["an empty object", {}],
  ["a principal alone", PRINCIPAL],
  ["an unknown status", { status: "anonymous" }],
  ["a status in upper case", { status: "NO-CREDENTIAL" }],
  ["a status with an underscore", { status: "no_credential" }],
  ["a status that is an array", { status: ["no-credential"] }],
  ["a status that is a String object", { status: new String("no-credential") }],
  ["authenticated without a principal", { status: "authenticated" }],
  ["authenticated as null", { status: "authenticated", principal: null }],
  ["authenticated without a sub", { status: "authenticated", principal: {} }],
  ["authenticated with an empty sub", { status: "authenticated", principal: { sub: "" } }],
  ["authenticated with a sub that is not a string", {
    status: "authenticated",
    principal: { sub: 7 },
  }],
  ["an array with a result in it", [YES]],
];

for (const [why, result] of NO_RESULTS) {
  Deno.test(`chain() rejects if a strategy returns ${why}`, async () => {
    const asked: string[] = [];
    const made = chain([strategy("a", NO), strategy("odd", result), strategy("b", YES, asked)]);
    await assertRejects(() => made.authenticate(CONTEXT), TypeError, "Cannot authenticate: ");
    assertEquals(asked, [], "A later strategy was called");
    await assertRejects(() => chain([strategy("odd", result)]).authenticate(CONTEXT), TypeError);
  });
}

for (
  const principal of [
    undefined,
    null,
    {},
    "u1",
    { sub: "" },
    { sub: 1 },
    { sub: ["u1"] },
    { sub: null },
    { sub: "u1", scope: "notes:readonly" }, // of which notes:read is a part
    { sub: "u1", scope: null },
  ]
) {
  Deno.test(`chain() rejects ${JSON.stringify(principal)} as a principal`, async () => {
    const odd = chain([strategy("odd", authenticated(principal as never))]);
    await assertRejects(() => odd.authenticate(CONTEXT), TypeError, "Cannot authenticate: ");
  });
}

Deno.test("chain() names the strategy that returned no result as a quoted string", async () => {
  const made = chain([strategy('my\n"own"', undefined)]);
  const error = await assertRejects(() => made.authenticate(CONTEXT), TypeError);
  assert(error.message.includes(String.raw`"my\n\"own\""`));
});

Deno.test("chain() rejects with what a strategy throws or rejects with", async () => {
  const failure = new Error("the store is down");
  const throws: AuthStrategy = {
    name: "throws",
    authenticate() {
      throw failure;
    },
  };
  const rejects: AuthStrategy = { name: "rejects", authenticate: () => Promise.reject(failure) };
  for (const bad of [throws, rejects]) {
    const asked: string[] = [];
    const made = chain([bad, strategy("b", YES, asked)]);
    assertStrictEquals(await assertRejects(() => made.authenticate(CONTEXT)), failure);
    assertEquals(asked, []);
  }
});

Deno.test("chain() flattens nested chains in order, at any depth", async () => {
  const asked: string[] = [];
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => strategy(name, NO, asked)) as [
    AuthStrategy,
    AuthStrategy,
    AuthStrategy,
    AuthStrategy,
  ];
  const made = chain([a, chain([chain([b]), chain([c])]), d]);
  assertEquals(made.strategies, [a, b, c, d]);
  assertEquals(made.name, "a | b | c | d");
  assertEquals(await made.authenticate(CONTEXT), NO);
  assertEquals(asked.join(""), "abcd");
});

Deno.test("chain() halts if a nested chain fails", async () => {
  const asked: string[] = [];
  const inner = chain([strategy("a", NO), strategy("b", FAILED)]);
  const made = chain([inner, strategy("c", YES, asked)]);
  assertEquals(await made.authenticate(CONTEXT), FAILED);
  assertEquals(asked, []);
});

Deno.test("chain() does not flatten a custom strategy with a member strategies", async () => {
  const yes = strategy("password", YES);
  const no = strategy("totp", NO);
  const allOf = { ...strategy("all", FAILED), strategies: [yes, no] }; // both must agree
  const made = chain([allOf]);
  assertEquals(await made.authenticate(CONTEXT), FAILED);
  assertEquals(made.strategies, [allOf]);
  const copied = { ...chain([yes]), authenticate: allOf.authenticate };
  assertEquals(await chain([copied]).authenticate(CONTEXT), FAILED);
});

Deno.test("chain() copies its array, and is frozen", async () => {
  const list = [strategy("a", FAILED)];
  const made = chain(list);
  list[0] = strategy("b", YES);
  assertEquals(await made.authenticate(CONTEXT), FAILED);
  assert(Object.isFrozen(made));
  assert(Object.isFrozen(made.strategies));
});

Deno.test("chain() keeps no state between requests", async () => {
  const byHeader: AuthStrategy = {
    name: "header",
    authenticate: ({ request }) =>
      Promise.resolve(request.headers.has("X-Robot") ? YES : noCredential()),
  };
  const made = chain([byHeader]);
  const robot = new Request("https://example.com/", { headers: { "X-Robot": "1" } });
  const results = await Promise.all(
    Array.from(
      { length: 20 },
      (_, i) => made.authenticate(i % 2 === 0 ? CONTEXT : { request: robot }),
    ),
  );
  assertEquals(
    results.map(({ status }) => status === "authenticated"),
    results.map((_, i) => i % 2 === 1),
  );
});

Deno.test("chain() rejects an empty list", () => {
  assertThrows(() => chain([]), TypeError, "Cannot chain strategies: strategies is empty");
});

/** Invalid strategies, and invalid header fields. */
const NO_STRATEGIES: readonly (readonly [why: string, given: unknown, says: string])[] = [
  ["a string", "session", "strategies must be an array"],
  ["a strategy alone", strategy("a", NO), "strategies must be an array"],
  ["null in the array", [null], "strategies[0] must have a name and authenticate()"],
  [
    "no authenticate()",
    [strategy("a", NO), { name: "b" }],
    "strategies[1] must have a name and authenticate()",
  ],
  ["no name", [{ authenticate: () => NO }], "strategies[0] must have a name and authenticate()"],
  ["a challenge with a line feed", [{ ...strategy("a", NO), challenge: "a\nb" }], ""],
  ["an invalid field name", [schemed("header", "X Key")], ""],
  ["an invalid cookie name", [schemed("cookie", "a b")], ""],
];

function schemed(type: "header" | "cookie", name: string): AuthStrategy {
  return { ...strategy("a", NO), scheme: { type, name } };
}

for (const [why, given, says] of NO_STRATEGIES) {
  Deno.test(`chain() rejects ${why}`, () => {
    assertThrows(() => chain(given as AuthStrategy[]), TypeError, says);
  });
}

const session = keyStrategy({ scheme: { type: "cookie", name: "__Host-sid" } });
const bearer = keyStrategy({ scheme: { type: "bearer" } });
const key = keyStrategy();
const basic = keyStrategy({
  scheme: { type: "header", name: "Authorization" },
  challenge: 'Basic realm="staging, north", charset="UTF-8"',
});
const unsaid = keyStrategy({ scheme: "unsaid" });

const LISTS: readonly (readonly [
  why: string,
  strategies: readonly AuthStrategy[],
  challenge: string,
  vary: readonly string[],
])[] = [
  ["none", [], "Session", []],
  ["a cookie", [session], "Session", ["Cookie"]],
  ["a bearer token", [bearer], "Bearer", ["Authorization"]],
  ["a custom header field", [key], "ApiKey", ["X-Key"]],
  ["a strategy without a scheme", [unsaid], "Session", []],
  ["a strategy without a scheme and a bearer token", [unsaid, bearer], "Bearer", ["Authorization"]],
  ["a custom challenge", [basic], basic.challenge ?? "", ["Authorization"]],
  ["all, in order", [key, bearer, session], "ApiKey, Bearer, Session", [
    "X-Key",
    "Authorization",
    "Cookie",
  ]],
  [
    "two of the same kind",
    [session, keyStrategy({ scheme: { type: "cookie", name: "b" } })],
    "Session",
    [
      "Cookie",
    ],
  ],
  ["two header fields", [key, keyStrategy({ field: "X-Other" })], "ApiKey", ["X-Key", "X-Other"]],
  [
    "one field in two spellings",
    [
      keyStrategy({ scheme: { type: "header", name: "cookie" } }),
      session,
    ],
    "ApiKey, Session",
    ["Cookie"],
  ],
  ["two in Authorization", [bearer, basic], `Bearer, ${basic.challenge}`, ["Authorization"]],
];

for (const [why, strategies, challenge, vary] of LISTS) {
  Deno.test(`challengeOf() and varyOf() return the values for strategies: ${why}`, () => {
    assertEquals(challengeOf(strategies), challenge);
    assertEquals(varyOf(strategies), vary);
  });
}

const SCHEMES: readonly (readonly [why: string, scheme: unknown, ambient: boolean])[] = [
  ["a cookie", { type: "cookie", name: "a" }, true],
  ["no scheme", undefined, true],
  ["null", null, true],
  ["Authorization, which a browser's dialog fills in", {
    type: "header",
    name: "Authorization",
  }, true],
  ["AUTHORIZATION", { type: "header", name: "AUTHORIZATION" }, true],
  ["an unknown future type", { type: "client-certificate" }, true],
  ["a misspelled type", { type: "Bearer" }, true],
  ["a bearer token", { type: "bearer" }, false],
  ["a custom header field", { type: "header", name: "X-API-Key" }, false],
  ["Cookie as a header field", { type: "header", name: "cookie" }, true],
  ["a header field with a similar name", { type: "header", name: "X-Authorization" }, false],
];

for (const [why, scheme, ambient] of SCHEMES) {
  Deno.test(`isAmbient() is ${ambient} for ${why}`, () => {
    assertEquals(isAmbient(untyped({ name: "s", scheme })), ambient);
  });
}

Deno.test("isAmbient() returns the strategy's own ambient", () => {
  const proxied = keyStrategy({ field: "X-Forwarded-User", ambient: true });
  const explicit = keyStrategy({
    scheme: { type: "header", name: "Authorization" },
    ambient: false,
  });
  const token = keyStrategy({ scheme: { type: "bearer" }, ambient: true });
  assertEquals([proxied, explicit, token].map(isAmbient), [true, false, true]);
});
