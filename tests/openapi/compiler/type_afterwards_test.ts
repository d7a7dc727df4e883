/**
 * What a document says of types that are read after one that it refuses, in what order members and
 * names stand, and what else it refuses.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  objectOf,
  readMembers,
  readTypeTable,
  ref,
  testRefusals,
  TEXT,
  type TypeResult,
} from "./_types.ts";

const BEFORE = `
interface Pet { name: string }
interface Grow<T> { v: T; more?: Grow<T[]> }
interface Half { pet: Pet; more: Grow<string> }
type Nest<T> = { v: T; more?: Nest<T[]> }[];
interface Holder { gone: Gone }
interface Page<T> { items: T[] }
class Stamp { gone?: Gone; toJSON(): string { return ""; } }
type Self = Self;
`;
const GONE = `import type { Gone } from "./gone.ts";\n`;

function errorOf(result: TypeResult | undefined): string {
  assert(result !== undefined && "error" in result, JSON.stringify(result));
  return result.error;
}

Deno.test("a document refuses a type again that holds one without end", async () => {
  const types = ["{ a: Half }", "{ b: Half }", "Nest<string>", "{ c: Nest<string> }"];
  for (const one of await readTypeTable({ types, before: BEFORE, mayBeWrong: true })) {
    assertMatch(errorOf(one), /infinitely nested/);
  }
});

Deno.test("a document says the same of a type after one without end as before it", async () => {
  const types = ["Page<Pet>", "Grow<string>", "Page<Pet>", "Half", "Pet"];
  const [page, , again, , pet] = await readTypeTable({ types, before: BEFORE, mayBeWrong: true });
  assertEquals<unknown>(page, {
    schema: ref("Page_Pet"),
    components: {
      Page_Pet: objectOf({ items: { type: "array", items: ref("Pet") } }),
      Pet: objectOf({ name: TEXT }),
    },
  });
  assertEquals(again, page);
  assertEquals<unknown>(pet, { schema: ref("Pet"), components: { Pet: objectOf({ name: TEXT }) } });
});

Deno.test("a document names a type that is not found in the argument of a generic", async () => {
  const [result] = await readTypeTable({
    types: ["Page<Gone>"],
    before: GONE + BEFORE,
    mayBeWrong: true,
  });
  assertMatch(errorOf(result), /has the type Gone of "\.\/gone\.ts", which was not found/);
});

Deno.test("a document does not miss what toJSON does not write", async () => {
  const [result] = await readTypeTable({
    types: ["Stamp"],
    before: GONE + BEFORE,
    mayBeWrong: true,
  });
  assertEquals<unknown>(result, { schema: ref("Stamp"), components: { Stamp: TEXT } });
});

Deno.test("a document refuses a type that is only itself", async () => {
  const [result] = await readTypeTable({
    types: ["{ a: Self }"],
    before: BEFORE,
    mayBeWrong: true,
  });
  errorOf(result);
});

Deno.test("a document has the members of a mapped type in the order of their names", async () => {
  const [result] = await readTypeTable({
    types: [`{ [K in "zulu" | "mike" | "alpha"]: K }`],
  });
  assert(result !== undefined && "schema" in result);
  const { properties = {} } = result.schema as { readonly properties?: object };
  assertEquals(Object.keys(properties), ["alpha", "mike", "zulu"]);
});

testRefusals([
  ["a constructor", "new () => string", /response is a function/],
  ["options of the runtime", "{ a: RequestInit }", /response\.a\.\w+ .*cannot represent/],
], { before: BEFORE, mayBeWrong: true });

/** Documentation that only looks right. */
const WRONG: readonly (readonly [why: string, lines: string, type: string])[] = [
  ["a limit that ends in an underscore", "@minimum 1_", "number"],
  ["an expression that is none with the flag u", String.raw`@pattern ^\-$`, "string"],
  ["a text in quotes for a number", "@default 'a'", "number"],
  ["a list that does not end", "@default [1", "string | number"],
];
let refusals: Promise<readonly TypeResult[]> | undefined;
WRONG.forEach(([why, lines, type], i) => {
  Deno.test(`a document refuses a documented member: ${why}`, async () => {
    refusals ??= readMembers(WRONG, "");
    const [tag = ""] = lines.split(" ");
    assertMatch(errorOf((await refusals)[i]), new RegExp(`M${i}\\.a has the tag ${tag}`), type);
  });
});
