/**
 * A service for API keys on stores in memory, with a list of what its store was asked for.
 *
 * @module
 */

import { crc32, encodeBase62 } from "../../../auth/tokens/_api_key_encoding.ts";
import { utf8 } from "../../../auth/_bytes.ts";
import { apiKeyService } from "../../../auth/tokens/api_key_service.ts";
import type { ApiKeyService, NewApiKeyOptions } from "../../../auth/tokens/api_key_types.ts";
import type { ApiKeyStore } from "../../../auth/stores/types.ts";
import { type ServicesOptions, type WithAda, withAda } from "../_services.ts";

export interface KeysOptions extends ServicesOptions {
  readonly prefix?: string;
  readonly maxPerUser?: number;
}

export interface WithKeys extends WithAda {
  readonly apiKeys: ApiKeyService;
  /** Methods of the store that the service called, in order. */
  readonly calls: string[];
}

/** Ada, and a service for her keys. */
export async function withKeys(options: KeysOptions = {}): Promise<WithKeys> {
  const services = await withAda(options);
  const { stores: { apiKeys: store, users }, clock, events, warnings } = services;
  const calls: string[] = [];
  const { prefix, maxPerUser } = options;
  const apiKeys = apiKeyService({
    apiKeys: counted(store, calls),
    users,
    prefix,
    maxPerUser,
    now: () => clock.now,
    events: (event) => void events.push(event),
    warn: (message) => void warnings.push(message),
  });
  return { ...services, apiKeys, calls };
}

/** The same with a key of Ada's, and with nothing told or counted yet. */
export async function withKey(
  options: KeysOptions = {},
  of: NewApiKeyOptions = {},
): Promise<WithKeys & { readonly key: string; readonly id: string }> {
  const services = await withKeys(options);
  const { key, info } = await services.apiKeys.create("u1", of);
  services.events.length = 0;
  services.calls.length = 0;
  return { ...services, key, id: info.id };
}

function counted(store: ApiKeyStore, calls: string[]): ApiKeyStore {
  return {
    create: (key) => (calls.push("create"), store.create(key)),
    find: (id) => (calls.push("find"), store.find(id)),
    list: (sub) => (calls.push("list"), store.list(sub)),
    touch: (id, from, to) => (calls.push("touch"), store.touch(id, from, to)),
    revoke: (id) => (calls.push("revoke"), store.revoke(id)),
    revokeAll: (sub) => (calls.push("revokeAll"), store.revokeAll(sub)),
  };
}

/** Ends a text by the checksum of a key. */
export function seal(text: string): string {
  const crc = crc32(utf8(text));
  return text + encodeBase62(Uint8Array.of(crc >>> 24, crc >>> 16, crc >>> 8, crc));
}

/** A key of the right shape, which nobody made. */
export function madeUp(id: string = "1".repeat(22), secret: string = "2".repeat(43)): string {
  return seal(`key_${id}_${secret}`);
}
