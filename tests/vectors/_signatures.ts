/**
 * Running raw signature vectors: no tokens but bytes and their signature, so they go through the row of the table that
 * verifyJws() takes, with a key that importJwk() or importPem() has let in.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { encodeBase64Url } from "../../auth/_base64url.ts";
import { decodeHex } from "../../auth/_bytes.ts";
import { type JwaAlgorithm, verifySignature } from "../../auth/jwt/jwa.ts";
import { importJwk } from "../../auth/jwt/jwk.ts";
import type { Jwk } from "../../auth/jwt/types.ts";
import { importPem } from "../../auth/jwt/pem.ts";
import { readVectors } from "./_vectors.ts";

/** A test of Wycheproof's: a signature with the key of its group, or a code with a key of its own. */
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

/** What upstream says of a case. */
type Upstream = "valid" | "acceptable" | "invalid";

/** One case. */
export interface SignatureCase {
  /** Number of the test upstream. */
  readonly id: string;
  /** What upstream says. */
  readonly upstream: Upstream;
  /** Signed bytes, in hexadecimal digits. */
  readonly message: string;
  /** Signature or code, in hexadecimal digits. */
  readonly signature: string;
  /** Secret of a code, in hexadecimal digits. */
  readonly secret?: string | undefined;
  /** Imports the key, which throws if our rules refuse it. */
  importKey(): Promise<CryptoKey>;
}

/** What the cases of a file must come to. */
export interface SignatureVectors {
  /** Path in the vectors' folder. */
  readonly file: string;
  /** Algorithm of the file. */
  readonly alg: JwaAlgorithm;
  /** Cases that verify. */
  readonly verified: number;
  /** Cases that do not, with those below. */
  readonly refused: number;
  /** Why cases are refused that upstream calls valid or acceptable, with their numbers or how many they are. */
  readonly decided?: Readonly<Record<string, readonly string[] | number>>;
  /** Why we refuse this case whatever upstream says of it. @default nothing is refused on purpose */
  decide?(test: SignatureCase): string | undefined;
}

/** Registers one test for a file; it runs every case, prints how they came out, and fails if a number has changed. */
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
      [...decided].map(([reason, ids]) =>
        [reason, typeof vectors.decided?.[reason] === "number" ? ids.length : ids] as const
      ),
    );
    const refused = cases.length - verified;
    // deno-lint-ignore no-console -- how many cases ran is part of the result
    console.log(`${file}: ${cases.length} ran, ${verified} verified, ${refused} refused`, found);
    assertEquals(
      { verified, refused, decided: found },
      { verified: vectors.verified, refused: vectors.refused, decided: vectors.decided ?? {} },
    );
  });
}

/** Whether a case verifies. A key that is refused verifies nothing. */
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
