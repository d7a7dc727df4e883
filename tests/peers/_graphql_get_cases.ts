/**
 * What has to hold for operations by GET, which checks against forgery let pass: that they change nothing, and which pages
 * may read their answers.
 *
 * @module
 */

import type { GraphQLSchema } from "graphql";
import { Authenticated, protectSchema } from "../../auth/graphql/mod.ts";
import { assert, assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import { createSite } from "./_graphql_cases.ts";
import {
  load,
  type RunningServer,
  type ServerKind,
  SERVERS,
  startYoga,
} from "./_graphql_servers.ts";

/** A guarded mutation, and how often it ran. */
async function noteSchema(): Promise<GraphQLSchema & { written: number }> {
  const { buildSchema } = await load("graphql");
  const schema = buildSchema("type Query { me: String } type Mutation { write: String }");
  schema.written = 0;
  schema.getQueryType().getFields().me.resolve = () => "Ada";
  schema.getMutationType().getFields().write.resolve = () => `${++schema.written}`;
  const rules = { Query: { me: Authenticated() }, Mutation: { write: Authenticated() } };
  return protectSchema(schema, { rules, warn: () => {} });
}

/** Sends an operation as a link does, or a page of another site. */
function get(
  { url }: RunningServer,
  query: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return fetch(`${url}?query=${encodeURIComponent(query)}`, {
    headers: {
      Accept: "application/json",
      Origin: "https://evil.example",
      "Apollo-Require-Preflight": "1", // or Apollo Server answers no GET that a link can send
      ...headers,
    },
  });
}

function mutationCase({ name, start }: ServerKind): RuntimeCase {
  return {
    name: `${name}: a mutation by GET does not run`,
    async run() {
      const { contextOf, cookie, bearer } = await createSite();
      const schema = await noteSchema();
      const server = await start(schema, contextOf);
      try {
        assertSame(await (await get(server, "{ me }", cookie)).json(), { data: { me: "Ada" } });
        for (const headers of [cookie, bearer]) {
          const { status, body } = await get(server, "mutation { write }", headers);
          await body?.cancel();
          assert(status >= 400, `${status}`);
        }
        assertSame(schema.written, 0);
      } finally {
        await server.close();
      }
    },
  };
}

const CORS: RuntimeCase = {
  name: "GraphQL Yoga: pages of every origin may read answers to GET, but with cors: false",
  async run() {
    const { contextOf, cookie } = await createSite();
    for (const isOpen of [true, false]) {
      const options = isOpen ? {} : { cors: false };
      const server = await startYoga(await noteSchema(), contextOf, options);
      const allowed = isOpen ? "https://evil.example" : null;
      try {
        const { headers, body } = await get(server, "{ me }", cookie);
        await body?.cancel();
        assertSame(headers.get("Access-Control-Allow-Origin"), allowed);
        assertSame(headers.get("Access-Control-Allow-Credentials"), allowed && "true");
      } finally {
        await server.close();
      }
    }
  },
};

/** The cases of this module for a version of `graphql`. */
export function getCases(version: string): readonly RuntimeCase[] {
  const kinds = SERVERS.filter(({ name, versions }) =>
    versions.includes(version) && name !== "graphql()" // ours answers no GET
  );
  return [...kinds.map(mutationCase), CORS];
}
