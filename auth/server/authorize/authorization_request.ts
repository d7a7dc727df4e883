/**
 * The parameters of an authorization request, RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2.1 and OpenID Connect Core §3.1.2.1.
 * Every error is redirected to the client.
 *
 * @module
 */

import { isJsonObject, parseStrictObject } from "../../_strict_json.ts";
import type { AuthorizationRequest, RegisteredClient } from "../../stores/server_types.ts";
import type { ServerContext } from "../core/context.ts";
import { soleValue, STATE_REGEXP } from "../core/parameters.ts";
import { requestedAccess } from "../core/resources.ts";
import { refuseRedirect, type ResponseTarget } from "../core/refusal.ts";
import { mayHaveScope } from "../core/scopes.ts";
import { readIdTokenHint } from "../core/verify_tokens.ts";

/** Parameters that are read; each may occur once, RFC 6749 §3.1. Others are ignored. */
const NAMES = [
  "response_type",
  "response_mode",
  "state",
  "scope",
  "nonce",
  "code_challenge",
  "code_challenge_method",
  "dpop_jkt",
  "prompt",
  "max_age",
  "acr_values",
  "claims",
  "id_token_hint",
  "login_hint",
  "ui_locales",
  "request",
  "request_uri",
] as const;

/** Values of `prompt`, OpenID Connect Core §3.1.2.1. The metadata lists them. */
export const PROMPTS = ["none", "login", "consent", "select_account"] as const;

/** Values of `response_mode`. The metadata lists them. */
export const RESPONSE_MODES = ["query", "form_post"] as const;

/** RFC 7636 §4.2 and RFC 9449 §10: SHA-256 in base64url, 32 bytes. */
const DIGEST_REGEXP = /^[\w-]{42}[AEIMQUYcgkosw048]$/;

const MAX_AGE_REGEXP = /^\d{1,15}$/;

/** Text for the sign-in page: without control characters. */
// deno-lint-ignore no-control-regex
const HINT_REGEXP = /^[^\x00-\x1f\x7f]{1,512}$/;

/** A word, or the name of a claim. Some databases cannot store NUL and lone surrogates. */
const WORD_REGEXP = /^[^\p{Cc}\p{Cs}]{1,512}$/u;

/** Reads the parameters. @throws {ServerRefusal} A redirect. */
export async function readAuthorizationRequest(
  context: ServerContext,
  target: ResponseTarget,
  parameters: URLSearchParams,
): Promise<AuthorizationRequest> {
  const { client, redirectUri, responseMode } = target;
  const invalid = (description: string) => refuseRedirect(target, "invalid_request", description);

  // Each parameter once
  const values = new Map<string, string>();
  for (const name of NAMES) {
    const value = soleValue(parameters, name);
    if (value === null) throw invalid(`${name} must not be repeated`);
    if (value !== undefined) values.set(name, value);
  }
  if (target.state !== values.get("state")) {
    throw invalid("state must be at most 2,048 printable characters");
  }
  const nonce = values.get("nonce");
  if (nonce !== undefined && !STATE_REGEXP.test(nonce)) {
    throw invalid("nonce must be at most 2,048 printable characters");
  }

  // Request objects, OpenID Connect Core §6: nothing is fetched
  if (values.has("request")) throw refuseRedirect(target, "request_not_supported");
  if (values.has("request_uri")) throw refuseRedirect(target, "request_uri_not_supported");

  // Response type and mode
  const responseType = values.get("response_type");
  if (responseType === undefined) throw invalid("response_type is missing");
  if (responseType !== "code") throw refuseRedirect(target, "unsupported_response_type");
  if ((values.get("response_mode") ?? "query") !== responseMode) {
    throw invalid("response_mode is not supported");
  }

  // PKCE, RFC 7636 §4.4.1: always, and never plain
  if (values.get("code_challenge_method") !== "S256") {
    throw invalid("code_challenge_method must be S256");
  }
  const codeChallenge = values.get("code_challenge") ?? "";
  if (!DIGEST_REGEXP.test(codeChallenge)) {
    throw invalid("code_challenge must be 43 characters of base64url");
  }

  // The key that the code is bound to, RFC 9449 §10
  const dpopJkt = context.dpop === undefined ? undefined : values.get("dpop_jkt");
  if (dpopJkt !== undefined && !DIGEST_REGEXP.test(dpopJkt)) {
    throw invalid("dpop_jkt must be 43 characters of base64url");
  }

  // APIs, RFC 8707 §2.1, and scope
  const access = requestedAccess(context, client, {
    scope: values.get("scope"),
    resources: parameters.getAll("resource"),
  });
  if (typeof access === "string") throw refuseRedirect(target, access);
  const { scope, resources } = access;

  // How and as whom the user must be signed in
  const prompt = splitWords(values.get("prompt"));
  if (prompt.some((value) => !PROMPTS.some((known) => known === value))) {
    throw invalid("prompt has an unknown value");
  }
  if (prompt.includes("none") && prompt.length > 1) {
    throw invalid("prompt must not have values beside none");
  }
  const maxAge = values.get("max_age");
  if (maxAge !== undefined && !MAX_AGE_REGEXP.test(maxAge)) {
    throw invalid("max_age must be a number of seconds");
  }
  const claims = readClaims(values.get("claims"));
  if (claims === undefined) throw invalid("claims is malformed");
  const hint = values.get("id_token_hint");
  const hinted = hint === undefined ? undefined : await hintedSub(context, client, hint);
  if (hint !== undefined && hinted === undefined) throw invalid("id_token_hint is not valid");
  const { sub = hinted, acr, isAcrEssential, idTokenClaims } = claims;
  if (hinted !== undefined && hinted !== sub) throw invalid("claims and id_token_hint differ");

  checkPermission(target, scope);
  return {
    redirectUri,
    responseMode,
    scope,
    ...(resources.length === 0 ? {} : { resources }),
    codeChallenge,
    ...(dpopJkt === undefined ? {} : { dpopJkt }),
    prompt,
    acrValues: acr.length > 0 ? acr : splitWords(values.get("acr_values")).filter(isWord),
    ...(isAcrEssential ? { isAcrEssential } : {}),
    ...(idTokenClaims.length === 0 ? {} : { idTokenClaims }),
    ...(target.state === undefined ? {} : { state: target.state }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(maxAge === undefined ? {} : { maxAge: Number(maxAge) }),
    ...(sub === undefined ? {} : { hintedSub: sub }),
    ...hintOf("loginHint", values.get("login_hint")),
    ...hintOf("uiLocales", values.get("ui_locales")),
  };
}

/** The subject of the client's own ID token. */
async function hintedSub(
  context: ServerContext,
  { clientId }: RegisteredClient,
  hint: string,
): Promise<string | undefined> {
  const token = await readIdTokenHint(context, hint);
  return token?.clientId === clientId ? token.sub : undefined;
}

/**
 * Checks what the client may do: again when a request continues, because the client may have changed.
 *
 * @throws {ServerRefusal} A redirect.
 */
export function checkPermission(target: ResponseTarget, scope: readonly string[]): void {
  const { client } = target;
  if (!client.grants.includes("authorization_code")) {
    throw refuseRedirect(target, "unauthorized_client");
  }
  if (!scope.every((name) => mayHaveScope(client, name))) {
    throw refuseRedirect(target, "invalid_scope");
  }
}

/** Most values that are read of a list of words or claims. */
const MAX_WORDS = 32;

function splitWords(text: string = ""): readonly string[] {
  return [...new Set(text.split(" "))].filter((word) => word !== "").slice(0, MAX_WORDS);
}

/** A hint is for the user's convenience; one that no page could show is left out. */
function hintOf<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [N in Name]?: string } {
  if (value === undefined || !HINT_REGEXP.test(value)) return {};
  return { [name]: value } as { readonly [N in Name]?: string };
}

/** Whether every store can keep a value. */
function isWord(value: unknown): value is string {
  return typeof value === "string" && WORD_REGEXP.test(value);
}

/** What is read of `claims`. */
interface RequestedClaims {
  /** Only this user may be signed in, §3.1.2.2. */
  readonly sub?: string;
  readonly acr: readonly string[];
  readonly isAcrEssential: boolean;
  readonly idTokenClaims: readonly string[];
}

/**
 * OpenID Connect Core §5.5: which claims the ID token should contain, and the required `acr`. UserInfo has all claims of the
 * granted scopes anyway, and no others.
 *
 * @returns `undefined` if the parameter is malformed.
 */
function readClaims(text: string | undefined): RequestedClaims | undefined {
  if (text === undefined) return { acr: [], isAcrEssential: false, idTokenClaims: [] };
  try {
    const { id_token = {} } = parseStrictObject(text);
    if (!isJsonObject(id_token)) return undefined;
    const { acr, sub, ...others } = id_token;
    const contexts = wantedValues(acr);
    const subs = wantedValues(sub);
    if (contexts === undefined || subs === undefined || subs.length > 1) return undefined;
    const [onlySub] = subs;
    return {
      ...(onlySub === undefined ? {} : { sub: onlySub }),
      acr: contexts.slice(0, MAX_WORDS),
      isAcrEssential: isJsonObject(acr) && acr["essential"] === true && contexts.length > 0,
      idTokenClaims: Object.keys(others).filter(isWord).slice(0, MAX_WORDS),
    };
  } catch {
    return undefined;
  }
}

/** The values that a claim may have, §5.5.1; `undefined` if one is malformed: it must not count as no condition. */
function wantedValues(claim: unknown): readonly string[] | undefined {
  const { value, values = value === undefined ? [] : [value] } = isJsonObject(claim) ? claim : {};
  return Array.isArray(values) && values.every(isWord) ? values : undefined;
}
