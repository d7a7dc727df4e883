/**
 * What has to hold beside other GraphQL libraries: those that replace resolvers, compile queries, build schemas, batch loads,
 * and carry subscriptions.
 *
 * @module
 */

import type { GraphQLSchema } from "graphql";
import {
  assertProtected,
  Authenticated,
  Authorize,
  createAuthContext,
  protectSchema,
} from "../../auth/graphql/mod.ts";
import { authorizationAllowed } from "../../auth/mod.ts";
import { assert, assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import { ask, createSchema, createSite } from "./_graphql_cases.ts";
import { listen, load, SERVERS } from "./_graphql_servers.ts";

const QUIET = { warn: () => {} };
const GUARDED = { rules: { User: { "*": Authenticated() } }, ...QUIET };

/** A stream of numbers that a session may see until it is revoked before the second. */
async function tickSchema(
  revoke: () => Promise<unknown>,
): Promise<GraphQLSchema & { closed: number }> {
  const { buildSchema } = await load("graphql");
  const schema = buildSchema("type Query { x: Int } type Subscription { ticks: Int }");
  schema.closed = 0;
  schema.getSubscriptionType().getFields().ticks.subscribe = async function* () {
    try {
      yield { ticks: 1 };
      await revoke();
      yield { ticks: 2 };
      yield { ticks: 3 };
    } finally {
      schema.closed++;
    }
  };
  return protectSchema(schema, { rules: { Subscription: { ticks: Authenticated() } }, ...QUIET });
}

async function codesOf(execution: unknown): Promise<unknown[]> {
  const { errors = [] } = await execution as { errors?: { extensions: { code?: string } }[] };
  return errors.map(({ extensions }) => extensions.code);
}

/** For every version of `graphql`. */
const COMMON: readonly RuntimeCase[] = [
  {
    name: "GraphQL Yoga: operations of a batch have verdicts of their own",
    async run() {
      const { contextOf, bearer } = await createSite();
      const server = await SERVERS[0]?.start(
        protectSchema(await createSchema(), GUARDED),
        contextOf,
      );
      assert(server !== undefined, "no server");
      const query = "{ me { name } }";
      const { body } = await ask(server, [{ query }, { query: "{ open }" }], {});
      assertSame(body.map(({ data }: { data: unknown }) => data), [{ me: { name: null } }, {
        open: "open",
      }]);
      const both = await ask(server, [{ query }, { query }], bearer);
      assertSame(both.body, Array(2).fill({ data: { me: { name: "Ada" } } }));
      await server.close();
    },
  },
  {
    name: "GraphQL Yoga: a subscription over SSE ends when the session is revoked",
    async run() {
      const { contextOf, cookie, revoke } = await createSite();
      const schema = await tickSchema(revoke);
      const server = await SERVERS[0]?.start(schema, contextOf);
      assert(server !== undefined, "no server");
      const response = await fetch(server.url, {
        method: "POST",
        headers: {
          ...cookie,
          Origin: new URL(server.url).origin,
          "Content-Type": "application/json",
          Accept: "text/event-stream",
        },
        body: JSON.stringify({ query: "subscription { ticks }" }),
      });
      const events = (await response.text()).split("\n").filter((line) =>
        line.startsWith("data: {")
      );
      const seen = events.map((line) => JSON.parse(line.slice(6)));
      assertSame(seen[0], { data: { ticks: 1 } });
      assertSame(seen[1].errors[0].extensions, { code: "UNAUTHENTICATED" });
      assertSame([seen.length, schema.closed], [2, 1]);
      await server.close();
    },
  },
  {
    name: "graphql-ws: connectionParams, the origin of the handshake, and a revoked session",
    async run() {
      const { contextOf, runtime, cookie, bearer, revoke } = await createSite();
      const { useServer } = await load("graphql-ws/use/ws");
      const { createClient } = await load("graphql-ws");
      const { WebSocket, WebSocketServer } = await load("ws");
      const schema = await tickSchema(revoke);
      const { server, url, close } = await listen((_request, response) => void response.end());
      const sockets = new WebSocketServer({ server, path: "/graphql" });
      const context = (
        { extra, connectionParams }: {
          extra: { request: Parameters<typeof contextOf>[0] };
          connectionParams?: Record<string, unknown>;
        },
      ) => contextOf(extra.request, { connectionParams });
      useServer({ schema, context }, sockets);
      const seenBy = async (headers: Record<string, string>, connectionParams = {}) => {
        class Socket extends WebSocket {
          constructor(address: string, protocols: string) {
            super(address, protocols, { headers });
          }
        }
        const client = createClient({
          url: url.replace("http", "ws"),
          webSocketImpl: Socket,
          connectionParams,
          retryAttempts: 0,
        });
        const seen: unknown[] = [];
        try {
          for await (
            const { data, errors } of client.iterate({ query: "subscription { ticks }" })
          ) {
            seen.push(errors === undefined ? data.ticks : errors[0].extensions.code);
          }
        } catch (error) {
          if (!Array.isArray(error)) throw error; // an error instead of a stream
          seen.push(error[0].extensions.code);
        }
        await client.dispose();
        return seen;
      };
      const { origin } = new URL(url);
      assertSame(await seenBy({}), ["UNAUTHENTICATED"]);
      assertSame(await seenBy({ ...cookie, Origin: "https://evil.example" }), ["UNAUTHENTICATED"]);
      assertSame(await seenBy({}, { Authorization: "Bearer x" }), ["UNAUTHENTICATED"]);
      assertSame((await seenBy({}, bearer))[0], 1);
      const again = await runtime.sessions.create(
        await runtime.passwords.verify({
          identifier: "ada@example.org",
          password: "lovelace wrote notes",
        }, { address: undefined }),
      );
      assert(again !== undefined, "no session");
      const own = { Cookie: `__Host-sid=${again.token}`, Origin: origin };
      assertSame((await seenBy(own)).slice(0, 1), [1]);
      sockets.close();
      await close();
    },
  },
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
      let isKnown = true;
      try {
        assertProtected(mapped);
      } catch {
        isKnown = false;
      }
      assertSame(isKnown, false);
      assertProtected(protectSchema(mapped, GUARDED));
    },
  },
];

/** For GraphQL.js 16, which these libraries need. */
const OLDER: readonly RuntimeCase[] = [
  {
    name:
      "Mercurius: loaders remove guards, which assertProtected() reports and protectSchema() restores",
    async run() {
      const { default: fastify } = await load("fastify");
      const { default: mercurius } = await load("mercurius");
      const { contextOf } = await createSite();
      const schema = protectSchema(await createSchema(), GUARDED);
      const app = fastify();
      app.register(mercurius, {
        schema,
        loaders: {
          User: {
            name: (queries: readonly unknown[]) => Promise.resolve(queries.map(() => "leaked")),
          },
        },
        context: ({ raw }: { raw: Parameters<typeof contextOf>[0] }) => contextOf(raw),
      });
      await app.ready();
      let lost = "";
      try {
        assertProtected(schema);
      } catch (error) {
        lost = String(error);
      }
      assert(lost.includes("User.name have lost their guard"), lost);
      assertProtected(protectSchema(schema, GUARDED));
      const { errors } = await app.graphql("{ me { name } }", {
        ...await contextOf(new Request("https://example.com")),
      });
      assertSame(errors[0].extensions.code, "UNAUTHENTICATED");
      await app.close();
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
