/** Accounts that are created with a passkey. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import {
  BROWSER,
  createAuthenticator,
  createScene,
  outcomes,
  recordOf,
  refusal,
  repeat,
  setDisabled,
  signIn,
  signUp,
  START,
} from "./_passkeys.ts";

Deno.test("verifyRegistration() of a sign-up creates the account, and returns its authentication", async () => {
  const scene = await createScene({ signUp: true });
  const phone = createAuthenticator();
  const { credential, signUp: made } = await signUp(scene, " Grace@Example.ORG ", phone);
  assert(made !== undefined);
  const { sub, securityStamp } = made;
  assertMatch(sub, /^[\w-]{20,}$/);
  assertNotEquals(securityStamp, "");
  assertEquals(made, {
    sub,
    securityStamp,
    authTime: START,
    amr: ["pop", "user", "mfa"],
    acr: "phr",
    user: { sub, identifier: "grace@example.org", createdAt: START },
    credentialId: credential.id,
  });
  const { version: _, ...user } = await scene.stores.users.findBySub(sub) ?? {};
  assertEquals(user, {
    ...{ sub, identifier: "grace@example.org", securityStamp, createdAt: START },
  });
  assertEquals((await recordOf(scene, credential.id)).sub, sub);
  assertEquals((await signIn(scene, phone)).sub, sub);
  const other = await signUp(scene, "hopper");
  assertNotEquals(other.signUp?.securityStamp, securityStamp);
});

Deno.test("signUpOptions() names the account by its identifier, and excludes nothing", async () => {
  const { service } = await createScene({ signUp: true });
  const options = await service.signUpOptions("Grace", { browser: BROWSER });
  assertEquals([options.user.name, options.user.displayName], ["grace", "grace"]);
  assertEquals(options.excludeCredentials, []);
  const again = await service.signUpOptions("Grace", { browser: BROWSER });
  assertNotEquals(again.user.id, options.user.id);
});

const REFUSED:
  readonly (readonly [why: string, identifier: string, code: string, status: number])[] = [
    ["no identifier", "", "invalid_identifier", 400],
    ["two addresses", "a@b,c@d", "invalid_identifier", 400],
    ["an identifier that is taken", "ADA@example.org ", "identifier_unavailable", 409],
  ];

for (const [why, identifier, code, status] of REFUSED) {
  Deno.test(`signUpOptions() rejects ${why}`, async () => {
    const { service } = await createScene({ signUp: true });
    const error = await refusal(() => service.signUpOptions(identifier, { browser: BROWSER }));
    assertEquals([error.code, error.status], [code, status]);
  });
}

Deno.test("signUpOptions() rejects every identifier without the option signUp", async () => {
  const { service, counted } = await createScene();
  for (const identifier of ["grace", "ada@example.org", ""]) {
    const error = await refusal(() => service.signUpOptions(identifier, { browser: BROWSER }));
    assertEquals([error.status, error.code], [403, "access_denied"]);
  }
  assertEquals(counted, []);
});

Deno.test("verifyRegistration() of a sign-up whose identifier was taken meanwhile leaves no passkey and no account", async () => {
  const scene = await createScene({ signUp: true });
  const phone = createAuthenticator();
  const options = await scene.service.signUpOptions("grace", { browser: BROWSER });
  const response = await phone.create(options);
  await signUp(scene, "grace");
  scene.events.length = 0;
  const error = await refusal(() =>
    scene.service.verifyRegistration(response, { browser: BROWSER })
  );
  assertEquals([error.status, error.code], [409, "identifier_unavailable"]);
  assertEquals(await scene.stores.credentials.find(String(response.id)), null);
  assertEquals((await scene.stores.users.list({ limit: 10 })).length, 3);
  assertEquals(scene.events, []);
});

Deno.test("verifyRegistration() of 50 sign-ups with one identifier at once: one wins", async () => {
  const scene = await createScene({ signUp: true, algorithms: [-8] });
  const ended = repeat(50, () => signUp(scene, "grace"));
  assertEquals(await outcomes(ended), { made: 1, identifier_unavailable: 49 });
  const user = await scene.stores.users.findByIdentifier("grace");
  const passkeys = await scene.stores.credentials.list(user?.sub ?? "");
  assertEquals(passkeys.length, 1);
});

Deno.test("verifyRegistration() does not end a sign-up for a user who is signed in, nor the reverse", async () => {
  const { service, stores } = await createScene({ signUp: true });
  const up = await createAuthenticator().create(
    await service.signUpOptions("grace", { browser: BROWSER }),
  );
  const add = await createAuthenticator().create(
    await service.registrationOptions("ada", { browser: BROWSER }),
  );
  for (const [response, owner] of [[up, { sub: "ada" }], [add, {}]] as const) {
    const error = await refusal(() =>
      service.verifyRegistration(response, { browser: BROWSER, ...owner })
    );
    assertEquals(error.reason, "challenge_foreign");
  }
  assertEquals((await stores.users.list({ limit: 10 })).length, 2);
  assertEquals(await stores.credentials.list("ada"), []);
});

Deno.test("verifyRegistration() of a sign-up keeps the passkey if the store of users fails: the account may exist", async () => {
  const scene = await createScene({
    signUp: true,
    wrap: ({ users }) => ({
      users: {
        ...users,
        async create(user) {
          await users.create(user);
          throw new Error("the connection was lost");
        },
      },
    }),
  });
  const phone = createAuthenticator();
  await assertRejects(() => signUp(scene, "grace", phone), Error, "the connection was lost");
  assertEquals((await signIn(scene, phone)).user.identifier, "grace");
});

Deno.test("verifyAuthentication() does not sign in with the passkey of a sign-up whose account was not created", async () => {
  const scene = await createScene({
    signUp: true,
    wrap: ({ users }) => ({
      users: { ...users, create: () => Promise.reject(new Error("the store is down")) },
    }),
  });
  const phone = createAuthenticator();
  await assertRejects(() => signUp(scene, "grace", phone), Error, "the store is down");
  const error = await refusal(() => signIn(scene, phone));
  assertEquals([error.status, error.reason], [401, "user_disabled"]);
  assertEquals((await scene.stores.users.list({ limit: 10 })).length, 2);
});

Deno.test("verifyAuthentication() refuses a user who was disabled, until the account is enabled again", async () => {
  const scene = await createScene({ signUp: true });
  const phone = createAuthenticator();
  const { signUp: made } = await signUp(scene, "grace", phone);
  const { sub = "" } = made ?? {};
  await setDisabled(scene.stores, sub);
  const error = await refusal(() => signIn(scene, phone));
  assertEquals([error.status, error.code, error.reason], [401, "webauthn_failed", "user_disabled"]);
  await setDisabled(scene.stores, sub, false);
  assertEquals((await signIn(scene, phone)).sub, sub);
});
