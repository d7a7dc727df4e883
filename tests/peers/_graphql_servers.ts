/**
 * GraphQL servers as their users start them, on Node.js. Runs in a folder where `npm install` has put them, with one copy of
 * `graphql`.
 *
 * @module
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { GraphQLSchema } from "graphql";
import type { GraphqlAuthContext, IncomingLike, OperationOptions } from "../../auth/graphql/mod.ts";

/** What `createAuthContext()` returns. */
export type ContextOf = (
  request: Request | IncomingLike,
  operation?: OperationOptions,
) => Promise<GraphqlAuthContext>;

/** A running server. */
export interface RunningServer {
  /** Where it is. */
  readonly url: string;
  close(): Promise<unknown>;
}

/** Starts a server. */
export interface ServerKind {
  readonly name: string;
  /** The major versions of `graphql` that it is for. */
  readonly versions: readonly string[];
  start(schema: GraphQLSchema, contextOf: ContextOf): Promise<RunningServer>;
}

/** Imports a package by name: the project's own check does not know these. */
// deno-lint-ignore no-explicit-any -- the packages are not there when types are checked
export function load(name: string): Promise<any> {
  return import(name);
}

/** Listens on a free port. */
export async function listen(
  handler: Parameters<typeof createServer>[1],
): Promise<RunningServer & { readonly server: ReturnType<typeof createServer> }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server,
    url: `http://127.0.0.1:${port}/graphql`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** Starts GraphQL Yoga. */
export async function startYoga(
  schema: GraphQLSchema,
  contextOf: ContextOf,
  options: Readonly<Record<string, unknown>> = {},
): Promise<RunningServer> {
  const { createYoga } = await load("graphql-yoga");
  const context = ({ request }: { request: Request }) => contextOf(request);
  return await listen(createYoga({ schema, context, logging: false, ...options }));
}

/** Starts Apollo Server. */
export async function startApollo(
  schema: GraphQLSchema,
  contextOf: ContextOf,
  options: Readonly<Record<string, unknown>>,
): Promise<RunningServer> {
  const { ApolloServer } = await load("@apollo/server");
  const { startStandaloneServer } = await load("@apollo/server/standalone");
  const server = new ApolloServer({ schema, ...options });
  const { url } = await startStandaloneServer(server, {
    listen: { port: 0, host: "127.0.0.1" },
    context: ({ req }: { req: IncomingLike }) => contextOf(req),
  });
  return { url, close: () => server.stop() };
}

/** Starts Mercurius. */
export async function startMercurius(
  schema: GraphQLSchema,
  contextOf: ContextOf,
  options: Readonly<Record<string, unknown>>,
): Promise<RunningServer> {
  const { default: fastify } = await load("fastify");
  const { default: mercurius } = await load("mercurius");
  const app = fastify();
  const context = ({ raw }: { raw: IncomingLike }) => contextOf(raw);
  app.register(mercurius, { schema, context, ...options });
  return {
    url: `${await app.listen({ port: 0, host: "127.0.0.1" })}/graphql`,
    close: () => app.close(),
  };
}

/** `graphql()`, with the least that makes a server of it. */
async function startPlain(schema: GraphQLSchema, contextOf: ContextOf): Promise<RunningServer> {
  const { graphql } = await load("graphql");
  const { text } = await load("node:stream/consumers");
  return await listen(async (request, response) => {
    const { query } = JSON.parse(await text(request));
    const contextValue = await contextOf(request);
    const result = await graphql({ schema, source: query, contextValue });
    response.end(JSON.stringify(result));
  });
}

/** All servers. */
export const SERVERS: readonly ServerKind[] = [
  {
    name: "GraphQL Yoga",
    versions: ["16", "17"],
    start: startYoga,
  },
  {
    name: "Apollo Server in development",
    versions: ["16", "17"],
    start: (schema, contextOf) =>
      startApollo(schema, contextOf, { includeStacktraceInErrorResponses: true }),
  },
  {
    name: "Apollo Server in production",
    versions: ["16", "17"],
    start: (schema, contextOf) => startApollo(schema, contextOf, { nodeEnv: "production" }),
  },
  {
    name: "Apollo Server with formatError",
    versions: ["16", "17"],
    start: (schema, contextOf) =>
      startApollo(schema, contextOf, {
        includeStacktraceInErrorResponses: false,
        formatError: (formatted: { extensions: object }) => {
          Object.assign(formatted.extensions, { traceId: "1" });
          return formatted;
        },
      }),
  },
  {
    name: "Mercurius",
    versions: ["16"],
    start: (schema, contextOf) => startMercurius(schema, contextOf, {}),
  },
  {
    name: "Mercurius with jit",
    versions: ["16"],
    start: (schema, contextOf) => startMercurius(schema, contextOf, { jit: 1 }),
  },
  { name: "graphql()", versions: ["16", "17"], start: startPlain },
];
