/**
 * Journeys with passkeys through the routes, which have to go the same way on every runtime.
 *
 * @module
 */

import {
  type Authenticator,
  createAuthenticator,
  type GetChange,
} from "../auth/webauthn/_authenticator.ts";
import { createSite, outcome, type Page, type Site, START } from "./auth_site.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";

const ADA = { identifier: "ada@example.org", password: "lovelace wrote the notes" };

function passkeySite(): Site {
  const origins = ["https://example.com"];
  return createSite({
    webauthn: { rpId: "example.com", rpName: "Example", origins, signUp: true },
  });
}

const post = (page: Page, path: string, body?: unknown) =>
  page.post(`/auth/webauthn/${path}`, body);

/** Both requests of a registration. */
async function register(page: Page, authenticator: Authenticator, body = {}): Promise<Response> {
  const options = await post(page, "register/options", body);
  if (options.status !== 200) return options;
  return await post(page, "register/verify", await authenticator.create(await options.json()));
}

/** Both requests of a sign-in. */
async function signIn(
  page: Page,
  authenticator: Authenticator,
  change?: GetChange,
): Promise<Response> {
  const options = await (await post(page, "login/options")).json();
  return await post(page, "login/verify", await authenticator.get(options, change));
}

/** The cases, in the order in which they run. */
export const passkeyFlowCases: readonly RuntimeCase[] = [
  {
    name: "passkey flow: somebody signs up by a passkey, signs out, and signs in by it",
    async run() {
      const page = passkeySite().open();
      const authenticator = createAuthenticator();
      const { identifier } = ADA;
      const made = await register(page, authenticator, { identifier });
      const { user, principal, credential } = await made.json();
      assertSame([made.status, user.identifier, principal.amr.includes("mfa")], [
        201,
        identifier,
        true,
      ]);
      assertSame(await (await page.get("/me")).json(), { sub: user.sub, method: "session" });
      const listed = await (await page.get("/auth/webauthn/credentials")).json();
      assertSame(listed.credentials, [credential]);
      assertSame(await outcome(page.post("/auth/logout")), "204");
      assertSame(await outcome(page.get("/me")), "401 unauthenticated");
      assertSame(await outcome(register(page, authenticator, { identifier })), TAKEN);
      const again = await signIn(page, authenticator);
      assertSame([again.status, (await again.json()).user.sub], [200, user.sub]);
      assertSame(await outcome(page.get("/me")), "200");
    },
  },
  {
    name: "passkey flow: a user with a password adds a passkey, renames and removes it",
    async run() {
      const page = passkeySite().open();
      const authenticator = createAuthenticator();
      await page.post("/auth/register", ADA);
      const { credential: { id } } = await (await register(page, authenticator)).json();
      const rename = post(page, "credentials/rename", { id, name: "Phone" });
      assertSame(await outcome(rename), "204");
      const listed = await (await page.get("/auth/webauthn/credentials")).json();
      assertSame(listed.credentials.map(({ name }: { name: string }) => name), ["Phone"]);
      assertSame(await outcome(signIn(page, authenticator)), "200");
      assertSame(await outcome(post(page, "credentials/remove", { id })), "204");
      assertSame(await outcome(signIn(page, authenticator)), "401 credential_unknown");
      assertSame(await outcome(page.post("/auth/login", ADA)), "200");
    },
  },
  {
    name: "passkey flow: the last way in stays",
    async run() {
      const page = passkeySite().open();
      const made = await register(page, createAuthenticator(), { identifier: "ada" });
      const { credential: { id } } = await made.json();
      assertSame(await outcome(post(page, "credentials/remove", { id })), "409 last_way_in");
    },
  },
  {
    name: "passkey flow: a response is used once, and in the browser of its challenge",
    async run() {
      const { open } = passkeySite();
      const [page, other] = [open(), open()];
      const authenticator = createAuthenticator();
      await register(page, authenticator, { identifier: "ada" });
      const options = await (await post(page, "login/options")).json();
      const response = await authenticator.get(options);
      assertSame(await outcome(post(other, "login/verify", response)), "400 invalid_challenge");
      assertSame(await outcome(post(page, "login/verify", response)), "400 invalid_challenge");
      const fresh = await (await post(page, "login/options")).json();
      const used = await authenticator.get(fresh);
      assertSame(await outcome(post(page, "login/verify", used)), "200");
      assertSame(await outcome(post(page, "login/verify", used)), "400 invalid_challenge");
      const forged = { signature: (own: Uint8Array) => own.slice(1) };
      assertSame(await outcome(signIn(page, authenticator, forged)), "401 webauthn_failed");
    },
  },
  {
    name: "passkey flow: step-up by a passkey: by method, and by time",
    async run() {
      const { open, clock } = passkeySite();
      const page = open();
      const authenticator = createAuthenticator();
      await page.post("/auth/register", ADA);
      await register(page, authenticator);
      assertSame(await outcome(page.get("/recent")), "200");
      assertSame(await outcome(page.get("/mfa")), STEP_UP); // a password alone
      assertSame(await outcome(signIn(page, authenticator)), "200");
      assertSame(await outcome(page.get("/mfa")), "200");
      clock.now = START + 61;
      assertSame(await outcome(page.get("/recent")), STEP_UP);
      assertSame(await outcome(signIn(page, authenticator)), "200");
      assertSame(await outcome(page.get("/recent")), "200");
      clock.now += 901;
      assertSame(await outcome(register(page, createAuthenticator())), STEP_UP);
    },
  },
];

const TAKEN = "409 identifier_unavailable";
const STEP_UP = "401 insufficient_authentication";
