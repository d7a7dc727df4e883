/**
 * Microsoft Entra ID.
 *
 * @module
 */

import type { JwtClaims } from "../../jwt/types.ts";
import type { OAuthFindings, OAuthProfile, OAuthProvider } from "../provider_types.ts";
import { checkPreset, cleanProfile, openIdProvider } from "./_preset.ts";
import type { PresetOptions } from "./options.ts";

/** Options of {@linkcode microsoft}. */
export interface MicrosoftOptions extends PresetOptions {
  /**
   * Whose accounts: a tenant by its id (a GUID), `organizations` for any work or school account, `consumers` for personal ones,
   * `common` for all.
   */
  readonly tenant: string;
}

const GUID_REGEXP = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The tenant of personal accounts. */
const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad";

const HOST = "https://login.microsoftonline.com";

/**
 * Sign in with Microsoft Entra ID. Register the application at entra.microsoft.com, App registrations, platform Web; redirect
 * URIs are https, or http on localhost.
 *
 * The issuer is that of the user's tenant, also for `common`; the subject is `sub`, which differs between applications. **The
 * e-mail address never counts as verified**: administrators of any tenant can set it.
 * Not confirmed: the metadata do not name PKCE, which works in practice.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 */
export function microsoft(options: MicrosoftOptions): OAuthProvider {
  checkPreset("microsoft", options, { required: ["clientId", "clientSecret", "tenant"] });
  const { tenant, clientSecret } = options;
  const isGuid = GUID_REGEXP.test(tenant);
  if (!isGuid && !["common", "organizations", "consumers"].includes(tenant)) {
    throw new TypeError(
      'Cannot create provider microsoft: tenant must be a GUID in lower case, "common", "organizations" or "consumers"',
    );
  }
  const base = `${HOST}/${tenant}`;
  return openIdProvider({
    name: "microsoft",
    options,
    authentication: { method: "client_secret_post", secret: clientSecret },
    server: {
      issuer: isGuid ? issuerOfTenant(tenant) : `${HOST}/{tenantid}/v2.0`, // as its metadata say
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/oauth2/v2.0/token`,
      userinfo_endpoint: "https://graph.microsoft.com/oidc/userinfo",
      jwks_uri: `${base}/discovery/v2.0/keys`,
      end_session_endpoint: `${base}/oauth2/v2.0/logout`,
    },
    issuerOf: ({ tid }: JwtClaims) => {
      if (typeof tid !== "string" || !GUID_REGEXP.test(tid)) return undefined;
      return isAdmitted(tenant, tid) ? issuerOfTenant(tid) : undefined;
    },
    profile: ({ claims: { sub, email, name } }: OAuthFindings): OAuthProfile =>
      cleanProfile({ subject: sub, email, emailVerified: false, name }),
  });
}

/** The endpoints share keys, so that a token of another kind of account has a valid signature. */
function isAdmitted(tenant: string, tid: string): boolean {
  switch (tenant) {
    case "common":
      return true;
    case "organizations":
      return tid !== CONSUMERS;
    case "consumers":
      return tid === CONSUMERS;
    default:
      return tid === tenant;
  }
}

function issuerOfTenant(tid: string): string {
  return `${HOST}/${tid}/v2.0`;
}
