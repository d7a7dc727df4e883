/**
 * Runs raw signature vectors: not tokens but bytes and their signature. They are verified by the algorithm table of
 * verifyJws(), with keys imported by importJwk() or importPem().
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { encodeBase64Url } from "../../auth/_base64url.ts";
import { decodeHex } from "../../auth/_bytes.ts";
import { type JwaAlgorithm, verifySignature } from "../../auth/jwt/jwa.ts";
import { importJwk } from "../../auth/jwt/jwk.ts";
import type { Jwk } from "../../auth/jwt/types.ts";
import { importPem } from "../../auth/jwt/pem.ts";
import { readVectors } from "./_vectors.ts";

/** A Wycheproof test: a signature with the key of its group, or a MAC with its own key. */
interface UpstreamTest {
  readonly tcId: number;
  readonly msg: string;
  readonly sig?: string;
  readonly tag?: string;
  readonly key?: string;
  readonly result: Upstream;
}

interface UpstreamGroup {
  readonly publicKeyJwk?: Jwk;
  readonly keyJwk?: Jwk;
  readonly publicKeyDer?: string;
  readonly tests: readonly UpstreamTest[];
}

/** Upstream's verdict of a case. */
type Upstream = "valid" | "acceptable" | "invalid";

/** One case. */
export interface SignatureCase {
  /** Upstream's number of the test. */
  readonly id: string;
  /** Upstream's verdict. */
  readonly upstream: Upstream;
  /** Signed bytes, in hexadecimal digits. */
  readonly message: string;
  /** Signature or code, in hexadecimal digits. */
  readonly signature: string;
  /** Secret of a code, in hexadecimal digits. */
  readonly secret?: string | undefined;
  /** Imports the key; throws if our rules reject it. */
  importKey(): Promise<CryptoKey>;
}

/** A file of signatures. */
export interface SignatureVectors {
  /** Path in the vectors' folder. */
  readonly file: string;
  /** Algorithm of the file. */
  readonly alg: JwaAlgorithm;
  /** Why a case is rejected whatever upstream says, by a property of the case. @default none is */
  decide?(test: SignatureCase): string | undefined;
}

/** Registers one test for a file: it runs every case, and prints how many verified and why others did not. */
export function testSignatures(vectors: SignatureVectors): void {
  const { file, alg, decide = () => undefined } = vectors;
  const cases = readVectors(
    file,
    ({ testGroups }: { testGroups: readonly UpstreamGroup[] }) =>
      testGroups.flatMap((group) => casesOf(group, alg)),
  );
  const name = `vectors ${file}`;
  if (cases === undefined) {
    Deno.test({ name: `${name} (skipped: no shared vectors here)`, ignore: true, fn() {} });
    return;
  }
  Deno.test(name, async () => {
    const decided = new Map<string, string[]>();
    let verified = 0;
    for (const test of cases) {
      const reason = decide(test);
      const isValid = await verifies(test, alg);
      if (isValid) verified++;
      if (reason !== undefined && test.upstream !== "invalid") {
        decided.set(reason, [...decided.get(reason) ?? [], test.id]);
      }
      assertEquals(isValid, reason === undefined && test.upstream === "valid", test.id);
    }
    const found = Object.fromEntries(
      [...decided].map(([reason, ids]) => [reason, ids.length] as const),
    );
    const refused = cases.length - verified;
    // deno-lint-ignore no-console -- how many cases ran is part of the result
    console.log(`${file}: ${cases.length} ran, ${verified} verified, ${refused} refused`, found);
    const isDecided = cases.some((test) => decide(test) !== undefined);
    assert(verified > 0 || (isDecided && refused > 0), "no case was decisive");
  });
}

/** Whether a case verifies. A rejected key verifies nothing. */
async function verifies(test: SignatureCase, alg: JwaAlgorithm): Promise<boolean> {
  let key: CryptoKey;
  try {
    key = await test.importKey();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return false;
    throw error;
  }
  return await verifySignature(alg, key, {
    signature: decodeHex(test.signature),
    data: decodeHex(test.message),
  });
}

function casesOf(group: UpstreamGroup, alg: JwaAlgorithm): SignatureCase[] {
  const shared = group.tests.some(({ key }) => key !== undefined) ? undefined : once(() => {
    const jwk = group.publicKeyJwk ?? group.keyJwk;
    if (jwk !== undefined) return importJwk(jwk, { alg, usage: "verify" });
    return importPem(pemOf(group.publicKeyDer ?? ""), { alg });
  });
  return group.tests.map(({ tcId, msg, sig, tag, key, result }) => ({
    id: `tc${tcId}`,
    upstream: result,
    message: msg,
    signature: sig ?? tag ?? "",
    secret: key,
    importKey: shared ?? (() => {
      const k = encodeBase64Url(decodeHex(key ?? ""));
      return importJwk({ kty: "oct", k }, { alg, usage: "verify" });
    }),
  }));
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** A public key of a file as PEM, RFC 7468 §13. */
function pemOf(der: string): string {
  const base64 = btoa(String.fromCharCode(...decodeHex(der)));
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN PUBLIC KEY-----", ...lines, "-----END PUBLIC KEY-----", ""].join("\n");
}
