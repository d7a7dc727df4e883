/**
 * Google.
 *
 * @module
 */

import type { OAuthFindings, OAuthProfile, OAuthProvider } from "../provider_types.ts";
import { checkPreset, openIdProvider, standardProfile } from "./_preset.ts";
import type { PresetOptions } from "./options.ts";

/** Options of {@linkcode google}. */
export interface GoogleOptions extends PresetOptions {
  /** Only accounts of this Google Workspace domain, by the claim `hd`. @default any account */
  readonly hostedDomain?: string | undefined;
}

/**
 * Sign in with Google. Register the application at console.cloud.google.com, APIs & Services, Credentials, as a web application;
 * redirect URIs are https, or http on localhost.
 *
 * The subject is `sub`; the e-mail address is verified where `email_verified` is true. Responses have `iss`, RFC 9207.
 * Not confirmed: refresh tokens need the parameters `access_type: "offline"`, and a consent.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 *
 * @example
 * ```ts
 * import { google } from "@gatehouse/http/auth/oauth";
 * import { assertEquals } from "@std/assert";
 *
 * const provider = google({ clientId: "my-id", clientSecret: "my-secret" });
 * assertEquals(provider.scope, ["openid", "email", "profile"]);
 * ```
 */
export function google(options: GoogleOptions): OAuthProvider {
  checkPreset("google", options, {
    required: ["clientId", "clientSecret"],
    optional: ["hostedDomain"],
  });
  const { clientSecret, hostedDomain, parameters } = options;
  return openIdProvider({
    name: "google",
    options,
    parameters: hostedDomain === undefined ? parameters : { ...parameters, hd: hostedDomain },
    authentication: { method: "client_secret_post", secret: clientSecret },
    server: {
      issuer: "https://accounts.google.com",
      authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
      token_endpoint: "https://oauth2.googleapis.com/token",
      userinfo_endpoint: "https://openidconnect.googleapis.com/v1/userinfo",
      jwks_uri: "https://www.googleapis.com/oauth2/v3/certs",
      revocation_endpoint: "https://oauth2.googleapis.com/revoke",
    },
    issuerAliases: ["accounts.google.com"],
    iss: "always",
    profile: hostedDomain === undefined
      ? standardProfile
      : (found: OAuthFindings): OAuthProfile | string =>
        // The parameter is a hint that the browser can change; the claim is signed
        found.claims["hd"] === hostedDomain ? standardProfile(found) : "hosted_domain",
  });
}
