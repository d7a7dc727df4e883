/** Which declarations count for a field. */

import {
  Authenticated,
  Authorize,
  type Declaration,
  protectSchema,
  type ProtectSchemaOptions,
  PublicField,
} from "@gatehouse/http/auth/graphql";
import { authorizationDenied } from "@gatehouse/http/auth";
import { assertEquals, assertThrows } from "@std/assert";
import { codesOf, createUsers, QUIET, run, testBoth, type Version } from "./_schemas.ts";

const SDL = `
  interface Node { id: ID }
  interface Named { name: String }
  type User implements Node & Named { id: ID name: String email: String }
  type Note implements Node { id: ID title: String }
  union Result = User | Note
  input Filter { q: String }
  enum Kind { A B }
  scalar Date
  type Query { node: Node user: User note: Note result: Result list: [[Node]] kind(f: Filter): Kind at: Date }
`;
const USER = { __typename: "User", id: "u", name: "n", email: "e" };
const NOTE = { __typename: "Note", id: "1", title: "t" };
const ROOT = { node: USER, user: USER, note: NOTE, result: NOTE, list: [[USER, NOTE], [USER]] };
const QUERY = `{
  user { id name email } note { id title } node { id ... on User { id2: id } }
  result { ... on Note { id } ... on Node { id2: id } } list { id }
}`;

const AUTH = Authenticated();
const PUBLIC = PublicField();

type Rules = NonNullable<ProtectSchemaOptions["rules"]>;

/** Declarations, and the paths that are refused to an anonymous request. */
const CASES: readonly (readonly [why: string, Rules, refused: readonly string[], Declaration?])[] =
  [
    ["nothing declared", {}, []],
    ["a type", { User: { "*": AUTH } }, [
      "user.id",
      "user.name",
      "user.email",
      "node.id",
      "node.id2",
      "list.0.0.id",
      "list.1.0.id",
    ]],
    ["a field", { User: { id: AUTH } }, [
      "user.id",
      "node.id",
      "node.id2",
      "list.0.0.id",
      "list.1.0.id",
    ]],
    ["an interface, for all fields of its types", { Named: { "*": AUTH } }, [
      "user.id",
      "user.name",
      "user.email",
      "node.id",
      "node.id2",
      "list.0.0.id",
      "list.1.0.id",
    ]],
    ["a field of an interface, for all its types", { Node: { id: AUTH } }, [
      "user.id",
      "note.id",
      "node.id",
      "node.id2",
      "result.id",
      "result.id2",
      "list.0.0.id",
      "list.0.1.id",
      "list.1.0.id",
    ]],
    ["PublicField on a field of a type", {
      User: { "*": AUTH, id: PUBLIC, name: PUBLIC },
    }, ["user.email"]],
    ["PublicField on a field, against the interface's", {
      Node: { id: AUTH },
      User: { id: PUBLIC },
    }, ["note.id", "result.id", "result.id2", "list.0.1.id"]],
    ["PublicField on an interface's field, which does not open a type", {
      Node: { id: PUBLIC },
      Note: { "*": AUTH },
    }, ["note.id", "note.title", "result.id", "result.id2", "list.0.1.id"]],
    ["PublicField on an interface's field, which drops the interface's own", {
      Node: { "*": AUTH, id: PUBLIC },
    }, ["user.name", "user.email", "note.title"]],
    ["PublicField on an interface's field, which does not open another interface's", {
      Node: { id: PUBLIC },
      Named: { "*": AUTH },
    }, [
      "user.id",
      "user.name",
      "user.email",
      "node.id",
      "node.id2",
      "list.0.0.id",
      "list.1.0.id",
    ]],
    ["PublicField on a type, which opens its undeclared fields", {
      Node: { id: AUTH },
      Note: { "*": PUBLIC, title: AUTH },
    }, [
      "user.id",
      "note.title",
      "node.id",
      "node.id2",
      "list.0.0.id",
      "list.1.0.id",
    ]],
    ["a root type", { Query: { "*": AUTH } }, ["user", "note", "node", "result", "list"]],
    [
      "default, without declared fields",
      { Query: { "*": PUBLIC }, Note: { title: PUBLIC }, Node: { id: PUBLIC } },
      ["user.name", "user.email"],
      AUTH,
    ],
    ["default on everything", {}, ["user", "note", "node", "result", "list"], AUTH],
    ["two declarations of one field", { User: { email: [AUTH, Authorize("x")] } }, ["user.email"]],
  ];

for (const [why, rules, refused, byDefault] of CASES) {
  testBoth(`protectSchema() with ${why}`, async (version) => {
    const schema = version.module.buildSchema(SDL);
    protectSchema(schema, { rules, default: byDefault, ...QUIET });
    const users = createUsers();
    for (const contextValue of [await users.as(), await users.as("bad"), {}]) {
      const answer = await run(version, schema, { source: QUERY, rootValue: ROOT, contextValue });
      const codes = codesOf(answer);
      assertEquals(Object.keys(codes).sort(), [...refused].sort());
      assertEquals(
        [...new Set(Object.values(codes))],
        refused.length > 0 ? ["UNAUTHENTICATED"] : [],
      );
    }
    const contextValue = await createUsers({ manager: DENY }).as("ada");
    const answer = await run(version, schema, { source: QUERY, rootValue: ROOT, contextValue });
    const asked = why.startsWith("two declarations") ? { "user.email": "FORBIDDEN" } : {};
    assertEquals(codesOf(answer), asked); // whoever is authenticated passes the others
  });
}

const DENY = { authorize: () => authorizationDenied("no") };

const REJECTED: readonly (readonly [why: string, options: unknown, message: string])[] = [
  ["an unknown type", { rules: { Usr: { "*": AUTH } } }, "rules names Usr"],
  ["an unknown field", { rules: { User: { emial: AUTH } } }, "User.emial, which is not a field"],
  ["an input type", { rules: { Filter: { "*": AUTH } } }, "rules names Filter"],
  ["an enum", { rules: { Kind: { A: AUTH } } }, "rules names Kind"],
  ["a scalar", { rules: { Date: { "*": AUTH } } }, "rules names Date"],
  ["a union", { rules: { Result: { "*": AUTH } } }, "rules names Result"],
  ["an inherited name", { rules: { User: { toString: AUTH } } }, "User.toString"],
  ["__proto__", { rules: { User: { ["__proto__"]: AUTH } } }, "User.__proto__"],
  ["introspection", { rules: { __Schema: { "*": AUTH } } }, "rules names __Schema"],
  ["no declaration", { rules: { User: { id: true } } }, "rules of User.id must be Authenticated()"],
  ["a function", { rules: { User: { id: () => AUTH } } }, "rules of User.id must be"],
  ["a forged declaration", { rules: { User: { id: { "~auth": { kind: "public" } } } } }, "must be"],
  ["a default that is none", { default: {} }, "default must be"],
  ["PublicField beside another one", { rules: { User: { id: [PUBLIC, AUTH] } } }, "PublicField()"],
  ["PublicField beside another one of the type", {
    rules: { User: { "*": [Authorize(1), PUBLIC] } },
  }, "User has PublicField()"],
  ["types of an unknown type", { types: { Usr: class {} } }, "types names Usr"],
  ["types that are no class", { types: { User: {} } }, "types.User must be a class"],
  ["an unknown option", { rule: {} }, "unknown option rule"],
  ["a manager without authorize()", { manager: {} }, "no authorize()"],
];

for (const [why, options, message] of REJECTED) {
  testBoth(`protectSchema() rejects ${why}`, ({ module }) => {
    const schema = module.buildSchema(SDL);
    assertThrows(() => protectSchema(schema, options as ProtectSchemaOptions), TypeError, message);
    assertEquals(module.printSchema(schema), module.printSchema(module.buildSchema(SDL)));
  });
}

/** A type whose declarations are extensions, as those of code-first libraries. */
function extended(
  { module }: Version,
  auth: unknown,
  fieldAuth: unknown,
) {
  const { GraphQLObjectType, GraphQLSchema, GraphQLString } = module;
  const user = new GraphQLObjectType({
    name: "User",
    extensions: { auth },
    fields: {
      name: { type: GraphQLString, extensions: { auth: fieldAuth } },
      email: { type: GraphQLString },
    },
  });
  const fields = { user: { type: user } };
  return new GraphQLSchema({ query: new GraphQLObjectType({ name: "Query", fields }) });
}

testBoth(
  "protectSchema() reads extensions.auth of types and fields, with rules on top",
  async (version) => {
    const source = "{ user { name email } }";
    const operation = { source, rootValue: { user: USER }, contextValue: await createUsers().as() };
    const open = protectSchema(extended(version, undefined, undefined), QUIET);
    assertEquals(codesOf(await run(version, open, operation)), {});
    const closed = protectSchema(extended(version, AUTH, PUBLIC), QUIET);
    assertEquals(codesOf(await run(version, closed, operation)), {
      "user.email": "UNAUTHENTICATED",
    });
    const list = protectSchema(extended(version, undefined, [AUTH, Authorize(1)]), {
      rules: { User: { email: AUTH } },
      ...QUIET,
    });
    assertEquals(Object.keys(codesOf(await run(version, list, operation))), [
      "user.name",
      "user.email",
    ]);
    for (const wrong of ["public", {}, [null], () => {}, null]) {
      const place = "extensions.auth of User";
      assertThrows(() => protectSchema(extended(version, wrong, undefined)), TypeError, place);
      assertThrows(() => protectSchema(extended(version, undefined, wrong)), TypeError, place);
    }
    assertThrows(
      () =>
        protectSchema(extended(version, undefined, PUBLIC), { rules: { User: { name: AUTH } } }),
      TypeError,
      "User.name has PublicField()",
    );
  },
);
