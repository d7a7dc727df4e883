/**
 * A guarded subscription, the servers that carry it, and clients of these.
 *
 * @module
 */

import type { GraphQLSchema } from "graphql";
import { type Declaration, protectSchema } from "../../auth/graphql/mod.ts";
import { authorizationAllowed, authorizationDenied } from "../../auth/mod.ts";
import {
  type ContextOf,
  listen,
  load,
  type RunningServer,
  startMercurius,
  startYoga,
} from "./_graphql_servers.ts";

/** Header fields of a request. */
export type Headers = Readonly<Record<string, string>>;

/** A stream of three numbers, and what becomes of it. */
export interface Ticks {
  readonly schema: GraphQLSchema;
  /** How many streams were opened, and closed. */
  readonly counts: { opened: number; closed: number };
}

/** Numbers that a manager refuses the second of, if it is asked. @param afterFirst Called before the second one. */
export async function tickSchema(
  rule: Declaration,
  afterFirst: () => unknown = () => {},
): Promise<Ticks> {
  const { buildSchema } = await load("graphql");
  const schema = buildSchema("type Query { x: Int } type Subscription { ticks: Int }");
  const counts = { opened: 0, closed: 0 };
  let tick = 0;
  schema.getSubscriptionType().getFields().ticks.subscribe = async function* () {
    counts.opened++;
    try {
      yield { ticks: tick = 1 };
      await afterFirst();
      yield { ticks: tick = 2 };
      yield { ticks: tick = 3 };
    } finally {
      counts.closed++;
    }
  };
  const manager = {
    authorize: () => tick === 2 ? authorizationDenied("not now") : authorizationAllowed(),
  };
  const rules = { Subscription: { ticks: rule } };
  return { schema: protectSchema(schema, { rules, manager, warn: () => {} }), counts };
}

/** An event: a value, or the code of its error. */
export type Seen = number | string;

interface OperationResult<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

interface TickData {
  readonly ticks: number | null;
}

function seenOf({ data, errors }: OperationResult<TickData>): Seen {
  return errors?.[0]?.extensions.code ?? data?.ticks ?? "nothing";
}

/** A server of subscriptions, and how a client subscribes. */
export interface StreamKind {
  readonly name: string;
  readonly versions: readonly string[];
  start(schema: GraphQLSchema, contextOf: ContextOf): Promise<RunningServer>;
  subscribe(url: string, headers: Headers, parameters?: Headers): Promise<readonly Seen[]>;
}

async function subscribeBySse(url: string, headers: Headers): Promise<readonly Seen[]> {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({ query: "subscription { ticks }" }),
  });
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => seenOf(JSON.parse(line.slice("data: ".length))));
}

/** What is used of a client of graphql-ws. */
interface SocketClient {
  iterate<Data>(operation: { readonly query: string }): AsyncIterable<OperationResult<Data>>;
  dispose(): Promise<void> | void;
}

/** A client of graphql-ws: one socket, from the first operation on. */
export async function socketClient(
  url: string,
  headers: Headers,
  connectionParams: Headers,
): Promise<SocketClient> {
  const { createClient } = await load("graphql-ws");
  const { WebSocket } = await load("ws");
  class Socket extends WebSocket {
    constructor(address: string, protocols: string) {
      super(address, protocols, { headers });
    }
  }
  return createClient({
    url: url.replace("http", "ws"),
    webSocketImpl: Socket,
    connectionParams,
    retryAttempts: 0,
    lazyCloseTimeout: 1000,
  });
}

async function subscribeBySocket(
  url: string,
  headers: Headers,
  connectionParams: Headers = {},
): Promise<readonly Seen[]> {
  const client = await socketClient(url, headers, connectionParams);
  const seen: Seen[] = [];
  try {
    for await (const event of client.iterate<TickData>({ query: "subscription { ticks }" })) {
      seen.push(seenOf(event));
    }
  } catch (errors) {
    if (!Array.isArray(errors)) throw errors;
    seen.push(seenOf({ errors })); // instead of a stream
  }
  await client.dispose();
  return seen;
}

/** What the `ws` server of graphql-ws passes. */
interface SocketContext {
  readonly extra: { readonly request: Parameters<ContextOf>[0] };
  readonly connectionParams?: Readonly<Record<string, unknown>>;
}

async function startGraphqlWs(
  schema: GraphQLSchema,
  contextOf: ContextOf,
): Promise<RunningServer> {
  const { useServer } = await load("graphql-ws/use/ws");
  const { WebSocketServer } = await load("ws");
  const { server, url, close } = await listen((_request, response) => void response.end());
  const sockets = new WebSocketServer({ server, path: "/graphql" });
  const context = ({ extra, connectionParams }: SocketContext) =>
    contextOf(extra.request, { connectionParams });
  useServer({ schema, context }, sockets);
  return {
    url,
    close() {
      sockets.close();
      return close();
    },
  };
}

/** GraphQL Yoga. */
export const YOGA: StreamKind = {
  name: "GraphQL Yoga over SSE",
  versions: ["16", "17"],
  start: startYoga,
  subscribe: subscribeBySse,
};

/** The server of graphql-ws. */
export const GRAPHQL_WS: StreamKind = {
  name: "graphql-ws",
  versions: ["16", "17"],
  start: startGraphqlWs,
  subscribe: subscribeBySocket,
};

/** Mercurius, which takes a context for each socket, not for each operation. */
export const MERCURIUS: StreamKind = {
  name: "Mercurius over a WebSocket",
  versions: ["16"],
  start: (schema, contextOf) =>
    startMercurius(schema, contextOf, {
      subscription: {
        context: (_socket: unknown, { raw }: { raw: Parameters<ContextOf>[0] }) => contextOf(raw),
      },
    }),
  subscribe: subscribeBySocket,
};
