/**
 * Sign-in with OAuth and OpenID providers: the client, and presets of providers.
 *
 * @module
 */

export { oauthClient } from "./client.ts";
export type * from "./client_types.ts";
export { apple, type AppleOptions } from "./presets/apple.ts";
export { discord } from "./presets/discord.ts";
export { facebook, type FacebookOptions } from "./presets/facebook.ts";
export { github, type GithubOptions } from "./presets/github.ts";
export { gitlab, type GitlabOptions } from "./presets/gitlab.ts";
export { google, type GoogleOptions } from "./presets/google.ts";
export { linkedin } from "./presets/linkedin.ts";
export { microsoft, type MicrosoftOptions } from "./presets/microsoft.ts";
export {
  auth0,
  type Auth0Options,
  cognito,
  type CognitoOptions,
  keycloak,
  type KeycloakOptions,
  oidcProvider,
  type OidcProviderOptions,
  okta,
  type OktaOptions,
} from "./presets/oidc.ts";
export { slack, type SlackOptions } from "./presets/slack.ts";
export { twitch } from "./presets/twitch.ts";
export type { PresetOptions } from "./presets/options.ts";
export type * from "./provider_types.ts";
