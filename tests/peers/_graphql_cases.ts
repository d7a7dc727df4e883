/**
 * What has to hold for a guarded schema under every GraphQL server.
 *
 * @module
 */

import type { GraphQLSchema } from "graphql";
import {
  Authenticated,
  Authorize,
  createAuthContext,
  protectSchema,
  requireSubject,
} from "../../auth/graphql/mod.ts";
import {
  authorizationDenied,
  generateSecret,
  inMemoryAuthStores,
  registerAuth,
  type TokenRuntime,
} from "../../auth/mod.ts";
import { createContainer } from "../../router/builder/container.ts";
import { assertSame, type RuntimeCase } from "../runtimes/harness.ts";
import {
  type ContextOf,
  load,
  type RunningServer,
  type ServerKind,
  SERVERS,
} from "./_graphql_servers.ts";

const SDL = `
  type User { name: String email: String }
  type Query { me: User secret: String broken: String whoami: String open: String }
`;

/** Resolvers of the schema, as properties of its root. */
const FIELDS: Readonly<Record<string, unknown>> = {
  me: { name: "Ada", email: "ada@example.org" },
  secret: "milk",
  broken: "milk",
  open: "open",
};

/** A user, with a session and an access token. */
export interface Site {
  readonly runtime: TokenRuntime;
  readonly sub: string;
  /** Revokes the session. */
  readonly revoke: () => Promise<unknown>;
  readonly contextOf: ContextOf;
  readonly cookie: Readonly<Record<string, string>>;
  /** The session's cookie and a CSRF token, without an origin. */
  readonly csrf: Readonly<Record<string, string>>;
  readonly bearer: Readonly<Record<string, string>>;
}

/** Creates the user. @param csrf What requests with the session need. */
export async function createSite(csrf: "origin" | "token" = "origin"): Promise<Site> {
  const runtime = registerAuth({
    secret: generateSecret(),
    stores: inMemoryAuthStores(),
    deployment: "direct",
    container: createContainer(),
    jwt: { issuer: "https://id.example", audience: "notes" },
    warn: () => {},
    authorization: {
      authorize(_principal, { metadata }) {
        if (metadata === "broken") throw new Error("reason of the manager");
        return authorizationDenied("reason of the manager");
      },
    },
  });
  const credentials = { identifier: "ada@example.org", password: "lovelace wrote notes" };
  const user = await runtime.passwords.createUser(credentials);
  const { token, session } = await runtime.sessions.create(user);
  const { accessToken } = await runtime.tokens.issue(user);
  const Cookie = `__Host-sid=${token}`;
  const page = new Request("https://example.com/", { headers: { Cookie } });
  const issued = await runtime.csrf.issue(page);
  const cookies = [Cookie, ...issued.cookies.map((cookie) => cookie.split(";")[0])];
  return {
    runtime,
    sub: user.sub,
    revoke: () => runtime.sessions.revoke(user.sub, session.id),
    contextOf: createAuthContext({ runtime, csrf }),
    cookie: { Cookie },
    csrf: { Cookie: cookies.join("; "), [runtime.csrf.header]: issued.token },
    bearer: { Authorization: `Bearer ${accessToken}` },
  };
}

/** The schema, with resolvers of its fields. */
export async function createSchema(sdl: string = SDL): Promise<GraphQLSchema> {
  const { buildSchema } = await load("graphql");
  const schema: GraphQLSchema = buildSchema(sdl);
  for (const [name, field] of Object.entries(schema.getQueryType()?.getFields() ?? {})) {
    field.resolve = name === "whoami"
      ? (_source, _args, context) => requireSubject(context).sub
      : () => FIELDS[name];
  }
  return schema;
}

/** Answers of a server. */
export interface ServerAnswer {
  readonly status: number;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- an answer of JSON
  readonly body: any;
  readonly codes: readonly unknown[];
}

/** Sends an operation. */
export async function ask(
  { url }: RunningServer,
  query: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<ServerAnswer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json", ...headers },
    body: JSON.stringify(typeof query === "string" ? { query } : query),
  });
  const text = await response.text();
  const body = JSON.parse(text);
  const codes = (body.errors ?? []).map((error: { extensions?: { code?: string } }) =>
    error.extensions?.code ?? "none"
  );
  return { status: response.status, text, body, codes };
}

/** The user that nothing happens to, by what requests with the session need. */
const SITES = new Map<string, Promise<Site>>();

function sharedSite(csrf: "origin" | "token"): Promise<Site> {
  const site = SITES.get(csrf) ?? createSite(csrf);
  SITES.set(csrf, site);
  return site;
}

/** Runs a test of a server. */
function serverCase(
  kind: ServerKind,
  name: string,
  test: (server: RunningServer, site: Site) => Promise<void>,
  csrf: "origin" | "token" = "origin",
): RuntimeCase {
  return {
    name: `${kind.name}: ${name}`,
    async run() {
      const site = await sharedSite(csrf);
      const rules = {
        User: { "*": Authenticated() },
        Query: { secret: Authorize("secret"), broken: Authorize("broken") },
      };
      const schema = protectSchema(await createSchema(), { rules, warn: () => {} });
      const server = await kind.start(schema, site.contextOf);
      try {
        await test(server, site);
      } finally {
        await server.close();
      }
    },
  };
}

/** The cases of all servers for a version of `graphql`. */
export function serverCases(version: string): readonly RuntimeCase[] {
  return SERVERS.filter(({ versions }) => versions.includes(version)).flatMap((kind) => [
    serverCase(
      kind,
      "a refused field keeps its code, message and path, and open ones answer",
      async (server) => {
        const { status, body, codes } = await ask(server, "{ open me { name } }");
        assertSame([status, body.data, codes], [200, { open: "open", me: { name: null } }, [
          "UNAUTHENTICATED",
        ]]);
        assertSame([body.errors[0].message, body.errors[0].path], ["Authentication required", [
          "me",
          "name",
        ]]);
      },
    ),
    serverCase(kind, "a session and a token are accepted", async (server, { cookie, bearer }) => {
      const { origin } = new URL(server.url);
      for (const headers of [{ ...cookie, Origin: origin }, bearer]) {
        const { body } = await ask(server, "{ me { name } }", headers);
        assertSame(body, { data: { me: { name: "Ada" } } });
      }
    }),
    serverCase(
      kind,
      "a session from another site, or from nowhere, is not",
      async (server, { cookie }) => {
        for (const origin of [{ Origin: "https://evil.example" }, {}]) {
          const { codes } = await ask(server, "{ me { name } }", { ...cookie, ...origin });
          assertSame(codes, ["UNAUTHENTICATED"]);
        }
      },
    ),
    serverCase(
      kind,
      "a CSRF token counts from an unknown origin, and not from another site",
      async (server, { csrf }) => {
        const { origin } = new URL(server.url);
        for (const headers of [csrf, { ...csrf, Origin: origin }]) {
          assertSame((await ask(server, "{ me { name } }", headers)).codes, []);
        }
        const forged = { ...csrf, Origin: "https://evil.example" };
        assertSame((await ask(server, "{ me { name } }", forged)).codes, ["UNAUTHENTICATED"]);
      },
    ),
    serverCase(
      kind,
      "with the rule token, the origin alone is not enough",
      async (server, { cookie, csrf }) => {
        const { origin } = new URL(server.url);
        const own = { ...cookie, Origin: origin };
        assertSame((await ask(server, "{ me { name } }", own)).codes, ["UNAUTHENTICATED"]);
        const withToken = { ...csrf, Origin: origin };
        assertSame((await ask(server, "{ me { name } }", withToken)).codes, []);
      },
      "token",
    ),
    serverCase(
      kind,
      "the same query of others, one after the other, has their own verdicts",
      async (server, { bearer }) => {
        const query = "{ open me { name } }"; // which servers keep, parsed or compiled
        for (const headers of [bearer, {}, bearer, {}, { Authorization: "Bearer x" }]) {
          const { codes } = await ask(server, query, headers);
          assertSame(codes, headers === bearer ? [] : ["UNAUTHENTICATED"]);
        }
      },
    ),
    serverCase(kind, "what the manager says or throws is not sent", async (server, { bearer }) => {
      const { text, codes, body } = await ask(server, "{ secret broken }", bearer);
      assertSame(codes, ["FORBIDDEN", "INTERNAL_SERVER_ERROR"]);
      assertSame(body.errors.map(({ message }: { message: string }) => message), [
        "Access denied",
        "Internal error",
      ]);
      assertSame(text.includes("reason of the manager"), false);
    }),
    serverCase(
      kind,
      "requireSubject() in a resolver keeps its code",
      async (server, { bearer, sub }) => {
        assertSame((await ask(server, "{ whoami }")).codes, ["UNAUTHENTICATED"]);
        assertSame((await ask(server, "{ whoami }", bearer)).body, { data: { whoami: sub } });
      },
    ),
  ]);
}
