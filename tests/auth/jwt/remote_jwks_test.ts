/** Keys of another server: its address, the options, and verifying with what it publishes, over HTTP. */

import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import type { JwaAlgorithm } from "../../../auth/jwt/jwa.ts";
import { verifyJwt } from "../../../auth/jwt/jwt.ts";
import type { JwtClaims } from "../../../auth/jwt/types.ts";
import { remoteJwks, type RemoteJwksOptions } from "../../../auth/jwt/remote_jwks.ts";
import {
  ADDRESS,
  ALGORITHMS,
  headerOf,
  publish,
  setOf,
  signer,
  START,
  unavailable,
} from "./_remote_jwks.ts";
import { refusal } from "../_refusal.ts";
import { closedOrigin, serveHttp } from "../_servers.ts";

const LOCAL: RemoteJwksOptions = {
  insecureLoopback: true,
  now: () => START,
  warn() {},
};

for (const alg of ["ES256", "RS256", "Ed25519"] as const) {
  Deno.test(`remoteJwks() finds what verifies ${alg}, with a kid and without`, async () => {
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

Deno.test("remoteJwks() verifies by the old and the new key while both are published", async () => {
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

Deno.test("remoteJwks() refuses a token of a stranger who uses a published kid", async () => {
  const [ours, theirs] = [await signer(), await signer()];
  const { verify } = publish([ours.publicJwk]);
  const forged = await theirs.sign(ours.kid);
  assertEquals((await refusal(() => verify(forged))).reason, "signature_invalid");
});

Deno.test("remoteJwks() looks global fetch up at each request", async () => {
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

Deno.test("remoteJwks() reads its address once", async () => {
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

/** Answers that are no set, or none that is read. */
const ANSWERS: readonly (readonly [why: string, answer: () => Response])[] = [
  ["an error", unavailable],
  ["another success", () => Response.json({ keys: [] }, { status: 203 })],
  ["a redirect", () => Response.redirect("https://id.example.com/other")],
  ["a page", () => new Response("{}", { headers: { "Content-Type": "text/html" } })],
  ["no JSON", () => new Response("keys")],
  ["null", () => Response.json(null)],
  ["a text", () => Response.json("keys")],
  ["a list", () => Response.json([])],
  ["no keys", () => Response.json({})],
  ["keys that are no list", () => Response.json({ keys: {} })],
  ["a key that is no object", () => setOf(["key"])],
  ["a key that is null", () => setOf([null])],
  ["a key that is a list", () => setOf([[]])],
  ["keys twice", () => new Response('{"keys":[],"keys":[]}')],
  ["101 keys", () => setOf(Array.from({ length: 101 }, () => ({})))],
  ["more bytes than are allowed", () => new Response(`{"keys":[]}${" ".repeat(65_536 - 10)}`)],
];
for (const [why, answer] of ANSWERS) {
  Deno.test(`remoteJwks() fails closed at ${why}`, async () => {
    const publisher = publish([]);
    publisher.answer = answer;
    const { code, status, reason, cause } = await publisher.refusal();
    assertEquals([code, status, reason], ["service_unavailable", 503, "jwks_unavailable"]);
    assert(cause instanceof Error);
    assertEquals(publisher.fetches, 1);
  });
}

for (const size of [0, 100]) {
  Deno.test(`remoteJwks() takes a set of ${size} keys, none of which it knows`, async () => {
    const { find } = publish(Array.from({ length: size }, () => ({ kty: "LWE" })));
    assertEquals(await find(), []);
  });
}

Deno.test("remoteJwks() fails closed when nobody listens", async () => {
  const keys = remoteJwks(closedOrigin(), LOCAL);
  const { code, reason } = await refusal(async () => await keys(headerOf()));
  assertEquals([code, reason], ["service_unavailable", "jwks_unavailable"]);
});

Deno.test("remoteJwks() keeps to the limits of its options", async () => {
  const slow = publish([], { timeoutMs: 20, fetch: () => new Promise(() => {}) });
  assertEquals((await slow.refusal()).reason, "jwks_unavailable");
  const small = publish([], { maxBytes: 10 });
  assertEquals((await small.refusal()).reason, "jwks_unavailable");
  const enough = publish([], { maxBytes: 11 });
  assertEquals(await enough.find(), []);
});

Deno.test("remoteJwks() warns once when the keys cannot be fetched, and once more after they could", async () => {
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
  Deno.test(`remoteJwks() refuses an address when it is set up: ${why}`, () => {
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
  Deno.test(`remoteJwks() refuses the options ${Deno.inspect(options)}`, () => {
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
