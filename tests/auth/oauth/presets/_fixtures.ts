/**
 * What providers send, in the shapes that they document: the answer of the token endpoint without its ID token, the claims of
 * the ID token, and documents by URL. Values are made up.
 *
 * @module
 */

import {
  apple,
  type AppleOptions,
  auth0,
  cognito,
  discord,
  facebook,
  github,
  gitlab,
  google,
  keycloak,
  linkedin,
  microsoft,
  type OAuthProfile,
  type OAuthProvider,
  oidcProvider,
  okta,
  slack,
  twitch,
} from "../../../../auth/oauth/mod.ts";
import type { Jwk } from "../../../../auth/jwt/types.ts";

/** Options of all presets with a secret. */
export const CLIENT = { clientId: "client-1", clientSecret: "secret-1" } as const;

export const TENANT = "11111111-2222-3333-4444-555555555555";
export const OTHER_TENANT = "99999999-2222-3333-4444-555555555555";
/** The tenant of personal accounts at Microsoft. */
export const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad";

/** The private key of RFC 7515, Appendix A.3. */
export const APPLE_KEY: Jwk = {
  kty: "EC",
  crv: "P-256",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  d: "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
};

export const APPLE: AppleOptions = {
  clientId: "client-1",
  teamId: "TEAM123456",
  keyId: "KEY1234567",
  privateKey: APPLE_KEY,
};

/** What a provider sends in a sign-in, and whom it says that it is. */
export interface ProviderFixture {
  readonly provider: OAuthProvider;
  /** Answer of the token endpoint. @default {DEFAULT_TOKEN} */
  readonly token?: Readonly<Record<string, unknown>>;
  /** Claims of the ID token besides `iss`, `aud`, `iat`, `exp` and `nonce`; none without one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** `iss` of the ID token. @default the provider's issuer */
  readonly issuer?: string;
  /** UserInfo and further documents, by URL. */
  readonly documents?: Readonly<Record<string, unknown>>;
  /** Apple's `user`. */
  readonly user?: string;
  /** The profile of all this. */
  readonly profile: OAuthProfile;
}

export const DEFAULT_TOKEN = { access_token: "access-1", token_type: "Bearer", expires_in: 3600 };

const ADA = { email: "ada@example.com", email_verified: true, name: "Ada Lovelace" } as const;
const PICTURE = "https://images.example/ada.png";
const ADA_PROFILE = {
  email: "ada@example.com",
  emailVerified: true,
  name: "Ada Lovelace",
} as const;

export const GITHUB_USER: Readonly<Record<string, unknown>> = {
  id: 1,
  login: "octocat",
  name: "Ada Lovelace",
  email: "public@example.com",
  avatar_url: PICTURE,
};

export const GITHUB_EMAILS = [
  { email: "old@example.com", primary: false, verified: true, visibility: null },
  { email: "ada@example.com", primary: true, verified: true, visibility: "private" },
] as const;

/** One sign-in at each provider. */
export const FIXTURES: Readonly<Record<string, ProviderFixture>> = {
  google: {
    provider: google(CLIENT),
    token: { ...DEFAULT_TOKEN, scope: "openid https://www.googleapis.com/auth/userinfo.email" },
    claims: { ...ADA, azp: "client-1", sub: "110169484474386276334", picture: PICTURE },
    profile: { ...ADA_PROFILE, subject: "110169484474386276334", picture: PICTURE },
  },
  microsoft: {
    provider: microsoft({ ...CLIENT, tenant: "common" }),
    token: { ...DEFAULT_TOKEN, ext_expires_in: 3600, scope: "openid profile email" },
    issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
    claims: { ...ADA, sub: "AAAAAAAA", oid: OTHER_TENANT, tid: TENANT, ver: "2.0" },
    profile: { ...ADA_PROFILE, subject: "AAAAAAAA", emailVerified: false },
  },
  apple: {
    provider: apple(APPLE),
    claims: {
      sub: "001234.abc.0123",
      email: "x@privaterelay.appleid.com",
      email_verified: "true",
      is_private_email: "true",
      auth_time: 1_800_000_000,
      nonce_supported: true,
    },
    user: '{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"forged@example.com"}',
    profile: {
      subject: "001234.abc.0123",
      email: "x@privaterelay.appleid.com",
      emailVerified: true,
      name: "Ada Lovelace",
    },
  },
  github: {
    provider: github(CLIENT),
    token: { access_token: "gho_1", token_type: "bearer", scope: "read:user,user:email" },
    documents: {
      "https://api.github.com/user": GITHUB_USER,
      "https://api.github.com/user/emails": GITHUB_EMAILS,
    },
    profile: { ...ADA_PROFILE, subject: "1", picture: PICTURE },
  },
  gitlab: {
    provider: gitlab(CLIENT),
    token: { ...DEFAULT_TOKEN, created_at: 1_800_000_000, scope: "openid email profile" },
    claims: { ...ADA, sub: "42", nickname: "ada", groups_direct: ["a/b"] },
    profile: { ...ADA_PROFILE, subject: "42" },
  },
  discord: {
    provider: discord(CLIENT),
    token: { ...DEFAULT_TOKEN, scope: "identify email" },
    documents: {
      "https://discord.com/api/users/@me": {
        id: "80351110224678912",
        username: "ada",
        global_name: null,
        email: "ada@example.com",
        verified: true,
        avatar: null,
      },
    },
    profile: { ...ADA_PROFILE, subject: "80351110224678912", name: "ada" },
  },
  facebook: {
    provider: facebook(CLIENT),
    token: { access_token: "EAAB", token_type: "bearer", expires_in: 5_183_944 },
    documents: {
      "https://graph.facebook.com/v26.0/me?fields=id,name,email,picture": {
        id: "10150000000000000",
        name: "Ada Lovelace",
        email: "ada@example.com",
        picture: { data: { height: 50, is_silhouette: false, url: PICTURE, width: 50 } },
      },
      "https://graph.facebook.com/v26.0/app": { id: "client-1", name: "Notes", link: PICTURE },
    },
    profile: {
      ...ADA_PROFILE,
      subject: "10150000000000000",
      emailVerified: false,
      picture: PICTURE,
    },
  },
  linkedin: {
    provider: linkedin(CLIENT),
    token: { ...DEFAULT_TOKEN, scope: "email,openid,profile" },
    claims: { ...ADA, sub: "782bbtaQ", picture: PICTURE, locale: "en_US" },
    profile: { ...ADA_PROFILE, subject: "782bbtaQ", picture: PICTURE },
  },
  slack: {
    provider: slack(CLIENT),
    token: { ok: true, access_token: "xoxp-1", token_type: "Bearer" },
    claims: { ...ADA, sub: "U0R7JM", "https://slack.com/team_id": "T0R7GR", picture: PICTURE },
    profile: { ...ADA_PROFILE, subject: "T0R7GR:U0R7JM", picture: PICTURE },
  },
  twitch: {
    provider: twitch(CLIENT),
    token: {
      ...DEFAULT_TOKEN,
      token_type: "bearer",
      scope: ["openid", "user:read:email"],
    },
    claims: {
      azp: "client-1",
      sub: "713936733",
      email: "ada@example.com",
      email_verified: true,
      preferred_username: "ada",
      picture: PICTURE,
    },
    profile: { ...ADA_PROFILE, subject: "713936733", name: "ada", picture: PICTURE },
  },
  oidc: {
    provider: oidcProvider({ ...CLIENT, issuer: "https://id.example.com", identity: "both" }),
    claims: { sub: "u1" },
    documents: { "https://id.example.com/userinfo": { sub: "u1", ...ADA, picture: PICTURE } },
    profile: { ...ADA_PROFILE, subject: "u1", picture: PICTURE },
  },
  auth0: {
    provider: auth0({ ...CLIENT, domain: "notes.eu.auth0.com" }),
    claims: { ...ADA, sub: "auth0|5f7c", nickname: "ada", updated_at: "2026-01-01T00:00:00Z" },
    profile: { ...ADA_PROFILE, subject: "auth0|5f7c" },
  },
  okta: {
    provider: okta({ ...CLIENT, domain: "notes.okta.com", authorizationServer: "default" }),
    claims: { ...ADA, sub: "00uid4BxXw6I6TV4m0g3", ver: 1, amr: ["pwd"], idp: "00o" },
    profile: { ...ADA_PROFILE, subject: "00uid4BxXw6I6TV4m0g3" },
  },
  keycloak: {
    provider: keycloak({ ...CLIENT, url: "https://sso.example.com/", realm: "notes" }),
    claims: { ...ADA, azp: "client-1", sub: TENANT, sid: "s1", acr: "1", typ: "ID" },
    profile: { ...ADA_PROFILE, subject: TENANT },
  },
  cognito: {
    provider: cognito({ ...CLIENT, region: "eu-central-1", userPoolId: "eu-central-1_AbCdEfGhI" }),
    claims: { ...ADA, sub: TENANT, "cognito:username": "ada", token_use: "id" },
    profile: { ...ADA_PROFILE, subject: TENANT },
  },
};
