/** What the documentation of members says of types that have names: brands, objects, enums. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { SchemaObject } from "@gatehouse/http";
import { readMembers, ref } from "./_types.ts";

const BEFORE = `
declare const brand: unique symbol;
type UserId = string & { readonly [brand]: 1 };
type Amount = number & { readonly [brand]: 2 };
interface Pet { name: string }
type Order = "asc" | "desc";
`;

/** What stands beside the reference to the type. */
const SAID:
  readonly (readonly [why: string, lines: string, type: string, keywords: SchemaObject])[] = [
    ["an example of a branded text", "@example 123", "UserId", { examples: ["123"] }],
    ["a default of a branded text", "@default 5", "UserId", { default: "5" }],
    ["a limit of a branded number", "@minimum 1", "Amount", { minimum: 1 }],
    ["a branded number that is an integer", "@type integer", "Amount", { type: "integer" }],
    ["an example of an object", '@example {"name":"Tom"}', "Pet", { examples: [{ name: "Tom" }] }],
    ["a default of an enumeration", "@default asc", "Order", { default: "asc" }],
  ];
let said: ReturnType<typeof readMembers> | undefined;
SAID.forEach(([why, , type, keywords], i) => {
  Deno.test(`a document says of a documented member with a named type: ${why}`, async () => {
    said ??= readMembers(SAID, BEFORE);
    const result = (await said)[i];
    assert(result !== undefined && "components" in result, JSON.stringify(result));
    const { properties = {} } = result.components[`M${i}`] as {
      readonly properties?: Readonly<Record<string, unknown>>;
    };
    assertEquals<unknown>(properties.a, { ...keywords, allOf: [ref(type)] });
  });
});

const WRONG: readonly (readonly [why: string, lines: string, type: string])[] = [
  ["a limit of an object", "@minimum 3", "Pet"],
  ["a length of a branded number", "@minLength 3", "Amount"],
  ["an example of another type", "@example [1]", "Amount"],
  ["a default of another type", "@default 1", "Pet"],
];
let refused: ReturnType<typeof readMembers> | undefined;
WRONG.forEach(([why, lines, type], i) => {
  Deno.test(`a document refuses a documented member with a named type: ${why}`, async () => {
    refused ??= readMembers(WRONG, BEFORE);
    const result = (await refused)[i];
    assert(result !== undefined && "error" in result, JSON.stringify(result));
    assertMatch(result.error, new RegExp(`M${i}\\.a says ${lines.split(" ")[0]}`), type);
  });
});
