/**
 * The ring of signing keys, encrypted before it is stored: a reader of the database or of a backup cannot sign.
 *
 * @module
 */

import { type Ciphers, decryptJwk, encryptJwk } from "./_jwe.ts";
import { UNDECRYPTABLE } from "./_import.ts";
import type { Warn } from "../_report.ts";
import type { KeyRing, KeyStore, StoredKey } from "../stores/types.ts";

/** Options of {@linkcode keyStoreOf}. */
export interface KeyStoreParts {
  readonly store: KeyStore;
  readonly keys?: Ciphers | "insecureSkip" | undefined;
  readonly warn: Warn;
}

/** A ring with decrypted keys. */
interface DecryptedRing {
  readonly ring: KeyRing | null;
  /** Whether all keys were decrypted, at least one of them by an older secret. */
  readonly isOld: boolean;
}

/** How often a ring is encrypted again in one read: processes with the secrets in another order may undo it. */
const ATTEMPTS = 2;

/**
 * Wraps the store of a service, so that the service reads decrypted keys.
 *
 * @param cannot What fails without it: `Cannot create key service`.
 * @throws {TypeError} If it is not a key store, or it is persistent and `keys` are missing.
 */
export function keyStoreOf(cannot: string, { store, keys, warn }: KeyStoreParts): KeyStore {
  if (typeof store?.load !== "function" || typeof store.save !== "function") {
    throw new TypeError(`${cannot}: store must be a KeyStore`);
  }
  if (keys === undefined && store.persistent) {
    throw new TypeError(
      `${cannot}: keys are required for a persistent store, for example deriveKeys(secret); keys: "insecureSkip" is for a store that encrypts`,
    );
  }
  if (keys === undefined || keys === "insecureSkip") return store;
  if (typeof keys?.encrypt !== "function" || typeof keys.decrypt !== "function") {
    throw new TypeError(`${cannot}: keys must be "insecureSkip" or the result of deriveKeys()`);
  }
  return encryptedKeyStore(store, { keys, warn });
}

/**
 * A store that encrypts its keys in another store. A key that cannot be decrypted is read as {@linkcode UNDECRYPTABLE},
 * which makes the ring unusable: a key that an attacker wrote to the database must not sign.
 */
function encryptedKeyStore(
  store: KeyStore,
  { keys, warn }: { readonly keys: Ciphers; readonly warn: Warn },
): KeyStore {
  async function read(): Promise<DecryptedRing> {
    const ring = await store.load();
    if (!Array.isArray(ring?.keys)) return { ring, isOld: false }; // importKeys() rejects it
    let isOld = false;
    const decrypted: StoredKey[] = [];
    for (const key of ring.keys) {
      const found = await decryptJwk(key, keys);
      isOld ||= found?.isOld === true;
      decrypted.push({ ...key, key: found?.jwk ?? UNDECRYPTABLE });
    }
    const isWhole = decrypted.every(({ key }) => key !== UNDECRYPTABLE);
    return { ring: { ...ring, keys: decrypted }, isOld: isOld && isWhole };
  }

  async function save(ring: readonly StoredKey[], expected: string | null) {
    const encrypted: StoredKey[] = [];
    for (const key of ring) {
      encrypted.push({ ...key, key: await encryptJwk(key, keys) });
    }
    return await store.save(encrypted, expected);
  }

  /** Encrypts a ring by the first secret. If that fails, the keys stay as valid as before. */
  async function renew({ version, keys }: KeyRing): Promise<boolean> {
    try {
      return await save(keys, version) === "saved";
    } catch {
      // Without the error: a driver's error may contain what was written
      warn("Cannot encrypt key ring again: keep the old secret");
      return false;
    }
  }

  return {
    async load() {
      let { ring, isOld } = await read();
      for (let attempt = 0; attempt < ATTEMPTS && isOld && ring !== null; attempt++) {
        if (!await renew(ring)) break;
        ({ ring, isOld } = await read()); // for its new version
      }
      return ring;
    },
    save,
  };
}
