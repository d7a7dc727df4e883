/**
 * Everything that gives access to an account.
 *
 * @module
 */

import type { AuthStores, PasswordService, SessionService } from "../../../auth/mod.ts";
import { ADA, NOBODY, PASSWORD, START } from "./_accounts.ts";

/** How much of each {@linkcode giveAccess} gives. */
export const ACCESS = {
  sessions: 1,
  refreshTokens: 1,
  apiKeys: 1,
  passkeys: 1,
  identities: 1,
  factors: 1,
} as const;

/** Gives Ada, `u1`, one of everything. */
export async function giveAccess(
  { stores, passwords, sessions }: {
    readonly stores: AuthStores;
    readonly passwords: PasswordService;
    readonly sessions: SessionService;
  },
): Promise<void> {
  const authentication = await passwords.verify({ identifier: ADA, password: PASSWORD }, NOBODY);
  const { securityStamp } = authentication;
  const at = { createdAt: START, expiresAt: START + 9_000 };
  await sessions.create(authentication);
  await stores.refreshTokens.create({
    ...{ id: "f1", sub: "u1", securityStamp, currentHash: "h", generation: 0, revoked: false },
    ...{ ...at, familyExpiresAt: START + 9_000, authTime: START, amr: ["pwd"] },
  });
  await stores.apiKeys.create({ id: "k1", sub: "u1", scope: [], keyHash: "h", createdAt: START });
  await stores.credentials.create({
    ...{ id: "c1", sub: "u1", rpId: "example.org", userHandle: "h", publicKey: "p", signCount: 0 },
    ...{ backupEligible: false, backedUp: false, userVerified: true, aaguid: "a", fmt: "none" },
    createdAt: START,
  });
  await stores.identities.create({
    ...{ id: "i1", issuer: "https://id.example", subject: "s", sub: "u1", provider: "id" },
    ...{ linkedAt: START, usedAt: START },
  });
  await stores.factors.save({ sub: "u1", recoveryCodes: ["r"] }, null);
}

/** How much of each is left. */
export async function accessOf(
  { stores }: { readonly stores: AuthStores },
  sub: string = "u1",
): Promise<Record<keyof typeof ACCESS, number>> {
  const family = await stores.refreshTokens.find("f1");
  return {
    sessions: (await stores.sessions.list(sub)).length,
    refreshTokens: family === null || family.revoked === true ? 0 : 1,
    apiKeys: (await stores.apiKeys.list(sub)).length,
    passkeys: (await stores.credentials.list(sub)).length,
    identities: (await stores.identities.list(sub)).length,
    factors: await stores.factors.find(sub) === null ? 0 : 1,
  };
}
