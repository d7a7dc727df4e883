/**
 * Interactions with the user: the stored request, and the browser that sent it.
 *
 * @module
 */

import { equalText } from "../../_bytes.ts";
import { digestText } from "../../_kdf.ts";
import { randomId, randomToken } from "../../_random.ts";
import type {
  AuthorizationRequest,
  AuthorizationSubject,
  PendingAuthorization,
} from "../../stores/server_types.ts";
import { checkPermission } from "./authorization_request.ts";
import type { ServerContext } from "../core/context.ts";
import { refusePage, type ResponseTarget } from "../core/refusal.ts";
import { findTargetOf } from "./_target.ts";

/** A request that is being answered. */
export interface Interaction {
  readonly authorization: PendingAuthorization;
  /** Version of its record; `undefined` while there is none. */
  readonly version: string | undefined;
  /** Whether its record is that of an interaction already, not of a pushed request. */
  readonly isKept: boolean;
  readonly target: ResponseTarget;
  /** Value of its cookie, which only this browser has. */
  readonly browser: string;
  /** Values of `Set-Cookie` for the first page that the user sees. */
  readonly cookies: readonly string[];
}

const ID_REGEXP = /^[\w-]{22}$/;

/** Begins an interaction, of a pushed request in its record. It is not stored before the user has to be asked. */
export async function beginInteraction(
  { issuer, lifetimes, cookies, now }: ServerContext,
  request: Request,
  { target, asked, subject, pushed }: {
    readonly target: ResponseTarget;
    readonly asked: AuthorizationRequest;
    readonly subject: AuthorizationSubject | undefined;
    readonly pushed?: { readonly id: string; readonly version: string };
  },
): Promise<Interaction> {
  const { id = randomId(), version } = pushed ?? {};
  const browser = randomToken();
  const at = now();
  const authorization: PendingAuthorization = {
    state: "pending",
    id,
    issuer,
    clientId: target.client.clientId,
    request: asked,
    browser: await digestText(browser),
    ...(subject === undefined ? {} : { seen: seenOf(subject) }),
    createdAt: at,
    expiresAt: at + lifetimes.interaction,
  };
  const own = cookies.begin(request, id, browser);
  return { authorization, version, isKept: false, target, browser, cookies: own };
}

/**
 * Continues an interaction in the browser that began it, after the user has signed in or decided. The client, its redirect URI and
 * what it may do are checked again.
 *
 * @throws {ServerRefusal}
 */
export async function resumeInteraction(
  context: ServerContext,
  request: Request,
  id: string,
): Promise<Interaction> {
  const found = ID_REGEXP.test(id) ? await context.codes.find(id) : null;
  const { authorization, version = "" } = found ?? {};
  const isWaiting = authorization?.state === "pending" &&
    authorization.issuer === context.issuer && context.now() < authorization.expiresAt;
  if (!isWaiting) throw refusePage("interaction_unknown");
  const reading = context.cookies.read(request, id);
  const browser = reading.status === "found" ? reading.value : "";
  if (!equalText(await digestText(browser), authorization.browser)) {
    throw refusePage("browser_mismatch", authorization.clientId);
  }
  const target = await findTargetOf(context, authorization);
  checkPermission(target, authorization.request.scope);
  return { authorization, version, isKept: true, target, browser, cookies: [] };
}

function seenOf(
  { authTime, sessionId }: AuthorizationSubject,
): NonNullable<PendingAuthorization["seen"]> {
  return { authTime, ...(sessionId === undefined ? {} : { sessionId }) };
}
