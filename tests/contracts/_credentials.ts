/**
 * Passkeys for the cases of passkey stores.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { Credential, CredentialStore } from "../../auth/stores/types.ts";
import { credentialOf } from "./_races.ts";

/** An unused passkey of a user. */
export function newCredential(id: string, sub = "u1"): Credential {
  return { ...credentialOf(id), sub };
}

/** Creates a passkey. */
export async function createCredential(
  store: CredentialStore,
  credential: Credential,
): Promise<Credential> {
  assertEquals(await store.create(credential), "created");
  return credential;
}
