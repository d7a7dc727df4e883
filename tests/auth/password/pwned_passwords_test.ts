/** Breached passwords: what the service is asked, its answers, and its failures. */

import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import {
  type AuthEvent,
  type BreachQueryFailure,
  passwordPolicy,
  pwnedPasswords,
  type PwnedPasswordsOptions,
} from "../../../auth/mod.ts";
import { refusal } from "../_refusal.ts";
import {
  closedOrigin,
  countingFetch,
  gzip,
  serveBytes,
  serveHttp,
  streamOf,
  type TestServer,
  watchedFetch,
} from "../_servers.ts";

// SHA-1 of "password": FIPS 180-4, as every implementation computes it
const PREFIX = "5BAA6";
const SUFFIX = "1E4C9B93F3F0682250B6CF8331B7EE68FD8";
const OTHER = "0018A45C4D1DEF81644B54AB7F969B88D65";
const NOW = 1_700_000_000;

/** A check against a local server. */
interface Check {
  readonly breached: (password: string) => Promise<boolean>;
  readonly events: AuthEvent[];
  readonly warnings: string[];
}

function checkBy(origin: string, options: PwnedPasswordsOptions = {}): Check {
  const events: AuthEvent[] = [];
  const warnings: string[] = [];
  const breached = pwnedPasswords({
    endpoint: `${origin}/range/`,
    insecureLoopback: true,
    now: () => NOW,
    events: (event) => void events.push(event),
    warn: (message) => void warnings.push(message),
    ...options,
  });
  return { breached, events, warnings };
}

/** Answers that are ranges, and whether the password is in them. */
const RANGES: readonly (readonly [
  why: string,
  body: string,
  found: boolean,
  options?: PwnedPasswordsOptions,
])[] = [
  ["one row", `${SUFFIX}:1`, true],
  ["the first of several rows", `${SUFFIX}:9545824\r\n${OTHER}:3`, true],
  ["the last of several rows", `${OTHER}:3\r\n${SUFFIX}:9545824`, true],
  ["rows that end with a line feed", `${OTHER}:3\n${SUFFIX}:2\n`, true],
  ["lower case", `${SUFFIX.toLowerCase()}:2`, true],
  ["a byte order mark", `\ufeff${SUFFIX}:2`, true],
  ["the padding of the same digest, too", `${SUFFIX}:0\r\n${SUFFIX}:2\r\n${SUFFIX}:0`, true],
  ["other rows only", `${OTHER}:3\r\n${OTHER.replace("0", "F")}:1`, false],
  ["padding only", `${OTHER}:0\r\n${OTHER.replace("0", "F")}:0`, false],
  ["padding that looks like the password", `${OTHER}:3\r\n${SUFFIX}:0`, false],
  ["fewer than the threshold", `${SUFFIX}:9`, false, { threshold: 10 }],
  ["as many as the threshold", `${SUFFIX}:10`, true, { threshold: 10 }],
];

for (const [why, body, found, options] of RANGES) {
  Deno.test(`pwnedPasswords() ${found ? "finds" : "does not find"} a password by ${why}`, async () => {
    await using server = serveHttp(() => new Response(body));
    const { breached, events, warnings } = checkBy(server.origin, options);
    assertEquals(await breached("password"), found);
    assertEquals([events, warnings], [[], []]);
  });
}

Deno.test("pwnedPasswords() sends five digits, asks for padding, and sends nothing else of the password", async () => {
  await using server = serveHttp(() => new Response(`${SUFFIX}:1`));
  await checkBy(server.origin).breached("password");
  const [request, ...more] = server.requests;
  assertEquals(more, []);
  assertEquals([request?.method, request?.url], ["GET", `${server.origin}/range/${PREFIX}`]);
  assertEquals(request?.headers.get("add-padding"), "true");
  for (const name of ["cookie", "authorization", "referer", "origin"]) {
    assertFalse(request?.headers.has(name), name);
  }
});

Deno.test("pwnedPasswords() reads what is compressed", async () => {
  await using server = serveHttp(() => gzip(new Blob([`${SUFFIX}:1`]).stream()));
  assertEquals(await checkBy(server.origin).breached("password"), true);
});

for (const path of ["", "/", "/range", "/range/", "/mirror/v1/range"]) {
  Deno.test(`pwnedPasswords() appends the digits to the endpoint "${path}"`, async () => {
    await using server = serveHttp(() => new Response(`${OTHER}:1`));
    const { breached } = checkBy(server.origin, { endpoint: new URL(server.origin + path) });
    await breached("password");
    const expected = `${server.origin}${path.replace(/\/$/, "")}/${PREFIX}`;
    assertEquals(server.requests.map(({ url }) => url), [expected]);
  });
}

Deno.test("pwnedPasswords() asks the public service by default", async () => {
  const asked: string[] = [];
  const fetch = (url: string) => {
    asked.push(url);
    return Promise.resolve(new Response(`${SUFFIX}:1`));
  };
  assertEquals(await pwnedPasswords({ fetch })("password"), true);
  assertEquals(asked, [`https://api.pwnedpasswords.com/range/${PREFIX}`]);
});

Deno.test("pwnedPasswords() fits passwordPolicy(), which gives it the NFC form", async () => {
  // The digests of one password in NFC and in NFD
  const [composed, decomposed] = await Promise.all(
    ["café herons at dawn", "cafe\u0301 herons at dawn"].map(sha1),
  );
  await using server = serveHttp(() => new Response(`${composed?.slice(5)}:1`));
  const policy = passwordPolicy({ breached: checkBy(server.origin).breached });
  const [problem] = await policy.check("cafe\u0301 herons at dawn");
  assertEquals(problem?.code, "breached");
  const prefixes = server.requests.map(({ url }) => url.slice(-5));
  assertEquals(prefixes, [composed?.slice(0, 5)]);
  assert(composed !== decomposed);
  await policy.check("password");
  assertEquals(server.requests.length, 1, "only passwords without another problem are sent");
});

async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
    .toUpperCase();
}

// Failures.

/** Servers that do not answer with a range. */
const FAILURES: readonly (readonly [
  why: string,
  failure: BreachQueryFailure,
  serve: () => TestServer,
])[] = [
  ["answers 500", "status", () => serveHttp(() => new Response("", { status: 500 }))],
  ["answers 404", "status", () => serveHttp(() => new Response(`${OTHER}:1`, { status: 404 }))],
  ["answers 429", "status", () => serveHttp(() => new Response("", { status: 429 }))],
  ["answers 204", "status", () => serveHttp(() => new Response(null, { status: 204 }))],
  ["sends nothing", "content", () => serveHttp(() => new Response(""))],
  ["sends a page", "content", () => serveHttp(() => html("<p>Sign in to this network</p>"))],
  ["sends a page as text", "content", () => serveHttp(() => new Response("<p>Sign in</p>"))],
  ["sends JSON", "content", () => serveHttp(() => Response.json([]))],
  [
    "sends a malformed row",
    "content",
    () => serveHttp(() => new Response(`${OTHER}:1\r\n${SUFFIX}`)),
  ],
  ["sends a digest that is too short", "content", () => serveHttp(() => rows(SUFFIX.slice(1)))],
  ["sends a whole digest", "content", () => serveHttp(() => rows(PREFIX + SUFFIX))],
  ["sends a count that is no number", "content", () => serveHttp(() => rows(SUFFIX, "many"))],
  ["sends a negative count", "content", () => serveHttp(() => rows(SUFFIX, "-1"))],
  ["sends a count of 11 digits", "content", () => serveHttp(() => rows(SUFFIX, "1".repeat(11)))],
  [
    "sends an empty row in between",
    "content",
    () => serveHttp(() => rows(`${OTHER}:1\n\n${SUFFIX}`)),
  ],
  [
    "sends what is not UTF-8",
    "content",
    () => serveHttp(() => new Response(new Uint8Array([0xff]))),
  ],
  ["sends 50 MB", "content", () => serveHttp(() => new Response(streamOf(50 * 2 ** 20)))],
  [
    "ends too early",
    "connection",
    () => serveBytes("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", SUFFIX),
  ],
  ["closes the connection", "connection", () => serveBytes()],
];

function html(text: string): Response {
  return new Response(text, { headers: { "Content-Type": "text/html" } });
}

function rows(digits: string, count = "1"): Response {
  return new Response(`${digits}:${count}`);
}

for (const [why, reason, serve] of FAILURES) {
  Deno.test(`pwnedPasswords() accepts or refuses by onFailure if the server ${why}`, async () => {
    await using server = serve();
    const event = { type: "breach_query.failed", at: NOW, reason } as const;
    const open = checkBy(server.origin);
    assertEquals(await open.breached("password"), false);
    assertEquals(open.events, [{ ...event, accepted: true }]);
    const closed = checkBy(server.origin, { onFailure: "refuse" });
    const error = await refusal(() => closed.breached("password"));
    assertEquals([error.code, error.status, error.reason], [
      "service_unavailable",
      503,
      "breach_query_failed",
    ]);
    assertEquals(closed.events, [{ ...event, accepted: false }]);
    for (const { warnings } of [open, closed]) {
      assertEquals(warnings.length, 1);
      assertEquals(
        /^Cannot compare a password with those of data breaches: [a-z]/i.test(`${warnings}`),
        true,
      );
      for (const text of ["password:", PREFIX, SUFFIX, "127.0.0.1"]) {
        assertFalse(`${warnings}`.includes(text), text);
      }
    }
  });
}

Deno.test("pwnedPasswords() does not follow redirects", async () => {
  await using target = serveHttp(() => new Response(`${OTHER}:1`));
  for (const status of [301, 302, 303, 307, 308]) {
    const headers = { Location: `${target.origin}/range/${PREFIX}` };
    await using server = serveHttp(() => new Response(null, { status, headers }));
    const { breached, events } = checkBy(server.origin);
    assertEquals(await breached("password"), false);
    assertEquals(events.map((event) => "reason" in event && event.reason), ["status"]);
  }
  assertEquals(target.requests, []);
});

Deno.test("pwnedPasswords() fails open without a connection, and if a custom fetch throws", async () => {
  const thrown = () => {
    throw new TypeError("password");
  };
  for (const check of [checkBy(closedOrigin()), checkBy("http://127.0.0.1:1", { fetch: thrown })]) {
    assertEquals(await check.breached("password"), false);
    assertEquals(check.events.map((event) => "reason" in event && event.reason), ["connection"]);
    assertEquals(check.warnings, [
      "Cannot compare a password with those of data breaches: no connection",
    ]);
  }
});

Deno.test("pwnedPasswords() gives a server that hangs a second, and aborts the request", async () => {
  await using server = serveBytes("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", SUFFIX, "");
  const { fetch, ends } = watchedFetch(2_000);
  const { breached, warnings } = checkBy(server.origin, { fetch });
  const [before, found] = [performance.now(), await breached("password")];
  const took = performance.now() - before;
  assertEquals([found, [...ends]], [false, ["given up"]]);
  assertEquals(warnings, ["Cannot compare a password with those of data breaches: timeout"]);
  assert(took > 900, `${took} ms`);
});

Deno.test("pwnedPasswords() has the time limit of the option, also for a fetch that ignores the signal", async () => {
  const { breached, warnings } = checkBy("http://127.0.0.1:1", {
    timeout: 0.05,
    fetch: () => new Promise(() => {}),
  });
  assertEquals(await breached("password"), false);
  assertEquals(warnings.length, 1);
});

Deno.test("pwnedPasswords() stops reading at 256 KiB", async () => {
  await using server = serveHttp(() => new Response(streamOf(50 * 2 ** 20, 0x0a)));
  const counted = countingFetch();
  await checkBy(server.origin, { fetch: counted.fetch }).breached("password");
  assert(counted.read() > 0 && counted.read() < 2 ** 20, `${counted.read()} bytes`);
  assertEquals(counted.isCancelled(), true);
});

Deno.test("pwnedPasswords() reads a padded range of 256 KiB less one byte", async () => {
  const row = `${OTHER}:0\r\n`;
  const body = `${SUFFIX}:7\r\n` + row.repeat(Math.floor((2 ** 18 - 40) / row.length));
  await using server = serveHttp(() => new Response(body));
  assertEquals(await checkBy(server.origin).breached("password"), true);
});

Deno.test("pwnedPasswords() survives a listener that throws", async () => {
  const events = () => {
    throw new Error("no");
  };
  const { breached, warnings } = checkBy(closedOrigin(), { events });
  assertEquals(await breached("password"), false);
  assertEquals(warnings.length, 2);
});

// Options.

const OPTIONS: readonly (readonly [
  why: string,
  options: unknown,
  error: typeof TypeError | typeof RangeError,
])[] = [
  ["null", null, TypeError],
  ["an unknown option", { treshold: 5 }, TypeError],
  ["http", { endpoint: "http://pwned.example/range/" }, TypeError],
  ["http to this machine without insecureLoopback", { endpoint: "http://127.0.0.1/" }, TypeError],
  ["a password in the URL", { endpoint: "https://a:b@pwned.example/" }, TypeError],
  ["a private address", { endpoint: "https://10.0.0.1/" }, TypeError],
  ["a query", { endpoint: "https://pwned.example/?range=" }, TypeError],
  ["a fragment", { endpoint: "https://pwned.example/#range" }, TypeError],
  ["no URL", { endpoint: "range" }, TypeError],
  ["no time", { timeout: 0 }, RangeError],
  ["a negative time", { timeout: -1 }, RangeError],
  ["milliseconds", { timeout: 1_000 }, RangeError],
  ["NaN", { timeout: NaN }, RangeError],
  ["a time that is a string", { timeout: "1" }, RangeError],
  ["a threshold of 0, which padding has", { threshold: 0 }, RangeError],
  ["half a threshold", { threshold: 1.5 }, RangeError],
  ["another onFailure", { onFailure: "open" }, TypeError],
  ["a fetch that is no function", { fetch: {} }, TypeError],
  ["a warn that is no function", { warn: "console" }, TypeError],
];

for (const [why, options, error] of OPTIONS) {
  Deno.test(`pwnedPasswords() rejects ${why}`, () => {
    const create = () => pwnedPasswords(options as PwnedPasswordsOptions);
    assertThrows(create, error, "Cannot set up breached passwords");
  });
}
