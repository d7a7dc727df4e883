import type { AuthStrategy } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { challengeOf, isAmbient, varyOf } from "../../auth/_challenge.ts";
import { untyped } from "../router/_helpers.ts";
import { keyStrategy } from "./_strategies.ts";

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
  ["a field of its own", [key], "ApiKey", ["X-Key"]],
  ["one that does not say", [unsaid], "Session", []],
  ["one that does not say, beside another", [unsaid, bearer], "Bearer", ["Authorization"]],
  ["a challenge of its own", [basic], basic.challenge ?? "", ["Authorization"]],
  ["all, in order", [key, bearer, session], "ApiKey, Bearer, Session", [
    "X-Key",
    "Authorization",
    "Cookie",
  ]],
  ["two of a kind", [session, keyStrategy({ scheme: { type: "cookie", name: "b" } })], "Session", [
    "Cookie",
  ]],
  ["two fields", [key, keyStrategy({ field: "X-Other" })], "ApiKey", ["X-Key", "X-Other"]],
  [
    "one field written in two ways",
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
  Deno.test(`challengeOf() and varyOf() say what strategies need: ${why}`, () => {
    assertEquals(challengeOf(strategies), challenge);
    assertEquals(varyOf(strategies), vary);
  });
}

const SCHEMES: readonly (readonly [why: string, scheme: unknown, ambient: boolean])[] = [
  ["a cookie", { type: "cookie", name: "a" }, true],
  ["nothing said", undefined, true],
  ["null", null, true],
  ["Authorization, which a browser's dialog fills in", {
    type: "header",
    name: "Authorization",
  }, true],
  ["AUTHORIZATION", { type: "header", name: "AUTHORIZATION" }, true],
  ["a type of the future", { type: "client-certificate" }, true],
  ["a type misspelt", { type: "Bearer" }, true],
  ["a bearer token", { type: "bearer" }, false],
  ["a field of its own", { type: "header", name: "X-API-Key" }, false],
  ["Cookie as a field", { type: "header", name: "cookie" }, true],
  ["a field that only looks alike", { type: "header", name: "X-Authorization" }, false],
];

for (const [why, scheme, ambient] of SCHEMES) {
  Deno.test(`isAmbient() is ${ambient} for ${why}`, () => {
    assertEquals(isAmbient(untyped({ name: "s", scheme })), ambient);
  });
}

Deno.test("isAmbient() believes a strategy that says so itself", () => {
  const proxied = keyStrategy({ field: "X-Forwarded-User", ambient: true });
  const explicit = keyStrategy({
    scheme: { type: "header", name: "Authorization" },
    ambient: false,
  });
  const token = keyStrategy({ scheme: { type: "bearer" }, ambient: true });
  assertEquals([proxied, explicit, token].map(isAmbient), [true, false, true]);
});
