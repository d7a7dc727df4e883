/** Cookies as another library, and as user agents, read and write them. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  type CookieAttributes,
  parseCookies,
  readCookie,
  serializeCookie,
} from "../../auth/session/cookie.ts";
import { testVectors } from "./_vectors.ts";

/** What the library's serializer takes. */
interface CookieObject {
  readonly name: string;
  readonly value: string;
  readonly domain?: string;
  readonly path?: string;
  readonly maxAge?: number;
  readonly expires?: { readonly __date: string };
  readonly httpOnly?: boolean;
  readonly secure?: boolean;
  readonly partitioned?: boolean;
  readonly priority?: string;
  readonly sameSite?: string;
}

type LibraryCase =
  & { readonly id: string }
  & (
    | {
      readonly fn: "parseCookie";
      readonly args: readonly [string];
      readonly result: Readonly<Record<string, string>>;
    }
    | { readonly fn: "parseSetCookie" }
    | {
      readonly fn: "stringifyCookie";
      readonly args: readonly [Readonly<Record<string, unknown>>];
      readonly result: string;
    }
    | {
      readonly fn: "stringifySetCookie";
      readonly args: readonly [CookieObject];
      readonly result: string;
    }
  );

const LIBRARY_FILE = "http/cookie-jshttp.json";

/** Attributes of ours for a cookie of the library, which leaves out what is not asked for. */
function attributesOf(cookie: CookieObject): CookieAttributes {
  const { path, domain, maxAge, expires, httpOnly, secure, partitioned, sameSite } = cookie;
  return {
    ...(path === undefined ? {} : { path }),
    ...(domain === undefined ? {} : { domain }),
    ...(maxAge === undefined ? {} : { maxAge }),
    ...(expires === undefined ? {} : { expires: Math.floor(Date.parse(expires.__date) / 1000) }),
    ...(sameSite === undefined ? {} : { sameSite: titleCase(sameSite) }),
    partitioned: partitioned === true,
    insecureTransport: secure !== true,
    insecureScriptAccess: httpOnly !== true,
  };
}

function titleCase(sameSite: string): "Strict" | "Lax" | "None" {
  return sameSite.slice(0, 1).toUpperCase() + sameSite.slice(1) as "Strict" | "Lax" | "None";
}

/** Why we refuse to write a cookie that the library writes. */
function refusal(test: LibraryCase): string | undefined {
  if (test.fn === "stringifyCookie") {
    const values = Object.values(test.args[0]);
    const encodes = values.some((value) =>
      typeof value === "string" && /[^!#-+\--:<-[\]-~]/.test(value)
    );
    return encodes ? "have a value that would need encoding" : undefined;
  }
  if (test.fn !== "stringifySetCookie") return undefined;
  const { name, value, domain, path, sameSite, secure } = test.args[0];
  if (/[^!#-+\--:<-[\]-~]/.test(value)) return "have a value that would need encoding";
  if (/[/[\]:{}<>?]/.test(name)) return "have a name that is no token";
  if (domain?.startsWith(".")) return "have a domain that starts with a dot";
  if (path !== undefined && !path.startsWith("/")) return "have a path that is not absolute";
  if (sameSite === "none" && secure !== true) return "have SameSite=None without Secure";
  return undefined;
}

/** Why a case of reading or writing says nothing of ours. */
function otherConvention(test: LibraryCase): string | undefined {
  switch (test.fn) {
    case "parseSetCookie":
      return "read Set-Cookie, which only user agents do";
    case "parseCookie": {
      const [header] = test.args;
      if (/%[0-9a-f]{2}/i.test(header)) return "decode percent signs, which are as they are here";
      if ("" in test.result) return "give pairs without a name, which we leave out";
      const names = parseCookies(header).map(({ name }) => name);
      return new Set(names).size < names.length
        ? "take the first of two, which we show both"
        : undefined;
    }
    case "stringifyCookie": {
      const values = Object.values(test.args[0]);
      if (values.length === 0) return "write no cookie at all";
      return values.every((value) => typeof value === "string")
        ? undefined
        : "leave out a value that is none";
    }
    case "stringifySetCookie":
      if (test.args[0].priority !== undefined) return "have Priority, which no standard has";
      return test.args[0].maxAge === 0
        ? "write Max-Age=0, where we write a date in the past"
        : undefined;
  }
}

testVectors<LibraryCase>({
  file: LIBRARY_FILE,
  skip: (test) => otherConvention(test) ?? refusal(test),
  run(test) {
    switch (test.fn) {
      case "parseCookie": {
        const pairs = parseCookies(test.args[0]).map(({ name, value }) => [name, value]);
        assertEquals(Object.fromEntries(pairs), { ...test.result }, test.id);
        return;
      }
      case "stringifyCookie": {
        const pairs = Object.entries(test.args[0]).map(([name, value]) =>
          serializeCookie(name, String(value)).split("; ")[0]
        );
        assertEquals(pairs.join("; "), test.result, test.id);
        return;
      }
      case "stringifySetCookie": {
        const [cookie] = test.args;
        const field = serializeCookie(cookie.name, cookie.value, attributesOf(cookie));
        const [pair, ...attributes] = field.split("; ");
        const [expectedPair, ...expected] = test.result.split("; ");
        assertEquals(pair, expectedPair, test.id);
        // The library has no defaults: what we write beside its attributes are ours
        if (cookie.path === undefined) expected.push("Path=/");
        if (cookie.sameSite === undefined) expected.push("SameSite=Lax");
        assertEquals(attributes.toSorted(), expected.toSorted(), test.id);
        return;
      }
      case "parseSetCookie":
        throw new Error("not ours");
    }
  },
});

testVectors<LibraryCase>({
  file: LIBRARY_FILE,
  skip: (test) => refusal(test) === undefined ? "are not of what we refuse to write" : undefined,
  /** What the library encodes or lets through, we refuse. */
  run(test) {
    const write = () => {
      if (test.fn === "stringifyCookie") {
        for (const [name, value] of Object.entries(test.args[0])) {
          serializeCookie(name, String(value));
        }
      } else if (test.fn === "stringifySetCookie") {
        const [cookie] = test.args;
        serializeCookie(cookie.name, cookie.value, attributesOf(cookie));
      }
    };
    assertThrows(write, TypeError, "Cannot serialize cookie:", test.id);
  },
});

interface StateCase {
  readonly id: string;
  readonly setCookie: readonly string[];
  readonly cookie: string | null;
  readonly disabled?: boolean;
}

/** Name and value that a user agent takes from a `Set-Cookie` field, RFC 6265bis §5.6. */
function pairOf(field: string): readonly [name: string, value: string] {
  const [pair = ""] = field.split(";");
  const equals = pair.indexOf("=");
  const blanks = /^[ \t]+|[ \t]+$/g;
  return [pair.slice(0, equals).replace(blanks, ""), pair.slice(equals + 1).replace(blanks, "")];
}

testVectors<StateCase>({
  file: "http/cookies-http-state.json",
  skip({ cookie, disabled }) {
    if (disabled) return "are switched off upstream";
    return cookie === null ? "send no cookie" : undefined;
  },
  /** Every pair that was sent is one that was set, and nothing was lost: RFC 6265bis §5.8.3. */
  run({ id, setCookie, cookie }) {
    const pairs = parseCookies(cookie);
    assertEquals(pairs.map(({ name, value }) => `${name}=${value}`).join("; "), cookie, id);
    const set = setCookie.map((field) => pairOf(field).join("="));
    for (const { name, value } of pairs) {
      assert(set.includes(`${name}=${value}`), `${id}: ${name}`);
      const isTwice = pairs.filter((pair) => pair.name === name).length > 1;
      const expected = isTwice ? { status: "ambiguous" } : { status: "found", value };
      assertEquals(readCookie(cookie, name) as unknown, expected, id);
    }
  },
});

testVectors<{ readonly id: string; readonly expected: string | null }>({
  file: "http/cookie-dates.json",
  skip: ({ expected }) => expected === null ? "must not be read, and we only write" : undefined,
  run({ id, expected }) {
    const field = serializeCookie("a", "", { expires: Date.parse(expected ?? "") / 1000 });
    assertEquals(field.match(/; Expires=([^;]*);/)?.[1], expected ?? "", id);
  },
});
