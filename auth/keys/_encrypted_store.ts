/**
 * The ring of signing keys, encrypted on its way to the store: who reads the database, or a backup of it, can sign nothing.
 *
 * @module
 */

import { type Ciphers, encryptJwk, openJwk } from "./_jwe.ts";
import { UNDECRYPTABLE } from "./_import.ts";
import type { Warn } from "../_report.ts";
import type { KeyRing, KeyStore, StoredKey } from "../stores/types.ts";

/** Options of {@linkcode keyStoreOf}. */
export interface KeyStoreParts {
  readonly store: KeyStore;
  readonly keys?: Ciphers | "insecureSkip" | undefined;
  readonly warn: Warn;
}

/** A ring with its keys opened. */
interface OpenedRing {
  readonly ring: KeyRing | null;
  /** Whether all keys are there, and one of them would be lost with an older secret. */
  readonly isOld: boolean;
}

/** How often a ring is encrypted anew in one reading: processes that have the list in another order undo it meanwhile. */
const ATTEMPTS = 2;

/**
 * The store that a service is given as it sees it, with keys that are open.
 *
 * @param cannot What fails without it: `Cannot create key service`.
 * @throws {TypeError} If it is none, or it is persistent and nothing encrypts.
 */
export function keyStoreOf(cannot: string, { store, keys, warn }: KeyStoreParts): KeyStore {
  if (typeof store?.load !== "function" || typeof store.save !== "function") {
    throw new TypeError(`${cannot}: store is no KeyStore`);
  }
  if (keys === undefined && store.persistent) {
    throw new TypeError(
      `${cannot}: the store is persistent, and keys are missing, which deriveKeys(secret) makes; keys: "insecureSkip" is for a store that encrypts by itself`,
    );
  }
  if (keys === undefined || keys === "insecureSkip") return store;
  if (typeof keys?.encrypt !== "function" || typeof keys.decrypt !== "function") {
    throw new TypeError(`${cannot}: keys are not "insecureSkip", and not what deriveKeys() makes`);
  }
  return encryptedKeyStore(store, { keys, warn });
}

/**
 * A store whose keys are encrypted in another store. One that does not open is given as {@linkcode UNDECRYPTABLE}, which no ring
 * may have: what somebody wrote there, a key of their own for one, must not sign.
 */
function encryptedKeyStore(
  store: KeyStore,
  { keys, warn }: { readonly keys: Ciphers; readonly warn: Warn },
): KeyStore {
  async function read(): Promise<OpenedRing> {
    const ring = await store.load();
    if (!Array.isArray(ring?.keys)) return { ring, isOld: false }; // for importKeys() to refuse
    let isOld = false;
    const opened: StoredKey[] = [];
    for (const key of ring.keys) {
      const found = await openJwk(key, keys);
      isOld ||= found?.isOld === true;
      opened.push({ ...key, key: found?.jwk ?? UNDECRYPTABLE });
    }
    const isWhole = opened.every(({ key }) => key !== UNDECRYPTABLE);
    return { ring: { ...ring, keys: opened }, isOld: isOld && isWhole };
  }

  async function save(ring: readonly StoredKey[], expected: string | null) {
    const encrypted: StoredKey[] = [];
    for (const key of ring) {
      encrypted.push({ ...key, key: await encryptJwk(key, keys) });
    }
    return await store.save(encrypted, expected);
  }

  /** Encrypts a ring by the first secret. Whether it did or not, the keys are as good as they were. */
  async function renew({ version, keys }: KeyRing): Promise<boolean> {
    try {
      return await save(keys, version) === "saved";
    } catch {
      // Without the error: a driver's may hold what was written
      warn("Cannot encrypt key ring anew: the store does not take it; do not drop the old secret");
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
