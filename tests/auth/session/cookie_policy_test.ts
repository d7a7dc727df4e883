/** The cookies of authentication: names, prefixes, attributes. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  type CookieKind,
  cookiePolicy,
  type CookiePolicyOptions,
} from "../../../auth/session/cookie_policy.ts";

const KINDS: readonly CookieKind[] = ["sid", "csrf", "presid", "dev"];

function requestWith(cookie?: string): Request {
  return new Request("https://site.example/", cookie === undefined ? {} : { headers: { cookie } });
}

/** A policy with a domain, and what it warned of. */
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

Deno.test("cookiePolicy() shares the session alone, under __Secure-", () => {
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
  });
});

Deno.test("cookiePolicy() warns once of a domain, when it is made, and says why", () => {
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

Deno.test("cookiePolicy() keeps a cookie for as long as the caller says", () => {
  const cookies = cookiePolicy();
  assert(cookies.set("sid", "v", { maxAge: 60 }).includes("; Max-Age=60;"));
  assert(cookies.set("dev", "v", { maxAge: 60 }).includes("; Max-Age=60;"));
  assertThrows(() => cookies.set("sid", "v", { maxAge: 34_560_001 }), RangeError, "maxAge");
});

Deno.test("cookiePolicy() takes another SameSite for all cookies", () => {
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

Deno.test("cookiePolicy() reads a cookie that is there twice as ambiguous", () => {
  for (const kind of KINDS) {
    const cookies = cookiePolicy();
    const name = cookies.names[kind];
    const reading = cookies.read(requestWith(`${name}=1; ${name}=1`), kind);
    assertEquals(reading, { status: "ambiguous" });
  }
});

Deno.test("cookiePolicy() reads what it sets, and nothing of what it deletes", () => {
  for (const { cookies } of [{ cookies: cookiePolicy() }, sharedPolicy()]) {
    for (const kind of KINDS) {
      const [pair] = cookies.set(kind, "v-1.2_3").split(";");
      assertEquals(cookies.read(requestWith(pair), kind), { status: "found", value: "v-1.2_3" });
    }
  }
});

Deno.test("cookiePolicy() cannot be changed", () => {
  const options: CookiePolicyOptions = { sameSite: "Strict" };
  const cookies = cookiePolicy(options);
  options.sameSite = "None";
  assert(cookies.set("sid", "v").endsWith("SameSite=Strict"));
  assert(Object.isFrozen(cookies) && Object.isFrozen(cookies.names));
});

const REFUSED: readonly [why: string, options: Readonly<Record<string, unknown>>][] = [
  ["an empty domain", { domain: "" }],
  ["a domain with a dot in front", { domain: ".site.example" }],
  ["a domain with an attribute", { domain: "site.example; SameSite=None" }],
  ["null as domain", { domain: null }],
  ["SameSite in lower case", { sameSite: "lax" }],
];

for (const [why, options] of REFUSED) {
  Deno.test(`cookiePolicy() refuses ${why} when it is made, and does not warn`, () => {
    const warn = () => {
      throw new Error("warned");
    };
    assertThrows(() => cookiePolicy({ ...options, warn }), TypeError, "Cannot serialize cookie:");
  });
}

Deno.test("cookiePolicy() refuses a value that would be more than a value", () => {
  for (const value of ["v; Domain=evil.example", "v\r\nSet-Cookie: a=1", 'v"', "v,", "\u00e9"]) {
    assertThrows(() => cookiePolicy().set("sid", value), TypeError, "the value");
  }
});

Deno.test("cookiePolicy() names cookies apart, behind the prefix", () => {
  const { names, set, read } = cookiePolicy({ name: "admin" });
  assertEquals(names, {
    sid: "__Host-admin-sid",
    csrf: "__Host-admin-csrf",
    presid: "__Host-admin-presid",
    dev: "__Host-admin-dev",
  });
  assert(set("sid", "v").startsWith("__Host-admin-sid=v; Path=/; "));
  const both = requestWith("__Host-sid=shop; __Host-admin-sid=admin");
  assertEquals(read(both, "sid"), { status: "found", value: "admin" });
  assertEquals(read(requestWith("__Host-sid=shop"), "sid"), { status: "absent" });
  assertEquals(sharedPolicy({ name: "admin" }).cookies.names.sid, "__Secure-admin-sid");
});

for (const name of ["", "a b", "a-b", "a;b", "a=b", "\u00e9", "a".repeat(33)]) {
  Deno.test(`cookiePolicy() refuses ${JSON.stringify(name)} as a name`, () => {
    assertThrows(() => cookiePolicy({ name }), TypeError, "Cannot name cookies");
  });
}

Deno.test("cookiePolicy() refuses options that it does not know", () => {
  const options: object = { samesite: "Strict" };
  assertThrows(() => cookiePolicy(options), TypeError, "unknown option samesite");
});
