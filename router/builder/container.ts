/**
 * A small dependency injection container. Any object with the three methods of {@linkcode Container} can replace it,
 * for example a wrapper around another library.
 *
 * @module
 */

/** A class whose constructor takes no arguments; it gets its dependencies from {@linkcode inject}. */
export type Class<T> = new () => T;

/** A named token with a type. Created by {@linkcode token}. */
export interface TypedToken<T> {
  /** Name, for error messages. */
  readonly name: string;
  /** Type of the provided value. Never present at run time. */
  readonly "~type"?: T;
}

/** Key of a provider. Strings and symbols are compared by value, other tokens by identity. */
export type Token<T> = Class<T> | TypedToken<T> | string | symbol;

/**
 * How to create the value of a token: once, at the first `resolve`, unless `singleton` is `false`. A promise that a
 * factory returns is stored as it is, even if it rejects.
 */
export type Provider<T> =
  | { readonly useValue: T }
  | { readonly useClass: Class<T>; readonly singleton?: boolean }
  | { readonly useFactory: (container: Container) => T; readonly singleton?: boolean };

/** Registers providers and resolves tokens. */
export interface Container {
  /** Registers a provider. It replaces an earlier one of the same token. */
  register<T>(token: Token<T>, provider: Provider<T>): void;
  /** Returns the value of a token. @throws {TypeError} If the token is unknown, or depends on itself. */
  resolve<T>(token: Token<T>): T;
  /** Whether a provider is registered for a token. */
  has(token: Token<unknown>): boolean;
}

/**
 * Creates a typed token for values without a class: an interface, a function, a configuration.
 *
 * @example
 * ```ts
 * import { createContainer, token } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const LIMIT = token<number>("limit");
 * const container = createContainer();
 * container.register(LIMIT, { useValue: 20 });
 * assertEquals(container.resolve(LIMIT) + 1, 21);
 * ```
 */
export function token<T>(name: string): TypedToken<T> {
  return Object.freeze({ name });
}

/**
 * Creates a container.
 *
 * @example
 * ```ts
 * import { createContainer, inject } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * class Clock {
 *   year = 2026;
 * }
 * class Greeter {
 *   readonly #clock = inject(Clock);
 *   greet = () => `Happy ${this.#clock.year}`;
 * }
 *
 * const container = createContainer();
 * container.register(Clock, { useClass: Clock });
 * container.register(Greeter, { useClass: Greeter });
 * assertEquals(container.resolve(Greeter).greet(), "Happy 2026");
 * ```
 */
export function createContainer(): Container {
  const providers = new Map<Token<unknown>, Provider<unknown>>();
  const singletons = new Map<Token<unknown>, unknown>();

  const container: Container = {
    register(token, provider) {
      checkProvider(token, provider);
      providers.set(token, provider);
      singletons.delete(token);
    },
    resolve<T>(token: Token<T>): T {
      if (singletons.has(token)) return singletons.get(token) as T;
      const provider = providers.get(token);
      if (provider === undefined) {
        throw resolveError(container, token, "nothing is registered for it");
      }
      if ("useValue" in provider) return provider.useValue as T;
      const made = make(container, token, provider);
      // A factory may have registered another provider for its own token.
      if (provider.singleton !== false && providers.get(token) === provider) {
        singletons.set(token, made);
      }
      return made as T;
    },
    has: (token) => providers.has(token),
  };
  return container;
}

/** The container that decorators and registrations use by default. */
export const defaultContainer: Container = /* @__PURE__ */ createContainer();

/**
 * Resolves a token from the container of {@linkcode createContainer} that is currently resolving. Works in constructors,
 * field initializers and factories, until their first `await`. Other containers have their own injection.
 *
 * @throws {TypeError} If no container is resolving, or the token is unknown or depends on itself.
 */
export function inject<T>(token: Token<T>): T {
  const current = stack.at(-1);
  if (current === undefined) {
    throw new TypeError(
      `Cannot inject ${
        tokenName(token)
      }: no container is resolving; inject() works in constructors`,
    );
  }
  return current.container.resolve(token);
}

interface Resolution {
  readonly container: Container;
  readonly token: Token<unknown>;
}

/** Tokens that are being resolved, outermost first. */
const stack: Resolution[] = [];

function make(
  container: Container,
  token: Token<unknown>,
  provider: Exclude<Provider<unknown>, { useValue: unknown }>,
): unknown {
  if (stack.some((open) => open.container === container && open.token === token)) {
    throw resolveError(container, token, "it depends on itself");
  }
  stack.push({ container, token });
  try {
    return "useClass" in provider ? new provider.useClass() : provider.useFactory(container);
  } finally {
    stack.pop();
  }
}

function checkProvider(token: Token<unknown>, provider: Provider<unknown>): void {
  const ways = ["useValue", "useClass", "useFactory"];
  if (ways.filter((way) => Object.hasOwn(provider ?? {}, way)).length !== 1) {
    throw new TypeError(
      `Cannot register ${tokenName(token)}: give one of useValue, useClass and useFactory`,
    );
  }
}

function resolveError(container: Container, token: Token<unknown>, why: string): TypeError {
  const path = stack.filter((open) => open.container === container).map((open) =>
    tokenName(open.token)
  );
  const trail = path.length === 0 ? "" : ` (${[...path, tokenName(token)].join(" → ")})`;
  return new TypeError(`Cannot resolve ${tokenName(token)}: ${why}${trail}`);
}

function tokenName(token: Token<unknown>): string {
  if (typeof token === "string") return `"${token}"`;
  return typeof token === "symbol" ? String(token) : token.name;
}
