/** The catalogue "WebAuthn" against the routes of passkeys: input that is refused without a reason, dropped, or not disclosed. Rows are only added. */

import { type AuthStores, createRouter, relatedOriginsHandler } from "@gatehouse/http";
import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { setDisabled } from "../auth/_services.ts";
import { type Seen, seen } from "../auth/http/_routes.ts";
import { JWT } from "../auth/http/_token_routes.ts";
import {
  ask,
  BASE,
  bodyOf,
  createAuthenticator,
  createPasskeyApp,
  register,
  signIn,
  type TwoUserScene,
  withPasskey,
  withTwoUsers,
} from "../auth/http/_passkeys.ts";

/** Responses of a sign-in, and whether the page may tell the browser that the passkey is gone for good. */
const UNKNOWN: readonly (readonly [
  source: string,
  what: string,
  ask: (scene: TwoUserScene) => Promise<Response>,
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
    const scene = await withTwoUsers();
    const response = await attempt(scene);
    assertEquals([response.status, (await response.json()).code], [401, code]);
    assertEquals(response.headers.getSetCookie(), []);
  });
}

Deno.test("[neighbour] passkeys: sign-ins that fail for different reasons → the same bytes", async () => {
  const answers: Seen[] = [];
  for (const [, , attempt, code] of UNKNOWN) {
    if (code === "webauthn_failed") answers.push(await seen(await attempt(await withTwoUsers())));
  }
  assertEquals(answers.length, UNKNOWN.length - 2);
  for (const answer of answers) assertEquals(answer, answers[0]);
});

for (
  const [source, what, transports] of [
    ["ATTACKS", "HTML and numbers", ["<script>alert(1)</script>", 5, null]],
    ["neighbour", "an object", { length: 1, 0: "usb" }],
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
  answers.push(await bodyOf(page.send(`${BASE}/credentials`)));
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
  answers.push(await bodyOf(page.send(`${BASE}/credentials`)));
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

Deno.test("[neighbour] passkeys: __proto__ in a response → invalid_json", async () => {
  const { page } = await withTwoUsers();
  for (const path of ["register/verify", "login/verify"] as const) {
    const response = await page.send(`${BASE}/${path}`, {
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
