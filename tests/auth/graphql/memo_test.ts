/** How often the manager is asked, and about what. */

import {
  authorizationAllowed,
  authorizationDenied,
  type AuthorizationManager,
} from "@gatehouse/http/auth";
import { Authorize, type Declaration, protectSchema } from "@gatehouse/http/auth/graphql";
import { assertEquals } from "@std/assert";
import { codesOf, createUsers, QUIET, run, testBoth, type Version } from "./_schemas.ts";

const SDL = `
  scalar Any
  input Filter { q: String n: [Int] sub: Filter }
  type Item { a(x: Int, s: String, f: Filter, any: Any): String }
  type Query { items: [[Item]] item: Item }
`;
const ROOT = { items: Array(40).fill(Array(25).fill({ a: "a" })), item: { a: "a" } };

/** A manager that allows, counts, and answers later if told so. */
function counter(isLater = false): AuthorizationManager & { asked: number } {
  const manager = {
    asked: 0,
    authorize() {
      manager.asked++;
      return isLater ? Promise.resolve(authorizationAllowed()) : authorizationAllowed();
    },
  };
  return manager;
}

function protect({ module }: Version, declaration: Declaration, manager?: AuthorizationManager) {
  const options = { rules: { Item: { a: declaration } }, manager, ...QUIET };
  return protectSchema(module.buildSchema(SDL), options);
}

/** Documents, and how often the manager is asked. */
const DOCUMENTS: readonly (readonly [
  why: string,
  source: string,
  asked: number,
  variables?: Readonly<Record<string, unknown>>,
])[] = [
  ["a list of 1,000", "{ items { a } }", 1],
  ["two selections", "{ items { a } item { a } }", 2],
  ["two aliases", "{ items { a b: a } }", 2],
  ["merged selections", "{ items { a } items { a } ... { items { a } } }", 1],
  ["a fragment that is used twice", "{ items { ...F } item { ...F } } fragment F on Item { a }", 1],
  ["arguments", "query ($f: Filter) { items { a(x: 1, f: $f) } }", 1, {
    f: { q: "x", n: [1, 2], sub: { q: null } },
  }],
  ["an argument that has no members to compare", "query ($any: Any) { item { a(any: $any) } }", 1, {
    any: { toJSON: () => "same" },
  }],
];

for (const [why, source, asked, variableValues = {}] of DOCUMENTS) {
  for (const isLater of [false, true]) {
    testBoth(
      `Authorize() asks ${isLater ? "an asynchronous" : "the"} manager ${asked} times for ${why}`,
      async (version) => {
        const manager = counter(isLater);
        const contextValue = await createUsers({ manager }).as("ada");
        const schema = protect(version, Authorize("a"));
        const operation = { source, rootValue: ROOT, contextValue, variableValues };
        assertEquals(codesOf(await run(version, schema, operation)), {});
        assertEquals(manager.asked, asked);
      },
    );
  }
}

testBoth(
  "Authorize() asks about each set of arguments, whatever the context and the document",
  async (version) => {
    const allowed = JSON.stringify({ x: 1 });
    let asked = 0;
    const manager: AuthorizationManager = {
      authorize(_principal, { transport }) {
        asked++;
        return transport.kind === "graphql" && JSON.stringify(transport.args) === allowed
          ? authorizationAllowed()
          : authorizationDenied("other arguments");
      },
    };
    const schema = protect(version, Authorize("a"));
    const contextValue = await createUsers({ manager }).as("ada");
    const document = version.module.parse(
      "query ($x: Int, $s: String, $f: Filter) { item { a(x: $x, s: $s, f: $f) } }",
    );
    const codeFor = async (variableValues: Readonly<Record<string, unknown>>) => {
      const operation = { schema, document, rootValue: ROOT, contextValue, variableValues };
      const { errors } = await version.module.execute(operation);
      return errors?.[0]?.extensions.code;
    };
    const cases: readonly (readonly [Readonly<Record<string, unknown>>, string | undefined])[] = [
      [{ x: 1 }, undefined],
      [{ x: 2 }, "FORBIDDEN"],
      [{ s: "1" }, "FORBIDDEN"],
      [{ x: 1 }, undefined],
      [{ x: 1, s: null }, "FORBIDDEN"],
      [{ f: { q: "1", n: [1] } }, "FORBIDDEN"],
      [{}, "FORBIDDEN"],
    ];
    for (const [variables, code] of cases) assertEquals(await codeFor(variables), code);
    assertEquals(asked, cases.length); // one context, one document: each operation asks again
  },
);

testBoth(
  "Authorize() keeps verdicts of two schemas and two managers apart, over one context",
  async (version) => {
    const declaration = Authorize("a");
    const deny: AuthorizationManager = { authorize: () => authorizationDenied("no") };
    const open = protect(version, declaration, counter());
    const closed = protect(version, declaration, deny);
    const contextValue = await createUsers().as("ada");
    const source = "{ item { a } }";
    for (const _ of [1, 2]) {
      const operation = { source, rootValue: ROOT, contextValue };
      assertEquals(codesOf(await run(version, open, operation)), {});
      assertEquals(codesOf(await run(version, closed, operation)), { "item.a": "FORBIDDEN" });
    }
  },
);

testBoth("Authorize() with two declarations asks until the first denial", async (version) => {
  const asked: unknown[] = [];
  const manager: AuthorizationManager = {
    authorize(_principal, { metadata }) {
      asked.push(metadata);
      const result = metadata === "b" ? authorizationDenied("b") : authorizationAllowed();
      return metadata === "a" ? Promise.resolve(result) : result;
    },
  };
  const rules = { Item: { a: [Authorize("a"), Authorize("b"), Authorize("c")] } };
  const schema = protectSchema(version.module.buildSchema(SDL), { rules, manager, ...QUIET });
  const contextValue = await createUsers().as("ada");
  const answer = await run(version, schema, {
    source: "{ items { a } }",
    rootValue: ROOT,
    contextValue,
  });
  assertEquals(new Set(Object.values(codesOf(answer))), new Set(["FORBIDDEN"]));
  assertEquals(asked, ["a", "b"]);
});

testBoth("Authorize() with a synchronous manager keeps execution synchronous", async (version) => {
  const schema = protect(version, Authorize("a"), counter());
  const contextValue = await createUsers().as("ada");
  const document = version.module.parse("{ items { a } }");
  const result = version.module.execute({ schema, document, rootValue: ROOT, contextValue });
  assertEquals(result instanceof Promise, false);
});
