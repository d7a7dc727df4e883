/** preferredCodings() and readWeights(): RFC 9110 §12.4.2 and §12.5.3. */

import { assertEquals } from "@std/assert";
import { type ContentCoding, preferredCodings } from "../../static/content_coding.ts";
import { readWeights } from "../../static/weights.ts";

const ALL: readonly ContentCoding[] = ["br", "zstd", "gzip"];

/** [field, codings to look for, why] */
const FIELDS: readonly (readonly [
  field: string | null,
  codings: readonly ContentCoding[],
  why: string,
])[] = [
  ["compress, gzip", ["gzip"], "§12.5.3, first example"],
  ["", [], "§12.5.3, second example: the client wants none"],
  ["*", ["br", "zstd", "gzip"], "§12.5.3, third example"],
  ["compress;q=0.5, gzip;q=1.0", ["gzip"], "§12.5.3, fourth example"],
  ["gzip;q=1.0, identity; q=0.5, *;q=0", ["gzip"], "§12.5.3, fifth example"],
  [null, [], "without the field, whatever is simplest"],
  ["gzip, deflate, br, zstd", ["br", "zstd", "gzip"], "browsers: the order is the server's"],
  ["gzip;q=1, br;q=0.5", ["gzip", "br"], "weights come before the server's order"],
  ["br;q=0, gzip", ["gzip"], "one is refused"],
  ["*;q=0", [], "all are refused; what anybody can read is sent"],
  ["identity;q=0", [], "none is accepted: the field is disregarded, §12.4.1"],
  ["identity;q=0, gzip;q=0.001", ["gzip"], "the one that is accepted"],
  ["identity, gzip;q=0.5", [], "unencoded contents are preferred"],
  ["identity;q=0.5, gzip;q=0.5", ["gzip"], "equal: the server prefers less"],
  ["*;q=0.5, gzip;q=0.1", ["br", "zstd"], "`*` is for what is not listed, `identity` too"],
  ["identity;q=0.1, *;q=0.5, gzip;q=0.2", ["br", "zstd", "gzip"], "others by `*`"],
  ["BR", ["br"], "§8.4.1: codings ignore case"],
  ["x-gzip", ["gzip"], "§8.4.1.3: another name of gzip"],
  ["gzip;Q=0", [], "parameters ignore case"],
  ["gzip; q = 0.5", [], "a malformed weight: the value is ignored"],
  ["gzip;q=2", [], "the same"],
  ["gzip;q=-1", [], "the same"],
  ["gzip;q=0.0001", [], "too many digits"],
  ["gzip;q=NaN", [], "no number"],
  [",, gzip ,", ["gzip"], "empty members"],
  ["br\u00a0", ["br"], "what Headers would refuse"],
  ["__proto__, constructor", [], "no property of an object"],
];

for (const [field, codings, why] of FIELDS) {
  Deno.test(`preferredCodings() reads ${JSON.stringify(field)}: ${why}`, () => {
    assertEquals(preferredCodings(field, ALL), codings);
  });
}

Deno.test("preferredCodings() offers what the mount has, in its order", () => {
  assertEquals(preferredCodings("gzip, br, zstd", ["gzip", "br"]), ["gzip", "br"]);
  assertEquals(preferredCodings("zstd", ["gzip", "br"]), []);
});

Deno.test("readWeights() reads long fields in linear time", () => {
  for (const text of ["a,", ",", ";", "a;q=0.5;", " ", "\t,"]) {
    const start = performance.now();
    readWeights(text.repeat(30_000));
    assertEquals(performance.now() - start < 500, true, JSON.stringify(text));
  }
});
