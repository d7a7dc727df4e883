/** The catalogue "Sign-in": an application's own form, posted from elsewhere; rows are only added. */

import { assertEquals } from "@std/assert";
import { apiKeyService } from "../../auth/tokens/api_key_service.ts";
import { createKeyApp } from "./_api_keys.ts";
import {
  CLIENT,
  OTHER_PASSWORD,
  PASSWORD,
  type Services,
  types,
  withAda,
} from "../auth/_services.ts";
import { enterApp } from "../auth/http/_sign_in.ts";

/** Requests whose browser an attacker would sign in to the attacker's account, or whose sender is unknown. */
const FORGED: readonly (readonly [
  source: string,
  what: string,
  headers: Readonly<Record<string, string | undefined>>,
  status: number,
])[] = [
  ["CWE-352", "a page of another site", { "Sec-Fetch-Site": "cross-site" }, 403],
  ["CWE-352", "a page of a sibling domain", { "Sec-Fetch-Site": "same-site" }, 403],
  ["CWE-352", "another site, in a browser without Fetch Metadata", {
    "Sec-Fetch-Site": undefined,
    Origin: "https://evil.example",
  }, 403],
  ["CWE-352", "a sandboxed page", { "Sec-Fetch-Site": undefined, Origin: "null" }, 403],
  ["CWE-352", "neither an origin nor a token", {
    "Sec-Fetch-Site": undefined,
    Origin: undefined,
  }, 403],
  ["neighbour", "an own page", {}, 200],
  ["neighbour", "an own page, in a browser without Fetch Metadata", {
    "Sec-Fetch-Site": undefined,
    Origin: "https://example.com",
  }, 200],
];
for (const [source, what, headers, status] of FORGED) {
  Deno.test(
    `[${source}] login CSRF: ${what} → ${status}${
      status === 403 ? ", no session, and the browser's own one is kept" : ""
    }`,
    async () => {
      const app = enterApp();
      const client = await app.signedIn();
      const before = client.jar.get("__Host-sid") ?? "";
      app.events.length = 0;
      const init = { method: "POST", json: {}, headers, token: false } as const;
      assertEquals((await client.send("/enter", init)).status, status);
      if (status === 200) return;
      assertEquals(types(app.events).filter((type) => type.startsWith("session.")), []);
      assertEquals(client.jar.get("__Host-sid"), before);
      assertEquals((await client.send("/me")).status, 200);
    },
  );
}

Deno.test("[CWE-352] login CSRF: no origin, but the token → 200", async () => {
  const app = enterApp();
  const client = await app.signedIn();
  const headers = { "Sec-Fetch-Site": undefined, Origin: undefined };
  const token = await client.token();
  const init = { method: "POST", json: {}, headers, token };
  assertEquals((await client.send("/enter", init)).status, 200);
});

/** What a thief of a password has created is revoked when the account is recovered. */
const KEYS: readonly (readonly [
  source: string,
  what: string,
  replace: (services: Services) => Promise<unknown>,
  keys: "revoked" | "valid",
])[] = [
  ["CWE-613", "a reset", ({ passwords }) => passwords.reset("u1", OTHER_PASSWORD), "revoked"],
  ["neighbour", "a reset that keeps API keys", ({ passwords }) => {
    return passwords.reset("u1", OTHER_PASSWORD, { keepApiKeys: true });
  }, "valid"],
  ["neighbour", "a change by the owner", ({ passwords }) => {
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    return passwords.change("u1", change, CLIENT);
  }, "valid"],
  ["CWE-613", "a disabled account", ({ accounts }) => accounts.disable("u1"), "revoked"],
];
for (const [source, what, replace, keys] of KEYS) {
  Deno.test(`[${source}] API keys: ${what} → the user's are ${keys}, others stay valid`, async () => {
    const services = await withAda();
    const { stores, clock, passwords } = services;
    const apiKeys = apiKeyService({ ...stores, now: () => clock.now });
    await passwords.createUser({ identifier: "eve", password: PASSWORD }, { sub: "u2" });
    const own = await apiKeys.create("u1", { name: "Planted" });
    const other = await apiKeys.create("u2", { name: "Eve's" });
    await replace(services);
    assertEquals(await apiKeys.verify(own.key) !== undefined, keys === "valid");
    assertEquals(await apiKeys.verify(other.key) !== undefined, true);
  });
}

Deno.test("[CWE-613] API keys: a reset by the runtime of registerAuth() → revoked", async () => {
  const { app, apiKeys, known } = await createKeyApp();
  await app.runtime.passwords.reset("u1", OTHER_PASSWORD);
  assertEquals(await apiKeys.verify(known.key), undefined);
});
