/**
 * Shared by the router's tests: requests as a server delivers them, seeded randomness, counted streams.
 *
 * @module
 */

import type { AuthIntegration } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { randomNumbers } from "../static/_random.ts";

/** A request whose `url` is the raw target, as Deno.serve and workerd deliver it; `new Request()` would collapse it. */
export function rawRequest(target: string, init?: RequestInit): Request {
  const request = new Request("http://localhost/", init);
  Object.defineProperty(request, "url", { value: "http://localhost" + target });
  return request;
}

/** A JSON request. */
export function jsonRequest(path: string, body: BodyInit | null, init: RequestInit = {}): Request {
  const headers = new Headers(init.headers);
  if (!headers.has("Content-Type")) headers.set("Content-Type", "application/json");
  return new Request(new URL(path, "http://localhost"), {
    method: "POST",
    ...init,
    headers,
    body,
    ...HALF_DUPLEX,
  });
}

/** Undici requires it for stream bodies; the DOM types lack it. */
const HALF_DUPLEX: object = { duplex: "half" };

/** Reads a problem, and checks that its status equals that of the status line. */
export async function problemOf(response: Response): Promise<Record<string, unknown>> {
  assertEquals(response.headers.get("Content-Type"), "application/problem+json");
  const body = await response.json();
  assertEquals(body.status, response.status);
  return body;
}

/** Status and code of a problem. */
export async function codeOf(
  response: Response | Promise<Response>,
): Promise<readonly [number, unknown]> {
  const settled = await response;
  return [settled.status, (await problemOf(settled)).code];
}

/** Casts a value to a type that it does not fit, as untyped code may. */
export function untyped<T>(value: unknown): T {
  return value as T;
}

/** Casts any function to a type that it does not fit, as untyped code may. */
export function badly(callback: unknown): () => never {
  return callback as () => never;
}

/** Collects errors that would go to the console. */
export function collectErrors(): {
  readonly errors: unknown[];
  readonly onError: (error: unknown) => void;
} {
  const errors: unknown[] = [];
  return { errors, onError: (error) => void errors.push(error) };
}

/** A stream that counts its pulls. */
export interface CountedStream {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Chunks that were pulled. */
  pulled(): number;
  /** Whether the reader cancelled it. */
  cancelled(): boolean;
}

/** Gives the same chunk `times` times, forever by default. */
export function countedStream(
  chunk: Uint8Array<ArrayBuffer>,
  times: number = Infinity,
): CountedStream {
  let pulled = 0;
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller): void {
      if (pulled === times) return controller.close();
      pulled++;
      controller.enqueue(chunk.slice());
    },
    cancel(): void {
      cancelled = true;
    },
  }, { highWaterMark: 0 });
  return { stream, pulled: () => pulled, cancelled: () => cancelled };
}

/** Seeded randomness. */
export interface Random {
  /** A whole number from 0, less than `limit`. */
  below(limit: number): number;
  /** One of the items. */
  pick<T>(items: readonly T[]): T;
  /** A list of `min` to `max` made items. */
  list<T>(min: number, max: number, make: () => T): T[];
}

/** Mulberry32: the same sequence for the same seed, everywhere. */
export function seeded(seed: number): Random {
  const below = randomNumbers(seed);
  return {
    below,
    pick: (items) => items[below(items.length)] as typeof items[number],
    list: (min, max, make) => Array.from({ length: min + below(max - min + 1) }, make),
  };
}

/** Every order of a list. */
export function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length === 0) yield [];
  for (const [i, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(i, 1))) yield [item, ...rest];
  }
}

/** The principal of a request. */
export interface Principal {
  readonly sub: string;
}

/** Accepts any user that the X-User header field names. */
export const saysWho: AuthIntegration<Principal> = {
  guard(req) {
    const sub = req.headers.get("X-User");
    return sub === null ? undefined : { sub };
  },
};

/** Names of the properties that an object inherits. */
export function inheritedNames(value: object): PropertyKey[] {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null ? [] : [...Reflect.ownKeys(prototype), ...inheritedNames(prototype)];
}
