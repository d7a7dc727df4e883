import {
  createRouter,
  HttpError,
  json,
  pass,
  type RouteSchema,
  type StandardSchemaV1,
} from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import * as v from "valibot";
import { z } from "zod";
import { codeOf, collectErrors, jsonRequest, problemOf, untyped } from "./_helpers.ts";

/** A Standard Schema by hand. */
function schemaOf(validate: (value: unknown) => unknown): StandardSchemaV1 {
  return { "~standard": { version: 1, vendor: "test", validate: untyped(validate) } };
}

function router(
  schema: RouteSchema<unknown>,
  seen: unknown[] = [],
  onError: (error: unknown) => void = () => {},
) {
  return createRouter({ onError }).post("/:id", (req) => {
    seen.push(req.content, req.params, req.query);
    return json("done");
  }, { schema: untyped<{ body: StandardSchemaV1 }>(schema) });
}

const USER = {
  zod: z.object({
    name: z.string().min(2),
    tags: z.array(z.string()).default([]),
    at: z.coerce.date().optional(),
  }),
  valibot: v.object({
    name: v.pipe(v.string(), v.minLength(2)),
    tags: v.optional(v.array(v.string()), []),
    at: v.optional(v.pipe(v.string(), v.transform((text) => new Date(text)))),
  }),
};

for (const [vendor, body] of Object.entries(USER)) {
  Deno.test(`validate() returns the handler the output of ${vendor}, not the input`, async () => {
    const seen: unknown[] = [];
    const response = await router({ body }, seen).fetch(
      jsonRequest("/7", '{"name":"Ada","at":"2020-01-01","admin":true}'),
    );
    assertEquals(response.status, 200);
    assertEquals(
      seen[0],
      { name: "Ada", tags: [], at: new Date("2020-01-01") },
      "transformed, defaulted, unknown members dropped",
    );
    await response.body?.cancel();
  });

  Deno.test(`validate() answers 422 with the violations of ${vendor}`, async () => {
    const seen: unknown[] = [];
    const response = await router({ body }, seen).fetch(
      jsonRequest("/7", '{"name":"A","tags":["a",7]}'),
    );
    const problem = await problemOf(response);
    assertEquals([problem.status, problem.code, problem.title], [
      422,
      "validation_failed",
      "Unprocessable Content",
    ]);
    const violations = untyped<{ in: string; pointer: string; message: string }[]>(
      problem.violations,
    );
    assertEquals(violations.map((one) => `${one.in} ${one.pointer}`).sort(), [
      "body /name",
      "body /tags/1",
    ]);
    assert(violations.every(({ message }) => message.length > 0));
    assertEquals(seen, []);
  });
}

for (
  const [vendor, body] of [
    ["zod", z.object({ name: z.string().refine((name) => Promise.resolve(name !== "taken")) })],
    [
      "valibot",
      v.objectAsync({
        name: v.pipeAsync(v.string(), v.checkAsync((name) => Promise.resolve(name !== "taken"))),
      }),
    ],
  ] as const
) {
  Deno.test(`validate() waits for an asynchronous schema of ${vendor}`, async () => {
    const seen: unknown[] = [];
    const routes = router({ body }, seen);
    assertEquals(await codeOf(routes.fetch(jsonRequest("/7", '{"name":"taken"}'))), [
      422,
      "validation_failed",
    ]);
    assertEquals(seen, []);
    assertEquals(await (await routes.fetch(jsonRequest("/7", '{"name":"free"}'))).json(), "done");
    assertEquals(seen[0], { name: "free" });
  });
}

Deno.test("validate() checks params, query and body, and returns their outputs", async () => {
  const seen: unknown[] = [];
  const schema = {
    params: z.object({ id: z.coerce.number().int() }),
    query: z.object({ page: z.coerce.number().default(1), tag: z.array(z.string()).optional() }),
    body: z.object({ n: z.number() }),
  };
  await (await router(schema, seen).fetch(jsonRequest("/7?tag=a&tag=b", '{"n":1}'))).body?.cancel();
  assertEquals(seen, [{ n: 1 }, { id: 7 }, { page: 1, tag: ["a", "b"] }]);
});

Deno.test("validate() names the part that was rejected, params first, then query, then body", async () => {
  const schema = {
    params: z.object({ id: z.coerce.number() }),
    query: z.object({ page: z.coerce.number() }),
    body: z.object({ n: z.number() }),
  };
  for (
    const [path, body, part, pointer] of [["/x?page=x", "{}", "params", "/id"], [
      "/7?page=x",
      "{}",
      "query",
      "/page",
    ], ["/7?page=1", "{}", "body", "/n"]] as const
  ) {
    const problem = await problemOf(await router(schema).fetch(jsonRequest(path, body)));
    assertEquals(
      untyped<{ in: string; pointer: string }[]>(problem.violations).map((
        one,
      ) => [one.in, one.pointer]),
      [[part, pointer]],
    );
  }
});

Deno.test("validate() checks a form", async () => {
  const seen: unknown[] = [];
  const body = schemaOf((form) => {
    const name = untyped<FormData>(form).get("name");
    return typeof name === "string"
      ? { value: { name } }
      : { issues: [{ message: "is missing", path: ["name"] }] };
  });
  const routes = createRouter().post("/", (req) => (seen.push(req.content), json("done")), {
    multipart: true,
    schema: { body },
  });
  const form = new FormData();
  assertEquals(await codeOf(routes.request("/", { method: "POST", body: form })), [
    422,
    "validation_failed",
  ]);
  form.set("name", "Ada");
  assertEquals((await routes.request("/", { method: "POST", body: form })).status, 200);
  assertEquals(seen, [{ name: "Ada" }]);
});

/** [why, path of the issue, JSON Pointer] RFC 6901 §3 and §5. */
const POINTERS:
  readonly (readonly [why: string, path: readonly unknown[] | undefined, pointer: string])[] = [
    ["the empty pointer if there is no path", undefined, ""],
    ["the empty pointer for the whole", [], ""],
    ["members and indexes", ["a", 0, "b"], "/a/0/b"],
    ["an empty name", [""], "/"],
    ["a slash as ~1", ["a/b"], "/a~1b"],
    ["a tilde as ~0", ["m~n"], "/m~0n"],
    ["a tilde before a one, in the right order", ["~1"], "/~01"],
    ["other characters as they are", ["c%d", "e^f", 'k"l', " ", "é"], '/c%d/e^f/k"l/ /é'],
    ["path items with a key", [{ key: "a" }, { key: 1 }, "b"], "/a/1/b"],
    ["a symbol as a string", [Symbol("x")], "/Symbol(x)"],
  ];

for (const [why, path, pointer] of POINTERS) {
  Deno.test(`validate() points to ${why}`, async () => {
    const body = schemaOf(() => ({
      issues: [path === undefined ? { message: "no" } : { message: "no", path }],
    }));
    const problem = await problemOf(await router({ body }).fetch(jsonRequest("/7", "{}")));
    assertEquals(problem.violations, [{ in: "body", pointer, message: "no" }]);
  });
}

for (const [count, listed] of [[50, 50], [51, 50], [100_000, 50]] as const) {
  Deno.test(`validate() lists ${listed} violations of ${count}`, async () => {
    const issues = Array.from({ length: count }, (_, i) => ({ message: `no ${i}` }));
    const problem = await problemOf(
      await router({ body: schemaOf(() => ({ issues })) }).fetch(jsonRequest("/7", "{}")),
    );
    const violations = untyped<{ message: string }[]>(problem.violations);
    assertEquals([violations.length, violations.at(-1)?.message], [listed, `no ${listed - 1}`]);
  });
}

for (
  const [why, validate] of [
    ["throws", () => {
      throw new Error("secret");
    }],
    ["rejects", () => Promise.reject(new Error("secret"))],
    ["returns nothing", () => undefined],
    ["resolves to nothing", () => Promise.resolve(undefined)],
  ] as const
) {
  Deno.test(`validate() answers 500 without details if the schema ${why}`, async () => {
    for (const part of ["body", "query", "params"]) {
      const { errors, onError } = collectErrors();
      const seen: unknown[] = [];
      const response = await router({ [part]: schemaOf(validate) }, seen, onError).fetch(
        jsonRequest("/7", "{}"),
      );
      assertEquals(await problemOf(response), {
        type: "about:blank",
        title: "Internal Server Error",
        status: 500,
        code: "internal_error",
      });
      assertEquals([errors.length, seen.length], [1, 0]);
    }
  });
}

Deno.test("validate() waits for a promise-like result, and never uses it as a value", async () => {
  const seen: unknown[] = [];
  const body = schemaOf(() => ({
    then: (done: (result: unknown) => void) =>
      void setTimeout(() => done({ issues: [{ message: "no" }] }), 1),
  }));
  assertEquals(await codeOf(router({ body }, seen).fetch(jsonRequest("/7", "{}"))), [
    422,
    "validation_failed",
  ]);
  assertEquals(seen, []);
});

Deno.test("validate() lets a schema throw an HttpError", async () => {
  const body = schemaOf(() => {
    throw new HttpError(409, "taken");
  });
  assertEquals(await codeOf(router({ body }).fetch(jsonRequest("/7", "{}"))), [409, "taken"]);
});

Deno.test("validate() does not run before content type and syntax are valid", async () => {
  let asked = 0;
  const routes = router({ body: schemaOf((value) => (asked++, { value })) });
  assertEquals(
    await codeOf(
      routes.fetch(jsonRequest("/7", "{}", { headers: { "Content-Type": "text/plain" } })),
    ),
    [415, "unsupported_media_type"],
  );
  assertEquals(await codeOf(routes.fetch(jsonRequest("/7", "{"))), [400, "invalid_json"]);
  assertEquals(asked, 0);
});

Deno.test("validate() may write defaults into an empty query and empty parameters, of this request only", async () => {
  const given: unknown[] = [];
  const schema = schemaOf((value) => {
    given.push({ ...untyped<object>(value) });
    return { value: Object.assign(untyped<object>(value), { page: "1" }) };
  });
  const filled = createRouter().get("/", (req) => json([req.params, req.query]), {
    schema: { params: schema, query: schema },
  });
  for (let i = 0; i < 2; i++) {
    assertEquals(await (await filled.request("/")).json(), [{ page: "1" }, { page: "1" }]);
  }
  assertEquals(given, [{}, {}, {}, {}]);
});

Deno.test("validate() does not check schema.response at run time", async () => {
  const routes = createRouter().get("/", () => json({ id: 7 }), {
    schema: { response: z.object({ id: z.number().max(1) }) },
  });
  assertEquals(await (await routes.request("/")).json(), { id: 7 });
});

Deno.test("validate() does not change the request for the next match, which sees the client's input", async () => {
  const seen: unknown[] = [];
  const routes = createRouter()
    .get("/:id", (req) => (seen.push(req.params, req.query), pass()), {
      schema: {
        params: z.object({ id: z.coerce.number() }),
        query: z.object({ a: z.coerce.number() }),
      },
    })
    .get("/:name", (req) => (seen.push({ ...req.params }, { ...req.query }), json(1)));
  await (await routes.request("/7?a=1")).body?.cancel();
  assertEquals(seen, [{ id: 7 }, { a: 1 }, { name: "7" }, { a: "1" }]);
});
