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
export type * from "./core/types.ts";
export { consentPage } from "./authorize/consent_page.ts";
export { devicePage } from "./device/device_page.ts";
export { ENGLISH } from "./core/page_strings.ts";
export type { ConsentStrings } from "./core/page_strings.ts";
