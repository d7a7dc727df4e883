/**
 * An application that accepts API keys, and what an attacker may know about one of them.
 *
 * @module
 */

import { assert } from "@std/assert";
import { apiKeyService } from "../../auth/tokens/api_key_service.ts";
import type { ApiKeyService } from "../../auth/tokens/api_key_types.ts";
import { inMemoryAuthStores } from "../../auth/stores/memory.ts";
import type { ApiKey, ApiKeyStore, AuthStores } from "../../auth/stores/types.ts";
import { apiKeyStrategy } from "../../auth/tokens/api_key_strategy.ts";
import { createTestApp, type TestApp } from "../auth/http/_app.ts";
import { START } from "../auth/_services.ts";

export interface Known {
  readonly key: string;
  readonly stored: ApiKey;
}

export interface KeyApp {
  readonly app: TestApp;
  readonly apiKeys: ApiKeyService;
  readonly known: Known;
  /** Calls of the store since the key was created. */
  readonly calls: string[];
  /** The method of the store that fails. */
  readonly broken: { method?: keyof ApiKeyStore };
}

/** An application that accepts API keys, and a key of Ada's. */
export async function createKeyApp(): Promise<KeyApp> {
  const calls: string[] = [];
  const broken: KeyApp["broken"] = {};
  const clock = { now: START };
  const kept = inMemoryAuthStores({ now: () => 0 });
  const stores: AuthStores = {
    ...kept,
    apiKeys: new Proxy(kept.apiKeys, {
      get: (target, name: keyof ApiKeyStore) => (...args: unknown[]) => {
        calls.push(name);
        if (broken.method === name) return Promise.reject(new Error("SELECT failed"));
        return Reflect.apply(target[name], target, args);
      },
    }),
  };
  const apiKeys = apiKeyService({ ...stores, now: () => clock.now });
  const app = createTestApp({ stores, clock, strategies: [apiKeyStrategy({ apiKeys })] });
  await app.signedIn();
  const { key } = await apiKeys.create("u1", { name: "Backup", expiresIn: 3_600 });
  const [stored] = await stores.apiKeys.list("u1");
  assert(stored !== undefined);
  calls.length = 0;
  return { app, apiKeys, known: { key, stored }, calls, broken };
}

/** The key with another digit at one position. */
export function turned(key: string, at: number): string {
  const digits = [...key];
  const place = at < 0 ? key.length + at : at;
  digits[place] = digits[place] === "0" ? "1" : "0";
  return digits.join("");
}
