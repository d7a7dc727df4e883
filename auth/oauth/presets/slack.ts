/**
 * Slack.
 *
 * @module
 */

import type { OAuthFindings, OAuthProfile, OAuthProvider } from "../provider_types.ts";
import { checkPreset, openIdProvider, profileOf } from "./_preset.ts";
import type { PresetOptions } from "./options.ts";

/** Options of {@linkcode slack}. */
export interface SlackOptions extends PresetOptions {
  /** Only users of this workspace, by its id. @default any workspace */
  readonly team?: string | undefined;
}

const TEAM_CLAIM = "https://slack.com/team_id";

/**
 * Sign in with Slack. Register the application at api.slack.com/apps, OAuth & Permissions, with the user scopes openid, email and
 * profile; redirect URIs are https.
 *
 * **Slack refuses PKCE** unless the application was made a public client: the client needs `insecureNoPkce: true`; the nonce
 * protects against an injected code.
 * The subject is the workspace's id, a colon and `sub`: Slack documents that ids of users are unique in their workspace only.
 * Not confirmed: whether the token endpoint accepts a verifier after PKCE was turned on.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 */
export function slack(options: SlackOptions): OAuthProvider {
  checkPreset("slack", options, { required: ["clientId", "clientSecret"], optional: ["team"] });
  const { clientSecret, team, parameters } = options;
  return openIdProvider({
    name: "slack",
    options,
    parameters: team === undefined ? parameters : { ...parameters, team },
    authentication: { method: "client_secret_post", secret: clientSecret },
    server: {
      issuer: "https://slack.com",
      authorization_endpoint: "https://slack.com/openid/connect/authorize",
      token_endpoint: "https://slack.com/api/openid.connect.token",
      userinfo_endpoint: "https://slack.com/api/openid.connect.userInfo",
      jwks_uri: "https://slack.com/openid/connect/keys",
    },
    pkce: "unsupported",
    profile: ({ claims }: OAuthFindings): OAuthProfile | string => {
      const { sub, [TEAM_CLAIM]: own } = claims;
      if (typeof own !== "string" || own === "" || sub === undefined) return "team_missing";
      if (team !== undefined && own !== team) return "team_mismatch";
      return profileOf(claims, `${own}:${sub}`);
    },
  });
}
