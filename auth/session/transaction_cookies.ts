/**
 * Cookies that bind what a browser has begun to that browser: one for each transaction, so that tabs do not disturb each other.
 *
 * @module
 */

import { type CookieReading, parseCookies, readCookie, serializeCookie } from "./cookie.ts";

/** Options of {@linkcode transactionCookies}. */
export interface TransactionCookieOptions {
  /** Start of the names: `__Host-tx-`. */
  readonly prefix: string;
  /** `None` where another site's page posts the response; `Lax` lets links through. */
  readonly sameSite: "Lax" | "None";
  /** Seconds until a transaction expires. */
  readonly lifetime: number;
}

/** The cookies of one kind of transaction. Each is found by a key that the browser knows anyway, such as the state in a URL. */
export interface TransactionCookies {
  /** Values of `Set-Cookie` fields for a new transaction: its cookie, and the deletion of the oldest ones beyond 8. */
  begin(request: Request, key: string, value: string): readonly string[];
  /** Reads the cookie of a transaction. */
  read(request: Request, key: string): CookieReading;
  /** The value of a `Set-Cookie` field that deletes the cookie of a transaction. */
  clear(key: string): string;
}

/** Transactions of one browser. */
const MAX_TRANSACTIONS = 8;

/** Characters of the key in a cookie's name, which tell the transactions of a browser apart. */
const TAG_LENGTH = 8;

/** Creates the cookies of one kind of transaction. */
export function transactionCookies(
  { prefix, sameSite, lifetime }: TransactionCookieOptions,
): TransactionCookies {
  const nameOf = (key: string) => prefix + key.slice(0, TAG_LENGTH);
  const clearName = (name: string) => serializeCookie(name, "", { sameSite, maxAge: 0 });

  /** User agents list the earlier created cookies first, RFC 6265bis §5.8.3. */
  function excess(request: Request): readonly string[] {
    const names = parseCookies(request.headers.get("Cookie")).map(({ name }) => name)
      .filter((name) => name.startsWith(prefix));
    return names.slice(0, Math.max(0, names.length + 1 - MAX_TRANSACTIONS))
      .filter((name) => name.length === prefix.length + TAG_LENGTH);
  }

  return {
    begin: (request, key, value) => [
      ...excess(request).map(clearName),
      serializeCookie(nameOf(key), value, { sameSite, maxAge: lifetime }),
    ],
    read: (request, key) => readCookie(request.headers.get("Cookie"), nameOf(key)),
    clear: (key) => clearName(nameOf(key)),
  };
}
