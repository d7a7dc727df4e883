/**
 * GitLab.
 *
 * @module
 */

import type { OAuthProvider } from "../provider_types.ts";
import { checkHost, checkPreset, openIdProvider } from "./_preset.ts";
import type { PresetOptions } from "./options.ts";

/** Options of {@linkcode gitlab}. */
export interface GitlabOptions extends PresetOptions {
  /** Origin of an instance: `https://gitlab.example.com`. @default {"https://gitlab.com"} */
  readonly host?: string | undefined;
}

/**
 * Sign in with GitLab. Register the application at gitlab.com, User settings, Applications, confidential, with the scopes openid,
 * profile and email; redirect URIs are https, or http on localhost.
 *
 * The subject is `sub`; the e-mail address is verified where `email_verified` is true. ID tokens of old instances contain the
 * subject only. An instance below a path is an {@linkcode oidcProvider}.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 */
export function gitlab(options: GitlabOptions): OAuthProvider {
  checkPreset("gitlab", options, { required: ["clientId", "clientSecret"], optional: ["host"] });
  const { clientSecret, host = "https://gitlab.com" } = options;
  checkHost("gitlab", host);
  return openIdProvider({
    name: "gitlab",
    options,
    authentication: { method: "client_secret_basic", secret: clientSecret },
    server: {
      issuer: host,
      authorization_endpoint: `${host}/oauth/authorize`,
      token_endpoint: `${host}/oauth/token`,
      userinfo_endpoint: `${host}/oauth/userinfo`,
      jwks_uri: `${host}/oauth/discovery/keys`,
      revocation_endpoint: `${host}/oauth/revoke`,
    },
  });
}
