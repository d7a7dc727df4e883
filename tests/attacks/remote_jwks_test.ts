/** The catalogue "JWKS", keys of another server: one row per attack; rows are only added. */

import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import { encodeBase64Url } from "../../auth/_base64url.ts";
import { utf8 } from "../../auth/_bytes.ts";
import type { AuthError } from "../../auth/error.ts";
import { generateJwk } from "../../auth/jwt/jwk.ts";
import type { Jwk } from "../../auth/jwt/types.ts";
import { signJwt, verifyJwt } from "../../auth/jwt/jwt.ts";
import { remoteJwks, type RemoteJwksOptions } from "../../auth/jwt/remote_jwks.ts";
import { ALGORITHMS, headerOf, setOf, signer, START } from "../auth/jwt/_remote_jwks.ts";
import { refusal } from "../auth/_refusal.ts";
import {
  countingFetch,
  gzip,
  serveBytes,
  serveHttp,
  streamOf,
  watchedFetch,
} from "../auth/_servers.ts";

const ours = await signer();
const next = await signer("Ed25519");
const secret = await generateJwk("HS256");

const ADDRESSES: readonly (readonly [source: string, what: string, address: string])[] = [
  ["ATTACKS", "a link-local address", "https://169.254.169.254/latest/meta-data/"],
  ["ATTACKS", "a file", "file:///etc/passwd"],
  ["ATTACKS", "http", "http://id.example.com/jwks"],
  ["neighbour", "a link-local address as one number", "https://2852039166/"],
  ["neighbour", "a link-local address in IPv6", "https://[fe80::1]/"],
  ["neighbour", "a link-local address mapped to IPv6", "https://[::ffff:169.254.169.254]/"],
  ["neighbour", "a link-local address in NAT64", "https://[64:ff9b::169.254.169.254]/"],
  ["neighbour", "a link-local address in 6to4", "https://[2002:a9fe:a9fe::]/"],
  ["neighbour", "a cloud's metadata service in IPv6", "https://[fd00:ec2::254]/"],
  ["neighbour", "localhost", "https://localhost/"],
  ["neighbour", "localhost with a trailing dot", "https://localhost./"],
  ["neighbour", "a loopback address in hexadecimal", "https://0x7f.1/"],
  ["neighbour", "the unspecified address", "https://0.0.0.0/"],
  ["neighbour", "a private address", "https://10.0.0.1/"],
  ["neighbour", "a private address after user information", "https://id.example.com@10.0.0.1/"],
  ["neighbour", "data", 'data:application/json,{"keys":[]}'],
  ["neighbour", "a blob", "blob:https://id.example.com/keys"],
];
for (const [source, what, address] of ADDRESSES) {
  Deno.test(`[${source}] jwks_uri: ${what} → rejected before any request`, () => {
    const fetch = () => Promise.reject(new Error("asked"));
    assertThrows(() => remoteJwks(address, { fetch }), TypeError);
  });
}

const REDIRECTS: readonly (readonly [source: string, what: string, location: string])[] = [
  ["ATTACKS", "a link-local address", "http://169.254.169.254/latest/meta-data/"],
  ["ATTACKS", "a file", "file:///etc/passwd"],
  ["ATTACKS", "http", "http://id.example.com/jwks"],
  ["neighbour", "https", "https://id.example.com/jwks"],
  ["neighbour", "itself", "/jwks"],
  ["neighbour", "an empty string", ""],
];
for (const [source, what, location] of REDIRECTS) {
  Deno.test(`[${source}] jwks_uri: a redirect to ${what} → not followed, 503`, async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const headers = { Location: location };
      await using server = serveHttp(() => new Response('{"keys":[]}', { status, headers }));
      assertUnavailable(await refusal(verifying(server.origin)));
      assertEquals(server.requests.length, 1);
    }
  });
}

/** Infinite or very long bodies. */
const BODIES: readonly (readonly [source: string, what: string, answer: () => Response])[] = [
  ["ATTACKS", "50 MB", () => new Response(streamOf(52_428_800))],
  ["neighbour", "50 MB, compressed", () => gzip(streamOf(52_428_800))],
  ["neighbour", "a set and infinite white space", () => new Response(streamOf(Infinity))],
];
for (const [source, what, answer] of BODIES) {
  Deno.test(`[${source}] body: ${what} → no more than 5 limits read, 503`, async () => {
    await using server = serveHttp(answer);
    const counted = countingFetch();
    assertUnavailable(await refusal(verifying(server.origin, { fetch: counted.fetch })));
    assert(counted.read() < 5 * 65_536, `read ${counted.read()} bytes`);
    assert(counted.isCancelled());
  });
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
const SLOW: readonly (readonly [source: string, what: string, parts: readonly string[]])[] = [
  ["ATTACKS", "a body that stops", [`${HEAD}Content-Length: 50\r\n\r\n{"keys":`, ""]],
  ["neighbour", "no body", [`${HEAD}Content-Length: 11\r\n\r\n`, ""]],
  ["neighbour", "no head", [""]],
];
for (const [source, what, parts] of SLOW) {
  Deno.test(`[${source}] slow: ${what} → aborted, 503 for all waiting calls`, async () => {
    await using server = serveBytes(...parts);
    const { fetch, ends } = watchedFetch(3_000);
    const verify = verifying(server.origin, { timeoutMs: 100, fetch });
    const refusals = await Promise.all(Array.from({ length: 20 }, () => refusal(verify)));
    refusals.forEach(assertUnavailable);
    assertEquals(ends, ["given up"]);
  });
}

Deno.test("[ATTACKS] flood: 1,000 unknown kids → one fetch per cooldown", async () => {
  await using server = serveHttp(() => setOf([ours.publicJwk]));
  const clock = { now: START };
  const keys = resolverOf(server.origin, { now: () => clock.now });
  await keys(headerOf(ours.kid));
  for (const fetches of [2, 3, 4]) {
    clock.now += 30;
    const asked = Array.from({ length: 1_000 }, (_, i) => keys(headerOf(`kid ${fetches} ${i}`)));
    assertEquals((await Promise.all(asked)).flat(), []);
    for (const i of Array(50).keys()) await keys(headerOf(`later ${i}`));
    assertEquals(server.requests.length, fetches);
  }
});

Deno.test("[neighbour] flood: 1,000 unknown kids during an outage → one fetch per cooldown", async () => {
  await using server = serveHttp(() => new Response(null, { status: 500 }));
  const keys = resolverOf(server.origin);
  const asked = Array.from(
    { length: 1_000 },
    (_, i) => refusal(async () => await keys(headerOf(`${i}`))),
  );
  (await Promise.all(asked)).forEach(assertUnavailable);
  assertEquals(server.requests.length, 1);
});

Deno.test("[ATTACKS] stampede: 500 parallel first verifications → one fetch", async () => {
  await using server = serveHttp(() => setOf([ours.publicJwk]));
  const verify = verifying(server.origin);
  const subjects = await Promise.all(Array.from({ length: 500 }, verify));
  assertEquals(new Set(subjects), new Set(["ada"]));
  assertEquals(server.requests.length, 1);
});

Deno.test("[ATTACKS] rotation: the old and the new key → both verify", async () => {
  await using server = serveHttp(() => setOf([next.publicJwk, ours.publicJwk]));
  const keys = resolverOf(server.origin);
  for (const token of [await ours.sign(), await next.sign()]) {
    assertEquals(await subjectOf(token, keys), "ada");
  }
});

Deno.test("[ATTACKS] outage: the endpoint down → stale keys, then 503 for every token", async () => {
  const clock = { now: START };
  const options = { now: () => clock.now };
  const server = serveHttp(() => setOf([ours.publicJwk]));
  const keys = resolverOf(server.origin, options);
  const [good, forged] = [await ours.sign(), await (await signer()).sign(ours.kid)];
  assertEquals(await subjectOf(good, keys), "ada");
  await server[Symbol.asyncDispose]();
  clock.now += 4_199;
  assertEquals(await subjectOf(good, keys), "ada");
  assertEquals((await refusal(() => subjectOf(forged, keys))).reason, "signature_invalid");
  clock.now += 1;
  for (const token of [good, forged]) {
    assertUnavailable(await refusal(() => subjectOf(token, keys)));
  }
});

/** Sets in which a kid is ambiguous. */
const AMBIGUOUS: readonly (readonly [source: string, what: string, keys: readonly Jwk[]])[] = [
  ["ATTACKS", "a duplicate kid", [ours.publicJwk, { ...next.publicJwk, kid: ours.kid }]],
  ["ATTACKS", "a secret after a key", [ours.publicJwk, { ...secret, kid: ours.kid }]],
  ["neighbour", "a secret before a key", [{ ...secret, kid: ours.kid }, ours.publicJwk]],
  ["neighbour", "the same key twice", [ours.publicJwk, ours.publicJwk]],
];
for (const [source, what, published] of AMBIGUOUS) {
  Deno.test(`[${source}] set: ${what} → rejected as ambiguous`, async () => {
    await using server = serveHttp(() => setOf(published));
    const { code, reason } = await refusal(verifying(server.origin));
    assertEquals([code, reason], ["invalid_token", "key_ambiguous"]);
  });
}

Deno.test("[neighbour] set: a published secret → rejected", async () => {
  await using server = serveHttp(() => setOf([secret, ours.publicJwk]));
  const keys = resolverOf(server.origin);
  for (const header of [{}, { kid: ours.kid }, { kid: secret.kid }]) {
    const { kid: _, ...key } = secret;
    const token = await signByHmac(key, header);
    assertEquals((await refusal(() => subjectOf(token, keys))).code, "invalid_token");
  }
});

Deno.test("[CVE-2015-9235] set: HS256 with the published key as the secret → rejected", async () => {
  await using server = serveHttp(() => setOf([ours.publicJwk]));
  const keys = resolverOf(server.origin);
  for (const text of [JSON.stringify(ours.publicJwk), `${ours.publicJwk.x}`]) {
    const key: Jwk = { kty: "oct", k: encodeBase64Url(utf8(text)) };
    const token = await signByHmac(key, { kid: ours.kid });
    assertEquals((await refusal(() => subjectOf(token, keys))).code, "invalid_token");
  }
});

Deno.test("[ATTACKS] header: jku, jwk, x5u and x5c of a foreign server → rejected, nothing is fetched", async () => {
  const theirs = await signer();
  await using evil = serveHttp(() => setOf([theirs.publicJwk]));
  await using server = serveHttp(() => setOf([ours.publicJwk]));
  const keys = resolverOf(server.origin);
  const address = `${evil.origin}/jwks`;
  const header = { kid: ours.kid, jku: address, x5u: address, x5c: ["AA"], jwk: theirs.publicJwk };
  const token = await forge(theirs.privateJwk, header);
  assertEquals((await refusal(() => subjectOf(token, keys))).reason, "signature_invalid");
  assertEquals([server.requests.length, evil.requests.length], [1, 0]);
});

const KIDS: readonly (readonly [source: string, what: string, kid: unknown])[] = [
  ["ATTACKS", "a path", "../../x"],
  ["ATTACKS", "SQL", "' OR 1=1 --"],
  ["ATTACKS", "a prototype", "__proto__"],
  ["ATTACKS", "10 kB", "k".repeat(10_240)],
  ["ATTACKS", "a number", 1],
  ["neighbour", "a member of Object.prototype", "constructor"],
  ["neighbour", "a member of Array.prototype", "length"],
  ["neighbour", "a URL", "https://evil.example/jwks"],
  ["neighbour", "a query", "?kid=x#y"],
  ["neighbour", "an empty string", ""],
  ["neighbour", "null", null],
  ["neighbour", "an array of a kid", [ours.kid]],
  ["neighbour", "a kid in other case", swapCase(ours.kid)],
  ["neighbour", "a kid with NUL", `${ours.kid}\0`],
  ["neighbour", "a kid truncated", ours.kid.slice(0, -1)],
];
for (const [source, what, kid] of KIDS) {
  Deno.test(`[${source}] kid: ${what} → rejected, and not requested anywhere`, async () => {
    await using server = serveHttp(() => setOf([ours.publicJwk, next.publicJwk]));
    const warnings: string[] = [];
    const keys = resolverOf(server.origin, { warn: (message) => void warnings.push(message) });
    const token = await forge(ours.privateJwk, { kid });
    const { code } = await refusal(() => subjectOf(token, keys));
    assertEquals([code, warnings], ["invalid_token", []]);
    assertEquals(await keys({ alg: "ES256", kid: kid as string }), []);
    for (const { url } of server.requests) assertEquals(url, `${server.origin}/jwks`);
    assertFalse(server.requests.length > 1);
  });
}

/** A resolver for a local server. */
function resolverOf(
  origin: string,
  options: RemoteJwksOptions = {},
): ReturnType<typeof remoteJwks> {
  const local = { insecureLoopback: true, now: () => START, warn() {} };
  return remoteJwks(`${origin}/jwks`, { ...local, ...options });
}

/** Verifies a valid token with the keys of a server. */
function verifying(origin: string, options?: RemoteJwksOptions): () => Promise<string | undefined> {
  const keys = resolverOf(origin, options);
  return async () => await subjectOf(await ours.sign(), keys);
}

async function subjectOf(
  token: string,
  keys: ReturnType<typeof remoteJwks>,
): Promise<string | undefined> {
  const { claims } = await verifyJwt(token, { algorithms: ALGORITHMS, keys, now: () => START });
  return claims.sub;
}

function assertUnavailable({ code, status, reason, cause }: AuthError): void {
  assertEquals([code, status, reason], ["service_unavailable", 503, "jwks_unavailable"]);
  assert(cause instanceof Error);
}

/** A token signed with a public key as a shared secret. */
function signByHmac(key: Jwk, header: { readonly kid?: string | undefined }): Promise<string> {
  return signJwt({ sub: "eve" }, { algorithms: ["HS256"], key, header, expiresIn: 60 });
}

/** A token with any header, signed as ES256. */
async function forge(jwk: Jwk, members: Readonly<Record<string, unknown>>): Promise<string> {
  const params = { name: "ECDSA", namedCurve: "P-256" };
  const { kty = "", crv = "", x = "", y = "", d = "" } = jwk;
  const key = await crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, params, false, ["sign"]);
  const parts = [{ alg: "ES256", ...members }, { sub: "eve", exp: START + 60 }];
  const signed = parts.map((part) => encodeBase64Url(utf8(JSON.stringify(part)))).join(".");
  const how = { name: "ECDSA", hash: "SHA-256" };
  const signature = new Uint8Array(await crypto.subtle.sign(how, key, utf8(signed)));
  return `${signed}.${encodeBase64Url(signature)}`;
}

function swapCase(text: string): string {
  return text.replace(
    /[a-z]/gi,
    (letter) => letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
