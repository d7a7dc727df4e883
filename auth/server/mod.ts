/**
 * An authorization server: OAuth 2.1 and OpenID Connect. See {@linkcode AuthorizationServer}.
 *
 * @module
 */

export { AuthorizationServer } from "./server.ts";
export { handleOAuthServerRequest } from "./handle.ts";
export { mountOAuthServer } from "./mount.ts";
export { runtimeOptions } from "./runtime_options.ts";
export type { RuntimeServerOptions } from "./runtime_options.ts";
export {
  registerClient,
  revokeOldClientSecret,
  rotateClientSecret,
  staticClients,
} from "./clients/manage.ts";
export type * from "./clients/types.ts";
export type * from "./types.ts";
export { consentPage } from "./consent_page.ts";
export { ENGLISH } from "./consent_strings.ts";
export type { ConsentStrings } from "./consent_strings.ts";
