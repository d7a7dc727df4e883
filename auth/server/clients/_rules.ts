/**
 * Rules for clients, before they are stored.
 *
 * @module
 */

import { parseUrl } from "../../_origin.ts";
import { readScope } from "../../_scope.ts";
import { readPublicJwks } from "../../jwt/public_jwks.ts";
import type {
  ClientAuthenticationMethod,
  GrantType,
  NewClient,
} from "../../stores/server_types.ts";
import { CLIENT_AUTHENTICATION_METHODS, usesSecret } from "./authentication.ts";
import { redirectUriViolation } from "./redirect_uri.ts";
import { DEFAULT_GRANT_TYPES, GRANT_TYPES } from "./grant_types.ts";
import type { ClientInit, RegisterClientInit } from "./types.ts";

/** Start of all messages. */
export const CANNOT_REGISTER = "Cannot register client";

/** A client without what identifies and authenticates it. */
export type ClientDescription = Omit<NewClient, "clientId" | "secretHashes" | "registeredAt">;

/** Characters, not UTF-16 code units. Some databases cannot store NUL and lone surrogates. */
const NAME_REGEXP = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

/** RFC 6749 Appendix A.1, without space, quote and backslash. */
const CLIENT_ID_REGEXP = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** Characters that a client which does not form-encode its id for HTTP Basic would send with another meaning. */
const FORM_REGEXP = /[:+%]/;

/** RFC 6749 Appendix A.2. */
const SECRET_REGEXP = /^[\x20-\x7e]{32,}$/;

/** Random hexadecimal digits have about 16. */
const MIN_DIFFERENT_CHARACTERS = 10;

const MAX_URI_LENGTH = 2048;

/** Checks a client, and adds the defaults. @throws {TypeError | RangeError} If a rule is broken. */
export function describeClient(
  init: RegisterClientInit,
  defaultAuthentication: ClientAuthenticationMethod,
): ClientDescription {
  const { name, type = "web", scope, firstParty = false, clientUri } = init;
  const { authentication = defaultAuthentication } = init;
  const { postLogoutRedirectUris, backchannelLogoutUri } = init;
  const { dpopBound = false, requirePushedRequests = false, introspects } = init;
  requireRule(typeof name === "string", TypeError, "name must be a string");
  requireRule(
    NAME_REGEXP.test(name) && name.trim() !== "",
    RangeError,
    "name must have 1 to 200 characters, none of them a control character",
  );
  requireRule(type === "web" || type === "native", RangeError, "type must be web or native");
  requireRule(
    CLIENT_AUTHENTICATION_METHODS.includes(authentication),
    RangeError,
    `authentication must be one of ${CLIENT_AUTHENTICATION_METHODS.join(", ")}`,
  );
  requireRule(
    type !== "native" || authentication === "none",
    RangeError,
    "a native client cannot keep a secret or a key (RFC 8252 §8.5); its authentication is none",
  );
  requireRule(typeof firstParty === "boolean", TypeError, "firstParty must be a boolean");
  requireRule(typeof dpopBound === "boolean", TypeError, "dpopBound must be a boolean");
  requireRule(
    type !== "native" || !firstParty,
    RangeError,
    "a native client cannot be firstParty, because other programs can claim to be it (RFC 8252 §8.6)",
  );
  if (clientUri !== undefined) checkHttpsUri("clientUri", clientUri);
  if (backchannelLogoutUri !== undefined) checkLogoutUri(backchannelLogoutUri);
  requireRule(
    typeof requirePushedRequests === "boolean",
    TypeError,
    "requirePushedRequests must be a boolean",
  );
  requireRule(
    introspects === undefined ||
      (Array.isArray(introspects) && introspects.every((name) => typeof name === "string")),
    TypeError,
    "introspects must be an array of strings",
  );
  requireRule(
    introspects === undefined || authentication !== "none",
    RangeError,
    "introspects needs an authentication (RFC 7662 §2.1)",
  );
  const grants = readGrants(init.grants);
  requireRule(
    !grants.includes("client_credentials") || (authentication !== "none" && scope !== undefined),
    RangeError,
    "client_credentials needs an authentication, and a scope: no user is asked (RFC 6749 §4.4)",
  );
  return {
    name,
    type,
    redirectUris: readRedirectUris(init.redirectUris, type, grants),
    ...(postLogoutRedirectUris === undefined ? {} : {
      postLogoutRedirectUris: readUris("postLogoutRedirectUris", postLogoutRedirectUris, type),
    }),
    ...(backchannelLogoutUri === undefined ? {} : { backchannelLogoutUri }),
    authentication,
    ...readKeys(init, authentication),
    grants,
    ...(scope === undefined ? {} : { scope: readScope(CANNOT_REGISTER, scope) }),
    ...(firstParty ? { firstParty } : {}),
    ...(clientUri === undefined ? {} : { clientUri }),
    ...(dpopBound ? { dpopBound } : {}),
    ...(introspects === undefined ? {} : { introspects: Object.freeze([...introspects]) }),
    ...(requirePushedRequests ? { requirePushedRequests } : {}),
  };
}

/** Checks the id of a client. @throws {TypeError | RangeError} If a rule is broken. */
export function checkClientId(clientId: string, authentication: ClientAuthenticationMethod): void {
  requireRule(typeof clientId === "string", TypeError, "clientId must be a string");
  requireRule(
    CLIENT_ID_REGEXP.test(clientId),
    RangeError,
    "clientId must have 1 to 200 printable ASCII characters without spaces, quotes and backslashes",
  );
  requireRule(
    authentication !== "client_secret_basic" || !FORM_REGEXP.test(clientId),
    RangeError,
    "clientId must not contain :, + or %, which many clients do not encode for client_secret_basic",
  );
}

/** The secrets of a client, the newest first. @throws {TypeError | RangeError} If a rule is broken. */
export function readSecrets(init: Pick<ClientInit, "secret">): readonly string[] {
  if (!Object.hasOwn(init, "secret")) return [];
  const { secret } = init;
  const strings = "secret must be a string, or an array of two; is its environment variable set?";
  requireRule(typeof secret === "string" || Array.isArray(secret), TypeError, strings);
  const texts: readonly string[] = typeof secret === "string" ? [secret] : [...secret];
  requireRule(texts.every((text) => typeof text === "string"), TypeError, strings);
  requireRule(
    texts.length === 1 || texts.length === 2,
    RangeError,
    "a client has one secret, or two while one is replaced",
  );
  requireRule(
    texts.every((text) => SECRET_REGEXP.test(text)),
    RangeError,
    "a secret must have at least 32 printable ASCII characters; generateSecret() makes one",
  );
  requireRule(
    texts.every((text) => new Set(text).size >= MIN_DIFFERENT_CHARACTERS),
    RangeError,
    "a secret was not made at random; generateSecret() makes one",
  );
  requireRule(new Set(texts).size === texts.length, RangeError, "secret has a duplicate");
  return texts;
}

/** Checks that a client has a secret if it authenticates by one. @throws {RangeError} If it has not, or one too many. */
export function checkSecretUse(
  { authentication }: Pick<NewClient, "authentication">,
  secrets: readonly string[],
): void {
  requireRule(
    !usesSecret(authentication) || secrets.length > 0,
    RangeError,
    `authentication ${authentication} needs a secret`,
  );
  requireRule(
    usesSecret(authentication) || secrets.length === 0,
    RangeError,
    `a client with a secret must authenticate by it; its authentication cannot be ${authentication}`,
  );
}

/** RFC 7591 §2: `jwks` and `jwks_uri` must not both be present. */
function readKeys(
  { jwks, jwksUri }: Pick<RegisterClientInit, "jwks" | "jwksUri">,
  authentication: ClientAuthenticationMethod,
): Pick<ClientDescription, "jwks" | "jwksUri"> {
  const count = [jwks, jwksUri].filter((value) => value !== undefined).length;
  const isSigner = authentication === "private_key_jwt";
  requireRule(
    count === (isSigner ? 1 : 0),
    RangeError,
    isSigner
      ? "authentication private_key_jwt needs jwks or jwksUri, and not both"
      : "jwks and jwksUri are for authentication private_key_jwt",
  );
  if (jwks !== undefined) return { jwks: readPublicJwks(CANNOT_REGISTER, jwks) };
  if (jwksUri === undefined) return {};
  checkHttpsUri("jwksUri", jwksUri);
  return { jwksUri };
}

function readGrants(grants: readonly GrantType[] | undefined): readonly GrantType[] {
  if (grants === undefined) return DEFAULT_GRANT_TYPES;
  requireRule(Array.isArray(grants), TypeError, "grants must be an array");
  requireRule(
    grants.length > 0 && grants.every((grant) => GRANT_TYPES.includes(grant)),
    RangeError,
    `grants must list some of ${GRANT_TYPES.join(", ")}`,
  );
  requireRule(new Set(grants).size === grants.length, RangeError, "grants has a duplicate");
  return Object.freeze([...grants]);
}

function readRedirectUris(
  redirectUris: readonly string[],
  type: NewClient["type"],
  grants: readonly GrantType[],
): readonly string[] {
  const uris = readUris("redirectUris", redirectUris, type);
  requireRule(
    uris.length > 0 || !grants.includes("authorization_code"),
    RangeError,
    "redirectUris must not be empty, unless grants lacks authorization_code",
  );
  return uris;
}

function readUris(
  name: string,
  uris: readonly string[],
  type: NewClient["type"],
): readonly string[] {
  requireRule(Array.isArray(uris), TypeError, `${name} must be an array`);
  for (const uri of uris) {
    requireRule(typeof uri === "string", TypeError, `${name} must be an array of strings`);
    const violation = redirectUriViolation(uri, type);
    requireRule(violation === undefined, RangeError, `a redirect URI ${violation}`);
  }
  requireRule(new Set(uris).size === uris.length, RangeError, `${name} has a duplicate`);
  return Object.freeze([...uris]);
}

function checkHttpsUri(name: string, uri: unknown): void {
  requireRule(typeof uri === "string", TypeError, `${name} must be a string`);
  const url = uri.length > MAX_URI_LENGTH ? undefined : parseUrl(uri);
  requireRule(
    url?.protocol === "https:" && url.username === "" && url.password === "",
    RangeError,
    `${name} must be an https URL of at most 2,048 characters, without a user name or password`,
  );
}

/** The rules for redirect URIs of web clients are those of Back-Channel Logout §2.2, and no more. */
function checkLogoutUri(uri: unknown): void {
  requireRule(typeof uri === "string", TypeError, "backchannelLogoutUri must be a string");
  const violation = redirectUriViolation(uri, "web");
  requireRule(violation === undefined, RangeError, `backchannelLogoutUri ${violation}`);
}

function requireRule(
  isMet: boolean,
  ErrorClass: typeof TypeError | typeof RangeError,
  text: string,
): asserts isMet {
  if (!isMet) throw new ErrorClass(`${CANNOT_REGISTER}: ${text}`);
}
