/**
 * Sign-in with providers, which has to go the same way on every runtime.
 *
 * @module
 */

import {
  AuthError,
  deriveKeys,
  identityService,
  inMemoryAuthStores,
  type OAuthResult,
  sessionService,
} from "../../auth/mod.ts";
import type { Changes } from "../auth/oauth/_fake_provider.ts";
import {
  keepCookies,
  NOW,
  REDIRECT_URI,
  requestOf,
  signIn,
  site,
  start,
} from "../auth/oauth/_sign_in.ts";
import { SECRET } from "../auth/_services.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";

async function reasonOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return "none";
  } catch (error) {
    return error instanceof AuthError ? error.reason : String(error);
  }
}

/** Changed answers, and why each sign-in fails. */
const REFUSED: readonly (readonly [why: string, reason: string, changes: Changes])[] = [
  ["a wrong at_hash", "at_hash_mismatch", { claims: { at_hash: "x".repeat(22) } }],
  ["another nonce", "nonce_mismatch", { claims: { nonce: "x".repeat(43) } }],
  ["another issuer", "iss_mismatch", { parameters: { iss: "https://evil.example" } }],
  ["an unknown key", "id_token_refused", { header: { kid: "unknown" } }],
  ["azp of another client", "azp_mismatch", { claims: { azp: "other" } }],
  ["a redirect of the token endpoint", "token_refused", {
    responses: { "/token": () => new Response(null, { status: 307, headers: { Location: "/x" } }) },
  }],
  ["5 MB", "token_response_malformed", {
    responses: { "/token": () => new Response(`{"a":"${"x".repeat(5_000_000)}"}`) },
  }],
  ["a provider that is down", "provider_unreachable", {
    responses: { "/token": () => new Response("", { status: 503 }) },
  }],
];

const LOGOUT = {
  iss: "https://id.example",
  aud: "client",
  sub: "u-1",
  jti: "j",
  events: { "http://schemas.openid.net/event/backchannel-logout": {} },
};

function accounts() {
  const now = () => NOW;
  const stores = inMemoryAuthStores({ now });
  const sessions = sessionService({ ...stores, now });
  const { identities, users } = stores;
  const keys = deriveKeys(SECRET);
  const service = identityService({ identities, users, sessions, keys, keepTokens: true, now });
  return { service, sessions };
}

/** The cases, in the order in which they run. */
export const oauthCases: readonly RuntimeCase[] = [
  ...(["RS256", "PS256", "ES256", "EdDSA"] as const).map((alg) => ({
    name: `oauth: a sign-in with discovery, PKCE and an ID token of ${alg}`,
    async run() {
      const { profile, tokens } = await signIn(site({ fake: { alg } }));
      assertSame([profile.subject, profile.emailVerified, tokens.expiresAt], [
        "u-1",
        true,
        NOW + 3600,
      ]);
    },
  })),
  ...REFUSED.map(([why, reason, changes]) => ({
    name: `oauth: ${why} is refused`,
    async run() {
      assertSame(await reasonOf(() => signIn(site(), changes)), reason);
    },
  })),
  {
    name: "oauth: a state is accepted once, in its own browser, after two tabs began",
    async run() {
      const own = site();
      const browser = new Map<string, string>();
      const first = own.fake.authorize(await start(own, browser));
      const second = own.fake.authorize(await start(own, browser));
      assertSame(
        await reasonOf(() => own.client.callback(new Request(first.url))),
        "browser_mismatch",
      );
      const { cookies } = await own.client.callback(requestOf(browser, second.url));
      const replayed = requestOf(browser, second.url);
      keepCookies(browser, cookies);
      assertSame(await reasonOf(() => own.client.callback(replayed)), "state_unknown");
      assertSame((await own.client.callback(requestOf(browser, first.url))).profile.subject, "u-1");
    },
  },
  {
    name: "oauth: a response as a form",
    async run() {
      const own = site({ provider: { responseMode: "form_post" } });
      const browser = new Map<string, string>();
      const { parameters } = own.fake.authorize(await start(own, browser));
      const headers = { "Content-Type": "application/x-www-form-urlencoded" };
      const init = { method: "POST", headers, body: `${parameters}` };
      const { profile } = await own.client.callback(requestOf(browser, REDIRECT_URI, init));
      assertSame(profile.subject, "u-1");
    },
  },
  {
    name: "oauth: refresh, revocation and a logout token",
    async run() {
      const { client, fake } = site();
      const { tokens: { refreshToken = "", idToken } } = await signIn({ client, fake });
      assertSame((await client.refresh(refreshToken, { idToken })).accessToken !== "", true);
      assertSame(await client.revoke(refreshToken), true);
      const token = await fake.sign(LOGOUT, { typ: "logout+jwt" });
      assertSame((await client.verifyLogoutToken(token)).subject, "u-1");
      assertSame(await reasonOf(() => client.verifyLogoutToken(token)), "logout_token_refused");
    },
  },
  {
    name: "oauth: an account is created, found, linked, and its tokens are kept",
    async run() {
      const { service, sessions } = accounts();
      const own = site();
      const other = site({ fake: { issuer: "https://other.example" } });
      const resolve = (result: OAuthResult) => service.resolve(result);
      const created = await resolve(await signIn(own));
      assertSame([created.account, created.user.identifier], ["created", "ada@example.org"]);
      const { session } = await sessions.create((await resolve(await signIn(own))).authentication);
      const link = { sub: created.user.sub, sessionId: session.id };
      assertSame((await resolve(await signIn(other, {}, { link }))).account, "linked");
      const found = await service.list(created.user.sub);
      assertSame(found.length, 2);
      assertSame(await service.unlink(created.user.sub, found[0]?.id ?? ""), true);
      const kept = await service.tokens(own.client, created.user.sub);
      assertSame(typeof kept?.accessToken, "string");
    },
  },
];
