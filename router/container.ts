/**
 * A small dependency-injection container. Any object with the three methods of {@linkcode Container} can stand in for
 * it: wrap the library that you already use.
 *
 * @module
 */

/** A class that is made without arguments; what it needs it takes by {@linkcode inject}. */
export type Class<T> = new () => T;

/** A named token that carries its type. Made by {@linkcode token}. */
export interface TypedToken<T> {
  /** Name, for error messages. */
  readonly name: string;
  /** Type of what the token stands for. Never present at run time. */
  readonly "~type"?: T;
}

/** What something is registered and resolved under. Strings and symbols are compared by value, the rest by identity. */
export type Token<T> = Class<T> | TypedToken<T> | string | symbol;

/**
 * How to make what a token stands for: once, at the first `resolve`, unless `singleton` is `false`. A promise that a
 * factory returns is kept as it is, a rejected one too.
 */
export type Provider<T> =
  | { readonly useValue: T }
  | { readonly useClass: Class<T>; readonly singleton?: boolean }
  | { readonly useFactory: (container: Container) => T; readonly singleton?: boolean };

/** Registers providers and resolves tokens. */
export interface Container {
  /** Registers a provider, in place of an earlier one for the token. */
  register<T>(token: Token<T>, provider: Provider<T>): void;
  /** Makes or finds what a token stands for. @throws {TypeError} If the token is unknown, or needs itself. */
  resolve<T>(token: Token<T>): T;
  /** Whether a provider is registered for a token. */
  has(token: Token<unknown>): boolean;
}

/**
 * Creates a typed token, for what has no class: an interface, a function, a configuration.
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
      // A factory may have registered another provider for its own token on the way.
      if (provider.singleton !== false && providers.get(token) === provider) {
        singletons.set(token, made);
      }
      return made as T;
    },
    has: (token) => providers.has(token),
  };
  return container;
}

/** The container that decorators and registrations use where they are given none. */
export const defaultContainer: Container = /* @__PURE__ */ createContainer();

/**
 * Resolves a token from the container of {@linkcode createContainer} that is resolving right now. Works in constructors,
 * field initialisers and factories, until their first `await`. Other containers have injection of their own.
 *
 * @throws {TypeError} If no container is resolving, or the token is unknown or needs itself.
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

/** What is being resolved, outermost first. Empty whenever no `resolve` is running. */
const stack: Resolution[] = [];

function make(
  container: Container,
  token: Token<unknown>,
  provider: Exclude<Provider<unknown>, { useValue: unknown }>,
): unknown {
  if (stack.some((open) => open.container === container && open.token === token)) {
    throw resolveError(container, token, "it needs itself");
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
