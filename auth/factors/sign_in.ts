/**
 * Sign-ins with a second factor: after the first factor the user gets a ticket, and for that and the second factor a session.
 * NIST SP 800-63B-4 §2.2.
 *
 * @module
 */

import { isBrowserBound, markBrowserBound } from "../_browser_bound.ts";
import { digestText } from "../_kdf.ts";
import { isMultiFactor, markMultiFactor } from "../_multi_factor.ts";
import { randomToken } from "../_random.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import { AuthError } from "../error.ts";
import type { Authentication } from "../principal.ts";
import { isDisabled } from "../stores/checked.ts";
import type { StateStore, UserStore } from "../stores/types.ts";
import { isRemembered, rememberBrowser } from "./_remembered_browser.ts";
import type { FactorService } from "./factor_types.ts";
import type { BegunSignIn, SecondFactorService } from "./sign_in_types.ts";

/** What the service is created from. */
export interface SecondFactorParts {
  readonly factors: FactorService;
  readonly states: StateStore;
  readonly users: Pick<UserStore, "findBySub">;
  readonly keys: Pick<DerivedKeys, "sign" | "verify">;
  readonly now: () => number;
}

/** Seconds for which a ticket is valid. */
const TICKET_SECONDS = 300;
/** Seconds for which a browser is remembered. */
const REMEMBER_SECONDS = 30 * 86_400;
/** Wrong codes after which a ticket is dead. */
const MAX_TRIES = 5;

const TICKET_REGEXP = /^[\w-]{43}$/;

/** A ticket as it is stored. */
interface StoredTicket extends BegunSignIn {
  readonly browserBound: boolean;
  readonly triesLeft: number;
  readonly expiresAt: number;
}

/** Creates the service. */
export function secondFactorService(
  { factors, states, users, keys, now }: SecondFactorParts,
): SecondFactorService {
  const keyOf = async (ticket: string) => `mfa:${await digestText(ticket)}`;
  const isTicket = (ticket: unknown) => typeof ticket === "string" && TICKET_REGEXP.test(ticket);

  /** The authenticator of a user. */
  async function confirmedAt(sub: string): Promise<number | undefined> {
    return (await factors.list(sub)).totp?.confirmedAt;
  }

  async function stepUp(
    ...[authentication, proof, client]: Parameters<SecondFactorService["stepUp"]>
  ): Promise<Authentication> {
    const { amr } = await factors.verify(authentication.sub, proof, client);
    const methods = [...new Set([...authentication.amr, ...amr, "mfa"])]; // RFC 8176 §2
    return markMultiFactor(Object.freeze({ ...authentication, amr: methods, authTime: now() }));
  }

  return Object.freeze<SecondFactorService>({
    async begin({ authentication, method, remember }, cookie) {
      if (isMultiFactor(authentication)) return undefined;
      const { sub, securityStamp } = authentication;
      const since = await confirmedAt(sub);
      if (since === undefined) return undefined;
      const remembered = { sub, securityStamp, confirmedAt: since };
      if (await isRemembered(keys, remembered, { cookie, now: now() })) return undefined;
      const ticket = randomToken();
      const expiresAt = now() + TICKET_SECONDS;
      const stored: StoredTicket = {
        authentication,
        method,
        remember,
        browserBound: isBrowserBound(authentication),
        triesLeft: MAX_TRIES,
        expiresAt,
      };
      await states.put(await keyOf(ticket), stored, expiresAt);
      return ticket;
    },

    // The ticket, the account as it was, the second factor; a wrong one leaves the ticket
    async complete(ticket, proof, client) {
      const key = isTicket(ticket) ? await keyOf(ticket) : undefined;
      const stored = key && await states.consume(key) as StoredTicket | null;
      if (!stored) throw expired();
      const { authentication, browserBound, triesLeft, expiresAt, ...signIn } = stored;
      const user = await users.findBySub(authentication.sub);
      const isSame = user !== null && user.securityStamp === authentication.securityStamp;
      if (!isSame || isDisabled(user)) throw expired();
      try {
        const both = await stepUp(authentication, proof, client);
        return { ...signIn, authentication: browserBound ? markBrowserBound(both) : both };
      } catch (error) {
        const left = triesLeft - (isWrong(error) ? 1 : 0);
        if (left > 0) await states.put(key, { ...stored, triesLeft: left }, expiresAt);
        throw error;
      }
    },

    stepUp,

    async rememberBrowser({ sub, securityStamp }) {
      const since = await confirmedAt(sub);
      if (since === undefined) return undefined;
      const remembered = { sub, securityStamp, confirmedAt: since };
      const cookie = await rememberBrowser(keys, remembered, now() + REMEMBER_SECONDS);
      return { cookie, maxAge: REMEMBER_SECONDS };
    },
  });
}

function isWrong(error: unknown): boolean {
  return error instanceof AuthError && error.code === "invalid_second_factor";
}

function expired(): AuthError {
  return new AuthError("mfa_expired", { detail: "Sign in again" });
}
