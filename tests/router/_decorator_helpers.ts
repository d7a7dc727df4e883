/**
 * Shared by the cases of decorators: routers, requests, and assertions of errors.
 *
 * @module
 */

import {
  type AuthIntegration,
  type BuilderOptions,
  type Container,
  HttpError,
  type RouterBuilder,
  routerBuilder,
} from "../../mod.ts";
import { assert } from "../runtimes/harness.ts";

/** The principal of a request. */
export interface Principal {
  readonly sub: string;
}

/** Accepts any user that the X-User header field names. */
export const integration: AuthIntegration<Principal> = {
  authorize: () => {},
  guard(req) {
    const sub = req.headers.get("X-User");
    return sub === null ? undefined : { sub };
  },
};

/** A builder that keeps expected errors from the console. */
export function quiet<Args extends unknown[] = []>(
  options: BuilderOptions<Args> = {},
): RouterBuilder<Args> {
  return routerBuilder<Args>({ onError: () => {}, ...options });
}

/** Counts what reaches `onError`. */
export function counted(options: BuilderOptions = {}): {
  readonly errors: readonly unknown[];
  readonly builder: RouterBuilder;
} {
  const errors: unknown[] = [];
  return { errors, builder: quiet({ ...options, onError: (error) => void errors.push(error) }) };
}

/** Anything that answers requests by path. */
interface Answering {
  request(path: string, init?: RequestInit): Promise<Response>;
}

/** Status and JSON of a response; of a problem, its code. */
export async function answer(
  router: Answering,
  path: string,
  init?: RequestInit,
): Promise<readonly [number, unknown]> {
  const response = await router.request(path, init);
  const text = await response.text();
  const body = text === "" ? null : JSON.parse(text);
  return [response.status, response.status >= 400 ? body.code : body];
}

/** A request with JSON. */
export function jsonInit(data: unknown, method = "POST"): RequestInit {
  return {
    method,
    body: JSON.stringify(data),
    headers: [["Content-Type", "application/json"]],
  };
}

/** Checks that a programming error throws a TypeError whose message contains these words. */
export function assertRefused(run: () => unknown, ...words: readonly string[]): void {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  assert(thrown instanceof TypeError, `${thrown} is not a TypeError`);
  for (const word of words) assert(thrown.message.includes(word), `${thrown} lacks "${word}"`);
}

/** A container of another library: singletons in a map. */
export function foreignContainer(): Container & { readonly names: () => readonly string[] } {
  const known = new Map<unknown, unknown>();
  return {
    names: () => [...known.keys()].map((token) => (token as { readonly name: string }).name),
    register(token, provider): void {
      if (!("useClass" in provider)) throw new HttpError(500, "unsupported");
      known.set(token, new provider.useClass());
    },
    resolve: <T>(token: unknown) => known.get(token) as T,
    has: (token) => known.has(token),
  };
}
