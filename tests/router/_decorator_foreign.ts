/**
 * Decorators of other libraries, in both modes, and the detection of the mode.
 *
 * @module
 */

import { json } from "../../mod.ts";
import { assert, assertSame } from "../runtimes/harness.ts";

/** A decorator for any target and with any result, as in untyped code. */
export type AnyDecorator = (target: unknown, second?: unknown, descriptor?: unknown) => never;

/** Any function that has a `this`. */
export type AnyMethod = (this: unknown, ...args: unknown[]) => unknown;

/** How the calling module's decorators were compiled, by the arguments of one of them. */
export function observeMode(): { readonly mode: "legacy" | "standard"; readonly shares: boolean } {
  const seen: unknown[] = [];
  const look = ((...given: unknown[]) => void seen.push(...given)) as AnyDecorator;
  class Observed {
    @look
    method(): void {}
  }
  const [target, second] = seen;
  if (target === Observed.prototype) return { mode: "legacy", shares: false };
  assert(target === Observed.prototype.method, "decorated in an unknown mode");
  const { kind, metadata } = second as ClassMethodDecoratorContext;
  assertSame(kind, "method");
  return { mode: "standard", shares: typeof metadata === "object" };
}

/** A method decorator that replaces the method. */
export function replaceMethod(replacement: (method: AnyMethod) => AnyMethod): AnyDecorator {
  return ((target: unknown, _second: unknown, descriptor?: PropertyDescriptor) =>
    descriptor === undefined
      ? replacement(target as AnyMethod)
      : { ...descriptor, value: replacement(descriptor.value) }) as AnyDecorator;
}

/** A class decorator that replaces the class with a subclass. */
export const replaceClass: AnyDecorator =
  ((target: new () => object) => class extends target {}) as AnyDecorator;

/** Does nothing, as decorators that only record something. */
export const looking = (() => {}) as unknown as AnyDecorator;

/** Replaces the method with one function, the same for every method. */
export const stubbed: AnyDecorator = replaceMethod(() => stub);
function stub(): Response {
  return json("stub");
}

/** Records the call, and calls the method. */
export function noting(log: string[], word: string): AnyDecorator {
  return replaceMethod((method) =>
    function (...args) {
      log.push(word);
      return method.apply(this, args);
    }
  );
}

/** Binds a method to its instance, as `@bound` of several libraries does. */
export const bound: AnyDecorator =
  ((target: AnyMethod, second: ClassMethodDecoratorContext | string, old?: PropertyDescriptor) => {
    if (typeof second === "string") return { ...BINDING, get: bindTo(old?.value) };
    second.addInitializer(function () {
      Object.defineProperty(this, second.name, { value: target.bind(this) });
    });
    return target;
  }) as unknown as AnyDecorator;
/**
 * Applies standard decorators to a method and its class as TypeScript's output does on runtimes without
 * `Symbol.metadata`, such as Node and Bun: the contexts share no metadata.
 */
export function applyUnshared(
  target: new () => object,
  name: string,
  { method: onMethod, class: onClass }: {
    readonly method: readonly unknown[];
    readonly class?: unknown;
  },
): void {
  const { prototype } = target as unknown as { prototype: Record<string, AnyMethod> };
  for (const decorate of [...onMethod].reverse() as readonly AnyDecorator[]) {
    const context = { kind: "method", name, static: false, private: false, metadata: undefined };
    const value: unknown = decorate(prototype[name], context) ?? prototype[name];
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  }
  (onClass as AnyDecorator | undefined)?.(target, { kind: "class", metadata: undefined });
}

const BINDING = { configurable: true, enumerable: false };

function bindTo(method: AnyMethod): () => AnyMethod {
  return function (this: unknown): AnyMethod {
    return method.bind(this);
  };
}
