/** The routes of passkeys: the list, new names and removals. */

import type { PasskeyInfo } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { ADA, EVE_PASSWORD, types } from "../_services.ts";
import { assertRefused } from "./_routes.ts";
import {
  ask,
  BASE,
  bodyOf,
  createAuthenticator,
  createPasskeyApp,
  register,
  withPasskey,
} from "./_passkeys.ts";

const NOT_FOUND = { status: 404, code: "not_found" };

Deno.test(`GET ${BASE}/credentials lists the user's passkeys, and what the Signal API takes`, async () => {
  const { app, page, passkey } = await withPasskey();
  const eve = app.browser();
  await bodyOf(eve.register({ identifier: "eve", password: EVE_PASSWORD }), 201);
  await bodyOf(register(eve, createAuthenticator()), 201);
  app.clock.now += 60;
  const { credential } = await bodyOf(register(page, createAuthenticator()), 201);
  const { credentials, signals } = await bodyOf(page.send(`${BASE}/credentials`));
  const ids = [passkey.id, credential.id];
  assertEquals(credentials.map(({ id }: PasskeyInfo) => id), ids);
  assertEquals(
    Object.keys(credential).sort(),
    Object.keys(passkey).sort().filter((name) => name !== "name"),
  );
  const { rpId, userId } = signals.allAcceptedCredentials;
  assertEquals(signals.allAcceptedCredentials, { rpId, userId, allAcceptedCredentialIds: ids });
  assertEquals(signals.currentUserDetails, {
    ...{ rpId: "example.com", userId, name: ADA.identifier, displayName: ADA.identifier },
  });
});

for (const path of ["credentials/rename", "credentials/remove"] as const) {
  Deno.test(`POST ${BASE}/${path} answers an unknown id and another user's id alike`, async () => {
    const { app, passkey } = await withPasskey();
    const eve = app.browser();
    await bodyOf(eve.register({ identifier: "eve", password: EVE_PASSWORD }), 201);
    app.events.length = 0;
    for (const id of ["unknown", "", "__proto__", passkey.id]) {
      await assertRefused(await ask(eve, path, { id, name: "Mine" }), NOT_FOUND);
    }
    assertEquals((await app.stores.credentials.find(passkey.id))?.name, "Phone");
    assertEquals(app.events, []);
  });
}

Deno.test(`POST ${BASE}/credentials/remove removes a passkey, unless the user could not sign in then`, async () => {
  const app = createPasskeyApp({ webauthn: { signUp: true } });
  const page = app.browser();
  const options = { identifier: "grace" };
  const first = (await bodyOf(register(page, createAuthenticator(), { options }), 201)).credential;
  const refused = await bodyOf(ask(page, "credentials/remove", { id: first.id }), 409);
  assertEquals(refused.code, "last_way_in");
  const second = (await bodyOf(register(page, createAuthenticator()), 201)).credential;
  app.events.length = 0;
  await bodyOf(ask(page, "credentials/remove", { id: first.id }), 204);
  assertEquals(types(app.events), ["webauthn.removed"]);
  assertEquals(
    (await bodyOf(ask(page, "credentials/remove", { id: second.id }), 409)).code,
    "last_way_in",
  );
  await assertRefused(await ask(page, "credentials/remove", { id: first.id }), NOT_FOUND);
});
