/** The catalogue "WebAuthn" against the routes of passkeys: stolen credentials, other users, and users who change meanwhile. Rows are only added. */

import { apiKeyService, apiKeyStrategy, inMemoryAuthStores } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { ADA, OTHER_PASSWORD, repeat, setDisabled, START } from "../auth/_services.ts";
import type { TestBrowser } from "../auth/http/_app.ts";
import { JWT } from "../auth/http/_token_routes.ts";
import {
  ask,
  BASE,
  bodyOf,
  createAuthenticator,
  createPasskeyApp,
  type PasskeyApp,
  refusalOf,
  register,
  withTwoUsers,
} from "../auth/http/_passkeys.ts";

/** Credentials that an attacker has stolen: each would let the attacker in for good, by a passkey of the attacker's. */
const STOLEN: readonly (readonly [
  what: string,
  steal: (app: PasskeyApp, attacker: TestBrowser) => Promise<Record<string, string>>,
])[] = [
  ["an API key", async ({ stores, runtime }) => {
    const { key } = await apiKeyService({ ...stores, now: runtime.now }).create("u1");
    return { "X-API-Key": key };
  }],
  ["a new access token", async ({ runtime }) => {
    const authentication = await runtime.passwords.verify({ ...ADA }, { address: undefined });
    const { accessToken = "" } = await runtime.tokens?.issue(authentication) ?? {};
    return { Authorization: `Bearer ${accessToken}` };
  }],
  ["the cookie of a session older than maxAge", async (app, attacker) => {
    const page = await app.signedIn();
    attacker.jar.set("__Host-sid", page.jar.get("__Host-sid") ?? "");
    app.clock.now += 901;
    return {};
  }],
];

for (const [what, steal] of STOLEN) {
  Deno.test(`[ATTACKS] passkeys: add or remove one with ${what} → insufficient_authentication`, async () => {
    const clock = { now: START };
    const stores = inMemoryAuthStores({ now: () => clock.now });
    const apiKeys = apiKeyService({ ...stores, now: () => clock.now });
    const strategies = [apiKeyStrategy({ apiKeys })];
    const { app, passkey } = await withTwoUsers({
      ...{ clock, stores, strategies, jwt: JWT },
      webauthn: { signUp: true }, // the same routes then accept anonymous requests
    });
    const attacker = app.browser();
    const headers = await steal(app, attacker);
    app.events.length = 0;
    for (const path of ["register/options", "register/verify", "credentials/remove"] as const) {
      const json = { id: passkey.id };
      const response = await attacker.post(`${BASE}/${path}`, json, { headers });
      const { code } = await response.json();
      assertEquals([response.status, code], [401, "insufficient_authentication"]);
    }
    const denied = app.events.map((event) => event.type === "authz.denied" && event.sub);
    assertEquals(denied, ["u1", "u1", "u1"]);
    assertEquals((await app.stores.credentials.list("u1")).map(({ id }) => id), [passkey.id]);
  });
}

/** What happens to a user between options and response. */
const CHANGES: readonly (readonly [
  what: string,
  change: (app: PasskeyApp) => Promise<unknown>,
])[] = [
  ["the account is disabled", ({ runtime }) => runtime.users.disable("u1")],
  ["its disabled flag alone is set", ({ stores }) => setDisabled(stores)],
  ["the account is deleted", ({ runtime }) => runtime.users.remove("u1")],
  ["the password is reset", ({ runtime }) => runtime.passwords.reset("u1", OTHER_PASSWORD)],
  ["all sessions are revoked", ({ runtime }) => runtime.sessions.revokeAll("u1")],
];

for (const [what, change] of CHANGES) {
  Deno.test(`[ATTACKS] passkeys: ${what} between options and response of a registration → refused`, async () => {
    const { app, page } = await withTwoUsers();
    const options = await bodyOf(ask(page, "register/options"));
    const response = await createAuthenticator().create(options);
    await change(app);
    const refused = await ask(page, "register/verify", response);
    assertEquals(refused.status, 401);
    await refused.body?.cancel();
    assertEquals(await app.stores.credentials.find(String(response.id)), null);
  });
}

for (const [what, change] of CHANGES) {
  Deno.test(`[neighbour] passkeys: ${what} while a registration is stored → refused, and no passkey is left`, async () => {
    const meanwhile: { change?: () => Promise<unknown> } = {};
    const scene = await withTwoUsers({
      wrap: ({ credentials }) => ({
        credentials: {
          ...credentials,
          async create(credential) {
            await meanwhile.change?.(); // after the last check before it
            return await credentials.create(credential);
          },
        },
      }),
    });
    const { app, page } = scene;
    const response = await createAuthenticator().create(
      await bodyOf(ask(page, "register/options")),
    );
    meanwhile.change = () => change(app);
    const answer = await ask(page, "register/verify", response);
    const isStored = await app.stores.credentials.find(String(response.id)) !== null;
    if (what === "all sessions are revoked") {
      return assertEquals([answer.status, isStored], [201, true]);
    }
    assertEquals(await refusalOf(scene, answer), [400, "webauthn_failed", "user_changed"]);
    assertEquals(isStored, false);
  });
}

Deno.test("[neighbour] passkeys: removals of all at the same time → one is left", async () => {
  const app = createPasskeyApp({ webauthn: { signUp: true } });
  const page = app.browser();
  const options = { identifier: "grace" };
  const { user, credential } = await bodyOf(
    register(page, createAuthenticator(), { options }),
    201,
  );
  const ids: string[] = [credential.id];
  for (const _ of repeat(4, () => 0)) {
    ids.push((await bodyOf(register(page, createAuthenticator()), 201)).credential.id);
  }
  const answers = await Promise.all(
    repeat(100, (i) => ask(page, "credentials/remove", { id: ids[i % ids.length] })),
  );
  for (const answer of answers) await answer.body?.cancel();
  assertEquals(answers.filter(({ status }) => status === 204).length, 4);
  assertEquals((await app.stores.credentials.list(user.sub)).length, 1);
});

Deno.test("[ATTACKS] passkeys: a body that names another user → the session's user counts", async () => {
  const { app, eve, passkey } = await withTwoUsers();
  const options = { sub: "u1", userId: "u1", user: { id: "u1", name: ADA.identifier } };
  const created = await bodyOf(ask(eve, "register/options", options));
  assertEquals(created.user.name, "eve");
  const response = await createAuthenticator().create(created);
  const { credential } = await bodyOf(
    ask(eve, "register/verify", {
      ...response,
      sub: "u1",
      userHandle: "u1",
      credentialId: passkey.id,
    }),
    201,
  );
  const { sub } = await app.stores.credentials.find(credential.id) ?? {};
  assertEquals(sub, (await app.stores.users.findByIdentifier("eve"))?.sub);
  for (const path of ["credentials/rename", "credentials/remove"] as const) {
    const refused = await ask(eve, path, { id: passkey.id, sub: "u1", name: "Mine" });
    assertEquals([refused.status, (await refused.json()).code], [404, "not_found"]);
  }
  assertEquals((await app.stores.credentials.find(passkey.id))?.name, "Phone");
});
