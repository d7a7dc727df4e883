/** Queries and paths: what texts become, and what is wrong with others. */

import type { SchemaObject } from "@gatehouse/http";
import { createRouter, json } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { problemOf } from "../../router/_helpers.ts";
import { faultsOf, loadModule, moduleText } from "./_modules.ts";

const text: SchemaObject = { type: "string" };
const number: SchemaObject = { type: "number" };
const listOf = (items: SchemaObject): SchemaObject => ({ type: "array", items });

/** The schema of a parameter `a`, and queries with what `a` becomes, or the violation's message and pointer. */
type Case = readonly [
  why: string,
  schema: SchemaObject,
  accepted: Readonly<Record<string, unknown>>,
  rejected: Readonly<Record<string, string>>,
];

const CASES: readonly Case[] = [
  ["a string stays one", text, { "a=10": "10", "a=": "", "a=true": "true" }, {
    "": "/a is required",
    "a=1&a=2": "/a must be a string",
  }],
  [
    "a number in the notation of JSON",
    number,
    { "a=10": 10, "a=-0.5": -0.5, "a=1e3": 1000, "a=0": 0, "a=-0": -0 },
    Object.fromEntries(
      [
        "ten",
        "",
        "%20",
        "0x10",
        "010",
        "+1",
        "1.",
        ".5",
        "1_000",
        "Infinity",
        "NaN",
        "1e400",
        "1&a=2",
        "%D9%A1",
      ]
        .map((one) => [`a=${one}`, "/a must be a number"]),
    ),
  ],
  ["an integer with limits", { type: "integer", minimum: 1, maximum: 50 }, {
    "a=50": 50,
    "a=1.0": 1,
  }, {
    "a=0": "/a must be at least 1",
    "a=51": "/a must be at most 50",
    "a=1.5": "/a must be an integer",
  }],
  ["a boolean", { type: "boolean" }, { "a=true": true, "a=false": false }, {
    "a=1": "/a must be a boolean",
    "a=TRUE": "/a must be a boolean",
    "a": "/a must be a boolean",
  }],
  ["an array of strings, of one, too", listOf(text), {
    "a=x": ["x"],
    "a=x&a=y": ["x", "y"],
    "a=": [""],
  }, {}],
  ["an array of numbers", listOf(number), { "a=1&a=2": [1, 2], "a=3": [3] }, {
    "a=1&a=x": "/a/1 must be a number",
    "a=x": "/a/0 must be a number",
  }],
  ["an array with limits", { ...listOf(text), maxItems: 2, uniqueItems: true }, {
    "a=x&a=y": ["x", "y"],
  }, {
    "a=1&a=2&a=3": "/a must have at most 2 items",
    "a=1&a=1": "/a must not have equal items",
  }],
  [
    "a string or an array",
    { anyOf: [text, listOf(text)] },
    { "a=x": "x", "a=x&a=y": ["x", "y"] },
    {},
  ],
  ["a number or an array of numbers", { anyOf: [number, listOf(number)] }, {
    "a=1": 1,
    "a=1&a=2": [1, 2],
  }, {
    "a=1&a=x": "/a/1 must be a number",
  }],
  ["a string before a number", { type: ["string", "number"] }, { "a=10": "10", "a=x": "x" }, {}],
  ["literals of several types", { enum: ["all", 1, 2, true] }, {
    "a=1": 1,
    "a=all": "all",
    "a=true": true,
  }, {
    "a=3": '/a must be "all", 1, 2 or true',
    "a=false": '/a must be "all", 1, 2 or true',
  }],
  ["a string of a format, or a number", { anyOf: [{ type: "string", format: "date" }, number] }, {
    "a=2026-01-01": "2026-01-01",
    "a=5": 5,
  }, { "a=x": "/a must be a date of RFC 3339" }],
  ["what may be null is not sent as text", { type: ["number", "null"] }, { "a=1": 1 }, {
    "a=null": "/a must be a number or null",
  }],
  ["unknown stays as it was sent", {}, { "a=1": "1", "a=1&a=2": ["1", "2"] }, {
    "": "/a is required",
  }],
];

for (const [why, schema, accepted, rejected] of CASES) {
  Deno.test(`a validator reads a query: ${why}`, async () => {
    const query = { type: "object", properties: { a: schema }, required: ["a"] };
    const validators = await loadModule(moduleText({ "GET /": { query } }));
    const router = createRouter({ validators }).get("/", (req) => json(req.query));
    for (const [sent, value] of Object.entries(accepted)) {
      const response = await router.request(`/?${sent}`);
      assertEquals([sent, await response.json()], [sent, JSON.parse(JSON.stringify({ a: value }))]);
    }
    for (const [sent, message] of Object.entries(rejected)) {
      const { violations } = await problemOf(await router.request(`/?${sent}`));
      const [one] = violations as readonly { pointer: string; message: string }[];
      assertEquals([sent, `${one?.pointer} ${one?.message}`], [sent, message]);
    }
  });
}

const OPEN: SchemaObject = {
  type: "object",
  properties: { n: number, __proto: text },
  patternProperties: { "^x-": number },
  additionalProperties: { anyOf: [{ type: "boolean" }, listOf({ type: "boolean" })] },
};

Deno.test("a validator reads parameters by index signatures, and keeps names that objects inherit apart", async () => {
  const validators = await loadModule(moduleText({ "GET /": { query: OPEN } }));
  const router = createRouter({ validators }).get("/", (req) => {
    const query: Readonly<Record<string, unknown>> = req.query;
    assertEquals(Object.getPrototypeOf(query), null);
    return json(Object.entries(query));
  });
  const sent = "n=1&x-a=2&flag=true&list=true&list=false&__proto__=true&constructor=false";
  const response = await router.request(`/?${sent}`);
  assertEquals(await response.json(), [
    ["n", 1],
    ["x-a", 2],
    ["flag", true],
    ["list", [true, false]],
    ["__proto__", true],
    ["constructor", false],
  ]);
});

Deno.test("a validator reads a parameter __proto__, and rejects what is no object", async () => {
  const query: SchemaObject = JSON.parse(
    '{ "type": "object", "properties": { "__proto__": { "type": "number" } } }',
  );
  const validators = await loadModule(moduleText({ "GET /": { query } }));
  const router = createRouter({ validators })
    .get("/", (req) => json(Object.entries(req.query)));
  assertEquals(await (await router.request("/?__proto__=1")).json(), [["__proto__", 1]]);
  for (const value of [null, undefined, "a", []]) {
    assertEquals(faultsOf(validators, "GET /", "query", value).faults, [" must be an object"]);
  }
});

Deno.test("a validator reads path parameters, and leaves out those that are any text", async () => {
  const params = (id: SchemaObject) => ({ type: "object", properties: { id }, required: ["id"] });
  const validators = await loadModule(moduleText({
    "GET /n/:id": { params: params({ type: "integer" }) },
    "GET /t/:id": { params: params({ type: "string", description: "any" }) },
    "GET /p/:id": { params: params({ type: "string", pattern: "^[a-z]+$" }) },
  }));
  assertEquals(Object.keys(validators), ["GET /n/:id", "GET /p/:id"]);
  const router = createRouter({ validators })
    .get("/n/:id", (req) => json(req.params))
    .get("/p/:id", (req) => json(req.params));
  assertEquals(await (await router.request("/n/7")).json(), { id: 7 });
  const { violations } = await problemOf(await router.request("/p/7"));
  assertEquals(violations, [{ in: "params", pointer: "/id", message: "must match ^[a-z]+$" }]);
});
