/**
 * CBOR vectors. WebAuthn's profile is narrower than the canonical form of CTAP: no floats, no tags, no simple values except false,
 * true and null, integers that are safe, keys that are integers or strings, four levels.
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { decodeHex } from "../../auth/_bytes.ts";
import { decodeCbor } from "../../auth/webauthn/_cbor.ts";
import type { CborValue } from "../../auth/webauthn/types.ts";
import { testVectors } from "./_vectors.ts";

/** The neutral form of a value: one of its members is present. */
interface Tree {
  readonly int?: string;
  readonly bytes?: string;
  readonly text?: string;
  readonly array?: readonly Tree[];
  readonly map?: readonly (readonly [Tree, Tree])[];
  readonly simple?: number;
}

interface CborCase {
  readonly id: string;
  readonly hex: string;
  readonly wellFormed: boolean;
  readonly ctap2Canonical?: boolean;
  readonly nesting?: number;
  readonly decoded?: Tree;
}

/** What the profile refuses. */
class Refused extends Error {}

const SIMPLE: ReadonlyMap<number | undefined, boolean | null> = new Map([
  [20, false],
  [21, true],
  [22, null],
]);

/** The value of a tree. @throws {Refused} If the profile does not have it. */
function valueOf(tree: Tree, depth = 4): CborValue {
  const { int, bytes, text, array, map, simple } = tree;
  if (int !== undefined) {
    if (Number.isSafeInteger(Number(int))) return Number(int);
    throw new Refused("an integer that is not safe");
  }
  if (bytes !== undefined) return decodeHex(bytes);
  if (text !== undefined) return text;
  if (array === undefined && map === undefined) {
    const value = SIMPLE.get(simple);
    if (value === undefined) throw new Refused("a float, tag or simple value");
    return value;
  }
  if (depth === 0) throw new Refused("more than four levels");
  if (array !== undefined) return array.map((item) => valueOf(item, depth - 1));
  return new Map((map ?? []).map(([key, value]) => {
    if (key.int === undefined && key.text === undefined) throw new Refused("another key");
    return [valueOf(key) as number | string, valueOf(value, depth - 1)];
  }));
}

/** The value, or why it is refused. */
function expected(test: CborCase): { readonly value: CborValue } | { readonly refused: string } {
  const { wellFormed, ctap2Canonical, nesting, decoded } = test;
  if (!wellFormed) return { refused: "malformed" };
  if (ctap2Canonical === false) return { refused: "not canonical" };
  if (nesting !== undefined && nesting > 4) return { refused: "more than four levels" };
  assert(decoded !== undefined, test.id);
  try {
    return { value: valueOf(decoded) };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    throw error;
  }
}

for (const name of ["well-formed", "derived-canonical", "derived-malformed", "malformed"]) {
  testVectors<CborCase>({
    file: `cbor/${name}.json`,
    run(test) {
      const bytes = decodeHex(test.hex);
      const outcome = expected(test);
      if ("value" in outcome) assertEquals(decodeCbor(bytes), outcome.value, test.id);
      else assertThrows(() => decodeCbor(bytes), SyntaxError, "Cannot decode CBOR", test.id);
    },
  });
}

interface LimitCase {
  readonly id: string;
  readonly prefix: string;
  readonly times: number;
  readonly suffix: string;
}

testVectors<LimitCase>({
  file: "cbor/resource-limits.json",
  run({ id, prefix, times, suffix }) {
    const bytes = decodeHex(prefix.repeat(times) + suffix);
    const start = performance.now();
    for (const anyKeyOrder of [false, true]) {
      assertThrows(() => decodeCbor(bytes, { anyKeyOrder }), SyntaxError, "Cannot decode CBOR", id);
    }
    assert(performance.now() - start < 500, `${id}: refused slowly`);
  },
});
