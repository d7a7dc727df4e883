/**
 * Schemas, with values that they accept and others.
 *
 * @module
 */

import type { SchemaObject } from "@gatehouse/http";

/** A schema, accepted values, and rejected ones with all that is wrong with them. */
export type SchemaFaults = readonly [
  why: string,
  schema: SchemaObject,
  accepted: readonly unknown[],
  rejected: readonly (readonly [value: unknown, ...faults: string[]])[],
];

const named = (type: string, ...required: readonly string[]): SchemaObject => ({
  type: "object",
  properties: { kind: { type: "string", const: type }, n: { type: "number" } },
  required: ["kind", ...required],
});

/** One row for each keyword that types become. */
export const CASES: readonly SchemaFaults[] = [
  ["string", { type: "string" }, ["", "a"], [[1, " must be a string"], [
    null,
    " must be a string",
  ]]],
  [
    "number: finite ones alone, as JSON.parse reads 1e400",
    { type: "number" },
    [0, -1.5, 1e300],
    [["1", " must be a number"], [JSON.parse("1e400"), " must be a number"], [
      NaN,
      " must be a number",
    ]],
  ],
  ["integer: 1.0 is one, §4.2.3", { type: "integer" }, [1, -0, 1e300], [[
    1.5,
    " must be an integer",
  ]]],
  ["an integer or another number", { type: ["integer", "number"] }, [1, 1.5], [[
    "1",
    " must be an integer or a number",
  ]]],
  [
    "a number beside another type: finite ones alone",
    { anyOf: [{ type: "number", minimum: 0 }, { type: "array", items: { type: "string" } }] },
    [0, ["a"]],
    [[JSON.parse("1e400"), " must be a number or an array"], [-1, " must be at least 0"]],
  ],
  ["boolean", { type: "boolean" }, [true, false], [[0, " must be a boolean"], [
    "true",
    " must be a boolean",
  ]]],
  ["null", { type: "null" }, [null], [[0, " must be null"], [{}, " must be null"]]],
  ["object: no array, and not null", { type: "object" }, [{}, { a: 1 }], [
    [[], " must be an object"],
    [null, " must be an object"],
  ]],
  ["array", { type: "array" }, [[], [1]], [[{}, " must be an array"], ["", " must be an array"]]],
  ["anything", {}, [1, null, "a", [], {}], []],
  [
    "types, Validation §6.1.1",
    { type: ["string", "null", "integer"] },
    ["a", null, 1],
    [[1.5, " must be a string, null or an integer"], [[], " must be a string, null or an integer"]],
  ],
  ["const, Validation §6.1.3", { const: 1 }, [1], [["1", " must be 1"], [true, " must be 1"]]],
  ["enum, Validation §6.1.2", { enum: ["a", 1, null, false] }, ["a", 1, null, false], [
    ["b", ' must be "a", 1, null or false'],
    [0, ' must be "a", 1, null or false'],
  ]],
  [
    "a large enum",
    { type: "string", enum: Array.from({ length: 20 }, (_, i) => `v${i}`) },
    ["v0", "v19"],
    [["v20", " must be one of 20 values"], ["constructor", " must be one of 20 values"]],
  ],
  [
    "limits beside literals",
    { type: "number", enum: [1, 9], minimum: 5 },
    [9],
    [[1, " must be at least 5"], [7, " must be 1 or 9"]],
  ],
  [
    "limits beside literals of several types",
    { enum: ["a", "abc", 1], maxLength: 1 },
    ["a", 1],
    [["abc", " must have at most 1 character"], [2, ' must be "a", "abc" or 1']],
  ],
  [
    "limits beside literals in alternatives",
    {
      anyOf: [{ type: "string", enum: ["a", "abc"], maxLength: 1 }, {
        type: "string",
        minLength: 5,
      }],
    },
    ["a", "abcde"],
    [["abc", ' must be "a", "abc" or a string']],
  ],
  [
    "minimum, maximum, Validation §6.2",
    { type: "number", minimum: 1, maximum: 3 },
    [1, 3],
    [[0.5, " must be at least 1"], [3.5, " must be at most 3"]],
  ],
  [
    "exclusive limits",
    { type: "number", exclusiveMinimum: 1, exclusiveMaximum: 3 },
    [1.01, 2.99],
    [[1, " must be more than 1"], [3, " must be less than 3"]],
  ],
  ["multipleOf, an integer", { type: "number", multipleOf: 2 }, [0, 4, -2], [
    [7, " must be a multiple of 2"],
    [9007199254740991, " must be a multiple of 2"],
  ]],
  ["multipleOf, a fraction", { type: "number", multipleOf: 0.0001 }, [0.0075, 0.3, 0], [
    [0.00751, " must be a multiple of 0.0001"],
  ]],
  ["multipleOf, 0.1", { type: "number", multipleOf: 0.1 }, [0.3, 0.7, 1.1], [
    [0.35, " must be a multiple of 0.1"],
    [1000.05, " must be a multiple of 0.1"],
  ]],
  [
    "lengths in characters, Validation §6.3",
    { type: "string", minLength: 2, maxLength: 3 },
    ["ab", "abc", "💩💩", "💩💩💩"],
    [
      ["a", " must have at least 2 characters"],
      ["💩", " must have at least 2 characters"],
      ["abcd", " must have at most 3 characters"],
    ],
  ],
  ["minLength 1", { type: "string", minLength: 1 }, ["a"], [[
    "",
    " must have at least 1 character",
  ]]],
  ["pattern: not anchored, in Unicode mode", { type: "string", pattern: "^.a+" }, ["xaa!", "💩a"], [
    ["b", " must match ^.a+"],
  ]],
  [
    "patterns with delimiters, quotes and line separators",
    { type: "string", pattern: "^[/\"'`\\\\\u2028]$" },
    ["/", '"', "'", "`", "\\", "\u2028"],
    [["a", " must match ^[/\"'`\\\\\u2028]$"]],
  ],
  ["a format without a check", { type: "string", format: "isbn" }, ["", "x"], [[
    1,
    " must be a string",
  ]]],
  ["a format with the name of what objects inherit", { type: "string", format: "constructor" }, [
    "",
  ], [[1, " must be a string"]]],
  ["items", { type: "array", items: { type: "string" } }, [[], ["a"]], [
    [["a", 1, null], "/1 must be a string", "/2 must be a string"],
  ]],
  [
    "prefixItems and items",
    {
      type: "array",
      prefixItems: [{ type: "string" }, { type: "number" }],
      items: { type: "boolean" },
      minItems: 1,
    },
    [["a"], ["a", 1], ["a", 1, true]],
    [[[], " must have at least 1 item"], [["a", 1, 2], "/2 must be a boolean"], [
      [1, "a"],
      "/0 must be a string",
      "/1 must be a number",
    ]],
  ],
  ["maxItems", { type: "array", maxItems: 1 }, [[], [1]], [[[1, 2], " must have at most 1 item"]]],
  [
    "uniqueItems: by value, whatever the order of members",
    { type: "array", uniqueItems: true },
    [[], [1, "1", true, [1], { a: 1 }], [{ a: 1, b: 2 }, { a: 2, b: 1 }], [{ a1: 2 }, { a: 12 }], [
      0,
      false,
      null,
      "",
    ]],
    [
      [[1, 1], " must not have equal items"],
      [[{ a: 1, b: [2] }, { b: [2], a: 1 }], " must not have equal items"],
      [[0, -0], " must not have equal items"],
    ],
  ],
  [
    "properties and required",
    {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a", "c"],
    },
    [{ a: "", c: null }, { a: "", b: 1, c: 1, other: true }],
    [[{}, "/a is required", "/c is required"], [
      { a: 1, b: "", c: 1 },
      "/a must be a string",
      "/b must be a number",
    ]],
  ],
  [
    "names that objects inherit",
    {
      type: "object",
      properties: {
        constructor: { type: "string" },
        toString: { type: "number" },
      },
      required: ["constructor", "hasOwnProperty"],
    },
    [JSON.parse('{ "constructor": "", "toString": 1, "hasOwnProperty": 1 }')],
    [[{}, "/constructor is required", "/hasOwnProperty is required"]],
  ],
  [
    "names that a variable cannot have",
    {
      type: "object",
      properties: Object.fromEntries(
        [
          "fail",
          "value",
          "at",
          "issues",
          "class",
          "a-b",
          "a b",
          "日",
          "LIMIT",
          "isObject",
          "checkPost0Body",
          'é\n"',
        ]
          .map((name) => [name, { type: "string", minLength: 1 }]),
      ),
    },
    [{}, { fail: "x", value: "x", "a-b": "x" }],
    [[
      { fail: 1, "日": 2, 'é\n"': "" },
      "/fail must be a string",
      "/日 must be a string",
      '/é\n" must have at least 1 character',
    ]],
  ],
  ["a property that must be absent", { type: "object", properties: { a: { not: {} } } }, [{}, {
    b: 1,
  }], [
    [{ a: null }, "/a is not allowed"],
  ]],
  [
    "additionalProperties",
    {
      type: "object",
      properties: { a: { type: "string" } },
      additionalProperties: { type: "number" },
    },
    [{}, { a: "", b: 1 }],
    [[{ a: "", b: "", c: 1, d: null }, "/b must be a number", "/d must be a number"]],
  ],
  [
    "additionalProperties in others",
    {
      type: "object",
      properties: { a: { type: "object", additionalProperties: { type: "number" } } },
    },
    [{}, { a: { b: 1 } }],
    [[{ a: { b: "" } }, "/a/b must be a number"]],
  ],
  [
    "additionalProperties: false",
    { type: "object", properties: { a: {} }, additionalProperties: false },
    [{}, { a: 1 }],
    [[{ a: 1, b: 1 }, "/b is not allowed"]],
  ],
  [
    "patternProperties beside others",
    {
      type: "object",
      patternProperties: { "^x-": { type: "string" } },
      additionalProperties: { type: "number" },
    },
    [{ "x-a": "", b: 1 }],
    [[{ "x-a": 1, b: "" }, "/x-a must be a string", "/b must be a number"]],
  ],
  [
    "minProperties, maxProperties",
    { type: "object", minProperties: 1, maxProperties: 2 },
    [{ a: 1 }, { a: 1, b: 1 }],
    [[{}, " must have at least 1 property"], [
      { a: 1, b: 1, c: 1 },
      " must have at most 2 properties",
    ]],
  ],
  [
    "alternatives of different types report what is inside",
    {
      anyOf: [{ type: "array", items: { type: "string" } }, {
        type: "object",
        properties: { a: { type: "string" } },
      }, { type: "null" }],
    },
    [["a"], { a: "" }, null],
    [[[1], "/0 must be a string"], [{ a: 1 }, "/a must be a string"], [
      1,
      " must be an array, an object or null",
    ]],
  ],
  [
    "alternatives of one scalar type",
    {
      anyOf: [{ type: "string", maxLength: 1 }, { type: "string", enum: ["auto"] }, {
        type: "integer",
        minimum: 5,
      }, { type: "number", maximum: 0 }],
    },
    ["a", "auto", 5, -0.5, 0],
    [["autom", ' must be a string or "auto"'], [1, " must be an integer or a number"], [
      5.5,
      " must be an integer or a number",
    ]],
  ],
  [
    "a discriminator selects the alternative",
    { oneOf: [named("a", "n"), named("b")] },
    [{ kind: "a", n: 1 }, { kind: "b" }],
    [
      [{ kind: "a" }, "/n is required"],
      [{ kind: "c" }, '/kind must be "a" or "b"'],
      [{}, '/kind must be "a" or "b"'],
      [{ kind: "constructor" }, '/kind must be "a" or "b"'],
      [null, " must be an object"],
    ],
  ],
  [
    "without one, the alternative that fits best is reported",
    {
      anyOf: [
        {
          type: "object",
          properties: { a: { type: "string" }, b: { type: "string" } },
          required: ["a", "b"],
        },
        { type: "object", properties: { c: { type: "string" } }, required: ["c"] },
      ],
    },
    [{ a: "", b: "" }, { c: "" }],
    [[{}, "/c is required"], [{ a: "", b: 1 }, "/b must be a string"]],
  ],
  [
    "one whose properties are there fits better than one without, whatever is wrong inside",
    {
      anyOf: [
        {
          type: "object",
          properties: {
            a: {
              type: "object",
              properties: { x: { type: "string" }, y: { type: "string" }, z: { type: "string" } },
            },
            b: { type: "number" },
          },
          required: ["a"],
        },
        { type: "object", properties: { c: { type: "string" } }, required: ["c"] },
      ],
    },
    [{ a: {} }, { c: "" }],
    [
      [
        { a: { x: 1, y: 2, z: 3 } },
        "/a/x must be a string",
        "/a/y must be a string",
        "/a/z must be a string",
      ],
      [{ a: 1, b: "" }, "/a must be an object", "/b must be a number"],
    ],
  ],
  [
    "keywords beside a reference",
    {
      $ref: "#/$defs/Text",
      maxLength: 2,
      description: "short",
      $defs: { Text: { type: "string", minLength: 1 } },
    },
    ["a"],
    [["", " must have at least 1 character"], ["abc", " must have at most 2 characters"], [
      1,
      " must be a string",
    ]],
  ],
  [
    "recursive definitions",
    {
      $ref: "#/$defs/Tree",
      $defs: {
        Tree: {
          type: "object",
          properties: {
            v: { type: "number" },
            children: { type: "array", items: { $ref: "#/$defs/Tree" } },
          },
          required: ["v"],
        },
      },
    },
    [{ v: 1 }, { v: 1, children: [{ v: 2, children: [] }] }],
    [[
      { v: 1, children: [{ v: 2, children: [{}, { v: "" }] }] },
      "/children/0/children/0/v is required",
      "/children/0/children/1/v must be a number",
    ]],
  ],
  [
    "what no value is",
    { not: {} },
    [],
    [[1, " is not allowed"], [{}, " is not allowed"]],
  ],
];
