import { assert, assertEquals } from "@std/assert";
import {
  decodeParam,
  decodePath,
  joinPaths,
  mountRemainder,
  parseTarget,
} from "../../router/path.ts";
import { seeded } from "./_helpers.ts";

/** [why, raw target after the authority, canonical path] */
const CANONICAL: readonly (readonly [why: string, target: string, path: string])[] = [
  ["leaves a plain path", "/a/b", "/a/b"],
  ["returns / if there is no path", "", "/"],
  ["takes / before a query without a path", "?x=1", "/"],
  ["takes / before a query that has a slash", "?next=/admin", "/"],
  ["takes / before a fragment without a path", "#x", "/"],
  ["takes / before a fragment that has a slash", "#/admin", "/"],
  ["takes / before a fragment that has a query and a slash", "#?/admin", "/"],
  ["ends at the query", "/a?b=/c", "/a"],
  ["ends at the fragment", "/a#b", "/a"],
  ["ends at a fragment with a question mark", "/a#b?c", "/a"],
  ["ends at a query with a fragment", "/a?b#c", "/a"],
  ["keeps a trailing slash", "/a/", "/a/"],
  ["keeps empty segments", "//a///b", "//a///b"],
  ["keeps dot segments", "/a/../b/./c", "/a/../b/./c"],
  ["decodes encoded dot segments", "/a/%2e%2E/%2e/.%2e", "/a/.././.."],
  ["decodes dots once", "/%252e%252e/", "/%252e%252e/"],
  ["decodes letters", "/%61dmin/%6Cogin", "/admin/login"],
  ["decodes once", "/%2541", "/%2541"],
  ["keeps an encoded slash, in capitals", "/a%2fb%2Fc", "/a%2Fb%2Fc"],
  ["keeps an encoded backslash, in capitals", "/a%5cb%5Cc", "/a%5Cb%5Cc"],
  ["keeps an encoded percent", "/100%25", "/100%25"],
  ["keeps a doubly encoded slash", "/a%252fb", "/a%252fb"],
  ["writes a raw backslash as an encoded one", "/a\\b", "/a%5Cb"],
  ["does not split at a raw backslash", "/x\\..\\a", "/x%5C..%5Ca"],
  ["decodes UTF-8", "/caf%C3%A9/%f0%9f%a6%80", "/café/🦀"],
  ["leaves raw UTF-8", "/café", "/café"],
  ["keeps what NFC would join", "/cafe%CC%81", "/cafe\u0301"],
  ["decodes an encoded space", "/a%20b", "/a b"],
  ["leaves a raw space", "/a b", "/a b"],
  ["leaves a plus", "/a+b", "/a+b"],
  ["decodes an encoded question mark and number sign", "/a%3fb%23c", "/a?b#c"],
  ["decodes an encoded line feed", "/a%0Ab", "/a\nb"],
  ["decodes an encoded semicolon and colon", "/a%3Bb%3Ac", "/a;b:c"],
  ["keeps the letter case", "/Admin", "/Admin"],
];

for (const [why, target, path] of CANONICAL) {
  Deno.test(`parseTarget() ${why}: ${JSON.stringify(target)}`, () => {
    for (
      const origin of [
        "http://localhost",
        "https://sub.example-1.com:8443",
        "http://[::1]:80",
        "http://127.0.0.1:8000",
      ]
    ) {
      const url = origin + target;
      const found = parseTarget(url);
      assertEquals({ path: found.path, bad: found.bad }, { path, bad: false });
      const raw = target.split(/[?#]/)[0];
      assertEquals(url.slice(found.start, found.end), raw, "start and end hold the raw path");
    }
  });
}

const BAD: readonly (readonly [why: string, path: string])[] = [
  ["a lone percent", "/a%"],
  ["a truncated escape", "/a%2"],
  ["an escape without digits", "/%zz/a"],
  ["an escape of JavaScript's escape()", "/%u002e%u002e/"],
  ["a truncated UTF-8 sequence", "/%E0%A4%A"],
  ["a UTF-8 sequence that lacks a byte", "/%E0%A4/x"],
  ["a lone continuation byte", "/%80"],
  ["a byte that is never valid in UTF-8", "/%FF"],
  ["an overlong slash", "/a%C0%AFb"],
  ["an overlong dot", "/%C0%AE%C0%AE/"],
  ["an overlong NUL", "/%C0%80"],
  ["a surrogate", "/%ED%A0%80"],
  ["a code point past U+10FFFF", "/%F4%90%80%80"],
  ["an encoded NUL", "/a%00b"],
  ["a raw NUL", "/a\0b"],
  ["a raw tab, which a URL parser strips", "/ad\tmin"],
  ["a raw line feed, which a URL parser strips", "/ad\nmin"],
  ["a raw carriage return", "/ad\rmin"],
  ["a raw escape character", "/\x1b[0m"],
  ["a raw DEL", "/a\x7f"],
  ["a malformed escape after a valid one", "/%61%"],
];

for (const [why, path] of BAD) {
  Deno.test(`parseTarget() marks ${why} as bad and leaves the path raw`, () => {
    const { path: found, bad } = parseTarget(`http://localhost${path}?a=%61`);
    assertEquals({ found, bad }, { found: path, bad: true });
    assertEquals(decodePath(path), undefined);
  });
}

/** Authorities that a server may derive from an unchecked Host field, RFC 9112 §3.2. */
const AUTHORITIES: readonly (readonly [why: string, authority: string])[] = [
  ["nothing", ""],
  ["user information", "user:pw@localhost"],
  ["another host after user information", "localhost@evil.example"],
  ["a space", "local host"],
  ["a tab", "local\thost"],
  ["a backslash", "localhost\\evil"],
  ["an escape", "local%68ost"],
  ["an encoded slash", "localhost%2fadmin"],
  ["a letter as a port", "localhost:http"],
  ["two ports", "localhost:1:2"],
  ["a port alone", ":80"],
  ["an open bracket", "[::1"],
  ["characters after a bracket", "[::1]x"],
  ["a quote", 'localhost"'],
  ["a less-than sign", "<localhost>"],
  ["a comma, as two fields arrive", "localhost, evil"],
];

for (const [why, authority] of AUTHORITIES) {
  Deno.test(`parseTarget() marks an authority with ${why} as bad: ${JSON.stringify(authority)}`, () => {
    for (const rest of ["/a", "", "?x", "#y"]) {
      assertEquals(parseTarget(`http://${authority}${rest}`).bad, true, rest);
    }
  });
}

for (
  const authority of [
    "localhost",
    "a.example:8080",
    "A_b~c.example.",
    "xn--caf-dma.example",
    "127.0.0.1:80",
    "[::1]",
    "[2001:db8::1]:443",
    "localhost:",
  ]
) {
  Deno.test(`parseTarget() accepts the authority ${authority}`, () => {
    for (const rest of ["/a", "", "?x", "#y"]) {
      assertEquals(parseTarget(`http://${authority}${rest}`).bad, false, rest);
    }
  });
}

Deno.test("parseTarget() ignores escapes after the path", () => {
  assertEquals(parseTarget("http://localhost/a?%zz#%").bad, false);
});

Deno.test("parseTarget() parses a megabyte of path in one pass", () => {
  for (const part of ["a", "%61", "%2f", "/", "\\", "%"]) {
    const url = "http://localhost/" + part.repeat(1_000_000 / part.length);
    const { start, end, bad } = parseTarget(url);
    assertEquals([start, end, bad], [16, url.length, part === "%"], part);
  }
});

const PIECES: readonly string[] = [
  ..."/a.%2fF5cCe\\ +é",
  ..."%2f %2F %5c %5C %25 %252f %2e %61 %41 %C3%A9 %0a .. // %255c".split(" "),
];

Deno.test("decodePath() keeps the segments, and a second pass changes nothing", () => {
  const random = seeded(1);
  let good = 0;
  for (let i = 0; i < 20_000; i++) {
    const raw = "/" + random.list(0, 8, () => random.pick(PIECES)).join("");
    const path = decodePath(raw);
    if (path === undefined) continue;
    good++;
    assertEquals(path.split("/").length, raw.split("/").length, raw);
    assert(!path.includes("\\"), raw);
    if (!path.includes("\n")) assertEquals(decodePath(path), path, raw);
  }
  assert(good > 5000);
});

Deno.test("decodeParam() completes what decodePath() started, with the result of decodeURIComponent", () => {
  const random = seeded(2);
  for (let i = 0; i < 20_000; i++) {
    const raw = random.list(1, 8, () => random.pick(PIECES)).join("").replaceAll("/", "");
    const path = decodePath("/" + raw);
    if (path !== undefined) assertEquals(decodeParam(path.slice(1)), decodeURIComponent(raw), raw);
  }
});

Deno.test("decodePath() rejects what decodeURIComponent rejects", () => {
  const random = seeded(3);
  for (let i = 0; i < 20_000; i++) {
    const raw = "/" + random.list(1, 6, () => random.pick(PIECES)).join("");
    let standard: string | undefined;
    try {
      standard = decodeURIComponent(raw);
    } catch {
      standard = undefined;
    }
    assertEquals(decodePath(raw) === undefined, standard === undefined, raw);
  }
});

for (
  const [why, text, expected] of [
    ["a slash", "a%2Fb", "a/b"],
    ["a backslash", "a%5Cb", "a\\b"],
    ["a percent", "100%25", "100%"],
    ["what looks encoded once it is decoded, but only once", "%252F%255C%2525", "%2F%5C%25"],
    ["nothing in a string without a percent sign", "a+b", "a+b"],
    ["nothing in the empty string", "", ""],
  ] as const
) {
  Deno.test(`decodeParam() decodes ${why}`, () => assertEquals(decodeParam(text), expected));
}

for (
  const [why, prefix, path, expected] of [
    ["no prefix", "", "/a", "/a"],
    ["the root as a prefix", "/", "/a", "/a"],
    ["a prefix", "/api", "/a", "/api/a"],
    ["a prefix with a trailing slash", "/api/", "/a", "/api/a"],
    ["the root of a prefix", "/api", "/", "/api"],
    ["the root of a prefix with a trailing slash", "/api/", "/", "/api"],
    ["the root of nothing", "", "/", "/"],
    ["everything under a prefix", "/api", "*", "/api/*"],
    ["everything", "", "*", "*"],
    ["a trailing slash of the path", "/api", "/a/", "/api/a/"],
    ["a prefix with a parameter", "/:org", "/users/:id", "/:org/users/:id"],
  ] as const
) {
  Deno.test(`joinPaths() joins ${why}`, () => assertEquals(joinPaths(prefix, path), expected));
}

/** [why, depth of the prefix, raw target, the rest or undefined] */
const REMAINDERS:
  readonly (readonly [why: string, depth: number, target: string, rest: string | undefined])[] = [
    ["cuts one segment", 1, "/sub/a", "/a"],
    ["cuts two segments", 2, "/a/b/c/d", "/c/d"],
    ["cuts nothing at the root", 0, "/a/b", "/a/b"],
    ["gives / where nothing is left", 1, "/sub", "/"],
    ["gives / for a trailing slash", 1, "/sub/", "/"],
    ["gives / for a target without a path", 0, "", "/"],
    ["cuts by segments, not by length, where the prefix is encoded", 1, "/%73%75%62/a", "/a"],
    ["cuts a prefix with UTF-8", 1, "/%C3%A9/a", "/a"],
    ["does not treat an encoded slash as a separator", 1, "/s%2Fb/a", "/a"],
    ["does not count slashes of the query", 2, "/a/b?next=/c/d", "/"],
    ["does not run into the query", 1, "/sub?next=/x", "/"],
    ["does not run into the fragment", 1, "/sub#/x", "/"],
    ["leaves the rest raw", 1, "/sub/%61%2Fb/%2561?q", "/%61%2Fb/%2561"],
    ["keeps a trailing slash", 1, "/sub/a/", "/a/"],
    [
      "writes a backslash so that a URL parser does not split there",
      1,
      "/sub/a\\..\\b",
      "/a%5C..%5Cb",
    ],
    ["writes a trailing space so that a URL parser does not trim it", 1, "/sub/a ", "/a%20"],
    ["keeps dots inside a segment", 1, "/sub/..a/a..b/...", "/..a/a..b/..."],
    [
      "keeps an encoded slash next to dots, which no URL parser splits at",
      1,
      "/sub/..%2Fx",
      "/..%2Fx",
    ],
    [
      "keeps doubly encoded dots, which no URL parser decodes",
      1,
      "/sub/%252e%252e/x",
      "/%252e%252e/x",
    ],
    ["rejects ..", 1, "/sub/../x", undefined],
    ["rejects .. after a segment", 1, "/sub/public/../admin", undefined],
    ["rejects .. at the end", 1, "/sub/a/..", undefined],
    ["rejects .", 1, "/sub/./x", undefined],
    ["rejects . at the end", 1, "/sub/a/.", undefined],
    ["rejects an encoded ..", 1, "/sub/%2e%2e/x", undefined],
    ["rejects a partly encoded ..", 1, "/sub/.%2E/x", undefined],
    ["rejects an encoded .", 1, "/sub/%2e/x", undefined],
    ["rejects an empty segment", 1, "/sub//admin", undefined],
    ["rejects an empty segment further on", 1, "/sub/a//b", undefined],
    ["rejects two trailing slashes", 1, "/sub/a//", undefined],
    ["rejects what would be another host", 1, "/sub//evil.example/x", undefined],
    ["rejects a malformed escape", 1, "/sub/%zz", undefined],
    ["rejects a truncated UTF-8 sequence", 1, "/sub/%E0%A4%A", undefined],
    ["rejects a NUL", 1, "/sub/a%00", undefined],
    ["rejects a raw tab, which a URL parser strips out of ..", 1, "/sub/.\t./x", undefined],
    ["rejects a raw line feed", 1, "/sub/a\nb", undefined],
  ];

for (const [why, depth, target, rest] of REMAINDERS) {
  Deno.test(`mountRemainder() ${why}: ${JSON.stringify(target)}`, () => {
    const url = "http://localhost" + target;
    assertEquals(mountRemainder(url, parseTarget(url), depth), rest);
  });
}

Deno.test("mountRemainder() returns no path that new Request() reads differently", () => {
  const random = seeded(4);
  const pieces = [
    ...PIECES,
    ".",
    "..",
    "%2e%2e",
    "/..",
    "/%2e",
    "//",
    "\t",
    "?",
    "#",
    "%00",
    "%zz",
    " ",
    "é",
    "\\..\\",
  ];
  let given = 0;
  for (let i = 0; i < 20_000; i++) {
    const url = "http://localhost/sub/" + random.list(0, 7, () => random.pick(pieces)).join("");
    const target = parseTarget(url);
    const rest = mountRemainder(url, target, 1);
    if (rest === undefined || target.bad) continue;
    given++;
    const inner = parseTarget(new Request("http://localhost" + rest).url);
    assertEquals("/sub" + inner.path, target.path === "/sub" ? "/sub/" : target.path, url);
  }
  assert(given > 3000);
});
