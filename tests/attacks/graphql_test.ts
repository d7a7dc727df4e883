/** Queries that try to get past the guards of a GraphQL schema. Rows are only added. */

import { authorizationDenied } from "@gatehouse/http/auth";
import {
  Authenticated,
  Authorize,
  protectSchema,
  type ProtectSchemaOptions,
  PublicField,
} from "@gatehouse/http/auth/graphql";
import { assertEquals } from "@std/assert";
import {
  type Answer,
  codesOf,
  createUsers,
  QUIET,
  run,
  testBoth,
} from "../auth/graphql/_schemas.ts";

const SDL = `
  scalar _Any
  interface Node { id: ID! }
  interface Owned { owner: User }
  type User implements Node { id: ID! email: String! name: String self: User friends: [User!] }
  type Note implements Node & Owned { id: ID! text: String owner: User tags: [String] }
  union Result = User | Note
  union _Entity = User | Note
  type _Service { sdl: String }
  type Query {
    me: User node(id: ID): Node result: Result results: [[Result]] nodes: [Node]
    open: String owned: Owned
    _entities(representations: [_Any!]!): [_Entity]! _service: _Service!
  }
  type Mutation { wipe: Int touch: Int }
`;

const NOTE = { __typename: "Note", id: "1", text: "open text", tags: ["open"] };
const USER: Record<string, unknown> = {
  __typename: "User",
  id: "secret id",
  email: "secret@x",
  name: "secret name",
};
USER.self = USER;
USER.friends = [USER, USER];

/** Everything that is not open is a secret. */
const ROOT: Record<string, unknown> = {
  me: () => USER,
  node: ({ id }: { id?: string }) => id === "1" ? NOTE : USER,
  result: USER,
  results: [[USER, NOTE], [USER]],
  nodes: [USER, NOTE, USER],
  open: "open",
  owned: { ...NOTE, owner: USER },
  _entities: ({ representations }: { representations: readonly unknown[] }) =>
    representations.map(() => USER),
  _service: { sdl: "secret sdl" },
};

const GUARDED: ProtectSchemaOptions = {
  rules: { User: { "*": Authenticated() }, Mutation: { wipe: Authorize("wipe") } },
};

/** An operation of somebody without a credential. */
interface Attack {
  readonly source: string;
  readonly attack: string;
  readonly query: string;
  /** How many errors of which code. */
  readonly refused?: number;
  readonly code?: string;
  readonly options?: ProtectSchemaOptions;
  /** What is answered. */
  readonly check?: (answer: Answer) => void;
}

const ALIASES = Array.from({ length: 1000 }, (_, i) => `a${i}: name`).join(" ");

const ATTACKS: readonly Attack[] = [
  { source: "1", attack: "a field without a resolver", query: "{ me { name } }" },
  { source: "2", attack: "an alias", query: "{ x: me { y: name } }" },
  { source: "2", attack: "1,000 aliases", query: `{ me { ${ALIASES} } }`, refused: 1000 },
  {
    source: "3",
    attack: "fragments of all kinds",
    query:
      "{ me { ...F ... on User { b: name } ... { c: name } ... @include(if: true) { d: name } } } fragment F on User { a: name }",
    refused: 4,
  },
  {
    source: "4, envelop generic-auth",
    attack: "a guarded type behind an interface",
    query: "{ node { id ... on User { name } } }", // `id` is not nullable: its error ends the object
  },
  { source: "5", attack: "a union", query: "{ result { ... on User { name } } }" },
  {
    source: "5",
    attack: "a list of lists",
    query: "{ results { ... on User { name } ... on Node { id } } }",
    refused: 4,
    check: ({ data }) => assertEquals(data.results[0], [null, { id: "1" }]),
  },
  {
    source: "6",
    attack: "an interface's own field, of two implementors",
    query: "{ nodes { id } }",
    refused: 2,
    check: ({ data }) => assertEquals(data.nodes, [null, { id: "1" }, null]),
  },
  {
    source: "7, graphql-shield",
    attack: "a guard on the interface alone",
    options: { rules: { Node: { "*": Authenticated() } } },
    query:
      "{ me { name } node(id: 1) { id ... on Note { text } } result { ... on User { email } } }",
    refused: 3,
    check: ({ data }) => assertEquals(data, { me: { name: null }, node: null, result: null }),
  },
  {
    source: "8",
    attack: "the way through a public field",
    options: { rules: { User: { "*": Authenticated(), self: PublicField() } } },
    query: `{ me { self { self { name self { name } } } } }`,
    refused: 2,
  },
  {
    source: "9",
    attack: "PublicField() on an interface",
    options: { rules: { Node: { id: PublicField() }, User: { "*": Authenticated() } } },
    query: "{ node { id } me { id } }",
    refused: 2,
  },
  {
    source: "27, 28",
    attack: "a mutation behind another one",
    query: "mutation { touch wipe again: touch }",
    check: ({ data }) => assertEquals(data, { touch: 1, wipe: null, again: 2 }),
  },
  {
    source: "35",
    attack: "an entity by _entities",
    query: `{ _entities(representations: [{ __typename: "User" }]) { ... on User { name } } }`,
  },
  {
    source: "35",
    attack: "_entities and _service under a default",
    options: { default: Authenticated() },
    query: `{ _entities(representations: []) { __typename } }`,
  },
  {
    source: "35",
    attack: "_service under a default",
    options: { default: Authenticated() },
    query: `{ _service { sdl } }`,
  },
  {
    source: "ours",
    attack: "a merged selection whose first node is skipped",
    query: "query ($no: Boolean = false) { me @include(if: $no) { name } me { name } }",
  },
  {
    source: "ours",
    attack: "a response name of an open field",
    query: "{ open me { open: name } }",
    check: ({ data }) => assertEquals(data.open, "open"),
  },
  {
    source: "ours",
    attack: "a way round by the owner of an open note",
    query: "{ owned { owner { name friends { name } } } }",
    refused: 2,
  },
  {
    source: "ours",
    attack: "a deep chain",
    options: { rules: { User: { "*": Authenticated(), self: PublicField() } } },
    query: `{ me { ${"self { ".repeat(200)} name ${"}".repeat(200)} } }`,
  },
  {
    source: "40",
    attack: "a guarded type's __typename, which is no secret",
    query: "{ me { __typename } }",
    refused: 0,
    check: ({ data }) => assertEquals(data, { me: { __typename: "User" } }),
  },
  {
    source: "40",
    attack: "introspection, which is not guarded",
    options: { default: Authenticated() },
    query: `{ __schema { queryType { name } } __type(name: "User") { name } }`,
    refused: 0,
    check: ({ data }) =>
      assertEquals(data, { __schema: { queryType: { name: "Query" } }, __type: { name: "User" } }),
  },
  {
    source: "17, ours",
    attack: "nobody, about whom the manager is asked",
    options: {
      rules: { User: { "*": Authorize("x", { allowAnonymous: true }) } },
      manager: { authorize: () => authorizationDenied("secret reason") },
    },
    query: "{ me { name friends { id } } node { id } }",
    code: "FORBIDDEN",
    refused: 3,
  },
];

for (const row of ATTACKS) {
  const { source, attack, query, refused = 1, code = "UNAUTHENTICATED", options = GUARDED } = row;
  testBoth(`GraphQL answers no secret to ${attack} [${source}]`, async (version) => {
    let touched = 0;
    let wiped = 0;
    const rootValue = { ...ROOT, touch: () => ++touched, wipe: () => ++wiped };
    const users = createUsers();
    const contexts = [await users.as(), await users.as("bad")];
    for (const contextValue of [...contexts, undefined, {}]) {
      touched = 0;
      const schema = protectSchema(version.module.buildSchema(SDL), { ...options, ...QUIET });
      const operation = { source: query, rootValue, contextValue };
      const answer = await run(version, schema, operation);
      assertEquals(JSON.stringify(answer).includes("secret"), false);
      const codes = Object.values(codesOf(answer));
      assertEquals(codes.length, refused);
      const expected = contextValue === contexts[0] ? code : "UNAUTHENTICATED";
      assertEquals([...new Set(codes)], refused === 0 ? [] : [expected]);
      row.check?.(answer);
    }
    assertEquals(wiped, 0);
  });
}
