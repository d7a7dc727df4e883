/**
 * A registered route: its validated options, and the list of steps that it runs.
 *
 * @module
 */

import type { Method } from "./_engine.ts";
import type { MatchedRoute, RequestContext } from "./_context.ts";
import { andThen } from "./_promise.ts";
import { Bare, EMPTY } from "./_query.ts";
import { checkFunction } from "./_options.ts";
import { middlewareStep, type Step } from "./_step.ts";
import { checkContentType, CONTENT_METHODS, readContent } from "./content_type.ts";
import { HttpError } from "./problem.ts";
import { isResponse } from "./response.ts";
import { type RouteSchema, type SchemaPart, type StandardSchemaV1, validate } from "./schema.ts";
import {
  type AuthorizationOption,
  mayBeAnonymous,
  type RouteAccess,
  type SchemeStrategy,
  scopeOf,
  type ScopeOption,
} from "./access.ts";
import type { AuthIntegration, RouteGuard } from "./guard.ts";
import type { Middleware, RouteOptions } from "./handler.ts";

/** A router's guard. */
export interface InstalledGuard {
  readonly guard: RouteGuard<object>;
  readonly challenge: string;
  readonly strategies: readonly SchemeStrategy[];
  readonly authorize: AuthIntegration<object>["authorize"];
  readonly authorizationPolicy: "optional" | "required";
  readonly use: readonly Middleware<unknown[]>[];
}

/** What a route requires of the guard that its router had when the route was added. */
export interface GuardedAccess extends InstalledGuard {
  readonly access: RouteAccess;
}

/** A handler or middleware, whatever extra arguments it takes. */
export type AnyFunction = (req: RequestContext, ...args: unknown[]) => unknown;

/** A registered route or mount. */
export interface Route extends MatchedRoute {
  readonly method: Method;
  readonly options: RouteOptions<unknown[]>;
  readonly mounted: boolean;
  readonly handler: AnyFunction;
  /** Middleware of the router's view that it was added through. */
  readonly provided: readonly Middleware<unknown[]>[];
  readonly guard: GuardedAccess | undefined;
  /** Scopes that it names, of its middleware too. */
  readonly scope: ScopeOption | undefined;
  /** Finds validators of the parts that its schema leaves open, when its steps are compiled. */
  readonly validators: () => RouteSchema | undefined;
  /** Compiled at the first match. */
  steps: readonly Step[] | undefined;
}

/** Maximum bytes of a body, by how it is read. */
export const BODY_LIMITS: Readonly<Record<"plain" | "multipart", number>> = {
  plain: 1024 * 1024,
  multipart: 10 * 1024 * 1024,
};

/** Seconds within which a body must arrive. */
export const DEFAULT_BODY_TIMEOUT = 30;

/**
 * The steps of a route, in order: authentication, schemas of the path and the query, authorization, middleware, content,
 * handler. The body comes late, so that an anonymous client cannot make the server buffer one, and 401 precedes 415 and
 * 422. Without a guard, middleware comes first: it may be one.
 */
export function compileRoute(route: Route): readonly Step[] {
  const { guard, provided, options: { use = [] } } = route;
  const schema: RouteSchema = { ...route.validators(), ...route.options.schema };
  const middleware = [...provided, ...use].map((one) => middlewareStep(one));
  const parts = [
    ...schemaSteps(schema.params, "params"),
    ...schemaSteps(schema.query, "query"),
  ];
  return [
    ...(guard === undefined
      ? [...middleware, ...parts]
      : [...guardSteps(guard), ...parts, ...authorizeSteps(guard), ...middleware]),
    ...contentSteps(route),
    ...schemaSteps(schema.body, "body"),
    middlewareStep(route.handler as Middleware<unknown[]>),
  ];
}

/** Checks an integration and copies what a guard consists of. @throws {TypeError} If one of its functions is none. */
export function installedGuard(integration: AuthIntegration<object>): InstalledGuard {
  checkFunction(integration.guard, "integration", "guard");
  checkFunction(integration.authorize, "integration", "authorize", true);
  checkFunction(integration.catch, "integration", "catch", true);
  checkFunction(integration.finally, "integration", "finally", true);
  const use = [...integration.use ?? []] as Middleware<unknown[]>[];
  use.forEach((middleware) => middlewareStep(middleware)); // rejects what is not a function
  return {
    guard: integration.guard,
    challenge: integration.challenge ?? "Session",
    strategies: integration.strategies ?? [],
    authorize: integration.authorize,
    authorizationPolicy: integration.authorizationPolicy ?? "optional",
    use,
  };
}

/**
 * What a route requires of its router's guard, read once so that later changes of the options cannot open it.
 *
 * @throws {TypeError} If it requires a guard and there is none, or something that the guard does not check.
 */
export function guardedAccess(
  options: RouteOptions<unknown[]>,
  guard: InstalledGuard | undefined,
  where: string,
): GuardedAccess | undefined {
  const { auth, authorization } = options;
  const { mode = "required", ...stepUp } = typeof auth === "object" ? auth : {};
  const rules = Object.entries({ authorization, scope: options.scope, ...stepUp });
  const option = rules.find(([, value]) => value !== undefined)?.[0];
  if (guard === undefined && (option !== undefined || (auth !== undefined && auth !== false))) {
    throw new TypeError(
      `Cannot add ${where}: it needs a guard, and the router has none; call withAuth() first`,
    );
  }
  if (guard === undefined || auth === false) return undefined;
  if (option !== undefined && guard.authorize === undefined) {
    throw new TypeError(
      `Cannot add ${where}: ${option} needs an integration with authorize()`,
    );
  }
  if (authorization === undefined && guard.authorizationPolicy === "required") {
    throw new TypeError(
      `Cannot add ${where}: authorization is missing, and authorizationPolicy is "required"; pass { metadata } or "none"`,
    );
  }
  const scope = scopeOf(options);
  return {
    ...guard,
    access: {
      mode,
      ...stepUp,
      ...(authorization === undefined ? {} : { authorization: copyOf(authorization) }),
      ...(scope === undefined ? {} : { scope }),
    },
  };
}

function copyOf(authorization: AuthorizationOption | "none"): AuthorizationOption | "none" {
  return typeof authorization === "object" ? { ...authorization } : authorization;
}

function contentSteps({ method, options: { multipart, raw } }: Route): readonly Step[] {
  if (raw) return [];
  if (!CONTENT_METHODS.has(method)) return [];
  const mode = multipart ? "multipart" : "json";
  return [step((ctx) => checkContentType(ctx, mode)), step((ctx) => readContent(ctx, mode))];
}

function guardSteps(guard: GuardedAccess): readonly Step[] {
  return [
    ...guard.use.map((middleware) => middlewareStep(middleware)),
    step(
      (ctx, args) =>
        andThen(guard.guard(ctx, guard.access, ...args), (subject) => admit(ctx, subject, guard)),
      true,
    ),
  ];
}

function authorizeSteps({ authorize, access }: GuardedAccess): readonly Step[] {
  if (authorize === undefined) return [];
  return [
    step((ctx, args) =>
      andThen(
        authorize(ctx, ctx.principal as object | undefined, access, ...args),
        decide,
      ), true),
  ];
}

/** Only what returns nothing has passed: a `false` or a response is no rejection, and must not be mistaken for consent. */
function decide(result: unknown): undefined {
  if (result === undefined) return;
  throw new TypeError(
    "Cannot admit the request: authorize() returned a value",
  );
}

/** Stores what a guard returned. Nothing but a principal is accepted as one. */
function admit(
  ctx: RequestContext,
  subject: unknown,
  { access, challenge }: GuardedAccess,
): undefined {
  if (subject === undefined || subject === null) {
    if (mayBeAnonymous(access)) return;
    throw new HttpError(401, "unauthenticated", { headers: { "WWW-Authenticate": challenge } });
  }
  if (!isPrincipal(subject)) {
    throw new TypeError(
      "Cannot admit the request: the guard returned no principal",
    );
  }
  ctx.principal = subject;
}

/** Distinguishes a principal from what a faulty guard may return: a flag, a name, an error, a response. */
function isPrincipal(subject: unknown): subject is object {
  return typeof subject === "object" && !Array.isArray(subject) && !(subject instanceof Error) &&
    !isResponse(subject);
}

function schemaSteps(schema: StandardSchemaV1 | undefined, part: SchemaPart): readonly Step[] {
  if (schema === undefined) return [];
  return [step((ctx) => {
    return andThen(
      validate(schema, readPart(ctx, part), part),
      (output) => ctx.write(part, output),
    );
  })];
}

function readPart(ctx: RequestContext, part: SchemaPart): unknown {
  switch (part) {
    case "params":
      return writable(ctx.params);
    case "query":
      return writable(ctx.query);
    case "body":
      return ctx.content;
  }
}

/** The empty object is shared and frozen, and some validators write defaults into their input. */
function writable(part: object): object {
  return part === EMPTY ? new Bare() : part;
}

function step(run: (ctx: RequestContext, args: unknown[]) => unknown, guards?: true): Step {
  return { appliesTo: undefined, guards, around: false, run };
}
