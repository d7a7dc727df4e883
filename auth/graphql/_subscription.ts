/**
 * Subscriptions: who they are for is asked again before every event.
 *
 * @module
 */

import { checkIdentity, routeOf } from "./_guard.ts";
import type { FieldRule } from "./_rules.ts";
import { type AuthState, stateOf } from "./_state.ts";
import type { FieldResolver, ResolveInfoLike } from "./schema_types.ts";

/**
 * Has a field's stream authenticate again before each event, and end after the first one whose principal is refused. The
 * executor resolves each event with the field's `resolve`, whose guard then refuses it.
 *
 * @param rule The rule of the field; `undefined` if it is public: its stream goes on, and guarded fields below it are refused.
 */
export function guardStream(rule: FieldRule | undefined, next: FieldResolver): FieldResolver {
  return (...call) => {
    const [, , context, info] = call;
    const state = stateOf(context);
    const opened = next(...call);
    if (state === undefined) return opened;
    const watch = (stream: unknown) =>
      isAsyncIterable(stream) ? watchedStream(stream, { rule, state, info }) : stream;
    return isThenable(opened) ? opened.then(watch) : watch(opened);
  };
}

interface StreamOptions {
  readonly rule: FieldRule | undefined;
  readonly state: AuthState;
  readonly info: ResolveInfoLike;
}

/** Calls of `next` are answered in order. `return` does not wait for the source's next event, which may never come. */
function watchedStream(
  source: AsyncIterable<unknown>,
  { rule, state, info }: StreamOptions,
): AsyncIterableIterator<unknown> {
  const iterator = source[Symbol.asyncIterator]();
  let isClosed = false;
  let previous: Promise<unknown> = Promise.resolve();

  /** Closes the source once. Nothing waits for it. */
  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await iterator.return?.();
  }

  async function step(): Promise<IteratorResult<unknown>> {
    if (isClosed) return { done: true, value: undefined };
    const result = await iterator.next();
    if (result.done) {
      isClosed = true;
      return result;
    }
    await state.renew();
    if (isClosed) return { done: true, value: undefined }; // the client left meanwhile
    if (rule !== undefined && checkIdentity(rule, state, info) === "UNAUTHENTICATED") {
      close().catch((error) => state.warn(`Cannot close the stream of ${routeOf(info)}`, error));
    }
    return result;
  }

  return {
    next() {
      const result = previous.then(step);
      previous = result.catch(() => {}); // each call reports its own error
      return result;
    },
    async return(value?: unknown) {
      await close();
      return { done: true, value };
    },
    async throw(error?: unknown) {
      if (isClosed || iterator.throw === undefined) {
        await close();
        throw error;
      }
      return await iterator.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** As executors recognize promises. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | undefined)?.then === "function";
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as AsyncIterable<unknown> | undefined)?.[Symbol.asyncIterator] ===
    "function";
}
