/**
 * What has to hold for subscriptions and incremental delivery, over SSE and over WebSockets.
 *
 * @module
 */

import type { GraphQLSchema } from "graphql";
import {
  Authenticated,
  Authorize,
  type Declaration,
  type IncomingLike,
  protectSchema,
} from "../../auth/graphql/mod.ts";
import { authorizationAllowed } from "../../auth/mod.ts";
import { assert, assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import { createSchema, createSite, type Site } from "./_graphql_cases.ts";
import { load, startMercurius, startYoga } from "./_graphql_servers.ts";
import {
  GRAPHQL_WS,
  type Headers,
  MERCURIUS,
  type Seen,
  socketClient,
  type StreamKind,
  type Ticks,
  tickSchema,
  YOGA,
} from "./_graphql_streams.ts";

/** Runs a test of a stream. */
function streamCase(
  kind: StreamKind,
  name: string,
  { rule, isRevoked = false, test }: {
    readonly rule: Declaration;
    /** Revokes the session after the first event. */
    readonly isRevoked?: boolean;
    readonly test: (
      subscribe: (headers: Headers, parameters?: Headers) => Promise<readonly Seen[]>,
      site: Site & { readonly counts: Ticks["counts"]; readonly origin: Headers },
    ) => Promise<void>;
  },
): RuntimeCase {
  return {
    name: `${kind.name}: ${name}`,
    async run() {
      const site = await createSite();
      const { schema, counts } = await tickSchema(rule, isRevoked ? site.revoke : undefined);
      const { url, close } = await kind.start(schema, site.contextOf);
      const origin = { Origin: new URL(url).origin };
      try {
        await test((...given) => kind.subscribe(url, ...given), { ...site, counts, origin });
      } finally {
        await close();
      }
    },
  };
}

function casesOf(kind: StreamKind): readonly RuntimeCase[] {
  return [
    streamCase(kind, "credentials and the origin decide before the source is opened", {
      rule: Authenticated(),
      async test(subscribe, { cookie, bearer, origin, counts }) {
        const refused = [
          {},
          origin,
          { Authorization: "Bearer x", ...origin },
          cookie,
          { ...cookie, Origin: "https://evil.example" },
        ];
        for (const headers of refused) {
          assertSame(await subscribe(headers), ["UNAUTHENTICATED"]);
        }
        assertSame(counts, { opened: 0, closed: 0 });
        for (const headers of [bearer, { ...cookie, ...origin }]) {
          assertSame(await subscribe(headers), [1, 2, 3]);
        }
        assertSame(counts, { opened: 2, closed: 2 });
      },
    }),
    streamCase(kind, "a stream ends when its session is revoked, and its source is closed", {
      rule: Authenticated(),
      isRevoked: true,
      async test(subscribe, { cookie, origin, counts }) {
        assertSame(await subscribe({ ...cookie, ...origin }), [1, "UNAUTHENTICATED"]);
        assertSame(counts, { opened: 1, closed: 1 });
      },
    }),
    streamCase(kind, "the manager decides about each event", {
      rule: Authorize("ticks"),
      async test(subscribe, { bearer, counts }) {
        assertSame(await subscribe(bearer), [1, "FORBIDDEN", 3]);
        assertSame(counts, { opened: 1, closed: 1 });
      },
    }),
  ];
}

const CONNECTION_PARAMS = streamCase(GRAPHQL_WS, "connectionParams carry a token", {
  rule: Authenticated(),
  async test(subscribe, { cookie, bearer, origin }) {
    assertSame(await subscribe({}, bearer), [1, 2, 3]);
    assertSame(await subscribe(origin, { authorization: bearer.Authorization ?? "" }), [1, 2, 3]);
    for (const parameters of [{ Authorization: "Bearer x" }, cookie]) {
      assertSame(await subscribe(origin, parameters), ["UNAUTHENTICATED"]);
    }
  },
});

/** The parts of a response that is delivered incrementally. */
async function partsOf(url: string, query: string, headers: Headers): Promise<readonly string[]> {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json", Accept: "multipart/mixed" },
    body: JSON.stringify({ query }),
  });
  assertSame(response.headers.get("Content-Type")?.startsWith("multipart/mixed"), true);
  return (await response.text()).split("\n").filter((line) => line.trim().startsWith("{"));
}

interface MeData {
  readonly me: { readonly name: string };
}

/** Asks twice over one socket of Mercurius. @returns The user's name, or the code of the error. */
async function askSocket(
  subscription: object,
  { site, headers = {}, connectionParams = {}, between = () => {} }: {
    readonly site: Site;
    readonly headers?: Headers;
    readonly connectionParams?: Headers;
    readonly between?: () => unknown;
  },
): Promise<readonly unknown[]> {
  const schema = protectSchema(await createSchema(), {
    rules: { Query: { me: Authenticated() } },
    warn: () => {},
  });
  const server = await startMercurius(schema, site.contextOf, {
    subscription: { fullWsTransport: true, ...subscription },
  });
  const origin = { Origin: new URL(server.url).origin };
  const client = await socketClient(server.url, { ...origin, ...headers }, connectionParams);
  const seen: unknown[] = [];
  try {
    for (let i = 0; i < 2; i++) {
      for await (const { data, errors } of client.iterate<MeData>({ query: "{ me { name } }" })) {
        seen.push(errors?.[0]?.extensions.code ?? data?.me.name);
      }
      await between();
    }
  } finally {
    await client.dispose();
    await server.close();
  }
  return seen;
}

/** What Mercurius's sockets do that others do not. */
const MERCURIUS_SOCKETS: readonly RuntimeCase[] = [
  {
    name: "Mercurius over a WebSocket: onConnect gives the context of a token of connection_init",
    async run() {
      const site = await createSite();
      const subscription = {
        context: (_socket: unknown, { raw }: { raw: IncomingLike }) => site.contextOf(raw),
        onConnect: ({ payload = {} }: { payload?: Readonly<Record<string, unknown>> }) =>
          payload.Authorization === undefined
            ? true
            : site.contextOf(new Request("https://example.com"), { connectionParams: payload }),
      };
      const ask = (headers: Headers, connectionParams: Headers) =>
        askSocket(subscription, { site, headers, connectionParams });
      assertSame(await ask({}, site.bearer), ["Ada", "Ada"]);
      assertSame(await ask(site.cookie, {}), ["Ada", "Ada"]);
      const refused = Array(2).fill("UNAUTHENTICATED");
      assertSame(await ask({}, {}), refused);
      assertSame(await ask({}, { Authorization: "Bearer x" }), refused);
      assertSame(await ask({ ...site.cookie, Origin: "https://evil.example" }, {}), refused);
    },
  },
  {
    name: "Mercurius over a WebSocket: queries have the identity that the socket started with",
    async run() {
      const site = await createSite();
      const context = (_socket: unknown, { raw }: { raw: IncomingLike }) => site.contextOf(raw);
      const { cookie: headers, revoke: between } = site;
      assertSame(await askSocket({ context }, { site, headers, between }), ["Ada", "Ada"]);
    },
  },
];

const INCREMENTAL: RuntimeCase = {
  name: "GraphQL Yoga: @defer and @stream deliver nothing of a guarded field",
  async run() {
    const { buildSchema } = await load("graphql");
    const { useDeferStream } = await load("@graphql-yoga/plugin-defer-stream");
    const { contextOf, bearer } = await createSite();
    const schema: GraphQLSchema = buildSchema(`
      type User { id: Int name: String }
      type Query { open: String me: User users: [User] names: [String] }
    `);
    const fields = schema.getQueryType()?.getFields() ?? {};
    const users = [{ id: 1, name: "Ada" }, { id: 2, name: "Ada" }];
    const values = { open: "open", me: users[0], users, names: ["Ada", "Ada"] };
    for (const [name, value] of Object.entries(values)) {
      const field = fields[name];
      assert(field !== undefined, name);
      field.resolve = () => value;
    }
    const manager = { authorize: () => Promise.resolve(authorizationAllowed()) };
    const rules = { User: { name: Authorize("name") }, Query: { names: Authenticated() } };
    protectSchema(schema, { rules, manager, warn: () => {} });
    const server = await startYoga(schema, contextOf, { plugins: [useDeferStream()] });
    const queries: readonly (readonly [query: string, names: number, refused: number])[] = [
      ["{ open me { id ... @defer { name } } }", 1, 1],
      ["{ open ... @defer { names } }", 2, 1],
      ["{ open users @stream(initialCount: 1) { id name } }", 2, 2],
      ["{ open me { id ... @defer { name } } users @stream(initialCount: 0) { name } }", 3, 3],
    ];
    try {
      for (const [query, names, refused] of queries) {
        const granted = await partsOf(server.url, query, bearer);
        assert(granted.length > 1, `${query}: ${granted}`);
        assertSame(granted.join().split('"Ada"').length - 1, names);
        const parts = await partsOf(server.url, query, {});
        const text = parts.join();
        assert(parts.length > 1, `${query}: ${text}`);
        assertSame([text.includes("Ada"), text.includes('"open":"open"')], [false, true]);
        assertSame(text.split('"code":"UNAUTHENTICATED"').length - 1, refused);
      }
    } finally {
      await server.close();
    }
  },
};

/** The cases of streams for a version of `graphql`. */
export function streamCases(version: string): readonly RuntimeCase[] {
  const kinds = [YOGA, GRAPHQL_WS, MERCURIUS].filter(({ versions }) => versions.includes(version));
  const common = [...kinds.flatMap(casesOf), CONNECTION_PARAMS, INCREMENTAL];
  return version === "16" ? [...common, ...MERCURIUS_SOCKETS] : common;
}
