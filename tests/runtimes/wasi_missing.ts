/**
 * What needs more than StarlingMonkey has, for a component to try.
 *
 * @module
 */

import { deriveKeys } from "../../auth/derived_keys.ts";
import { keyService } from "../../auth/keys/key_service.ts";
import { pbkdf2Hasher } from "../../auth/password/pbkdf2.ts";
import { cookiePolicy } from "../../auth/session/cookie_policy.ts";
import { csrfService } from "../../auth/session/csrf.ts";
import { repoKeyStore } from "../../auth/stores/repo.ts";
import type { StorageAdapter } from "../../auth/stores/adapter.ts";

const SECRET = "a secret that only the tests know, kept";

const ATTEMPTS: Readonly<Record<string, (adapter: StorageAdapter) => unknown>> = {
  deriveKeys: () => deriveKeys(SECRET).sign("csrf", new Uint8Array()),
  csrf: () =>
    csrfService({ keys: deriveKeys(SECRET), cookies: cookiePolicy() })
      .issue(new Request("https://api.example/")),
  keyService: (adapter) =>
    keyService({ store: repoKeyStore({ adapter }), keys: "insecureSkip" })
      .sign({}, { expiresIn: 60 }),
  encryptedKeyService: (adapter) =>
    keyService({ store: repoKeyStore({ adapter }), keys: deriveKeys(SECRET) })
      .sign({}, { expiresIn: 60 }),
  passwords: () => pbkdf2Hasher().hash("lovelace wrote the notes"),
  unicodeProperties: () => new RegExp("\\p{L}", "u"),
};

/** The message of the error that it fails with. */
export async function tryMissing(what: string, adapter: StorageAdapter): Promise<string> {
  try {
    await ATTEMPTS[what]?.(adapter);
    return "works";
  } catch (error) {
    return String(error);
  }
}
