/**
 * Types of the account service.
 *
 * @module
 */

import type { AccountMessageKind } from "../events.ts";
import type { Authentication } from "../principal.ts";
import type { LoginClient } from "../throttle/throttle_types.ts";
import type { UserInfo } from "../users/user_info.ts";

export type { AccountMessageKind };

/** A message for the application to deliver. `url` and `code` are secrets: whoever has one has the account. */
export interface AccountMessage {
  /**
   * What it is for. `email_changing` and `email_changed` tell the old address that it is being replaced, and was; they have
   * neither `url` nor `code`.
   */
  readonly kind: AccountMessageKind;
  /** The recipient's e-mail address. */
  readonly to: string;
  /** Subject id of the user; absent if the link creates the account. */
  readonly sub?: string;
  /** The link, with the token in its query. */
  readonly url?: string;
  /** The code: six digits. */
  readonly code?: string;
  /** When the link or the code expires, in seconds since the epoch. */
  readonly expiresAt?: number;
  /** The value of the request's `Accept-Language` header field. */
  readonly locale?: string;
}

/** Delivers messages. What it throws or rejects with is an event; it is called once more after a second. */
export type DeliverMessage = (message: AccountMessage) => void | Promise<void>;

/** A flow whose message has a link. */
export interface LinkFlowOptions {
  /**
   * Path of the application's page that the link opens, with `?token=` added. The page posts the token when the user confirms:
   * mail scanners open links, too. It must send `Referrer-Policy: no-referrer`.
   */
  readonly page: string;
  /** How long the link is valid, in seconds: an integer from 60 to 604,800 (7 days). */
  readonly expiresIn?: number | undefined;
}

/** Signing in by a link. */
export interface SignInLinkOptions extends LinkFlowOptions {
  /** Whether an unknown address gets an account. @default {false} */
  readonly signUp?: boolean | undefined;
  /**
   * Whether the link also works in another browser than the one that asked for it. Whoever makes a user open such a link signs
   * them in to an account of their own choice.
   *
   * @default {false}
   */
  readonly anyBrowser?: boolean | undefined;
}

/** Signing in by a code. */
export interface SignInCodeOptions {
  /** Whether an unknown address gets an account. @default {false} */
  readonly signUp?: boolean | undefined;
  /** How long the code is valid, in seconds: an integer from 60 to 3,600. @default {600} */
  readonly expiresIn?: number | undefined;
}

/** Flows of accounts by e-mail. Each is off unless it is named. */
export interface AccountOptions {
  /** Delivers messages, after the response was decided: it never changes that. */
  readonly deliver: DeliverMessage;
  /** Origin that links start with: `https://app.example.com`. */
  readonly origin: string;
  /** Verification of the user's address. Its link is valid for an hour. */
  readonly verifyEmail?: LinkFlowOptions | undefined;
  /** Another address: the new one gets a link, the old one is told. The link is valid for an hour. */
  readonly changeEmail?: LinkFlowOptions | undefined;
  /** A new password for who forgot theirs. The link is valid for 30 minutes. */
  readonly resetPassword?: LinkFlowOptions | undefined;
  /** Signing in by a link. It is valid for 10 minutes. */
  readonly signInLink?: SignInLinkOptions | undefined;
  /** Signing in by a code of six digits, which is entered in the browser that asked for it. */
  readonly signInCode?: SignInCodeOptions | undefined;
  /**
   * Accounts whose address is not verified in time cannot sign in, and are removed once somebody else wants the identifier, so
   * that nobody keeps an address that is not theirs. @default they stay
   */
  readonly unverified?: UnverifiedOptions | undefined;
}

/** Accounts whose address is not verified in time. */
export interface UnverifiedOptions {
  /** Seconds for which a new account stays valid: an integer from 3,600. */
  readonly expiresIn: number;
  /**
   * Only accounts that were created from this time on, in seconds since the epoch: when you switched this on. Older ones had no
   * chance to verify their address. 0 for a new application.
   */
  readonly since: number;
}

/** The request that a message is sent for. */
export interface MessageContext {
  /** The client, whose requests are counted. */
  readonly client: LoginClient;
  /** What identifies the browser: sign-ins are bound to it. */
  readonly browser?: string | undefined;
  /** The value of `Accept-Language`. */
  readonly locale?: string | null | undefined;
  /** Keeps the process alive until the message is delivered, on hosts that end with the response. */
  readonly waitUntil?: ((delivery: Promise<void>) => void) | undefined;
}

/** A sign-in by a link or a code. */
export interface MailSignIn {
  /** For `runtime.signIn()`. */
  readonly authentication: Authentication;
  /** The user. */
  readonly user: UserInfo;
  /** Whether the account was created. */
  readonly created: boolean;
  /** Whether the sign-in was begun with "keep me signed in". */
  readonly remember: boolean;
}

/**
 * The flows of accounts by e-mail. Every method of a flow that is off throws a `TypeError`.
 *
 * Methods that send a message do the same work for a known and an unknown address, and return nothing: the message is delivered
 * afterwards. A token or code that is used, expired, unknown or of another flow or browser gets one error, `invalid_link` or
 * `invalid_code`.
 */
export interface AccountService {
  /** The flows that are on. */
  readonly flows: Readonly<Record<keyof AccountFlows, boolean>>;
  /**
   * Stores the address of a new account, not verified, and sends the link of `verifyEmail` if that is on. `/register` does.
   *
   * @param email The address. @default the identifier, if that is one
   * @throws {AuthError} `invalid_identifier`, if it is no address; before the account is created, see `checkEmail()`.
   */
  welcome(sub: string, email: string | undefined, context: MessageContext): Promise<void>;
  /**
   * Checks the address of a new account.
   *
   * @param identifier The identifier of the account. If it is an address, it must be this one: otherwise one could keep an
   * address that is not one's own by verifying another.
   * @throws {AuthError} `invalid_identifier`
   */
  checkEmail(email: unknown, identifier?: string): string;
  /**
   * Sends the link that verifies the user's address, if it is not verified.
   *
   * @throws {AuthError} `throttled`; `email_missing`, if the user has no address.
   */
  sendVerification(sub: string, context: MessageContext): Promise<void>;
  /**
   * Verifies an address by the token of its link, or replaces the address by the new one.
   *
   * @param sub The user who is signed in: a link of another account is refused, and stays valid for that.
   * @throws {AuthError} `invalid_link`; `email_taken`, if another account has verified it.
   */
  verifyEmail(
    token: string,
    sub: string,
    context?: Pick<MessageContext, "locale" | "waitUntil">,
  ): Promise<{ readonly sub: string; readonly email: string }>;
  /**
   * Sends a link to the new address, and a note to the old one. The caller makes sure that the user has just signed in.
   *
   * @throws {AuthError} `throttled`; `invalid_identifier`, if it is no address.
   */
  changeEmail(sub: string, email: string, context: MessageContext): Promise<void>;
  /**
   * Sends a link for a new password to the address of an account.
   *
   * @param identifier The account's identifier, or its verified address.
   * @throws {AuthError} `throttled`, `invalid_identifier`.
   */
  forgotPassword(identifier: string, context: MessageContext): Promise<void>;
  /**
   * Replaces the password. All sessions, tokens, API keys and passkeys end; second factors stay. The link stays valid if the
   * password is too weak.
   *
   * @throws {AuthError} `invalid_link`, `weak_password`, `service_unavailable`.
   */
  resetPassword(token: string, newPassword: string): Promise<void>;
  /**
   * Sends a link that signs in.
   *
   * @throws {AuthError} `throttled`; `invalid_identifier`, if it is no address.
   */
  sendSignInLink(email: string, context: MessageContext & SignInRequest): Promise<void>;
  /** Signs in by the token of a link. @throws {AuthError} `invalid_link` */
  signInByLink(token: string, browser: string | undefined): Promise<MailSignIn>;
  /** Sends a code that signs in. @throws {AuthError} As `sendSignInLink()`. */
  sendSignInCode(email: string, context: MessageContext & SignInRequest): Promise<void>;
  /** Signs in by a code. Five wrong ones end it. @throws {AuthError} `invalid_code`, `throttled`. */
  signInByCode(
    email: string,
    code: string,
    context: Pick<MessageContext, "client" | "browser">,
  ): Promise<MailSignIn>;
  /** Whether an address of the user is verified. */
  hasVerifiedEmail(sub: string): Promise<boolean>;
  /** Rejects an account that has expired, see `unverified`. @throws {AuthError} `invalid_credentials` */
  rejectExpired(sub: string): Promise<void>;
  /** Removes the account with an identifier if it has expired. @returns Whether it was removed. */
  removeExpired(identifier: string): Promise<boolean>;
}

/** What a sign-in by mail is begun with. */
export interface SignInRequest {
  /** "Keep me signed in". @default {false} */
  readonly remember?: boolean | undefined;
}

/** The flows that can be named. */
export type AccountFlows = Pick<
  AccountOptions,
  "verifyEmail" | "changeEmail" | "resetPassword" | "signInLink" | "signInCode"
>;
