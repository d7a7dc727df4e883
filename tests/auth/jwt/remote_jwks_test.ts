/** Keys of another server: its URL, the options, and verifying with the published keys, over HTTP. */

import {
  assert,
  assertEquals,
  assertFalse,
  assertInstanceOf,
  assertNotStrictEquals,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import type { JwaAlgorithm } from "../../../auth/jwt/jwa.ts";
import { verifyJwt } from "../../../auth/jwt/jwt.ts";
import { remoteJwks, type RemoteJwksOptions } from "../../../auth/jwt/remote_jwks.ts";
import type { Jwk, JwtClaims } from "../../../auth/jwt/types.ts";
import { pausesOf } from "../_pauses.ts";
import { refusal } from "../_refusal.ts";
import { closedOrigin, serveHttp } from "../_servers.ts";
import { onWorkerd } from "../_workerd.ts";
import {
  ADDRESS,
  ALGORITHMS,
  headerOf,
  publish,
  type Publisher,
  setOf,
  signer,
  START,
  unavailable,
} from "./_remote_jwks.ts";

const LOCAL: RemoteJwksOptions = {
  insecureLoopback: true,
  now: () => START,
  warn() {},
};

for (const alg of ["ES256", "RS256", "Ed25519"] as const) {
  Deno.test(`remoteJwks() finds the key for ${alg}, with and without a kid`, async () => {
    const { publicJwk, sign } = await signer(alg);
    await using server = serveHttp(() => setOf([publicJwk]));
    const keys = remoteJwks(`${server.origin}/jwks`, LOCAL);
    assertEquals((await verify(await sign(), keys)).sub, "ada");
    assertEquals((await verify(await sign(""), keys)).sub, "ada");
    const [request, ...more] = server.requests;
    assertEquals([request?.method, more.length], ["GET", 0]);
    assertEquals(
      request?.headers.get("accept"),
      "application/jwk-set+json, application/json",
    );
  });
}

Deno.test("remoteJwks() verifies with the old and the new key while both are published", async () => {
  const [old, next] = [await signer(), await signer("Ed25519")];
  let published = [old.publicJwk];
  await using server = serveHttp(() => setOf(published));
  const clock = { now: START };
  const keys = remoteJwks(server.origin, { ...LOCAL, now: () => clock.now });
  const subject = async (token: Promise<string>) => (await verify(await token, keys)).sub;

  assertEquals(await subject(old.sign()), "ada");
  published = [next.publicJwk, old.publicJwk];
  clock.now += 30;
  assertEquals(await subject(next.sign()), "ada");
  assertEquals(await subject(old.sign()), "ada");
  published = [next.publicJwk];
  clock.now += 599;
  assertEquals(await subject(old.sign()), "ada");
  clock.now += 1;
  assertEquals((await refusal(() => subject(old.sign()))).reason, "key_unknown");
  assertEquals(await subject(next.sign()), "ada");
  assertEquals(server.requests.length, 3);
});

Deno.test("remoteJwks() rejects a token of another key with a published kid", async () => {
  const [ours, theirs] = [await signer(), await signer()];
  const { verify } = publish([ours.publicJwk]);
  const forged = await theirs.sign(ours.kid);
  assertEquals((await refusal(() => verify(forged))).reason, "signature_invalid");
});

Deno.test("remoteJwks() looks up global fetch at each request", async () => {
  const keys = remoteJwks(ADDRESS, { now: () => START });
  const { fetch } = globalThis;
  const asked: unknown[] = [];
  try {
    globalThis.fetch = (url) => {
      asked.push(url);
      return Promise.resolve(setOf([]));
    };
    assertEquals(await keys(headerOf()), []);
  } finally {
    globalThis.fetch = fetch;
  }
  assertEquals(asked, [ADDRESS]);
});

Deno.test("remoteJwks() reads its URL once", async () => {
  const address = new URL(ADDRESS);
  const asked: string[] = [];
  const fetch = (url: string) => {
    asked.push(url);
    return Promise.resolve(setOf([]));
  };
  const keys = remoteJwks(address, { fetch });
  address.host = "localhost";
  await keys(headerOf());
  assertEquals(asked, [ADDRESS]);
});

Deno.test("remoteJwks() makes no request before the first token", () => {
  const { fetches } = publish([]);
  assertEquals(fetches, 0);
});

/** Responses without a set of keys. */
const ANSWERS: readonly (readonly [why: string, answer: () => Response])[] = [
  ["an error", unavailable],
  ["another 2xx status", () => Response.json({ keys: [] }, { status: 203 })],
  ["a redirect", () => Response.redirect("https://id.example.com/other")],
  ["a page", () => new Response("{}", { headers: { "Content-Type": "text/html" } })],
  ["not JSON", () => new Response("keys")],
  ["null", () => Response.json(null)],
  ["a string", () => Response.json("keys")],
  ["an array", () => Response.json([])],
  ["no keys", () => Response.json({})],
  ["keys that are not an array", () => Response.json({ keys: {} })],
  ["a key that is not an object", () => setOf(["key"])],
  ["a key that is null", () => setOf([null])],
  ["a key that is an array", () => setOf([[]])],
  ["duplicate keys", () => new Response('{"keys":[],"keys":[]}')],
  ["101 keys", () => setOf(Array.from({ length: 101 }, () => ({})))],
  [
    "more than the maximum number of bytes",
    () => new Response(`{"keys":[]}${" ".repeat(65_536 - 10)}`),
  ],
];
for (const [why, answer] of ANSWERS) {
  Deno.test(`remoteJwks() fails closed for ${why}`, async () => {
    const publisher = publish([]);
    publisher.answer = answer;
    const { code, status, reason, cause } = await publisher.refusal();
    assertEquals([code, status, reason], ["service_unavailable", 503, "jwks_unavailable"]);
    assert(cause instanceof Error);
    assertEquals(publisher.fetches, 1);
  });
}

for (const size of [0, 100]) {
  Deno.test(`remoteJwks() accepts a set of ${size} unknown keys`, async () => {
    const { find } = publish(Array.from({ length: size }, () => ({ kty: "LWE" })));
    assertEquals(await find(), []);
  });
}

Deno.test("remoteJwks() fails closed if nothing listens on the port", async () => {
  const keys = remoteJwks(closedOrigin(), LOCAL);
  const { code, reason } = await refusal(async () => await keys(headerOf()));
  assertEquals([code, reason], ["service_unavailable", "jwks_unavailable"]);
});

Deno.test("remoteJwks() applies the limits of its options", async () => {
  const slow = publish([], { timeoutMs: 20, fetch: () => new Promise(() => {}) });
  assertEquals((await slow.refusal()).reason, "jwks_unavailable");
  const small = publish([], { maxBytes: 10 });
  assertEquals((await small.refusal()).reason, "jwks_unavailable");
  const enough = publish([], { maxBytes: 11 });
  assertEquals(await enough.find(), []);
});

Deno.test("remoteJwks() warns once when fetching fails, and again after it recovered", async () => {
  const publisher = publish([]);
  const { answer, warnings } = publisher;
  const ask = async () => {
    publisher.now += 600;
    await publisher.find().catch(() => {});
  };
  publisher.answer = unavailable;
  await ask();
  await ask();
  assertEquals(warnings.length, 1);
  publisher.answer = answer;
  await ask();
  assertEquals(warnings.length, 1);
  publisher.answer = unavailable;
  await ask();
  assertEquals(warnings.length, 2);
  assertEquals(publisher.fetches, 4);
});

const ADDRESSES: readonly (readonly [address: string, why: string])[] = [
  ["http://id.example.com/jwks", "http"],
  ["http://localhost:8000/jwks", "this machine"],
  ["https://127.0.0.1/jwks", "this machine's address"],
  ["https://169.254.169.254/latest", "a link-local address"],
  ["file:///etc/passwd", "a file"],
  ["https://ada:hunter2@id.example.com/", "a password"],
  ["/jwks", "invalid URL"],
];
for (const [address, why] of ADDRESSES) {
  Deno.test(`remoteJwks() rejects a URL when it is created: ${why}`, () => {
    const { message } = assertThrows(() => remoteJwks(address), TypeError);
    assert(message.startsWith("Cannot set up remote keys: "), message);
    assertFalse(message.includes("hunter2"));
  });
}

const OPTIONS:
  readonly (readonly [options: unknown, error: typeof TypeError | typeof RangeError])[] = [
    [null, TypeError],
    [{ fetch: "fetch" }, TypeError],
    [{ now: START }, TypeError],
    [{ warn: true }, TypeError],
    [{ insecureLoopback: "no" }, TypeError],
    [{ cacheAge: 0 }, RangeError],
    [{ cacheAge: "600" }, RangeError],
    [{ cacheAge: Infinity }, RangeError],
    [{ cooldown: 0 }, RangeError],
    [{ cooldown: NaN }, RangeError],
    [{ staleAge: -1 }, RangeError],
    [{ maxBytes: 0 }, RangeError],
    [{ timeoutMs: 0 }, RangeError],
    [{ timeoutMs: 2 ** 31 }, RangeError],
    [{ timeoutMs: 1.5 }, RangeError],
  ];
for (const [options, error] of OPTIONS) {
  Deno.test(`remoteJwks() rejects the options ${Deno.inspect(options)}`, () => {
    assertThrows(() => remoteJwks(ADDRESS, options as RemoteJwksOptions), error);
  });
}

async function verify(
  token: string,
  keys: ReturnType<typeof remoteJwks>,
  algorithms: readonly JwaAlgorithm[] = ALGORITHMS,
): Promise<JwtClaims> {
  return (await verifyJwt(token, { algorithms, keys, now: () => START })).claims;
}

const { publicJwk, kid } = await signer();
const other = await signer("Ed25519");

/** [seconds after the first fetch, expected number of fetches] */
const FRESH: readonly (readonly [
  why: string,
  options: RemoteJwksOptions,
  headers: Record<string, string>,
  freshFor: number,
])[] = [
  ["the default", {}, {}, 600],
  ["the option", { cacheAge: 60 }, {}, 60],
  ["a smaller max-age", {}, { "Cache-Control": "max-age=100" }, 100],
  ["a larger max-age", {}, { "Cache-Control": "max-age=86400" }, 600],
  ["max-age minus Age", {}, { "Cache-Control": "max-age=300", Age: "250" }, 50],
  ["a max-age below the cooldown", {}, { "Cache-Control": "max-age=1" }, 30],
  ["no-store", {}, { "Cache-Control": "no-store" }, 30],
  ["a cacheAge below the cooldown", { cacheAge: 10, cooldown: 40 }, {}, 40],
];
for (const [why, options, headers, freshFor] of FRESH) {
  Deno.test(`remoteJwks() fetches again after ${freshFor} s: ${why}`, async () => {
    const publisher = publish([], options);
    publisher.answer = () => setOf([publicJwk], headers);
    for (const [after, fetches] of [[0, 1], [freshFor - 1, 1], [freshFor, 2]] as const) {
      publisher.now = START + after;
      assertEquals((await publisher.find(kid)).length, 1);
      assertEquals(publisher.fetches, fetches);
    }
  });
}

const STALE: readonly (readonly [options: RemoteJwksOptions, usableFor: number])[] = [
  [{}, 600 + 3_600],
  [{ staleAge: 100 }, 700],
  [{ staleAge: 0 }, 600],
];
for (const [options, usableFor] of STALE) {
  Deno.test(`remoteJwks() uses keys for ${usableFor} s while fetching fails, then fails closed`, async () => {
    const publisher = publish([publicJwk], options);
    const { answer } = publisher;
    await publisher.find(kid);
    publisher.answer = unavailable;
    publisher.now = START + usableFor - 1;
    assertEquals((await publisher.find(kid)).length, 1);
    publisher.now = START + usableFor;
    assertEquals((await publisher.refusal(kid)).code, "service_unavailable");
    assertEquals((await publisher.refusal()).code, "service_unavailable");
    publisher.now += 30;
    publisher.answer = answer;
    assertEquals((await publisher.find(kid)).length, 1);
  });
}

Deno.test("remoteJwks() keeps the previous keys if the next response is not a set", async () => {
  const publisher = publish([publicJwk]);
  await publisher.find(kid);
  publisher.answer = () => Response.json({ keys: "none" });
  publisher.now += 600;
  assertEquals((await publisher.find(kid)).length, 1);
  assertEquals(publisher.fetches, 2);
});

Deno.test("remoteJwks() removes a key that is no longer published", async () => {
  const publisher = publish([publicJwk]);
  await publisher.find(kid);
  publisher.answer = () => setOf([]);
  publisher.now += 600;
  assertEquals(await publisher.find(kid), []);
});

Deno.test("remoteJwks() retries only after the cooldown of a failure, and reports what failed", async () => {
  const publisher = publish([publicJwk]);
  const { answer } = publisher;
  publisher.answer = unavailable;
  const first = await publisher.refusal(kid);
  publisher.answer = answer;
  publisher.now += 29;
  const second = await publisher.refusal(kid);
  assert(first.cause instanceof Error);
  assertStrictEquals(second.cause, first.cause);
  assertEquals(publisher.fetches, 1);
  publisher.now += 1;
  assertEquals((await publisher.find(kid)).length, 1);
  assertEquals(publisher.fetches, 2);
});

Deno.test("remoteJwks() starts the cooldown at the end of a failed fetch", async () => {
  const publisher = publish([publicJwk]);
  publisher.answer = () => {
    publisher.now += 5;
    return unavailable();
  };
  await publisher.refusal(kid);
  publisher.now = START + 34;
  await publisher.refusal(kid);
  assertEquals(publisher.fetches, 1);
  publisher.now = START + 35;
  await publisher.refusal(kid);
  assertEquals(publisher.fetches, 2);
});

Deno.test("remoteJwks() fetches for an unknown kid once per cooldown", async () => {
  const publisher = publish([publicJwk]);
  await publisher.find(kid);
  const ask = () => Promise.all(Array.from({ length: 100 }, (_, i) => publisher.find(`k${i}`)));
  for (const [after, fetches] of [[0, 1], [29, 1], [30, 2], [59, 2], [60, 3]] as const) {
    publisher.now = START + after;
    assertEquals((await ask()).flat(), []);
    assertEquals(publisher.fetches, fetches);
  }
});

Deno.test("remoteJwks() finds a new key as soon as a token names it, after the cooldown", async () => {
  const publisher = publish([publicJwk]);
  await publisher.find(kid);
  publisher.answer = () => setOf([publicJwk, other.publicJwk]);
  publisher.now += 29;
  assertEquals(await publisher.find(other.kid), []);
  publisher.now += 1;
  assertEquals((await publisher.find(other.kid)).length, 1);
});

Deno.test("remoteJwks() fetches once for concurrent callers", async () => {
  const publisher = publish([publicJwk]);
  const { promise, resolve } = Promise.withResolvers<Response>();
  publisher.answer = () => promise;
  const found = Promise.all(Array.from({ length: 500 }, () => publisher.find(kid)));
  await new Promise((next) => setTimeout(next, 0));
  resolve(setOf([publicJwk]));
  const lists = await found;
  assertEquals([lists.length, publisher.fetches], [500, 1]);
  assert(lists.every(([key]) => key === lists[0]?.[0]));
});

Deno.test("remoteJwks() fails once for concurrent callers", async () => {
  const publisher = publish([publicJwk]);
  publisher.answer = unavailable;
  const refusals = await Promise.all(Array.from({ length: 50 }, () => publisher.refusal(kid)));
  assertEquals(new Set(refusals.map(({ reason }) => reason)), new Set(["jwks_unavailable"]));
  assertEquals(publisher.fetches, 1);
});

Deno.test("remoteJwks() lets callers with an unknown kid wait for a pending fetch", async () => {
  const publisher = publish([publicJwk]);
  await publisher.find(kid);
  publisher.now += 600;
  const { promise, resolve } = Promise.withResolvers<Response>();
  publisher.answer = () => promise;
  const found = [publisher.find(kid), publisher.find(other.kid)];
  resolve(setOf([publicJwk, other.publicJwk]));
  assertEquals((await Promise.all(found)).map(({ length }) => length), [1, 1]);
  assertEquals(publisher.fetches, 2);
});

Deno.test("remoteJwks() returns the same objects while a key is unchanged", async () => {
  const publisher = publish([publicJwk]);
  const [first] = await publisher.find(kid);
  const [second] = await publisher.find(kid);
  assertStrictEquals(second, first);
  assert(Object.isFrozen(first));
  publisher.answer = () => setOf([other.publicJwk, { ...publicJwk }]);
  publisher.now += 600;
  const [third] = await publisher.find(kid);
  assertStrictEquals(third, first);
  publisher.answer = () => setOf([{ ...other.publicJwk, kid }]);
  publisher.now += 600;
  const [fourth] = await publisher.find(kid);
  assertNotStrictEquals(fourth, first);
  assertEquals(fourth?.kty, "OKP");
  assertEquals(publisher.fetches, 3);
});

/** What must not happen if the clock is set back by a day. */
const SET_BACK:
  readonly (readonly [why: string, check: (publisher: Publisher) => Promise<void>])[] = [
    ["infinite freshness", async (publisher) => {
      publisher.now += 599;
      await publisher.find(kid);
      assertEquals(publisher.fetches, 1);
      publisher.now += 1;
      await publisher.find(kid);
      assertEquals(publisher.fetches, 2);
    }],
    ["an infinite cooldown", async (publisher) => {
      publisher.now += 30;
      assertEquals(await publisher.find("unknown"), []);
      assertEquals(publisher.fetches, 2);
    }],
    ["infinite use of stale keys", async (publisher) => {
      publisher.answer = unavailable;
      publisher.now += 600 + 3_599;
      assertEquals((await publisher.find(kid)).length, 1);
      publisher.now += 1;
      assertEquals((await publisher.refusal(kid)).code, "service_unavailable");
    }],
  ];
for (const [why, check] of SET_BACK) {
  Deno.test(`remoteJwks() does not turn a clock that is set back into ${why}`, async () => {
    const publisher = publish([publicJwk]);
    await publisher.find(kid);
    publisher.now -= 86_400;
    assertEquals((await publisher.find(kid)).length, 1); // detects it
    await check(publisher);
  });
}

Deno.test("remoteJwks() retries although the clock was set back after a failure", async () => {
  const publisher = publish([publicJwk]);
  const { answer } = publisher;
  publisher.answer = unavailable;
  await publisher.refusal(kid);
  publisher.answer = answer;
  publisher.now -= 86_400;
  await publisher.refusal(kid);
  publisher.now += 30;
  assertEquals((await publisher.find(kid)).length, 1);
});

Deno.test("remoteJwks() rejects an invalid clock, and recovers when it is valid", async () => {
  const publisher = publish([publicJwk]);
  for (const now of [NaN, Infinity, START * 1_000]) {
    publisher.now = now;
    const error = await publisher.find(kid).catch((error) => error);
    assert(error instanceof RangeError);
  }
  publisher.now = START;
  assertEquals((await publisher.find(kid)).length, 1);
});

const ec = await signer();
const otherEc = await signer();
const rsa = await signer("RS256");
const okp = await signer("Ed25519");
const secret: Jwk = { kty: "oct", k: "A".repeat(43), alg: "HS256", kid: "secret" };

/** Changes of a valid key, each of which excludes this key only. */
const LEFT_OUT: readonly (readonly [why: string, entry: unknown])[] = [
  ["an unknown type", { ...ec.publicJwk, kty: "LWE" }],
  ["a type named like a property of every object", { ...ec.publicJwk, kty: "constructor" }],
  ["no type", without(ec.publicJwk, "kty")],
  ["a type that is not a string", { ...ec.publicJwk, kty: ["EC"] }],
  ["an unknown curve", { ...ec.publicJwk, crv: "secp256k1" }],
  ["no curve", without(ec.publicJwk, "crv")],
  ["a curve for key agreement", { ...okp.publicJwk, crv: "X25519", kid: ec.kid }],
  ["an unknown algorithm", { ...ec.publicJwk, alg: "ES256K" }],
  ["a key agreement algorithm", { ...ec.publicJwk, alg: "ECDH-ES" }],
  ["an algorithm of another key type", { ...ec.publicJwk, alg: "RS256" }],
  ["an algorithm for secrets", { ...ec.publicJwk, alg: "HS256" }],
  ["the algorithm none", { ...ec.publicJwk, alg: "none" }],
  ["an algorithm that is not a string", { ...ec.publicJwk, alg: 1 }],
  ["an algorithm that is null", { ...ec.publicJwk, alg: null }],
  ["encryption", { ...ec.publicJwk, use: "enc" }],
  ["other key_ops", { ...ec.publicJwk, key_ops: ["encrypt"] }],
  ["key_ops that are not an array", { ...ec.publicJwk, key_ops: "verify" }],
  ["a kid that is a number", { ...ec.publicJwk, kid: 1 }],
  ["a kid that is null", { ...ec.publicJwk, kid: null }],
  ["a point that is not on the curve", { ...ec.publicJwk, y: otherEc.publicJwk.y }],
  ["a missing coordinate", without(ec.publicJwk, "y")],
  ["a coordinate that is too short", { ...ec.publicJwk, x: ec.publicJwk.x?.slice(0, -2) }],
  ["a coordinate that is not a string", { ...ec.publicJwk, x: 1 }],
  ["a coordinate in base64 instead of base64url", { ...ec.publicJwk, x: `${ec.publicJwk.x}=` }],
  ["a point of small order", { ...okp.publicJwk, x: "A".repeat(43), kid: ec.kid }],
  ["RSA of 1,024 bits", { ...rsa.publicJwk, n: rsa.publicJwk.n?.slice(0, 171), kid: ec.kid }],
  ["RSA with the exponent 1", { ...rsa.publicJwk, e: "AQ", kid: ec.kid }],
  ["a secret", { ...secret, kid: ec.kid }],
  ["a private key", ec.privateJwk],
  ["a private RSA key", { ...rsa.privateJwk, kid: ec.kid }],
  ["a private key with an empty private member", { ...ec.publicJwk, d: null }],
  ["a public key with a secret", { ...ec.publicJwk, k: "A".repeat(43) }],
  ["an empty object", {}],
];
for (const [why, entry] of LEFT_OUT) {
  Deno.test(`remoteJwks() ignores a key, and uses another one of the same set: ${why}`, async () => {
    const { find, verify } = publish([entry, okp.publicJwk]);
    assertEquals(await find(ec.kid), []);
    assertEquals((await find()).map(({ kid }) => kid), [okp.kid]);
    assertEquals(await verify(await okp.sign()), "ada");
  });
}

const TAKEN: readonly (readonly [why: string, entry: Jwk])[] = [
  ["that is unchanged", ec.publicJwk],
  ["without alg", without(ec.publicJwk, "alg")],
  ["for signatures", { ...ec.publicJwk, use: "sig" }],
  ["with key_ops for verifying", { ...ec.publicJwk, key_ops: ["verify"] }],
  ["with certificates", { ...ec.publicJwk, x5c: ["MIIB"], x5u: "https://id.example.com/x" }],
  ["with additional members", { ...ec.publicJwk, issued: { at: [1] } }],
];
for (const [why, entry] of TAKEN) {
  Deno.test(`remoteJwks() accepts a key ${why}`, async () => {
    const { find, verify, warnings } = publish([entry]);
    assertEquals(await verify(await ec.sign()), "ada");
    assertEquals(await verify(await ec.sign("")), "ada");
    const [key = { kty: "" }] = await find();
    for (const name of ["x5c", "x5u", "issued"]) assertFalse(name in key, name);
    assertEquals(warnings, []);
  });
}

Deno.test("remoteJwks() accepts an RSA key without alg for each of its algorithms", async () => {
  const { verify } = publish([without(rsa.publicJwk, "alg")]);
  assertEquals(await verify(await rsa.sign()), "ada");
});

Deno.test("remoteJwks() uses a key without kid only for a token without kid", async () => {
  const { find, verify } = publish([without(ec.publicJwk, "kid")]);
  assertEquals(await verify(await ec.sign("")), "ada");
  assertEquals(await find(ec.kid), []);
  assertEquals(await find(""), []);
});

Deno.test("remoteJwks() accepts an empty kid as a kid", async () => {
  const { find } = publish([{ ...ec.publicJwk, kid: "" }, okp.publicJwk]);
  assertEquals((await find("")).length, 1);
});

Deno.test("remoteJwks() returns all keys for a token without kid, and one must match", async () => {
  const several = publish([ec.publicJwk, rsa.publicJwk, okp.publicJwk]);
  assertEquals((await several.find()).length, 3);
  assertEquals(await several.verify(await rsa.sign("")), "ada");
  const two = publish([ec.publicJwk, otherEc.publicJwk]);
  assertEquals(await two.verify(await ec.sign()), "ada");
  const token = await ec.sign("");
  const error = await two.verify(token).catch((error) => error);
  assertEquals(error.reason, "key_ambiguous");
});

/** Other keys with the same kid. */
const TWICE: readonly (readonly [why: string, entry: Jwk])[] = [
  ["another key", { ...otherEc.publicJwk, kid: ec.kid }],
  ["the same key", ec.publicJwk],
  ["a key of another type", { ...rsa.publicJwk, kid: ec.kid }],
  ["a secret", { ...secret, kid: ec.kid }],
  ["an encryption key", { ...ec.publicJwk, use: "enc" }],
  ["a key of an unknown type", { kty: "LWE", kid: ec.kid }],
];
for (const [why, entry] of TWICE) {
  Deno.test(`remoteJwks() uses no key with a duplicate kid: ${why}`, async () => {
    for (
      const keys of [[ec.publicJwk, entry, okp.publicJwk], [entry, okp.publicJwk, ec.publicJwk]]
    ) {
      const { refusal, verify, find, warnings } = publish(keys);
      const { code, status, reason } = await refusal(ec.kid);
      assertEquals([code, status, reason], ["invalid_token", 401, "key_ambiguous"]);
      assertEquals((await find()).map(({ kid }) => kid), [okp.kid]);
      assertEquals(await verify(await okp.sign()), "ada");
      assert(warnings.some((warning) => warning.includes("same kid")));
    }
  });
}

Deno.test("remoteJwks() warns once of a published private key, without its contents", async () => {
  const publisher = publish([ec.privateJwk, secret, okp.publicJwk]);
  await publisher.find();
  publisher.now += 600;
  await publisher.find();
  const [warning = "", ...more] = publisher.warnings;
  assertEquals([publisher.fetches, more], [2, []]);
  assert(warning.includes("private key"));
  assertFalse(warning.includes(`${ec.privateJwk.d}`) || warning.includes(ec.kid));
});

function without(jwk: Jwk, name: string): Jwk {
  return Object.fromEntries(Object.entries(jwk).filter(([each]) => each !== name)) as Jwk;
}

const { publicJwk: ecPublicJwk, kid: ecKid } = ec;

Deno.test("remoteJwks() fetches once per cooldown if caching is forbidden, and uses no stale key", async () => {
  const publisher = publish([], { staleAge: 0 });
  publisher.answer = () => setOf([ecPublicJwk], { "Cache-Control": "max-age=0" });
  for (const [after, fetches] of [[0, 1], [0, 1], [29, 1], [30, 2], [59, 2], [60, 3]] as const) {
    publisher.now = START + after;
    assertEquals((await publisher.find(ecKid)).length, 1);
    assertEquals(publisher.fetches, fetches, `${after} s`);
  }
});

Deno.test("remoteJwks() counts the age of keys from the request, not from the response", async () => {
  const publisher = publish([]);
  publisher.answer = () => {
    publisher.now += 100;
    return setOf([ecPublicJwk]);
  };
  await publisher.find(ecKid);
  for (const [after, fetches] of [[599, 1], [600, 2]] as const) {
    publisher.now = START + after;
    assertEquals((await publisher.find(ecKid)).length, 1);
    assertEquals(publisher.fetches, fetches, `${after} s`);
  }
});

Deno.test("remoteJwks() fetches again for a token without kid if no key is usable", async () => {
  const publisher = publish([]);
  assertEquals(await publisher.find(), []);
  publisher.answer = () => setOf([ecPublicJwk]);
  publisher.now += 29;
  assertEquals(await publisher.find(), []);
  publisher.now += 1; // fresh for 570 s more, but useless
  assertEquals((await publisher.find()).map((key) => key.kid), [ecKid]);
  assertEquals(publisher.fetches, 2);
});

Deno.test("remoteJwks() reports whose keys cannot be fetched, the consequence, and the cause", async () => {
  const warned: (readonly [message: string, error: unknown])[] = [];
  const publisher = publish([ecPublicJwk], {
    warn: (message, error) => void warned.push([message, error]),
  });
  const { answer } = publisher;
  publisher.answer = unavailable;
  const { cause } = await publisher.refusal(ecKid);
  publisher.answer = answer;
  publisher.now += 30;
  await publisher.find(ecKid);
  publisher.answer = unavailable;
  publisher.now += 600;
  await publisher.find(ecKid);
  const of = `Cannot fetch the keys of ${new URL(ADDRESS).origin}`;
  assertEquals(warned.map(([message]) => message), [
    `${of}: no keys are cached`,
    `${of}: cached keys are used for a while`,
  ]);
  for (const [, error] of warned) {
    assertInstanceOf(error, Error);
    assertEquals(error.message, "Cannot fetch JSON: the status is 503");
  }
  assertEquals(warned[0]?.[1], cause);
});

/** The accepted bounds of each number. */
const BOUNDS: readonly RemoteJwksOptions[] = [
  { cacheAge: 1 },
  { cooldown: 1 },
  { staleAge: 0 },
  { timeoutMs: 2 ** 31 - 1 }, // the maximum delay of timers
  { cacheAge: 2 ** 31 - 1, cooldown: 2 ** 31 - 1, staleAge: 2 ** 31 - 1, maxBytes: 2 ** 31 - 1 },
];

for (const options of BOUNDS) {
  Deno.test(`remoteJwks() accepts the options ${Deno.inspect(options)}`, async () => {
    remoteJwks(ADDRESS, { maxBytes: 1, timeoutMs: 1 });
    assertEquals((await publish([ecPublicJwk], options).find(ecKid)).length, 1);
  });
}

/** Members of a private key. One prime, or one CRT exponent, is enough to compute the rest. */
for (const name of ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]) {
  Deno.test(`remoteJwks() treats a key with the member ${name} as private, and warns`, async () => {
    const { [name]: value = [] } = rsa.privateJwk;
    const publisher = publish([{ ...rsa.publicJwk, [name]: value }, ecPublicJwk]);
    assertEquals((await publisher.find()).map((key) => key.kid), [ecKid]);
    assertEquals(await publisher.find(rsa.kid), []);
    const [warning = "", ...more] = publisher.warnings;
    assertEquals([warning.includes("a private key or a secret"), more], [true, []]);
  });
}

Deno.test("remoteJwks() ignores a kid that is not a string, and does not warn of it as a duplicate", async () => {
  const entries = [1, 1, null, null, undefined, undefined];
  const publisher = publish([
    ...entries.map((each) => ({ ...ecPublicJwk, kid: each })),
    ecPublicJwk,
  ]);
  assertEquals((await publisher.find(ecKid)).length, 1);
  assertEquals(publisher.warnings, []);
});

Deno.test("remoteJwks() times out after five seconds by default", async () => {
  const publisher = publish([], { fetch: () => new Promise(() => {}) });
  const [first] = await pausesOf(async () => {
    assertEquals((await publisher.refusal(ecKid)).reason, "jwks_unavailable");
  });
  assertEquals(first, 5_000);
});

const { publicJwk: workerPublicJwk, kid: workerKid } = await signer();

Deno.test("remoteJwks() lets each request fetch on workerd until keys are cached, and then shares them", async () => {
  await onWorkerd(async () => {
    const publisher = publish([workerPublicJwk]);
    const held = Array.from({ length: 3 }, () => Promise.withResolvers<Response>());
    const answers = held.map(({ promise }) => promise);
    publisher.answer = () => answers.shift() ?? unavailable();
    const found = held.map(() => publisher.find(workerKid));
    assertEquals(publisher.fetches, 3);
    // The last request is answered first, and waits for no other
    held[2]?.resolve(setOf([workerPublicJwk]));
    assertEquals((await found[2])?.length, 1);
    assertEquals((await publisher.find(workerKid)).length, 1);
    assertEquals(publisher.fetches, 3);
    held.forEach(({ resolve }) => resolve(setOf([workerPublicJwk])));
    const lists = await Promise.all(found);
    assertEquals(lists.map(({ length }) => length), [1, 1, 1]);
    assert(lists.every(([key]) => key?.kid === workerKid));
  });
});

Deno.test("remoteJwks() continues with cached keys on workerd while another request fetches", async () => {
  await onWorkerd(async () => {
    const publisher = publish([workerPublicJwk]);
    await publisher.find(workerKid);
    publisher.now += 600;
    const { promise, resolve } = Promise.withResolvers<Response>();
    publisher.answer = () => promise;
    const first = publisher.find(other.kid);
    assertEquals((await publisher.find(workerKid)).length, 1);
    assertEquals(await publisher.find(other.kid), []);
    resolve(setOf([workerPublicJwk, other.publicJwk]));
    assertEquals((await first).length, 1);
    assertEquals(publisher.fetches, 2);
  });
});

Deno.test("remoteJwks() is not blocked on workerd by a request that was canceled while fetching", async () => {
  await onWorkerd(async () => {
    const publisher = publish([workerPublicJwk]);
    const { answer } = publisher;
    const { promise, resolve } = Promise.withResolvers<Response>();
    publisher.answer = () => promise;
    const ended = publisher.find(workerKid);
    publisher.answer = answer;
    assertEquals((await publisher.find(workerKid)).length, 1);
    resolve(setOf([]));
    await ended.catch(() => {});
  });
});

Deno.test("remoteJwks() keeps the newer keys on workerd if an older response arrives last", async () => {
  await onWorkerd(async () => {
    const publisher = publish([workerPublicJwk]);
    await publisher.find(workerKid);
    publisher.now += 600;
    const { promise, resolve } = Promise.withResolvers<Response>();
    publisher.answer = () => promise;
    const slow = publisher.find(workerKid);
    publisher.now += 30;
    publisher.answer = () => setOf([other.publicJwk]);
    assertEquals((await publisher.find(other.kid)).length, 1);
    resolve(setOf([workerPublicJwk]));
    assertEquals(await slow, [], "a key that is no longer published");
    assertEquals((await publisher.find(other.kid)).length, 1);
    assertEquals(publisher.fetches, 3);
  });
});

Deno.test("remoteJwks() fetches once per cooldown on workerd for unknown kids, and after a failure", async () => {
  await onWorkerd(async () => {
    const publisher = publish([workerPublicJwk]);
    const { answer } = publisher;
    publisher.answer = unavailable;
    await publisher.refusal(workerKid);
    await publisher.refusal(workerKid);
    assertEquals(publisher.fetches, 1);
    publisher.answer = answer;
    publisher.now += 30;
    await publisher.find(workerKid);
    publisher.now += 30;
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => publisher.find(`k${i}`)));
    assertEquals(publisher.fetches, 3);
  });
});
