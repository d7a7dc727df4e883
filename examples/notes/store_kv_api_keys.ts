/**
 * API keys in Deno KV.
 *
 * | key | value |
 * |---|---|
 * | `["api_keys", id]` | the key, without its secret |
 * | `["api_key_ids", sub, id]` | `true` for each key of the user |
 *
 * Both come and go in one commit.
 *
 * @module
 */

import type { ApiKey, ApiKeyStore } from "@gatehouse/http/auth";

/** Keeps API keys in a Deno KV database, which stays the caller's to close. */
export function kvApiKeyStore(kv: Deno.Kv): ApiKeyStore {
  async function create(
    { id, sub, keyHash, name, scope, createdAt, expiresAt, lastUsedAt }: ApiKey,
  ): Promise<void> {
    const apiKey: ApiKey = {
      id,
      sub,
      keyHash,
      scope,
      createdAt,
      ...(name === undefined ? {} : { name }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
    };
    const commit = kv.atomic()
      .check({ key: apiKeyKey(id), versionstamp: null })
      .set(apiKeyKey(id), apiKey)
      .set(ownKey(sub, id), true);
    if (!(await commit.commit()).ok) throw new Error("Cannot create API key: its id is taken");
  }

  async function find(id: string): Promise<ApiKey | null> {
    return (await kv.get<ApiKey>(apiKeyKey(id))).value;
  }

  async function list(sub: string): Promise<readonly ApiKey[]> {
    const found = await Promise.all((await listIds(sub)).map(find));
    return found.filter((apiKey) => apiKey !== null);
  }

  async function touch(
    id: string,
    from: number | null,
    to: number,
  ): Promise<"updated" | "lost"> {
    const entry = await kv.get<ApiKey>(apiKeyKey(id));
    if (entry.value === null || (entry.value.lastUsedAt ?? null) !== from) return "lost";
    const commit = kv.atomic().check(entry).set(entry.key, { ...entry.value, lastUsedAt: to });
    return (await commit.commit()).ok ? "updated" : "lost";
  }

  async function revoke(id: string): Promise<void> {
    for (;;) {
      const entry = await kv.get<ApiKey>(apiKeyKey(id));
      if (entry.value === null) return;
      const commit = kv.atomic()
        .check(entry)
        .delete(entry.key)
        .delete(ownKey(entry.value.sub, id));
      if ((await commit.commit()).ok) return;
    }
  }

  async function revokeAll(sub: string): Promise<void> {
    for (const id of await listIds(sub)) await revoke(id);
  }

  async function listIds(sub: string): Promise<readonly string[]> {
    const entries = await Array.fromAsync(kv.list({ prefix: ["api_key_ids", sub] }));
    return entries.map(({ key }) => String(key[2]));
  }

  return { create, find, list, touch, revoke, revokeAll };
}

function apiKeyKey(id: string): Deno.KvKey {
  return ["api_keys", id];
}

function ownKey(sub: string, id: string): Deno.KvKey {
  return ["api_key_ids", sub, id];
}
