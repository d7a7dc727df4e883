/** Events of every outcome, and what is counted. */

import { assertEquals } from "@std/assert";
import type { AuthEvent } from "../../../auth/events.ts";
import {
  BROWSER,
  createAuthenticator,
  createScene,
  type PasskeyScene,
  refusal,
  register,
  signIn,
  signUp,
  START,
} from "./_passkeys.ts";

const AT = { at: START };
const ADDRESS = { address: "192.0.2.1" };

/** What happens, with the id of ada's passkey; and the events of it. */
const EVENTS: readonly (readonly [
  what: string,
  act: (scene: PasskeyScene, id: string, phone: ReturnType<typeof createAuthenticator>) => unknown,
  events: (id: string) => readonly AuthEvent[],
])[] = [
  ["options", async ({ service }) => {
    await service.authenticationOptions({ browser: BROWSER });
    await service.registrationOptions("ada", { browser: BROWSER });
    await service.signUpOptions("grace", { browser: BROWSER });
    await service.list("ada");
  }, () => []],
  ["a sign-in", (scene, _, phone) => signIn(scene, phone), (credentialId) => [
    {
      ...{ type: "webauthn.asserted", ...AT, sub: "ada", credentialId, userVerified: true },
      ...ADDRESS,
    },
  ]],
  [
    "a sign-in without an address",
    async ({ service }, _, phone) => {
      const response = await phone.get(await service.authenticationOptions({ browser: BROWSER }));
      await service.verifyAuthentication(response, { browser: BROWSER });
    },
    (credentialId) => [
      { type: "webauthn.asserted", ...AT, sub: "ada", credentialId, userVerified: true },
    ],
  ],
  ["a new name", ({ service }, id) => service.rename("ada", id, "x"), (credentialId) => [
    { type: "webauthn.renamed", ...AT, sub: "ada", credentialId },
  ]],
  [
    "a new name for another's passkey",
    ({ service }, id) => service.rename("eve", id, "x"),
    () => [],
  ],
  [
    "the removal of the last passkey",
    ({ service }, id) => refusal(() => service.remove("ada", id)),
    () => [],
  ],
  ["the removal of another's passkey", ({ service }, id) => service.remove("eve", id), () => []],
  [
    "a copied passkey",
    (scene, _, phone) => refusal(() => signIn(scene, phone, { change: { counter: 3 } })),
    (credentialId) => [
      { type: "webauthn.counter_regressed", ...AT, sub: "ada", credentialId },
      {
        ...{ type: "webauthn.failed", ...AT, ceremony: "authentication" },
        ...{ reason: "counter_regressed", sub: "ada", credentialId, ...ADDRESS },
      },
    ],
  ],
  [
    "a forged signature",
    (scene, _, phone) =>
      refusal(() => signIn(scene, phone, { change: { signature: () => new Uint8Array(8) } })),
    (credentialId) => [
      {
        ...{ type: "webauthn.failed", ...AT, ceremony: "authentication" },
        ...{ reason: "signature_invalid", sub: "ada", credentialId, ...ADDRESS },
      },
    ],
  ],
  [
    "an unknown id, which is the client's text",
    (scene, _, phone) => refusal(() => signIn(scene, phone, { change: { id: "AAAA" } })),
    () => [
      {
        ...{ type: "webauthn.failed", ...AT, ceremony: "authentication" },
        ...{ reason: "credential_unknown", ...ADDRESS },
      },
    ],
  ],
  [
    "a registration with another origin",
    (scene) =>
      refusal(() =>
        register(scene, createAuthenticator({ origin: "https://evil.example" }), { sub: "eve" })
      ),
    () => [
      {
        ...{ type: "webauthn.failed", ...AT, ceremony: "registration" },
        ...{ reason: "origin_unexpected", detail: "https://evil.example", sub: "eve", ...ADDRESS },
      },
    ],
  ],
  [
    "a registration whose origin is none, which is not repeated",
    (scene) =>
      refusal(() =>
        register(scene, createAuthenticator({ origin: "https://evil.example/<script>" }), {
          sub: "eve",
        })
      ),
    () => [
      {
        ...{ type: "webauthn.failed", ...AT, ceremony: "registration" },
        ...{ reason: "origin_unexpected", sub: "eve", ...ADDRESS },
      },
    ],
  ],
  [
    "a sign-up with another origin",
    (scene) =>
      refusal(() =>
        signUp(scene, "grace", createAuthenticator({ origin: "https://evil.example" }))
      ),
    () => [
      {
        ...{ type: "webauthn.failed", ...AT, ceremony: "registration" },
        ...{ reason: "origin_unexpected", detail: "https://evil.example", ...ADDRESS },
      },
    ],
  ],
];

for (const [what, act, events] of EVENTS) {
  Deno.test(`webAuthnService() emits the events of ${what}`, async () => {
    const scene = await createScene({ signUp: true });
    const phone = createAuthenticator();
    const { id } = await register(scene, phone, { change: { counter: 5 } });
    for (const key of phone.credentials) key.counter = 6;
    scene.events.length = 0;
    await act(scene, id, phone);
    assertEquals(scene.events, events(id));
  });
}

Deno.test("webAuthnService() emits the events of registrations, sign-ups and removals", async () => {
  const scene = await createScene({ signUp: true });
  const first = await register(scene);
  const second = await register(scene);
  await scene.service.remove("ada", first.id);
  const { credential, signUp: made } = await signUp(scene, "grace");
  const { sub = "" } = made ?? {};
  assertEquals(scene.events, [
    { type: "webauthn.registered", ...AT, sub: "ada", credentialId: first.id },
    { type: "webauthn.registered", ...AT, sub: "ada", credentialId: second.id },
    { type: "webauthn.removed", ...AT, sub: "ada", credentialId: first.id },
    { type: "user.created", ...AT, sub },
    { type: "webauthn.registered", ...AT, sub, credentialId: credential.id },
  ]);
});

Deno.test("webAuthnService() counts options of clients with an address, and sign-ups as registrations", async () => {
  const scene = await createScene({ signUp: true });
  const { service, counted } = scene;
  await register(scene);
  assertEquals(counted.splice(0), ["challenge 192.0.2.1"]);
  await signUp(scene, "grace");
  assertEquals(counted.splice(0), ["registration 192.0.2.1", "challenge 192.0.2.1"]);
  await service.authenticationOptions({ browser: BROWSER, client: ADDRESS });
  assertEquals(counted.splice(0), ["challenge 192.0.2.1"]);
  await refusal(() => service.signUpOptions("grace", { browser: BROWSER, client: ADDRESS }));
  assertEquals(counted.splice(0), ["registration 192.0.2.1"]);
  await service.authenticationOptions({ browser: BROWSER });
  await service.registrationOptions("ada", { browser: BROWSER });
  await service.signUpOptions("hopper", { browser: BROWSER });
  assertEquals(counted, []);
});
