/**
 * A guarded GraphQL schema, executed by GraphQL.js itself.
 *
 * @module
 */

import { buildSchema, execute, type GraphQLSchema, parse, printSchema, subscribe } from "graphql";
import {
  assertProtected,
  Authenticated,
  Authorize,
  createAuthContext,
  type GraphqlAuthContext,
  protectSchema,
  type ProtectSchemaOptions,
  PublicField,
  requireSubject,
} from "../../auth/graphql/mod.ts";
import {
  apiKeyService,
  apiKeyStrategy,
  authorizationAllowed,
  authorizationDenied,
  generateSecret,
  inMemoryAuthStores,
  registerAuth,
} from "../../auth/mod.ts";
import { createContainer } from "../../router/mod.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";

const ORIGIN = "https://example.com";
const SDL = `
  interface Node { id: ID }
  type User implements Node { id: ID name: String email: String }
  type Query { me: User node: Node users: [User] note(id: Int): String open: String }
  type Subscription { ticks: Int }
`;
const USER = { __typename: "User", id: "1", name: "Ada", email: "ada@example.org" };
const ROOT = { me: USER, node: USER, users: Array(1000).fill(USER), note: "milk", open: "open" };
const QUIET = { warn: () => {} };

/** An application with a user, its session, token and API key. */
async function createSite() {
  const stores = inMemoryAuthStores();
  const apiKeys = apiKeyService(stores);
  let asked = 0;
  const runtime = registerAuth({
    secret: generateSecret(),
    stores,
    deployment: "direct",
    container: createContainer(),
    jwt: { issuer: ORIGIN, audience: "notes" },
    strategies: [apiKeyStrategy({ apiKeys })],
    warn: () => {},
    authorization: {
      async authorize(_principal, { transport }) {
        asked++;
        await Promise.resolve();
        return transport.kind === "graphql" && transport.args.id !== 2
          ? authorizationAllowed()
          : authorizationDenied("secret reason");
      },
    },
  });
  const credentials = { identifier: "ada@example.org", password: "lovelace wrote notes" };
  const user = await runtime.passwords.createUser(credentials);
  const { token, session } = await runtime.sessions.create(user);
  const { accessToken } = await runtime.tokens.issue(user);
  const { key } = await apiKeys.create(user.sub, { scope: ["notes:read"] });
  const contextOf = createAuthContext({ runtime });
  return {
    runtime,
    session,
    asked: () => asked,
    as: (headers: Record<string, string> = {}, method = "GET") =>
      contextOf(new Request(`${ORIGIN}/graphql`, { method, headers })),
    cookie: { Cookie: `__Host-sid=${token}` },
    bearer: { Authorization: `Bearer ${accessToken}` },
    apiKey: { "X-API-Key": key },
    sub: user.sub,
  };
}

/** The data and the codes of an operation, as JSON. */
async function ask(
  schema: GraphQLSchema,
  source: string,
  contextValue: GraphqlAuthContext | undefined,
): Promise<readonly unknown[]> {
  const document = parse(source);
  const { data, errors = [] } = await execute({ schema, document, rootValue: ROOT, contextValue });
  return [JSON.parse(JSON.stringify(data)), errors.map(({ extensions }) => extensions.code)];
}

function guardedSchema(options: ProtectSchemaOptions): GraphQLSchema {
  return protectSchema(buildSchema(SDL), { ...QUIET, ...options });
}

const USER_GUARD = { User: { "*": Authenticated({ scope: ["notes:read"] }) } };

/** Who asks, and the code of `me.name`. */
type Site = Awaited<ReturnType<typeof createSite>>;
const ASKED_BY: readonly (readonly [
  who: string,
  as: (site: Site) => Promise<GraphqlAuthContext>,
  code: string | undefined,
])[] = [
  ["nobody", ({ as }) => as(), "UNAUTHENTICATED"],
  ["a session", ({ as, cookie }) => as(cookie), undefined],
  [
    "a session from another site",
    ({ as, cookie }) => as({ ...cookie, Origin: "https://evil.example" }, "POST"),
    "UNAUTHENTICATED",
  ],
  ["an access token", ({ as, bearer }) => as(bearer), undefined],
  ["a wrong access token", ({ as }) => as({ Authorization: "Bearer x" }), "UNAUTHENTICATED"],
  ["an API key", ({ as, apiKey }) => as(apiKey), undefined],
];

/** The cases, in the order in which they run. */
export const graphqlCases: readonly RuntimeCase[] = [
  ...ASKED_BY.map(([who, as, code]) => ({
    name: `graphql: a guarded field, asked for by ${who}`,
    async run() {
      const site = await createSite();
      const schema = guardedSchema({ rules: USER_GUARD });
      const [data, codes] = await ask(schema, "{ open me { name } }", await as(site));
      const name = code === undefined ? "Ada" : null;
      assertSame([data, codes], [{ open: "open", me: { name } }, code === undefined ? [] : [code]]);
    },
  })),
  {
    name: "graphql: an API key where no scope is named",
    async run() {
      const { as, apiKey } = await createSite();
      const schema = guardedSchema({ default: Authenticated() });
      assertSame(await ask(schema, "{ open }", await as(apiKey)), [{ open: null }, ["FORBIDDEN"]]);
    },
  },
  {
    name: "graphql: interfaces, public fields, and what is printed",
    async run() {
      const { as } = await createSite();
      const rules = { User: { "*": Authenticated(), id: PublicField() } };
      const schema = guardedSchema({ rules });
      assertProtected(schema);
      assertSame(printSchema(schema), printSchema(buildSchema(SDL)));
      const answer = await ask(schema, "{ node { id ... on User { email } } }", await as());
      assertSame(answer, [{ node: { id: "1", email: null } }, ["UNAUTHENTICATED"]]);
    },
  },
  {
    name: "graphql: decorators of a class",
    async run() {
      @Authenticated()
      class Account {
        @PublicField()
        name() {}
      }
      const { as } = await createSite();
      const schema = guardedSchema({ types: { User: Account } });
      const answer = await ask(schema, "{ me { name email } }", await as());
      assertSame(answer, [{ me: { name: "Ada", email: null } }, ["UNAUTHENTICATED"]]);
    },
  },
  {
    name: "graphql: the manager is asked once for a list, and again for other arguments",
    async run() {
      const { as, cookie, asked } = await createSite();
      const rules = { User: { name: Authorize("name") }, Query: { note: Authorize("note") } };
      const schema = guardedSchema({ rules });
      const context = await as(cookie);
      await ask(schema, "{ users { name } }", context);
      assertSame(asked(), 1);
      const answer = await ask(schema, "{ a: note(id: 1) b: note(id: 2) }", context);
      assertSame(answer, [{ a: "milk", b: null }, ["FORBIDDEN"]]);
    },
  },
  {
    name: "graphql: a subscription ends when the session is revoked",
    async run() {
      const { runtime, as, cookie, session, sub } = await createSite();
      const schema = guardedSchema({ rules: { Subscription: { ticks: Authenticated() } } });
      async function* ticks() {
        yield { ticks: 1 };
        await runtime.sessions.revoke(sub, session.id);
        yield { ticks: 2 };
        yield { ticks: 3 };
      }
      const stream = await subscribe({
        schema,
        document: parse("subscription { ticks }"),
        rootValue: { ticks },
        contextValue: await as(cookie),
      });
      const seen: unknown[] = [];
      if (Symbol.asyncIterator in stream) {
        for await (const { data, errors = [] } of stream) {
          seen.push([data?.ticks, errors.map(({ extensions }) => extensions.code)]);
        }
      }
      assertSame(seen, [[1, []], [null, ["UNAUTHENTICATED"]]]);
    },
  },
  {
    name: "graphql: requireSubject() throws an error of the schema's own class",
    async run() {
      const { as, cookie, sub } = await createSite();
      guardedSchema({});
      assertSame(requireSubject(await as(cookie)).sub, sub);
      try {
        requireSubject(await as());
      } catch (error) {
        const { name, message } = error as Error;
        assertSame([name, message], ["GraphQLError", "Authentication required"]);
        return;
      }
      throw new Error("requireSubject() did not throw");
    },
  },
];
