/**
 * Rejected types: types that JSON cannot represent, unresolved types, or whose documentation
 * is wrong.
 */

import { assert, assertMatch } from "@std/assert";
import {
  readMembers,
  readTypeTable,
  type RefusalCase,
  testRefusals,
  type TypeResult,
} from "./_types.ts";

const BEFORE = `
declare const brand: unique symbol;
interface Deep { list: { map: Map<string, string> }[] }
interface Page<T> { items: T[] }
interface Grow<T> { v: T; more?: Grow<T[]> }
interface Twice<T> { left?: Twice<[T, 0]>; right?: Twice<[T, 1]> }
class Plain { a = 1; run = () => 1; }
type Fn = () => void;
interface Callable { (): void; a: string }
class Failure extends Error { code = 1; }
class Lookup extends Map<string, string> {}
class Row extends Array<string> { more = 1; }
interface Rows extends ReadonlyArray<string> { total: number }
`;

const CARRIED = /cannot represent/;
const REFUSED: readonly RefusalCase[] = [
  ...[
    ...["Map<string, string>", "Set<string>", "WeakMap<object, string>", "Promise<string>"],
    ...["RegExp", "Error", "Uint8Array", "ArrayBuffer", "DataView", "File", "Blob", "FormData"],
    ...["Response", "Headers", "URLSearchParams", "ReadableStream", "Iterable<string>"],
    ...["Generator<number>", "PromiseLike<string>", "Intl.NumberFormat", "Function"],
  ].map((type): RefusalCase => [
    type,
    type,
    new RegExp(`response .*\\b${type.replace(/<.*|.*\./g, "")}\\b.* cannot represent`),
  ]),
  ["a bigint", "bigint", /response .*bigint.* cannot represent/],
  ["a literal bigint", "1n", /bigint/],
  ["a bigint or a text", "bigint | string", /bigint/],
  ["a symbol", "symbol", /symbol/],
  ["a certain symbol", "typeof brand", /symbol/],
  ["undefined", "undefined", /undefined/],
  ["nothing returned", "void", /undefined/],
  ["a text or undefined in a list", "(string | undefined)[]", /response\[\] .*undefined/],
  ["undefined in a tuple", "[undefined]", /response\[0\] .*undefined/],
  ["a text or undefined in a tuple", "[string | undefined]", /response\[0\] .*undefined/],
  ["any", "any", /response is any.*unknown/],
  ["any in a list", "any[]", /response\[\] is any/],
  ["any in an object", "{ a: { b: any } }", /response\.a\.b is any/],
  ["any in a record", "Record<string, any>", /response\[\] is any/],
  ["any in a generic", "Page<any>", /Page_any\.items\[\] is any/],
  ["a function", "Fn", /function/],
  ["a function of an object", "{ run: () => void }", /response\.run .*function/],
  ["a method of an object", "{ run(): void }", /response\.run .*function/],
  ["an optional method", "{ run?(): void }", /response\.run .*function/],
  ["a function or a text", "{ a: string | (() => void) }", /response\.a .*function/],
  ["what can be called", "Callable", /Callable .*function/],
  ["a class itself", "typeof Plain", /function/],
  ["the type of a function", "typeof Fn2", /function/],
  ["a function in a class", "Plain", /Plain\.run .*function/],
  ["what JSON cannot represent, deep in a type", "Page<Deep>", /Deep\.list\[\]\.map .*Map/],
  ["a generic of what JSON cannot represent", "Page<bigint>", /Page_bigint\.items\[\] .*bigint/],
  ["a class of an error, whose message is never written", "Failure", /Failure|\bError\b/],
  ["a class of a map", "Lookup", /\bMap\b/],
  ["a class of a list", "Row", /\bArray\b/],
  ["an interface of a list", "Rows", /\bReadonlyArray\b/],
  ["a generic that makes others without end", "Grow<string>", /infinitely nested/],
  ["a generic that makes two others without end", "Twice<string>", /infinitely nested/],
];
testRefusals(REFUSED, { before: `${BEFORE}const Fn2 = (): number => 1;` });

const MISSING: readonly RefusalCase[] = [
  ["a type that is nowhere", "Nowhere", /response .*Nowhere.* not found/],
  ["a list of it", "Nowhere[]", /response\[\] .*Nowhere/],
  ["a member of it", "{ a?: Nowhere }", /response\.a .*Nowhere/],
  ["a type of a module that is nowhere", "Gone", /Gone.*"\.\/gone\.ts"/],
  ["a generic type of such a module", "GoneOf<string>", /GoneOf.*"\.\/gone\.ts"/],
  ["a member of such a type", "Holder", /Holder\.gone .*Gone.*"\.\/gone\.ts"/],
  ["such a type in a generic", "Page<Gone>", /Gone.*"\.\/gone\.ts"/],
  ["such a type in a mapped type", "Partial<Holder>", /Gone.*"\.\/gone\.ts"/],
  ["a type of a package that is nowhere", "Lost", /Lost.*"npm:gatehouse-has-no-such-package@1"/],
  ["a type that a module does not have", "there.Other", /there\.Other/],
  ["a type in another file", "There", /^\/?there\.ts:2:\d+: There\.gone .*Gone.*"\.\/gone\.ts"/],
];
// Its place is in another file for the last one
testMissing();

function testMissing(): void {
  let results: Promise<readonly TypeResult[]> | undefined;
  MISSING.forEach(([why, , told], i) => {
    Deno.test(`a document rejects an unresolved type: ${why}`, async () => {
      results ??= readTypeTable({
        types: MISSING.map(([, one]) => one),
        before: `import type { Gone, GoneOf } from "./gone.ts";
          import type { Lost } from "npm:gatehouse-has-no-such-package@1";
          import * as there from "./there.ts";
          import type { There } from "./there.ts";
          interface Page<T> { items: T[] }
          interface Holder { gone: Gone }`,
        files: {
          "there.ts":
            `import type { Gone } from "./gone.ts";\nexport interface There { gone: Gone }`,
        },
        mayBeWrong: true,
      });
      const result = (await results)[i];
      assert(result !== undefined && "error" in result, JSON.stringify(result));
      assertMatch(result.error, /^\/?\w+\.ts:\d+:\d+: /);
      assertMatch(result.error, told);
    });
  });
}

Deno.test("a document reports an infinite type once", async () => {
  const types = ["Grow<string>", "Twice<string>"];
  for (const one of await readTypeTable({ types, before: BEFORE })) {
    assert("error" in one && one.error.length < 400, JSON.stringify(one));
  }
});

testRefusals([
  ["bytes", "{ a: Uint8Array }", /response\.a .*Uint8Array.* form cannot represent/],
  ["a map", "{ a: Map<string, string> }", CARRIED],
], { form: true });

/** Documentation that cannot be right. */
const WRONG: readonly (readonly [why: string, lines: string, type: string])[] = [
  ["a limit that is not a number", "@minimum abc", "number"],
  ["a limit that is not said", "@minimum", "number"],
  ["a limit that is too large", "@maximum 1e400", "number"],
  ["a length below zero", "@minLength -1", "string"],
  ["a length with a fraction", "@maxLength 1.5", "string"],
  ["an invalid expression", "@pattern [", "string"],
  ["an expression that is not said", "@pattern", "string"],
  ["an expression with a flag that JSON Schema does not support", "@pattern /^a$/i", "string"],
  ["an empty format", "@format", "string"],
  ["a limit of a text", "@minimum 1", "string"],
  ["a length of a number", "@minLength 1", "number"],
  ["a length of a list", "@maxLength 1", "string[]"],
  ["an expression of a boolean", "@pattern a", "boolean"],
  ["an integer that is a text", "@type integer", "string"],
  ["another type", "@type float", "number"],
  ["an example that is not JSON", "@example {a: 1}", "{ a: 1 }"],
  ["an example that is not said", "@example", "string"],
  ["a default that is not a number", "@default abc", "number"],
  ["a default that is not a boolean", "@default 1", "boolean"],
  ["a default that is not in the enumeration", '@default "up"', "Order"],
];
let refusals: Promise<readonly TypeResult[]> | undefined;
WRONG.forEach(([why, lines, type], i) => {
  Deno.test(`a document rejects the documentation of a property: ${why}`, async () => {
    refusals ??= readMembers(WRONG, `type Order = "asc" | "desc";`);
    const result = (await refusals)[i];
    assert(result !== undefined && "error" in result, JSON.stringify(result));
    const [tag = ""] = lines.split(" ");
    assertMatch(
      result.error,
      new RegExp(`^/?types\\.ts:\\d+:\\d+: M${i}\\.a has the tag ${tag}`),
      type,
    );
  });
});
