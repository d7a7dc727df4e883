/** Keys that are published over HTTP: ours for jose, and jose's for us. */

import { assertEquals, assertRejects } from "@std/assert";
import {
  type AsymmetricAlgorithm,
  AuthError,
  bearerTokenStrategy,
  createContainer,
  createRouter,
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
import { serveHttp } from "../auth/_servers.ts";
import type { Jose } from "../runtimes/jose.ts";
import { JOSE } from "./versions.ts";

const { SignJWT, jwtVerify, createRemoteJWKSet, exportJWK, generateKeyPair }: Jose = await import(
  JOSE
);

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
    secret: "a secret of at least 32 bytes, kept",
    stores: inMemoryAuthStores(),
    container: createContainer(),
    clientAddress: () => "192.0.2.1",
  });
  const strategy = bearerTokenStrategy({
    algorithms: ["ES256"],
    keys: remoteJwks(`${issuer.origin}/jwks`, { insecureLoopback: true, warn() {} }),
    issuer: PARTIES.iss,
    audience: PARTIES.aud,
  });
  const router = withAuthRoutes(createRouter(), { runtime, strategy })
    .get("/me", ({ principal: { sub, scope } }) => json([sub, scope]));
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
