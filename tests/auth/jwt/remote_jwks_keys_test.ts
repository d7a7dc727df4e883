/** Which keys of a published set are used. */

import { assert, assertEquals, assertFalse } from "@std/assert";
import type { Jwk } from "../../../auth/jwt/types.ts";
import { publish, signer } from "./_remote_jwks.ts";

const ec = await signer();
const other = await signer();
const rsa = await signer("RS256");
const okp = await signer("Ed25519");
const secret: Jwk = { kty: "oct", k: "A".repeat(43), alg: "HS256", kid: "secret" };

/** Changes of a good key that leave it out, and nothing else. */
const LEFT_OUT: readonly (readonly [why: string, entry: unknown])[] = [
  ["an unknown type", { ...ec.publicJwk, kty: "LWE" }],
  ["a type that is a prototype's member", { ...ec.publicJwk, kty: "constructor" }],
  ["no type", without(ec.publicJwk, "kty")],
  ["a type that is no text", { ...ec.publicJwk, kty: ["EC"] }],
  ["an unknown curve", { ...ec.publicJwk, crv: "secp256k1" }],
  ["no curve", without(ec.publicJwk, "crv")],
  ["a curve for key agreement", { ...okp.publicJwk, crv: "X25519", kid: ec.kid }],
  ["an unknown algorithm", { ...ec.publicJwk, alg: "ES256K" }],
  ["an algorithm for key agreement", { ...ec.publicJwk, alg: "ECDH-ES" }],
  ["an algorithm of another type", { ...ec.publicJwk, alg: "RS256" }],
  ["an algorithm of secrets", { ...ec.publicJwk, alg: "HS256" }],
  ["no signature at all", { ...ec.publicJwk, alg: "none" }],
  ["an algorithm that is no text", { ...ec.publicJwk, alg: 1 }],
  ["an algorithm that is null", { ...ec.publicJwk, alg: null }],
  ["encryption", { ...ec.publicJwk, use: "enc" }],
  ["operations for something else", { ...ec.publicJwk, key_ops: ["encrypt"] }],
  ["operations that are no list", { ...ec.publicJwk, key_ops: "verify" }],
  ["a kid that is a number", { ...ec.publicJwk, kid: 1 }],
  ["a kid that is null", { ...ec.publicJwk, kid: null }],
  ["a point that is not on the curve", { ...ec.publicJwk, y: other.publicJwk.y }],
  ["half a point", without(ec.publicJwk, "y")],
  ["a coordinate that is too short", { ...ec.publicJwk, x: ec.publicJwk.x?.slice(0, -2) }],
  ["a coordinate that is no text", { ...ec.publicJwk, x: 1 }],
  ["a coordinate in base64", { ...ec.publicJwk, x: `${ec.publicJwk.x}=` }],
  ["a point of a small order", { ...okp.publicJwk, x: "A".repeat(43), kid: ec.kid }],
  ["RSA of 1,024 bits", { ...rsa.publicJwk, n: rsa.publicJwk.n?.slice(0, 171), kid: ec.kid }],
  ["RSA with the exponent 1", { ...rsa.publicJwk, e: "AQ", kid: ec.kid }],
  ["a secret", { ...secret, kid: ec.kid }],
  ["a private key", ec.privateJwk],
  ["a private RSA key", { ...rsa.privateJwk, kid: ec.kid }],
  ["a private key whose private member is nothing", { ...ec.publicJwk, d: null }],
  ["a public key that has a secret too", { ...ec.publicJwk, k: "A".repeat(43) }],
  ["a key of nothing", {}],
];
for (const [why, entry] of LEFT_OUT) {
  Deno.test(`remoteJwks() leaves a key out, and takes the one beside it: ${why}`, async () => {
    const { find, verify } = publish([entry, okp.publicJwk]);
    assertEquals(await find(ec.kid), []);
    assertEquals((await find()).map(({ kid }) => kid), [okp.kid]);
    assertEquals(await verify(await okp.sign()), "ada");
  });
}

const TAKEN: readonly (readonly [why: string, entry: Jwk])[] = [
  ["as it is", ec.publicJwk],
  ["without alg", without(ec.publicJwk, "alg")],
  ["for signatures", { ...ec.publicJwk, use: "sig" }],
  ["for verifying", { ...ec.publicJwk, key_ops: ["verify"] }],
  ["with certificates", { ...ec.publicJwk, x5c: ["MIIB"], x5u: "https://id.example.com/x" }],
  ["with members of its own", { ...ec.publicJwk, issued: { at: [1] } }],
];
for (const [why, entry] of TAKEN) {
  Deno.test(`remoteJwks() takes a key ${why}`, async () => {
    const { find, verify, warnings } = publish([entry]);
    assertEquals(await verify(await ec.sign()), "ada");
    assertEquals(await verify(await ec.sign("")), "ada");
    const [key = { kty: "" }] = await find();
    for (const name of ["x5c", "x5u", "issued"]) assertFalse(name in key, name);
    assertEquals(warnings, []);
  });
}

Deno.test("remoteJwks() takes an RSA key without alg for each of its algorithms", async () => {
  const { verify } = publish([without(rsa.publicJwk, "alg")]);
  assertEquals(await verify(await rsa.sign()), "ada");
});

Deno.test("remoteJwks() takes a key without kid for a token without kid alone", async () => {
  const { find, verify } = publish([without(ec.publicJwk, "kid")]);
  assertEquals(await verify(await ec.sign("")), "ada");
  assertEquals(await find(ec.kid), []);
  assertEquals(await find(""), []);
});

Deno.test("remoteJwks() takes an empty kid for a kid", async () => {
  const { find } = publish([{ ...ec.publicJwk, kid: "" }, okp.publicJwk]);
  assertEquals((await find("")).length, 1);
});

Deno.test("remoteJwks() gives all keys for a token without kid, of which one must fit", async () => {
  const several = publish([ec.publicJwk, rsa.publicJwk, okp.publicJwk]);
  assertEquals((await several.find()).length, 3);
  assertEquals(await several.verify(await rsa.sign("")), "ada");
  const two = publish([ec.publicJwk, other.publicJwk]);
  assertEquals(await two.verify(await ec.sign()), "ada");
  const token = await ec.sign("");
  const error = await two.verify(token).catch((error) => error);
  assertEquals(error.reason, "key_ambiguous");
});

/** What stands beside a key under the same kid. */
const TWICE: readonly (readonly [why: string, entry: Jwk])[] = [
  ["another key", { ...other.publicJwk, kid: ec.kid }],
  ["the same key", ec.publicJwk],
  ["a key of another type", { ...rsa.publicJwk, kid: ec.kid }],
  ["a secret", { ...secret, kid: ec.kid }],
  ["a key for encryption", { ...ec.publicJwk, use: "enc" }],
  ["a key of an unknown type", { kty: "LWE", kid: ec.kid }],
];
for (const [why, entry] of TWICE) {
  Deno.test(`remoteJwks() uses no key whose kid stands twice: ${why}`, async () => {
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

Deno.test("remoteJwks() warns once of a private key that is published, and not of what is in it", async () => {
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
