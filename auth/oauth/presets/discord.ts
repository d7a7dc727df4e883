/**
 * Discord.
 *
 * @module
 */

import type { OAuthFindings, OAuthProfile, OAuthProvider } from "../provider_types.ts";
import { checkPreset, cleanProfile, openIdProvider } from "./_preset.ts";
import type { PresetOptions } from "./options.ts";

/**
 * Sign in with Discord. Register the application at discord.com/developers/applications, OAuth2; redirect URIs are https, or http
 * on localhost.
 *
 * The user comes from Discord's API: the subject is `id`, the e-mail address is verified where `verified` is true, and may be
 * missing. Responses have `iss`, RFC 9207.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 */
export function discord(options: PresetOptions): OAuthProvider {
  checkPreset("discord", options, { required: ["clientId", "clientSecret"] });
  const { clientSecret } = options;
  return openIdProvider({
    name: "discord",
    options,
    defaultScope: ["identify", "email"],
    authentication: { method: "client_secret_basic", secret: clientSecret },
    server: {
      issuer: "https://discord.com",
      authorization_endpoint: "https://discord.com/api/oauth2/authorize",
      token_endpoint: "https://discord.com/api/oauth2/token",
      userinfo_endpoint: "https://discord.com/api/users/@me",
      jwks_uri: "https://discord.com/api/oauth2/keys",
      revocation_endpoint: "https://discord.com/api/oauth2/token/revoke",
    },
    iss: "always",
    identity: "userinfo",
    nonce: false,
    profile: readProfile,
  });
}

function readProfile({ userinfo }: OAuthFindings): OAuthProfile {
  const { id, email, verified, global_name, username } = userinfo;
  return cleanProfile({
    subject: id,
    email,
    emailVerified: verified === true,
    name: global_name ?? username,
  });
}
