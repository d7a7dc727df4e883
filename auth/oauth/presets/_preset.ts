/**
 * What presets share: their options, their defaults, and the claims of OpenID Connect.
 *
 * @module
 */

import { rejectUnknownOptions } from "../../_options.ts";
import { parseOrigin, parseUrl } from "../../_origin.ts";
import type { AsymmetricAlgorithm } from "../../jwt/jwa.ts";
import type { OAuthFindings, OAuthProfile, OAuthProvider } from "../provider_types.ts";
import type { PresetOptions } from "./options.ts";

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

/** Characters that hide or reorder text: controls, and the bidirectional ones of Unicode. Names contain joiners, U+200C and U+200D. */
const HIDDEN_REGEXP = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** An e-mail address without spaces, and without invisible characters that make it look like another. */
const ADDRESS_REGEXP = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;

const MAX_NAME_LENGTH = 100;
const MAX_EMAIL_LENGTH = 254;
const MAX_PICTURE_LENGTH = 2_048;

/** Which options a preset has besides `scope` and `parameters`. */
export interface PresetChecks {
  /** Non-empty strings that must be given. */
  readonly required: readonly string[];
  /** Non-empty strings that may be left out. */
  readonly optional?: readonly string[];
  /** Strings that become a part of a URL: what they look like, and how the message says so. */
  readonly patterns?: Readonly<Record<string, readonly [RegExp, string]>>;
  /** Options that the preset checks itself. */
  readonly others?: readonly string[];
}

/**
 * Checks the options of a preset.
 *
 * @throws {TypeError} If one is missing, unknown or of a wrong shape. An option that is `undefined` counts as left out, but not a
 * secret: without it, the client would be public.
 */
export function checkPreset(
  preset: string,
  options: object,
  { required, optional = [], patterns = {}, others = [] }: PresetChecks,
): void {
  const action = cannotCreate(preset);
  const known = ["scope", "parameters", ...required, ...optional, ...others];
  rejectUnknownOptions(action, options, Object.fromEntries(known.map((name) => [name, true])));
  const given = options as Readonly<Record<string, unknown>>;
  for (const name of [...required, ...optional]) {
    const value = given[name];
    const isLeftOut = value === undefined && !required.includes(name) &&
      !(name === "clientSecret" && Object.hasOwn(given, name));
    if (isLeftOut) continue;
    if (typeof value !== "string" || value === "") {
      throw new TypeError(
        `${action}: ${name} must be a non-empty string; is its environment variable set?`,
      );
    }
    const [pattern, shape] = patterns[name] ?? [];
    if (pattern?.test(value) === false) throw new TypeError(`${action}: ${name} must be ${shape}`);
  }
  const { scope = [], parameters = {} } = given;
  if (!Array.isArray(scope) || !scope.every(isScope)) {
    throw new TypeError(`${action}: scope must be an array of scopes`);
  }
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) {
    throw new TypeError(`${action}: parameters must be an object`);
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (RESERVED.includes(name)) throw new TypeError(`${action}: the client sets ${name} itself`);
    if (typeof value !== "string") throw new TypeError(`${action}: parameters must be strings`);
  }
}

/** Checks the option `host`. @throws {TypeError} If it is not an origin, as browsers write it. */
export function checkHost(preset: string, host: string): void {
  if (parseOrigin(host) !== undefined) return;
  throw new TypeError(
    `${cannotCreate(preset)}: host must be an origin without a path: "https://git.example.com"`,
  );
}

/** Start of error messages. */
export function cannotCreate(preset: string): string {
  return `Cannot create provider ${preset}`;
}

/**
 * A provider with what presets share. Frozen, and independent of the options.
 *
 * @throws {TypeError} If an ID token is needed and the scope `openid` is missing.
 */
export function openIdProvider(
  { name, options, defaultScope = OPENID_SCOPE, ...own }:
    & Pick<OAuthProvider, "name" | "server" | "authentication">
    & {
      readonly options: Pick<PresetOptions, "clientId" | "scope" | "parameters">;
      readonly defaultScope?: readonly string[];
    }
    & Partial<Omit<OAuthProvider, "clientId" | "scope">>,
): OAuthProvider {
  const { clientId, scope = defaultScope, parameters } = options;
  if (defaultScope.includes("openid") && !scope.includes("openid")) {
    throw new TypeError(`${cannotCreate(name)}: scope must contain openid`);
  }
  const provider: OAuthProvider = {
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
  };
  return frozenCopy(provider);
}

/** Copies and freezes plain data; functions stay as they are. */
function frozenCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const members = Object.entries(value).map(([name, member]) => [name, frozenCopy(member)]);
  return Object.freeze(Object.fromEntries(members)) as T;
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
  const address = readAddress(email);
  const display = readName(name);
  const url = readPicture(picture);
  return {
    subject: typeof subject === "string" ? subject : "",
    ...(address === undefined ? {} : { email: address }),
    emailVerified: address !== undefined && emailVerified,
    ...(display === "" ? {} : { name: display }),
    ...(url === undefined ? {} : { picture: url }),
  };
}

function isScope(value: unknown): boolean {
  return typeof value === "string" && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value); // RFC 6749 §3.3
}

function readAddress(email: unknown): string | undefined {
  const isAddress = typeof email === "string" && email.length <= MAX_EMAIL_LENGTH &&
    ADDRESS_REGEXP.test(email);
  return isAddress ? email : undefined;
}

/** At most 100 code points. */
function readName(name: unknown): string {
  if (typeof name !== "string") return "";
  const visible = name.toWellFormed().replace(HIDDEN_REGEXP, "").trim();
  return [...visible].slice(0, MAX_NAME_LENGTH).join("").trim();
}

/** As the URL parser writes it: without spaces, line breaks and quotes. */
function readPicture(picture: unknown): string | undefined {
  const url = typeof picture === "string" ? parseUrl(picture) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "") return undefined;
  return url.href.length <= MAX_PICTURE_LENGTH ? url.href : undefined;
}
