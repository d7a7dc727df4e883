/** Keys that are published over HTTP, and keys that are encrypted: ours for jose, and jose's for us. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  type AsymmetricAlgorithm,
  AuthError,
  bearerTokenStrategy,
  createContainer,
  createRouter,
  deriveKeys,
  inMemoryAuthStores,
  json,
  type Jwk,
  jwksHandler,
  keyService,
  registerAuth,
  remoteJwks,
  verifyJwt,
  withAuthRoutes,
} from "../../mod.ts";
import { headerOf, nodeKey, OLD, TODAY } from "../auth/keys/_encrypted_keys.ts";
import { kidOf } from "../auth/keys/_key_service.ts";
import { serveHttp } from "../auth/_servers.ts";
import type { Jose } from "../runtimes/jose.ts";
import { JOSE } from "./versions.ts";

/** What of jose encrypts, RFC 7516. */
interface JoseEncryption {
  readonly CompactEncrypt: new (plaintext: Uint8Array) => {
    setProtectedHeader(header: object): { encrypt(key: Uint8Array): Promise<string> };
  };
  compactDecrypt(jwe: string, key: Uint8Array, options?: object): Promise<{
    readonly plaintext: Uint8Array;
    readonly protectedHeader: object;
  }>;
}

const {
  SignJWT,
  jwtVerify,
  createRemoteJWKSet,
  exportJWK,
  generateKeyPair,
  calculateJwkThumbprint,
  CompactEncrypt,
  compactDecrypt,
}: Jose & JoseEncryption = await import(JOSE);

const ALGORITHMS = ["ES256", "RS256", "PS384", "ES512", "EdDSA", "Ed25519"] as const;
const PARTIES = { iss: "https://id.example", aud: "https://api.example" };

/** A key of jose's, and what it signs. */
interface Signer {
  readonly jwk: Jwk;
  sign(typ?: string, claims?: object): Promise<string>;
}

async function signer(alg: AsymmetricAlgorithm): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = `jose's ${alg}`;
  return {
    jwk: { ...await exportJWK(publicKey), alg, kid, use: "sig" },
    sign(typ = "JWT", claims = {}) {
      const exp = Math.floor(Date.now() / 1000) + 600;
      const token = new SignJWT({ ...PARTIES, sub: "ada", exp, ...claims });
      return token.setProtectedHeader({ alg, kid, typ }).sign(privateKey);
    },
  };
}

Deno.test("jwksHandler() publishes what jose verifies a key service's tokens by", async () => {
  const service = keyService({ store: inMemoryAuthStores().keys, algorithms: ALGORITHMS });
  const router = createRouter().get("/jwks", jwksHandler(service));
  await using server = serveHttp((request) => router.fetch(request));
  const keys = createRemoteJWKSet(new URL(`${server.origin}/jwks`), { cooldownDuration: 0 });
  for (const round of [1, 2]) {
    for (const alg of ALGORITHMS) {
      const token = await service.sign({ ...PARTIES, sub: "ada" }, { alg, expiresIn: 600 });
      const { payload } = await jwtVerify(token, keys, {
        algorithms: [alg],
        issuer: PARTIES.iss,
        audience: PARTIES.aud,
        typ: "JWT",
      });
      assertEquals(payload.sub, "ada");
    }
    assertEquals(server.requests.length, round);
    await service.rotate(); // jose meets an unknown kid, and fetches again
  }
});

Deno.test("remoteJwks() finds what verifies jose's tokens, and no key for anything else", async () => {
  const signers = await Promise.all(ALGORITHMS.map(signer));
  const set = signers.map(({ jwk }) => jwk);
  const others: Jwk[] = [
    { kty: "oct", k: "A".repeat(43), kid: "secret", alg: "HS256" },
    { ...await exportJWK((await generateKeyPair("ECDH-ES", { extractable: true })).publicKey) },
  ];
  await using server = serveHttp(() => Response.json({ keys: [...others, ...set] }));
  const keys = remoteJwks(`${server.origin}/jwks`, { insecureLoopback: true, warn() {} });
  const options = { keys, issuer: PARTIES.iss, audience: PARTIES.aud };
  for (const { jwk, sign } of signers) {
    const algorithms = [...ALGORITHMS];
    const { claims, header } = await verifyJwt(await sign(), { ...options, algorithms });
    assertEquals([claims.sub, header.kid], ["ada", jwk.kid]);
  }
  const forged = await new SignJWT({ ...PARTIES, exp: Math.floor(Date.now() / 1000) + 600 })
    .setProtectedHeader({ alg: "HS256", kid: "secret" }).sign(new Uint8Array(32));
  const error = await assertRejects(
    () => verifyJwt(forged, { ...options, algorithms: ["HS256", "ES256"] }),
    AuthError,
  );
  assertEquals([error.reason, server.requests.length], ["key_unknown", 1]);
});

Deno.test("bearerTokenStrategy() takes access tokens of jose's, and no ID tokens", async () => {
  const { jwk, sign } = await signer("ES256");
  await using issuer = serveHttp(() => Response.json({ keys: [jwk] }));
  const runtime = registerAuth({
    secret: "a secret that only the tests know, kept",
    stores: inMemoryAuthStores(),
    container: createContainer(),
    deployment: { clientAddress: () => "192.0.2.1" },
  });
  const strategy = bearerTokenStrategy({
    algorithms: ["ES256"],
    keys: remoteJwks(`${issuer.origin}/jwks`, { insecureLoopback: true, warn() {} }),
    issuer: PARTIES.iss,
    audience: PARTIES.aud,
  });
  const router = withAuthRoutes(createRouter(), { runtime, strategy })
    .get("/me", ({ principal: { sub, scope } }) => json([sub, scope]), { scope: "any" });
  await using api = serveHttp((request) => router.fetch(request));
  const send = (token: string) =>
    fetch(`${api.origin}/me`, { headers: { Authorization: `Bearer ${token}` } });

  const response = await send(await sign("at+jwt", { scope: "notes:read notes:write" }));
  assertEquals(await response.json(), ["ada", ["notes:read", "notes:write"]]);
  for (
    const [typ, claims] of [
      ["JWT", {}],
      ["at+jwt", { aud: "https://other.example" }],
      ["at+jwt", { iss: "https://id.example/" }],
      ["at+jwt", { exp: 1_700_000_000 }],
    ] as const
  ) {
    const refused = await send(await sign(typ, claims));
    await refused.body?.cancel();
    assertEquals(refused.status, 401);
  }
});

Deno.test("keyService() keeps keys that jose decrypts and signs by, and no other secret does", async () => {
  const store = inMemoryAuthStores().keys;
  const service = keyService({ store, keys: deriveKeys([TODAY, OLD]), algorithms: ALGORITHMS });
  await service.jwks();
  await service.rotate(); // keys that have ended, and others that have not
  const ring = (await store.load())?.keys ?? [];
  assertEquals(ring.map(({ alg }) => alg), [...ALGORITHMS, ...ALGORITHMS]);
  assertEquals(ring.filter(({ retiredAt }) => retiredAt === undefined).length, ALGORITHMS.length);
  const strict = { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"] };
  for (const stored of ring) {
    const { kid, alg, key } = stored;
    const text = String(key);
    const { plaintext, protectedHeader } = await compactDecrypt(text, nodeKey(TODAY), strict);
    assertEquals({ ...protectedHeader }, { ...headerOf(stored) });
    const jwk: Jwk = JSON.parse(new TextDecoder().decode(plaintext));
    assertEquals(await calculateJwkThumbprint(jwk), kid);
    const exp = Math.floor(Date.now() / 1000) + 600;
    const token = await new SignJWT({ ...PARTIES, sub: "ada", exp })
      .setProtectedHeader({ alg, kid, typ: "JWT" }).sign(jwk);
    const keys = service.resolve;
    const { claims } = await verifyJwt(token, {
      algorithms: ALGORITHMS,
      keys,
      issuer: PARTIES.iss,
      audience: PARTIES.aud,
    });
    assertEquals(claims.sub, "ada");
    await assertRejects(() => compactDecrypt(text, nodeKey(OLD)));
  }
});

Deno.test("keyService() signs by keys that jose encrypted, by any secret of the list, and by no others", async () => {
  for (const alg of ALGORITHMS) {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = await exportJWK(privateKey);
    const kid = await calculateJwkThumbprint(jwk);
    const plaintext = new TextEncoder().encode(JSON.stringify(jwk));
    const plain = { kid, alg, key: jwk, createdAt: 0, activeAt: 0 };
    const key = await new CompactEncrypt(plaintext).setProtectedHeader(headerOf(plain))
      .encrypt(nodeKey(OLD));
    const store = inMemoryAuthStores().keys;
    await store.save([{ ...plain, key }], null);
    const options = { store, algorithms: [alg] };
    await assertRejects(
      () => keyService({ ...options, keys: deriveKeys(TODAY) }).jwks(),
      TypeError,
      "cannot be decrypted by the given secret",
    );
    for (const secret of [OLD, [TODAY, OLD], TODAY]) {
      const service = keyService({ ...options, keys: deriveKeys(secret) });
      const token = await service.sign({ ...PARTIES, sub: "ada" }, { expiresIn: 60 });
      assertEquals(kidOf(token), kid);
    }
    const [stored] = (await store.load())?.keys ?? [];
    assert(stored?.kid === kid && stored.key !== key, "it was encrypted anew");
    const opened = await compactDecrypt(String(stored.key), nodeKey(TODAY));
    assertEquals(JSON.parse(new TextDecoder().decode(opened.plaintext)), jwk);
  }
});

Deno.test("keyService() signs by nothing that jose encrypted otherwise", async () => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const plaintext = new TextEncoder().encode(JSON.stringify(jwk));
  const plain = { kid, alg: "ES256", key: jwk, createdAt: 0, activeAt: 0 };
  const sound = headerOf(plain);
  const { cty: _, ...untyped } = sound;
  const { key: _times, ...timeless } = sound;
  const headers = [
    { ...sound, alg: "A256GCMKW" },
    { ...sound, alg: "A256KW" },
    { ...sound, kid: "another key" },
    { ...sound, typ: "JWE" },
    { ...sound, key: { ...sound.key, activeAt: 1 } },
    { ...sound, key: { ...sound.key, retiredAt: 1 } },
    { ...sound, key: { ...sound.key, alg: "ES384" } },
    { ...timeless, ...sound.key, alg: "dir" },
    timeless,
    untyped,
  ];
  for (const header of headers) {
    const key = await new CompactEncrypt(plaintext).setProtectedHeader(header).encrypt(nodeKey());
    const opened = await compactDecrypt(key, nodeKey());
    assertEquals(JSON.parse(new TextDecoder().decode(opened.plaintext)), jwk);
    const store = inMemoryAuthStores().keys;
    await store.save([{ ...plain, key }], null);
    const service = keyService({ store, keys: deriveKeys(TODAY) });
    await assertRejects(
      () => service.sign({}, { expiresIn: 60 }),
      TypeError,
      "cannot be decrypted by the given secret",
    );
  }
});
