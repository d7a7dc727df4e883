/** The routes of passkeys: registrations and sign-ups. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { ADA, START, types } from "../_services.ts";
import { assertRefused, cookiesOf } from "./_routes.ts";
import {
  ANONYMOUS,
  ask,
  BASE,
  bodyOf,
  createAuthenticator,
  createPasskeyApp,
  register,
  withPasskey,
} from "./_passkeys.ts";

Deno.test(`POST ${BASE}/register/options returns options for the user of the session`, async () => {
  const { page, passkey } = await withPasskey();
  const options = await bodyOf(ask(page, "register/options"));
  assertMatch(options.challenge, /^[\w-]{43}$/);
  assertEquals(options.rp, { id: "example.com", name: "Example" });
  assertEquals([options.user.name, options.user.displayName], [ADA.identifier, ADA.identifier]);
  assertEquals(
    options.excludeCredentials.map(({ id }: { readonly id: string }) => id),
    [passkey.id],
  );
  assertEquals(options.authenticatorSelection.userVerification, "required");
  const conditional = await bodyOf(ask(page, "register/options", { conditional: true }));
  assertEquals(conditional.authenticatorSelection.userVerification, "preferred");
});

Deno.test(`POST ${BASE}/register/verify returns the passkey alone, and the session goes on`, async () => {
  const app = createPasskeyApp();
  const page = await app.signedIn();
  const sid = page.jar.get("__Host-sid");
  const response = await register(page, createAuthenticator(), { name: "Phone" });
  assertEquals([response.status, response.headers.getSetCookie()], [201, []]);
  const { credential, ...rest } = await response.json();
  assertEquals(rest, {});
  const [record] = await app.stores.credentials.list("u1");
  assertEquals(credential, {
    id: record?.id,
    name: "Phone",
    createdAt: START,
    transports: ["hybrid", "internal"],
    backupEligible: true,
    backedUp: true,
    userVerified: true,
    discoverable: true,
    aaguid: "00000000-0000-0000-0000-000000000000",
  });
  assertEquals(page.jar.get("__Host-sid"), sid);
  assertEquals(types(app.events), ["webauthn.registered"]);
});

Deno.test(`POST ${BASE}/register/verify creates an account, and signs in`, async () => {
  const app = createPasskeyApp({ webauthn: { signUp: true } });
  const page = app.browser();
  const authenticator = createAuthenticator();
  const init = { options: { identifier: " Grace@Example.org" }, name: "Phone" };
  const response = await register(page, authenticator, init);
  const cookies = Object.keys(cookiesOf(response));
  const { credential, ...rest } = await bodyOf(Promise.resolve(response), 201);
  assertEquals(Object.keys(rest), ["principal", "session", "user", "csrfToken"]);
  const user = await app.stores.users.findByIdentifier("grace@example.org");
  assert(user !== null && user.passwordHash === undefined);
  assertEquals(rest.user, { sub: user.sub, identifier: "grace@example.org" });
  assertEquals([rest.principal.method, rest.principal.acr], ["webauthn", "phr"]);
  assertEquals([credential.name, credential.userVerified], ["Phone", true]);
  assertEquals(cookies.sort(), ["__Host-csrf", "__Host-sid"]);
  assertEquals((await bodyOf(page.send("/me"))).sub, user.sub);
  assertEquals(types(app.events), ["user.created", "webauthn.registered", "session.created"]);
});

/** Configurations in which nobody creates an account with a passkey. */
const CLOSED:
  readonly (readonly [why: string, signUp: boolean, registration: "open" | "closed"])[] = [
    ["signUp is false", false, "open"],
    ["registration is closed", true, "closed"],
  ];

for (const [why, signUp, registration] of CLOSED) {
  Deno.test(`POST ${BASE}/register/options refuses an identifier as anonymous if ${why}`, async () => {
    const app = createPasskeyApp({
      webauthn: { signUp },
      integration: { routes: { registration } },
    });
    for (const identifier of ["grace", ADA.identifier, "", 5]) {
      const response = await ask(app.browser(), "register/options", { identifier });
      await assertRefused(response, ANONYMOUS);
    }
    assertEquals(app.events, []);
  });
}

/** Identifiers of sign-ups, and the refusals. */
const IDENTIFIERS:
  readonly (readonly [why: string, identifier: string, status: number, code: string])[] = [
    ["taken", ADA.identifier, 409, "identifier_unavailable"],
    ["empty", "", 400, "invalid_identifier"],
  ];

for (const [why, identifier, status, code] of IDENTIFIERS) {
  Deno.test(`POST ${BASE}/register/options refuses an identifier that is ${why} with ${status}`, async () => {
    const app = createPasskeyApp({ webauthn: { signUp: true } });
    await app.signedIn();
    const body = await bodyOf(ask(app.browser(), "register/options", { identifier }), status);
    assertEquals(body.code, code);
  });
}
