/** Registration, lifetimes, injection, and errors that show the path; and another container in place of ours. */

import {
  type Class,
  type Container,
  createContainer,
  defaultContainer,
  inject,
  type Token,
  token,
} from "@gatehouse/http";
import { assertEquals, assertNotStrictEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { Container as NeedleContainer, InjectionToken } from "@needle-di/core";

class Clock {
  readonly year = 2026;
}
class Greeter {
  readonly #clock = inject(Clock);
  greet(): string {
    return `Happy ${this.#clock.year}`;
  }
}

Deno.test("createContainer() resolves classes that inject each other", () => {
  const container = createContainer();
  container.register(Greeter, { useClass: Greeter });
  container.register(Clock, { useClass: Clock });
  assertEquals(container.resolve(Greeter).greet(), "Happy 2026");
});

Deno.test("createContainer() makes a singleton once, at the first resolve", () => {
  const container = createContainer();
  let made = 0;
  container.register("counter", { useFactory: () => ({ number: ++made }) });
  assertEquals(made, 0);
  assertStrictEquals(container.resolve("counter"), container.resolve("counter"));
  assertEquals(made, 1);
});

Deno.test("createContainer() makes a new instance each time if singleton is false", () => {
  const container = createContainer();
  container.register(Clock, { useClass: Clock, singleton: false });
  assertNotStrictEquals(container.resolve(Clock), container.resolve(Clock));
});

for (const value of [undefined, null, 0, "", false]) {
  Deno.test(`createContainer() keeps the value ${String(value) || '""'} unchanged`, () => {
    const container = createContainer();
    container.register<unknown>("value", { useValue: value });
    container.register<unknown>("made", { useFactory: () => value });
    assertStrictEquals(container.resolve("value"), value);
    assertStrictEquals(container.resolve("made"), value);
    assertEquals(container.has("value"), true);
  });
}

Deno.test("createContainer() takes strings, symbols, classes and typed tokens", () => {
  const container = createContainer();
  const LIMIT = token<number>("limit");
  const symbol = Symbol("secret");
  container.register(LIMIT, { useValue: 20 });
  container.register(symbol, { useValue: "s" });
  container.register("__proto__", { useValue: "p" });
  const limit: number = container.resolve(LIMIT);
  assertEquals([limit, container.resolve(symbol), container.resolve("__proto__")], [20, "s", "p"]);
  assertEquals(
    container.has(token<number>("limit")),
    false,
    "two tokens with the same name are distinct",
  );
  assertEquals(container.has("constructor"), false);
});

Deno.test("createContainer() passes the container to factories, and inject() works in them", () => {
  const container = createContainer();
  container.register(Clock, { useClass: Clock });
  container.register("year", {
    useFactory: (self) => self.resolve(Clock).year + inject(Clock).year,
  });
  assertEquals(container.resolve("year"), 4052);
});

Deno.test("register() replaces the previous provider and its instance", () => {
  const container = createContainer();
  container.register("name", { useFactory: () => "old" });
  assertEquals(container.resolve("name"), "old");
  container.register("name", { useFactory: () => "new" });
  assertEquals(container.resolve("name"), "new");
});

Deno.test("register() in a factory for its own token is not undone by what the factory returns", () => {
  const container = createContainer();
  container.register<string>("name", {
    useFactory: () => {
      container.register<string>("name", { useValue: "replaced" });
      return "made";
    },
  });
  assertEquals([container.resolve("name"), container.resolve("name")], ["made", "replaced"]);
});

Deno.test("resolve() names an unregistered token, and the path to it", () => {
  const container = createContainer();
  const API = token<string>("api");
  container.register(Greeter, { useClass: Greeter });
  container.register(API, { useFactory: () => inject(Greeter).greet() });
  const message = "Cannot resolve Clock: nothing is registered for it";
  assertThrows(() => container.resolve(Clock), TypeError, message);
  assertThrows(() => container.resolve(API), TypeError, `${message} (api → Greeter → Clock)`);
  assertThrows(
    () => container.resolve("x"),
    TypeError,
    'Cannot resolve "x": nothing is registered for it',
  );
  assertThrows(() => container.resolve(Symbol("y")), TypeError, "Cannot resolve Symbol(y)");
});

Deno.test("resolve() explains a cycle by its path", () => {
  const container = createContainer();
  container.register("a", { useFactory: (self) => self.resolve("b") });
  container.register("b", { useFactory: () => inject("c") });
  container.register("c", { useFactory: (self) => self.resolve("a"), singleton: false });
  assertThrows(
    () => container.resolve("a"),
    TypeError,
    'Cannot resolve "a": it depends on itself ("a" → "b" → "c" → "a")',
  );
});

Deno.test("resolve() recovers from a throwing constructor, and keeps no partial instance", () => {
  const container = createContainer();
  let broken = true;
  class Fragile {
    readonly #clock = inject(Clock);
    readonly year: number;
    constructor() {
      if (broken) throw new RangeError("not yet");
      this.year = this.#clock.year;
    }
  }
  container.register(Clock, { useClass: Clock });
  container.register(Fragile, { useClass: Fragile });
  assertThrows(() => container.resolve(Fragile), RangeError, "not yet");
  broken = false;
  assertEquals(container.resolve(Fragile).year, 2026);
});

Deno.test("inject() uses the container that is resolving, even if two are", () => {
  const [inner, outer] = [createContainer(), createContainer()];
  inner.register(Clock, { useValue: { year: 1 } });
  inner.register(Greeter, { useClass: Greeter });
  outer.register(Clock, { useValue: { year: 2 } });
  outer.register("both", {
    useFactory: () => [inner.resolve(Greeter).greet(), new Greeter().greet()],
  });
  assertEquals(outer.resolve("both"), ["Happy 1", "Happy 2"]);
});

Deno.test("inject() outside a resolve is rejected, even after a failed one", () => {
  const message = "Cannot inject Clock: no container is resolving; inject() works in constructors";
  assertThrows(() => inject(Clock), TypeError, message);
  assertThrows(() => createContainer().resolve("none"), TypeError);
  assertThrows(() => new Greeter(), TypeError, message);
});

Deno.test("inject() does not reach past the first await of a factory", async () => {
  const container = createContainer();
  container.register(Clock, { useClass: Clock });
  container.register("late", {
    useFactory: async () => {
      const early = inject(Clock).year;
      await Promise.resolve();
      return assertThrows(() => inject(Clock), TypeError) instanceof TypeError && early;
    },
  });
  assertEquals(await container.resolve<Promise<unknown>>("late"), 2026);
});

for (
  const provider of [{}, { useValue: 1, useClass: Clock }, { singleton: true }, null, undefined]
) {
  Deno.test(`register() rejects the provider ${JSON.stringify(provider)}`, () => {
    assertThrows(
      () => createContainer().register("x", provider as unknown as { useValue: unknown }),
      TypeError,
      'Cannot register "x": give one of useValue, useClass and useFactory',
    );
  });
}

Deno.test("defaultContainer starts empty and is a container like others", () => {
  const key = Symbol("only here");
  assertEquals(defaultContainer.has(key), false);
  defaultContainer.register(key, { useValue: 1 });
  assertEquals(defaultContainer.resolve(key), 1);
});

/** A container of another library that implements our interface. Needle DI looks up providers by class or by its own tokens. */
function needleContainer(needle: NeedleContainer): Container {
  const tokens = new Map<Token<unknown>, InjectionToken<unknown>>();
  const tokenOf = (token: Token<unknown>): Class<unknown> | InjectionToken<unknown> => {
    if (typeof token === "function") return token;
    const known = tokens.get(token) ?? new InjectionToken<unknown>(String(token));
    tokens.set(token, known);
    return known;
  };
  return {
    register(token, provider): void {
      const provide = tokenOf(token) as InjectionToken<unknown>;
      if ("useValue" in provider) needle.bind({ provide, useValue: provider.useValue });
      else if ("useClass" in provider) needle.bind({ provide, useClass: provider.useClass });
      else needle.bind({ provide, useFactory: () => provider.useFactory(this) });
    },
    resolve: <T>(token: Token<T>) => needle.get(tokenOf(token)) as T,
    has: (token) => needle.has(tokenOf(token)),
  };
}

Deno.test("Container fits another library's container by structure", () => {
  const container = needleContainer(new NeedleContainer());
  container.register(Clock, { useClass: Clock });
  container.register("greeting", { useFactory: (self) => `Happy ${self.resolve(Clock).year}` });
  container.register("limit", { useValue: 20 });
  assertEquals([container.resolve("greeting"), container.resolve("limit")], ["Happy 2026", 20]);
  assertStrictEquals(container.resolve(Clock), container.resolve(Clock));
  assertEquals([container.has("limit"), container.has("none")], [true, false]);
});
