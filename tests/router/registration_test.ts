/** What a router rejects when it is created, rather than at the first request. */

import { createRouter, json, pass, routerBuilder } from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { codeOf, untyped } from "./_helpers.ts";

const NO_FUNCTION = untyped<() => undefined>("text");

/** [what is not a function, its name in the message, how it is registered] */
const PARTS: readonly (readonly [what: string, message: string, register: () => unknown])[] = [
  ["catch", "router: catch", () => createRouter({ catch: NO_FUNCTION })],
  ["a finally hook", "router: finally", () => createRouter({ finally: [NO_FUNCTION] })],
  ["onError", "router: onError", () => createRouter({ onError: NO_FUNCTION })],
  ["a guard", "integration: guard", () => createRouter().withAuth({ guard: NO_FUNCTION })],
  [
    "an integration's catch",
    "integration: catch",
    () => createRouter().withAuth({ guard: () => undefined, catch: NO_FUNCTION }),
  ],
  [
    "an integration's finally",
    "integration: finally",
    () => createRouter().withAuth({ guard: () => undefined, finally: NO_FUNCTION }),
  ],
  [
    "a bare fetch function to mount",
    "mount /x: app.fetch",
    () => createRouter().mount("/x", untyped<{ fetch(): undefined }>(() => new Response())),
  ],
  [
    "a schema",
    'route POST /: schema.body["~standard"].validate',
    () =>
      createRouter().post("/", () => json(1), {
        schema: { body: untyped<undefined>({}) as never },
      }),
  ],
];

for (const [what, message, register] of PARTS) {
  Deno.test(`createRouter() rejects ${what} that is not a function`, () => {
    assertThrows(register, TypeError, `Cannot add ${message} is not a function`);
  });
}

Deno.test("createRouter() answers 404, not a 405 that allows the method, if every handler passed after a mount", async () => {
  const router = createRouter().mount("/", { fetch: () => undefined })
    .post("/a", () => pass(), { raw: true }).get("/b", () => pass()).put("/b", () => json(1));
  assertEquals(await codeOf(router.request("/a", { method: "POST" })), [404, "not_found"]);
  assertEquals(await codeOf(router.request("/b")), [404, "not_found"]);
  assertEquals((await router.request("/b", { method: "HEAD" })).status, 404);
  assertEquals(
    (await router.request("/b", { method: "DELETE" })).headers.get("Allow"),
    "GET, HEAD, PUT, OPTIONS",
  );
});

Deno.test("createRouter() accepts the authority of a Unix socket, which has no host", async () => {
  const request = Object.defineProperty(new Request("http://localhost/"), "url", {
    value: "http+unix://%2Ftmp%2Fx%2Esock/a",
  });
  assertEquals(
    await (await createRouter().get("/a", () => json("in")).fetch(request)).json(),
    "in",
  );
});

Deno.test("routerBuilder() takes the options that have no builder method", async () => {
  const errors: unknown[] = [];
  const router = routerBuilder({ maxBodyBytes: 3, onError: (error) => errors.push(error) }).build()
    .post("/", (req) => json(req.content))
    .get("/", () => {
      throw new Error("boom");
    });
  const headers = { "Content-Type": "application/json" };
  const response = await router.request("/", { method: "POST", headers, body: '"long"' });
  assertEquals(await codeOf(response), [413, "payload_too_large"]);
  assertEquals((await router.request("/")).status, 500);
  assertEquals(errors.length, 1);
});
