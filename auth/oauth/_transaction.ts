/**
 * Begun sign-ins. One is stored for the state and the browser that began it, and is used once.
 *
 * The key contains the value of the browser's cookie, so that a callback in another browser cannot use it up.
 *
 * @module
 */

import { digestText } from "../_kdf.ts";
import { randomToken } from "../_random.ts";
import { type TransactionCookies, transactionCookies } from "../session/transaction_cookies.ts";
import type { ClientContext } from "./_context.ts";
import { check } from "./_failure.ts";
import type { OAuthLink } from "./client_types.ts";

/** What a sign-in was begun with. */
export interface OAuthTransaction {
  readonly provider: string;
  readonly issuer: string;
  readonly redirectUri: string;
  /** PKCE's `code_verifier`; `null` where the server refuses PKCE. */
  readonly verifier: string | null;
  readonly nonce: string | null;
  readonly redirectTo: string;
  readonly remember: boolean;
  readonly link?: OAuthLink;
  readonly maxAge?: number;
  readonly acrValues?: readonly string[];
  readonly startedAt: number;
}

/** A stored transaction. */
export interface BegunTransaction {
  /** Value of `state`: 32 random bytes, base64url. */
  readonly state: string;
  /** Values of `Set-Cookie` fields. */
  readonly cookies: readonly string[];
}

const STATE_REGEXP = /^[\w-]{43}$/;

/** What transactions need of a client. */
type TransactionContext = Pick<
  ClientContext,
  "states" | "cookies" | "lifetime" | "now" | "provider"
>;

/** Stores a transaction, and creates its cookie. */
export async function beginTransaction(
  context: TransactionContext,
  request: Request,
  transaction: OAuthTransaction,
): Promise<BegunTransaction> {
  const { states, lifetime, now } = context;
  const [state, browser] = [randomToken(), randomToken()];
  await states.put(await keyOf(state, browser), transaction, now() + lifetime);
  return { state, cookies: cookiesOf(context).begin(request, state, browser) };
}

/** Takes the transaction of a state, in the browser that began it. */
export async function takeTransaction(
  context: TransactionContext,
  request: Request,
  state: string | undefined,
): Promise<OAuthTransaction> {
  check(state !== undefined && STATE_REGEXP.test(state), "state_missing");
  const reading = cookiesOf(context).read(request, state);
  check(reading.status === "found", "browser_mismatch");
  const found = await context.states.consume(await keyOf(state, reading.value));
  check(found !== null, "state_unknown"); // also used up, expired, or begun with another value of the cookie
  return found as OAuthTransaction;
}

/** The value of a `Set-Cookie` field that deletes the cookie of a state. */
export function clearTransactionCookie(context: TransactionContext, state: string): string {
  return cookiesOf(context).clear(state);
}

/** `SameSite=None` where the response is a form that the provider's page posts. */
function cookiesOf({ provider, cookies, lifetime }: TransactionContext): TransactionCookies {
  return transactionCookies({
    prefix: `${cookies.hostPrefix}tx-`,
    sameSite: provider.responseMode === "form_post" ? "None" : "Lax",
    lifetime,
  });
}

async function keyOf(state: string, browser: string): Promise<string> {
  return `oauth:${await digestText(`${state}.${browser}`)}`;
}
