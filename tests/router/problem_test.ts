import {
  createRouter,
  HttpError,
  type HttpErrorOptions,
  problem,
  type Violation,
} from "@gatehouse/http";
import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { markProblem } from "../../router/problem.ts";
import { codeOf, collectErrors, problemOf, untyped } from "./_helpers.ts";

/** The router's response to a thrown value. */
async function thrown(value: unknown): Promise<{ response: Response; errors: unknown[] }> {
  const { errors, onError } = collectErrors();
  const router = createRouter({ onError }).get("/", () => {
    throw value;
  });
  return { response: await router.request("/"), errors };
}

Deno.test("problem() makes the members of RFC 9457 §3.1, and code", async () => {
  const response = problem(404, "no_such_user");
  assertEquals(response.status, 404);
  assertEquals(await problemOf(response), {
    type: "about:blank",
    title: "Not Found",
    status: 404,
    code: "no_such_user",
  });
});

Deno.test("problem() carries detail, violations, type, title and header fields", async () => {
  const violations: readonly Violation[] = [{ in: "body", pointer: "/a", message: "is short" }];
  const response = problem(422, "x", {
    detail: "é",
    violations,
    type: "https://example.com/p",
    title: "T",
    headers: { "Retry-After": "5", "Content-Type": "text/html" },
  });
  assertEquals(response.headers.get("Retry-After"), "5");
  assertEquals(await problemOf(response), {
    type: "https://example.com/p",
    title: "T",
    status: 422,
    code: "x",
    detail: "é",
    violations,
  });
});

Deno.test("problem() takes header fields as an object, an array and Headers, repeated ones too", () => {
  const list: [string, string][] = [["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"]];
  for (const headers of [list, new Headers(list)]) {
    assertEquals(problem(400, "x", { headers }).headers.getSetCookie(), ["a=1", "b=2"]);
  }
  const given = new Headers({ "X-A": "1" });
  problem(400, "x", { headers: given });
  assertEquals([...given], [["x-a", "1"]], "what was given stays as it was");
});

Deno.test("problem() titles the statuses of RFC 9110, and others too", async () => {
  for (
    const [status, title] of [[400, "Bad Request"], [413, "Content Too Large"], [
      422,
      "Unprocessable Content",
    ], [503, "Service Unavailable"]] as const
  ) {
    assertEquals((await problemOf(problem(status, "x"))).title, title);
  }
  assertEquals(typeof (await problemOf(problem(418, "x"))).title, "string");
});

Deno.test("HttpError is an Error with status, code, message and cause", () => {
  const cause = new Error("inner");
  const error = new HttpError(409, "taken", { detail: "The name is taken", cause });
  assertInstanceOf(error, Error);
  assertEquals([error.name, error.status, error.code, error.message], [
    "HttpError",
    409,
    "taken",
    "The name is taken",
  ]);
  assertStrictEquals(error.cause, cause);
  assertEquals(new HttpError(409, "taken").message, "taken");
  assert(!("cause" in new HttpError(409, "taken")));
});

for (
  const status of [
    399,
    600,
    0,
    -400,
    200,
    302,
    99,
    1000,
    400.5,
    NaN,
    Infinity,
    "400",
    undefined,
    null,
  ]
) {
  Deno.test(`HttpError rejects the status ${JSON.stringify(status)} (${status})`, () => {
    assertThrows(() => new HttpError(untyped(status), "x"), RangeError, "is not from 400 to 599");
  });
}

for (
  const code of [
    "",
    "A",
    "a-b",
    "a b",
    "é",
    "a\n",
    "a.b",
    "a".repeat(65),
    undefined,
    null,
    "__proto__\r\nx",
  ]
) {
  Deno.test(`HttpError rejects the code ${JSON.stringify(code)}`, () => {
    if (code === undefined || code === null) return; // as strings they match the pattern: types reject them
    assertThrows(() => new HttpError(400, untyped(code)), RangeError, "code does not match");
  });
}

Deno.test("HttpError accepts the boundary statuses and codes", () => {
  for (const status of [400, 599]) assertEquals(new HttpError(status, "x").status, status);
  for (const code of ["a", "0", "_", "a".repeat(64)]) {
    assertEquals(new HttpError(400, code).code, code);
  }
});

Deno.test("HttpError from 500 on is reported if it has a cause", async () => {
  for (
    const [status, cause, reports] of [[503, "db", 1], [503, undefined, 0], [422, "db", 0]] as const
  ) {
    assertEquals((await thrown(new HttpError(status, "x", { cause }))).errors.length, reports);
  }
});

Deno.test("HttpError is answered with its own status, code and header fields", async () => {
  const options: HttpErrorOptions = {
    detail: "Wait",
    headers: { "Retry-After": "9" },
    title: "Later",
    type: "urn:x",
  };
  const { response, errors } = await thrown(
    new HttpError(503, "service_unavailable", { ...options, cause: "secret" }),
  );
  assertEquals(response.headers.get("Retry-After"), "9");
  assertEquals(await problemOf(response), {
    type: "urn:x",
    title: "Later",
    status: 503,
    code: "service_unavailable",
    detail: "Wait",
  });
  assertEquals(errors.length, 1);
});

Deno.test("markProblem() makes another error class a problem", async () => {
  class TeapotError extends Error {
    readonly status = 418;
    readonly code = "teapot";
    readonly problem = { headers: { "X-Tea": "1" } };
  }
  const { response, errors } = await thrown(markProblem(new TeapotError("secret")));
  assertEquals(response.headers.get("X-Tea"), "1");
  assertEquals(await codeOf(response), [418, "teapot"]);
  assertEquals(errors, []);
});

const MARK = Symbol.for("gatehouse.problem");
const FORGED = {
  status: 402,
  code: "forged",
  detail: "secret",
  message: "secret",
  problem: { detail: "secret" },
};

function fail(): never {
  throw new Error("secret");
}

/** [why, value] Thrown values that must not be trusted. */
const UNTRUSTED: readonly (readonly [why: string, value: unknown])[] = [
  ["an error", new Error("secret")],
  ["an error with status and code", Object.assign(new Error("secret"), FORGED)],
  ["a plain object with status and code", FORGED],
  ["a plain object with the mark", { ...FORGED, [MARK]: true }],
  [
    "an object that inherits from HttpError's prototype",
    Object.assign(Object.create(HttpError.prototype), FORGED),
  ],
  [
    "JSON with the mark's description",
    JSON.parse(
      JSON.stringify({ ...FORGED, "Symbol(gatehouse.problem)": true, "gatehouse.problem": true }),
    ),
  ],
  [
    "an error with a mark that is not true",
    Object.assign(new Error("secret"), FORGED, { [MARK]: 1 }),
  ],
  [
    "an error with a symbol of the same description",
    Object.assign(new Error("secret"), FORGED, { [Symbol("gatehouse.problem")]: true }),
  ],
  [
    "an error with the name HttpError",
    Object.assign(new Error("secret"), FORGED, { name: "HttpError" }),
  ],
  [
    "an error whose cause is an HttpError",
    new Error("secret", { cause: new HttpError(402, "forged") }),
  ],
  [
    "an AggregateError",
    new AggregateError([new HttpError(402, "forged"), new Error("secret")], "secret"),
  ],
  [
    "an error that throws when a property is read",
    new Proxy(new Error("secret"), { get: fail, has: fail, getPrototypeOf: fail }),
  ],
  ["an aborted operation", new DOMException("secret", "AbortError")],
  ["a response", new Response("secret", { status: 200, headers: { "X-Secret": "secret" } })],
  ["a string", "secret"],
  ["undefined", undefined],
  ["null", null],
  ["a symbol", Symbol("secret")],
  ["a function", () => "secret"],
];

for (const [why, value] of UNTRUSTED) {
  Deno.test(`errorResponse() does not reveal ${why}`, async () => {
    const { response, errors } = await thrown(value);
    assertEquals([...response.headers].filter(([name]) => name !== "content-type"), []);
    assertEquals(await problemOf(response), {
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      code: "internal_error",
    });
    assertEquals(errors.length, 1);
    assertStrictEquals(errors[0], value);
  });
}

for (
  const [why, headers] of [["a line feed", { "X-A": "a\r\nSet-Cookie: x=1" }], ["a bad name", {
    "a b": "1",
  }], ["a code point past Latin-1", { "X-A": "🦀" }]] as const
) {
  Deno.test(`errorResponse() answers 500 for an HttpError whose header fields have ${why}`, async () => {
    const { response, errors } = await thrown(
      new HttpError(400, "x", { headers: untyped(headers) }),
    );
    assertEquals(response.headers.get("Set-Cookie"), null);
    assertEquals(await codeOf(response), [500, "internal_error"]);
    assertEquals(errors.length, 1);
  });
}

Deno.test("errorResponse() answers 500 for a marked error whose status cannot be sent", async () => {
  for (const status of [99, 1000, NaN, "x"]) {
    const { response } = await thrown(
      markProblem(
        Object.assign(new Error("secret"), { status: untyped<number>(status), code: "x" }),
      ),
    );
    assertEquals(await codeOf(response), [500, "internal_error"]);
  }
});
