/**
 * The guard of a field: authentication, step-up, scopes, and the authorization manager.
 *
 * @module
 */

import { hasScope } from "../_scope.ts";
import { stepUpFailure } from "../_step_up.ts";
import { type AuthorizationResult, type GraphqlTransport, isAllowed } from "../authorization.ts";
import { argumentsKey } from "./_arguments_key.ts";
import { refusalError } from "./_error.ts";
import type { FieldRule } from "./_rules.ts";
import { type AuthState, type MemoEntry, stateOf, type Verdict } from "./_state.ts";
import type { FieldResolver, ResolveInfoLike } from "./schema_types.ts";

/** A call of a field's function. */
interface FieldCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly info: ResolveInfoLike;
}

/** Has a field's function called only if its rule lets the request pass. What is synchronous stays so. */
export function guardResolver(rule: FieldRule, next: FieldResolver): FieldResolver {
  return (...call) => {
    const [, args, context, info] = call;
    const verdict = checkField(rule, context, { args, info });
    if (verdict === undefined) return next(...call);
    if (typeof verdict === "string") throw refusalError(verdict, info.schema);
    return verdict.then((code) => {
      if (code !== undefined) throw refusalError(code, info.schema);
      return next(...call);
    });
  };
}

/** The checks of a rule, in order. */
function checkField(
  rule: FieldRule,
  context: unknown,
  call: FieldCall,
): Verdict | Promise<Verdict> {
  const state = stateOf(context);
  if (state === undefined) return "UNAUTHENTICATED";
  const verdict = checkIdentity(rule, state, routeOf(call.info));
  if (verdict !== undefined || rule.authorize.length === 0) return verdict;
  return checkOnce(rule, state, call);
}

/** Everything but the manager. @param route `Type.field`, for events */
export function checkIdentity(rule: FieldRule, state: AuthState, route: string): Verdict {
  const { authenticated, authorize, scope } = rule;
  const { status, principal } = state.identity;
  switch (status) {
    case "failed":
      return "UNAUTHENTICATED";
    case "unavailable":
      return "INTERNAL_SERVER_ERROR";
    case "anonymous": {
      const mayBeAnonymous = authenticated.length === 0 &&
        authorize.every(({ allowAnonymous }) => allowAnonymous);
      return mayBeAnonymous ? undefined : "UNAUTHENTICATED";
    }
    case "authenticated":
      for (const needed of authenticated) {
        if (stepUpFailure(principal, needed, state.now) === undefined) continue;
        deny(state, rule, { reason: "insufficient_authentication", route });
        return "UNAUTHENTICATED";
      }
      if (hasScope(principal, scope)) return undefined;
      deny(state, rule, { reason: "insufficient_scope", route });
      return "FORBIDDEN";
  }
}

/** One verdict for all elements of a list: the manager sees the arguments, and not the parent. */
function checkOnce(rule: FieldRule, state: AuthState, call: FieldCall): Verdict | Promise<Verdict> {
  const { fieldNodes: [node], variableValues } = call.info;
  const key = argumentsKey(call.args);
  if (key === undefined || node === undefined) return askManagers(rule, state, call);
  const entries = entriesOf(state, variableValues, node);
  const known = entries.find((entry) => entry.rule === rule && entry.key === key);
  if (known !== undefined) return known.verdict;
  const verdict = askManagers(rule, state, call);
  entries.push({ rule, key, verdict });
  return verdict;
}

function entriesOf({ memo }: AuthState, variables: object, node: object): MemoEntry[] {
  const nodes = memo.get(variables) ?? new WeakMap<object, MemoEntry[]>();
  memo.set(variables, nodes);
  const entries = nodes.get(node) ?? [];
  nodes.set(node, entries);
  return entries;
}

/** Asks for each declaration until one is refused. An error is no verdict: the client gets a fixed text. */
function askManagers(
  rule: FieldRule,
  state: AuthState,
  call: FieldCall,
  from: number = 0,
): Verdict | Promise<Verdict> {
  const { authorize, manager = state.manager } = rule;
  const { principal } = state.identity;
  for (const [i, { metadata }] of authorize.entries()) {
    if (i < from) continue;
    try {
      const result = manager.authorize(principal, {
        metadata,
        transport: transportOf(state, call),
      });
      if (isThenable(result)) {
        return Promise.resolve(result).then(
          (settled) => read(settled, rule, state, call) ?? askManagers(rule, state, call, i + 1),
        ).catch((error) => fail(state, call, error));
      }
      const verdict = read(result, rule, state, call);
      if (verdict !== undefined) return verdict;
    } catch (error) {
      return fail(state, call, error);
    }
  }
  return undefined;
}

function read(
  result: AuthorizationResult,
  rule: FieldRule,
  state: AuthState,
  { info }: FieldCall,
): Verdict {
  if (isAllowed(result)) return undefined;
  deny(state, rule, { reason: result.reason, route: routeOf(info) });
  return "FORBIDDEN";
}

function fail(state: AuthState, { info }: FieldCall, error: unknown): Verdict {
  state.warn(`Cannot authorize ${routeOf(info)}: the authorization manager failed`, error);
  return "INTERNAL_SERVER_ERROR";
}

/** One event for each rule: a list of a thousand elements is one denial. */
function deny(
  state: AuthState,
  rule: FieldRule,
  { reason, route }: { readonly reason: string; readonly route: string },
): void {
  if (state.reported.has(rule)) return;
  state.reported.add(rule);
  state.deny(reason, route);
}

function transportOf({ request }: AuthState, { args, info }: FieldCall): GraphqlTransport {
  return {
    kind: "graphql",
    request,
    type: info.parentType.name,
    field: info.fieldName,
    args,
  };
}

function routeOf({ parentType, fieldName }: ResolveInfoLike): string {
  return `${parentType.name}.${fieldName}`;
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | undefined)?.then === "function";
}
