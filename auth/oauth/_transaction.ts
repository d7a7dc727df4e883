/**
 * Begun sign-ins. One is stored for the state and the browser that began it, and is used once.
 *
 * The key contains the value of the browser's cookie, so that a callback in another browser cannot use it up.
 *
 * @module
 */

import { digestText } from "../_kdf.ts";
import { randomToken } from "../_random.ts";
import { parseCookies, readCookie, serializeCookie } from "../session/cookie.ts";
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

/** Transactions of one browser; a new one deletes the cookie of the oldest. */
const MAX_TRANSACTIONS = 8;

/** Characters of the state in a cookie's name, which tell the sign-ins of a browser apart. */
const TAG_LENGTH = 8;

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
  const own = cookie(context, cookieName(context, state), browser, lifetime);
  return { state, cookies: [...excessCookies(context, request), own] };
}

/** Takes the transaction of a state, in the browser that began it. */
export async function takeTransaction(
  context: TransactionContext,
  request: Request,
  state: string | undefined,
): Promise<OAuthTransaction> {
  check(state !== undefined && STATE_REGEXP.test(state), "state_missing");
  const reading = readCookie(request.headers.get("Cookie"), cookieName(context, state));
  check(reading.status === "found", "browser_mismatch");
  const found = await context.states.consume(await keyOf(state, reading.value));
  check(found !== null, "state_unknown"); // also used up, expired, or begun with another value of the cookie
  return found as OAuthTransaction;
}

/** The value of a `Set-Cookie` field that deletes the cookie of a state. */
export function clearTransactionCookie(context: TransactionContext, state: string): string {
  return cookie(context, cookieName(context, state), "", 0);
}

/** Deletes the oldest cookies: user agents list the earlier created ones first, RFC 6265bis §5.8.3. */
function excessCookies(context: TransactionContext, request: Request): readonly string[] {
  const names = parseCookies(request.headers.get("Cookie")).map(({ name }) => name)
    .filter((name) => name.startsWith(namePrefix(context)));
  return names.slice(0, Math.max(0, names.length + 1 - MAX_TRANSACTIONS))
    .filter((name) => name.length === namePrefix(context).length + TAG_LENGTH)
    .map((name) => cookie(context, name, "", 0));
}

/** `SameSite=None` where the response is a form that the provider's page posts; `Lax` lets links through. */
function cookie(
  { provider }: TransactionContext,
  name: string,
  value: string,
  maxAge: number,
): string {
  const sameSite = provider.responseMode === "form_post" ? "None" : "Lax";
  return serializeCookie(name, value, { sameSite, maxAge });
}

/** The browser knows the state anyway: it was in the URL. */
function cookieName(context: TransactionContext, state: string): string {
  return namePrefix(context) + state.slice(0, TAG_LENGTH);
}

function namePrefix({ cookies }: TransactionContext): string {
  return `${cookies.hostPrefix}tx-`;
}

async function keyOf(state: string, browser: string): Promise<string> {
  return `oauth:${await digestText(`${state}.${browser}`)}`;
}
