/**
 * A registered route: its validated options, and the list of steps that it runs.
 *
 * @module
 */

import type { Method } from "./_engine.ts";
import type { MatchedRoute, RequestContext } from "./_context.ts";
import { andThen } from "./_promise.ts";
import { middlewareStep, type Step } from "./_step.ts";
import { checkContentType, CONTENT_METHODS, readContent } from "./content_type.ts";
import { HttpError } from "./problem.ts";
import { isResponse } from "./response.ts";
import { type SchemaPart, type StandardSchemaV1, validate } from "./schema.ts";
import {
  type AuthorizationOption,
  mayBeAnonymous,
  type RouteAccess,
  type SchemeStrategy,
} from "./access.ts";
import type { RouteGuard } from "./guard.ts";
import type { Middleware, RouteOptions } from "./handler.ts";

/** A router's guard. */
export interface InstalledGuard {
  readonly guard: RouteGuard<object>;
  readonly challenge: string;
  readonly strategies: readonly SchemeStrategy[];
  readonly authorizes: boolean;
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
  readonly guard: GuardedAccess | undefined;
  /** Compiled at the first match. */
  steps: readonly Step[] | undefined;
}

/** Maximum bytes of a body, by how it is read. */
export const BODY_LIMITS: Readonly<Record<"plain" | "multipart", number>> = {
  plain: 1024 * 1024,
  multipart: 10 * 1024 * 1024,
};

/**
 * The steps of a route, in order. The guard precedes the body, so that an anonymous client cannot make the server buffer
 * one, and 401 precedes 415.
 */
export function compileRoute(route: Route): readonly Step[] {
  const { options: { schema, use = [] } } = route;
  return [
    ...guardSteps(route),
    ...use.map((middleware) => middlewareStep(middleware)),
    ...contentSteps(route),
    ...schemaSteps(schema?.params, "params"),
    ...schemaSteps(schema?.query, "query"),
    ...schemaSteps(schema?.body, "body"),
    middlewareStep(route.handler as Middleware<unknown[]>),
  ];
}

/**
 * What a route requires of its router's guard, read once so that later changes of the options cannot open it.
 *
 * @throws {TypeError} If it requires a guard and there is none, or `auth` is invalid. Neither may mean "open".
 */
export function guardedAccess(
  { auth, authorization, scope }: RouteOptions<unknown[]>,
  guard: InstalledGuard | undefined,
  where: string,
): GuardedAccess | undefined {
  const mode = authMode(auth, where);
  const isNamed = authorization !== undefined || scope !== undefined;
  if (guard === undefined && (mode === true || mode === "optional" || isNamed)) {
    throw new TypeError(
      `Cannot add ${where}: it needs a guard, and the router has none; call withAuth() first`,
    );
  }
  if (guard === undefined || mode === false) return undefined;
  if (isNamed && !guard.authorizes) {
    const option = scope === undefined ? "authorization" : "scope";
    throw new TypeError(
      `Cannot add ${where}: ${option} needs a guard that supports it; set authorizes: true on the integration`,
    );
  }
  return {
    ...guard,
    access: {
      mode: mode === "optional" ? mode : "required",
      ...(authorization === undefined ? {} : { authorization: copyOf(authorization) }),
      ...(scope === undefined ? {} : { scope }),
    },
  };
}

function copyOf(authorization: AuthorizationOption | "none"): AuthorizationOption | "none" {
  return typeof authorization === "object" ? { ...authorization } : authorization;
}

/** Validates `auth`, so that a misspelt value is not mistaken for another. */
function authMode(auth: unknown, where: string): boolean | "optional" | undefined {
  if (auth === undefined || typeof auth === "boolean") return auth;
  if (typeof auth === "object" && auth !== null && "mode" in auth && auth.mode === "optional") {
    return auth.mode;
  }
  throw new TypeError(`Cannot add ${where}: auth must be true, false or { mode: "optional" }`);
}

function contentSteps({ method, options: { multipart, raw } }: Route): readonly Step[] {
  if (raw) return [];
  if (!CONTENT_METHODS.has(method)) return [];
  const mode = multipart ? "multipart" : "json";
  return [step((ctx) => checkContentType(ctx, mode)), step((ctx) => readContent(ctx, mode))];
}

function guardSteps({ guard }: Route): readonly Step[] {
  if (guard === undefined) return [];
  return [
    ...guard.use.map((middleware) => middlewareStep(middleware)),
    step((ctx, args) =>
      andThen(guard.guard(ctx, guard.access, ...args), (subject) => admit(ctx, subject, guard))
    ),
  ];
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
      "Cannot admit the request: the guard returned something other than a principal",
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
      return ctx.params;
    case "query":
      return ctx.query;
    case "body":
      return ctx.content;
  }
}

function step(run: (ctx: RequestContext, args: unknown[]) => unknown): Step {
  return { appliesTo: undefined, around: false, run };
}
