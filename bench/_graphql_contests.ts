/**
 * Queries of a guarded schema beside the same schema without guards, guarded by graphql-shield, and beside Pothos with and without
 * its plugin for authorization: in one process, in turn.
 *
 * @module
 */

import type * as GraphqlModule from "graphql";
import type { GraphQLSchema } from "graphql";
import { Authenticated, Authorize, createAuthContext, protectSchema } from "../auth/graphql/mod.ts";
import {
  authenticated,
  authorizationAllowed,
  type AuthorizationManager,
  type AuthStrategy,
  createPrincipal,
} from "../auth/mod.ts";

/** Times of one contestant, and as a multiple of the one that it is compared with. */
export interface GraphqlTime {
  readonly name: string;
  readonly us: number;
  readonly ratio: number;
}

/** Bytes in use before and after many queries. */
export interface GraphqlMemory {
  readonly queries: number;
  readonly before: number;
  readonly after: number;
}

/** What is measured, and beside what. */
interface Contestant {
  readonly name: string;
  readonly base: string;
  readonly run: () => unknown;
}

// deno-lint-ignore no-explicit-any -- packages of npm that only this measurement has
type Package = any;

/** The packages, all with the same copy of `graphql`. */
export interface GraphqlPackages {
  readonly graphql: typeof GraphqlModule;
  /** Absent where it does not load: it needs a function that Deno's `util` has no more. */
  readonly shield: Package | undefined;
  readonly middleware: Package;
  readonly pothos: Package;
  readonly scopeAuth: Package;
}

const FIELDS = Array.from({ length: 10 }, (_, i) => `f${i}`);
const ITEM = Object.fromEntries(FIELDS.map((name) => [name, `value of ${name}`]));
const QUERY = `{ items { ${FIELDS.join(" ")} } }`;

function itemsOf(count: number): readonly (typeof ITEM)[] {
  return Array.from({ length: count }, () => ITEM);
}

/** A list of objects of ten fields, resolved by default. */
function createSchema(
  { GraphQLList, GraphQLObjectType, GraphQLSchema, GraphQLString }: typeof GraphqlModule,
  items: readonly object[],
): GraphQLSchema {
  const item = new GraphQLObjectType({
    name: "Item",
    fields: Object.fromEntries(FIELDS.map((name) => [name, { type: GraphQLString }])),
  });
  const field = { type: new GraphQLList(item), resolve: () => items };
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: "Query", fields: { items: field } }),
  });
}

const strategy: AuthStrategy = {
  name: "user",
  scheme: { type: "bearer" },
  authenticate: () => authenticated(createPrincipal({ sub: "ada", method: "bearer" })),
};
const contextOf = createAuthContext({ strategy });
const REQUEST = new Request("https://example.com/graphql");

function runOf(
  { execute, parse }: typeof GraphqlModule,
  schema: GraphQLSchema,
  contextOf: () => unknown,
): () => unknown {
  const document = parse(QUERY);
  return () => execute({ schema, document, contextValue: contextOf() });
}

/** The schema of Pothos, with or without its plugin. */
function createPothos(
  { pothos, scopeAuth }: GraphqlPackages,
  items: readonly object[],
  isGuarded: boolean,
): GraphQLSchema {
  const authScopes = ({ sub }: { sub?: string }) => ({ user: sub !== undefined });
  const options = isGuarded ? { plugins: [scopeAuth.default], scopeAuth: { authScopes } } : {};
  const builder: Package = new pothos.default(options);
  const item = builder.objectRef("Item").implement({
    ...(isGuarded ? { authScopes: { user: true } } : {}),
    fields: (t: Package) =>
      Object.fromEntries(FIELDS.map((name) => [name, t.exposeString(name, { nullable: true })])),
  });
  const fields = (t: Package) => ({ items: t.field({ type: [item], resolve: () => items }) });
  builder.queryType({ fields });
  return builder.toSchema();
}

function createShield(
  { graphql, shield: { rule, shield }, middleware }: GraphqlPackages,
  items: readonly object[],
): GraphQLSchema {
  const allowed = rule({ cache: "contextual" })(
    (_parent: unknown, _args: unknown, { sub }: { sub?: string }) => sub !== undefined,
  );
  return middleware.applyMiddleware(createSchema(graphql, items), shield({ Item: allowed }));
}

function guarded(
  graphql: typeof GraphqlModule,
  items: readonly object[],
  declaration: ReturnType<typeof Authenticated>,
  manager?: AuthorizationManager,
): GraphQLSchema {
  const rules = { Item: { "*": declaration } };
  return protectSchema(createSchema(graphql, items), { rules, manager, warn: () => {} });
}

/** Measures queries of so many fields. Contestants take turns, so that what disturbs one disturbs all. */
export async function compareGraphql(
  packages: GraphqlPackages,
  { fields, rounds }: { readonly fields: number; readonly rounds: number },
): Promise<readonly GraphqlTime[]> {
  const { graphql } = packages;
  const items = itemsOf(fields / FIELDS.length);
  const sync: AuthorizationManager = { authorize: () => authorizationAllowed() };
  const later: AuthorizationManager = { authorize: () => Promise.resolve(authorizationAllowed()) };
  // Each query has a context of its own, as servers create it
  const contexts = await Promise.all(Array.from({ length: 64 }, () => contextOf(REQUEST)));
  let next = 0;
  const own = () => contexts[next++ % contexts.length];
  const plain = () => ({ sub: "ada" });
  const ours = (declaration: ReturnType<typeof Authenticated>, manager?: AuthorizationManager) =>
    runOf(graphql, guarded(graphql, items, declaration, manager), own);
  const pothos = (isGuarded: boolean) =>
    runOf(graphql, createPothos(packages, items, isGuarded), plain);
  const unprotected = "unprotected";
  const contestants: readonly Contestant[] = [
    {
      name: unprotected,
      base: unprotected,
      run: runOf(graphql, createSchema(graphql, items), own),
    },
    { name: "Authenticated", base: unprotected, run: ours(Authenticated()) },
    { name: "Authorize", base: unprotected, run: ours(Authorize("x"), sync) },
    { name: "Authorize, asynchronous", base: unprotected, run: ours(Authorize("x"), later) },
    ...(packages.shield === undefined ? [] : [{
      name: "graphql-shield, contextual",
      base: unprotected,
      run: runOf(graphql, createShield(packages, items), plain),
    }]),
    { name: "Pothos", base: "Pothos", run: pothos(false) },
    { name: "Pothos, scope-auth", base: "Pothos", run: pothos(true) },
  ];
  const samples = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  for (let round = -2; round < rounds; round++) { // the first two warm up
    for (const { name, run } of contestants) {
      const start = performance.now();
      for (let i = 0; i < 20; i++) await run();
      if (round >= 0) samples.get(name)?.push((performance.now() - start) * 1000 / 20);
    }
  }
  const median = (list: readonly number[] = []) =>
    list.toSorted((a, b) => a - b)[list.length >> 1] ?? NaN;
  return contestants.map(({ name, base }) => {
    const ratios = samples.get(name)?.map((us, i) => us / (samples.get(base)?.[i] ?? NaN));
    return { name, us: median(samples.get(name)), ratio: median(ratios) };
  });
}

/** Bytes in use around many small queries, each with a request and a context of its own. */
export async function measureGraphqlMemory(
  graphql: typeof GraphqlModule,
  queries: number,
): Promise<GraphqlMemory> {
  const manager: AuthorizationManager = { authorize: () => authorizationAllowed() };
  const schema = guarded(graphql, itemsOf(2), Authorize("x"), manager);
  const document = graphql.parse(QUERY);
  const runMany = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const contextValue = await contextOf(new Request("https://example.com/graphql"));
      await graphql.execute({ schema, document, contextValue });
    }
  };
  const collect = (globalThis as { readonly gc?: () => void }).gc ?? (() => {});
  await runMany(1000);
  collect();
  const before = Deno.memoryUsage().heapUsed;
  await runMany(queries);
  collect();
  return { queries, before, after: Deno.memoryUsage().heapUsed };
}
