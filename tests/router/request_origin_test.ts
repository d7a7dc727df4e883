/** Origin verification by Fetch Metadata, and `Origin` of RFC 6454. */

import { assertEquals, assertThrows } from "@std/assert";
import {
  isHandshake,
  isSafe,
  originVerifier,
  type RequestOrigin,
} from "../../router/request_origin.ts";

const URL_HERE = "https://example.com/notes";

/** The result for a request with these header fields. */
function sourceOf(
  headers: HeadersInit,
  { url = URL_HERE, trusted = [] }: { url?: string; trusted?: readonly string[] } = {},
): RequestOrigin {
  return originVerifier(trusted)(new Request(url, { method: "POST", headers }));
}

/** A request with any method: fetch() rejects some, and converts others to upper case. */
function requestOf(method: string, headers: HeadersInit = {}): Request {
  return { method, headers: new Headers(headers) } as Request;
}

for (const method of ["GET", "HEAD", "OPTIONS", "TRACE"]) {
  Deno.test(`isSafe() is true for ${method}, RFC 9110 §9.2.1`, () => {
    assertEquals(isSafe(requestOf(method)), true);
  });
}

for (
  const method of [
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "CONNECT",
    "QUERY",
    "PROPFIND",
    "get",
    "Get",
    "GET ",
    "",
    "toString",
  ]
) {
  Deno.test(`isSafe() is false for "${method}"`, () => {
    assertEquals(isSafe(requestOf(method)), false);
  });
}

/** Header fields of a GET, and whether it is a WebSocket handshake. */
const HANDSHAKES: readonly [
  why: string,
  headers: Readonly<Record<string, string>>,
  is: boolean,
][] = [
  ["RFC 6455 §1.2's example", { Upgrade: "websocket", Connection: "Upgrade" }, true],
  ["in another case, §4.2.1", { Upgrade: "WebSocket" }, true],
  ["in a list of protocols", { Upgrade: "h2c, websocket" }, true],
  ["over HTTP/2, without Upgrade, RFC 8441 §5", { "Sec-Fetch-Mode": "websocket" }, true],
  ["undefined", {}, false],
  ["an upgrade to HTTP/2, which Java and curl send with every GET", { Upgrade: "h2c" }, false],
  ["an upgrade to TLS, RFC 2817 §3.1", { Upgrade: "TLS/1.0" }, false],
  ["an empty field", { Upgrade: "" }, false],
  ["a connection that is not upgraded", { Connection: "keep-alive" }, false],
  ["a Connection field without Upgrade", { "Upgrade-Insecure-Requests": "1" }, false],
  ["a navigation", { "Sec-Fetch-Mode": "navigate" }, false],
  ["a fetch()", { "Sec-Fetch-Mode": "cors" }, false],
];

for (const [why, headers, is] of HANDSHAKES) {
  Deno.test(`isHandshake() is ${is} for ${why}`, () => {
    assertEquals(isHandshake(requestOf("GET", headers)), is);
    assertEquals(isSafe(requestOf("GET", headers)), !is, "and it is not safe");
    for (const method of ["HEAD", "OPTIONS", "POST"]) { // RFC 6455 §4.1: it is a GET
      assertEquals(isHandshake(requestOf(method, headers)), false);
      assertEquals(isSafe(requestOf(method, headers)), method !== "POST");
    }
  });
}

/** Fetch Metadata §2.2.1 and future values; the Origin is the request's own, and would be accepted without them. */
const SITES: readonly [why: string, site: string, source: RequestOrigin][] = [
  ["the application's own page", "same-origin", "trusted"],
  ["white space around, which is not part of a value", " same-origin\t", "trusted"],
  ["a sibling domain", "same-site", "cross_origin"],
  ["another site", "cross-site", "cross_origin"],
  ["a navigation by the user, which sends no POST", "none", "cross_origin"],
  ["an empty value", "", "cross_origin"],
  ["upper case", "Same-Origin", "cross_origin"],
  ["all upper case", "SAME-ORIGIN", "cross_origin"],
  ["two values, the first one same-origin", "same-origin, cross-site", "cross_origin"],
  ["two values, the second one same-origin", "cross-site, same-origin", "cross_origin"],
  ["two values, both same-origin", "same-origin, same-origin", "cross_origin"],
  ["a parameter", "same-origin;v=1", "cross_origin"],
  ["quotes", '"same-origin"', "cross_origin"],
  ["an underscore", "same_origin", "cross_origin"],
  ["an unknown future value", "same-party", "cross_origin"],
];

for (const [why, site, source] of SITES) {
  Deno.test(`originVerifier() returns ${source} for Sec-Fetch-Site ${JSON.stringify(site)}: ${why}`, () => {
    assertEquals(sourceOf({ "Sec-Fetch-Site": site }), source);
    assertEquals(sourceOf({ "Sec-Fetch-Site": site, Origin: "https://example.com" }), source);
  });
}

Deno.test("originVerifier() returns cross_origin for two Sec-Fetch-Site fields", () => {
  assertEquals(
    sourceOf([["Sec-Fetch-Site", "same-origin"], ["Sec-Fetch-Site", "same-origin"]]),
    "cross_origin",
  );
});

Deno.test("originVerifier() returns unknown only if both fields are missing", () => {
  assertEquals(sourceOf({}), "unknown");
  for (
    const other of [
      "Sec-Fetch-Mode",
      "Sec-Fetch-Dest",
      "Referer",
      "X-Requested-With",
      "X-Forwarded-Host",
    ]
  ) {
    assertEquals(sourceOf({ [other]: "https://example.com/" }), "unknown");
  }
});

/** Origins against the URL of the request, without Fetch Metadata. */
const ORIGINS: readonly [why: string, origin: string, url: string, source: RequestOrigin][] = [
  ["the same origin", "https://example.com", URL_HERE, "trusted"],
  [
    "the same origin, with a proxy that terminates TLS",
    "https://example.com",
    "http://example.com/",
    "trusted",
  ],
  [
    "over http, with a proxy that terminates TLS: a page over http can be forged",
    "http://example.com",
    "http://example.com/",
    "cross_origin",
  ],
  [
    "plain http with a port",
    "http://example.com:8080",
    "http://example.com:8080/",
    "cross_origin",
  ],
  ["localhost", "http://localhost", "http://localhost/", "trusted"],
  [
    "a name of this machine, RFC 6761 §6.3",
    "http://app.localhost",
    "http://app.localhost/",
    "trusted",
  ],
  ["the loopback address", "http://127.0.0.1", "http://127.0.0.1/", "trusted"],
  ["all of 127.0.0.0/8", "http://127.255.1.2:80", "http://127.255.1.2/", "cross_origin"],
  [
    "all of 127.0.0.0/8, as serialized by browsers",
    "http://127.255.1.2",
    "http://127.255.1.2/",
    "trusted",
  ],
  ["the IPv6 loopback address", "http://[::1]", "http://[::1]/", "trusted"],
  [
    "http at localhost and https",
    "http://localhost",
    "https://localhost/",
    "cross_origin",
  ],
  [
    "a name that starts like localhost",
    "http://localhost.example",
    "http://localhost.example/",
    "cross_origin",
  ],
  [
    "a name that ends like localhost",
    "http://evillocalhost",
    "http://evillocalhost/",
    "cross_origin",
  ],
  ["a dot after localhost", "http://localhost.", "http://localhost./", "cross_origin"],
  ["an empty label before the dot", "http://.localhost", "http://.localhost/", "cross_origin"],
  [
    "a name that looks like the loopback address",
    "http://127.example",
    "http://127.example/",
    "cross_origin",
  ],
  [
    "a subdomain of the loopback address",
    "http://127.0.0.1.evil",
    "http://127.0.0.1.evil/",
    "cross_origin",
  ],
  [
    "the unspecified address",
    "http://0.0.0.0",
    "http://0.0.0.0/",
    "cross_origin",
  ],
  ["another network", "http://128.0.0.1", "http://128.0.0.1/", "cross_origin"],
  ["a private network", "http://192.168.0.1", "http://192.168.0.1/", "cross_origin"],
  ["another IPv6 address", "http://[::2]", "http://[::2]/", "cross_origin"],
  ["an IPv6 address with the same suffix", "http://[2001::1]", "http://[2001::1]/", "cross_origin"],
  ["http and https", "http://example.com", "https://example.com/", "cross_origin"],
  [
    "http and https, port 443",
    "http://example.com:443",
    "https://example.com/",
    "cross_origin",
  ],
  ["a port", "https://example.com:8443", "https://example.com:8443/", "trusted"],
  ["http with a port", "http://localhost:8000", "http://localhost:8000/", "trusted"],
  [
    "a port, with a proxy that terminates TLS",
    "https://example.com:8443",
    "http://example.com:8443/",
    "trusted",
  ],
  ["another port", "https://example.com:8443", "https://example.com/", "cross_origin"],
  [
    "no port against another port",
    "https://example.com",
    "https://example.com:8443/",
    "cross_origin",
  ],
  ["another port of localhost", "http://localhost:3000", "http://localhost:8000/", "cross_origin"],
  [
    "Host with the default port of TLS, with a proxy",
    "https://example.com",
    "http://example.com:443/",
    "trusted",
  ],
  ["Host with the default port", "https://example.com", "https://example.com:443/", "trusted"],
  ["port 80 with TLS", "https://example.com:80", "http://example.com/", "cross_origin"],
  [
    "an explicit default port, which no browser sends",
    "https://example.com:443",
    URL_HERE,
    "cross_origin",
  ],
  ["null: a sandbox, a data URL, a redirect", "null", URL_HERE, "cross_origin"],
  ["null in upper case", "NULL", URL_HERE, "cross_origin"],
  ["undefined", "", URL_HERE, "cross_origin"],
  ["a sibling domain", "https://evil.example.com", URL_HERE, "cross_origin"],
  ["the top-level domain", "https://com", URL_HERE, "cross_origin"],
  ["the parent domain", "https://example.com", "https://app.example.com/", "cross_origin"],
  ["another site", "https://evil.example", URL_HERE, "cross_origin"],
  ["the host as a prefix", "https://example.com.evil.example", URL_HERE, "cross_origin"],
  ["the host as a suffix", "https://evilexample.com", URL_HERE, "cross_origin"],
  ["the host as user name", "https://example.com@evil.example", URL_HERE, "cross_origin"],
  ["a user name before the host", "https://evil@example.com", URL_HERE, "cross_origin"],
  ["an empty user name", "https://@example.com", URL_HERE, "cross_origin"],
  ["a path", "https://example.com/", URL_HERE, "cross_origin"],
  ["a longer path", "https://example.com/notes", URL_HERE, "cross_origin"],
  ["a query", "https://example.com?x", URL_HERE, "cross_origin"],
  ["a fragment", "https://example.com#x", URL_HERE, "cross_origin"],
  ["the host in a path of another", "https://evil.example/example.com", URL_HERE, "cross_origin"],
  [
    "the host in a fragment of another",
    "https://evil.example#example.com",
    URL_HERE,
    "cross_origin",
  ],
  ["upper case, which no browser sends", "https://EXAMPLE.com", URL_HERE, "cross_origin"],
  ["a scheme in upper case", "HTTPS://example.com", URL_HERE, "cross_origin"],
  ["a host of the request in upper case", "https://example.com", "https://EXAMPLE.COM/", "trusted"],
  ["a trailing dot of the origin's host", "https://example.com.", URL_HERE, "cross_origin"],
  [
    "a trailing dot of the request's host",
    "https://example.com",
    "https://example.com./",
    "cross_origin",
  ],
  ["trailing dots of both", "https://example.com.", "https://example.com./", "trusted"],
  ["no scheme", "example.com", URL_HERE, "cross_origin"],
  ["no scheme but slashes", "//example.com", URL_HERE, "cross_origin"],
  ["a backslash", "https:\\\\example.com", URL_HERE, "cross_origin"],
  ["one slash", "https:/example.com", URL_HERE, "cross_origin"],
  ["a space inside", "https://example.com https://example.com", URL_HERE, "cross_origin"],
  ["two origins", "https://example.com, https://example.com", URL_HERE, "cross_origin"],
  ["ftp", "ftp://example.com", "http://example.com/", "cross_origin"],
  ["ws", "ws://example.com", "http://example.com/", "cross_origin"],
  ["wss", "wss://example.com", URL_HERE, "cross_origin"],
  ["file", "file://", URL_HERE, "cross_origin"],
  ["an extension", "chrome-extension://example.com", URL_HERE, "cross_origin"],
  ["blob", "blob:https://example.com/1", URL_HERE, "cross_origin"],
  ["an IPv6 address", "https://[2001:db8::1]", "https://[2001:db8::1]/", "trusted"],
  ["an IPv6 address with a port", "http://[::1]:8000", "http://[::1]:8000/", "trusted"],
  [
    "an IPv6 address in another spelling",
    "https://[2001:db8:0:0:0:0:0:1]",
    "https://[2001:db8::1]/",
    "cross_origin",
  ],
  [
    "the request's IPv6 address in another spelling",
    "https://[2001:db8::1]",
    "https://[2001:DB8:0::1]/",
    "trusted",
  ],
  ["an IPv6 address without brackets", "https://::1", "https://[::1]/", "cross_origin"],
  ["an IPv4 address", "http://127.0.0.1:8000", "http://127.0.0.1:8000/", "trusted"],
  ["an IPv4 address as a number", "http://2130706433", "http://127.0.0.1/", "cross_origin"],
  ["localhost and its address", "http://localhost", "http://127.0.0.1/", "cross_origin"],
  ["punycode", "https://xn--bcher-kva.example", "https://bücher.example/", "trusted"],
  [
    "a host that is not in punycode",
    "https://b\u00fccher.example",
    "https://bücher.example/",
    "cross_origin",
  ],
  ["percent signs", "https://example%2ecom", URL_HERE, "cross_origin"],
];

for (const [why, origin, url, source] of ORIGINS) {
  Deno.test(`originVerifier() returns ${source} for Origin ${JSON.stringify(origin)} at ${url}: ${why}`, () => {
    assertEquals(sourceOf({ Origin: origin }, { url }), source);
  });
}

Deno.test("originVerifier() returns cross_origin for two Origin fields", () => {
  assertEquals(
    sourceOf([["Origin", "https://example.com"], ["Origin", "https://example.com"]]),
    "cross_origin",
  );
});

const TRUSTED = ["https://app.example.com", "http://localhost:5173"];

/** Header fields of requests to a service that trusts two other origins. */
const TRUST: readonly [
  why: string,
  headers: Readonly<Record<string, string>>,
  source: RequestOrigin,
][] = [
  [
    "trusted, same-site",
    { Origin: "https://app.example.com", "Sec-Fetch-Site": "same-site" },
    "trusted",
  ],
  [
    "trusted, cross-site",
    { Origin: "http://localhost:5173", "Sec-Fetch-Site": "cross-site" },
    "trusted",
  ],
  ["trusted, without Fetch Metadata", { Origin: "http://localhost:5173" }, "trusted"],
  ["the service's own", { Origin: "https://example.com" }, "trusted"],
  ["Fetch Metadata without Origin", { "Sec-Fetch-Site": "cross-site" }, "cross_origin"],
  ["another port", { Origin: "http://localhost:5174" }, "cross_origin"],
  ["another scheme", { Origin: "http://app.example.com" }, "cross_origin"],
  ["a slash", { Origin: "https://app.example.com/" }, "cross_origin"],
  ["upper case", { Origin: "https://APP.example.com" }, "cross_origin"],
  ["a subdomain", { Origin: "https://x.app.example.com" }, "cross_origin"],
  ["a user", { Origin: "https://app.example.com@evil.example" }, "cross_origin"],
  ["null", { Origin: "null" }, "cross_origin"],
  [
    "a list with a trusted origin",
    { Origin: "https://evil.example, https://app.example.com" },
    "cross_origin",
  ],
  ["the Referer of a trusted page", {
    Referer: "https://app.example.com/",
    "Sec-Fetch-Site": "same-site",
  }, "cross_origin"],
];

for (const [why, headers, source] of TRUST) {
  Deno.test(`originVerifier() with trusted origins returns ${source}: ${why}`, () => {
    assertEquals(sourceOf(headers, { trusted: TRUSTED }), source);
  });
}

Deno.test("originVerifier() copies its array", () => {
  const trusted = ["https://a.example"];
  const gate = originVerifier(trusted);
  trusted[0] = "https://b.example";
  const from = (origin: string) => gate(new Request(URL_HERE, { headers: { Origin: origin } }));
  assertEquals([from("https://a.example"), from("https://b.example")], ["trusted", "cross_origin"]);
});

for (
  const origin of [
    "*",
    "null",
    "",
    "example.com",
    "//example.com",
    "https://example.com/",
    "https://example.com/app",
    "https://example.com:443",
    "http://example.com:80",
    "https://Example.com",
    "HTTPS://example.com",
    "https://*.example.com/",
    "https://*.example.com", // a URL may have it, no page does
    "https://user@example.com",
    "https://bücher.example",
    "https://example.com?",
    " https://example.com",
    "https://example.com ",
    "ftp://example.com",
    "ws://example.com",
    "file:///",
    "data:text/plain,x",
    "chrome-extension://abc",
    undefined,
    null,
    42,
    {},
    new URL("https://example.com"),
    /^https:/,
  ]
) {
  Deno.test(`originVerifier() rejects ${Deno.inspect(origin)} as a trusted origin`, () => {
    assertThrows(() => originVerifier([origin as string]), TypeError, "Cannot trust origin");
    assertThrows(() => originVerifier(["https://a.example", origin as string]), TypeError);
  });
}

Deno.test("originVerifier() rejects a string instead of an array", () => {
  assertThrows(() => originVerifier("https://example.com" as never), TypeError);
});
