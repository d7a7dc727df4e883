import { assertEquals } from "@std/assert";
import type { SchemaObject } from "../../../router/openapi_types.ts";
import { checkPrograms, documentOf } from "./_documents.ts";

const ref = (name: string): SchemaObject => ({ $ref: `#/components/schemas/${name}` });
const STRING = { type: "string" };
const NUMBER = { type: "number" };
const TREE = {
  type: "object",
  properties: { value: STRING, children: { type: "array", items: ref("Tree") } },
  required: ["value"],
};
const ANY = "anything as unknown";

/** A schema, values of it, and others. */
type Row = readonly [schema: SchemaObject, right: readonly string[], wrong: readonly string[]];

const SCHEMAS: Readonly<Record<string, Row>> = {
  Text: [STRING, ['""'], ["1", "null"]],
  Integer: [{ type: "integer" }, ["1"], ['"1"']],
  Flag: [{ type: "boolean" }, ["true"], ["0"]],
  Nothing: [{ type: "null" }, ["null"], ["undefined", "0"]],
  Anything: [{}, [ANY, "null"], []],
  Described: [{ description: "Whatever" }, [ANY], []],
  Several: [{ type: ["string", "null"] }, ['"a"', "null"], ["1"]],
  Nullable: [{ type: "string", nullable: true }, ['"a"', "null"], ["1"]],
  Choice: [{ enum: ["a", 1, null, true] }, ['"a"', "1", "null", "true"], ['"b"', "2", "false"]],
  Constant: [{ const: "a" }, ['"a"'], ['"b"']],
  ConstantNull: [{ const: null }, ["null"], ['""']],
  ConstantObject: [{ const: { a: [1, -2.5e30], "b c": {} } }, ['{ a: [1, -2.5e30], "b c": {} }'], [
    '{ a: [1, 2], "b c": {} }',
  ]],
  Quoted: [{ const: '"\\\n\u2028${a}`' }, [JSON.stringify('"\\\n\u2028${a}`')], ['"a"']],
  List: [{ type: "array", items: NUMBER }, ["[]", "[1]"], ['["a"]', "{}"]],
  UntypedList: [{ items: NUMBER }, ["[1]"], ['["a"]', "{}"]],
  UntypedTuple: [{ prefixItems: [STRING], items: false, minItems: 1 }, ['["a"]'], ["[1]", "{}"]],
  Numbers: [{ type: ["integer", "number"] }, ["1"], ['"1"']],
  Infinite: [{ const: Infinity }, ["1", "Infinity"], ['"1"']],
  UnknownList: [{ type: "array" }, ["[1, null]"], ["{}"]],
  UnionList: [{ type: "array", items: { type: ["string", "null"] } }, ['["a", null]'], ["[1]"]],
  Pair: [
    { type: "array", prefixItems: [STRING, NUMBER], items: false, minItems: 2 },
    ['["a", 1]'],
    [
      '["a"]',
      '["a", 1, 2]',
      '[1, "a"]',
    ],
  ],
  OpenTuple: [{ type: "array", prefixItems: [STRING, NUMBER], items: STRING, minItems: 1 }, [
    '["a"]',
    '["a", 1, "b"]',
  ], ["[]", '["a", "b"]']],
  UnionTuple: [
    { type: "array", prefixItems: [STRING], items: { type: ["string", "null"] }, minItems: 1 },
    ['["a", null, "b"]'],
    ['["a", 1]'],
  ],
  Note: [{ type: "object", properties: { a: STRING, b: NUMBER }, required: ["a"] }, [
    '{ a: "" }',
    '{ a: "", b: 1 }',
  ], ["{}", '{ a: "", c: 1 }', '{ a: "", b: undefined }', '{ a: "", b: "" }']],
  Undescribed: [{ type: "object", required: ["a"] }, ["{ a: 1 }"], ["{}"]],
  Untyped: [{ properties: { a: STRING } }, ["{}", '{ a: "" }'], ["{ a: 1 }"]],
  Dictionary: [{ type: "object", additionalProperties: NUMBER }, ["{}", "{ x: 1 }"], [
    '{ x: "a" }',
  ]],
  UntypedDictionary: [{ additionalProperties: NUMBER }, ["{ x: 1 }"], ['{ x: "a" }']],
  Closed: [{ type: "object", additionalProperties: false }, ["{}"], ["{ a: 1 }"]],
  Open: [{ type: "object" }, ["{}", "{ a: 1 }"], ["1"]],
  OpenNote: [{ type: "object", properties: { a: STRING }, additionalProperties: true }, [
    '{ a: "", b: 1 }',
  ], ["{ a: 1 }"]],
  Mixed: [{ type: "object", properties: { a: STRING }, additionalProperties: NUMBER }, [
    '{ a: "", b: 1 }',
  ], ["{ a: 1 }", "{ b: true }"]],
  Patterns: [{ type: "object", patternProperties: { "^x-": NUMBER } }, ['{ "x-a": 1 }'], []],
  ClosedPatterns: [
    { type: "object", patternProperties: { "^x-": NUMBER }, additionalProperties: false },
    ['{ "x-a": 1 }'],
    ['{ "x-a": "a" }'],
  ],
  Sloppy: [
    { type: "object", properties: { a: STRING }, required: [1, "a"] as unknown as string[] },
    ['{ a: "" }'],
    ["{}"],
  ],
  Names: [
    {
      type: "object",
      properties: { "a-b": STRING, "1": STRING, class: STRING, "": STRING, "a'b\"\n": STRING },
      required: ["a-b", "1", "class", "", "a'b\"\n"],
    },
    [`{ "a-b": "", 1: "", class: "", "": "", "a'b\\"\\n": "" }`],
    ['{ "a-b": "" }'],
  ],
  Prototype: [JSON.parse('{"type":"object","properties":{"__proto__":{"type":"number"}}}'), [
    '{ ["__proto__"]: 1 }',
  ], []],
  Either: [{ anyOf: [STRING, ref("Note")] }, ['"a"', '{ a: "" }'], ["1"]],
  One: [{ oneOf: [{ const: 1 }, { const: 2 }] }, ["1", "2"], ["3"]],
  EitherOrAnything: [{ anyOf: [STRING, {}] }, [ANY], []],
  All: [{ allOf: [ref("Note"), { type: "object", properties: { c: NUMBER }, required: ["c"] }] }, [
    '{ a: "", c: 1 }',
  ], ['{ a: "" }']],
  Narrowed: [{ type: "string", allOf: [{ pattern: "a" }, { minLength: 1 }] }, ['"a"'], ["1"]],
  BesideUnion: [
    {
      type: "object",
      properties: { a: STRING },
      required: ["a"],
      anyOf: [{ properties: { b: NUMBER }, required: ["b"] }, {
        properties: { c: NUMBER },
        required: ["c"],
      }],
    },
    ['{ a: "", b: 1 }', '{ a: "", c: 1 }'],
    ['{ a: "" }'],
  ],
  AllOfUnions: [{ allOf: [{ enum: ["a", "b"] }, { enum: ["b", "c"] }] }, ['"b"'], ['"a"']],
  UnionItems: [{ type: "array", items: { anyOf: [STRING, NUMBER] } }, ['["a", 1]'], ["[true]"]],
  Binary: [{ type: "string", format: "binary" }, ["new Blob([])", 'new File([], "a")'], ['"a"']],
  Never: [{ not: {}, enum: [] }, [], ["1"]],
  Tree: [TREE, ['{ value: "a", children: [{ value: "b" }] }'], ['{ value: "a", children: [{}] }']],
  Values: [
    {
      anyOf: [STRING, { type: "array", items: ref("Values") }, {
        type: "object",
        additionalProperties: ref("Values"),
      }],
    },
    ['"a"', '["a", ["b"]]', '{ a: { b: ["c"] } }'],
    ["1", "[1]"],
  ],
  Itself: [ref("Itself"), [ANY], []],
  Ring1: [{ anyOf: [ref("Ring2"), STRING] }, ['"a"'], []],
  Ring2: [{ allOf: [ref("Ring1")] }, ['"a"'], []],
  Ring3: [{ oneOf: [ref("Ring4"), STRING] }, ['"a"'], []],
  Ring4: [{ anyOf: [ref("Ring3")] }, ['"a"'], []],
  Missing: [ref("Nowhere"), [ANY], []],
  Elsewhere: [{ $ref: "https://example.com/schema.json" }, [ANY], []],
  Escaped: [{ $ref: "#/components/schemas/with~1slash%20x" }, ['"a"'], ["1"]],
  "with/slash x": [STRING, [], []],
  Conditional: [{ type: "string", if: { minLength: 1 }, then: { pattern: "a" } }, ['"a"'], ["1"]],
  True: [true as unknown as SchemaObject, [ANY], []],
  False: [false as unknown as SchemaObject, [], ["1"]],
};

/** A program that gives every type its values. */
function program(): string {
  const names = Object.keys(SCHEMAS).filter((name) => /^\w+$/.test(name));
  const lines = names.flatMap((name) => {
    const [, right, wrong] = SCHEMAS[name] ?? [{}, [], []];
    return [
      `export const ${name}_right: client.${name}[] = [${right.join(", ")}];`,
      ...wrong.flatMap((value, i) => [
        `// @ts-expect-error: ${name}`,
        `export const ${name}_wrong_${i}: client.${name} = ${value};`,
      ]),
    ];
  });
  return [
    `import type * as client from "./client.ts";`,
    `declare const anything: unknown;`,
    ...lines,
    `type Is<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;`,
    ...["Anything", "Itself", "Missing", "Elsewhere", "True"].map((name) =>
      `export const ${name}_unknown: Is<client.${name}, unknown> = true;`
    ),
  ].join("\n");
}

Deno.test("Types of schemas take the values of the schemas, and no others", () => {
  const schemas = Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, [schema]]) => [name, schema]),
  );
  assertEquals(checkPrograms([[documentOf(schemas), program()]]), []);
});
