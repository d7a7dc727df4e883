/**
 * What has to hold for operations that share a request, and for what single servers add to errors.
 *
 * @module
 */

import type { GraphQLSchema } from "graphql";
import { Authenticated, Authorize, protectSchema } from "../../auth/graphql/mod.ts";
import {
  authorizationAllowed,
  authorizationDenied,
  type AuthorizationManager,
} from "../../auth/mod.ts";
import { assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import { ask, createSite } from "./_graphql_cases.ts";
import {
  type ContextOf,
  load,
  type RunningServer,
  startApollo,
  startMercurius,
  startYoga,
} from "./_graphql_servers.ts";

/** A server that takes an array of operations. */
interface BatchKind {
  readonly name: string;
  readonly versions: readonly string[];
  start(schema: GraphQLSchema, contextOf: ContextOf): Promise<RunningServer>;
}

const BATCHING: readonly BatchKind[] = [
  {
    name: "GraphQL Yoga",
    versions: ["16", "17"],
    start: (schema, contextOf) => startYoga(schema, contextOf, { batching: true }),
  },
  {
    name: "Apollo Server", // all operations of a request share copies of one context
    versions: ["16", "17"],
    start: (schema, contextOf) =>
      startApollo(schema, contextOf, { allowBatchedHttpRequests: true }),
  },
  {
    name: "Mercurius",
    versions: ["16"],
    start: (schema, contextOf) => startMercurius(schema, contextOf, { allowBatchedQueries: true }),
  },
];

/** Notes by their number, of which a manager allows the first. */
async function noteSchema(): Promise<GraphQLSchema & { asked: number }> {
  const { buildSchema } = await load("graphql");
  const schema = buildSchema("type Query { note(id: Int!): String me: String open: String }");
  const { note, me, open } = schema.getQueryType().getFields();
  note.resolve = (_source: unknown, { id }: { id: number }) => `note ${id}`;
  me.resolve = () => "Ada";
  open.resolve = () => "open";
  schema.asked = 0;
  const manager: AuthorizationManager = {
    authorize(_principal, { transport }) {
      schema.asked++;
      return Promise.resolve(
        transport.kind === "graphql" && transport.args.id === 1
          ? authorizationAllowed()
          : authorizationDenied("of another user"),
      );
    },
  };
  const rules = { Query: { note: Authorize("note"), me: Authenticated() } };
  return protectSchema(schema, { rules, manager, warn: () => {} });
}

interface Outcome {
  readonly data: Readonly<Record<string, string | null>>;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

/** The value, or the code of the error, of each operation of an answer. */
function outcomesOf(body: readonly Outcome[]): readonly unknown[] {
  return body.map(({ data, errors }) => errors?.[0]?.extensions.code ?? Object.values(data)[0]);
}

function batchCase({ name, start }: BatchKind): RuntimeCase {
  return {
    name: `${name}: operations of a batch have verdicts of their own`,
    async run() {
      const { contextOf, bearer } = await createSite();
      const schema = await noteSchema();
      const server = await start(schema, contextOf);
      const query = "query ($id: Int!) { note(id: $id) }"; // one document, two sets of variables
      const notes = [1, 2, 1, 2].map((id) => ({ query, variables: { id } }));
      const batch = [...notes, { query: "{ me }" }, { query: "{ open }" }];
      try {
        const denied = "FORBIDDEN";
        for (const asked of [4, 8]) { // the second time, the parsed document may be shared
          const { body } = await ask(server, batch, bearer);
          assertSame(outcomesOf(body), ["note 1", denied, "note 1", denied, "Ada", "open"]);
          assertSame(schema.asked, asked); // no verdict is of another operation
        }
        const anonymous = await ask(server, batch);
        assertSame(outcomesOf(anonymous.body), [...Array(5).fill("UNAUTHENTICATED"), "open"]);
        assertSame(schema.asked, 8);
      } finally {
        await server.close();
      }
    },
  };
}

const REASON = "reason of the manager";

/** A schema whose fields are refused, and one that throws an error of its own. */
async function failingSchema(): Promise<GraphQLSchema> {
  const { buildSchema } = await load("graphql");
  const schema = buildSchema("type Query { secret: String broken: String own: String }");
  schema.getQueryType().getFields().own.resolve = () => {
    throw new Error("own");
  };
  const manager: AuthorizationManager = {
    authorize(_principal, { metadata }) {
      if (metadata === "broken") throw new Error(REASON);
      return Promise.resolve(authorizationDenied(REASON));
    },
  };
  const rules = { Query: { secret: Authorize("secret"), broken: Authorize("broken") } };
  return protectSchema(schema, { rules, manager, warn: () => {} });
}

const CODES = ["FORBIDDEN", "INTERNAL_SERVER_ERROR"];

/** For every version of `graphql`. */
const ERRORS: readonly RuntimeCase[] = [
  {
    name: "GraphQL Yoga: errors of the application are masked, refusals are not",
    async run() {
      const { contextOf, bearer } = await createSite();
      const server = await startYoga(await failingSchema(), contextOf);
      try {
        const { body, text, codes } = await ask(server, "{ secret broken own }", bearer);
        assertSame(codes.toSorted(), [...CODES, "INTERNAL_SERVER_ERROR"]);
        const messages = body.errors.map(({ message }: { message: string }) => message).toSorted();
        assertSame(messages, ["Access denied", "Internal error", "Unexpected error."]);
        assertSame(text.includes(REASON), false);
      } finally {
        await server.close();
      }
    },
  },
  {
    name: "Apollo Server: a stacktrace, which only development has, is of the guard alone",
    async run() {
      const { contextOf, bearer } = await createSite();
      for (const nodeEnv of ["development", "production"]) {
        const server = await startApollo(await failingSchema(), contextOf, { nodeEnv });
        try {
          const { body, text, codes } = await ask(server, "{ secret broken }", bearer);
          assertSame(codes.toSorted(), CODES);
          for (const { extensions } of body.errors) {
            const { code, stacktrace } = extensions;
            assertSame(Object.keys(extensions).length, stacktrace === undefined ? 1 : 2);
            assertSame(Array.isArray(stacktrace), nodeEnv === "development");
            const message = code === "FORBIDDEN" ? "Access denied" : "Internal error";
            assertSame(
              stacktrace?.[0] ?? message,
              stacktrace ? `GraphQLError: ${message}` : message,
            );
          }
          assertSame(text.includes(REASON), false);
        } finally {
          await server.close();
        }
      }
    },
  },
  {
    name: "Apollo Server: a formatError() that changes errors changes no later ones",
    async run() {
      const { contextOf, bearer } = await createSite();
      const seen: string[] = [];
      const server = await startApollo(await failingSchema(), contextOf, {
        formatError(
          formatted: { message: string; extensions: Record<string, unknown> },
          error: { originalError?: unknown; extensions: Record<string, unknown> },
        ) {
          seen.push(`${formatted.message} ${formatted.extensions.code}`);
          formatted.message = "Changed";
          formatted.extensions.code = "CHANGED";
          error.extensions.code = "CHANGED";
          return formatted;
        },
      });
      try {
        for (let i = 0; i < 2; i++) {
          assertSame((await ask(server, "{ secret }", bearer)).codes, ["CHANGED"]);
        }
        assertSame(seen, Array(2).fill("Access denied FORBIDDEN"));
      } finally {
        await server.close();
      }
    },
  },
];

/** The cases of this module for a version of `graphql`. */
export function batchCases(version: string): readonly RuntimeCase[] {
  const kinds = BATCHING.filter(({ versions }) => versions.includes(version));
  return [...kinds.map(batchCase), ...ERRORS];
}
