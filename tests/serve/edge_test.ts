// deno-lint-ignore-file no-console -- console.error is replaced

import { createRouter, json, serveEdge } from "@gatehouse/http/edge";
import { assertEquals, assertThrows } from "@std/assert";

const URL_OF_HELLO = "https://example.com/hello";

type ServeModule = typeof import("../../serve/edge.ts");
type Listener = (event: unknown) => void;

/** Gives this process the globals of a host with the event. @returns Its listeners. */
function becomeEventHost(
  globals: Readonly<Record<string, unknown>>,
): { readonly listeners: Listener[] } & Disposable {
  const listeners: Listener[] = [];
  const addEventListener = (_type: string, listener: Listener) => void listeners.push(listener);
  const added = Object.entries({ addEventListener, ...globals });
  const before = added.map(([name]) => Object.getOwnPropertyDescriptor(globalThis, name));
  for (const [name, value] of added) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
  return {
    listeners,
    [Symbol.dispose]() {
      for (const [i, [name]] of added.entries()) {
        const descriptor = before[i];
        if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
        else Object.defineProperty(globalThis, name, descriptor);
      }
    },
  };
}

Deno.test("serveEdge() returns an application with the host's arguments, and attaches nothing here", async () => {
  const router = createRouter<[env: { readonly name: string }]>()
    .get("/hello", (_req, { name }) => json(`hello, ${name}`));
  const application = serveEdge(router);
  serveEdge(router); // any number of them, where there is no event
  assertEquals(Object.keys(application), ["fetch"]);
  const response = await application.fetch(new Request(URL_OF_HELLO), { name: "Ada" });
  assertEquals(await response.json(), "hello, Ada");
});

Deno.test("serveEdge() responds 500 without details if an application throws or rejects", async () => {
  const errors: unknown[][] = [];
  const { error } = console;
  console.error = (...args) => void errors.push(args);
  try {
    for (const fetch of [() => Promise.reject(new Error("secret")), () => fail()]) {
      const response = await serveEdge({ fetch }).fetch(new Request(URL_OF_HELLO));
      assertEquals([response.status, (await response.json()).code], [500, "internal_error"]);
    }
  } finally {
    console.error = error;
  }
  assertEquals(errors.length, 2);
});

function fail(): never {
  throw new Error("secret");
}

/** Hosts with the event. Deno is one with the function alone. */
const EVENT_HOSTS:
  readonly (readonly [name: string, globals: Readonly<Record<string, unknown>>])[] = [
    ["service workers", { FetchEvent: class {} }],
    ["StarlingMonkey, which has no class of the event", { navigator: undefined }],
  ];

for (const [i, [name, globals]] of EVENT_HOSTS.entries()) {
  Deno.test(`serveEdge() answers the event of ${name}, for one application`, async () => {
    // A module of its own, since it knows whether there is an application
    const { serveEdge } = await import(`../../serve/edge.ts?${i}`) as ServeModule;
    using host = becomeEventHost(globals);
    serveEdge(createRouter().get("/hello", () => json("first")));
    assertThrows(() => serveEdge(createRouter()), TypeError, "this host has another one already");
    assertEquals(host.listeners.length, 1);
    const { promise, resolve } = Promise.withResolvers<Response>();
    host.listeners[0]?.({
      request: new Request(URL_OF_HELLO),
      respondWith: resolve,
      passThroughOnException: () => assertEquals("called", "never"),
    });
    assertEquals(await (await promise).json(), "first");
  });
}

Deno.test("serveEdge() rejects what has no fetch()", () => {
  for (const wrong of [undefined, null, {}, { fetch: "no" }]) {
    assertThrows(() => serveEdge(wrong as unknown as ReturnType<typeof serveEdge>), TypeError);
  }
});
