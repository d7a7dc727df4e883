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
  return (source, args, context, info) => {
    const state = stateOf(context);
    if (state === undefined) throw refusalError("UNAUTHENTICATED", info.schema);
    let verdict: Verdict | Promise<Verdict> = checkIdentity(rule, state, info);
    if (verdict === undefined && rule.authorize.length > 0) {
      verdict = checkOnce(rule, state, { args, info });
    }
    if (verdict === undefined) return next(source, args, context, info);
    if (typeof verdict === "string") throw refusalError(verdict, info.schema);
    return verdict.then((code) => {
      if (code !== undefined) throw refusalError(code, info.schema);
      return next(source, args, context, info);
    });
  };
}

/** The checks of a rule but the manager's, in order. */
export function checkIdentity(rule: FieldRule, state: AuthState, info: ResolveInfoLike): Verdict {
  const { status, principal } = state.identity;
  switch (status) {
    case "failed":
      return "UNAUTHENTICATED";
    case "unavailable":
      return "INTERNAL_SERVER_ERROR";
    case "anonymous": {
      const mayBeAnonymous = rule.authenticated.length === 0 &&
        rule.authorize.every(({ allowAnonymous }) => allowAnonymous);
      return mayBeAnonymous ? undefined : "UNAUTHENTICATED";
    }
    case "authenticated":
      for (const needed of rule.stepUps) {
        if (stepUpFailure(principal, needed, state.now) === undefined) continue;
        deny(state, rule, { reason: "insufficient_authentication", info });
        return "UNAUTHENTICATED";
      }
      if (hasScope(principal, rule.scope)) return undefined;
      deny(state, rule, { reason: "insufficient_scope", info });
      return "FORBIDDEN";
  }
}

/** One verdict for all elements of a list: the manager sees the arguments, and not the parent. */
function checkOnce(rule: FieldRule, state: AuthState, call: FieldCall): Verdict | Promise<Verdict> {
  const { fieldNodes: [node], variableValues } = call.info;
  const key = argumentsKey(call.args);
  if (key === undefined || node === undefined) return askManagers(rule, state, call);
  const entries = entriesOf(state, variableValues, node);
  for (const entry of entries) {
    if (entry.rule === rule && entry.key === key) return entry.verdict;
  }
  const entry: MemoEntry = { rule, key, verdict: askManagers(rule, state, call) };
  entries.push(entry);
  if (entry.verdict instanceof Promise) {
    entry.verdict.then((verdict) => entry.verdict = verdict); // later fields need not wait
  }
  return entry.verdict;
}

function entriesOf({ memo }: AuthState, variables: object, node: object): MemoEntry[] {
  const known = memo.get(node);
  if (known?.variables === variables) return known.entries;
  const entries: MemoEntry[] = [];
  memo.set(node, { variables, entries }); // those of an earlier operation do not count for this one
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
  deny(state, rule, { reason: result.reason, info });
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
  { reason, info }: { readonly reason: string; readonly info: ResolveInfoLike },
): void {
  if (state.reported.has(rule)) return;
  state.reported.add(rule);
  state.deny(reason, routeOf(info));
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

/** `Type.field`, for events and warnings. */
export function routeOf({ parentType, fieldName }: ResolveInfoLike): string {
  return `${parentType.name}.${fieldName}`;
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | undefined)?.then === "function";
}
