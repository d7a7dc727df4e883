/**
 * Decorators of other people, in both modes, and what shows which mode it is.
 *
 * @module
 */

import { json } from "../../mod.ts";
import { assert, assertSame } from "../runtimes/harness.ts";

/** A decorator that may stand anywhere, and may return anything, as untyped code has them. */
export type AnyDecorator = (target: unknown, second?: unknown, descriptor?: unknown) => never;

/** Any function that has a `this`. */
export type AnyMethod = (this: unknown, ...args: unknown[]) => unknown;

/** How the calling module's decorators were compiled, by what one of them is given. */
export function observeMode(): { readonly mode: "legacy" | "standard"; readonly shares: boolean } {
  const seen: unknown[] = [];
  const look = ((...given: unknown[]) => void seen.push(...given)) as AnyDecorator;
  class Observed {
    @look
    method(): void {}
  }
  const [target, second] = seen;
  if (target === Observed.prototype) return { mode: "legacy", shares: false };
  assert(target === Observed.prototype.method, "decorated in a mode that nobody knows");
  const { kind, metadata } = second as ClassMethodDecoratorContext;
  assertSame(kind, "method");
  return { mode: "standard", shares: typeof metadata === "object" };
}

/** A method decorator that puts another function in the method's place. */
export function replaceMethod(replacement: (method: AnyMethod) => AnyMethod): AnyDecorator {
  return ((target: unknown, _second: unknown, descriptor?: PropertyDescriptor) =>
    descriptor === undefined
      ? replacement(target as AnyMethod)
      : { ...descriptor, value: replacement(descriptor.value) }) as AnyDecorator;
}

/** A class decorator that puts a class that extends it in the class's place. */
export const replaceClass: AnyDecorator =
  ((target: new () => object) => class extends target {}) as AnyDecorator;

/** Does nothing, as decorators do that only note something. */
export const looking = (() => {}) as unknown as AnyDecorator;

/** Answers by another function, the same for every method. */
export const stubbed: AnyDecorator = replaceMethod(() => stub);
function stub(): Response {
  return json("stub");
}

/** Notes that it runs, and runs the method. */
export function noting(log: string[], word: string): AnyDecorator {
  return replaceMethod((method) =>
    function (...args) {
      log.push(word);
      return method.apply(this, args);
    }
  );
}

/** Ties a method to its instance, as `@bound` of several libraries does. */
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
 * `Symbol.metadata`, which Node and Bun are: the contexts share nothing.
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
