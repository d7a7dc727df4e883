/** protectSchema() and assertProtected(). */

import { authorizationAllowed, type AuthorizationManager } from "@gatehouse/http/auth";
import {
  assertProtected,
  Authenticated,
  Authorize,
  protectSchema,
  PublicField,
} from "@gatehouse/http/auth/graphql";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { codesOf, createUsers, QUIET, run, testBoth } from "./_schemas.ts";

const SDL = `
  "A user."
  type User { "Its name." name(upper: Boolean = false): String! @deprecated email: String }
  type Query { user: User }
  type Subscription { users: User }
`;
const RULES = { User: { name: Authorize("name"), email: Authenticated() } };
const SOURCE = "{ user { name email } }";

function counter(): AuthorizationManager & { asked: number } {
  const manager = {
    asked: 0,
    authorize: () => (manager.asked++, authorizationAllowed()),
  };
  return manager;
}

testBoth(
  "protectSchema() returns the same schema, and changes nothing of what is printed",
  ({ module }) => {
    const schema = module.buildSchema(SDL);
    const printed = module.printSchema(schema);
    assert(protectSchema(schema, { rules: RULES, ...QUIET }) === schema);
    assertEquals(module.printSchema(schema), printed);
    assertEquals(module.validateSchema(schema), []);
    const introspection = module.introspectionFromSchema(schema);
    assertEquals(introspection, module.introspectionFromSchema(module.buildSchema(SDL)));
  },
);

testBoth(
  "protectSchema() guards each field once, however often it is called, and opens nothing",
  async (version) => {
    const manager = counter();
    const schema = version.module.buildSchema(SDL);
    const options = { rules: RULES, manager, ...QUIET };
    const field = protectSchema(schema, options).getQueryType();
    for (const _ of [1, 2, 3]) protectSchema(schema, options);
    protectSchema(schema, QUIET);
    protectSchema(schema, {
      rules: { User: { name: PublicField(), email: PublicField() } },
      ...QUIET,
    });
    assertProtected(schema);
    const contextValue = await createUsers().as("ada");
    const rootValue = { user: { name: "n", email: "e" } };
    const answer = await run(version, schema, { source: SOURCE, rootValue, contextValue });
    assertEquals(answer, { data: { user: { name: "n", email: "e" } } });
    assertEquals(manager.asked, 1);
    const open = await run(version, schema, { source: "{ user { email } }", rootValue });
    assertEquals(codesOf(open), { "user.email": "UNAUTHENTICATED" });
    assert(schema.getQueryType() === field);
    protectSchema(schema, { rules: { Query: { user: Authenticated() } }, ...QUIET }); // adds
    assertEquals(codesOf(await run(version, schema, { source: SOURCE, rootValue })), {
      user: "UNAUTHENTICATED",
    });
  },
);

testBoth(
  "protectSchema() guards what was added or replaced since, and assertProtected() says what that is",
  async (version) => {
    const { module } = version;
    const schema = module.buildSchema(SDL);
    assertThrows(() => assertProtected(schema), TypeError, "call protectSchema() with it");
    const options = { rules: RULES, default: Authenticated(), ...QUIET };
    protectSchema(schema, options);
    const type = schema.getType("User");
    assert(type instanceof module.GraphQLObjectType);
    const { name, email } = type.getFields();
    assert(name !== undefined && email !== undefined);
    name.resolve = () => "replaced";
    delete email.resolve;
    const users = schema.getSubscriptionType()?.getFields().users;
    assert(users !== undefined);
    users.subscribe = () => [];
    const lost = "User.name, User.email, Subscription.users have lost their guard";
    assertThrows(() => assertProtected(schema), TypeError, lost);
    assertProtected(protectSchema(schema, options));
    const answer = await run(version, schema, { source: "{ user { email } }", rootValue: {} });
    assertEquals(codesOf(answer), { user: "UNAUTHENTICATED" });

    const extended = module.extendSchema(
      schema,
      module.parse("extend type User { phone: String }"),
    );
    assertThrows(() => assertProtected(extended), TypeError, "call protectSchema() with it");
    const query = { source: "{ user { name phone } }", rootValue: { user: { phone: "secret" } } };
    assertEquals(codesOf(await run(version, extended, query)), { user: "UNAUTHENTICATED" });
    const contextValue = await createUsers({ manager: counter() }).as("ada");
    assertProtected(protectSchema(extended, options));
    const known = await run(version, extended, { ...query, contextValue });
    assertEquals(known.data, { user: { name: "replaced", phone: "secret" } });
  },
);

testBoth(
  "protectSchema() warns once how many fields are undeclared, unless default closes them",
  ({ module }) => {
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const schema = module.buildSchema(SDL);
    protectSchema(schema, { rules: RULES, warn });
    protectSchema(schema, { warn });
    protectSchema(module.buildSchema(SDL), { default: Authenticated(), warn });
    const rules = {
      Query: { "*": PublicField() },
      Subscription: { users: PublicField() },
      ...RULES,
    };
    protectSchema(module.buildSchema(SDL), { rules, warn });
    assertEquals(warnings, [
      "2 of 4 GraphQL fields have no declaration and are public: declare them, or pass the option default to protectSchema()",
    ]);
  },
);

/** Sources of fields without a resolver, and what GraphQL.js makes of them. */
const SOURCES: readonly (readonly [why: string, source: unknown, name: string | null])[] = [
  ["a property", { name: "Ada" }, "Ada"],
  ["a promise", { name: Promise.resolve("Ada") }, "Ada"],
  ["a method", {
    title: "Ms.",
    name(this: { title: string }) {
      return `${this.title} Ada`;
    },
  }, "Ms. Ada"],
  ["a method with arguments", {
    name: ({ upper }: { upper: boolean }, context: object, info: { fieldName: string }) =>
      [upper, "principal" in context, info.fieldName].join(),
  }, "false,true,name"],
  ["a getter", {
    get name() {
      return "Ada";
    },
  }, "Ada"],
  ["an inherited property", Object.create({ name: "Ada" }), "Ada"],
  ["a function", Object.assign(() => {}, { extra: 1 }), "source"],
  ["a Map", new Map([["name", "Ada"]]), null],
];

for (const [why, user, name] of SOURCES) {
  testBoth(`protectSchema() resolves ${why} as GraphQL.js does`, async (version) => {
    const sdl = SDL.replace("String! @deprecated", "String");
    const schema = version.module.buildSchema(sdl);
    const contextValue = await createUsers().as("ada");
    const operation = {
      source: "{ user { name } }",
      rootValue: { user: () => user },
      contextValue,
    };
    const plain = await run(version, schema, operation);
    protectSchema(schema, { default: Authenticated(), ...QUIET });
    assertEquals(await run(version, schema, operation), plain);
    if (why !== "a function") assertEquals(plain.data?.user?.name, name);
  });
}

testBoth(
  "protectSchema() passes a resolver everything that it gets, and uses the given fieldResolver",
  async (version) => {
    const { module } = version;
    const schema = module.buildSchema(SDL);
    const calls: unknown[] = [];
    const query = schema.getQueryType()?.getFields().user;
    assert(query !== undefined);
    query.resolve = (source, args, context, info) => {
      calls.push([source, { ...args }, context, info.fieldName]);
      return { name: "Ada" };
    };
    const fieldResolver = (
      source: Record<string, unknown>,
      _args: unknown,
      _context: unknown,
      info: { fieldName: string },
    ) => `${source[info.fieldName]} by option`;
    protectSchema(schema, { default: Authenticated(), fieldResolver, ...QUIET });
    const contextValue = await createUsers().as("ada");
    const rootValue = { root: true };
    const answer = await run(version, schema, {
      source: "{ user { name } }",
      rootValue,
      contextValue,
    });
    assertEquals(answer, { data: { user: { name: "Ada by option" } } });
    assertEquals(calls, [[rootValue, {}, contextValue, "user"]]);
  },
);

Deno.test("protectSchema() rejects what is not a schema", () => {
  for (const wrong of [undefined, null, {}, { getTypeMap: {} }]) {
    assertThrows(
      () => protectSchema(wrong as unknown as Parameters<typeof protectSchema>[0]),
      TypeError,
      "schema must be a GraphQLSchema",
    );
  }
});
