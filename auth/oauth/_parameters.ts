/**
 * Parameters of the authorization response, OpenID Connect Core §3.1.2.5, read from one place only.
 *
 * @module
 */

import { readForm } from "../_form.ts";
import { parseStrictObject } from "../_strict_json.ts";
import { check } from "./_failure.ts";

/** The parameters that count. */
export interface ResponseParameters {
  readonly state?: string;
  readonly code?: string;
  readonly iss?: string;
  readonly error?: string;
  /** Apple's `user`. */
  readonly user?: string;
}

/** The names that are read; each may occur once. */
const NAMES = ["state", "code", "iss", "error", "user"] as const;

/** Parameters of other flows, which must not come along. */
const FOREIGN_NAMES = ["id_token", "access_token", "token_type", "response"] as const;

const MAX_LENGTH = 4_096;

/** A body may contain an error description that is not read. */
const MAX_BODY_BYTES = 65_536;

/**
 * Reads the parameters from the query of a GET, or the form of a POST.
 *
 * @throws {AuthError} `response_malformed`
 */
export async function readParameters(
  request: Request,
  responseMode: "query" | "form_post" = "query",
): Promise<ResponseParameters> {
  const params = responseMode === "query" ? readQuery(request) : await readPost(request);
  check(!FOREIGN_NAMES.some((name) => params.has(name)), "response_malformed");
  const found: Record<string, string> = {};
  for (const name of NAMES) {
    const values = params.getAll(name);
    check(values.length <= 1, "response_malformed"); // RFC 6749 §3.1
    const [value = ""] = values;
    check(value.length <= MAX_LENGTH, "response_malformed");
    if (value !== "") found[name] = value; // without a value it counts as omitted
  }
  return found;
}

/** Apple's `user`, unsigned JSON; nothing of it if it is malformed. */
export function readUnsignedUser(user: string | undefined): Record<string, unknown> | undefined {
  if (user === undefined) return undefined;
  try {
    return parseStrictObject(user);
  } catch {
    return undefined;
  }
}

function readQuery({ method, url }: Request): URLSearchParams {
  check(method === "GET", "response_malformed");
  return new URL(url).searchParams;
}

async function readPost(request: Request): Promise<URLSearchParams> {
  check(request.method === "POST", "response_malformed");
  const form = await readForm(request, MAX_BODY_BYTES);
  check(typeof form !== "string", "response_malformed");
  return form;
}
