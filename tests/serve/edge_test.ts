// deno-lint-ignore-file no-console -- console.error is replaced

import { createRouter, json, serveEdge } from "@gatehouse/http/edge";
import { assertEquals, assertThrows } from "@std/assert";

const URL_OF_HELLO = "https://example.com/hello";

/** Gives this process the event of a service worker. @returns Its listeners. */
function becomeEventHost(): { readonly listeners: ((event: unknown) => void)[] } & Disposable {
  const host = globalThis as Record<string, unknown>;
  const before = Object.getOwnPropertyDescriptor(globalThis, "addEventListener");
  const listeners: ((event: unknown) => void)[] = [];
  host.FetchEvent = class {};
  host.addEventListener = (_type: string, listener: (event: unknown) => void) => {
    listeners.push(listener);
  };
  return {
    listeners,
    [Symbol.dispose]() {
      delete host.FetchEvent;
      if (before === undefined) delete host.addEventListener;
      else Object.defineProperty(globalThis, "addEventListener", before);
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

Deno.test("serveEdge() answers the event where there is one, for one application", async () => {
  using host = becomeEventHost();
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

Deno.test("serveEdge() rejects what has no fetch()", () => {
  for (const wrong of [undefined, null, {}, { fetch: "no" }]) {
    assertThrows(() => serveEdge(wrong as unknown as ReturnType<typeof serveEdge>), TypeError);
  }
});
