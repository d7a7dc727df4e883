/**
 * What `jwt.ts` compares: `verifyJwt` and `signJwt`, jose's `jwtVerify` and `SignJWT`, and Web Crypto alone.
 *
 * @module
 */

import { signJwt, verifyJwt } from "@gatehouse/http/auth";
import {
  badTokens,
  claimsOf,
  EXPECTED,
  type Issuer,
  PARAMS,
  type Signed,
  takeApart,
} from "./_jwt_tokens.ts";

/** What was measured. */
export const JOSE = "jose@6.2.17";

/** What is done with a token, or to make one; Web Crypto alone needs what is signed, too. */
export interface Work {
  readonly name: string;
  run(input: Signed): Promise<unknown>;
}

/** The same work by three, for one kind of key. */
export interface Contest {
  /** Algorithm and kind of key. */
  readonly title: string;
  readonly bare: Work;
  readonly ours: Work;
  readonly jose: Work;
}

/** The part of jose that is used here. */
export interface Jose {
  jwtVerify(token: string, key: unknown, options: JoseOptions): Promise<{ payload: JosePayload }>;
  createLocalJWKSet(set: unknown): unknown;
  SignJWT: new (claims: Readonly<Record<string, unknown>>) => JoseSigner;
}

interface JosePayload {
  readonly sub?: string;
}

interface JoseOptions {
  readonly algorithms: string[];
  readonly issuer: string;
  readonly audience: string;
  readonly typ: string;
  readonly clockTolerance: number;
  readonly requiredClaims: string[];
}

interface JoseSigner {
  setProtectedHeader(header: Readonly<Record<string, unknown>>): JoseSigner;
  setIssuedAt(): JoseSigner;
  setExpirationTime(time: number): JoseSigner;
  sign(key: unknown): Promise<string>;
}

/** Imports jose by no literal, so that the project's lock file does not name it. */
export async function loadJose(): Promise<Jose> {
  return await import(`npm:${JOSE}`);
}

/** jose's options that make it ask what ours asks: `exp` has to be there. */
export function joseOptions(alg: string): JoseOptions {
  return { ...EXPECTED, algorithms: [alg], requiredClaims: ["exp"] };
}

/** Verifying: with a key of the runtime, and with keys in JSON. Options are read by every call, as in an application. */
export function verifyContests(issuer: Issuer, jose: Jose): readonly Contest[] {
  const { alg, publicKey, keys } = issuer;
  const params = PARAMS[alg];
  const bare = nameWork(
    "crypto.subtle.verify()",
    ({ signature, data }) => crypto.subtle.verify(params, publicKey, signature, data),
  );
  const options = joseOptions(alg);
  const joseKeys = alg === "HS256" ? keys : jose.createLocalJWKSet(keys);
  const contest = (kind: string, ourKeys: typeof keys | CryptoKey, theirs: unknown): Contest => ({
    title: `${alg}, ${kind}`,
    bare,
    ours: nameWork(
      `verifyJwt(), ${kind}`,
      ({ token }) => verifyJwt(token, { ...EXPECTED, algorithms: [alg], keys: ourKeys }),
    ),
    jose: nameWork(
      `jwtVerify(), ${kind}`,
      ({ token }) => jose.jwtVerify(token, theirs, options),
    ),
  });
  return [
    contest("CryptoKey", publicKey, publicKey),
    contest(alg === "HS256" ? "JWK" : "JWK Set of 3", keys, joseKeys),
  ];
}

/** Signing, with a key of the runtime and with one in JSON. */
export function signContests(issuer: Issuer, jose: Jose): readonly Contest[] {
  const { alg, privateKey, privateJwk } = issuer;
  const params = PARAMS[alg];
  const claims = claimsOf();
  const header = { typ: EXPECTED.typ, kid: privateJwk.kid };
  const bare = nameWork(
    "crypto.subtle.sign()",
    ({ data }) => crypto.subtle.sign(params, privateKey, data),
  );
  const contest = (kind: string, key: CryptoKey | typeof privateJwk): Contest => ({
    title: `${alg}, ${kind}`,
    bare,
    ours: nameWork(
      `signJwt(), ${kind}`,
      () => signJwt(claims, { algorithms: [alg], key, header, expiresIn: 600 }),
    ),
    jose: nameWork(
      `SignJWT, ${kind}`,
      () =>
        new jose.SignJWT(claims)
          .setProtectedHeader({ alg, ...header })
          .setIssuedAt()
          .setExpirationTime(Math.floor(Date.now() / 1000) + 600)
          .sign(key),
    ),
  });
  return [contest("CryptoKey", privateKey), contest("JWK", privateJwk)];
}

/** @throws {Error} If somebody refuses a good token, takes a bad one, or signs what another refuses. */
export async function checkContests(issuer: Issuer, jose: Jose): Promise<void> {
  for (const contest of verifyContests(issuer, jose)) await checkVerifying(contest, issuer);
  const { alg, publicKey, tokens: [any] } = issuer;
  for (const { ours, jose: theirs } of signContests(issuer, jose)) {
    await jose.jwtVerify(await ours.run(any) as string, publicKey, joseOptions(alg));
    const made = await theirs.run(any) as string;
    await verifyJwt(made, { ...EXPECTED, algorithms: [alg], keys: publicKey });
  }
}

async function checkVerifying(
  { title, bare, ours, jose }: Contest,
  issuer: Issuer,
): Promise<void> {
  for (const signed of issuer.tokens) {
    if (await bare.run(signed) !== true) throw new Error(`${title}: a signature is wrong`);
    for (const side of [ours, jose]) await side.run(signed);
  }
  for (const [why, token] of await badTokens(issuer)) {
    for (const side of [ours, jose]) {
      const taken = await side.run(takeApart(token)).then(() => true, () => false);
      if (taken) throw new Error(`${title}: ${side.name} takes a token though ${why}`);
    }
  }
}

function nameWork(name: string, run: Work["run"]): Work {
  return { name, run };
}
