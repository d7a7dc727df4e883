/** Redirect URIs of clients: which may be registered, and which match. */

import { assertEquals } from "@std/assert";
import {
  isLoopbackRedirect,
  isRegistrableRedirectUri,
  matchRedirectUri,
  redirectHost,
} from "../../../auth/server/clients/redirect_uri.ts";

type Row = readonly [why: string, uri: string];

/** Registrable for both types. */
const REGISTRABLE: readonly Row[] = [
  ["RFC 6749 §4.1.1's example", "https://client.example.com/cb"],
  ["a path and a query", "https://app.example/a/b?tenant=1&x=%2f"],
  ["an empty path", "https://app.example"],
  ["an empty path before a query", "https://app.example?tenant=1"],
  ["a root path", "https://app.example/"],
  ["a port", "https://app.example:8443/cb"],
  ["an internationalized name as DNS has it", "https://xn--bcher-kva.example/cb"],
  ["an IPv4 address", "https://192.0.2.1/cb"],
  ["an IPv6 address", "https://[2001:db8::1]/cb"],
  ["an asterisk in the path", "https://app.example/*"],
  ["an empty query", "https://app.example/cb?"],
  ["RFC 8252 §7.3's example, without its port", "http://127.0.0.1/oauth2redirect/example-provider"],
  ["RFC 8252 §7.3's example", "http://127.0.0.1:51004/oauth2redirect/example-provider"],
  [
    "RFC 8252 §7.3's example of IPv6",
    "http://[::1]:61023/oauth2redirect/example-provider",
  ],
  ["localhost", "http://localhost:3000/callback"],
  ["localhost with an empty path", "http://localhost"],
  ["localhost with TLS", "https://localhost:3000/callback"],
  ["2,048 characters", `https://app.example/${"a".repeat(2028)}`],
];
for (const [why, uri] of REGISTRABLE) {
  Deno.test(`isRegistrableRedirectUri() accepts ${why}`, () => {
    assertEquals(isRegistrableRedirectUri(uri, "web"), true);
    assertEquals(isRegistrableRedirectUri(uri, "native"), true);
  });
}

/** Registrable for native clients only. */
const PRIVATE_USE: readonly Row[] = [
  ["RFC 8252 §7.1's example", "com.example.app:/oauth2redirect/example-provider"],
  ["one with a host", "com.example.app://callback"],
  ["one with a query", "com.example.app:/cb?tenant=1"],
  ["one with digits and hyphens", "com.googleusercontent.apps.123-abc:/cb"],
];
for (const [why, uri] of PRIVATE_USE) {
  Deno.test(`isRegistrableRedirectUri() accepts private-use schemes of native clients: ${why}`, () => {
    assertEquals(isRegistrableRedirectUri(uri, "native"), true);
    assertEquals(isRegistrableRedirectUri(uri, "web"), false);
  });
}

/** Registrable for no client. */
const NOT_REGISTRABLE: readonly Row[] = [
  ["an empty string", ""],
  ["2,049 characters", `https://app.example/${"a".repeat(2029)}`],
  ["javascript:", "javascript:alert(1)"],
  ["javascript: as a hierarchy", "javascript://app.example/%0aalert(1)"],
  ["javascript: in upper case", "JavaScript:alert(1)"],
  ["javascript: after a space", " javascript:alert(1)"],
  ["javascript: with a tab inside", "java\tscript:alert(1)"],
  ["data:", "data:text/html,<script>alert(1)</script>"],
  ["data: without other characters", "data:text/html,hello"],
  ["vbscript:", "vbscript:msgbox(1)"],
  ["file:", "file:///etc/passwd"],
  ["blob:", "blob:https://app.example/550e8400-e29b-41d4-a716-446655440000"],
  ["about:", "about:blank"],
  ["ftp:", "ftp://app.example/cb"],
  ["ws:", "wss://app.example/cb"],
  ["a private-use scheme without a dot", "myapp:/callback"],
  ["a private-use scheme that ends in a dot", "com.:/callback"],
  ["a private-use scheme with two dots", "com..example:/callback"],
  ["a private-use scheme in upper case", "com.Example.app:/callback"],
  ["a private-use scheme without a slash", "com.example.app:callback"],
  ["a private-use scheme with a fragment", "com.example.app:/callback#x"],
  ["a private-use scheme with a user", "com.example.app://user@callback"],
  ["a private-use scheme with a wildcard", "com.example.app://*.example/callback"],
  ["an out-of-band URN", "urn:ietf:wg:oauth:2.0:oob"],
  ["a relative path", "/callback"],
  ["a URL without a scheme", "//app.example/callback"],
  ["a name alone", "app.example"],
  ["no slashes", "https:app.example/cb"],
  ["one slash", "https:/app.example/cb"],
  ["three slashes", "https:///app.example/cb"],
  ["no host", "https://"],
  ["a port alone", "https://:443/cb"],
  ["a fragment", "https://app.example/cb#x"],
  ["an empty fragment", "https://app.example/cb#"],
  ["a user", "https://user@app.example/cb"],
  ["a user and a password", "https://user:pass@app.example/cb"],
  ["an empty user", "https://@app.example/cb"],
  ["a wildcard for a host", "https://*/cb"],
  ["a wildcard for a label", "https://*.app.example/cb"],
  ["an encoded wildcard", "https://%2a.app.example/cb"],
  ["http", "http://app.example/cb"],
  ["http to localhost.", "http://localhost./cb"],
  ["http to a name below localhost", "http://app.localhost/cb"],
  ["http to a name that starts like localhost", "http://localhost.evil.example/cb"],
  ["http to another address of the loopback interface", "http://127.0.0.2/cb"],
  ["http to 127.1", "http://127.1/cb"],
  ["http to 0x7f000001", "http://0x7f000001/cb"],
  ["http to 2130706433", "http://2130706433/cb"],
  ["http to 0177.0.0.1", "http://0177.0.0.1/cb"],
  ["http to 0.0.0.0", "http://0.0.0.0/cb"],
  ["http to a long form of ::1", "http://[0:0:0:0:0:0:0:1]/cb"],
  ["http to a mapped 127.0.0.1", "http://[::ffff:127.0.0.1]/cb"],
  ["http to LOCALHOST", "http://LOCALHOST/cb"],
  ["http to a user localhost", "http://localhost@evil.example/cb"],
  ["http to a user localhost with a password", "http://localhost:1@evil.example/cb"],
  ["http to localhost with port 0", "http://localhost:0/cb"],
  ["http to localhost with the default port", "http://localhost:80/cb"],
  ["a private address", "http://192.168.1.1/cb"],
  ["a host in upper case", "https://APP.example/cb"],
  ["a scheme in upper case", "HTTPS://app.example/cb"],
  ["a default port", "https://app.example:443/cb"],
  ["a port with a leading zero", "https://app.example:08443/cb"],
  ["an empty port", "https://app.example:/cb"],
  ["a port that is too large", "https://app.example:65536/cb"],
  ["port 0", "https://app.example:0/cb"],
  ["dot segments", "https://app.example/a/../cb"],
  ["encoded dot segments", "https://app.example/a/%2e%2e/cb"],
  ["a single dot", "https://app.example/./cb"],
  ["a backslash", "https://app.example\\cb"],
  ["a backslash in the path", "https://app.example/a\\b"],
  ["a space", "https://app.example/a b"],
  ["a space at the end", "https://app.example/cb "],
  ["a tab", "https://app.example/\tcb"],
  ["a line feed", "https://app.example/cb\n"],
  ["a carriage return and line feed", "https://app.example/cb\r\nSet-Cookie: a=b"],
  ["NUL", "https://app.example/cb\0"],
  ["DEL", "https://app.example/cb\x7f"],
  ["a quote", 'https://app.example/"cb"'],
  ["angle brackets", "https://app.example/<cb>"],
  ["half of an escape", "https://app.example/%4"],
  ["an escape that is none", "https://app.example/%zz"],
  ["a letter outside of ASCII in the host", "https://bücher.example/cb"],
  ["a letter outside of ASCII in the path", "https://app.example/bücher"],
  ["a full-width dot", "https://app．example/cb"],
  ["a soft hyphen", "https://app\u00ad.example/cb"],
  ["two URIs", "https://app.example/cb https://evil.example/cb"],
];
for (const [why, uri] of NOT_REGISTRABLE) {
  Deno.test(`isRegistrableRedirectUri() rejects ${why}`, () => {
    assertEquals(isRegistrableRedirectUri(uri, "web"), false);
    assertEquals(isRegistrableRedirectUri(uri, "native"), false);
  });
}

Deno.test("isRegistrableRedirectUri() rejects what is not a string", () => {
  for (
    const value of [undefined, null, 7, ["https://app.example/cb"], new URL("https://a.example")]
  ) {
    assertEquals(isRegistrableRedirectUri(value as unknown as string, "web"), false);
  }
});

const CALLBACK = "https://app.example/oauth/callback";
const WITH_QUERY = "https://app.example/cb?tenant=1";
const ROOT = "https://root.example";
const WEB = { type: "web", redirectUris: [CALLBACK, WITH_QUERY, ROOT] } as const;
const PRODUCTION = { insecureLoopback: false } as const;
const DEVELOPMENT = { insecureLoopback: true } as const;

for (const uri of WEB.redirectUris) {
  Deno.test(`matchRedirectUri() returns a registered URI: ${uri}`, () => {
    assertEquals(matchRedirectUri(WEB, uri, PRODUCTION), uri);
    assertEquals(matchRedirectUri({ ...WEB, type: "native" }, uri, PRODUCTION), uri);
  });
}

/** Attacks AS1: forms of a registered URI that some server took for it. */
const FORGED: readonly Row[] = [
  ["nothing", ""],
  ["another host", "https://evil.example/oauth/callback"],
  ["a suffix of the path, CVE-2025-4143", `${CALLBACK}/evil`],
  ["a suffix of the last segment", `${CALLBACK}evil`],
  ["a prefix of the path", "https://app.example/oauth"],
  ["the origin", "https://app.example"],
  ["a trailing slash", `${CALLBACK}/`],
  ["a slash after an empty path", `${ROOT}/`],
  ["dot segments, CVE-2024-1132", `${CALLBACK}/../../evil`],
  ["dot segments that lead back", "https://app.example/oauth/evil/../callback"],
  ["a single dot", "https://app.example/oauth/./callback"],
  ["encoded dot segments, CVE-2022-3782", `${CALLBACK}/%2e%2e/%2e%2e/evil`],
  ["dot segments encoded twice", `${CALLBACK}/%252e%252e/evil`],
  ["half-encoded dot segments", `${CALLBACK}/.%2e/evil`],
  ["dot segments with a backslash", `${CALLBACK}/..\\evil`],
  ["dot segments after a parameter", `${CALLBACK}/..;/evil`],
  ["a path parameter", `${CALLBACK};evil`],
  ["an encoded slash", "https://app.example/oauth%2fcallback"],
  ["an encoded slash in upper case", "https://app.example/oauth%2Fcallback"],
  ["an encoded letter", "https://app.example/oauth/%63allback"],
  ["a doubled slash", "https://app.example//oauth/callback"],
  ["an added query", `${CALLBACK}?next=https://evil.example`],
  ["an empty query", `${CALLBACK}?`],
  ["another parameter of the query", `${WITH_QUERY}&evil=1`],
  ["another value of the query", "https://app.example/cb?tenant=2"],
  ["a query without its value", "https://app.example/cb?tenant="],
  ["a query left out", "https://app.example/cb"],
  ["a fragment", `${CALLBACK}#evil`],
  ["an empty fragment", `${CALLBACK}#`],
  ["an encoded fragment", `${CALLBACK}%23`],
  ["the registered URI as user, CVE-2023-6291", "https://app.example@evil.example/oauth/callback"],
  [
    "the registered host as user and password",
    "https://app.example:443@evil.example/oauth/callback",
  ],
  ["a user before the registered host", "https://user@app.example/oauth/callback"],
  ["an empty user", "https://@app.example/oauth/callback"],
  ["an encoded @", "https://evil.example%40app.example/oauth/callback"],
  ["a backslash before @", "https://evil.example\\@app.example/oauth/callback"],
  ["a backslash for a slash", "https://app.example\\oauth\\callback"],
  ["backslashes after the scheme", "https:\\\\app.example/oauth/callback"],
  ["a slash left out", "https:/app.example/oauth/callback"],
  ["a third slash", "https:///app.example/oauth/callback"],
  ["the default port", "https://app.example:443/oauth/callback"],
  ["another port", "https://app.example:8443/oauth/callback"],
  ["an empty port", "https://app.example:/oauth/callback"],
  ["http", "http://app.example/oauth/callback"],
  ["a scheme left out", "//app.example/oauth/callback"],
  ["a path alone", "/oauth/callback"],
  ["a host in upper case", "https://APP.example/oauth/callback"],
  ["a scheme in upper case", "HTTPS://app.example/oauth/callback"],
  ["a path in upper case", "https://app.example/OAuth/callback"],
  ["a dot after the host", "https://app.example./oauth/callback"],
  ["a name below the host", "https://evil.app.example/oauth/callback"],
  ["a longer host", "https://app.example.evil.example/oauth/callback"],
  ["a host that ends alike", "https://evilapp.example/oauth/callback"],
  ["a dot of the host replaced, CVE-2024-52289", "https://appxexample/oauth/callback"],
  ["a letter that folds to a", "https://ａpp.example/oauth/callback"],
  ["a letter that looks like a", "https://\u0430pp.example/oauth/callback"],
  ["a full stop of another script", "https://app。example/oauth/callback"],
  ["a soft hyphen", "https://app\u00ad.example/oauth/callback"],
  ["a zero-width space", "https://app\u200b.example/oauth/callback"],
  ["a space before", ` ${CALLBACK}`],
  ["a space after", `${CALLBACK} `],
  ["an encoded space after", `${CALLBACK}%20`],
  ["a plus after", `${CALLBACK}+`],
  ["a tab", "https://app.example/oauth/\tcallback"],
  ["a tab in the scheme", "ht\ttps://app.example/oauth/callback"],
  ["a line feed after", `${CALLBACK}\n`],
  ["a header", `${CALLBACK}\r\nX-Evil: 1`],
  ["an encoded line feed", `${CALLBACK}%0d%0aX-Evil:1`],
  ["NUL after", `${CALLBACK}\0`],
  ["NUL and another host", `${CALLBACK}\0.evil.example`],
  ["an encoded NUL", `${CALLBACK}%00`],
  ["a byte order mark", `\ufeff${CALLBACK}`],
  ["a lone surrogate", `${CALLBACK}\ud800`],
  ["two URIs with a space", `${CALLBACK} https://evil.example/`],
  ["two URIs with a comma", `${CALLBACK},https://evil.example/`],
  ["javascript:", "javascript:alert(1)"],
  ["javascript: with the registered URI", `javascript://app.example/oauth/callback%0aalert(1)`],
  ["data:", "data:text/html,<script>alert(1)</script>"],
  ["a view of the source", `view-source:${CALLBACK}`],
  ["a pattern", "https://app.example/*"],
  ["a regular expression", "https://app.example/oauth/.*"],
];
for (const [why, uri] of FORGED) {
  Deno.test(`matchRedirectUri() rejects ${why}, 21-2`, () => {
    for (const options of [PRODUCTION, DEVELOPMENT]) {
      assertEquals(matchRedirectUri(WEB, uri, options), undefined);
      assertEquals(matchRedirectUri({ ...WEB, type: "native" }, uri, options), undefined);
    }
  });
}

Deno.test("matchRedirectUri() does not take a registered URI for a pattern", () => {
  const redirectUris = ["https://app.example/*", "https://a.example/.*"];
  for (const uri of ["https://app.example/", "https://app.example/evil", "https://a.example/x"]) {
    assertEquals(matchRedirectUri({ type: "web", redirectUris }, uri, PRODUCTION), undefined);
  }
});

const NATIVE = {
  type: "native",
  redirectUris: [
    "http://127.0.0.1/cb",
    "http://[::1]:1234/cb?a=b",
    "http://localhost",
    "com.example.app:/cb",
    "https://app.example/cb",
  ],
} as const;

/** RFC 8252 §7.3; localhost as well, because most native clients use it. */
const ANY_PORT: readonly Row[] = [
  ["no port", "http://127.0.0.1/cb"],
  ["an ephemeral port", "http://127.0.0.1:51004/cb"],
  ["port 1", "http://127.0.0.1:1/cb"],
  ["port 65535", "http://127.0.0.1:65535/cb"],
  ["the default port", "http://127.0.0.1:80/cb"],
  ["the registered port", "http://[::1]:1234/cb?a=b"],
  ["another port than the registered one", "http://[::1]:4321/cb?a=b"],
  ["no port where one is registered", "http://[::1]/cb?a=b"],
  ["localhost with an empty path", "http://localhost:8080"],
  ["a private-use scheme", "com.example.app:/cb"],
];
for (const [why, uri] of ANY_PORT) {
  Deno.test(`matchRedirectUri() accepts of a native client ${why}`, () =>
    assertEquals(matchRedirectUri(NATIVE, uri, PRODUCTION), uri));
}

/** Attacks AS2. */
const NOT_LOOPBACK: readonly Row[] = [
  ["another path", "http://127.0.0.1:5000/evil"],
  ["no path", "http://127.0.0.1:5000"],
  ["a longer path", "http://127.0.0.1:5000/cb/evil"],
  ["dot segments", "http://127.0.0.1:5000/x/../cb"],
  ["an encoded path", "http://127.0.0.1:5000/%63b"],
  ["an added query", "http://127.0.0.1:5000/cb?evil=1"],
  ["an empty query", "http://127.0.0.1:5000/cb?"],
  ["a query left out", "http://[::1]:5000/cb"],
  ["a fragment", "http://127.0.0.1:5000/cb#evil"],
  ["a slash after an empty path", "http://localhost:5000/"],
  ["another address of 127/8, CVE-2020-15233", "http://127.0.0.2:5000/cb"],
  ["localhost for 127.0.0.1", "http://localhost:5000/cb"],
  ["[::1] for 127.0.0.1", "http://[::1]:5000/cb"],
  ["127.0.0.1 for localhost", "http://127.0.0.1:5000"],
  ["127.1", "http://127.1:5000/cb"],
  ["0x7f000001", "http://0x7f000001:5000/cb"],
  ["0x7f.0.0.1", "http://0x7f.0.0.1:5000/cb"],
  ["2130706433", "http://2130706433:5000/cb"],
  ["0177.0.0.1", "http://0177.0.0.1:5000/cb"],
  ["127.0.0.1.", "http://127.0.0.1.:5000/cb"],
  ["127.0.0.1 in full-width digits", "http://１２７.0.0.1:5000/cb"],
  ["0.0.0.0", "http://0.0.0.0:5000/cb"],
  ["a long form of ::1", "http://[0:0:0:0:0:0:0:1]:5000/cb?a=b"],
  ["::1 with a leading zero", "http://[::01]:5000/cb?a=b"],
  ["::1 with a zone", "http://[::1%25lo]:5000/cb?a=b"],
  ["::1 without brackets", "http://::1:5000/cb?a=b"],
  ["a mapped 127.0.0.1", "http://[::ffff:127.0.0.1]:5000/cb"],
  ["localhost.", "http://localhost.:5000"],
  ["LOCALHOST", "http://LOCALHOST:5000"],
  ["localhost.evil.example", "http://localhost.evil.example:5000"],
  ["evil.localhost", "http://evil.localhost:5000"],
  ["127.0.0.1.evil.example", "http://127.0.0.1.evil.example:5000/cb"],
  ["a user", "http://user@127.0.0.1:5000/cb"],
  ["a loopback host as user", "http://127.0.0.1@evil.example/cb"],
  ["a loopback host and port as user and password", "http://127.0.0.1:5000@evil.example/cb"],
  ["a backslash", "http://127.0.0.1:5000\\@evil.example/cb"],
  ["port 0", "http://127.0.0.1:0/cb"],
  ["port 65536", "http://127.0.0.1:65536/cb"],
  ["a port of six digits", "http://127.0.0.1:500000/cb"],
  ["a port with a leading zero", "http://127.0.0.1:05000/cb"],
  ["an empty port", "http://127.0.0.1:/cb"],
  ["a signed port", "http://127.0.0.1:+5000/cb"],
  ["a port in full-width digits", "http://127.0.0.1:５０００/cb"],
  ["two ports", "http://127.0.0.1:5000:5001/cb"],
  ["a tab in the port", "http://127.0.0.1:50\t00/cb"],
  ["a line feed after", "http://127.0.0.1:5000/cb\n"],
  ["https", "https://127.0.0.1:5000/cb"],
  ["a scheme in upper case", "HTTP://127.0.0.1:5000/cb"],
  ["another port of an https URI", "https://app.example:8443/cb"],
  ["a private-use scheme in upper case", "COM.example.app:/cb"],
  ["a private-use scheme with slashes", "com.example.app:///cb"],
  ["another private-use scheme", "com.example.evil:/cb"],
];
for (const [why, uri] of NOT_LOOPBACK) {
  Deno.test(`matchRedirectUri() rejects of a native client ${why}`, () => {
    assertEquals(matchRedirectUri(NATIVE, uri, PRODUCTION), undefined);
    assertEquals(matchRedirectUri(NATIVE, uri, DEVELOPMENT), undefined);
  });
}

Deno.test("matchRedirectUri() accepts http of web clients only in development, and exactly", () => {
  for (
    const uri of ["http://127.0.0.1:3000/cb", "http://localhost:3000/cb", "http://[::1]:3000/cb"]
  ) {
    const client = { type: "web", redirectUris: [uri] } as const;
    assertEquals(matchRedirectUri(client, uri, PRODUCTION), undefined);
    assertEquals(matchRedirectUri(client, uri, DEVELOPMENT), uri);
    for (const other of [uri.replace("3000", "3001"), uri.replace(":3000", ""), `${uri}/`]) {
      assertEquals(matchRedirectUri(client, other, DEVELOPMENT), undefined);
    }
  }
});

/** Attacks AS3: records from before the rules, or of another application. */
const STORED: readonly Row[] = [
  ["javascript:", "javascript:alert(1)"],
  ["data:", "data:text/html,hello"],
  ["vbscript:", "vbscript:msgbox(1)"],
  ["a fragment", "https://app.example/cb#x"],
  ["a user", "https://user@app.example/cb"],
  ["http", "http://app.example/cb"],
  ["a wildcard", "https://*.app.example/cb"],
  ["a scheme without a dot", "myapp:/cb"],
  ["a default port", "https://app.example:443/cb"],
  ["an empty string", ""],
];
for (const [why, uri] of STORED) {
  Deno.test(`matchRedirectUri() rejects a stored URI with ${why}`, () => {
    for (const type of ["web", "native"] as const) {
      assertEquals(matchRedirectUri({ type, redirectUris: [uri] }, uri, DEVELOPMENT), undefined);
    }
  });
}

Deno.test("matchRedirectUri() rejects a private-use scheme of a client that became a web client", () => {
  const uri = "com.example.app:/cb";
  const client = { type: "web", redirectUris: [uri] } as const;
  assertEquals(matchRedirectUri(client, uri, DEVELOPMENT), undefined);
});

/** What the consent page says. */
const TARGETS: readonly (readonly [uri: string, host: string, isLoopback: boolean])[] = [
  ["https://app.example/cb", "app.example", false],
  ["https://app.example:8443/cb", "app.example:8443", false],
  ["https://xn--bcher-kva.example/cb", "xn--bcher-kva.example", false],
  ["https://localhost.example/cb", "localhost.example", false],
  ["https://127.example/cb", "127.example", false],
  ["http://127.0.0.1:51004/cb", "127.0.0.1:51004", true],
  ["http://[::1]/cb", "[::1]", true],
  ["http://localhost:3000", "localhost:3000", true],
  ["https://localhost:3000/cb", "localhost:3000", true],
  ["https://localhost./cb", "localhost.", true],
  ["https://app.localhost/cb", "app.localhost", true],
  ["https://127.0.0.2/cb", "127.0.0.2", true],
  ["com.example.app:/cb", "com.example.app:", true],
  ["com.example.app://callback", "com.example.app:", true],
];
for (const [uri, host, isLoopback] of TARGETS) {
  Deno.test(`redirectHost() and isLoopbackRedirect() describe ${uri}`, () => {
    assertEquals(redirectHost(uri), host);
    assertEquals(isLoopbackRedirect(uri), isLoopback);
  });
}
