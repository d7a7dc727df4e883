import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  engineText,
  expandOptional,
  isStatic,
  parsePattern,
  parsePrefix,
  prefixTest,
  type Segment,
} from "../../router/pattern.ts";

const literal = (text: string): Segment => ({ kind: "literal", text });
const param = (name: string, regexp?: string): Segment =>
  regexp === undefined
    ? { kind: "param", name, optional: false }
    : { kind: "param", name, regexp, optional: false };

const ACCEPTED: readonly (readonly [why: string, source: string, segments: readonly Segment[]])[] =
  [
    ["the root", "/", [literal("")]],
    ["literals", "/a/b", [literal("a"), literal("b")]],
    ["a trailing slash, which makes a distinct path", "/a/", [literal("a"), literal("")]],
    ["an empty segment", "/a//b", [literal("a"), literal(""), literal("b")]],
    ["parameters", "/:a/x/:b", [param("a"), literal("x"), param("b")]],
    ["names with digits, underscores, dollars and hyphens", "/:user_id/:$x/:a-1", [
      param("user_id"),
      param("$x"),
      param("a-1"),
    ]],
    ["an expression", "/:n{[0-9]+}", [param("n", "(?:[0-9]+)")]],
    ["an expression with a quantifier", "/:n{[0-9]{2,4}}", [param("n", "(?:[0-9]{2,4})")]],
    ["an expression with alternatives as one group", "/:kind{cats|dogs}", [
      param("kind", "(?:cats|dogs)"),
    ]],
    ["an expression with a group, which becomes non-capturing", "/:n{(a|b)c}", [
      param("n", "(?:(?:a|b)c)"),
    ]],
    ["an expression with a negated class", "/:n{[^/.]+}/x", [
      param("n", "(?:[^/.]+)"),
      literal("x"),
    ]],
    ["an expression that spans segments, as the last segment", "/x/:path{.+}", [
      literal("x"),
      param("path", "(?:.+)"),
    ]],
    ["a wildcard", "/files/*", [literal("files"), { kind: "wildcard" }]],
    ["a wildcard alone", "*", [{ kind: "wildcard" }]],
    ["a wildcard after a parameter", "/:a/*", [param("a"), { kind: "wildcard" }]],
    ["UTF-8, as it is", "/café", [literal("café")]],
    ["an encoded literal, in the spelling that requests get", "/caf%C3%A9/%61", [
      literal("café"),
      literal("a"),
    ]],
    ["an encoded slash, which stays inside its segment", "/a%2fb", [literal("a%2Fb")]],
    ["a backslash, as it arrives", "/a\\b", [literal("a%5Cb")]],
    ["an encoded percent", "/100%25", [literal("100%25")]],
    ["metacharacters of regular expressions", "/a.b/c+d/(e)/[f]/^g$/h|i", [
      literal("a.b"),
      literal("c+d"),
      literal("(e)"),
      literal("[f]"),
      literal("^g$"),
      literal("h|i"),
    ]],
    ["at signs and digits in a static path", "/@1/a@b", [literal("@1"), literal("a@b")]],
    ["an at sign before a letter beside a parameter", "/@me/:id", [literal("@me"), param("id")]],
    ["dots that are not alone", "/..a/...", [literal("..a"), literal("...")]],
  ];

for (const [why, source, segments] of ACCEPTED) {
  Deno.test(`parsePattern() accepts ${why}: ${source}`, () => {
    assertEquals(parsePattern(source), { source, segments });
  });
}

const REJECTED: readonly (readonly [why: string, source: string, message: string])[] = [
  ["a path without a leading slash", "users", "does not start with /"],
  ["an empty path", "", "does not start with /"],
  ["a URL", "https://example.com/a", "does not start with /"],
  ["a wildcard before the end", "/a/*/b", "a wildcard must be the last segment"],
  ["a wildcard inside a segment", "/files*", "inside a segment"],
  ["two wildcards in a segment", "/a/**", "inside a segment"],
  ["a named wildcard of another router", "/a/*rest", "inside a segment"],
  ["an optional parameter before the end", "/:a?/b", "optional before the last segment"],
  ["an optional literal", "/a?", "inside a segment"],
  ["a colon inside a segment", "/a:b", "inside a segment"],
  ["a fragment", "/a#b", "inside a segment"],
  ["a parameter without a name", "/:", "is not :name"],
  ["an optional parameter without a name", "/:?", "is not :name"],
  ["an expression without a name", "/:{[0-9]+}", "is not :name"],
  ["an empty expression", "/:n{}", "unbalanced"],
  ["text after an expression", "/:n{[0-9]+}x", "is not :name"],
  ["an extension after a parameter", "/:name.json", "is not :name"],
  ["two parameters in a segment", "/:a-:b", "is not :name"],
  ["a greedy parameter of another router", "/:path+", "is not :name"],
  ["a starred parameter of another router", "/:path*", "is not :name"],
  ["a repeated name", "/:id/:id", 'parameter ":id" is duplicated'],
  ["an unclosed expression", "/:n{[0-9]+", "unbalanced"],
  ["an optional group of another router", "/a{/:b}", ""],
  ["an invalid expression", "/:n{[0-9}", "is not a regular expression"],
  ["an unbalanced group", "/:n{(a}", "is not a regular expression"],
  ["an expression that is valid in a group only", "/:n{a)|(b}", "is not a regular expression"],
  ["an anchored expression", "/:n{^a$}", "anchor"],
  ["an anchor at the end", "/:n{a$}", "anchor"],
  ["a back reference", "/:n{(a)\\1}", "back reference"],
  ["a named group", "/:n{(?<x>a)}", "named group"],
  ["a look-ahead", "/:n{(?=a)a}", "look-around"],
  ["a negative look-behind", "/:n{(?<!a)b}", "look-around"],
  ["an expression that matches the empty string", "/:n{[0-9]*}", "matches the empty string"],
  ["an expression with an empty alternative", "/:n{a|}", "matches the empty string"],
  ["a dot before the last segment", "/:p{.+}/x", "may span segments"],
  ["a negated class before the last segment", "/:p{[^.]+}/x", "may span segments"],
  ["a slash before the last segment", "/:p{a/b}/x", "may span segments"],
  ["an escaped slash before the last segment", "/:p{a\\/b}/x", "may span segments"],
  ["a class with a slash before the last segment", "/:p{[a/]+}/x", "may span segments"],
  ["a negated escape before the last segment", "/:p{\\D+}/x", "may span segments"],
  ["an encoded slash before the last segment", "/:p{a\\x2fb}/x", "may span segments"],
  ["a Unicode slash before the last segment", "/:p{a\\u002Fb}/x", "may span segments"],
  ["the engine's parameter mark in an expression", "/:n{@1}", "@ or #"],
  ["the engine's handler mark in an expression", "/:n{#1}", "@ or #"],
  ["the engine's mark together with a parameter", "/@1/:id", "cannot be combined with"],
  ["the engine's other mark together with a parameter", "/%231/:id", "cannot be combined with"],
  ["an alternative together with a parameter", "/a|b/:id", "cannot be combined with"],
  ["an encoded question mark together with a wildcard", "/a%3F/*", "cannot be combined with"],
  ["encoded braces together with a parameter", "/%7Ba%7D/:id", "cannot be combined with"],
  ["a dot segment", "/a/./b", "dot segment"],
  ["a double dot segment", "/a/../b", "dot segment"],
  ["an encoded double dot segment", "/a/%2e%2e/b", "dot segment"],
  ["a malformed escape", "/a%zz", "malformed escape"],
  ["a truncated UTF-8 sequence", "/%E0%A4", "malformed escape"],
  ["a NUL", "/a%00", "malformed escape"],
  ["a control character", "/a\tb", "control character"],
];

for (const [why, source, message] of REJECTED) {
  Deno.test(`parsePattern() rejects ${why}: ${JSON.stringify(source)}`, () => {
    const error = assertThrows(() => parsePattern(source), TypeError);
    assertStringIncludes(error.message, `Cannot use path "${source}"`);
    assertStringIncludes(error.message, message);
  });
}

for (
  const [why, source, patterns] of [
    ["the same path if there is no optional parameter", "/a/:id", ["/a/:p0"]],
    ["two paths for an optional parameter", "/a/:id?", ["/a", "/a/:p0"]],
    ["the root for an optional parameter alone", "/:id?", ["/", "/:p0"]],
    ["the expression of an optional parameter", "/a/:id{[0-9]+}?", ["/a", "/a/:p0{(?:[0-9]+)}"]],
    ["dots that match line breaks", "/a/:id{.+}", ["/a/:p0{(?:[^]+)}"]],
    ["dots in classes and escaped ones as they are", "/a/:id{[.]\\..}", ["/a/:p0{(?:[.]\\.[^])}"]],
  ] as const
) {
  Deno.test(`expandOptional() returns ${why}`, () => {
    assertEquals(expandOptional(parsePattern(source)).map(engineText), [...patterns]);
  });
}

Deno.test("isStatic() is true only for literals", () => {
  assert(isStatic(parsePattern("/a/b/").segments));
  assert(!isStatic(parsePattern("/a/:b").segments));
  assert(!isStatic(parsePattern("/a/*").segments));
});

/** [why, prefix, paths that it covers, paths that it does not] */
const PREFIXES: readonly (readonly [
  why: string,
  prefix: string,
  inside: readonly string[],
  outside: readonly string[],
])[] = [
  ["every path for the root", "/", ["/", "/a", "//", "/a/b"], []],
  ["the path and everything under it", "/a", ["/a", "/a/", "/a/b", "/a//b", "/a/../b"], [
    "/",
    "/ab",
    "/A",
    "//a",
    "/b/a",
    "/a%2Fb",
    "/a%5Cb",
    "/a;x",
  ]],
  ["two segments", "/a/b", ["/a/b", "/a/b/c"], ["/a", "/a/bc", "/a//b"]],
  ["the same by a prefix with a trailing slash", "/a/", ["/a", "/a/", "/a/b", "/a/b/c"], [
    "/ab",
    "/b/a/",
  ]],
  ["an encoded prefix in the spelling of requests", "/%61/caf%C3%A9", ["/a/café", "/a/café/x"], [
    "/a/caf",
  ]],
  ["metacharacters of regular expressions literally", "/a.b", ["/a.b", "/a.b/c"], ["/axb"]],
  ["a parameter", "/:org/admin", ["/x/admin", "/x/admin/y", "/x\n/admin"], [
    "/x/administrator",
    "/x",
    "//admin",
    "/x/y/admin",
  ]],
  ["an expression", "/v1/:id{[0-9]+}", ["/v1/7", "/v1/7/a"], ["/v1/x", "/v1/7x", "/v1/"]],
  ["alternatives as one group", "/:kind{cats|dogs}/x", ["/cats/x", "/dogs/x/y"], [
    "/cats",
    "/dogs",
    "/birds/x",
  ]],
  [
    "literals with metacharacters together with a parameter",
    "/:a/c++/(d)",
    ["/x/c++/(d)"],
    ["/x/ccc/d"],
  ],
];

for (const [why, prefix, inside, outside] of PREFIXES) {
  Deno.test(`prefixTest() covers ${why}: ${prefix}`, () => {
    const covers = prefixTest(parsePrefix(prefix));
    for (const path of inside) assert(covers(path), `${path} is inside`);
    for (const path of outside) assert(!covers(path), `${path} is outside`);
  });
}

for (const prefix of ["/a/*", "*", "/a/:b?", "/:p{.+}", "/a/:p{[^.]+}", "/:p{a\\/b}"]) {
  Deno.test(`parsePrefix() rejects ${prefix}`, () => {
    assertThrows(
      () => parsePrefix(prefix),
      TypeError,
      "a prefix takes no wildcard, optional parameter or expression",
    );
  });
}
