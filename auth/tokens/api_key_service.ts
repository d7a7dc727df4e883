/**
 * API keys of users: create, list, verify, revoke.
 *
 * @module
 */

import { equalText } from "../_bytes.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { toUserInfo } from "../users/user_info.ts";
import { checkedApiKeys, checkedUserReader, isDisabled } from "../stores/checked.ts";
import {
  checkApiKeyPrefix,
  DEFAULT_API_KEY_PREFIX,
  digestApiKey,
  generateApiKey,
  parseApiKey,
} from "./api_key_format.ts";
import { AuthError } from "../error.ts";
import type { ApiKey, User } from "../stores/types.ts";
import type {
  ApiKeyInfo,
  ApiKeyService,
  ApiKeyServiceOptions,
  NewApiKeyOptions,
} from "./api_key_types.ts";
import { rejectUnknownOptions, requireSeconds } from "../_options.ts";
import { readScope } from "../_scope.ts";

const ACTION = "Cannot create API key service";
const CANNOT_CREATE_KEY = "Cannot create API key";

/** Seconds between two updates of `lastUsedAt`: at most one write a minute. */
const TOUCH_AFTER = 60;

/**
 * Creates a service for API keys. Only the SHA-256 digest of a key is stored; 256 bits of the key are random, so that a
 * reader of the store cannot recover it.
 *
 * @throws {TypeError} If a store is missing, or the prefix is not a string.
 * @throws {RangeError} If the prefix is invalid, or `maxPerUser` is not a positive integer.
 *
 * @example
 * ```ts
 * import { apiKeyService, inMemoryAuthStores } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const stores = inMemoryAuthStores();
 * await stores.users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: 0 });
 *
 * const apiKeys = apiKeyService({ ...stores, prefix: "acme" });
 * const { key, info } = await apiKeys.create("u1", { name: "Backup", scope: ["notes:read"] });
 * assertEquals((await apiKeys.verify(key))?.apiKey.scope, ["notes:read"]);
 *
 * await apiKeys.revoke("u1", info.id);
 * assertEquals(await apiKeys.verify(key), undefined);
 * ```
 */
export function apiKeyService(options: ApiKeyServiceOptions): ApiKeyService {
  const { events, warn } = options ?? {};
  const { prefix = DEFAULT_API_KEY_PREFIX, maxPerUser = 100 } = options ?? {};
  if (
    typeof options?.apiKeys?.touch !== "function" || typeof options.users?.findBySub !== "function"
  ) {
    throw new TypeError(`${ACTION}: apiKeys or users are missing`);
  }
  const apiKeys = checkedApiKeys(options.apiKeys);
  const users = checkedUserReader(options.users);
  checkApiKeyPrefix(ACTION, prefix);
  if (!Number.isSafeInteger(maxPerUser) || maxPerUser < 1) {
    throw new RangeError(`${ACTION}: maxPerUser must be a positive integer`);
  }
  const now = createClock(options.now);
  const emit = createEmitter({ events, now, warn });

  function tooMany(): AuthError {
    return new AuthError("too_many_keys", {
      detail: `There are ${maxPerUser} API keys already; revoke one first`,
    });
  }

  async function findActiveUser(sub: string): Promise<User | null> {
    const user = await users.findBySub(sub);
    return user === null || isDisabled(user) ? null : user;
  }

  /**
   * Records a use of a key. After a conflict (a concurrent use, or a revocation) the record that is read counts only if it is
   * newer, because a store may still return the old one.
   */
  async function touch(key: ApiKey, at: number): Promise<ApiKey | null> {
    const usedAt = key.lastUsedAt ?? null;
    if (usedAt !== null && at - usedAt < TOUCH_AFTER) return key;
    const touched = await apiKeys.touch(key.id, usedAt, at);
    if (touched === "updated") return { ...key, lastUsedAt: at };
    const current = await apiKeys.find(key.id);
    return (current?.lastUsedAt ?? -Infinity) > (usedAt ?? -Infinity) ? current : null;
  }

  return Object.freeze({
    async create(sub: string, newKey: NewApiKeyOptions = {}) {
      const { name, scope, expiresIn } = readNewApiKey(newKey);
      const user = await findActiveUser(sub);
      if (user === null) {
        throw new TypeError(
          "Cannot create API key: the user does not exist or is disabled",
        );
      }
      // Unchecked: beside an invalid record, a key can still be created
      if ((await options.apiKeys.list(sub)).length >= maxPerUser) throw tooMany();
      const { key, id, keyHash } = await generateApiKey(prefix);
      const at = now();
      const apiKey: ApiKey = {
        id,
        sub,
        keyHash,
        ...(name === undefined ? {} : { name }),
        scope,
        createdAt: at,
        ...(expiresIn === undefined ? {} : { expiresAt: at + expiresIn }),
      };
      await apiKeys.create(apiKey);
      // A concurrent disable() may have revoked all keys before this one was stored. A re-enabled account has another stamp
      const current = await findActiveUser(sub);
      if (current?.securityStamp !== user.securityStamp) {
        await apiKeys.revoke(id);
        throw new AuthError("service_unavailable", { reason: "user_changed" });
      }
      if ((await options.apiKeys.list(sub)).length > maxPerUser) { // concurrent requests have all seen room
        await apiKeys.revoke(id);
        throw tooMany();
      }
      emit("api_key.created", { sub, apiKeyId: id });
      return { key, info: toApiKeyInfo(apiKey) };
    },

    async list(sub: string) {
      const found = await apiKeys.list(sub);
      return [...found].sort((a, b) => b.createdAt - a.createdAt).map(toApiKeyInfo);
    },

    async revoke(sub: string, id: string) {
      const found = await options.apiKeys.find(id); // unchecked: an invalid record can be revoked, too
      if (found === null || found.sub !== sub) return false;
      await apiKeys.revoke(id);
      emit("api_key.revoked", { sub, apiKeyId: id });
      return true;
    },

    async revokeAll(sub: string) {
      await apiKeys.revokeAll(sub);
      emit("api_key.revoked", { sub });
    },

    // Format and checksum, prefix, stored record, secret, expiry, user, last use
    async verify(key: string) {
      const parsed = parseApiKey(key);
      if (parsed === undefined || parsed.prefix !== prefix) return undefined;
      const found = await apiKeys.find(parsed.id);
      const keyHash = await digestApiKey(parsed); // the same work for unknown keys
      if (found === null || !equalText(found.keyHash, keyHash)) return undefined;
      const at = now();
      if (at >= (found.expiresAt ?? Infinity)) return undefined;
      const user = await findActiveUser(found.sub);
      if (user === null) return undefined;
      const current = await touch(found, at);
      if (current === null) return undefined;
      return { apiKey: toApiKeyInfo(current), user: toUserInfo(user) };
    },
  });
}

/** 1 to 100 characters: no control characters, lone surrogates or Unicode line separators. */
const NAME_REGEXP = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,100}$/u;

/** Reads the options of a new key. @throws {TypeError | RangeError} If one is invalid. */
export function readNewApiKey(options: NewApiKeyOptions): {
  readonly name: string | undefined;
  readonly scope: readonly string[];
  readonly expiresIn: number | undefined;
} {
  const { name, scope = [], expiresIn } = options;
  // A misspelt expiresIn would create a key without expiry
  rejectUnknownOptions<NewApiKeyOptions>(CANNOT_CREATE_KEY, options, {
    name: true,
    scope: true,
    expiresIn: true,
  });
  if (expiresIn !== undefined) requireSeconds(CANNOT_CREATE_KEY, { expiresIn });
  return {
    name: name === undefined ? undefined : readName(name),
    scope: readScope(CANNOT_CREATE_KEY, scope),
    expiresIn,
  };
}

function readName(name: unknown): string {
  if (typeof name !== "string") throw new TypeError(`${CANNOT_CREATE_KEY}: name must be a string`);
  const trimmed = name.trim();
  if (NAME_REGEXP.test(trimmed)) return trimmed;
  throw new RangeError(
    `${CANNOT_CREATE_KEY}: name must be 1 to 100 characters without control characters`,
  );
}

/** The public data of a key. Members are listed, because a store may return more than was stored. */
export function toApiKeyInfo(key: ApiKey): ApiKeyInfo {
  const { id, sub, name, scope, createdAt, expiresAt, lastUsedAt } = key;
  return {
    id,
    sub,
    ...(typeof name === "string" ? { name } : {}),
    scope,
    createdAt,
    ...(typeof expiresAt === "number" ? { expiresAt } : {}),
    ...(typeof lastUsedAt === "number" ? { lastUsedAt } : {}),
  };
}
