/** The catalogue "WebAuthn" against the routes of passkeys: challenges that are foreign, used or too many. Rows are only added. */

import { assertEquals } from "@std/assert";
import { EVE_PASSWORD, repeat } from "../auth/_services.ts";
import {
  ask,
  bodyOf,
  createAuthenticator,
  createPasskeyApp,
  type PasskeyPath,
  refusalOf,
  register,
  type TwoUserScene,
  withTwoUsers,
} from "../auth/http/_passkeys.ts";

type Attack = (scene: TwoUserScene) => Promise<Response>;

const FOREIGN = [400, "invalid_challenge", "challenge_foreign"];
const USED = [400, "invalid_challenge", "challenge_unknown"];

/** Challenges that are not of this ceremony, browser or user. */
const CHALLENGES: readonly (readonly [
  source: string,
  what: string,
  attack: Attack,
  refusal: readonly unknown[],
])[] = [
  [
    "ATTACKS",
    "login CSRF: the attacker's challenge and assertion from a victim's browser",
    async (scene) => {
      const attackers = createAuthenticator();
      await bodyOf(register(scene.eve, attackers), 201);
      scene.app.events.length = 0;
      const response = await attackers.get(await bodyOf(ask(scene.eve, "login/options")));
      return await ask(scene.app.browser(), "login/verify", response);
    },
    FOREIGN,
  ],
  ["ATTACKS", "the same from the browser of a victim who is signed in", async (scene) => {
    const attackers = createAuthenticator();
    await bodyOf(register(scene.eve, attackers), 201);
    scene.app.events.length = 0;
    const response = await attackers.get(await bodyOf(ask(scene.eve, "login/options")));
    return await ask(scene.page, "login/verify", response);
  }, FOREIGN],
  ["neighbour", "a victim's assertion, relayed from the attacker's browser", async (scene) => {
    const response = await scene.authenticator.get(await bodyOf(ask(scene.page, "login/options")));
    return await ask(scene.eve, "login/verify", response);
  }, FOREIGN],
  ["ATTACKS", "a registration of another user", async (scene) => {
    const options = await bodyOf(ask(scene.eve, "register/options"));
    const response = await createAuthenticator().create(options);
    return await ask(scene.page, "register/verify", response);
  }, FOREIGN],
  ["neighbour", "a registration in another browser of the same user", async (scene) => {
    const options = await bodyOf(ask(scene.page, "register/options"));
    const other = await scene.app.signedIn();
    return await ask(other, "register/verify", await createAuthenticator().create(options));
  }, FOREIGN],
  ["neighbour", "a registration that another user of the browser began", async (scene) => {
    const options = await bodyOf(ask(scene.page, "register/options"));
    await bodyOf(scene.page.login({ identifier: "eve", password: EVE_PASSWORD }));
    scene.app.events.length = 0;
    return await ask(scene.page, "register/verify", await createAuthenticator().create(options));
  }, FOREIGN],
  ["ATTACKS", "a challenge of a registration at a sign-in", async (scene) => {
    const { challenge } = await bodyOf(ask(scene.page, "register/options"));
    const options = await bodyOf(ask(scene.page, "login/options"));
    const response = await scene.authenticator.get({ ...options, challenge });
    return await ask(scene.page, "login/verify", response);
  }, FOREIGN],
  ["ATTACKS", "a challenge of a sign-in at a registration", async (scene) => {
    const { challenge } = await bodyOf(ask(scene.page, "login/options"));
    const options = await bodyOf(ask(scene.page, "register/options"));
    const response = await createAuthenticator().create({ ...options, challenge });
    return await ask(scene.page, "register/verify", response);
  }, FOREIGN],
  ["neighbour", "a challenge of a sign-up with a session", async (scene) => {
    const stranger = scene.app.browser();
    const options = await bodyOf(ask(stranger, "register/options", { identifier: "grace" }));
    return await ask(scene.page, "register/verify", await createAuthenticator().create(options));
  }, FOREIGN],
  ["neighbour", "a challenge of a user's registration without the session", async (scene) => {
    const options = await bodyOf(ask(scene.page, "register/options"));
    const stranger = scene.app.browser();
    return await ask(stranger, "register/verify", await createAuthenticator().create(options));
  }, FOREIGN],
  ["ATTACKS", "a challenge that was used", async (scene) => {
    const response = await scene.authenticator.get(await bodyOf(ask(scene.page, "login/options")));
    await bodyOf(ask(scene.page, "login/verify", response));
    return await ask(scene.page, "login/verify", response);
  }, USED],
];

for (const [source, what, attack, refusal] of CHALLENGES) {
  Deno.test(`[${source}] passkeys: ${what} → ${refusal[1]}`, async () => {
    const scene = await withTwoUsers({ webauthn: { signUp: true } });
    const before = await scene.app.stores.credentials.list("u1");
    assertEquals(await refusalOf(scene, await attack(scene)), refusal);
    const after = await scene.app.stores.credentials.list("u1");
    assertEquals(after.length, before.length);
  });
}

Deno.test("[ATTACKS] passkeys: many requests for options → throttled by address, both ceremonies together", async () => {
  const written: string[] = [];
  const challenge = { kind: "window", limit: 20, seconds: 900 } as const;
  const app = createPasskeyApp({
    throttle: { challenge },
    wrap: ({ states }) => ({
      states: {
        ...states,
        put(key, value, expiresAt) {
          written.push(key);
          return states.put(key, value, expiresAt);
        },
      },
    }),
  });
  const page = await app.signedIn();
  const statuses: number[] = [];
  for (const i of repeat(200, (i) => i)) {
    const path: PasskeyPath = i % 2 === 0 ? "login/options" : "register/options";
    const response = await ask(i % 3 === 0 ? app.browser() : page, path);
    if (response.status === 429) assertEquals(response.headers.get("Retry-After"), "900");
    if (response.status !== 401) statuses.push(response.status); // anonymous registrations are not begun
    await response.body?.cancel();
  }
  assertEquals(statuses.slice(0, 21), [...repeat(20, () => 200), 429]);
  assertEquals(new Set(statuses.slice(20)), new Set([429]));
  assertEquals(written.length, 20, "states are bounded");
  const other = await ask(app.browser({ address: "203.0.113.9" }), "login/options");
  assertEquals(other.status, 200);
  app.clock.now += 900;
  assertEquals((await ask(app.browser(), "login/options")).status, 200);
});

Deno.test("[ATTACKS] passkeys: sign-ups are counted as registrations → throttled by address", async () => {
  const registration = { kind: "window", limit: 2, seconds: 60 } as const;
  const app = createPasskeyApp({ throttle: { registration }, webauthn: { signUp: true } });
  const statuses: number[] = [];
  for (const i of repeat(4, (i) => i)) {
    const json = { identifier: `grace${i}` };
    const response = await ask(app.browser(), "register/options", json);
    statuses.push(response.status);
    await response.body?.cancel();
  }
  assertEquals(statuses, [200, 200, 429, 429]);
});
