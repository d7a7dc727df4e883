/**
 * Twitch.
 *
 * @module
 */

import type { OAuthFindings, OAuthProfile, OAuthProvider } from "../provider_types.ts";
import { checkPreset, openIdProvider, profileOf } from "./_preset.ts";
import type { PresetOptions } from "./options.ts";

/** Claims come only if they are asked for, OpenID Connect Core §5.5. */
const CLAIMS =
  '{"id_token":{"email":null,"email_verified":null,"preferred_username":null,"picture":null}}';

/**
 * Sign in with Twitch. Register the application at dev.twitch.tv/console, confidential; redirect URIs are https, or http on
 * localhost.
 *
 * The subject is `sub`; the e-mail address is verified where `email_verified` is true, and both are asked for by `claims`.
 * Not confirmed: whether Twitch checks PKCE; it accepts the parameters.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 */
export function twitch(options: PresetOptions): OAuthProvider {
  checkPreset("twitch", options, { required: ["clientId", "clientSecret"] });
  const { clientSecret, parameters } = options;
  const base = "https://id.twitch.tv/oauth2";
  return openIdProvider({
    name: "twitch",
    options,
    defaultScope: ["openid", "user:read:email"],
    parameters: { claims: CLAIMS, ...parameters },
    authentication: { method: "client_secret_post", secret: clientSecret },
    server: {
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      userinfo_endpoint: `${base}/userinfo`,
      jwks_uri: `${base}/keys`,
      revocation_endpoint: `${base}/revoke`,
    },
    profile: ({ claims }: OAuthFindings): OAuthProfile =>
      profileOf({ ...claims, name: claims["preferred_username"] }, claims.sub),
  });
}
