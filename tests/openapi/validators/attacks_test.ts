/** Bodies that are made to keep a validator busy, or to end it. Each is answered at once: as valid, or with its violations. */

import { createRouter, json, type SchemaObject } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { templateOf, templatePattern } from "../../../openapi/_template_pattern.ts";
import { FORMATS } from "../../../openapi/validators/_formats.ts";
import { jsonRequest, problemOf } from "../../router/_helpers.ts";
import { bodyChecks, loadModule, moduleText } from "./_modules.ts";

/** The most that one value may take, in milliseconds: hundreds of times what it takes, and less than with a square of its size. */
const MAX_MS = 20_000;
/** Maximum nesting of JSON that the router reads. */
const DEPTH = 498;

const text: SchemaObject = { type: "string" };
const ref = (name: string): SchemaObject => ({ $ref: `#/$defs/${name}` });
const objectOf = (
  properties: Readonly<Record<string, SchemaObject>>,
  ...required: readonly string[]
): SchemaObject => ({
  type: "object",
  properties,
  required,
});

const ANY_JSON: SchemaObject = {
  ...ref("Json"),
  $defs: {
    Json: {
      anyOf: [
        { type: ["string", "number", "boolean"] },
        { type: "array", items: ref("Json") },
        { type: "object", additionalProperties: ref("Json") },
      ],
    },
  },
};

/** Two alternatives that contain each other, and no discriminator: each level could be checked twice. */
const CHAIN: SchemaObject = {
  ...ref("Chain"),
  $defs: {
    Chain: {
      anyOf: [
        objectOf({ next: ref("Chain"), a: text }, "a"),
        objectOf({ next: ref("Chain"), b: text }, "b"),
      ],
    },
  },
};

const listOf = (items: SchemaObject): SchemaObject => ({ type: "array", items });

/** Alternatives of 40 properties each, and no discriminator. */
function alternatives(more: Readonly<Record<string, SchemaObject>> = {}): SchemaObject {
  const either = (letter: string) => {
    const names = Array.from({ length: 40 }, (_, i) => letter + i);
    const properties = Object.fromEntries(names.map((name) => [name, text]));
    return objectOf({ ...properties, ...more }, ...names);
  };
  return { anyOf: [either("a"), either("b")] };
}

const RECURSIVE_LIST: SchemaObject = {
  ...listOf(ref("Node")),
  $defs: { Node: alternatives({ next: ref("Node") }) },
};

function nested(end: unknown, wrap: (inner: unknown) => unknown): unknown {
  let value = end;
  for (let i = 0; i < DEPTH; i++) value = wrap(value);
  return value;
}

const array = (inner: unknown): unknown => [inner];
const chain = (inner: unknown): unknown => ({ next: inner, b: "" });

const BODIES:
  readonly (readonly [why: string, schema: SchemaObject, value: unknown, faults: number])[] = [
    ["deep arrays", ANY_JSON, nested("", array), 0],
    ["deep arrays around null", ANY_JSON, nested(null, array), 1],
    ["deep objects", ANY_JSON, nested("", (inner) => ({ "": inner })), 0],
    ["a deep chain of alternatives", CHAIN, nested({ b: "" }, chain), 0],
    ["a deep chain of alternatives with a wrong end", CHAIN, nested({ b: 1 }, chain), 1],
    [
      "a deep chain of alternatives that are all wrong",
      CHAIN,
      nested({}, (next) => ({ next })),
      50,
    ],
    [
      "a large array of wrong items",
      { type: "array", items: text },
      new Array(200_000).fill(1),
      50,
    ],
    [
      "a large object of wrong members",
      { type: "object", additionalProperties: text },
      Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i])),
      50,
    ],
    [
      "a large array of equal items",
      { type: "array", uniqueItems: true },
      new Array(100_000).fill({ a: [1] }),
      1,
    ],
    [
      "a large array of different items",
      { type: "array", uniqueItems: true },
      Array.from({ length: 100_000 }, (_, i) => i),
      0,
    ],
    ["two items, each with many faults", listOf(alternatives()), [{}, {}], 50],
    ["two items of a recursive type, each with many faults", RECURSIVE_LIST, [{}, {}], 50],
    ["a long string", { type: "string", minLength: 2, maxLength: 9 }, "💩".repeat(200_000), 1],
  ];

for (const [why, schema, value, faults] of BODIES) {
  Deno.test(`a validator answers ${why}`, async () => {
    const [check] = await bodyChecks([schema]);
    const start = performance.now();
    const found = check?.(value) ?? [];
    const time = performance.now() - start;
    assertEquals(found.length, faults, found.slice(0, 3).join());
    assert(time < MAX_MS, `${time} ms`);
  });
}

Deno.test("a route answers bodies of the greatest depth and size with 422, never 500", async () => {
  const validators = await loadModule(
    moduleText({ "POST /": { body: CHAIN }, "PUT /": { body: ANY_JSON } }),
  );
  const router = createRouter({ validators }).post("/", () => json(1)).put("/", () => json(1));
  const bodies = [
    ["POST", "[".repeat(499) + "]".repeat(499), 422],
    ["POST", '{"next":'.repeat(499) + "1" + "}".repeat(499), 422],
    ["POST", '{"next":'.repeat(120_000) + "1" + "}".repeat(120_000), 413],
    ["POST", '{"next":'.repeat(100_000) + "1" + "}".repeat(100_000), 400],
    ["PUT", "[".repeat(499) + "null" + "]".repeat(499), 422],
    ["PUT", "[".repeat(499) + "]".repeat(499), 200],
    ["PUT", "[" + "null,".repeat(200_000) + "1]", 422],
  ] as const;
  for (const [method, body, status] of bodies) {
    const response = await router.fetch(jsonRequest("/", body, { method }));
    assertEquals([method, body.slice(0, 9), response.status], [method, body.slice(0, 9), status]);
    if (status === 422) {
      const { violations } = await problemOf(response);
      assert(Array.isArray(violations) && violations.length > 0 && violations.length <= 50);
    }
  }
});

const STRING = { placeholder: "string" } as const;
const NUMBER = { placeholder: "number" } as const;
const BIGINT = { placeholder: "bigint" } as const;
type Part = string | typeof STRING | typeof NUMBER | typeof BIGINT;

/** Templates, texts that fit, and others. */
const TEMPLATES: readonly (readonly [
  parts: readonly Part[],
  fits: readonly string[],
  others: readonly string[],
])[] = [
  [["a", NUMBER, "b", NUMBER], ["a1b2", "a-1.5e3b0", "a1b1E-7"], [
    "a1b",
    "ab1",
    "a1.b2",
    "a1b2 ",
    "a--1b2",
    "a1e+b1",
    "a1+5b1",
    "a1.5.5b1",
    "a1.e5b1",
  ]],
  [[STRING, "@", STRING, ".", STRING], ["@.", "a@b.c", "@@..", "日@💩.\n"], ["@", "a.b", ".@", ""]],
  [[NUMBER, NUMBER], ["12", "1-2", "1.52", "1e55"], ["1", "", "1.5.", "--1"]],
  [[BIGINT, ".", BIGINT], ["1.2", "-1.-2"], ["1.2.3", ".1", "1e1.1"]],
  [[STRING, NUMBER, STRING, NUMBER], ["12", "a1b2", "1 1e9"], ["1", "a1b", ""]],
  [["^$", STRING, "\\", BIGINT], ["^$\\1", "^$\\\\7"], ["^$1", "$\\1"]],
  [["x", STRING, "y"], ["xy", "x y"], ["x", "yx"]],
];

TEMPLATES.forEach(([parts, fits, others], i) => {
  const pattern = templatePattern(
    parts.map((part) => typeof part === "string" ? { text: part } : part),
  );
  Deno.test(`a validator matches a template as its pattern does, and a long text at once: ${pattern}`, async () => {
    assertEquals(templatePattern(templateOf(pattern) ?? []), pattern);
    const [check] = await bodyChecks([{ type: "string", pattern }]);
    for (const one of fits) assertEquals([one, check?.(one).length], [one, 0]);
    for (const one of others) assertEquals([one, check?.(one).length], [one, 1]);
    for (const one of [...fits, ...others]) {
      assertEquals(new RegExp(pattern, "u").test(one), fits.includes(one), `case ${i}: ${one}`);
    }
    for (const one of ["1", "@", "a1", "1e", "x", "-1", "@."]) {
      const start = performance.now();
      check?.(`a${one.repeat(200_000 / one.length)} `);
      assert(performance.now() - start < MAX_MS, one);
    }
  });
});

Deno.test("a validator remembers nothing of a value that it has checked", async () => {
  const [check] = await bodyChecks([CHAIN]);
  const value: Record<string, unknown> = { next: { b: 1 }, b: "" };
  assertEquals(check?.(value), ["/next/b must be a string"]);
  value.next = Object.assign(value.next as object, { b: "" });
  assertEquals(check?.(value), []);
});

Deno.test("a validator of a recursive type without alternatives remembers nothing", () => {
  const tree = { ...ref("Tree"), $defs: { Tree: objectOf({ next: ref("Tree") }) } };
  const hasMemory = (body: SchemaObject) => moduleText({ "POST /": { body } }).includes("once(");
  assertEquals([hasMemory(tree), hasMemory(CHAIN)], [false, true]);
});

Deno.test("formats take time in proportion to the text", async () => {
  const names = Object.keys(FORMATS);
  const checks = await bodyChecks(names.map((format) => ({ type: "string", format })));
  const parts = ["a", "1", "a.", "a:", "a@", "::", "%41", "1-", "P1", "a-"];
  for (const [i, name] of names.entries()) {
    for (const part of parts) {
      for (const start of ["", "http://", "a@", "2026-01-01T00:00:00."]) {
        const begun = performance.now();
        assertEquals(checks[i]?.(start + part.repeat(50_000) + "\n").length, 1);
        assert(performance.now() - begun < MAX_MS, `${name}: ${start}${part}`);
      }
    }
  }
});

Deno.test("messages do not repeat what was sent", async () => {
  const [check] = await bodyChecks([{
    type: "object",
    properties: {
      a: { enum: ["x"] },
      b: { type: "string", pattern: "^x$", format: "uuid", maxLength: 2 },
    },
  }]);
  const faults = check?.({ a: "s3cret", b: "s3cret" }) ?? [];
  assertEquals([faults.length, faults.join().includes("s3cret")], [4, false]);
});
