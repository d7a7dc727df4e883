/** Cookies that an attacker sets or injects into, and the expected result. */

import { assertEquals, assertThrows } from "@std/assert";
import { type CookieAttributes, serializeCookie } from "../../auth/session/cookie.ts";
import { cookiePolicy } from "../../auth/session/cookie_policy.ts";

const cookies = cookiePolicy();

/** Source, description, the `Cookie` field, and the result for the session cookie. */
const PLANTED: readonly [source: string, what: string, field: string, read: string][] = [
  ["ATTACKS", "the session cookie twice", "__Host-sid=a; __Host-sid=b", "ambiguous"],
  ["neighbour", "the same value twice", "__Host-sid=a; __Host-sid=a", "ambiguous"],
  ["neighbour", "twice, with others between", "__Host-sid=a; x=y; __Host-sid=b", "ambiguous"],
  ["neighbour", "twice, one of them empty", "__Host-sid=; __Host-sid=b", "ambiguous"],
  ["GHSA-r5rp-j6wh-rvv4", "a no-break space before the name", "\u00a0__Host-sid=a", "absent"],
  [
    "GHSA-r5rp-j6wh-rvv4",
    "a no-break space before one of two",
    "\u00a0__Host-sid=a; __Host-sid=b",
    "found",
  ],
  ["neighbour", "an ideographic space before the name", "\u3000__Host-sid=a", "absent"],
  ["neighbour", "a vertical tab before the name", "\v__Host-sid=a", "absent"],
  ["neighbour", "a byte order mark before the name", "\ufeff__Host-sid=a", "absent"],
  ["neighbour", "other case", "__host-sid=a; __HOST-SID=b", "absent"],
  ["neighbour", "an encoded name", "__Host%2Dsid=a", "absent"],
  ["neighbour", "a quoted name", '"__Host-sid"=a', "absent"],
  ["neighbour", "the name in the value of another cookie", "x=__Host-sid=a", "absent"],
  ["neighbour", "the name in a quoted value", 'x="; __Host-sid=a"', "found"],
  ["neighbour", "a nameless cookie with the same text", "=__Host-sid=a", "absent"],
  ["neighbour", "a comma for a semicolon", "x=y, __Host-sid=a", "absent"],
  ["neighbour", "the name of a shared session", "__Secure-sid=a", "absent"],
  ["neighbour", "no prefix", "sid=a", "absent"],
];

for (const [source, what, field, expected] of PLANTED) {
  Deno.test(`[${source}] cookies: ${what} is ${expected}`, () => {
    // Not through Headers, which rejects some of them
    const headers = { get: () => field } as unknown as Headers;
    const request = Object.defineProperty(new Request("https://example.com/"), "headers", {
      value: headers,
    });
    assertEquals(cookies.read(request, "sid").status, expected);
  });
}

/** Injections into a name, a value or an attribute. */
const INJECTED: readonly [what: string, text: string][] = [
  ["CR", "a\rb"],
  ["LF", "a\nb"],
  ["CR LF and another field", "a\r\nSet-Cookie: __Host-sid=evil"],
  ["a semicolon and an attribute", "a; Domain=evil.example"],
  ["NUL", "a\0b"],
  ["a tab", "a\tb"],
  ["DEL", "a\x7fb"],
  ["a non-ASCII character whose low byte is LF", "a\u010ab"],
  ["a lone surrogate", "a\ud800b"],
];

const PLACES: readonly [where: string, write: (text: string) => string][] = [
  ["the name", (text) => serializeCookie(text, "v")],
  ["the value", (text) => serializeCookie("n", text)],
  ["the path", (text) => serializeCookie("n", "v", { path: `/${text}` })],
  ["the domain", (text) => serializeCookie("n", "v", { domain: text })],
  [
    "SameSite",
    (text) => serializeCookie("n", "v", { sameSite: text } as unknown as CookieAttributes),
  ],
  ["Max-Age", (text) => serializeCookie("n", "v", { maxAge: text } as unknown as CookieAttributes)],
  [
    "Expires",
    (text) => serializeCookie("n", "v", { expires: text } as unknown as CookieAttributes),
  ],
  ["the session's value", (text) => cookies.set("sid", text)],
  ["the policy's domain", (text) => cookiePolicy({ domain: text, warn() {} }).set("sid", "v")],
];

for (const [where, write] of PLACES) {
  for (const [what, text] of INJECTED) {
    Deno.test(`[ATTACKS] cookies: ${what} in ${where} throws`, () => {
      assertThrows(() => write(text), TypeError, "Cannot serialize cookie");
    });
  }
}
