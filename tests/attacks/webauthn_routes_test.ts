/** The catalogue "WebAuthn" against the routes of passkeys: requests, and why they are rejected. Rows are only added. */

import {
  apiKeyService,
  apiKeyStrategy,
  type AuthStores,
  createRouter,
  inMemoryAuthStores,
  relatedOriginsHandler,
} from "@gatehouse/http";
import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import {
  ask,
  bodyOf,
  createAuthenticator,
  createPasskeyApp,
  type PasskeyApp,
  type PasskeyAppOptions,
  type PasskeyPath,
  type PasskeyScene,
  register,
  signIn,
  withPasskey,
} from "../auth/http/_passkeys.ts";
import type { TestBrowser } from "../auth/http/_app.ts";
import { type Seen, seen } from "../auth/http/_routes.ts";
import { JWT } from "../auth/http/_token_routes.ts";
import {
  ADA,
  EVE_PASSWORD,
  OTHER_PASSWORD,
  repeat,
  setDisabled,
  START,
} from "../auth/_services.ts";

interface Scene extends PasskeyScene {
  /** Eve's browser, in which she is signed in. */
  readonly eve: TestBrowser;
}

/** Ada has a passkey, and Eve an account. States expire. */
async function createScene(options: PasskeyAppOptions = {}): Promise<Scene> {
  const clock = { now: START };
  const stores = inMemoryAuthStores({ now: () => clock.now });
  const scene = await withPasskey({ clock, stores, ...options });
  const eve = scene.app.browser({ address: "198.51.100.1" });
  await bodyOf(eve.register({ identifier: "eve", password: EVE_PASSWORD }), 201);
  scene.app.events.length = 0;
  return { ...scene, eve };
}

/** What a client saw of a refusal, and the reason in the event. */
async function refusalOf({ app }: Scene, response: Response): Promise<readonly unknown[]> {
  const { code } = await response.json();
  const failed = app.events.find((event) => event.type === "webauthn.failed");
  return [response.status, code, failed?.type === "webauthn.failed" ? failed.reason : undefined];
}

type Attack = (scene: Scene) => Promise<Response>;

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
  ["ATTACKS", "a challenge one second too late", async (scene) => {
    const response = await scene.authenticator.get(await bodyOf(ask(scene.page, "login/options")));
    scene.app.clock.now += 300;
    return await ask(scene.page, "login/verify", response);
  }, USED],
  ["neighbour", "a challenge of the attacker's own", async (scene) => {
    const options = await bodyOf(ask(scene.page, "login/options"));
    const response = await scene.authenticator.get({ ...options, challenge: "A".repeat(43) });
    return await ask(scene.page, "login/verify", response);
  }, USED],
];

for (const [source, what, attack, refusal] of CHALLENGES) {
  Deno.test(`[${source}] passkeys: ${what} → ${refusal[1]}`, async () => {
    const scene = await createScene({ webauthn: { signUp: true } });
    const before = await scene.app.stores.credentials.list("u1");
    assertEquals(await refusalOf(scene, await attack(scene)), refusal);
    const after = await scene.app.stores.credentials.list("u1");
    assertEquals(after.length, before.length);
  });
}

for (const path of ["login/verify", "register/verify"] as const) {
  Deno.test(`[ATTACKS] passkeys: 200 parallel requests of ${path} with one challenge → one wins`, async () => {
    const { app, page, authenticator } = await createScene();
    const begin = path === "login/verify" ? "login/options" : "register/options";
    const options = await bodyOf(ask(page, begin));
    const response = path === "login/verify"
      ? await authenticator.get(options)
      : await createAuthenticator().create(options);
    const answers = await Promise.all(repeat(200, () => ask(page, path, response)));
    const codes = await Promise.all(answers.map(async (answer) => (await answer.json()).code));
    assertEquals(answers.filter(({ ok }) => ok).length, 1);
    assertEquals(codes.filter((code) => code === "invalid_challenge").length, 199);
    const registered = await app.stores.credentials.list("u1");
    assertEquals(registered.length, path === "login/verify" ? 1 : 2);
  });
}

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
    const { app, passkey } = await createScene({
      ...{ clock, stores, strategies, jwt: JWT },
      webauthn: { signUp: true }, // the same routes then accept anonymous requests
    });
    const attacker = app.browser();
    const headers = await steal(app, attacker);
    for (const path of ["register/options", "register/verify", "credentials/remove"] as const) {
      const json = { id: passkey.id };
      const response = await attacker.post(`/auth/webauthn/${path}`, json, { headers });
      const { code } = await response.json();
      assertEquals([response.status, code], [401, "insufficient_authentication"]);
    }
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
    const { app, page } = await createScene();
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
    const scene = await createScene({
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
    const response = await createAuthenticator().create(await bodyOf(ask(page, "register/options")));
    meanwhile.change = () => change(app);
    const answer = await ask(page, "register/verify", response);
    const isStored = await app.stores.credentials.find(String(response.id)) !== null;
    if (what === "all sessions are revoked") return assertEquals([answer.status, isStored], [201, true]);
    assertEquals(await refusalOf(scene, answer), [400, "webauthn_failed", "user_changed"]);
    assertEquals(isStored, false);
  });
}

Deno.test("[neighbour] passkeys: registrations at the same time → never more than maxCredentials", async () => {
  const app = createPasskeyApp({ webauthn: { maxCredentials: 3 } });
  const page = await app.signedIn();
  await bodyOf(register(page, createAuthenticator()), 201);
  const responses = await Promise.all(repeat(20, async () => {
    const options = await bodyOf(ask(page, "register/options"));
    return await createAuthenticator().create(options);
  }));
  const answers = await Promise.all(responses.map((one) => ask(page, "register/verify", one)));
  const kept = await app.stores.credentials.list("u1");
  assert(kept.length <= 3);
  assertEquals(answers.filter(({ status }) => status === 201).length, kept.length - 1);
  for (const answer of answers) await answer.body?.cancel();
});

Deno.test("[neighbour] passkeys: removals of all at the same time → one is left", async () => {
  const app = createPasskeyApp({ webauthn: { signUp: true } });
  const page = app.browser();
  const options = { identifier: "grace" };
  const { user, credential } = await bodyOf(register(page, createAuthenticator(), { options }), 201);
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

/** Responses of a sign-in, and whether the page may tell the browser that the passkey is gone for good. */
const UNKNOWN: readonly (readonly [
  source: string,
  what: string,
  ask: (scene: Scene) => Promise<Response>,
  code: "credential_unknown" | "webauthn_failed",
])[] = [
  [
    "ATTACKS",
    "an id that no record has",
    async ({ app }) => {
      const elsewhere = await withPasskey();
      return await signIn(app.browser(), elsewhere.authenticator);
    },
    "credential_unknown",
  ],
  ["ATTACKS", "a passkey that was removed", async ({ app, page, authenticator, passkey }) => {
    await bodyOf(ask(page, "credentials/remove", { id: passkey.id }), 204);
    return await signIn(app.browser(), authenticator);
  }, "credential_unknown"],
  [
    "ATTACKS",
    "a wrong signature",
    ({ app, authenticator }) =>
      signIn(app.browser(), authenticator, {
        change: {
          signature(signature) {
            signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
            return signature;
          },
        },
      }),
    "webauthn_failed",
  ],
  ["neighbour", "another origin", ({ app, authenticator }) =>
    signIn(app.browser(), authenticator, {
      change: { clientData: { origin: "https://evil.example" } },
    }), "webauthn_failed"],
  [
    "neighbour",
    "the user handle of nobody",
    ({ app, authenticator }) =>
      signIn(app.browser(), authenticator, {
        change: { userHandle: "A".repeat(43) },
      }),
    "webauthn_failed",
  ],
  [
    "neighbour",
    "no verification of the user",
    ({ app, authenticator }) =>
      signIn(app.browser(), authenticator, { change: { flags: { uv: false } } }),
    "webauthn_failed",
  ],
  ["neighbour", "an account that is disabled", async ({ app, authenticator }) => {
    await setDisabled(app.stores);
    return await signIn(app.browser(), authenticator);
  }, "webauthn_failed"],
];

for (const [source, what, attempt, code] of UNKNOWN) {
  Deno.test(`[${source}] passkeys: a sign-in with ${what} → ${code}`, async () => {
    const scene = await createScene();
    const response = await attempt(scene);
    assertEquals([response.status, (await response.json()).code], [401, code]);
    assertEquals(response.headers.getSetCookie(), []);
  });
}

Deno.test("[neighbour] passkeys: sign-ins that fail for different reasons → the same bytes", async () => {
  const answers: Seen[] = [];
  for (const [, , attempt, code] of UNKNOWN) {
    if (code === "webauthn_failed") answers.push(await seen(await attempt(await createScene())));
  }
  assertEquals(answers.length, UNKNOWN.length - 2);
  for (const answer of answers) assertEquals(answer, answers[0]);
});

for (
  const [source, what, transports] of [
    ["ATTACKS", "HTML and numbers", ["<script>alert(1)</script>", 5, null]],
    ["ATTACKS", "5,000 characters", ["usb", "a".repeat(5_000)]],
    ["neighbour", "1,000 names", repeat(1_000, (i) => `t${i}`)],
    ["neighbour", "an object", { length: 1, 0: "usb" }],
    ["neighbour", "a string", "usb"],
  ] as const
) {
  Deno.test(`[${source}] passkeys: transports with ${what} → dropped`, async () => {
    const app = createPasskeyApp();
    const page = await app.signedIn();
    const { credential } = await bodyOf(
      register(page, createAuthenticator(), { change: { transports } }),
      201,
    );
    assertFalse("transports" in credential);
    const { excludeCredentials } = await bodyOf(ask(page, "register/options"));
    assertEquals(excludeCredentials, [{ type: "public-key", id: credential.id }]);
  });
}

/** Records what stores are given. */
function recorded(written: string[]): (stores: AuthStores) => Partial<AuthStores> {
  const spy = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => (...args: unknown[]) => {
        written.push(JSON.stringify(args));
        const method: (...args: unknown[]) => unknown = Reflect.get(target as object, name);
        return Reflect.apply(method, target, args);
      },
    });
  return ({ users, sessions, credentials, states, refreshTokens }) => ({
    users: spy(users),
    sessions: spy(sessions),
    credentials: spy(credentials),
    states: spy(states),
    refreshTokens: spy(refreshTokens),
  });
}

Deno.test("[ATTACKS] passkeys: results of PRF and other extensions → neither stored, nor in events, nor in responses", async () => {
  const secret = "c2VjcmV0LXByZi1yZXN1bHQ";
  const written: string[] = [];
  const clientExtensionResults = {
    credProps: { rk: true, authenticatorDisplayName: secret },
    prf: { enabled: true, results: { first: secret, second: secret } },
    largeBlob: { blob: secret },
    [secret]: secret,
  };
  const app = createPasskeyApp({ wrap: recorded(written), jwt: JWT });
  const page = await app.signedIn();
  const authenticator = createAuthenticator();
  const change = { clientExtensionResults };
  const answers = [await bodyOf(register(page, authenticator, { change }), 201)];
  answers.push(await bodyOf(signIn(page, authenticator, { change })));
  answers.push(await bodyOf(page.send("/auth/webauthn/credentials")));
  const wrong = { ...change, clientData: { origin: `https://${secret}.example` } };
  answers.push(await bodyOf(signIn(page, authenticator, { change: wrong }), 401));
  assert(written.length > 10, "the stores were recorded");
  const seen = JSON.stringify([written, app.events, app.warnings, answers]);
  assertFalse(seen.toLowerCase().includes(secret.toLowerCase()));
  assertStringIncludes(seen, "webauthn.failed");
});

Deno.test("[ATTACKS] passkeys: challenges, stamps, keys and cookies → neither in events nor in responses, and challenges are not stored", async () => {
  const written: string[] = [];
  const app = createPasskeyApp({ wrap: recorded(written), webauthn: { signUp: true } });
  const page = app.browser();
  const authenticator = createAuthenticator();
  const created = await bodyOf(ask(page, "register/options", { identifier: "grace" }));
  const response = await authenticator.create(created);
  const answers = [await bodyOf(ask(page, "register/verify", response), 201)];
  const requested = await bodyOf(ask(page, "login/options"));
  const assertion = await authenticator.get(requested);
  answers.push(await bodyOf(ask(page, "login/verify", assertion)));
  const used = await authenticator.get(await bodyOf(ask(page, "login/options")));
  await bodyOf(ask(page, "login/verify", used));
  answers.push(await bodyOf(ask(page, "login/verify", used), 400));
  answers.push(await bodyOf(page.send("/auth/webauthn/credentials")));
  answers.push(await bodyOf(page.send("/auth/session")));
  const { securityStamp } = await app.stores.users.findByIdentifier("grace") ?? {};
  const [record] = await app.stores.credentials.list(answers[0].user.sub);
  assert(record !== undefined && securityStamp !== undefined);
  const cookies = page.jar.names().map((name) => page.jar.get(name) ?? "");
  for (const { csrfToken } of answers) if (csrfToken !== undefined) cookies.push(csrfToken);
  const challenges = [created.challenge, requested.challenge];
  const bodies = JSON.stringify(answers.map((answer) => ({ ...answer, csrfToken: undefined })));
  const places = { bodies, events: JSON.stringify(app.events), warnings: app.warnings.join() };
  for (const [place, text] of Object.entries(places)) {
    for (const secret of [...challenges, ...cookies, securityStamp, record.publicKey]) {
      assertFalse(text.includes(secret), `${place}: ${secret}`);
    }
  }
  assertFalse(places.events.includes("grace"), "an identifier field may contain a password");
  const stored = written.join();
  assertStringIncludes(stored, "webauthn:");
  for (const secret of [...challenges, ...cookies]) assertFalse(stored.includes(secret), secret);
});

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

Deno.test("[ATTACKS] passkeys: a body that names another user → the session's user counts", async () => {
  const { app, eve, passkey } = await createScene();
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

Deno.test("[ATTACKS] passkeys: another user's credential id, registered with a fresh challenge → webauthn_failed, and the record is unchanged", async () => {
  const { app, eve, authenticator, passkey } = await createScene();
  const before = await app.stores.credentials.find(passkey.id);
  const [own] = authenticator.credentials;
  assert(own !== undefined);
  const response = await register(eve, createAuthenticator(), { change: { credentialId: own.id } });
  assertEquals([response.status, (await response.json()).code], [400, "webauthn_failed"]);
  assertEquals(await app.stores.credentials.find(passkey.id), before);
});

Deno.test("[neighbour] passkeys: __proto__ in a response → invalid_json", async () => {
  const { page } = await createScene();
  for (const path of ["register/verify", "login/verify"] as const) {
    const response = await page.send(`/auth/webauthn/${path}`, {
      method: "POST",
      token: await page.token(),
      body: '{"id":"a","response":{"__proto__":{"admin":true}}}',
      headers: { "Content-Type": "application/json" },
    });
    assertEquals([response.status, (await response.json()).code], [400, "invalid_json"]);
  }
});

/** Requests for the document of related origins with something that it could reflect. */
const REFLECTIONS: readonly (readonly [what: string, query: string, headers: HeadersInit])[] = [
  ["a query", "?origins=https://evil.example&callback=evil", {}],
  ["an Origin", "", { Origin: "https://evil.example" }],
  ["a forwarded host", "", { "X-Forwarded-Host": "evil.example", Forwarded: "host=evil.example" }],
  ["a Referer", "", { Referer: "https://evil.example/" }],
  ["another type", "", { Accept: "text/html", "Accept-Language": "evil" }],
];

for (const [what, query, headers] of REFLECTIONS) {
  Deno.test(`[ATTACKS] passkeys: /.well-known/webauthn with ${what} → the same bytes`, async () => {
    const { webauthn } = createPasskeyApp({
      webauthn: { origins: ["https://example.com", "https://example.net"] },
    });
    const path = "/.well-known/webauthn";
    const router = createRouter().get(path, relatedOriginsHandler(webauthn));
    const response = await router.request(`${path}${query}`, { headers });
    assertEquals([response.status, Object.fromEntries(response.headers)], [200, {
      "cache-control": "public, max-age=3600",
      "content-type": "application/json",
    }]);
    assertEquals(await response.text(), '{"origins":["https://example.net"]}');
  });
}
