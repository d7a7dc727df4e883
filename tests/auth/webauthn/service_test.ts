/** Registrations of passkeys for users who are signed in. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { decodeBase64Url, encodeBase64Url } from "../../../auth/_base64url.ts";
import { parseCoseKey } from "../../../auth/webauthn/_cose.ts";
import type { CoseAlgorithm } from "../../../auth/webauthn/types.ts";
import { ALGORITHMS } from "./_authenticator_keys.ts";
import {
  BROWSER,
  createAuthenticator,
  createScene,
  outcomes,
  recordOf,
  refusal,
  register,
  repeat,
  RP_ID,
  selfAttester,
  setDisabled,
  signIn,
  START,
} from "./_passkeys.ts";

const CHALLENGE_REGEXP = /^[\w-]{43}$/;

Deno.test("registrationOptions() returns the JSON of creation options", async () => {
  const { service } = await createScene();
  const { challenge, user: { id, ...user }, ...options } = await service.registrationOptions(
    "ada",
    { browser: BROWSER },
  );
  assertMatch(challenge, CHALLENGE_REGEXP);
  assertMatch(id, CHALLENGE_REGEXP);
  assertEquals(user, { name: "ada@example.org", displayName: "ada@example.org" });
  assertEquals(options, {
    rp: { id: RP_ID, name: "Example" },
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({
      type: "public-key" as const,
      alg: alg as CoseAlgorithm,
    })),
    timeout: 300_000,
    excludeCredentials: [],
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    },
    hints: [],
    attestation: "none",
    extensions: { credProps: true },
  });
});

Deno.test("registrationOptions() returns what was configured", async () => {
  const { service } = await createScene({
    algorithms: [-36],
    timeout: 60,
    residentKey: "preferred",
    identified: true,
    userVerification: "preferred",
    hints: ["security-key"],
    attestation: "direct",
    verifyAttestation: () => ({ trusted: true }),
  });
  const options = await service.registrationOptions("ada", { browser: BROWSER });
  assertEquals(options.pubKeyCredParams, [{ type: "public-key", alg: -36 }]);
  assertEquals(options.timeout, 60_000);
  assertEquals(options.authenticatorSelection, {
    residentKey: "preferred",
    requireResidentKey: false,
    userVerification: "preferred",
  });
  assertEquals([options.hints, options.attestation], [["security-key"], "direct"]);
});

Deno.test("registrationOptions() names users by handles that are stable, differ, and tell nothing", async () => {
  const scene = await createScene();
  const other = await createScene({ rpId: "example.org", origins: ["https://example.org"] });
  const idOf = async ({ service }: typeof scene, sub: string) =>
    (await service.registrationOptions(sub, { browser: BROWSER })).user.id;
  const ids = [
    await idOf(scene, "ada"),
    await idOf(scene, "eve"),
    await idOf(other, "ada"),
  ];
  assertEquals(new Set(ids).size, 3);
  assertEquals(await idOf(scene, "ada"), ids[0]);
});

for (const algorithm of ALGORITHMS) {
  Deno.test(`verifyRegistration() stores a passkey with the algorithm ${algorithm}, which signs in`, async () => {
    const scene = await createScene({ algorithms: ALGORITHMS });
    const authenticator = createAuthenticator({ algorithm });
    const { id } = await register(scene, authenticator, { change: { attester: selfAttester() } });
    const { publicKey } = await recordOf(scene, id);
    assertEquals(parseCoseKey(decodeBase64Url(publicKey)).algorithm, algorithm);
    assertEquals((await signIn(scene, authenticator)).credentialId, id);
  });
}

Deno.test("verifyRegistration() stores what the authenticator said, and returns what a user may see", async () => {
  const scene = await createScene();
  const authenticator = createAuthenticator({ aaguid: new Uint8Array(16).fill(0xab) });
  const { challenge: _, user, ...options } = await scene.service.registrationOptions("ada", {
    browser: BROWSER,
  });
  assert(options.excludeCredentials.length === 0);
  const credential = await register(scene, authenticator, {
    name: "  Phone ",
    change: { counter: 7, flags: { be: true, bs: true }, transports: ["usb", "nfc", "usb"] },
  });
  const [key] = authenticator.credentials;
  assert(key !== undefined);
  const seen = {
    id: encodeBase64Url(key.id),
    name: "Phone",
    createdAt: START,
    transports: ["nfc", "usb"],
    backupEligible: true,
    backedUp: true,
    userVerified: true,
    discoverable: true,
    aaguid: "abababab-abab-abab-abab-abababababab",
  };
  assertEquals(credential, seen);
  const { publicKey, ...record } = await recordOf(scene, credential.id);
  assertMatch(publicKey, /^[\w-]+$/);
  assertEquals(record, {
    ...seen,
    sub: "ada",
    rpId: RP_ID,
    userHandle: user.id,
    signCount: 7,
    fmt: "none",
  });
});

Deno.test("verifyRegistration() keeps a discoverability that the browser says, and no other", async () => {
  const scene = await createScene();
  const rows = [[{ rk: false }, false], [{ rk: "true" }, undefined], ["x", undefined]] as const;
  for (const [credProps, discoverable] of rows) {
    const change = { clientExtensionResults: { credProps } };
    const { id } = await register(scene, createAuthenticator(), { change });
    assertEquals((await recordOf(scene, id)).discoverable, discoverable);
  }
});

Deno.test("registrationOptions() excludes the user's passkeys, and an authenticator that has one gives no second", async () => {
  const scene = await createScene();
  const phone = createAuthenticator();
  const first = await register(scene, phone, { change: { transports: ["internal"] } });
  await register(scene, createAuthenticator(), { sub: "eve" });
  scene.clock.now++;
  const second = await register(scene, createAuthenticator(), { change: { transports: "x" } });
  const options = await scene.service.registrationOptions("ada", { browser: BROWSER });
  assertEquals(options.excludeCredentials, [
    { type: "public-key", id: first.id, transports: ["internal"] },
    { type: "public-key", id: second.id },
  ]);
  await assertRejects(() => register(scene, phone), DOMException, "registered already");
});

Deno.test("registrationOptions() and verifyRegistration() allow at most maxCredentials", async () => {
  const scene = await createScene({ maxCredentials: 2 });
  await register(scene);
  const options = await scene.service.registrationOptions("ada", { browser: BROWSER });
  const { id } = await register(scene);
  const begun = await refusal(() => scene.service.registrationOptions("ada", { browser: BROWSER }));
  assertEquals([begun.status, begun.code], [409, "too_many_credentials"]);
  const response = await createAuthenticator().create(options);
  const ended = await refusal(() =>
    scene.service.verifyRegistration(response, { browser: BROWSER, sub: "ada" })
  );
  assertEquals(ended.code, "too_many_credentials");
  assertEquals((await scene.service.list("ada")).credentials.length, 2);
  await scene.service.remove("ada", id);
  await register(scene);
});

Deno.test("registrationOptions() refuses a user who does not exist or is disabled", async () => {
  const scene = await createScene();
  await setDisabled(scene.stores, "eve");
  for (const sub of ["eve", "nobody", ""]) {
    const error = await refusal(() => scene.service.registrationOptions(sub, { browser: BROWSER }));
    assertEquals([error.status, error.code], [401, "unauthenticated"], sub);
  }
});

Deno.test("verifyRegistration() accepts a passkey without UP and UV only if its options were conditional", async () => {
  const scene = await createScene();
  const { service } = scene;
  const flags = { up: false, uv: false };
  const options = await service.registrationOptions("ada", { browser: BROWSER, conditional: true });
  assertEquals(options.authenticatorSelection.userVerification, "preferred");
  const phone = createAuthenticator();
  const { userVerified, id } = await register(scene, phone, {
    conditional: true,
    change: { flags },
  });
  assertEquals(userVerified, false);
  for (const missing of [flags, { up: false }, { uv: false }]) {
    await refusal(() => register(scene, createAuthenticator(), { change: { flags: missing } }));
  }
  await refusal(() => signIn(scene, phone, { change: { flags: { uv: false } } }));
  assertEquals((await recordOf(scene, id)).userVerified, false);
  await signIn(scene, phone);
  assertEquals((await recordOf(scene, id)).userVerified, true);
});

Deno.test("verifyRegistration() offers what the options offered, whatever is configured at its end", async () => {
  const before = await createScene({ algorithms: [-8] });
  const { stores, clock } = before;
  const after = await createScene({ stores, clock, algorithms: [-7] });
  const options = await before.service.registrationOptions("ada", { browser: BROWSER });
  const response = await createAuthenticator().create(options);
  const owner = { browser: BROWSER, sub: "ada" };
  assertEquals((await after.service.verifyRegistration(response, owner)).signUp, undefined);
});

Deno.test("verifyRegistration() stores nothing for a user who has changed or has no room, not even for a moment", async () => {
  const stored: string[] = [];
  const scene = await createScene({
    maxCredentials: 1,
    wrap: ({ credentials }) => ({
      credentials: {
        ...credentials,
        create(credential) {
          stored.push(credential.sub);
          return credentials.create(credential);
        },
      },
    }),
  });
  const { service, stores } = scene;
  const begun = await Promise.all(
    ["ada", "eve"].map((sub) => service.registrationOptions(sub, { browser: BROWSER })),
  );
  await register(scene);
  await setDisabled(stores, "eve");
  for (const [i, sub] of ["ada", "eve"].entries()) {
    const options = begun[i];
    assert(options !== undefined);
    const response = await createAuthenticator().create(options);
    await refusal(() => service.verifyRegistration(response, { browser: BROWSER, sub }));
  }
  assertEquals(stored, ["ada"]);
});

Deno.test("verifyRegistration() deletes a passkey that was stored after the account was taken back", async () => {
  const scene = await createScene({
    wrap: ({ credentials, users }) => ({
      credentials: {
        ...credentials,
        async create(credential) { // at the moment when all passkeys have just been deleted
          const { version = "" } = await users.findBySub("ada") ?? {};
          await users.update("ada", version, { securityStamp: "recovered" });
          return await credentials.create(credential);
        },
      },
    }),
  });
  const error = await refusal(() => register(scene));
  assertEquals([error.code, error.reason], ["webauthn_failed", "user_changed"]);
  assertEquals(await scene.stores.credentials.list("ada"), []);
  assertEquals(scene.events.map(({ type }) => type), ["webauthn.failed"]);
});

Deno.test("verifyRegistration(), 50 times at once with challenges of one user: never more than maxCredentials", async () => {
  const scene = await createScene({ maxCredentials: 5, algorithms: [-8] });
  const ended = await Promise.allSettled(repeat(50, () => register(scene)));
  const { length } = await scene.stores.credentials.list("ada");
  assert(length <= 5, `${length}`);
  assertEquals(ended.filter(({ status }) => status === "fulfilled").length, length);
});

Deno.test("verifyRegistration(), 200 times at once with one challenge: one wins", async () => {
  const { service, stores } = await createScene();
  const options = await service.registrationOptions("ada", { browser: BROWSER });
  const responses = await Promise.all(
    repeat(200, () => createAuthenticator({ algorithm: -8 }).create(options)),
  );
  const owner = { browser: BROWSER, sub: "ada" };
  const ended = responses.map((response) => service.verifyRegistration(response, owner));
  assertEquals(await outcomes(ended), { made: 1, invalid_challenge: 199 });
  assertEquals((await stores.credentials.list("ada")).length, 1);
});
