/** The checks of one field. */

import {
  authorizationAllowed,
  type AuthorizationContext,
  authorizationDenied,
  type AuthorizationManager,
  type Principal,
} from "@gatehouse/http/auth";
import { Authenticated, Authorize, protectSchema } from "@gatehouse/http/auth/graphql";
import { assert, assertEquals } from "@std/assert";
import { untyped } from "../../router/_helpers.ts";
import { codesOf, createUsers, QUIET, run, testBoth, type Users } from "./_schemas.ts";

const NOW = 1_000_000;
const SDL = `
  type Item { a(x: Int, f: Filter): String b: String! }
  input Filter { q: String n: [Int] }
  type Query { item: Item items: [Item] again: Item }
`;
const ITEM = { a: "secret a", b: "secret b" };
const ROOT = { item: ITEM, items: Array(50).fill(ITEM), again: ITEM };

/** A manager that records what it is asked. */
function recorder(
  answer: AuthorizationManager["authorize"] = () => authorizationAllowed(),
): AuthorizationManager & {
  readonly asked: (readonly [Principal | undefined, AuthorizationContext])[];
} {
  const asked: (readonly [Principal | undefined, AuthorizationContext])[] = [];
  return {
    asked,
    authorize(principal, context) {
      asked.push([principal, context]);
      return answer(principal, context);
    },
  };
}

/** The principal of a request, and the code of a field that requires something of it. */
const PRINCIPALS: readonly (readonly [
  why: string,
  principal: NonNullable<ReturnType<Users["known"]["get"]>>,
  requires: Parameters<typeof Authenticated>[0],
  code: string | undefined,
  reason?: string,
])[] = [
  ["all methods", { amr: ["pwd", "otp", "mfa"] }, { amr: ["otp", "pwd"] }, undefined],
  ["one method missing", { amr: ["pwd"] }, { amr: ["pwd", "otp"] }, "UNAUTHENTICATED"],
  ["the context", { acr: "gold" }, { acr: ["gold"] }, undefined],
  ["another context", { acr: "bronze" }, { acr: ["gold", "silver"] }, "UNAUTHENTICATED"],
  ["no methods", {}, { amr: ["pwd"] }, "UNAUTHENTICATED"],
  ["a sign-in at the limit", { authTime: NOW - 300 }, { maxAge: 300 }, undefined],
  ["a sign-in past the limit", { authTime: NOW - 301 }, { maxAge: 300 }, "UNAUTHENTICATED"],
  ["a sign-in in the future, within skew", { authTime: NOW + 300 }, { maxAge: 1 }, undefined],
  ["an unknown time", { authTime: 0 }, { maxAge: 2_000_000 }, "UNAUTHENTICATED"],
  ["a scope where none is named", { scope: ["a"] }, {}, "FORBIDDEN", "insufficient_scope"],
  ["an empty scope", { scope: [] }, {}, "FORBIDDEN", "insufficient_scope"],
  ["any scope", { scope: [] }, { scope: "any" }, undefined],
  ["the scopes", { scope: ["a", "b", "c"] }, { scope: ["b", "a"] }, undefined],
  ["one scope missing", { scope: ["a"] }, { scope: ["a", "b"] }, "FORBIDDEN", "insufficient_scope"],
  ["no limit of scopes", {}, { scope: ["a"] }, undefined],
];

for (const [why, principal, requires, code, reason = "insufficient_authentication"] of PRINCIPALS) {
  testBoth(`Authenticated() of a principal with ${why}`, async (version) => {
    const users = createUsers({ now: () => NOW });
    users.known.set("ada", principal);
    const schema = version.module.buildSchema(SDL);
    protectSchema(schema, { rules: { Item: { a: Authenticated(requires) } }, ...QUIET });
    const source = "{ item { a } items { a } }";
    const contextValue = await users.as("ada");
    const answer = await run(version, schema, { source, rootValue: ROOT, contextValue });
    assertEquals([...new Set(Object.values(codesOf(answer)))], code === undefined ? [] : [code]);
    assertEquals(answer.data.item.a, code === undefined ? "secret a" : null);
    const denied = { type: "authz.denied", at: NOW, reason, sub: "ada", route: "Item.a" };
    assertEquals<readonly unknown[]>(users.events, code === undefined ? [] : [denied]); // once, not for each element
  });
}

testBoth(
  "Authenticated() of several declarations requires all, and their scopes add up",
  async (version) => {
    const users = createUsers({ now: () => NOW });
    const schema = version.module.buildSchema(SDL);
    const declarations = [Authenticated({ scope: ["b"] }), Authenticated({ amr: ["otp"] })];
    const rules = { Item: { "*": Authenticated({ scope: ["a"] }), a: declarations } };
    protectSchema(schema, { rules, ...QUIET });
    const codeFor = async (principal: Parameters<Users["known"]["set"]>[1]) => {
      users.known.set("ada", principal);
      const contextValue = await users.as("ada");
      return codesOf(
        await run(version, schema, { source: "{ item { a } }", rootValue: ROOT, contextValue }),
      );
    };
    assertEquals(await codeFor({ amr: ["otp"], scope: ["a", "b"] }), {});
    assertEquals(await codeFor({ amr: ["otp"], scope: ["a"] }), { "item.a": "FORBIDDEN" });
    assertEquals(await codeFor({ scope: ["a", "b"] }), { "item.a": "UNAUTHENTICATED" });
  },
);

testBoth(
  "Authorize() passes metadata, type, field, arguments and request to the manager, and no parent",
  async (version) => {
    const manager = recorder();
    const users = createUsers({ manager });
    const schema = version.module.buildSchema(SDL);
    const metadata = { action: "read" };
    protectSchema(schema, { rules: { Item: { a: Authorize(metadata) } }, ...QUIET });
    const contextValue = await users.as("ada");
    const source = "query ($x: Int) { item { aliased: a(x: $x) } }";
    const variableValues = { x: 3 };
    await run(version, schema, { source, rootValue: ROOT, contextValue, variableValues });
    const [[principal, context] = []] = manager.asked;
    assertEquals(principal?.sub, "ada");
    assert(context?.metadata === metadata && context.transport.kind === "graphql");
    const { request, args, ...place } = context.transport;
    assertEquals(place, { kind: "graphql", type: "Item", field: "a" });
    assertEquals([request === contextValue.request, { ...args }], [true, { x: 3 }]);
  },
);

const ANSWERS:
  readonly (readonly [why: string, answer: () => unknown, code: string | undefined])[] = [
    ["allows", () => authorizationAllowed(), undefined],
    ["allows later", () => Promise.resolve(authorizationAllowed()), undefined],
    ["denies", () => authorizationDenied("secret reason"), "FORBIDDEN"],
    ["denies later", () => Promise.resolve(authorizationDenied("secret reason")), "FORBIDDEN"],
    ["throws", () => fail(), "INTERNAL_SERVER_ERROR"],
    ["rejects", () => Promise.reject(new Error("secret url")), "INTERNAL_SERVER_ERROR"],
    ["rejects with nothing", () => Promise.reject(), "INTERNAL_SERVER_ERROR"],
    ["returns nothing", () => undefined, "INTERNAL_SERVER_ERROR"],
    ["returns true", () => true, "INTERNAL_SERVER_ERROR"],
    ["returns another status", () => ({ status: "yes" }), "INTERNAL_SERVER_ERROR"],
    ["returns nothing later", () => Promise.resolve(null), "INTERNAL_SERVER_ERROR"],
  ];

function fail(): never {
  throw new Error("secret url");
}

for (const [why, answer, code] of ANSWERS) {
  testBoth(`Authorize() with a manager that ${why}`, async (version) => {
    const users = createUsers({ manager: { authorize: untyped(answer) } });
    const schema = version.module.buildSchema(SDL);
    protectSchema(schema, { rules: { Item: { a: Authorize(1), b: Authorize(2) } }, ...QUIET });
    const source = "{ item { a } again { b } }";
    const contextValue = await users.as("ada");
    const result = await run(version, schema, { source, rootValue: ROOT, contextValue });
    if (code === undefined) {
      assertEquals(result, { data: { item: { a: "secret a" }, again: { b: "secret b" } } });
      return;
    }
    const message = code === "FORBIDDEN" ? "Access denied" : "Internal error";
    assertEquals(result.data, { item: { a: null }, again: null }); // `b` is not nullable
    assertEquals(
      result.errors?.map(({ message, path, extensions }) => ({ message, path, extensions })),
      [
        { message, path: ["item", "a"], extensions: { code } },
        { message, path: ["again", "b"], extensions: { code } },
      ],
    );
    assertEquals(JSON.stringify(result).includes("secret"), false);
    assertEquals(users.events.length, code === "FORBIDDEN" ? 2 : 0);
    const failures = users.warnings.filter((warning) =>
      warning.startsWith("Cannot authorize Item.")
    );
    assertEquals(failures.length, code === "FORBIDDEN" ? 0 : 2);
  });
}

testBoth(
  "Authorize() calls the manager after Authenticated(), and for nobody only with allowAnonymous",
  async (version) => {
    const manager = recorder(() => authorizationDenied("closed"));
    const users = createUsers({ manager });
    const rules = {
      Item: { a: [Authorize("a"), Authenticated()], b: Authorize("b", { allowAnonymous: true }) },
      Query: { again: [Authorize("1"), Authorize("2", { allowAnonymous: true })] },
    };
    const schema = protectSchema(version.module.buildSchema(SDL), { rules, ...QUIET });
    const ask = async (sub?: string) => {
      const operation = { source: "{ item { a b } again { a } }", rootValue: ROOT };
      return codesOf(
        await run(version, schema, { ...operation, contextValue: await users.as(sub) }),
      );
    };
    assertEquals(await ask(), {
      "item.a": "UNAUTHENTICATED",
      "item.b": "FORBIDDEN",
      again: "UNAUTHENTICATED",
    });
    assertEquals(manager.asked.map(([who, { metadata }]) => [who, metadata]), [[undefined, "b"]]);
    assertEquals(new Set(Object.values(await ask("bad"))), new Set(["UNAUTHENTICATED"]));
    assertEquals(manager.asked.length, 1); // an invalid credential does not count as none
  },
);
