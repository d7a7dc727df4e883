/**
 * LinkedIn.
 *
 * @module
 */

import type { OAuthProvider } from "../provider_types.ts";
import { checkPreset, openIdProvider } from "./_preset.ts";
import type { PresetOptions } from "./options.ts";

/**
 * Sign in with LinkedIn. Register the application at linkedin.com/developers, and add the product "Sign In with LinkedIn using
 * OpenID Connect"; redirect URIs are https, or http on localhost.
 *
 * **LinkedIn refuses PKCE and sends no nonce**: the client needs `insecureNoPkce: true`. The state and its cookie are all that
 * binds a response to the browser; a code that was stolen before it is used can be injected into another sign-in.
 *
 * The subject is `sub`, which differs between applications; the e-mail address is verified where `email_verified` is true.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 */
export function linkedin(options: PresetOptions): OAuthProvider {
  checkPreset("linkedin", options, { required: ["clientId", "clientSecret"] });
  const { clientSecret } = options;
  return openIdProvider({
    name: "linkedin",
    options,
    authentication: { method: "client_secret_post", secret: clientSecret },
    server: {
      issuer: "https://www.linkedin.com/oauth",
      authorization_endpoint: "https://www.linkedin.com/oauth/v2/authorization",
      token_endpoint: "https://www.linkedin.com/oauth/v2/accessToken",
      userinfo_endpoint: "https://api.linkedin.com/v2/userinfo",
      jwks_uri: "https://www.linkedin.com/oauth/openid/jwks",
    },
    pkce: "unsupported",
    nonce: false,
  });
}
