/**
 * What an application gets from `serveNode`: URL, header fields, and the standard request.
 *
 * @module
 */

import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import { ask, head, openWire, parse, withServer } from "./node_server_wire.ts";

const PLACE = "127.0.0.1:PORT";

/** Target and `Host` of a request; its URL, or that it is a 400. `PORT` is the server's. */
const TARGETS:
  readonly (readonly [why: string, target: string, host: string, url: string | 400])[] = [
    ["a path and a query", "/a/b?c=d", "example.com", "http://example.com/a/b?c=d"],
    ["a port", "/", "example.com:8080", "http://example.com:8080/"],
    ["the default port", "/", "example.com:80", "http://example.com/"],
    ["capitals", "/A", "EXAMPLE.com", "http://example.com/A"],
    ["an IPv6 address", "/", "[::1]:8080", "http://[::1]:8080/"],
    ["a number that is an address", "/", "2130706433", "http://127.0.0.1/"],
    ["a path like a host", "//evil.example/a", "example.com", "http://example.com//evil.example/a"],
    ["a path like a host, at a port", "//evil:1/", "a.example", "http://a.example//evil:1/"],
    ["userinfo in the path", "/@evil.example", "example.com", "http://example.com/@evil.example"],
    ["dot segments", "/a/../b/./c", "example.com", "http://example.com/b/c"],
    ["encoded dot segments", "/a/%2e%2E/b", "example.com", "http://example.com/b"],
    ["a dot segment at the end", "/a/..", "example.com", "http://example.com/"],
    ["dots in a query", "/a?b=/../c", "example.com", "http://example.com/a?b=/../c"],
    ["escapes", "/%41%2F%zz", "example.com", "http://example.com/%41%2F%zz"],
    ["bytes beyond ASCII", "/\xc3\xa9", "example.com", 400],
    ["a control character", "/\x01", "example.com", 400],
    ["what a URL encodes", '/"<>`{}?\'"<>', "example.com", "encoded"],
    ["a backslash in the query", "/a?\\", "example.com", "http://example.com/a?\\"],
    ["a backslash in the path", "/a\\b", "example.com", 400],
    ["a backslash like a host", "/\\evil.example", "example.com", 400],
    ["a fragment", "/a#b", "example.com", 400],
    ["an absolute form", "http://other.example/a?b", "example.com", "http://other.example/a?b"],
    ["an absolute form without a path", "http://other.example", "x", "http://other.example/"],
    ["an absolute form with a query alone", "http://o.example?a", "x", "http://o.example/?a"],
    ["an absolute form in capitals", "HTTP://Other.example/A", "x", "http://other.example/A"],
    ["an absolute form of the other scheme", "https://example.com/", "example.com", 400],
    ["an absolute form with userinfo", "http://user@example.com/", "example.com", 400],
    ["an absolute form with a backslash", "http://example.com\\@evil/", "example.com", 400],
    ["an absolute form under a malformed Host", "http://example.com/", "a b", 400],
    ["an asterisk for GET", "*", "example.com", 400],
    ["an empty Host", "/", "", 400],
    ["a Host with a path", "/c", "a/b", 400],
    ["a Host with userinfo", "/", "user@example.com", 400],
    ["a Host with a query", "/", "example.com?a", 400],
    ["a Host with a fragment", "/", "example.com#a", 400],
    ["a Host with a backslash", "/", "example.com\\evil", 400],
    ["a Host with an escape", "/", "example%2ecom", 400],
    ["a Host with two hosts", "/", "a.example, b.example", 400],
    ["a Host with a port too large", "/", "example.com:65536", 400],
    ["a Host with a port that is none", "/", "example.com:http", 400],
    ["a Host beyond ASCII", "/", "ex\xe4mple.com", 400],
    ["a Host that is no address", "/", "[::1", 400],
    ["a Host that is no IPv4 address", "/", "256.256.256.256", 400],
  ];

const targetCases: readonly RuntimeCase[] = TARGETS.map(([why, target, host, url]) => ({
  name: `serveNode() reads the URL: ${why}`,
  run: () => {
    let seen: string | undefined;
    const answer = (request: Request): Response => {
      seen = request.url;
      return new Response(request.url);
    };
    return withServer(answer, async ({ port }) => {
      const message = await ask(port, `GET ${target} HTTP/1.1\r\nHost: ${host}`);
      const { status, body } = parse(message);
      if (url === 400) return assertSame([status, seen], [400, undefined]);
      const wanted = url === "encoded" ? new URL(`http://${host}${target}`).href : url;
      assertSame([status, body, seen], [200, wanted, wanted]);
    });
  },
}));

/** Header fields that a request has, and what `headers` makes of them. */
const FIELDS:
  readonly (readonly [why: string, fields: string[], name: string, value: string | null])[] = [
    ["one that is absent", [], "X-None", null],
    ["other capitals", ["x-CASE: a"], "X-Case", "a"],
    ["two of a list", ["Accept: a", "accept: b"], "Accept", "a, b"],
    [
      "two Authorization, as none that is valid",
      [
        "Authorization: Bearer a",
        "Authorization: Bearer b",
      ],
      "Authorization",
      "Bearer a, Bearer b",
    ],
    ["two Content-Type", ["Content-Type: a/b", "Content-Type: c/d"], "Content-Type", "a/b, c/d"],
    ["two Cookie", ["Cookie: a=1", "X-A: 1", "cookie: b=2; c=3"], "Cookie", "a=1; b=2; c=3"],
    ["an empty one", ["X-Empty:"], "X-Empty", ""],
    ["space around a value", ["X-Space: \t a b \t"], "X-Space", "a b"],
    ["bytes beyond ASCII", ["X-Bytes: \xe9"], "X-Bytes", "\xe9"],
    ["a name of Object's", ["__proto__: a", "constructor: b"], "__proto__", "a"],
    [
      "X-Forwarded-For of several proxies",
      [
        "X-Forwarded-For: 1.1.1.1",
        "X-Forwarded-For: 2.2.2.2",
      ],
      "X-Forwarded-For",
      "1.1.1.1, 2.2.2.2",
    ],
  ];

const fieldCases: readonly RuntimeCase[] = FIELDS.map(([why, fields, name, value]) => ({
  name: `serveNode() reads header fields: ${why}`,
  run: () =>
    withServer(({ headers }) => Response.json(headers.get(name)), async ({ port }) => {
      assertSame(JSON.parse(parse(await ask(port, head("GET /", ...fields))).body), value);
    }),
}));

/** What one does with header fields; each gives what is to be the same on the platform's own object. */
const HEADER_USES: readonly ((headers: Headers) => unknown)[] = [
  (headers) => [...headers],
  (headers) => [...headers.keys(), ...headers.values(), ...headers.entries()],
  (headers) => [...new Headers(headers)],
  (headers) => [...new Response(null, { headers }).headers],
  (
    headers,
  ) => [headers.get("ACCEPT"), headers.has("x-none"), headers.has("X-A"), headers.get("a b")],
  (headers) => headers.get(null as unknown as string),
  (headers) => headers.getSetCookie(),
  (headers) => {
    const seen: string[] = [];
    headers.forEach((value, name) => seen.push(name, value));
    return seen;
  },
  (headers) => {
    headers.set("X-A", "2");
    headers.append("X-B", "3");
    headers.delete("Accept");
    return [headers.get("X-A"), headers.get("x-b"), headers.has("Accept"), [...headers]];
  },
  (headers) => [headers instanceof Headers, Object.prototype.toString.call(headers)],
];

const headerCase: RuntimeCase = {
  name: "serveNode() gives header fields that can be used as the platform's",
  run: () =>
    withServer((request) => {
      const raw: readonly [string, string][] = [
        ["Host", "example.com"],
        ["Accept", "a"],
        ["accept", "b"],
        ["X-A", "1"],
        ["Cookie", "a=1"],
        ["Connection", "close"],
      ];
      const outcome = (use: (headers: Headers) => unknown, headers: Headers): unknown => {
        try {
          return use(headers);
        } catch (error) {
          return (error as Error).name;
        }
      };
      const use = HEADER_USES[Number(request.url.split("/").at(-1))];
      if (use === undefined) throw new Error("no such use");
      const { headers } = new Request(request.url, { headers: [...raw] });
      return Response.json([outcome(use, request.headers), outcome(use, headers)]);
    }, async ({ port }) => {
      for (const i of HEADER_USES.keys()) {
        const fields = ["Accept: a", "accept: b", "X-A: 1", "Cookie: a=1"];
        const [own, native] = JSON.parse(parse(await ask(port, head(`GET /${i}`, ...fields))).body);
        assertSame(own, native);
      }
    }),
};

/** Characters of random targets: those that URLs treat in their own way, and a few others. */
const CHARACTERS = "/./..%2e%2E%2fab09-_~!$&'()*+,;=:@?[]{}|^`\"<>\\";

const randomCase: RuntimeCase = {
  name: "serveNode() reads the URL of random targets as new URL() does",
  run: () =>
    withServer(({ url }) => new Response(url), async ({ port }) => {
      let seed = 7;
      const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
      for (let round = 0; round < 10; round++) {
        const targets = Array.from({ length: 50 }, () =>
          "/" + Array.from({ length: next(12) }, () =>
            CHARACTERS[next(CHARACTERS.length)]).join(""));
        const wire = openWire(port);
        wire.send(
          targets.map((target) =>
            `${head(`GET ${target}`)}\r\n\r\n`
          ).join(""),
        );
        wire.send(`${head("GET /end", "Connection: close")}\r\n\r\n`);
        const urls = [
          ...(await wire.toEnd()).matchAll(/http:\/\/example\.com(.*?)(?=HTTP|$)|invalid_target/g),
        ]
          .map(([url]) => url);
        const wanted = targets.map((target) =>
          /^[^?]*\\/.test(target) ? "invalid_target" : new URL(`http://example.com${target}`).href
        );
        assertSame(urls, [...wanted, "http://example.com/end"]);
      }
    }),
};

const messageCases: readonly RuntimeCase[] = [
  {
    name: "serveNode() answers 400 to several Host fields, and to none",
    run: () =>
      withServer(() => new Response("reached"), async ({ port }) => {
        const twice = await ask(port, head("GET /", "Host: example.com"));
        assertSame([parse(twice).status, twice.includes("reached")], [400, false]);
        assertSame(parse(await ask(port, "GET / HTTP/1.1")).status, 400);
      }),
  },
  {
    name: "serveNode() reads the URL of HTTP/1.0 without Host from the connection",
    run: () =>
      withServer(({ url }) => new Response(url), async ({ port }) => {
        const { body } = parse(await ask(port, "GET /a HTTP/1.0"));
        assertSame(body, `http://${PLACE.replace("PORT", String(port))}/a`);
      }),
  },
  {
    name: "serveNode() passes OPTIONS * on as a request for the root",
    run: () =>
      withServer(({ url, method }) => new Response(`${method} ${url}`), async ({ port }) => {
        const { body } = parse(await ask(port, head("OPTIONS *")));
        assertSame(body, "OPTIONS http://example.com/");
      }),
  },
  {
    name: "serveNode() answers 501 to TRACE, which no standard request can have",
    run: () =>
      withServer(() => new Response("reached"), async ({ port }) => {
        const message = await ask(port, head("TRACE /"));
        assertSame([parse(message).status, message.includes("reached")], [501, false]);
      }),
  },
  {
    name: "serveNode() passes on methods that it does not know by name",
    run: () =>
      withServer(({ method }) => new Response(method), async ({ port }) => {
        for (const method of ["PROPFIND", "PURGE", "M-SEARCH", "DELETE"]) {
          assertSame(parse(await ask(port, head(`${method} /`))).body, method);
        }
      }),
  },
  {
    name: "serveNode() omits no header field of many",
    run: () =>
      withServer(({ headers }) => new Response(headers.get("X-Last")), async ({ port }) => {
        const many = Array.from({ length: 2500 }, () => "a:");
        assertSame(parse(await ask(port, head("GET /", ...many, "X-Last: 1"))).body, "1");
      }),
  },
  {
    name: "serveNode() passes the connection's address as Deno.serve does",
    run: () =>
      withServer(
        (_request, { remoteAddr, incoming }) => Response.json([remoteAddr, incoming.httpVersion]),
        async ({ port }) => {
          const [address, version] = JSON.parse(parse(await ask(port, head("GET /"))).body);
          assertSame([address.transport, address.hostname, version], ["tcp", "127.0.0.1", "1.1"]);
          assert(address.port > 0, `port ${address.port}`);
        },
      ),
  },
];

/** Every case of the request's header. */
export const nodeRequestCases: readonly RuntimeCase[] = [
  ...targetCases,
  ...fieldCases,
  headerCase,
  randomCase,
  ...messageCases,
];
