/**
 * Request bodies and response members of the routes of authentication.
 *
 * @module
 */

import { HttpError } from "../../router/problem.ts";
import type { RouteRequest } from "../../router/types.ts";
import { isJsonObject } from "../_strict_json.ts";
import type { PasswordCredentials } from "../password/password_types.ts";
import type { Principal } from "../principal.ts";

/** Listed by member: claims, and whatever else a strategy added, may not be meant for the client. */
export function toPrincipalInfo(principal: Principal): Omit<Principal, "claims"> {
  const { sub, method, amr, acr, authTime, scope, sessionId } = principal;
  return {
    sub,
    method,
    ...(amr === undefined ? {} : { amr }),
    ...(acr === undefined ? {} : { acr }),
    authTime,
    ...(scope === undefined ? {} : { scope }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

/** Members that are not strings are rejected by the services, like invalid identifiers and passwords. */
export function readCredentials(
  content: unknown,
): PasswordCredentials & { readonly remember: unknown; readonly email: unknown } {
  const { identifier, password, remember, email } = readMembers(content);
  return { identifier: identifier as string, password: password as string, remember, email };
}

/** A value that is not a string is rejected by the service, like an invalid token. */
export function readRefreshToken(content: unknown): string {
  return isJsonObject(content) ? content["refreshToken"] as string : "";
}

/** An optional body. */
export async function readOptionalJson(req: RouteRequest): Promise<unknown> {
  return await req.text() === "" ? undefined : await req.json();
}

/** The members of an object. */
export function readMembers(content: unknown): Readonly<Record<string, unknown>> {
  if (isJsonObject(content)) return content;
  throw invalid("", "Expected an object");
}

/** An optional boolean, false by default. */
export function readFlag(name: string, value: unknown): boolean {
  if (value === undefined || typeof value === "boolean") return value === true;
  throw invalid(`/${name}`, "Expected true or false");
}

/** A string. */
export function readString(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw invalid(`/${name}`, "Expected a string");
}

/** The rejection of a body, or of one of its members. */
export function invalid(pointer: string, message: string): HttpError {
  return new HttpError(422, "validation_failed", {
    violations: [{ in: "body", pointer, message }],
  });
}
