/**
 * Facebook.
 *
 * @module
 */

import type { OAuthFindings, OAuthProfile, OAuthProvider } from "../provider_types.ts";
import { checkPreset, cleanProfile, openIdProvider } from "./_preset.ts";
import type { PresetOptions } from "./options.ts";

/** Options of {@linkcode facebook}. */
export interface FacebookOptions extends PresetOptions {
  /** Version of the Graph API. The default is of 2026-07-29; a version lives for about two years. @default {"v26.0"} */
  readonly version?: string | undefined;
}

/**
 * Sign in with Facebook. Register the application at developers.facebook.com, use case "Authenticate", and turn on client OAuth
 * login; redirect URIs are https.
 *
 * The user comes from the Graph API, and the access token must have been issued to this application, as the document `/app` says:
 * `debug_token` refuses the tokens of users who are not developers of the application. The subject is `id`, which differs between
 * applications. **The e-mail address never counts as verified**: there is no such flag; accounts with a phone number have none.
 * Not confirmed: `/app` with a token in the header field (elsewhere in production with a parameter), PKCE without the scope
 * `openid` (elsewhere in production), and `appsecret_proof`, which is not sent: the setting "Require app secret" must be off.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 */
export function facebook(options: FacebookOptions): OAuthProvider {
  checkPreset("facebook", options, {
    required: ["clientId", "clientSecret"],
    optional: ["version"],
    patterns: { version: [/^v\d{1,3}\.\d$/, 'a version of the Graph API: "v26.0"'] },
  });
  const { clientId, clientSecret, version = "v26.0" } = options;
  const graph = `https://graph.facebook.com/${version}`;
  return openIdProvider({
    name: "facebook",
    options,
    defaultScope: ["email", "public_profile"],
    authentication: { method: "client_secret_post", secret: clientSecret },
    server: {
      issuer: "https://www.facebook.com",
      authorization_endpoint: `https://www.facebook.com/${version}/dialog/oauth`,
      token_endpoint: `${graph}/oauth/access_token`,
      userinfo_endpoint: `${graph}/me?fields=id,name,email,picture`,
      jwks_uri: "https://www.facebook.com/.well-known/oauth/openid/jwks/",
    },
    identity: "userinfo",
    nonce: false,
    documents: { app: { url: `${graph}/app` } },
    profile: (found) => readProfile(clientId, found),
  });
}

function readProfile(
  clientId: string,
  { userinfo: { id, name, email, picture }, documents }: OAuthFindings,
): OAuthProfile | string {
  if (memberOf(documents["app"], "id") !== clientId) return "token_of_another_application";
  const url = memberOf(memberOf(picture, "data"), "url");
  return cleanProfile({ subject: id, email, emailVerified: false, name, picture: url });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
