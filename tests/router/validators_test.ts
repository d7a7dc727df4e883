import {
  createContainer,
  createRouter,
  HTTP_ROUTER,
  HttpRouter,
  json,
  provide,
  routerBuilder,
  type RouteValidators,
  type StandardSchemaV1,
  type TypedRouter,
} from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { z } from "zod";
import { jsonRequest, problemOf } from "./_helpers.ts";

/** Accepts `{ "n": 1 }` alone, and returns it with the validator's name. */
function only(name: string): StandardSchemaV1 {
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate(value) {
        const isOne = (value as { readonly n?: unknown } | undefined)?.n === 1;
        return isOne ? { value: { name } } : { issues: [{ message: "must be 1", path: ["n"] }] };
      },
    },
  };
}

function validatorsFor(...keys: readonly string[]): RouteValidators {
  return Object.fromEntries(keys.map((key) => [key, { body: only(key) }]));
}

/** The name of the validator that a body went through; `undefined` if it went through none. */
async function validatorOf(router: TypedRouter, path: string): Promise<string | undefined> {
  const wrong = await router.fetch(jsonRequest(path, JSON.stringify({ n: 2 })));
  const right = await router.fetch(jsonRequest(path, JSON.stringify({ n: 1 })));
  const { name } = await right.json();
  assertEquals(wrong.status, name === undefined ? 200 : 422);
  return name;
}

const answer = (req: { readonly content: unknown }) => json(req.content);

Deno.test("createRouter() applies validators by method and full pattern", async () => {
  const router = createRouter({
    prefix: "/api",
    validators: validatorsFor("POST /api/a", "POST /api/b/:id", "PUT /api/c", "POST /d"),
  })
    .post("/a", answer)
    .post("/b/:id", answer)
    .post("/c", answer)
    .post("/d", answer);
  assertEquals(await validatorOf(router, "/api/a"), "POST /api/a");
  assertEquals(await validatorOf(router, "/api/b/7"), "POST /api/b/:id");
  assertEquals(await validatorOf(router, "/api/c"), undefined);
  assertEquals(await validatorOf(router, "/api/d"), undefined);
});

Deno.test("createRouter() answers a value that a validator rejects with the part and the pointer", async () => {
  const router = createRouter({ validators: validatorsFor("POST /a") }).post("/a", answer);
  const { status, code, violations } = await problemOf(
    await router.fetch(jsonRequest("/a", JSON.stringify({ n: "free" }))),
  );
  assertEquals([status, code], [422, "validation_failed"]);
  assertEquals(violations, [{ in: "body", pointer: "/n", message: "must be 1" }]);
});

Deno.test("createRouter() prefers the schema of a route to a validator, part by part", async () => {
  const part = only("validator");
  const router = createRouter({
    validators: { "POST /a/:id": { body: part, params: part, query: part } },
  }).post("/a/:id", (req) => json([req.content, req.params, req.query]), {
    schema: { body: z.unknown(), params: z.object({ id: z.string() }), response: z.unknown() },
  });
  const response = await router.fetch(jsonRequest("/a/7?n=1", "{}"));
  const { violations } = await problemOf(response);
  assertEquals(violations, [{ in: "query", pointer: "/n", message: "must be 1" }]);
});

Deno.test("createRouter() leaves routes and their options as they are", () => {
  const router = createRouter({ validators: validatorsFor("POST /a") }).post("/a", answer);
  assertEquals(router.routes.map(({ options }) => options), [{}]);
});

Deno.test("createRouter() finds validators of routers that are mounted, by their full patterns", async () => {
  const innermost = createRouter().post("/", answer).post("/x", answer);
  const inner = createRouter({ prefix: "/v1", validators: validatorsFor("POST /v1/own") })
    .post("/own", answer)
    .mount("/deep", innermost)
    .post("/x", answer);
  const view = createRouter({
    validators: validatorsFor(
      "POST /:tenant/v1/own",
      "POST /:tenant/v1/x",
      "POST /:tenant/v1/deep",
      "POST /:tenant/v1/deep/x",
      "POST /x",
    ),
  }).provide(provide(() => ({})));
  const router = view.mount("/:tenant", inner) as unknown as TypedRouter;
  assertEquals(await validatorOf(router, "/t/v1/own"), "POST /v1/own");
  assertEquals(await validatorOf(router, "/t/v1/x"), "POST /:tenant/v1/x");
  assertEquals(await validatorOf(router, "/t/v1/deep"), "POST /:tenant/v1/deep");
  assertEquals(await validatorOf(router, "/t/v1/deep/x"), "POST /:tenant/v1/deep/x");
});

Deno.test("createRouter() finds validators of a router that is mounted several times, whichever of the outer ones has them", async () => {
  const inner = createRouter().post("/a", answer).post("/b", answer);
  const first = createRouter({ validators: validatorsFor("POST /first/a") }).mount("/first", inner);
  const last = createRouter({ validators: validatorsFor("POST /last/b") }).mount("/last", inner);
  assertEquals(await validatorOf(first, "/first/a"), "POST /first/a");
  assertEquals(await validatorOf(last, "/last/a"), "POST /first/a");
  assertEquals(await validatorOf(last, "/last/b"), "POST /last/b");
});

Deno.test("createRouter() reads validators once, inherited ones too", async () => {
  const validators = validatorsFor("POST /a");
  const inherited: RouteValidators = { "POST /b": Object.create({ body: only("inherited") }) };
  const router = createRouter({ validators: { ...validators, ...inherited } })
    .post("/a", answer).post("/b", answer);
  Object.assign(validators["POST /a"] ?? {}, { body: undefined });
  assertEquals(await validatorOf(router, "/a"), "POST /a");
  assertEquals(await validatorOf(router, "/b"), "inherited");
});

Deno.test("routerBuilder() and @HttpRouter take validators", async () => {
  const validators = validatorsFor("POST /v1/a");
  const built = routerBuilder({ validators }).prefix("/v1").build().post("/a", answer);
  assertEquals(await validatorOf(built, "/v1/a"), "POST /v1/a");

  const container = createContainer();
  @HttpRouter({ validators, prefix: "/v1", container })
  class Api {}
  assertEquals(typeof Api, "function");
  const resolved = container.resolve<TypedRouter>(HTTP_ROUTER).post("/a", answer);
  assertEquals(await validatorOf(resolved, "/v1/a"), "POST /v1/a");
});

const INVALID: readonly (readonly [why: string, validators: unknown, message: string])[] = [
  ["null", null, "validators: options must be an object"],
  ["a function", () => ({}), "validators: options must be an object"],
  ["inherited ones", Object.create({ "POST /a": {} }), "validators: unknown option POST /a"],
  [
    "a misspelt part",
    { "POST /a": { content: only("x") } },
    'validators["POST /a"]: unknown option content',
  ],
  [
    "a response",
    { "POST /a": { response: only("x") } },
    'validators["POST /a"]: unknown option response',
  ],
  [
    "what has no validate()",
    { "POST /a": { body: z } },
    'Cannot add validator POST /a: body["~standard"].validate is not a function',
  ],
];
for (const [why, validators, message] of INVALID) {
  Deno.test(`createRouter() rejects validators: ${why}`, () => {
    assertThrows(
      () => createRouter({ validators: validators as RouteValidators }),
      TypeError,
      message,
    );
  });
}
