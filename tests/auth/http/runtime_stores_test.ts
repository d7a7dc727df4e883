/** What ends with a password, a session or an account: in every store that the application gave. */

import type { AuthRuntime, Credential, RefreshFamily } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { createTestApp, type TestApp } from "./_app.ts";
import { NOBODY, OTHER_PASSWORD, PASSWORD, START } from "../_services.ts";

const CHANGE = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };

/** How access ends. */
const ENDS: readonly (readonly [why: string, end: (runtime: AuthRuntime) => Promise<unknown>])[] = [
  ["change()", ({ passwords }) => passwords.change("u1", CHANGE, NOBODY)],
  ["reset()", ({ passwords }) => passwords.reset("u1", OTHER_PASSWORD)],
  ["revokeAll()", ({ sessions }) => sessions.revokeAll("u1")],
  ["disable()", ({ users }) => users.disable("u1")],
  ["remove()", ({ users }) => users.remove("u1")],
];

for (const [why, end] of ENDS) {
  Deno.test(`AuthRuntime ends refresh tokens by ${why}, and nobody else's`, async () => {
    const { runtime, stores } = await createApp();
    await end(runtime);
    const families = await Promise.all(["f1", "f9"].map((id) => stores.refreshTokens.find(id)));
    assertEquals(families.map((family) => family?.revoked), [true, false]);
  });
}

Deno.test("AuthRuntime removes passkeys with the account, and nobody else's", async () => {
  const { runtime, stores } = await createApp();
  await runtime.users.remove("u1");
  assertEquals(await stores.credentials.find("c1"), null);
  assertEquals((await stores.credentials.find("c9"))?.sub, "u9");
});

Deno.test("AuthRuntime ends sessions by a password that is changed or reset", async () => {
  for (const [why, end] of ENDS.slice(0, 2)) {
    const app = await createApp();
    const client = await app.signedIn();
    assertEquals((await client.send("/me")).status, 200, why);
    await end(app.runtime);
    assertEquals((await client.send("/me")).status, 401, why);
    assertEquals((await app.stores.sessions.list("u1")).length, 0, why);
  }
});

/** Ada has a session, a refresh token and a passkey, and so has somebody else. */
async function createApp(): Promise<TestApp> {
  const app = createTestApp();
  await app.signedIn();
  const { securityStamp = "" } = await app.stores.users.findBySub("u1") ?? {};
  for (const [id, sub] of [["1", "u1"], ["9", "u9"]] as const) {
    const family: RefreshFamily = {
      id: `f${id}`,
      sub,
      securityStamp,
      currentHash: "hash",
      generation: 0,
      revoked: false,
      createdAt: START,
      expiresAt: START + 1_000,
      familyExpiresAt: START + 10_000,
      authTime: START,
      amr: ["pwd"],
    };
    const passkey: Credential = {
      id: `c${id}`,
      sub,
      publicKey: "key",
      algorithm: -7,
      signCount: 0,
      backupEligible: false,
      backedUp: false,
      createdAt: START,
    };
    await app.stores.refreshTokens.create(family);
    await app.stores.credentials.create(passkey);
  }
  return app;
}
