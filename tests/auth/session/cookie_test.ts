/** Cookies on the wire, and the policy of authentication cookies. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { INPUTS } from "../../_effort.ts";
import {
  type CookieAttributes,
  type CookiePair,
  type CookieReading,
  parseCookies,
  readCookie,
  serializeCookie,
} from "../../../auth/session/cookie.ts";
import {
  type CookieKind,
  cookiePolicy,
  type CookiePolicyOptions,
} from "../../../auth/session/cookie_policy.ts";
import { randomNumbers } from "../../static/_random.ts";

const DAY = 24 * 60 * 60;

/** Attributes from untyped input. */
function untyped(attributes: Readonly<Record<string, unknown>>): CookieAttributes {
  return attributes;
}

/** The expected result of `readCookie`, from all cookies. */
function reference(header: string | null, wanted: string): CookieReading {
  const [first, ...more] = parseCookies(header).filter(({ name }) => name === wanted);
  if (first === undefined) return { status: "absent" };
  return more.length > 0 ? { status: "ambiguous" } : { status: "found", value: first.value };
}

/** §3.1: the examples of `Cookie` fields, and the cookies in each. */
const READ_EXAMPLES: readonly [header: string, cookies: readonly CookiePair[]][] = [
  ["SID=31d4d96e407aad42", [{ name: "SID", value: "31d4d96e407aad42" }]],
  [
    "SID=31d4d96e407aad42; lang=en-US",
    [{ name: "SID", value: "31d4d96e407aad42" }, { name: "lang", value: "en-US" }],
  ],
];

for (const [header, cookies] of READ_EXAMPLES) {
  Deno.test(`parseCookies() reads §3.1's ${header}`, () => {
    assertEquals(parseCookies(header), cookies);
  });
}

const READ: readonly [why: string, header: string | null, pairs: readonly [string, string][]][] = [
  ["no field", null, []],
  ["an empty field", "", []],
  ["an empty value", "a=", [["a", ""]]],
  ["duplicates, in order", "a=1; b=2; a=1", [["a", "1"], ["b", "2"], ["a", "1"]]],
  ["a value with =", "a=b=c==", [["a", "b=c=="]]],
  ["no space after ;", "a=1;b=2", [["a", "1"], ["b", "2"]]],
  ["spaces and tabs around", "\t a \t=\t 1 \t; \tb=2\t", [["a", "1"], ["b", "2"]]],
  ["spaces within, which stay", "a b=1 2", [["a b", "1 2"]]],
  ["quotes, which are part of the value, §4.1.1", 'a="1"; b=" 2 "', [["a", '"1"'], ["b", '" 2 "']]],
  ["a quoted ;, which still separates", 'a="1;b=2"', [["a", '"1'], ["b", '2"']]],
  ["a comma, which does not separate", "a=1, b=2", [["a", "1, b=2"]]],
  ["percent signs, which are not decoded", "a%3D=%20%zz", [["a%3D", "%20%zz"]]],
  ["a plus, which is not decoded", "a=1+2", [["a", "1+2"]]],
  ["pairs without =", "a; b=2; c", [["b", "2"]]],
  ["pairs without a name", "=1; =; \t=2; b=2", [["b", "2"]]],
  ["empty pairs", ";;; a=1; ;", [["a", "1"]]],
  ["names of inherited members", "__proto__=1; toString=2", [["__proto__", "1"], [
    "toString",
    "2",
  ]]],
  ["names in another case", "SID=1; sid=2", [["SID", "1"], ["sid", "2"]]],
  ["a leading U+00A0 (GHSA-r5rp-j6wh-rvv4)", "\u00a0__Host-sid=1", [["\u00a0__Host-sid", "1"]]],
  ["a trailing U+00A0", "__Host-sid\u00a0=\u00a01", [["__Host-sid\u00a0", "\u00a01"]]],
  ["U+FEFF, U+2028, VT and FF", "\ufeffa=1;\u2028b=1;\vc=1;\fd=1", [
    ["\ufeffa", "1"],
    ["\u2028b", "1"],
    ["\vc", "1"],
    ["\fd", "1"],
  ]],
  ["control characters, unchanged", "a=\0\r\n; b=\x7f", [["a", "\0\r\n"], ["b", "\x7f"]]],
];

for (const [why, header, pairs] of READ) {
  Deno.test(`parseCookies() reads ${why}`, () => {
    assertEquals(parseCookies(header), pairs.map(([name, value]) => ({ name, value })));
  });

  Deno.test(`readCookie() agrees with parseCookies() for ${why}`, () => {
    for (const [name] of [...pairs, ["a"], ["__Host-sid"], [""]] as const) {
      assertEquals(readCookie(header, name), reference(header, name), JSON.stringify(name));
    }
  });
}

const READINGS: readonly [why: string, header: string | null, name: string, CookieReading][] = [
  ["finds a single cookie", "sid=1", "sid", { status: "found", value: "1" }],
  ["finds a cookie among others", "a=1;sid=2;b=3", "sid", { status: "found", value: "2" }],
  ["finds an empty value", "sid=; a=1", "sid", { status: "found", value: "" }],
  ["returns ambiguous for two values", "sid=1; sid=2", "sid", { status: "ambiguous" }],
  ["returns ambiguous for equal values", "sid=1; a=1; sid=1", "sid", { status: "ambiguous" }],
  ["returns ambiguous for two empty values", "sid=; sid=", "sid", { status: "ambiguous" }],
  ["is case-sensitive", "SID=1", "sid", { status: "absent" }],
  ["does not match a longer name", "sid2=1; xsid=1; sid =x", "sid", {
    status: "found",
    value: "x",
  }],
  ["does not match a name in a value", "a=sid=1; b= sid=1", "sid", { status: "absent" }],
  ["does not match a name without =", "sid; sid;", "sid", { status: "absent" }],
  ["does not match the = of the next pair", "sid; a=1", "sid", { status: "absent" }],
  ["does not treat U+00A0 as a space", "\u00a0__Host-sid=1", "__Host-sid", { status: "absent" }],
  ["does not match an empty name", "=1", "", { status: "absent" }],
  ["does not match a name with ;", "a;b=1", "a;b", { status: "absent" }],
  ["does not match a name with =", "a=b=1", "a=b", { status: "absent" }],
  ["does not match a name that starts with a space", "x=1; a=1", " a", { status: "absent" }],
  ["does not match a name that ends with a tab", "a\t=1", "a\t", { status: "absent" }],
  ["finds a name after its prefix", "aa=1; a=2", "a", { status: "found", value: "2" }],
  ["returns absent without a field", null, "sid", { status: "absent" }],
];

for (const [what, header, name, reading] of READINGS) {
  Deno.test(`readCookie() ${what}`, () => {
    assertEquals(readCookie(header, name), reading);
    assertEquals(readCookie(header, name), reference(header, name));
  });
}

Deno.test("readCookie() returns one frozen object for an absent cookie", () => {
  for (const header of [null, "", "a=1; a=2"]) {
    const reading = readCookie(header, "a");
    assert(Object.isFrozen(reading));
    assert(reading === readCookie(header, "a"));
  }
});

Deno.test("readCookie() agrees with parseCookies() for malicious fields", () => {
  const random = randomNumbers(6265);
  const parts = ["a", "aa", "b", "=", ";", "; ", " ", "\t", "\u00a0", ",", '"', "a=1", "\0", "a b"];
  const names = [
    "a",
    "aa",
    "b",
    "a b",
    "1",
    "",
    " a",
    "a ",
    "a=1",
    "a;",
    "\u00a0a",
    '"',
    "a=",
    ";",
  ];
  const seen = new Set<string>();
  for (let i = 0; i < INPUTS; i++) {
    const header = Array.from({ length: random(14) }, () => parts[random(parts.length)]).join("");
    for (const name of names) {
      const expected = reference(header, name);
      seen.add(expected.status);
      assertEquals(readCookie(header, name), expected, JSON.stringify([header, name]));
    }
  }
  assertEquals(seen.size, 3);
});

Deno.test("parseCookies() accepts random characters without throwing", () => {
  const random = randomNumbers(1);
  for (let i = 0; i < INPUTS; i++) {
    const below = [0x80, 0x100, 0x10000][random(3)] ?? 0;
    const codes = Array.from({ length: random(60) }, () => random(below));
    const header = String.fromCharCode(...codes);
    for (const { name, value } of parseCookies(header)) {
      assert(name !== "" && !/[;=]|^[\t ]|[\t ]$/.test(name), JSON.stringify(header));
      assert(!/;|^[\t ]|[\t ]$/.test(value), JSON.stringify(header));
      assert(readCookie(header, name).status !== "absent", JSON.stringify(header));
    }
  }
});

const HARDENED = "; Secure; HttpOnly; SameSite=Lax";

/** §3.1's examples with the default attributes, then each attribute separately, then all in order. */
const WRITTEN: readonly [why: string, ...Parameters<typeof serializeCookie>, field: string][] = [
  [
    "§3.1's first example",
    "SID",
    "31d4d96e407aad42",
    {},
    `SID=31d4d96e407aad42; Path=/${HARDENED}`,
  ],
  [
    "§3.1's example with a domain",
    "SID",
    "31d4d96e407aad42",
    { path: "/", domain: "site.example" },
    `SID=31d4d96e407aad42; Path=/; Domain=site.example${HARDENED}`,
  ],
  [
    "§3.1's example with a date",
    "lang",
    "en-US",
    { expires: Date.UTC(2021, 5, 9, 10, 18, 14) / 1000 },
    `lang=en-US; Path=/; Expires=Wed, 09 Jun 2021 10:18:14 GMT${HARDENED}`,
  ],
  [
    "§3.1's example of a deletion",
    "lang",
    "",
    { expires: Date.UTC(1994, 10, 6, 8, 49, 37) / 1000 },
    `lang=; Path=/; Expires=Sun, 06 Nov 1994 08:49:37 GMT${HARDENED}`,
  ],
  [
    "§4.1.3.1's example",
    "__Secure-SID",
    "12345",
    { domain: "site.example" },
    `__Secure-SID=12345; Path=/; Domain=site.example${HARDENED}`,
  ],
  ["§4.1.3.2's example", "__Host-SID", "12345", {}, `__Host-SID=12345; Path=/${HARDENED}`],
  ["a lifetime", "a", "1", { maxAge: 60 }, `a=1; Path=/; Max-Age=60${HARDENED}`],
  [
    "400 days, the longest lifetime (§5.5)",
    "a",
    "1",
    { maxAge: 400 * DAY },
    `a=1; Path=/; Max-Age=34560000${HARDENED}`,
  ],
  [
    "a lifetime of 0 as a date in the past, since §4.1.1 does not allow Max-Age=0",
    "a",
    "",
    { maxAge: 0 },
    `a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT${HARDENED}`,
  ],
  [
    "a lifetime of 0, which overrides a date (§4.1.2.2)",
    "a",
    "",
    { maxAge: 0, expires: 2_000_000_000 },
    `a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT${HARDENED}`,
  ],
  ["a path", "a", "1", { path: "/a%20b/c" }, `a=1; Path=/a%20b/c${HARDENED}`],
  ["Strict", "a", "1", { sameSite: "Strict" }, "a=1; Path=/; Secure; HttpOnly; SameSite=Strict"],
  ["None", "a", "1", { sameSite: "None" }, "a=1; Path=/; Secure; HttpOnly; SameSite=None"],
  ["no Secure", "a", "1", { insecureTransport: true }, "a=1; Path=/; HttpOnly; SameSite=Lax"],
  ["no HttpOnly", "a", "1", { insecureScriptAccess: true }, "a=1; Path=/; Secure; SameSite=Lax"],
  [
    "all attributes at once",
    "__Http-a",
    "1",
    {
      partitioned: true,
      sameSite: "None",
      expires: 1_000_000_000,
      maxAge: 5,
      domain: "A.b-c.example",
      path: "/x",
    },
    "__Http-a=1; Path=/x; Domain=A.b-c.example; Max-Age=5; Expires=Sun, 09 Sep 2001 01:46:40 GMT; Secure; HttpOnly; " +
    "SameSite=None; Partitioned",
  ],
];

for (const [why, name, value, attributes, field] of WRITTEN) {
  Deno.test(`serializeCookie() writes ${why}`, () => {
    assertEquals(serializeCookie(name, value, attributes), field);
  });
}

Deno.test("serializeCookie() accepts only true for an insecure option", () => {
  for (const truthy of ["false", 1, {}]) {
    const attributes = untyped({ insecureTransport: truthy, insecureScriptAccess: truthy });
    assertEquals(serializeCookie("a", "1", attributes), `a=1; Path=/${HARDENED}`);
  }
});

/** Characters that must not occur in any part of a field. */
const INJECTIONS: readonly [why: string, text: string][] = [
  ["a line break", "x\r\nSet-Cookie: evil=1"],
  ["CR", "x\r"],
  ["LF", "x\n"],
  ["an attribute", "x; Domain=evil.example"],
  [";", "x;"],
  ["NUL", "x\0"],
  ["tab", "x\ty"],
  ["DEL", "x\x7f"],
  ["space", "x y"],
  ["a trailing space", "x "],
  ["a letter that is not ASCII", "x\u00e9"],
  ["U+00A0", "\u00a0x"],
  ["a character that Latin-1 would truncate to LF", "x\u010a"],
  ["a lone surrogate", "x\ud800"],
];

for (const [why, text] of INJECTIONS) {
  Deno.test(`serializeCookie() rejects ${why}, everywhere`, () => {
    assertThrows(() => serializeCookie(text, "1"), TypeError, "name must");
    assertThrows(() => serializeCookie("a", text), TypeError, "value has characters");
    assertThrows(() => serializeCookie("a", "1", { path: `/${text}` }), TypeError, "path must");
    assertThrows(() => serializeCookie("a", "1", { domain: text }), TypeError, "domain must");
    const sameSite = untyped({ sameSite: text });
    assertThrows(() => serializeCookie("a", "1", sameSite), TypeError, "sameSite");
    const maxAge = untyped({ maxAge: text });
    assertThrows(() => serializeCookie("a", "1", maxAge), TypeError, "maxAge");
    const expires = untyped({ expires: text });
    assertThrows(() => serializeCookie("a", "1", expires), TypeError, "expires");
  });
}

Deno.test("serializeCookie() accepts a name that is a token, and a value of cookie-octets", () => {
  const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/; // RFC 9110 §5.6.2
  for (let code = 0; code < 0x180; code++) {
    const character = String.fromCharCode(code);
    if (token.test(character)) serializeCookie(character, "");
    else assertThrows(() => serializeCookie(character, ""), TypeError, "", `name of ${code}`);
    const isOctet = code > 0x20 && code < 0x7f && !'",;\\'.includes(character); // §4.1.1
    if (isOctet) serializeCookie("a", character);
    else assertThrows(() => serializeCookie("a", character), TypeError, "", `value of ${code}`);
  }
});

const REFUSED: readonly [
  why: string,
  error: typeof TypeError | typeof RangeError,
  ...Parameters<typeof serializeCookie>,
][] = [
  ["an empty name", TypeError, "", "1"],
  ["a quoted value", TypeError, "a", '"1"'],
  ["a path that is not absolute", TypeError, "a", "1", { path: "login" }],
  ["an empty path", TypeError, "a", "1", { path: "" }],
  ["an empty domain", TypeError, "a", "1", { domain: "" }],
  ["a domain with a leading dot", TypeError, "a", "1", { domain: ".site.example" }],
  ["a domain with a trailing dot (§4.1.2.3)", TypeError, "a", "1", { domain: "site.example." }],
  ["a domain with an empty label", TypeError, "a", "1", { domain: "site..example" }],
  ["a domain with a port", TypeError, "a", "1", { domain: "site.example:8000" }],
  ["a domain that is a URL", TypeError, "a", "1", { domain: "https://site.example" }],
  ["a domain with a wildcard", TypeError, "a", "1", { domain: "*.site.example" }],
  ["a label that starts with a hyphen", TypeError, "a", "1", { domain: "-a.example" }],
  ["a label that ends with a hyphen", TypeError, "a", "1", { domain: "a-.example" }],
  ["a label of 64", TypeError, "a", "1", { domain: `${"a".repeat(64)}.example` }],
  ["a domain of 254", TypeError, "a", "1", { domain: `${"a.".repeat(126)}aa` }],
  ["SameSite in lower case", TypeError, "a", "1", untyped({ sameSite: "lax" })],
  ["SameSite=None without Secure (§5.7)", TypeError, "a", "1", {
    sameSite: "None",
    insecureTransport: true,
  }],
  ["Partitioned without Secure", TypeError, "a", "1", {
    partitioned: true,
    insecureTransport: true,
  }],
  ["name and value of 4,097 bytes (§5.7)", RangeError, "ab", "1".repeat(4095)],
  ["a path of 1,025 bytes (§5.6)", RangeError, "a", "1", { path: `/${"a".repeat(1024)}` }],
  ["a lifetime over 400 days (§5.5)", RangeError, "a", "1", { maxAge: 400 * DAY + 1 }],
  ["a lifetime below 0", RangeError, "a", "1", { maxAge: -1 }],
  ["a lifetime with a fraction", RangeError, "a", "1", { maxAge: 1.5 }],
  ["an infinite lifetime", RangeError, "a", "1", { maxAge: Infinity }],
  ["NaN as lifetime", RangeError, "a", "1", { maxAge: NaN }],
  ["null as lifetime", TypeError, "a", "1", untyped({ maxAge: null })],
  ["a date with a fraction", RangeError, "a", "1", { expires: 0.5 }],
  ["a date in milliseconds", RangeError, "a", "1", { expires: 1_800_000_000_000 }],
  ["a date before 1601 (§5.1.1)", RangeError, "a", "1", { expires: -11_644_473_601 }],
  ["a Date", TypeError, "a", "1", untyped({ expires: new Date(0) })],
  ["null as path", TypeError, "a", "1", untyped({ path: null })],
  ["null as domain", TypeError, "a", "1", untyped({ domain: null })],
];

for (const [why, error, name, value, attributes] of REFUSED) {
  Deno.test(`serializeCookie() rejects ${why}`, () => {
    assertThrows(() => serializeCookie(name, value, attributes), error, "Cannot serialize cookie:");
  });
}

Deno.test("serializeCookie() rejects what is not a string", () => {
  for (const wrong of [undefined, null, 1, ["a"]] as unknown as string[]) {
    assertThrows(() => serializeCookie(wrong, "1"), TypeError, "name must");
    assertThrows(() => serializeCookie("a", wrong), TypeError, "value has characters");
  }
});

Deno.test("serializeCookie() accepts every limit", () => {
  serializeCookie("a", "1".repeat(4095));
  serializeCookie("a", "1", { path: `/${"a".repeat(1023)}` });
  serializeCookie("a", "1", { domain: `${"a.".repeat(126)}a` });
  serializeCookie("a", "1", { domain: `${"a".repeat(63)}.example` });
  const oldest = serializeCookie("a", "1", { expires: -11_644_473_600 });
  assert(oldest.includes("Expires=Mon, 01 Jan 1601 00:00:00 GMT"));
  const latest = serializeCookie("a", "1", { expires: 253_402_300_799 });
  assert(latest.includes("Expires=Fri, 31 Dec 9999 23:59:59 GMT"));
});

/** Attributes for which user agents drop a cookie, by the prefix of its name. */
const BREACHES: Readonly<Record<string, CookieAttributes>> = {
  secure: { insecureTransport: true },
  path: { path: "/login" },
  domain: { domain: "site.example" },
  httpOnly: { insecureScriptAccess: true },
};

/** §4.1.3 and §5.4; the last two of draft-ietf-httpbis-layered-cookies. */
const PREFIXES: readonly [prefix: string, forbidden: readonly string[]][] = [
  ["__Secure-", ["secure"]],
  ["__Host-", ["secure", "path", "domain"]],
  ["__Http-", ["secure", "httpOnly"]],
  ["__Host-Http-", ["secure", "path", "domain", "httpOnly"]],
  ["__Host", []],
  ["_Host-", []],
  ["x__Host-", []],
];

for (const [prefix, forbidden] of PREFIXES) {
  Deno.test(`serializeCookie() enforces the prefix ${prefix} in any case`, () => {
    for (const name of [`${prefix}a`, `${prefix}a`.toLowerCase(), `${prefix}a`.toUpperCase()]) {
      serializeCookie(name, "1");
      for (const [breach, attributes] of Object.entries(BREACHES)) {
        if (!forbidden.includes(breach)) serializeCookie(name, "1", attributes);
        else {
          const write = () => serializeCookie(name, "1", attributes);
          assertThrows(write, TypeError, "the prefix __", `${name} ${breach}`);
        }
      }
    }
  });
}

Deno.test("serializeCookie() does not quote name or value in its messages", () => {
  const secret = "hunter2";
  for (
    const [name, value] of [[`${secret} `, ""], ["a", `${secret} `], ["a", secret.repeat(999)]]
  ) {
    const error = assertThrows(() => serializeCookie(name ?? "", value ?? ""), Error);
    assert(!error.message.includes(secret));
  }
});

Deno.test("parseCookies() reads the output of serializeCookie() for random cookies", () => {
  const random = randomNumbers(2);
  const ascii = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i));
  const tokens = ascii.filter((character) => !'()<>@,;:\\"/[]?={}'.includes(character));
  const octets = ascii.filter((character) => !'",;\\'.includes(character));
  const draw = (from: readonly string[], least: number, most: number) =>
    Array.from({ length: least + random(most) }, () => from[random(from.length)]).join("");
  for (let i = 0; i < INPUTS; i++) {
    // Random names may have a prefix: these attributes satisfy all of them
    const pairs = Array.from({ length: 1 + random(4) }, () => ({
      name: draw(tokens, 1, 8),
      value: draw(octets, 0, 20),
    }));
    const header = pairs.map(({ name, value }) => serializeCookie(name, value).split("; ")[0]).join(
      "; ",
    );
    assertEquals(parseCookies(header), pairs);
  }
});

const KINDS: readonly CookieKind[] = ["sid", "csrf", "presid", "dev", "mfa", "mfadev"];

function requestWith(cookie?: string): Request {
  return new Request("https://site.example/", cookie === undefined ? {} : { headers: { cookie } });
}

/** A policy with a domain, and its warnings. */
function sharedPolicy(options: CookiePolicyOptions = {}) {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  return { warnings, cookies: cookiePolicy({ domain: "site.example", warn, ...options }) };
}

Deno.test("cookiePolicy() sets cookies under __Host-, without warning", () => {
  const warnings: string[] = [];
  const cookies = cookiePolicy({ warn: (message) => void warnings.push(message) });
  const hardened = "Secure; HttpOnly; SameSite=Lax";
  assertEquals(cookies.set("sid", "v"), `__Host-sid=v; Path=/; ${hardened}`);
  assertEquals(cookies.set("csrf", "v"), `__Host-csrf=v; Path=/; ${hardened}`);
  assertEquals(cookies.set("presid", "v"), `__Host-presid=v; Path=/; ${hardened}`);
  assertEquals(cookies.set("dev", "v"), `__Host-dev=v; Path=/; Max-Age=34560000; ${hardened}`);
  assertEquals(warnings, []);
});

Deno.test("cookiePolicy() shares only the session cookie, with the prefix __Secure-", () => {
  const { cookies } = sharedPolicy();
  assertEquals(
    cookies.set("sid", "v"),
    "__Secure-sid=v; Path=/; Domain=site.example; Secure; HttpOnly; SameSite=Lax",
  );
  assertEquals(
    cookies.set("dev", "v"),
    "__Host-dev=v; Path=/; Max-Age=34560000; Secure; HttpOnly; SameSite=Lax",
  );
  assertEquals(cookies.names, {
    sid: "__Secure-sid",
    csrf: "__Host-csrf",
    presid: "__Host-presid",
    dev: "__Host-dev",
    mfa: "__Host-mfa",
    mfadev: "__Host-mfadev",
  });
});

Deno.test("cookiePolicy() warns once of a domain, at creation", () => {
  const { warnings, cookies } = sharedPolicy();
  assertEquals(warnings.length, 1);
  assertMatch(warnings[0] ?? "", /domain.*__Host-.*every subdomain/);
  for (const kind of KINDS) {
    cookies.set(kind, "v");
    cookies.clear(kind);
    cookies.read(requestWith(), kind);
  }
  assertEquals(warnings.length, 1);
});

Deno.test("cookiePolicy() deletes each cookie by the name, path and domain that set it", () => {
  for (const { cookies } of [{ cookies: cookiePolicy() }, sharedPolicy()]) {
    for (const kind of KINDS) {
      const [pair, ...set] = cookies.set(kind, "v", { maxAge: 9 }).split("; ");
      const [empty, ...cleared] = cookies.clear(kind).split("; ");
      assertEquals(pair, `${cookies.names[kind]}=v`);
      assertEquals(empty, `${cookies.names[kind]}=`);
      const expires = cleared.find((part) => part.startsWith("Expires="));
      assertEquals(expires, "Expires=Thu, 01 Jan 1970 00:00:00 GMT");
      const others = (parts: readonly string[]) =>
        parts.filter((part) => !/^(?:Expires|Max-Age)=/.test(part));
      assertEquals(others(cleared), others(set));
    }
  }
});

Deno.test("cookiePolicy() sets the lifetime that the caller passes", () => {
  const cookies = cookiePolicy();
  assert(cookies.set("sid", "v", { maxAge: 60 }).includes("; Max-Age=60;"));
  assert(cookies.set("dev", "v", { maxAge: 60 }).includes("; Max-Age=60;"));
  assertThrows(() => cookies.set("sid", "v", { maxAge: 34_560_001 }), RangeError, "maxAge");
});

Deno.test("cookiePolicy() sets SameSite of all cookies", () => {
  for (const sameSite of ["Strict", "None"] as const) {
    const cookies = cookiePolicy({ sameSite });
    for (const kind of KINDS) {
      assert(cookies.set(kind, "v").endsWith(`; SameSite=${sameSite}`));
      assert(cookies.clear(kind).endsWith(`; SameSite=${sameSite}`));
    }
  }
});

Deno.test("cookiePolicy() reads its own cookies, and no other prefix", () => {
  const all = "sid=0; __Host-sid=1; __Secure-sid=2; __host-sid=3; \u00a0__Host-sid=4";
  assertEquals(cookiePolicy().read(requestWith(all), "sid"), { status: "found", value: "1" });
  assertEquals(sharedPolicy().cookies.read(requestWith(all), "sid"), {
    status: "found",
    value: "2",
  });
  assertEquals(cookiePolicy().read(requestWith(), "sid"), { status: "absent" });
  assertEquals(cookiePolicy().read(requestWith("__Host-csrf=1"), "sid"), { status: "absent" });
});

Deno.test("cookiePolicy() reads a duplicate cookie as ambiguous", () => {
  for (const kind of KINDS) {
    const cookies = cookiePolicy();
    const name = cookies.names[kind];
    const reading = cookies.read(requestWith(`${name}=1; ${name}=1`), kind);
    assertEquals(reading, { status: "ambiguous" });
  }
});

Deno.test("cookiePolicy() reads what it sets, and not what it deletes", () => {
  for (const { cookies } of [{ cookies: cookiePolicy() }, sharedPolicy()]) {
    for (const kind of KINDS) {
      const [pair] = cookies.set(kind, "v-1.2_3").split(";");
      assertEquals(cookies.read(requestWith(pair), kind), { status: "found", value: "v-1.2_3" });
    }
  }
});

Deno.test("cookiePolicy() is frozen", () => {
  const options: CookiePolicyOptions = { sameSite: "Strict" };
  const cookies = cookiePolicy(options);
  options.sameSite = "None";
  assert(cookies.set("sid", "v").endsWith("SameSite=Strict"));
  assert(Object.isFrozen(cookies) && Object.isFrozen(cookies.names));
});

const POLICY_REFUSED: readonly [why: string, options: Readonly<Record<string, unknown>>][] = [
  ["an empty domain", { domain: "" }],
  ["a domain with a leading dot", { domain: ".site.example" }],
  ["a domain with an attribute", { domain: "site.example; SameSite=None" }],
  ["null as domain", { domain: null }],
  ["SameSite in lower case", { sameSite: "lax" }],
];

for (const [why, options] of POLICY_REFUSED) {
  Deno.test(`cookiePolicy() rejects ${why} at creation, without a warning`, () => {
    const warn = () => {
      throw new Error("warned");
    };
    assertThrows(() => cookiePolicy({ ...options, warn }), TypeError, "Cannot serialize cookie:");
  });
}

Deno.test("cookiePolicy() rejects a value that would add attributes", () => {
  for (const value of ["v; Domain=evil.example", "v\r\nSet-Cookie: a=1", 'v"', "v,", "\u00e9"]) {
    assertThrows(() => cookiePolicy().set("sid", value), TypeError, "value has characters");
  }
});

Deno.test("cookiePolicy() adds the name after the prefix", () => {
  const { names, set, read } = cookiePolicy({ name: "admin" });
  assertEquals(names, {
    sid: "__Host-admin-sid",
    csrf: "__Host-admin-csrf",
    presid: "__Host-admin-presid",
    dev: "__Host-admin-dev",
    mfa: "__Host-admin-mfa",
    mfadev: "__Host-admin-mfadev",
  });
  assert(set("sid", "v").startsWith("__Host-admin-sid=v; Path=/; "));
  const both = requestWith("__Host-sid=shop; __Host-admin-sid=admin");
  assertEquals(read(both, "sid"), { status: "found", value: "admin" });
  assertEquals(read(requestWith("__Host-sid=shop"), "sid"), { status: "absent" });
  assertEquals(sharedPolicy({ name: "admin" }).cookies.names.sid, "__Secure-admin-sid");
});

for (const name of ["", "a b", "a-b", "a;b", "a=b", "\u00e9", "a".repeat(33)]) {
  Deno.test(`cookiePolicy() rejects ${JSON.stringify(name)} as a name`, () => {
    assertThrows(() => cookiePolicy({ name }), TypeError, "Cannot name cookies");
  });
}
