/**
 * Steps of every flow: messages are counted and sent, links are taken.
 *
 * @module
 */

import { AuthError } from "../error.ts";
import { isDisabled } from "../stores/checked.ts";
import type { User } from "../stores/types.ts";
import type { AccountContext } from "./_context.ts";
import { type LinkFlow, linkUrl } from "./_options.ts";
import type { Purpose, Sent } from "./_secrets.ts";
import type { AccountMessage, MessageContext } from "./account_types.ts";

/** Counts a message before anything is looked up: the answer is the same for every address. @throws {AuthError} `throttled` */
export async function countMessage(
  { options: { throttle } }: AccountContext,
  recipient: string,
  { client }: MessageContext,
): Promise<void> {
  if (throttle !== "insecureSkip") await throttle.message(recipient, client);
}

/**
 * Counts a message to an address that the account was not named by. An error would tell that they belong together: the message
 * is not sent instead.
 */
export async function maySend(
  context: AccountContext,
  recipient: string,
  message: MessageContext,
): Promise<boolean> {
  try {
    await countMessage(context, recipient, message);
    return true;
  } catch (error) {
    if (error instanceof AuthError && error.code === "throttled") return false;
    throw error;
  }
}

/** A link to send. */
export interface LinkMessage extends Omit<Sent, "expiresAt"> {
  readonly kind: AccountMessage["kind"];
  readonly flow: LinkFlow;
}

/** Stores what a link is for, and sends it unless there is no account. */
export async function sendLink(
  { secrets, deliver, now, options: { origin } }: AccountContext,
  { kind, flow, ...sent }: LinkMessage,
  message: MessageContext,
): Promise<void> {
  const expiresAt = now() + flow.expiresIn;
  const token = await secrets.createToken({ ...sent, expiresAt });
  if (!isSendable(sent)) return;
  const url = linkUrl(origin, flow.page, token);
  deliver({ kind, to: sent.email, ...subOf(sent), url, expiresAt }, message);
}

/** Whether somebody may use what was stored. Otherwise it is stored only since that takes as long. */
export function isSendable({ account, signUp }: Pick<Sent, "account" | "signUp">): boolean {
  return account !== undefined || signUp === true;
}

/** What a link or code for an existing account says of it. */
export function accountOf({ sub, securityStamp }: User): NonNullable<Sent["account"]> {
  return { sub, securityStamp };
}

/** The user's `sub` as a member of a message. */
export function subOf({ account }: Pick<Sent, "account">): { readonly sub?: string } {
  return account === undefined ? {} : { sub: account.sub };
}

/**
 * Takes what a link was sent for, and its user.
 *
 * @param sub The account that it must be of. @default any
 * @throws {AuthError} `invalid_link`, also if the account was disabled or its credentials changed since.
 */
export async function takeLink(
  { secrets, users }: AccountContext,
  purposes: readonly Purpose[],
  token: string,
  sub?: string,
): Promise<{ readonly sent: Sent; readonly user: User }> {
  const sent = await secrets.takeToken(purposes, token, sub === undefined ? {} : { sub });
  const user = sent?.account && await users.findBySub(sent.account.sub);
  if (!user || isDisabled(user) || user.securityStamp !== sent?.account?.securityStamp) {
    throw invalidLink();
  }
  return { sent, user };
}

/** A flow that is on. @throws {TypeError} If it is off. */
export function requireFlow<Flow>(name: string, flow: Flow | undefined): Flow {
  if (flow !== undefined) return flow;
  throw new TypeError(`Cannot use accounts: ${name} is not switched on`);
}

/** The one error for links. */
export function invalidLink(reason?: "user_unknown"): AuthError {
  const detail = "The link was used, has expired, or is invalid";
  return new AuthError("invalid_link", { detail, reason });
}
