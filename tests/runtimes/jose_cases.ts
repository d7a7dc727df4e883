/**
 * Tokens, keys and sets of keys between this package and jose, both ways, and what jose makes of tokens that are refused
 * here.
 *
 * @module
 */

import type { AsymmetricAlgorithm, JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import { exportJwk, generateJwk, importJwk, jwkThumbprint, publicJwk } from "../../auth/jwt/jwk.ts";
import type { Jwk, VerificationKeys } from "../../auth/jwt/types.ts";
import { signJwt, verifyJwt } from "../../auth/jwt/jwt.ts";
import { keyService } from "../../auth/keys/key_service.ts";
import { importPem } from "../../auth/jwt/pem.ts";
import { inMemoryAuthStores } from "../../auth/stores/memory.ts";
import { ALGORITHMS, KEYS, OKP, P521, RSA, verifying } from "../auth/jwt/_jws.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";
import type { Jose, JoseKey, JoseKeySet } from "./jose.ts";
import { REFUSALS } from "./token_cases.ts";
import { NOW, OWN, type Refusal } from "./token_forgery.ts";

const now = () => NOW;
const PARTIES = { iss: "https://issuer.example", aud: "https://api.example" };
const CLAIMS = { iat: NOW, ...PARTIES, sub: "Zoë", exp: NOW + 600, roles: ["a", { b: null }] };

/** A key and the one that verifies what it signs. */
interface Pair {
  readonly signs: CryptoKey | Jwk;
  readonly verifies: CryptoKey | Jwk;
}

/** What each of the two programs does, told alike. */
interface Program {
  sign(alg: JwaAlgorithm, key: CryptoKey | Jwk): Promise<string>;
  /** Fails unless the token says what was signed. */
  verify(alg: JwaAlgorithm, token: string, key: CryptoKey | Jwk): Promise<void>;
}

const own: Program = {
  sign: (alg, key) => signJwt(CLAIMS, { algorithms: [alg], key, header: { kid: "k" }, now }),
  verify: (alg, token, key) => verifyOwn(alg, token, key),
};

async function verifyOwn(alg: JwaAlgorithm, token: string, keys: VerificationKeys) {
  const parties = { issuer: PARTIES.iss, audience: PARTIES.aud };
  const verified = await verifyJwt(token, { algorithms: [alg], keys, ...parties, now });
  assertSame([verified.header.alg, verified.claims], [alg, CLAIMS]);
}

function programOf(jose: Jose): Program {
  return {
    sign: (alg, key) =>
      new jose.SignJWT(CLAIMS).setProtectedHeader({ alg, typ: "JWT", kid: "k" }).sign(key),
    verify: (alg, token, key) => verifyByJose(jose, alg, token, key),
  };
}

async function verifyByJose(
  jose: Jose,
  alg: JwaAlgorithm,
  token: string,
  key: JoseKey | JoseKeySet,
): Promise<void> {
  const { protectedHeader, payload } = await jose.jwtVerify(token, key, {
    algorithms: [alg],
    typ: "JWT",
    issuer: PARTIES.iss,
    audience: PARTIES.aud,
    currentDate: new Date(NOW * 1000),
  });
  assertSame([protectedHeader.alg, payload], [alg, CLAIMS]);
}

/** The cases, in the order in which they run. */
export function joseCases(jose: Jose): readonly RuntimeCase[] {
  const theirs = programOf(jose);

  /** Whoever signs by a pair, the other one verifies. */
  async function exchange(alg: JwaAlgorithm, { signs, verifies }: Pair): Promise<void> {
    await theirs.verify(alg, await own.sign(alg, signs), verifies);
    await own.verify(alg, await theirs.sign(alg, signs), verifies);
  }

  return [
    ...ALGORITHMS.flatMap((alg): RuntimeCase[] => [
      {
        name: `jose: ${alg}: keys of ours, as JWK and CryptoKey`,
        async run() {
          const signs = await generateJwk(alg);
          const verifies = verifying(signs);
          await exchange(alg, { signs, verifies });
          await exchange(alg, {
            signs: await importJwk(signs, { alg, usage: "sign" }),
            verifies: await importJwk(verifies, { alg }),
          });
          await exchange(alg, {
            signs: asKey(await jose.importJWK(signs, alg)) ?? signs,
            verifies: asKey(await jose.importJWK(verifies, alg)) ?? verifies,
          });
        },
      },
      {
        name: `jose: ${alg}: keys of jose's, as CryptoKey, JWK and PEM`,
        async run() {
          const made = await makeTheirs(jose, alg);
          await exchange(alg, made);
          const signs = await jose.exportJWK(made.signs);
          const verifies = await jose.exportJWK(made.verifies);
          await exchange(alg, {
            signs: await importJwk(signs, { alg, usage: "sign" }),
            verifies: await importJwk(verifies, { alg }),
          });
          await exchange(alg, {
            signs: { ...signs, alg },
            verifies: { ...verifies, alg, use: "sig" },
          });
          if (isAsymmetric(alg)) {
            await exchange(alg, {
              signs: await importPem(await jose.exportPKCS8(made.signs), { alg }),
              verifies: await importPem(await jose.exportSPKI(made.verifies), { alg }),
            });
          }
          const exported = await exportJwk(made.signs);
          assertSame(await jose.calculateJwkThumbprint(exported), await jwkThumbprint(signs));
        },
      },
    ]),
    {
      name: "jose: thumbprints are the same",
      async run() {
        for (const jwk of [RSA, OWN, P521, OKP, await generateJwk("HS256")]) {
          for (const bits of [256, 384, 512] as const) {
            assertSame(
              await jwkThumbprint(jwk, `SHA-${bits}`),
              await jose.calculateJwkThumbprint(jwk, `sha${bits}`),
            );
          }
        }
      },
    },
    {
      name: "jose: one set of keys of all algorithms, with and without key ids",
      async run() {
        const algorithms = ALGORITHMS.filter(isAsymmetric);
        const keys = algorithms.map((alg) => ({ ...publicJwk(KEYS[alg]), alg, kid: `the ${alg}` }));
        for (const { alg, kid } of keys) {
          for (const named of [{ kid }, {}]) {
            const key = KEYS[alg];
            const token = await signJwt(CLAIMS, { algorithms: [alg], key, header: named, now });
            await verifyByJose(jose, alg, token, jose.createLocalJWKSet({ keys }));
            const header = { alg, typ: "JWT", ...named };
            const other = await new jose.SignJWT(CLAIMS).setProtectedHeader(header).sign(key);
            await verifyOwn(alg, other, { keys });
          }
        }
      },
    },
    {
      name: "jose: what a key service signs and publishes, before and after it rotates",
      async run() {
        const algorithms = ["ES256", "EdDSA", "PS256"] as const;
        const service = keyService({ store: inMemoryAuthStores().keys, algorithms, now });
        const tokens = new Map<string, AsymmetricAlgorithm>();
        for (let round = 0; round < 2; round++) {
          for (const alg of algorithms) {
            tokens.set(await service.sign(CLAIMS, { alg, expiresIn: 600 }), alg);
          }
          const set = jose.createLocalJWKSet(await service.jwks());
          for (const [token, alg] of tokens) await verifyByJose(jose, alg, token, set);
          await service.rotate();
        }
        assertSame(tokens.size, 6);
      },
    },
    ...REFUSALS.filter(({ jose = "refuses" }) => jose !== "differs").map((row) => ({
      name: `jose: ${row.jose ?? "refuses"}: ${row.why}`,
      run: async () => assertSame(await answerOf(jose, row), row.jose ?? "refuses"),
    })),
  ];
}

function isAsymmetric(alg: JwaAlgorithm): alg is AsymmetricAlgorithm {
  return !alg.startsWith("HS");
}

/** jose imports secrets as bytes, which we do not take. */
function asKey(key: CryptoKey | Uint8Array): CryptoKey | undefined {
  return key instanceof Uint8Array ? undefined : key;
}

async function makeTheirs(jose: Jose, alg: JwaAlgorithm) {
  const options = { extractable: true };
  if (!isAsymmetric(alg)) {
    const secret = await jose.generateSecret(alg, options);
    return { signs: secret, verifies: secret };
  }
  const { privateKey, publicKey } = await jose.generateKeyPair(alg, options);
  return { signs: privateKey, verifies: publicKey };
}

/** What jose makes of a row's token, with the row's keys and algorithms. */
async function answerOf(
  jose: Jose,
  { token, keys = OWN, algorithms = ["ES256"] }: Refusal,
): Promise<"refuses" | "takes"> {
  const forged = await token();
  const key = "keys" in keys ? jose.createLocalJWKSet(keys as { keys: Jwk[] }) : keys as Jwk;
  const options = { algorithms, currentDate: new Date(NOW * 1000), clockTolerance: 30 };
  return await jose.jwtVerify(forged, key, options).then(() => "takes", () => "refuses");
}
