/**
 * Secrets of authenticators in records: encrypted, so that a thief of the database cannot compute codes.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../_base64url.ts";
import { type Bytes, joinFields } from "../_bytes.ts";
import type { DerivedKeys } from "../derived_keys.ts";

type Keys = Pick<DerivedKeys, "encrypt" | "decrypt">;

/** A decrypted secret. */
export interface DecryptedSecret {
  readonly secret: Bytes;
  /** Its text in the record from now on: another one if an older secret of the application has encrypted it. */
  readonly text: string;
}

/** Encrypts the secret of a user. */
export async function encryptSecret(keys: Keys, sub: string, secret: Bytes): Promise<string> {
  const { iv, ciphertext, tag } = await keys.encrypt("totp-secrets", secret, dataOf(sub));
  return [iv, ciphertext, tag].map(encodeBase64Url).join(".");
}

/** Decrypts the secret of a user; `undefined` if it was changed, is another user's, or no secret of the application fits. */
export async function decryptSecret(
  keys: Keys,
  sub: string,
  text: string,
): Promise<DecryptedSecret | undefined> {
  const parts = decodeParts(text);
  if (parts === undefined) return undefined;
  const [iv, ciphertext, tag] = parts;
  const decrypted = await keys.decrypt("totp-secrets", { iv, ciphertext, tag }, dataOf(sub));
  if (decrypted === undefined) return undefined;
  const { plaintext: secret, by } = decrypted;
  return { secret, text: by === "first" ? text : await encryptSecret(keys, sub, secret) };
}

function decodeParts(text: string): readonly [Bytes, Bytes, Bytes] | undefined {
  try {
    const [iv, ciphertext, tag, ...more] = text.split(".").map(decodeBase64Url);
    if (iv === undefined || ciphertext === undefined || tag === undefined) return undefined;
    return more.length === 0 ? [iv, ciphertext, tag] : undefined;
  } catch {
    return undefined;
  }
}

/** A secret of one user cannot be read as that of another. */
function dataOf(sub: string): Bytes {
  return joinFields([sub]);
}
