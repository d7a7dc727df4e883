/**
 * What bodies of the routes of authentication hold, and what answers show.
 *
 * @module
 */

import { HttpError } from "../../router/problem.ts";
import type { RouteRequest } from "../../router/types.ts";
import type { PasswordCredentials } from "../password/password_service.ts";
import type { Principal } from "../principal.ts";

/** Member by member: nobody has checked whether its owner may know the claims, and whatever else a strategy put there. */
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

/** What of a body is no text is for the services to refuse, as they refuse what is no identifier or no password. */
export function readCredentials(content: unknown): PasswordCredentials & { remember: unknown } {
  if (!isObject(content)) throw invalid("", "Expected an object");
  const { identifier, password, remember } = content;
  return { identifier: identifier as string, password: password as string, remember };
}

/** What is no text is for the service to refuse, as it refuses what is no token. */
export function readRefreshToken(content: unknown): string {
  return isObject(content) ? content["refreshToken"] as string : "";
}

/** A body that may be left out. */
export async function readOptionalJson(req: RouteRequest): Promise<unknown> {
  return await req.text() === "" ? undefined : await req.json();
}

function isObject(content: unknown): content is Record<string, unknown> {
  return typeof content === "object" && content !== null && !Array.isArray(content);
}

/** Whether the session is to outlive the browser's window. */
export function readRemember(remember: unknown): boolean {
  if (remember === undefined || typeof remember === "boolean") return remember === true;
  throw invalid("/remember", "Expected true or false");
}

function invalid(pointer: string, message: string): HttpError {
  return new HttpError(422, "validation_failed", {
    violations: [{ in: "body", pointer, message }],
  });
}
