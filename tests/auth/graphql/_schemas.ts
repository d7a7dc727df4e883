/**
 * Both versions of GraphQL.js behind one type, and a runtime whose principals a header field names, for tests.
 *
 * @module
 */

import {
  authenticated,
  type AuthEvent,
  authFailed,
  type AuthorizationManager,
  type AuthStrategy,
  createContainer,
  createPrincipal,
  generateSecret,
  inMemoryAuthStores,
  noCredential,
  type PrincipalInit,
  registerAuth,
} from "@gatehouse/http";
import {
  createAuthContext,
  type GraphqlAuthContext,
  type ProtectSchemaOptions,
} from "@gatehouse/http/auth/graphql";
import * as graphql17 from "graphql";
import * as graphql16 from "graphql16";

/** An error, as clients get it. */
export interface ErrorAnswer {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string };
}

/** The answer to an operation, as JSON. */
export interface Answer {
  // deno-lint-ignore no-explicit-any -- tests read what they asked for
  readonly data?: any;
  readonly errors?: readonly ErrorAnswer[];
}

/** One operation. */
export interface Operation {
  readonly source: string;
  readonly rootValue?: unknown;
  readonly contextValue?: unknown;
  readonly variableValues?: Readonly<Record<string, unknown>>;
}

/** The part of GraphQL.js that tests use, of one version. */
export interface Version {
  readonly name: "16" | "17";
  readonly module: typeof graphql17;
}

/** Both versions. The older one has all that tests use of the newer one's types. */
export const VERSIONS: readonly Version[] = [
  { name: "17", module: graphql17 },
  { name: "16", module: graphql16 as unknown as typeof graphql17 },
];

/** Defines a test for each version. */
export function testBoth(name: string, test: (version: Version) => void | Promise<void>): void {
  for (const version of VERSIONS) Deno.test(`${name} (${version.name})`, () => test(version));
}

/** Executes an operation. @returns What a client gets. */
export async function run(
  { module }: Version,
  schema: graphql17.GraphQLSchema,
  operation: Operation,
): Promise<Answer> {
  return JSON.parse(JSON.stringify(await module.graphql({ schema, ...operation })));
}

/** The codes of an answer's errors by their path. */
export function codesOf({ errors = [] }: Answer): Readonly<Record<string, string>> {
  return Object.fromEntries(
    errors.map(({ path = [], extensions }) => [path.join("."), extensions?.code ?? "none"]),
  );
}

/** Silences the count of undeclared fields. */
export const QUIET: Pick<ProtectSchemaOptions, "warn"> = { warn: () => {} };

/** Options of {@linkcode createUsers}. */
export interface UsersOptions {
  readonly manager?: AuthorizationManager;
  readonly now?: () => number;
}

/** Authentication whose credential is the header field `X-User`: the subject, or `bad`. */
export interface Users {
  /** A context of a subject; of nobody without one. */
  readonly as: (sub?: string) => Promise<GraphqlAuthContext>;
  /** What principals have besides their subject; `undefined` for a subject whose session is revoked. */
  readonly known: Map<string, Partial<PrincipalInit> | undefined>;
  readonly events: AuthEvent[];
  readonly warnings: string[];
  readonly strategy: AuthStrategy & { asked: number };
}

/** Creates the authentication. */
export function createUsers({ manager, now }: UsersOptions = {}): Users {
  const known: Users["known"] = new Map();
  const events: AuthEvent[] = [];
  const warnings: string[] = [];
  const strategy: Users["strategy"] = {
    name: "user",
    scheme: { type: "header", name: "X-User" },
    asked: 0,
    authenticate({ request }) {
      strategy.asked++;
      const sub = request.headers.get("X-User");
      if (sub === null) return noCredential();
      if (sub === "bad" || (known.has(sub) && known.get(sub) === undefined)) {
        return authFailed("invalid_user", "secret of the strategy");
      }
      const init = { sub, method: "user", authTime: 0, ...known.get(sub) };
      return authenticated(createPrincipal(init, now === undefined ? {} : { now }));
    },
  };
  const runtime = registerAuth({
    secret: generateSecret(),
    stores: inMemoryAuthStores(),
    deployment: "direct",
    container: createContainer(),
    strategies: [strategy],
    events: (event) => void events.push(event),
    warn: (message) => void warnings.push(message),
    ...(manager === undefined ? {} : { authorization: manager }),
    ...(now === undefined ? {} : { now }),
  });
  const contextOf = createAuthContext({ runtime });
  return {
    as: (sub) => {
      const headers: Record<string, string> = sub === undefined ? {} : { "X-User": sub };
      return contextOf(new Request("https://example.com/graphql", { headers }));
    },
    known,
    events,
    warnings,
    strategy,
  };
}
