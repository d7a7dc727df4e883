/** Extension members of problems, RFC 9457 §3.2. */

import { AuthError, createRouter, generateOpenAPI, HttpError, problem } from "@gatehouse/http";
import { assertEquals, assertFalse } from "@std/assert";
import { collectErrors, problemOf } from "./_helpers.ts";

type Extensions = Readonly<Record<string, unknown>>;

const OWN = { type: "about:blank", title: "Conflict", status: 409, code: "low" } as const;

/** The problem of an error with extensions. */
async function thrown(extensions: Extensions, more: object = {}): Promise<Record<string, unknown>> {
  const { onError } = collectErrors();
  const router = createRouter({ onError }).get("/", () => {
    throw new HttpError(409, "low", { ...more, extensions });
  });
  return { ...await problemOf(await router.request("/")) };
}

Deno.test("problem() has extensions beside the members of RFC 9457 §3.1", async () => {
  // RFC 9457 §3, Figure 2
  const extensions = { balance: 30, accounts: ["/account/12345", "/account/67890"] };
  assertEquals<unknown>({ ...await problemOf(problem(409, "low", { extensions })) }, {
    ...OWN,
    ...extensions,
  });
  assertEquals(await thrown(extensions), { ...OWN, ...extensions });
});

/** [why, extensions, what is left of them] */
const EXTENSIONS: readonly (readonly [why: string, extensions: Extensions, left: Extensions])[] = [
  ["every name of a problem's own members", {
    type: "https://evil.example",
    title: "Fine",
    status: 200,
    code: "ok",
    detail: "x",
    violations: [],
  }, {}],
  ["the same as undefined", { type: undefined, status: undefined, code: undefined }, {}],
  ["names that differ by case", { Status: 200, CODE: "ok" }, { Status: 200, CODE: "ok" }],
  ["toJSON, a function", { toJSON: () => ({ status: 200 }) }, {}],
  ["toJSON, a string", { toJSON: "x" }, {}],
  ["functions and symbols", { f: () => 1, s: Symbol("s"), n: null }, { n: null }],
  ["nothing", {}, {}],
  ["nested members of the same names", { a: { status: 1 } }, { a: { status: 1 } }],
];

for (const [why, extensions, left] of EXTENSIONS) {
  Deno.test(`problem() keeps its own members if extensions have ${why}`, async () => {
    assertEquals(await thrown(extensions), { ...OWN, ...left });
    const answer = problem(409, "low", { extensions });
    assertEquals(answer.status, 409);
    assertEquals<unknown>({ ...await problemOf(answer) }, { ...OWN, ...left });
    const own = { detail: "d", title: "T", type: "/t" };
    assertEquals(await thrown(extensions, own), { ...OWN, ...left, ...own });
  });
}

Deno.test("problem() has no prototype but Object's if extensions have a member __proto__", async () => {
  const extensions = JSON.parse('{"__proto__": {"status": 200}, "a": 1}');
  const text = await problem(409, "low", { extensions }).text();
  const { status, a } = JSON.parse(text);
  assertEquals([status, a], [409, 1]);
});

Deno.test("problem() throws for extensions that are not JSON, and a route then responds with 500", async () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  for (const extensions of [circular, { n: 1n }]) {
    const { onError } = collectErrors();
    const router = createRouter({ onError }).get("/", () => {
      throw new HttpError(409, "low", { extensions });
    });
    const response = await router.request("/");
    assertEquals([response.status, (await response.json()).code], [500, "internal_error"]);
  }
});

Deno.test("AuthError sends its extensions, and cannot override its status and code by them", async () => {
  const { onError } = collectErrors();
  const router = createRouter({ onError }).get("/", () => {
    throw new AuthError("mfa_required", {
      extensions: { factors: ["totp"], status: 200, code: "ok" },
      reason: "secret",
    });
  });
  const response = await router.request("/");
  assertEquals([response.status, response.headers.get("WWW-Authenticate")], [401, "Session"]);
  const text = await response.text();
  assertFalse(text.includes("secret"));
  assertEquals(JSON.parse(text), {
    ...{ factors: ["totp"], type: "about:blank", title: "Unauthorized" },
    ...{ status: 401, code: "mfa_required" },
  });
});

Deno.test("generateOpenAPI() documents problems alike, with and without extensions", () => {
  const info = { title: "T", version: "1" };
  const documentOf = (extensions: Extensions) =>
    generateOpenAPI(
      info,
      createRouter().get("/", () => {
        throw new HttpError(409, "low", { extensions });
      }),
    );
  assertEquals(documentOf({ balance: 30 }), documentOf({}));
});
