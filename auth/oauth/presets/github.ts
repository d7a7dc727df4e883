/**
 * GitHub.
 *
 * @module
 */

import type { OAuthFindings, OAuthProfile, OAuthProvider } from "../provider_types.ts";
import { checkHost, checkPreset, cleanProfile, openIdProvider } from "./_preset.ts";
import type { PresetOptions } from "./options.ts";

/** Options of {@linkcode github}. */
export interface GithubOptions extends PresetOptions {
  /** Origin of a GitHub Enterprise Server: `https://github.example.com`. @default {"https://github.com"} */
  readonly host?: string | undefined;
}

/** Without `User-Agent` the API answers 403. */
const API_HEADERS = {
  Accept: "application/vnd.github+json",
  "User-Agent": "gatehouse",
  "X-GitHub-Api-Version": "2022-11-28",
} as const;

const GITHUB = "https://github.com";

const DEFAULT_SCOPE = ["read:user", "user:email"];

/** Either gives access to the user's e-mail addresses. */
const EMAIL_SCOPES: readonly string[] = ["user:email", "user"];

/**
 * Sign in with GitHub. Register an OAuth app at github.com, Settings, Developer settings; it has one redirect URI, https or http
 * on localhost.
 *
 * GitHub issues no ID token, so the user comes from its API. The subject is the number of the account, since names can be taken
 * over; the e-mail address is the primary one, which counts as verified if GitHub says so. Responses have `iss`, RFC 9207.
 * Not confirmed: that Enterprise Server sends `iss`, which is therefore not demanded there.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 *
 * @example
 * ```ts
 * import { github } from "@gatehouse/http/auth/oauth";
 * import { assertEquals } from "@std/assert";
 *
 * const provider = github({ clientId: "my-id", clientSecret: "my-secret" });
 * assertEquals(provider.identity, "userinfo");
 * ```
 */
export function github(options: GithubOptions): OAuthProvider {
  checkPreset("github", options, { required: ["clientId", "clientSecret"], optional: ["host"] });
  const { clientSecret, host = GITHUB, scope = DEFAULT_SCOPE } = options;
  checkHost("github", host);
  const api = host === GITHUB ? "https://api.github.com" : `${host}/api/v3`;
  return openIdProvider({
    name: "github",
    options,
    defaultScope: DEFAULT_SCOPE,
    authentication: { method: "client_secret_post", secret: clientSecret },
    server: {
      issuer: `${host}/login/oauth`,
      authorization_endpoint: `${host}/login/oauth/authorize`,
      token_endpoint: `${host}/login/oauth/access_token`,
      userinfo_endpoint: `${api}/user`,
    },
    iss: host === GITHUB ? "always" : "optional",
    identity: "userinfo",
    nonce: false,
    idTokenAlgorithms: [],
    userinfoHeaders: API_HEADERS,
    documents: scope.some((one) => EMAIL_SCOPES.includes(one))
      ? { emails: { url: `${api}/user/emails`, headers: API_HEADERS } }
      : {}, // Without the scope the API answers 404
    profile: readProfile,
  });
}

function readProfile({ userinfo, documents }: OAuthFindings): OAuthProfile {
  const { id, name, login, avatar_url: picture } = userinfo;
  const { emails } = documents;
  const primary = Array.isArray(emails) ? emails.find((one) => one?.primary === true) : undefined;
  return cleanProfile({
    subject: Number.isSafeInteger(id) && Number(id) > 0 ? String(id) : "",
    email: primary?.email,
    emailVerified: primary?.verified === true,
    name: name ?? login,
    picture,
  });
}
