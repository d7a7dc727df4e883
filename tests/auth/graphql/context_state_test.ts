/** Which contexts have a principal. */

import { authenticated, AuthError, createPrincipal } from "@gatehouse/http/auth";
import { Authenticated, protectSchema, requireSubject } from "@gatehouse/http/auth/graphql";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { codesOf, createUsers, QUIET, run, testBoth, type Version } from "./_schemas.ts";

const GUARDED = { rules: { Query: { x: Authenticated() } }, ...QUIET };

async function codeFor(version: Version, contextValue: unknown): Promise<string | undefined> {
  const schema = protectSchema(version.module.buildSchema("type Query { x: Int }"), GUARDED);
  const operation = { source: "{ x }", rootValue: { x: 1 }, contextValue };
  return codesOf(await run(version, schema, operation)).x;
}

testBoth(
  "A context keeps its principal when it is spread, assigned or inherited from",
  async (version) => {
    const context = await createUsers().as("ada");
    const kept = [
      context,
      { ...context, db: 1 },
      Object.assign({}, context),
      Object.create(context),
    ];
    for (const one of [...kept, Object.freeze({ ...context })]) {
      assertEquals(await codeFor(version, one), undefined);
    }
  },
);

testBoth("A context that createAuthContext() did not create is nobody's", async (version) => {
  const context = await createUsers().as("ada");
  const [symbol] = Object.getOwnPropertySymbols(context);
  assert(symbol !== undefined);
  const state = (context as unknown as Record<symbol, object>)[symbol];
  const principal = createPrincipal({ sub: "boss", method: "session" });
  for (
    const forged of [
      undefined,
      null,
      "context",
      1,
      {},
      Object.freeze({}),
      { principal },
      JSON.parse('{ "__proto__": { "principal": { "sub": "boss" } } }'),
      { principal, [symbol]: { ...state } },
      { principal, [symbol]: authenticated(principal) },
      { [Symbol("gatehouse.graphql")]: state },
      structuredClone({ principal }),
    ]
  ) {
    assertEquals(await codeFor(version, forged), "UNAUTHENTICATED");
    assertThrows(() => requireSubject(forged), Error, "Authentication required");
  }
});

testBoth("requireSubject() throws an error of the schema's own class", ({ module }) => {
  const schema = protectSchema(module.buildSchema("type Query { x: Int }"), GUARDED);
  for (const info of [undefined, { schema }]) {
    const error = assertThrows(() => requireSubject({}, info), Error);
    assert(error instanceof module.GraphQLError && !(error instanceof AuthError));
    assertEquals(error.extensions, { code: "UNAUTHENTICATED" });
  }
});
