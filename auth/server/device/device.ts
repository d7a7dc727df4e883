/**
 * The page of the device flow, RFC 8628 §3.3: the user enters the code of a device, signs in, and decides.
 *
 * @module
 */

import { equalText } from "../../_bytes.ts";
import { digestText } from "../../_kdf.ts";
import { randomToken } from "../../_random.ts";
import type {
  AuthorizationSubject,
  DevicePendingAuthorization,
  RegisteredClient,
} from "../../stores/server_types.ts";
import { DEVICE_CODE, mayUseGrant } from "../clients/grant_types.ts";
import {
  consentDetails,
  type ConsentQuestion,
  consentToken,
  readConsent,
} from "../core/consent.ts";
import type { Exchange, ServerContext } from "../core/context.ts";
import { findClient } from "../core/find_client.ts";
import { isOwnPage } from "../core/own_page.ts";
import { readPageForm, readQuery } from "../core/parameters.ts";
import { refusePage } from "../core/refusal.ts";
import { seeOther, userPage } from "../core/responses.ts";
import { DEVICE_PATH } from "./device_authorization.ts";
import { parseUserCode, showUserCode, userCodeId } from "./user_code.ts";

/** A device whose code was entered in this browser. */
interface DeviceInteraction {
  readonly authorization: DevicePendingAuthorization;
  readonly version: string;
  readonly client: RegisteredClient;
  /** Value of its cookie, which only this browser has. */
  readonly browser: string;
  readonly userCode: string;
}

/** Answers a request. @throws {ServerRefusal} A page. */
export async function answerDevice(context: ServerContext, exchange: Exchange): Promise<Response> {
  const { request } = exchange;
  if (request.method === "POST") {
    const form = await readPageForm(request);
    return await (form.has("token") ? decide : enter)(context, exchange, form);
  }
  const letters = parseUserCode(readQuery(request).get("user_code") ?? "");

  // 1. A code in the URL is only shown, §3.3.1: whoever has sent the link may have made it. It is entered by the form
  const interaction = await resume(context, request, letters);
  if (interaction === undefined) return await showEntry(context, request, { letters });
  return await proceed(context, request, interaction);
}

/** 2. The user enters a code: the browser in which it is entered first is the only one that can decide. */
async function enter(
  context: ServerContext,
  { request, address }: Exchange,
  form: URLSearchParams,
): Promise<Response> {
  const { basePath, codes, cookies, throttle, emit } = context;
  if (!isOwnPage(request, context.origin)) throw refusePage("consent_forged");
  const subject = await context.authenticate(request);
  await throttle?.userCode?.(subject?.sub, { address }); // §5.1: before the code is looked up
  const letters = parseUserCode(form.get("user_code") ?? "");
  const next = `${basePath}${DEVICE_PATH}?user_code=${showUserCode(letters)}`;
  if (await resume(context, request, letters) !== undefined) return seeOther(next);

  const id = await userCodeId(context.issuer, letters);
  const { authorization, version = "" } = await findDevice(context, id) ?? {};
  const isFree = authorization !== undefined && authorization.browser === undefined;
  const browser = randomToken();
  const entered = isFree && { ...authorization, browser: await digestText(browser) };
  if (!entered || await codes.update(entered, version) === "lost") {
    emit("authorization.refused", { reason: "user_code_unknown", address });
    return await showEntry(context, request, { letters, isUnknown: true });
  }
  return userPage(seeOther(next), cookies.begin(request, id, browser));
}

/** 3. Sign-in and consent: the user is always asked, also for a client of the server's owner (§5.4). */
async function proceed(
  context: ServerContext,
  request: Request,
  interaction: DeviceInteraction,
): Promise<Response> {
  const { client, userCode } = interaction;
  const subject = await context.authenticate(request);
  const path = context.basePath + DEVICE_PATH;
  if (subject === undefined) {
    const returnTo = `${path}?user_code=${userCode}`;
    const prompt = { request, client, returnTo, reason: "signed_out", acrValues: [] } as const;
    return userPage(await context.login(prompt));
  }
  const question = questionOf(interaction, subject);
  const page = await context.device({
    kind: "consent",
    request,
    client,
    ...await consentDetails(context, question),
    userCode,
    form: {
      action: path,
      hidden: { user_code: userCode, token: await consentToken(question) },
    },
  });
  return userPage(page);
}

/** 4. The decision, once: of concurrent ones one changes the record. */
async function decide(
  context: ServerContext,
  { request, address }: Exchange,
  form: URLSearchParams,
): Promise<Response> {
  const letters = parseUserCode(form.get("user_code") ?? "");
  const interaction = await resume(context, request, letters);
  if (interaction === undefined) throw refusePage("user_code_unknown");
  const subject = await context.authenticate(request);
  // The session may have ended while the page was shown: the user signs in, and is asked again
  if (subject === undefined) return await proceed(context, request, interaction);
  const question = questionOf(interaction, subject);
  const decision = await readConsent(context, { request, form, question });

  const { authorization: { request: asked, browser: _, ...base }, version } = interaction;
  const { clientId } = base;
  const next = decision.kind === "denied"
    ? { ...base, state: "denied" } as const
    : { ...base, state: "device_issued", request: asked, subject, scope: decision.scope } as const;
  if (await context.codes.update(next, version) === "lost") {
    throw refusePage("user_code_unknown", clientId);
  }
  if (decision.kind === "denied") {
    context.emit("authorization.refused", { reason: "access_denied", clientId, address });
  }
  return userPage(await context.device({ kind: decision.kind, request }));
}

async function showEntry(
  context: ServerContext,
  request: Request,
  { letters, isUnknown = false }: { readonly letters: string; readonly isUnknown?: boolean },
): Promise<Response> {
  const page = await context.device({
    kind: "code",
    request,
    userCode: showUserCode(letters),
    isUnknown,
    form: { action: context.basePath + DEVICE_PATH },
  });
  return userPage(page);
}

/** A code that was entered in this browser. That another code exists cannot be seen. */
async function resume(
  context: ServerContext,
  request: Request,
  letters: string,
): Promise<DeviceInteraction | undefined> {
  const id = await userCodeId(context.issuer, letters);
  const reading = context.cookies.read(request, id);
  const found = reading.status === "found" ? await findDevice(context, id) : undefined;
  if (reading.status !== "found" || found === undefined) return undefined;
  const { authorization, version } = found;
  const browser = reading.value;
  if (!equalText(await digestText(browser), authorization.browser ?? "")) return undefined;
  const client = await findClient(context, authorization.clientId);
  if (!mayUseGrant(context, client, DEVICE_CODE)) return undefined;
  return { authorization, version, client, browser, userCode: showUserCode(letters) };
}

/** A code that waits for the user. It is of this server, as the id is. */
async function findDevice(
  { codes, now }: ServerContext,
  id: string,
): Promise<
  { readonly authorization: DevicePendingAuthorization; readonly version: string } | undefined
> {
  const { authorization, version = "" } = await codes.find(id) ?? {};
  const isWaiting = authorization?.state === "device_pending" && now() < authorization.expiresAt;
  return isWaiting ? { authorization, version } : undefined;
}

function questionOf(
  { authorization: { id, clientId, request: { scope } }, browser }: DeviceInteraction,
  { sub }: AuthorizationSubject,
): ConsentQuestion {
  return { id, clientId, scope, browser, sub };
}
