/** The data of each preset: endpoints, authentication and scopes as the providers document them. */

import { assert, assertEquals } from "@std/assert";
import type { OAuthProvider } from "../../../../auth/oauth/mod.ts";
import { FIXTURES } from "./_fixtures.ts";

const MICROSOFT = "https://login.microsoftonline.com";

/** [preset, issuer, authorization endpoint, token endpoint, UserInfo, keys, revocation] */
const STATIC: readonly (readonly [
  name: string,
  issuer: string,
  authorize: string,
  token: string,
  userinfo: string | undefined,
  jwks: string | undefined,
  revoke?: string,
])[] = [
  [
    "google",
    "https://accounts.google.com",
    "https://accounts.google.com/o/oauth2/v2/auth",
    "https://oauth2.googleapis.com/token",
    "https://openidconnect.googleapis.com/v1/userinfo",
    "https://www.googleapis.com/oauth2/v3/certs",
    "https://oauth2.googleapis.com/revoke",
  ],
  [
    "microsoft",
    `${MICROSOFT}/{tenantid}/v2.0`,
    `${MICROSOFT}/common/oauth2/v2.0/authorize`,
    `${MICROSOFT}/common/oauth2/v2.0/token`,
    "https://graph.microsoft.com/oidc/userinfo",
    `${MICROSOFT}/common/discovery/v2.0/keys`,
  ],
  [
    "apple",
    "https://appleid.apple.com",
    "https://appleid.apple.com/auth/authorize",
    "https://appleid.apple.com/auth/token",
    undefined,
    "https://appleid.apple.com/auth/keys",
    "https://appleid.apple.com/auth/revoke",
  ],
  [
    "github",
    "https://github.com/login/oauth",
    "https://github.com/login/oauth/authorize",
    "https://github.com/login/oauth/access_token",
    "https://api.github.com/user",
    undefined,
  ],
  [
    "gitlab",
    "https://gitlab.com",
    "https://gitlab.com/oauth/authorize",
    "https://gitlab.com/oauth/token",
    "https://gitlab.com/oauth/userinfo",
    "https://gitlab.com/oauth/discovery/keys",
    "https://gitlab.com/oauth/revoke",
  ],
  [
    "discord",
    "https://discord.com",
    "https://discord.com/api/oauth2/authorize",
    "https://discord.com/api/oauth2/token",
    "https://discord.com/api/users/@me",
    "https://discord.com/api/oauth2/keys",
    "https://discord.com/api/oauth2/token/revoke",
  ],
  [
    "facebook",
    "https://www.facebook.com",
    "https://www.facebook.com/v26.0/dialog/oauth",
    "https://graph.facebook.com/v26.0/oauth/access_token",
    "https://graph.facebook.com/v26.0/me?fields=id,name,email,picture",
    "https://www.facebook.com/.well-known/oauth/openid/jwks/",
  ],
  [
    "linkedin",
    "https://www.linkedin.com/oauth",
    "https://www.linkedin.com/oauth/v2/authorization",
    "https://www.linkedin.com/oauth/v2/accessToken",
    "https://api.linkedin.com/v2/userinfo",
    "https://www.linkedin.com/oauth/openid/jwks",
  ],
  [
    "slack",
    "https://slack.com",
    "https://slack.com/openid/connect/authorize",
    "https://slack.com/api/openid.connect.token",
    "https://slack.com/api/openid.connect.userInfo",
    "https://slack.com/openid/connect/keys",
  ],
  [
    "twitch",
    "https://id.twitch.tv/oauth2",
    "https://id.twitch.tv/oauth2/authorize",
    "https://id.twitch.tv/oauth2/token",
    "https://id.twitch.tv/oauth2/userinfo",
    "https://id.twitch.tv/oauth2/keys",
    "https://id.twitch.tv/oauth2/revoke",
  ],
];
for (const [name, issuer, authorize, token, userinfo, jwks, revoke] of STATIC) {
  Deno.test(`${name}() has the endpoints that the provider documents, without discovery`, () => {
    const { server } = providerOf(name);
    assert("issuer" in server);
    const { end_session_endpoint: _, ...known } = server;
    assertEquals(known, {
      issuer,
      authorization_endpoint: authorize,
      token_endpoint: token,
      ...(userinfo === undefined ? {} : { userinfo_endpoint: userinfo }),
      ...(jwks === undefined ? {} : { jwks_uri: jwks }),
      ...(revoke === undefined ? {} : { revocation_endpoint: revoke }),
    });
  });
}

/** [preset, issuer whose metadata are fetched] */
const DISCOVERED: readonly (readonly [name: string, issuer: string])[] = [
  ["oidc", "https://id.example.com"],
  ["auth0", "https://notes.eu.auth0.com/"],
  ["okta", "https://notes.okta.com/oauth2/default"],
  ["keycloak", "https://sso.example.com/realms/notes"],
  ["cognito", "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI"],
];
for (const [name, issuer] of DISCOVERED) {
  Deno.test(`${name}() discovers the metadata of its issuer`, () => {
    assertEquals(providerOf(name).server, { discover: issuer });
  });
}

/** [preset; authentication, identity, PKCE, nonce, iss and response mode; scopes] */
const CHOICES: readonly (readonly [name: string, choices: string, scope: string])[] = [
  ["google", "post id_token S256 nonce always query", "openid email profile"],
  ["microsoft", "post id_token S256 nonce optional query", "openid email profile"],
  ["apple", "signed id_token S256 nonce optional form_post", "name email"],
  ["github", "post userinfo S256 - always query", "read:user user:email"],
  ["gitlab", "basic id_token S256 nonce optional query", "openid email profile"],
  ["discord", "basic userinfo S256 - always query", "identify email"],
  ["facebook", "post userinfo S256 - optional query", "email public_profile"],
  ["linkedin", "post id_token unsupported - optional query", "openid email profile"],
  ["slack", "post id_token unsupported nonce optional query", "openid email profile"],
  ["twitch", "post id_token S256 nonce optional query", "openid user:read:email"],
  ["oidc", "metadata both S256 nonce optional query", "openid email profile"],
  ["auth0", "metadata id_token S256 nonce optional query", "openid email profile"],
  ["okta", "metadata id_token S256 nonce optional query", "openid email profile"],
  ["keycloak", "metadata id_token S256 nonce optional query", "openid email profile"],
  ["cognito", "metadata id_token S256 nonce optional query", "openid email profile"],
];

const METHODS: Readonly<Record<string, string>> = {
  client_secret: "metadata",
  client_secret_basic: "basic",
  client_secret_post: "post",
  signed_client_secret: "signed",
};

for (const [name, choices, scopes] of CHOICES) {
  Deno.test(`${name}() has the choices of the provider`, () => {
    const provider = providerOf(name);
    const { authentication, identity, pkce, nonce, iss, responseMode = "query", scope } = provider;
    const method = METHODS[authentication.method];
    const found = [method, identity, pkce, nonce ? "nonce" : "-", iss, responseMode];
    assertEquals(found.join(" "), choices);
    assertEquals(scope.join(" "), scopes);
    assertEquals(provider.name, name);
  });
}

Deno.test("CHOICES have a row for each preset", () => {
  assertEquals(CHOICES.map(([name]) => name).sort(), Object.keys(FIXTURES).sort());
});

Deno.test("Presets accept no algorithm with a secret", () => {
  for (const { provider } of Object.values(FIXTURES)) {
    assertEquals(provider.idTokenAlgorithms.filter((alg) => alg.startsWith("HS")), []);
  }
});

function providerOf(name: string): OAuthProvider {
  const provider = FIXTURES[name]?.provider;
  assert(provider !== undefined);
  return provider;
}
