/**
 * What has to hold beside other GraphQL libraries: those that replace resolvers, compile queries, build schemas, and batch
 * loads.
 *
 * @module
 */

import {
  assertProtected,
  Authenticated,
  Authorize,
  createAuthContext,
  protectSchema,
  type SchemaLike,
} from "../../auth/graphql/mod.ts";
import { authorizationAllowed } from "../../auth/mod.ts";
import { assert, assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import { ask, createSchema, createSite } from "./_graphql_cases.ts";
import { load, startMercurius } from "./_graphql_servers.ts";

const QUIET = { warn: () => {} };
const GUARDED = { rules: { User: { "*": Authenticated() } }, ...QUIET };

async function codesOf(execution: unknown): Promise<unknown[]> {
  const { errors = [] } = await execution as { errors?: { extensions: { code?: string } }[] };
  return errors.map(({ extensions }) => extensions.code);
}

/** What `assertProtected()` says of a schema; nothing if every field has its guard. */
function lossOf(schema: SchemaLike): string {
  try {
    assertProtected(schema);
    return "";
  } catch (error) {
    return String(error);
  }
}

/** For every version of `graphql`. */
const COMMON: readonly RuntimeCase[] = [
  {
    name: "DataLoader: guarded fields with an asynchronous manager stay one batch",
    async run() {
      const { default: DataLoader } = await load("dataloader");
      const { buildSchema, graphql } = await load("graphql");
      const { runtime, bearer } = await createSite();
      const schema = buildSchema("type Note { owner: String } type Query { notes: [Note] }");
      const batches: number[] = [];
      const loader = new DataLoader((ids: readonly number[]) => {
        batches.push(ids.length);
        return Promise.resolve(ids.map((id) => `user ${id}`));
      });
      schema.getType("Note").getFields().owner.resolve = (id: number) => loader.load(id);
      let asked = 0;
      const manager = {
        async authorize() {
          asked++;
          await new Promise((resolve) => setTimeout(resolve, 5));
          return authorizationAllowed();
        },
      };
      protectSchema(schema, { rules: { Note: { owner: Authorize("owner") } }, manager, ...QUIET });
      const contextOf = createAuthContext({ runtime });
      const { data } = await graphql({
        schema,
        source: "{ notes { owner } }",
        rootValue: { notes: Array.from({ length: 50 }, (_, i) => i) },
        contextValue: await contextOf(new Request("https://example.com", { headers: bearer })),
      });
      assertSame([data.notes.length, batches, asked], [50, [50], 1]);
    },
  },
  {
    name: "Pothos: extensions of types and fields",
    async run() {
      const { default: SchemaBuilder } = await load("@pothos/core");
      const { graphql, printSchema } = await load("graphql");
      const { contextOf } = await createSite();
      const builder = new SchemaBuilder({});
      const user = builder.objectRef("User").implement({
        extensions: { auth: Authenticated() },
        fields: (t: { exposeString(name: string): unknown }) => ({ name: t.exposeString("name") }),
      });
      builder.queryType({
        fields: (t: { field(options: object): unknown; string(options: object): unknown }) => ({
          me: t.field({ type: user, nullable: true, resolve: () => ({ name: "Ada" }) }),
          news: t.string({
            extensions: { auth: Authorize("news") },
            nullable: true,
            resolve: () => "",
          }),
        }),
      });
      const schema = builder.toSchema();
      const printed = printSchema(schema);
      protectSchema(schema, QUIET);
      assertSame(printSchema(schema), printed);
      const contextValue = await contextOf(new Request("https://example.com"));
      const codes = await codesOf(
        graphql({ schema, source: "{ me { name } news }", contextValue }),
      );
      assertSame(codes, ["UNAUTHENTICATED", "UNAUTHENTICATED"]);
    },
  },
  {
    name: "graphql-tools: mapSchema() keeps guards, and needs protectSchema() for what it adds",
    async run() {
      const { mapSchema } = await load("@graphql-tools/utils");
      const { graphql } = await load("graphql");
      const mapped = mapSchema(protectSchema(await createSchema(), GUARDED), {});
      assertSame(await codesOf(graphql({ schema: mapped, source: "{ me { name } }" })), [
        "UNAUTHENTICATED",
      ]);
      assert(lossOf(mapped).includes("call protectSchema()"), "it is known");
      assertProtected(protectSchema(mapped, GUARDED));
    },
  },
  {
    name:
      "graphql-tools: resolvers that wrap guarded ones keep guards, those that replace them do not",
    async run() {
      const { makeExecutableSchema, addResolversToSchema } = await load("@graphql-tools/schema");
      const { mapSchema, MapperKind } = await load("@graphql-tools/utils");
      const { defaultFieldResolver, graphql } = await load("graphql");
      const { contextOf, bearer } = await createSite();
      const schema = makeExecutableSchema({
        typeDefs: "type User { name: String email: String } type Query { me: User }",
        resolvers: { Query: { me: () => ({ name: "Ada", email: "ada@example.org" }) } },
      });
      assertProtected(protectSchema(schema, GUARDED));
      const execute = async (asked: object, headers: Readonly<Record<string, string>> = {}) => {
        const contextValue = await contextOf(new Request("https://example.com", { headers }));
        return await graphql({ schema: asked, source: "{ me { name email } }", contextValue });
      };
      type Field = { resolve?: (...call: readonly unknown[]) => unknown };
      const loud = mapSchema(schema, { // as a directive does
        [MapperKind.OBJECT_FIELD]: ({ resolve = defaultFieldResolver, ...field }: Field) => ({
          ...field,
          resolve: async (...call: readonly unknown[]) => {
            const value = await resolve(...call);
            return typeof value === "string" ? value.toUpperCase() : value;
          },
        }),
      });
      assertSame(await codesOf(execute(loud)), ["UNAUTHENTICATED", "UNAUTHENTICATED"]);
      assertSame((await execute(loud, bearer)).data, {
        me: { name: "ADA", email: "ADA@EXAMPLE.ORG" },
      });

      const resolvers = { User: { email: () => "leaked" } };
      addResolversToSchema({ schema, resolvers, updateResolversInPlace: true });
      assertSame((await execute(schema)).data, { me: { name: null, email: "leaked" } });
      assert(lossOf(schema).includes("User.email have lost"), lossOf(schema));
      assertProtected(protectSchema(schema, GUARDED));
      assertSame((await execute(schema)).data, { me: { name: null, email: null } });
    },
  },
];

/** For GraphQL.js 16, which these libraries need. */
const OLDER: readonly RuntimeCase[] = [
  {
    name: "Nexus: extensions of types and fields",
    async run() {
      const { makeSchema, objectType, queryType } = await load("nexus");
      const { graphql } = await load("graphql");
      const { contextOf, bearer } = await createSite();
      interface Block {
        string(name: string, options?: object): void;
        field(name: string, options: object): void;
      }
      const User = objectType({
        name: "User",
        extensions: { auth: Authenticated() },
        definition: (t: Block) => t.string("name"),
      });
      const Query = queryType({
        definition(t: Block) {
          t.field("me", { type: User, resolve: () => ({ name: "Ada" }) });
          t.string("news", { extensions: { auth: Authenticated() }, resolve: () => "news" });
        },
      });
      const schema = makeSchema({ types: [Query, User], shouldGenerateArtifacts: false });
      assertProtected(protectSchema(schema, QUIET));
      const execute = async (headers: Readonly<Record<string, string>>) => {
        const contextValue = await contextOf(new Request("https://example.com", { headers }));
        return await graphql({ schema, source: "{ me { name } news }", contextValue });
      };
      assertSame(await codesOf(execute({})), ["UNAUTHENTICATED", "UNAUTHENTICATED"]);
      assertSame((await execute(bearer)).data, { me: { name: "Ada" }, news: "news" });
    },
  },
  {
    name:
      "Mercurius: loaders remove guards, which assertProtected() reports and protectSchema() restores",
    async run() {
      const { contextOf, bearer } = await createSite();
      const batches: number[] = [];
      const name = (queries: readonly unknown[]) => {
        batches.push(queries.length);
        return Promise.resolve(queries.map(() => "loaded"));
      };
      for (const jit of [0, 1]) {
        const schema = protectSchema(await createSchema(), GUARDED);
        const server = await startMercurius(schema, contextOf, {
          jit,
          loaders: { User: { name } },
        });
        const query = "{ a: me { name } b: me { name } }";
        const everybody = { a: { name: "loaded" }, b: { name: "loaded" } };
        try {
          assertSame((await ask(server, "{ me { name } }")).body.data.me.name, "loaded"); // open
          const lost = lossOf(schema);
          assert(lost.includes("User.name have lost their guard"), lost);
          assertProtected(protectSchema(schema, GUARDED));
          for (let i = 0; i < 3; i++) { // jit compiles the second time
            assertSame((await ask(server, query)).codes, Array(2).fill("UNAUTHENTICATED"));
            assertSame((await ask(server, query, bearer)).body, { data: everybody });
          }
        } finally {
          await server.close();
        }
      }
      assertSame(batches, Array(8).fill(1)); // one load for both of a query, none for who is refused
    },
  },
  {
    name:
      "graphql-jit: a query that was compiled after protectSchema() is guarded, an earlier one is not",
    async run() {
      const { compileQuery } = await load("graphql-jit");
      const { parse } = await load("graphql");
      const { contextOf } = await createSite();
      const schema = await createSchema();
      const document = parse("{ me { name } }");
      const before = compileQuery(schema, document);
      protectSchema(schema, GUARDED);
      const after = compileQuery(schema, document);
      const context = await contextOf(new Request("https://example.com"));
      assertSame(await codesOf(after.query({}, context, {})), ["UNAUTHENTICATED"]);
      assertSame(await codesOf(before.query({}, context, {})), []); // as docs/graphql.md says
    },
  },
];

/** The cases of all libraries for a version of `graphql`. */
export function libraryCases(version: string): readonly RuntimeCase[] {
  return version === "16" ? [...COMMON, ...OLDER] : COMMON;
}
