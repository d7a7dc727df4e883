/** Sign-ins with passkeys. */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { decodeBase64Url } from "../../../auth/_base64url.ts";
import type { CredentialDescriptorJson } from "../../../auth/webauthn/types.ts";
import {
  type Authenticator,
  BROWSER,
  createAuthenticator,
  createScene,
  outcomes,
  type PasskeyScene,
  type PasskeySceneOptions,
  recordOf,
  refusal,
  register,
  repeat,
  RP_ID,
  signIn,
  START,
} from "./_passkeys.ts";

interface PhoneScene extends PasskeyScene {
  readonly phone: Authenticator;
  readonly id: string;
}

/** Ada has a passkey. */
async function withPhone(
  options: PasskeySceneOptions = {},
  phone: Authenticator = createAuthenticator(),
): Promise<PhoneScene> {
  const scene = await createScene(options);
  const { id } = await register(scene, phone);
  scene.events.length = 0;
  return { ...scene, phone, id };
}

Deno.test("authenticationOptions() returns the JSON of request options, whoever asks", async () => {
  const { service } = await withPhone({ hints: ["hybrid"], timeout: 30 });
  for (const identifier of [undefined, "ada@example.org", "nobody", "\u0000"]) {
    const options = await service.authenticationOptions({ browser: BROWSER, identifier });
    const { challenge, ...rest } = options;
    assertMatch(challenge, /^[\w-]{43}$/);
    assertEquals(rest, {
      timeout: 30_000,
      rpId: RP_ID,
      allowCredentials: [],
      userVerification: "required",
      hints: ["hybrid"],
    });
  }
});

Deno.test("authenticationOptions() returns another challenge each time, and does not store it", async () => {
  const keys: string[] = [];
  const { service } = await createScene({
    wrap: ({ states }) => ({
      states: {
        ...states,
        put(key, value, expiresAt) {
          keys.push(key + JSON.stringify(value));
          return states.put(key, value, expiresAt);
        },
      },
    }),
  });
  const asked = await Promise.all(
    repeat(50, () => service.authenticationOptions({ browser: BROWSER })),
  );
  assertEquals(new Set(asked.map(({ challenge }) => challenge)).size, 50);
  for (const { challenge } of asked) assert(!keys.join().includes(challenge));
});

Deno.test("verifyAuthentication() returns the authentication and the user, and records the use", async () => {
  const scene = await withPhone();
  scene.clock.now += 100;
  const change = { counter: 9, flags: { bs: false } };
  assertEquals(await signIn(scene, scene.phone, { change }), {
    sub: "ada",
    securityStamp: "stamp of ada",
    authTime: START + 100,
    amr: ["pop", "user", "mfa"],
    acr: "phr",
    user: { sub: "ada", identifier: "ada@example.org", createdAt: START },
    credentialId: scene.id,
  });
  const { signCount, backedUp, lastUsedAt, userVerified } = await recordOf(scene, scene.id);
  assertEquals([signCount, backedUp, lastUsedAt, userVerified], [9, false, START + 100, true]);
});

Deno.test("verifyAuthentication() with preferred user verification returns mfa only if the user was verified", async () => {
  const scene = await withPhone({ userVerification: "preferred" });
  const { phone, id } = scene;
  const unverified = await signIn(scene, phone, { change: { flags: { uv: false } } });
  assertEquals(unverified.amr, ["pop", "user"]);
  assertEquals((await signIn(scene, phone)).amr, ["pop", "user", "mfa"]);
  assertEquals((await recordOf(scene, id)).userVerified, true);
});

Deno.test("verifyAuthentication() records whether the passkey is backed up, both ways", async () => {
  const scene = await createScene();
  const phone = createAuthenticator();
  const { id } = await register(scene, phone, { change: { flags: { bs: false } } });
  const recorded: boolean[] = [];
  for (const bs of [true, false, true]) {
    await signIn(scene, phone, { change: { flags: { bs } } });
    recorded.push((await recordOf(scene, id)).backedUp);
  }
  assertEquals(recorded, [true, false, true]);
});

Deno.test("verifyAuthentication() records that the user was verified once it was, and not before", async () => {
  const scene = await createScene({ userVerification: "preferred" });
  const phone = createAuthenticator();
  const { id } = await register(scene, phone, { change: { flags: { uv: false } } });
  const recorded: boolean[] = [];
  for (const uv of [false, true, false]) {
    await signIn(scene, phone, { change: { flags: { uv } } });
    recorded.push((await recordOf(scene, id)).userVerified);
  }
  assertEquals(recorded, [false, true, true]);
});

Deno.test("verifyAuthentication() requires what the options required, whatever is configured at its end", async () => {
  const before = await withPhone();
  const { stores, clock, phone } = before;
  const after = await createScene({ stores, clock, userVerification: "preferred" });
  const options = await before.service.authenticationOptions({ browser: BROWSER });
  const response = await phone.get(options, { flags: { uv: false } });
  const error = await refusal(() =>
    after.service.verifyAuthentication(response, { browser: BROWSER })
  );
  assertEquals(error.reason, "user_unverified");
});

Deno.test("verifyAuthentication() signs in with each of several passkeys", async () => {
  const scene = await withPhone();
  const key = createAuthenticator({ algorithm: -8 });
  const { id } = await register(scene, key);
  assertEquals((await signIn(scene, scene.phone)).credentialId, scene.id);
  assertEquals((await signIn(scene, key)).credentialId, id);
  await scene.service.remove("ada", scene.id);
  assertEquals((await refusal(() => signIn(scene, scene.phone))).code, "credential_unknown");
  assertEquals((await signIn(scene, key)).credentialId, id);
});

for (const [seconds, outcome] of [[299, "made"], [300, "invalid_challenge"]] as const) {
  Deno.test(`verifyAuthentication() ${seconds} seconds after the options: ${outcome}`, async () => {
    const { service, phone, clock } = await withPhone();
    const options = await service.authenticationOptions({ browser: BROWSER });
    const response = await phone.get(options);
    clock.now += seconds;
    const ended = service.verifyAuthentication(response, { browser: BROWSER });
    assertEquals(await outcomes([ended]), { [outcome]: 1 });
  });

  Deno.test(`verifyRegistration() ${seconds} seconds after the options: ${outcome}`, async () => {
    const { service, clock } = await createScene();
    const options = await service.registrationOptions("ada", { browser: BROWSER });
    const response = await createAuthenticator().create(options);
    clock.now += seconds;
    const ended = service.verifyRegistration(response, { browser: BROWSER, sub: "ada" });
    assertEquals(await outcomes([ended]), { [outcome]: 1 });
  });
}

Deno.test("verifyAuthentication(), 200 times at once with one challenge: one wins", async () => {
  const { service, phone } = await withPhone();
  const response = await phone.get(await service.authenticationOptions({ browser: BROWSER }));
  const ended = repeat(200, () => service.verifyAuthentication(response, { browser: BROWSER }));
  assertEquals(await outcomes(ended), { made: 1, invalid_challenge: 199 });
});

for (
  const [counter, ends] of [[6, { made: 1, webauthn_failed: 199 }], [0, { made: 200 }]] as const
) {
  Deno.test(`verifyAuthentication(), 200 times at once with the counter ${counter}: ${counter === 0 ? "all win" : "one wins"}`, async () => {
    const { service, phone, events } = await withPhone();
    const responses = await Promise.all(repeat(200, async () => {
      const options = await service.authenticationOptions({ browser: BROWSER });
      return await phone.get(options, { counter });
    }));
    const ended = responses.map((response) =>
      service.verifyAuthentication(response, { browser: BROWSER })
    );
    assertEquals(await outcomes(ended), ends);
    const seen = events.filter(({ type }) => type === "webauthn.counter_regressed").length;
    assertEquals(seen, counter === 0 ? 0 : 199);
  });
}

Deno.test("verifyAuthentication() decides again when another sign-in was recorded first", async () => {
  const uses: number[] = [];
  const scene: PhoneScene = await withPhone({
    wrap: ({ credentials }) => ({
      credentials: {
        ...credentials,
        async updateSignCount(id, from, to, use) { // as if lower counts were recorded at the same time
          uses.push(to);
          if (uses.length < 5) await credentials.updateSignCount(id, from, uses.length, use);
          return await credentials.updateSignCount(id, from, to, use);
        },
      },
    }),
  });
  await signIn(scene, scene.phone, { change: { counter: 9 } });
  assertEquals([uses, (await recordOf(scene, scene.id)).signCount], [[9, 9, 9, 9, 9], 9]);
});

Deno.test("verifyAuthentication() refuses a passkey that is removed before its use is recorded", async () => {
  const scene = await withPhone({
    wrap: ({ credentials }) => ({
      credentials: {
        ...credentials,
        async updateSignCount(id, ...use) {
          await credentials.delete(id);
          return await credentials.updateSignCount(id, ...use);
        },
      },
    }),
  });
  const error = await refusal(() => signIn(scene, scene.phone));
  assertEquals([error.status, error.code], [401, "credential_unknown"]);
});

/** Credential ids in the options of an identifier. */
async function allowed(
  { service }: PasskeyScene,
  identifier: string,
): Promise<readonly CredentialDescriptorJson[]> {
  return (await service.authenticationOptions({ browser: BROWSER, identifier })).allowCredentials;
}

Deno.test("authenticationOptions() with identified returns the passkeys of the identifier in any form, among decoys", async () => {
  const scene = await withPhone({ identified: true });
  for (const identifier of ["ada@example.org", " ADA@example.org"]) {
    const found = await allowed(scene, identifier);
    assert(found.some(({ id }) => id === scene.id), identifier);
    assert(found.length <= 2);
  }
  assertEquals((await signIn(scene, scene.phone, { identifier: "Ada@Example.org" })).sub, "ada");
  assertEquals((await signIn(scene, scene.phone)).sub, "ada");
});

Deno.test("authenticationOptions() with identified returns decoys that stay the same, and differ by identifier and keys", async () => {
  const scene = await createScene({ identified: true });
  const ids = new Map<string, number>();
  const counts = new Map<number, number>();
  const lengths = new Map<number, number>();
  for (let i = 0; i < 400; i++) {
    const decoys = await allowed(scene, `user${i}`);
    if (i % 40 === 0) assertEquals(await allowed(scene, ` USER${i}`), decoys);
    assertEquals(decoys.map(({ id }) => id).toSorted(), decoys.map(({ id }) => id));
    counts.set(decoys.length, (counts.get(decoys.length) ?? 0) + 1);
    for (const { id, transports, ...rest } of decoys) {
      assertEquals(rest, { type: "public-key" });
      assert(transports !== undefined && transports.length > 0);
      ids.set(id, (ids.get(id) ?? 0) + 1);
      const { length } = decodeBase64Url(id);
      lengths.set(length, (lengths.get(length) ?? 0) + 1);
    }
  }
  assertEquals(Math.max(...ids.values()), 1);
  assertEquals([...counts.keys()].toSorted(), [1, 2]);
  assertEquals([...lengths.keys()].toSorted(), [16, 20, 32]);
  for (const count of [...counts.values(), ...lengths.values()]) assert(count > 50, `${count}`);
});

Deno.test("authenticationOptions() with identified does not say how many passkeys there are, up to two", async () => {
  const scene = await createScene({ identified: true });
  const without = await allowed(scene, "ada@example.org");
  const first = await register(scene);
  const one = await allowed(scene, "ada@example.org");
  const second = await register(scene);
  const two = await allowed(scene, "ada@example.org");
  assertEquals(one.length, without.length);
  assert(one.some(({ id }) => id === first.id));
  assertEquals(two.map(({ id }) => id), [first.id, second.id].toSorted());
  assertNotEquals(one, without);
});

Deno.test("verifyAuthentication() with identified answers a decoy's id as it answers a real one", async () => {
  const scene = await withPhone({ identified: true });
  const eve = createAuthenticator();
  await register(scene, eve, { sub: "eve" });
  const [credential] = eve.credentials;
  assert(credential !== undefined);
  for (const identifier of [undefined, "ada@example.org", "nobody"]) {
    const [decoy] = await allowed(scene, "nobody");
    const answers = [];
    for (const id of [decoy?.id, scene.id]) {
      const error = await refusal(() =>
        signIn(scene, eve, { identifier, change: { credential, id } })
      );
      answers.push([error.status, error.code, error.problem]);
    }
    assertEquals(answers[0], answers[1]);
  }
});
