/**
 * Runs the guards of a request again, while the connection that it opened stays open.
 *
 * @module
 */

import { RequestContext } from "../_context.ts";
import type { Route } from "../_route.ts";
import type { Step } from "../_step.ts";
import { linkRequest, sourceOf } from "../original_request.ts";
import type { RecheckRequest } from "../request.ts";

/** The guards of one router that a request went through. */
interface Level {
  readonly ctx: RequestContext;
  readonly args: readonly unknown[];
  readonly guards: readonly Step[];
}

/**
 * Creates the function that runs the guards of a request again: what `withAuth()` installs, and middleware that is marked as
 * a guard, of the outermost router first. It rejects with what they throw, and updates `principal`.
 *
 * @returns `undefined` if the request has no guard.
 */
export function guardRecheck(entered: RequestContext): (() => Promise<void>) | undefined {
  const levels = contextsOf(entered).map((ctx) => ({
    ctx,
    args: ctx.args.map(lasting),
    guards: guardsOf(ctx),
  }));
  if (levels.every(({ guards }) => guards.length === 0)) return undefined;
  const headers = new Headers(entered.headers); // Deno's cannot be read once the connection is open
  return () => runGuards(levels, headers);
}

async function runGuards(levels: readonly Level[], headers: Headers): Promise<void> {
  let outer: RequestContext | undefined;
  for (const { ctx, args, guards } of levels) {
    const request = new Request(ctx.url, { headers });
    if (outer !== undefined) linkRequest(request, outer);
    const again = contextFor(request, ctx, args);
    outer = again;
    for (const step of guards) {
      let hasPassed = false;
      const next = () => {
        hasPassed = true;
        return new Response(null);
      };
      if (step.around) await step.run(again, next, ...args);
      else hasPassed = await step.run(again, [...args]) === undefined;
      if (!hasPassed) throw answered();
    }
    ctx.principal = again.principal;
  }
}

/** The context of a later request to the same route, with the outputs of its schemas. */
function contextFor(
  request: Request,
  ctx: RequestContext,
  args: readonly unknown[],
): RequestContext {
  const { method, url, target, match, defaultRules } = ctx;
  const again = new RequestContext(request, method, url, target, match, defaultRules, false, args);
  again.enter(ctx.index);
  again.write("params", ctx.params);
  again.write("query", ctx.query);
  again.namedScope = ctx.namedScope;
  return Object.assign<RequestContext, RecheckRequest>(again, { recheck: true });
}

/** What the host passed to `fetch`, for later: Deno's cannot be read once the connection is open. */
function lasting(arg: unknown): unknown {
  const isInfo = typeof arg === "object" && arg !== null && "remoteAddr" in arg;
  return isInfo ? { remoteAddr: arg.remoteAddr } : arg;
}

function answered(): TypeError {
  return new TypeError("Cannot check the connection again: a guard returned a response");
}

/** The contexts that a request went through by mounts, the outermost one first. */
function contextsOf(entered: RequestContext): readonly RequestContext[] {
  const contexts = [entered];
  for (let at = sourceOf(entered.raw); at !== undefined;) {
    if ("raw" in at) contexts.unshift(at as RequestContext);
    at = sourceOf("raw" in at ? at.raw : at);
  }
  return contexts;
}

function guardsOf(ctx: RequestContext): readonly Step[] {
  const route = ctx.match[0][ctx.index]?.[0].value as Route | undefined;
  const steps = [...ctx.defaultRules.steps as readonly Step[], ...route?.steps ?? []];
  return steps.filter(({ guards, appliesTo }) => guards && (appliesTo?.(ctx.path) ?? true));
}
