/**
 * Accounts by e-mail: verified addresses, forgotten passwords, and signing in by a link or a code.
 * OWASP Forgot Password Cheat Sheet; NIST SP 800-63B-4 §3.1.3 and §4.2.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { warnConsole } from "../_report.ts";
import { checkedUsers } from "../stores/checked.ts";
import { AuthError } from "../error.ts";
import { canonicalOrNone } from "../identifier.ts";
import type { User } from "../stores/types.ts";
import { addressOf, isVerified } from "./_addresses.ts";
import type { AccountContext, AccountServiceOptions } from "./_context.ts";
import { createDelivery } from "./_delivery.ts";
import { flowNames, readFlows } from "./_options.ts";
import { passwordResetMethods } from "./_password_reset.ts";
import { createSecrets } from "./_secrets.ts";
import { signInMethods } from "./_sign_in.ts";
import { verificationMethods } from "./_verification.ts";
import type { AccountService } from "./account_types.ts";

export type { AccountServiceOptions } from "./_context.ts";
export { rejectUnknownAccountOptions } from "./_options.ts";

/**
 * Creates the service; {@linkcode emailAccounts} does.
 *
 * @throws {TypeError} If an option is missing or of a wrong shape, or no flow is named.
 * @throws {RangeError} If a time is out of range.
 */
export function accountService(options: AccountServiceOptions): AccountService {
  const context = createContext(options);
  const { users, emails, flows, now } = context;
  const { unverified } = options;

  async function hasExpired(user: User | null): Promise<boolean> {
    if (user === null || unverified === undefined) return false;
    const { expiresIn, since } = unverified;
    if (user.createdAt < since || now() < user.createdAt + expiresIn) return false;
    const stored = await emails.findBySub(user.sub);
    return addressOf(user, stored) !== undefined && !isVerified(stored);
  }

  return Object.freeze<AccountService>({
    flows: flowNames(flows),
    ...verificationMethods(context),
    ...passwordResetMethods(context),
    ...signInMethods(context),
    hasVerifiedEmail: async (sub) => isVerified(await emails.findBySub(sub)),
    async rejectExpired(sub) {
      if (unverified === undefined || !await hasExpired(await users.findBySub(sub))) return;
      throw new AuthError("invalid_credentials", { reason: "email_unverified" });
    },
    async removeExpired(identifier) {
      if (unverified === undefined) return false;
      const canonical = canonicalOrNone(identifier);
      const user = canonical === undefined ? null : await users.findByIdentifier(canonical);
      if (user === null || !await hasExpired(user)) return false;
      await options.accounts.remove(user.sub);
      return true;
    },
  });
}

function createContext(options: AccountServiceOptions): AccountContext {
  const { deliver, states, keys, emails, events, warn = warnConsole, users, throttle } = options;
  const flows = readFlows(options);
  if (throttle !== "insecureSkip" && typeof throttle?.message !== "function") {
    throw new TypeError(
      'Cannot set up accounts: throttle must be created by throttleService(), or be "insecureSkip"',
    );
  }
  const now = createClock(options.now);
  const emit = createEmitter({ events, now, warn });
  return {
    options,
    users: checkedUsers(users),
    emails,
    secrets: createSecrets({ states, keys }),
    flows,
    deliver: createDelivery({ deliver, emit, warn }),
    now,
    emit,
  };
}
