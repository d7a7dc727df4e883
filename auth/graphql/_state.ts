/**
 * Who a GraphQL operation is from, as guards know it: a value that only {@linkcode createAuthContext} creates.
 *
 * @module
 */

import type { AuthorizationManager } from "../authorization.ts";
import type { Principal } from "../principal.ts";
import type { RefusalCode } from "./_error.ts";
import type { FieldRule } from "./_rules.ts";

/** The latest authentication: `failed` is an invalid credential, `unavailable` a strategy that threw. */
export type Identity =
  | { readonly status: "authenticated"; readonly principal: Principal }
  | { readonly status: "anonymous" | "failed" | "unavailable"; readonly principal?: undefined };

/** One verdict of the manager about a field and its arguments. */
export interface MemoEntry {
  readonly rule: FieldRule;
  readonly key: string;
  verdict: Verdict | Promise<Verdict>;
}

/** Why a field is refused; `undefined` if it is not. */
export type Verdict = RefusalCode | undefined;

/** Verdicts about a node of the document, for the values of the variables, which each operation has of its own. */
export interface NodeMemo {
  readonly variables: object;
  readonly entries: MemoEntry[];
}

/** By node. */
export type Memo = WeakMap<object, NodeMemo>;

/** State of a context. */
export interface AuthState {
  /** The latest authentication. */
  identity: Identity;
  /** Verdicts of the operation, or of the event of a subscription. */
  memo: Memo;
  /** Rules whose denial an event has reported, for the same time. */
  reported: WeakSet<FieldRule>;
  /** The request. */
  readonly request: Request;
  /** Decides where the schema has no manager of its own. */
  readonly manager: AuthorizationManager;
  /** The time, in seconds since the epoch. */
  readonly now: () => number;
  /** Emits the event of a denial. @param route `Type.field` */
  readonly deny: (reason: string, route: string) => void;
  /** Called with warnings. */
  readonly warn: (message: string, error?: unknown) => void;
  /** Authenticates again, and forgets all verdicts. Another subject counts as an invalid credential. */
  readonly renew: () => Promise<void>;
}

/** Property of contexts. Enumerable there, so that `{ ...context }` has it too. */
export const AUTH_STATE: unique symbol = Symbol("gatehouse.graphql");

/** Refers to the state itself, so that a copy of one is none. Cheaper than a WeakSet, which each field would ask. */
const SELF: unique symbol = Symbol("self");

/** Makes a state one that {@linkcode stateOf} accepts. */
export function registerState(state: AuthState): AuthState {
  return Object.defineProperty(state, SELF, { value: state });
}

type BrandedState = AuthState & { readonly [SELF]?: AuthState };

/** The state of a context; `undefined` if it is not from {@linkcode createAuthContext}. */
export function stateOf(context: unknown): AuthState | undefined {
  if (typeof context !== "object" || context === null) return undefined;
  const state = (context as { readonly [AUTH_STATE]?: BrandedState })[AUTH_STATE];
  return state?.[SELF] === state ? state : undefined;
}
