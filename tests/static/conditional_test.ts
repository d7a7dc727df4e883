/** Preconditions by entity tags, RFC 9110 §13, for all methods and malformed lists of tags. */

import { checkPreconditions } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { evaluate, randomField } from "./_conditional_reference.ts";
import { randomNumbers } from "./_random.ts";

type Status = 304 | 412 | undefined;

/** Evaluates fields, each a value or the values of several lines. */
function check(
  method: string,
  fields: Readonly<Record<string, string | readonly string[]>>,
  etag: string | undefined,
): Status {
  const headers = new Headers();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) headers.append(name, value);
  }
  return checkPreconditions({ method, headers }, etag);
}

/** RFC 9110 §8.8.3.2: the table of its examples. */
const COMPARISONS: readonly [first: string, second: string, strong: boolean, weak: boolean][] = [
  ['W/"1"', 'W/"1"', false, true],
  ['W/"1"', 'W/"2"', false, false],
  ['W/"1"', '"1"', false, true],
  ['"1"', '"1"', true, true],
];

Deno.test("checkPreconditions() compares tags as in the table of RFC 9110 §8.8.3.2", () => {
  for (const [first, second, strong, weak] of COMPARISONS) {
    for (const [listed, present] of [[first, second], [second, first]] as const) {
      const why = `${listed} against ${present}`;
      const read = check("GET", { "If-None-Match": listed }, present);
      assertEquals(read, weak ? 304 : undefined, why);
      const write = check("PUT", { "If-Match": listed }, present);
      assertEquals(write, strong ? undefined : 412, why);
    }
  }
});

/** RFC 9110 §13.1.1 and §13.1.2: their own examples. */
const EXAMPLES: readonly [field: string, value: string, etag: string, status: Status][] = [
  ["If-Match", '"xyzzy"', '"xyzzy"', undefined],
  ["If-Match", '"xyzzy"', '"r2d2xxxx"', 412],
  ["If-Match", '"xyzzy", "r2d2xxxx", "c3piozzzz"', '"r2d2xxxx"', undefined],
  ["If-Match", '"xyzzy", "r2d2xxxx", "c3piozzzz"', '"c3po"', 412],
  ["If-Match", "*", '"xyzzy"', undefined],
  ["If-None-Match", '"xyzzy"', '"xyzzy"', 304],
  ["If-None-Match", 'W/"xyzzy"', '"xyzzy"', 304],
  ["If-None-Match", '"xyzzy", "r2d2xxxx", "c3piozzzz"', '"c3piozzzz"', 304],
  ["If-None-Match", 'W/"xyzzy", W/"r2d2xxxx", W/"c3piozzzz"', '"r2d2xxxx"', 304],
  ["If-None-Match", 'W/"xyzzy", W/"r2d2xxxx", W/"c3piozzzz"', '"c3po"', undefined],
  ["If-None-Match", "*", '"xyzzy"', 304],
];

for (const [field, value, etag, status] of EXAMPLES) {
  Deno.test(`checkPreconditions() returns ${status} to the RFC's ${field}: ${value} at ${etag}`, () => {
    assertEquals(check("GET", { [field]: value }, etag), status);
  });
}

/** Statuses of all methods: `If-None-Match` lists the tag · `If-Match` does not · `If-None-Match: *` without a file. */
const METHODS: readonly [method: string, listed: Status, unlisted: Status, why: string][] = [
  ["GET", 304, 412, "a read of the client's version"],
  ["HEAD", 304, 412, "the same as GET"],
  ["POST", 412, 412, "§13.2.2 step 3: all other methods"],
  ["PUT", 412, 412, "a create that must not overwrite"],
  ["PATCH", 412, 412, "a modification"],
  ["DELETE", 412, 412, "a modification"],
  ["PROPFIND", 412, 412, "an extension method is an other method"],
  ["get", 412, 412, "methods are case-sensitive, §9.1"],
  ["OPTIONS", undefined, undefined, "§13.2.1: selects nothing, so the fields are ignored"],
  ["TRACE", undefined, undefined, "§13.2.1"],
  ["CONNECT", undefined, undefined, "§13.2.1"],
];

for (const [method, listed, unlisted, why] of METHODS) {
  Deno.test(`checkPreconditions() under ${method}: ${why}`, () => {
    assertEquals(check(method, {}, '"a"'), undefined);
    for (const value of ['"a"', 'W/"a"', "*"]) {
      assertEquals(check(method, { "If-None-Match": value }, '"a"'), listed, value);
    }
    assertEquals(check(method, { "If-None-Match": '"b"' }, '"a"'), undefined);
    assertEquals(check(method, { "If-None-Match": "*" }, undefined), undefined);
    assertEquals(check(method, { "If-Match": '"b"' }, '"a"'), unlisted);
    assertEquals(check(method, { "If-Match": '"a"' }, '"a"'), undefined);
    for (const value of ['"a"', "*", ""]) {
      assertEquals(check(method, { "If-Match": value }, undefined), unlisted, value);
    }
  });
}

/** RFC 9110 §13.2.2: the order of the steps. */
const PRECEDENCE: readonly [
  why: string,
  fields: Readonly<Record<string, string>>,
  get: Status,
  put: Status,
][] = [
  ["both hold", { "If-Match": '"a"', "If-None-Match": '"b"' }, undefined, undefined],
  ["If-Match decides", { "If-Match": '"b"', "If-None-Match": '"a"' }, 412, 412],
  ["If-Match decides if both fail", { "If-Match": '"b"', "If-None-Match": '"b"' }, 412, 412],
  ["If-None-Match comes after If-Match", { "If-Match": "*", "If-None-Match": "*" }, 304, 412],
  [
    "dates are ignored",
    {
      "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT",
      "If-Unmodified-Since": "Sat, 29 Oct 1994 19:43:31 GMT",
    },
    undefined,
    undefined,
  ],
  [
    "a date does not undo a match",
    {
      "If-None-Match": '"a"',
      "If-Modified-Since": "Sat, 29 Oct 1994 19:43:31 GMT",
    },
    304,
    412,
  ],
  [
    "If-Range is not one of them",
    { "If-Range": '"b"', "Range": "bytes=0-1" },
    undefined,
    undefined,
  ],
];

for (const [why, fields, get, put] of PRECEDENCE) {
  Deno.test(`checkPreconditions() keeps the order of RFC 9110 §13.2.2: ${why}`, () => {
    assertEquals([check("GET", fields, '"a"'), check("PUT", fields, '"a"')], [get, put]);
  });
}

/** Field values at the strong tag `"a"`: whether they list it. */
const FIELDS: readonly [value: string | readonly string[], lists: boolean, why: string][] = [
  ['"a"', true, "alone"],
  ['"b","a"', true, "without white space"],
  ['"b"\t ,\t "a"', true, "spaces and tabs, §5.6.3"],
  ['  "a"  ', true, "white space around the value, §5.5"],
  [', ,"a",,', true, "empty elements, §5.6.1.2"],
  [' , "a"', true, "a leading empty element"],
  ['"a" ,', true, "a trailing empty element"],
  [['"b"', '"a"'], true, "two lines are one list, §5.3"],
  [['"a"', ""], true, "an empty line is an empty element"],
  ['"b", "c"', false, "not in the list"],
  ["", false, "an empty value"],
  [",", false, "only an empty element"],
  [",,,, ,\t,", false, "many empty elements"],
  ["a", false, "unquoted, §8.8.3"],
  ["'a'", false, "other quotes"],
  ['"a', false, "no closing quote"],
  ['a"', false, "no opening quote"],
  ['""', false, "the empty tag is another one"],
  ['"A"', false, "tags are compared byte by byte"],
  ['"a "', false, "a space is not an etagc"],
  ['"\ta"', false, "a tab is not an etagc"],
  ['"aa"', false, "longer"],
  ['"b,a"', false, "a comma inside a tag is part of it"],
  ['"b", a, "c"', false, "one element is malformed"],
  ['"b" "a"', false, "no comma between"],
  ['"b";"a"', false, "another separator"],
  ['"b""a"', false, "nothing between"],
  ['"b"x, "a"', false, "text after a tag"],
  ['"a", x', false, "a match in a list that is malformed after it"],
  ['"a"x', false, "text after the matching tag"],
  ['w/"a"', false, "W/ is case-sensitive, §8.8.3"],
  ['W/ "a"', false, "no space after W/"],
  ['W"a"', false, "no slash"],
  ['/"a"', false, "no W"],
  ['W/W/"a"', false, "weakened twice"],
  ["W/a", false, "weak and unquoted"],
  ['"\\"a"', false, "no escapes in tags: a backslash is one character"],
  ['"b\x7fa"', false, "DEL is not an etagc"],
  ['"*"', false, "a quoted star is an ordinary tag"],
  ['"*", "a"', true, "a quoted star may be listed with other tags"],
];

for (const [value, lists, why] of FIELDS) {
  Deno.test(`checkPreconditions() reads ${JSON.stringify(value)}: ${why}`, () => {
    assertEquals(check("GET", { "If-None-Match": value }, '"a"'), lists ? 304 : undefined);
    assertEquals(check("PUT", { "If-Match": value }, '"a"'), lists ? undefined : 412);
    // Against a weak tag, weak comparison alone may hold.
    assertEquals(check("GET", { "If-None-Match": value }, 'W/"a"'), lists ? 304 : undefined);
    assertEquals(check("PUT", { "If-Match": value }, 'W/"a"'), 412);
  });
}

/** Variations of `*`. */
const STARS: readonly [value: string | readonly string[], isAny: boolean, why: string][] = [
  ["*", true, "alone"],
  [" \t*\t ", true, "white space around the value"],
  ["**", false, "twice"],
  ["*, *", false, "in a list"],
  ['*, "a"', false, "beside the tag"],
  ['"a", *', false, "after the tag"],
  [["*", '"a"'], false, "on a line of its own, §5.3"],
  [["*", "*"], false, "on two lines"],
  ["*,", false, "with an empty element"],
  [", *", false, "after an empty element"],
  ["W/*", false, "weak"],
  ["\xa0*", false, "a no-break space is not HTTP white space"],
  ["*\xa0", false, "a trailing no-break space"],
  ["\v*", false, "a vertical tab is not HTTP white space"],
  ["*\f", false, "a form feed is not HTTP white space"],
];

for (const [value, isAny, why] of STARS) {
  Deno.test(`checkPreconditions() reads the star ${JSON.stringify(value)}: ${why}`, () => {
    for (const etag of ['"x"', 'W/"x"', '"*"']) {
      assertEquals(check("GET", { "If-None-Match": value }, etag), isAny ? 304 : undefined, etag);
      assertEquals(check("PUT", { "If-Match": value }, etag), isAny ? undefined : 412, etag);
    }
    assertEquals(check("PUT", { "If-Match": value }, undefined), 412);
    assertEquals(check("PUT", { "If-None-Match": value }, undefined), undefined);
  });
}

/** Tags with every character that one may have, RFC 9110 §8.8.3: `!`, `#` to `~`, and obs-text. */
Deno.test("checkPreconditions() accepts every etagc, and no other character", () => {
  for (let code = 1; code <= 0xff; code++) {
    if (code === 0x0a || code === 0x0d) continue; // field values cannot contain them
    const tag = `"a${String.fromCharCode(code)}b"`;
    const proper = code === 0x21 || (code >= 0x23 && code !== 0x7f);
    const listed = check("GET", { "If-None-Match": `"x", ${tag}` }, tag);
    assertEquals(listed, proper ? 304 : undefined, JSON.stringify(tag));
  }
});

Deno.test("checkPreconditions() reads tags with commas, slashes and backslashes as a whole", () => {
  for (const etag of ['"a,b"', '"W/"', '"a\\"', '","', '"\xe9\xff"']) {
    assertEquals(check("GET", { "If-None-Match": `"x", ${etag}, "y"` }, etag), 304, etag);
    assertEquals(check("PUT", { "If-Match": `"x", ${etag}` }, etag), undefined, etag);
  }
});

Deno.test("checkPreconditions() agrees with a parser that reads character by character", () => {
  const next = randomNumbers(9110);
  const etags = ['"a"', 'W/"a"', '"a,b"', '""', '"*"', 'W/"\xe9"', undefined];
  let listed = 0;
  for (let i = 0; i < 40_000; i++) {
    const etag = etags[next(etags.length)];
    const method = ["GET", "HEAD", "PUT", "DELETE"][next(4)] as string;
    const match = next(4) !== 0 ? undefined : randomField(next);
    const noneMatch = next(3) === 0 ? undefined : randomField(next);
    const headers = new Headers();
    if (match !== undefined) headers.set("If-Match", match);
    if (noneMatch !== undefined) headers.set("If-None-Match", noneMatch);
    const expected = evaluate(method, match, noneMatch, etag);
    const why = JSON.stringify({ method, match, noneMatch, etag });
    assertEquals(checkPreconditions({ method, headers }, etag), expected, why);
    if (expected === 304) listed++;
  }
  assert(listed > 1000, `only ${listed} of the random fields list their tag`);
});

/** Input that takes a backtracking parser a second or an hour. */
const LONG: readonly [why: string, unit: string, end: string][] = [
  ["quotes", '"', ""],
  ["spaces, then text", " ", "x"],
  ["tabs after a tag", "\t", 'x"'],
  ["commas", ",", "x"],
  ["empty elements with spaces", " ,", "x"],
  ["weak marks", "W/", ""],
  ["weak quotes", 'W/"', ""],
  ["tags without commas", '"a" ', ""],
  ["tags", '"a",', "x"],
  ["weak tags with spaces", ' W/"a" ,', "x"],
  ["one tag without a closing quote", "a", ""],
  ["obs-text", "\xe9", ""],
  ["backslashes", "\\", '"'],
  ["stars", "*", ""],
  ["stars in a list", "*,", ""],
];

for (const [why, unit, end] of LONG) {
  Deno.test(`checkPreconditions() reads 100 kB of ${why} in linear time`, () => {
    for (const start of ["", '"', '"a"', 'W/"']) {
      const value = start + unit.repeat(Math.ceil(100_000 / unit.length)) + end;
      const headers = new Headers({ "If-Match": value, "If-None-Match": value });
      const startedAt = performance.now();
      for (const etag of ['"z"', 'W/"z"']) checkPreconditions({ method: "GET", headers }, etag);
      const elapsed = performance.now() - startedAt;
      assert(elapsed < 500, `${elapsed} ms after ${JSON.stringify(start)}`); // quadratic: 10 s
    }
  });
}
