/** The ring of signing keys over an adapter, where it is encrypted anew and rotated at once. */

import { assertEquals } from "@std/assert";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import { type KeyService, keyService } from "../../../auth/keys/key_service.ts";
import { repoKeyStore } from "../../../auth/stores/repo.ts";
import type { StorageAdapter } from "../../../auth/stores/adapter.ts";
import { memoryAdapter } from "../../contracts/_memory_adapter.ts";
import { OLD, TODAY } from "../keys/_encrypted_keys.ts";

const START = 1_700_000_000;
const now = () => START;

Deno.test("repoKeyStore() loses no write of a ring that is encrypted anew and rotated in one reading", async () => {
  const inner = memoryAdapter({ now });
  const outcomes: string[] = [];
  const adapter: StorageAdapter = {
    ...inner,
    atomic: {
      async cas(...args) {
        const result = await inner.atomic?.cas(...args) ?? { status: "lost" };
        outcomes.push(result.status);
        return result;
      },
    },
  };
  const service = (secret: string | readonly string[]): KeyService =>
    keyService({
      store: repoKeyStore({ adapter }),
      keys: deriveKeys(secret),
      algorithms: ["Ed25519"],
      now,
    });
  await service(OLD).jwks();
  await service([TODAY, OLD]).rotate();
  assertEquals(outcomes, ["ok", "ok", "ok"], "made, encrypted anew, rotated");
  assertEquals((await service(TODAY).jwks()).keys.length, 2);
});
