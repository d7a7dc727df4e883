/**
 * What presets share: their options, their defaults, and the claims of OpenID Connect.
 *
 * @module
 */

import { rejectUnknownOptions } from "../../_options.ts";
import { parseUrl } from "../../_origin.ts";
import type { AsymmetricAlgorithm } from "../../jwt/jwa.ts";
import type {
  OAuthFindings,
  OAuthProfile,
  OAuthProvider,
  PresetOptions,
} from "../provider_types.ts";

/** Parameters that the client sets. */
const RESERVED: readonly string[] = [
  "response_type",
  "response_mode",
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "nonce",
  "code_challenge",
  "code_challenge_method",
  "prompt",
  "login_hint",
  "max_age",
  "acr_values",
  "request",
  "request_uri",
];

/** Default scopes. */
export const OPENID_SCOPE: readonly string[] = ["openid", "email", "profile"];
/** The algorithm of most providers. */
export const RS256: readonly AsymmetricAlgorithm[] = ["RS256"];

/** Characters that hide or reorder text: controls, and the bidirectional ones of Unicode. */
const HIDDEN_REGEXP = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

const MAX_NAME_LENGTH = 100;
const MAX_EMAIL_LENGTH = 254;
const MAX_PICTURE_LENGTH = 2_048;

/**
 * Checks the options of a preset, besides `scope` and `parameters` by name: those that must be, and those that may be non-empty
 * strings.
 *
 * @throws {TypeError} If one is missing, unknown or of a wrong shape.
 */
export function checkPreset(
  preset: string,
  options: object,
  { required, optional = [], others = [] }: {
    readonly required: readonly string[];
    readonly optional?: readonly string[];
    /** Options that the preset checks. */
    readonly others?: readonly string[];
  },
): void {
  const action = `Cannot create provider ${preset}`;
  const known = ["scope", "parameters", ...required, ...optional, ...others];
  rejectUnknownOptions(action, options, Object.fromEntries(known.map((name) => [name, true])));
  const given = options as Readonly<Record<string, unknown>>;
  for (const name of [...required, ...optional]) {
    const value = given[name];
    if (typeof value === "string" && value !== "") continue;
    if (value === undefined && !required.includes(name)) continue;
    throw new TypeError(
      `${action}: ${name} must be a non-empty string; is its environment variable set?`,
    );
  }
  const { scope = [], parameters = {} } = given;
  if (!Array.isArray(scope) || !scope.every(isScope)) {
    throw new TypeError(`${action}: scope must be an array of scopes`);
  }
  for (const [name, value] of Object.entries(parameters as object)) {
    if (RESERVED.includes(name)) throw new TypeError(`${action}: the client sets ${name} itself`);
    if (typeof value !== "string") throw new TypeError(`${action}: parameters must be strings`);
  }
}

/** A provider of OpenID Connect, with what presets share. Frozen. */
export function openIdProvider(
  { name, options, ...own }: Pick<OAuthProvider, "name" | "server" | "authentication"> & {
    readonly options: Pick<PresetOptions, "clientId" | "scope" | "parameters">;
  } & Partial<OAuthProvider>,
): OAuthProvider {
  const { clientId, scope = OPENID_SCOPE, parameters } = options;
  return Object.freeze({
    name,
    clientId,
    scope,
    parameters,
    pkce: "S256",
    iss: "optional",
    identity: "id_token",
    nonce: true,
    idTokenAlgorithms: RS256,
    profile: standardProfile,
    ...own,
  });
}

/** The profile by the standard claims, OpenID Connect Core §5.1. Only `true` is a verified address. */
export function standardProfile({ claims }: OAuthFindings): OAuthProfile {
  return profileOf(claims, claims.sub);
}

/** The profile by standard claims of any document. */
export function profileOf(
  document: Readonly<Record<string, unknown>>,
  subject: unknown,
): OAuthProfile {
  const { email, email_verified, name, picture } = document;
  return cleanProfile({
    subject,
    email,
    emailVerified: email_verified === true,
    name,
    picture,
  });
}

/** A profile of strings that can be displayed. An invalid subject is empty, which the client refuses. */
export function cleanProfile(
  { subject, email, emailVerified, name, picture }:
    & { readonly [Member in keyof OAuthProfile]?: unknown }
    & { readonly emailVerified: boolean },
): OAuthProfile {
  const address = typeof email === "string" && email.length <= MAX_EMAIL_LENGTH &&
      /^[^\s@]+@[^\s@]+$/.test(email)
    ? email
    : undefined;
  const display = typeof name === "string"
    ? name.replace(HIDDEN_REGEXP, "").trim().slice(0, MAX_NAME_LENGTH).toWellFormed()
    : "";
  return {
    subject: typeof subject === "string" ? subject : "",
    ...(address === undefined ? {} : { email: address }),
    emailVerified: address !== undefined && emailVerified,
    ...(display === "" ? {} : { name: display }),
    ...(isPicture(picture) ? { picture } : {}),
  };
}

function isScope(value: unknown): boolean {
  return typeof value === "string" && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value); // RFC 6749 §3.3
}

function isPicture(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_PICTURE_LENGTH &&
    parseUrl(value)?.protocol === "https:";
}
