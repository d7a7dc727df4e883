/**
 * Parts of authentication that only some applications need: whoever does not import one, does not load it.
 *
 * @module
 */

import { rejectUnknownOptions } from "../_options.ts";
import {
  accountService,
  type AccountServiceOptions,
  rejectUnknownAccountOptions,
} from "../accounts/account_service.ts";
import type { AccountOptions, AccountService } from "../accounts/account_types.ts";
import { factorService } from "../factors/factor_service.ts";
import { secondFactorService } from "../factors/sign_in.ts";
import type { SecondFactorOptions, SecondFactors } from "../factors/sign_in_types.ts";
import { accountRoutes } from "./_account_routes.ts";
import { factorRoutes } from "./_factor_routes.ts";
import type { AuthFeature } from "./feature_types.ts";

/**
 * Accounts by e-mail, for the option `accounts` of {@linkcode registerAuth}: verified addresses, forgotten passwords, and signing
 * in by a link or a code. Each flow is off unless it is named. Needs `stores.emails` and `stores.states`.
 *
 * @throws {TypeError} When it is registered: if a store or an option is missing or of a wrong shape, or no flow is named.
 * @throws {RangeError} When it is registered: if a time is out of range.
 *
 * @example
 * ```ts
 * import {
 *   type AccountMessage,
 *   createContainer,
 *   emailAccounts,
 *   generateSecret,
 *   inMemoryAuthStores,
 *   registerAuth,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const sent = Promise.withResolvers<AccountMessage>();
 * const { passwords, accounts } = registerAuth({
 *   secret: generateSecret(),
 *   stores: inMemoryAuthStores(),
 *   deployment: "direct",
 *   accounts: emailAccounts({
 *     deliver: sent.resolve, // an application sends a mail here
 *     origin: "https://app.example.com",
 *     resetPassword: { page: "/new-password" },
 *   }),
 *   container: createContainer(), // an application leaves it out
 * });
 * await passwords.createUser({ identifier: "ada@example.org", password: "lovelace wrote notes" });
 *
 * await accounts?.forgotPassword("ada@example.org", { client: { address: "192.0.2.1" } });
 * const { to, url = "" } = await sent.promise;
 * assertEquals(to, "ada@example.org");
 * const token = new URL(url).searchParams.get("token") ?? "";
 * await accounts?.resetPassword(token, "seven green bottles on a wall");
 * ```
 */
export function emailAccounts(options: AccountOptions): AuthFeature<AccountService> {
  return Object.freeze<AuthFeature<AccountService>>({
    create({ stores, throttle: counted, users: accounts, ...context }) {
      rejectUnknownAccountOptions(options);
      const throttle: AccountServiceOptions["throttle"] = counted ?? "insecureSkip";
      const { users, sessions, refreshTokens, apiKeys, credentials, identities, factors } = stores;
      const { emails, states } = stores;
      if (emails === undefined || states === undefined) {
        throw new TypeError("Cannot set up accounts: they need stores.emails and stores.states");
      }
      const kept = { users, sessions, refreshTokens, apiKeys, credentials, identities, factors };
      const more = { ...kept, emails, states, throttle, accounts };
      return accountService({ ...options, ...more, ...context });
    },
    routes: accountRoutes,
  });
}

/**
 * An authenticator app (TOTP, RFC 6238) as the second factor, with recovery codes, for the option `secondFactors` of
 * {@linkcode registerAuth}: a sign-in of a user who has one ends in 401 `mfa_required`. Needs `stores.factors` and `stores.states`.
 *
 * @throws {TypeError} When it is registered: if a store is missing, or an option missing or unknown.
 * @throws {RangeError} When it is registered: if `issuer` is invalid.
 *
 * @example
 * ```ts
 * import {
 *   createContainer,
 *   generateSecret,
 *   inMemoryAuthStores,
 *   registerAuth,
 *   totpCode,
 *   totpFactors,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const { passwords, secondFactors } = registerAuth({
 *   secret: generateSecret(),
 *   stores: inMemoryAuthStores(),
 *   deployment: "direct",
 *   secondFactors: totpFactors({ issuer: "Notes" }),
 *   container: createContainer(), // an application leaves it out
 * });
 * const credentials = { identifier: "ada@example.org", password: "lovelace wrote notes" };
 * const { sub } = await passwords.createUser(credentials);
 *
 * const enrolment = await secondFactors?.enrolTotp(sub, "ada@example.org"); // its uri becomes a QR code
 * const code = await totpCode(enrolment?.secret ?? "", Date.now() / 1000); // the app does this
 * assertEquals((await secondFactors?.confirmTotp(sub, code))?.recoveryCodes.length, 10);
 * ```
 */
export function totpFactors(options: SecondFactorOptions): AuthFeature<SecondFactors> {
  return Object.freeze<AuthFeature<SecondFactors>>({
    create({ stores: { users, factors, states }, throttle: counted, ...context }) {
      const throttle = counted ?? "insecureSkip";
      rejectUnknownOptions("Cannot set up second factors", options, { issuer: true });
      if (factors === undefined || states === undefined) {
        throw new TypeError(
          "Cannot set up second factors: they need stores.factors and stores.states",
        );
      }
      const { keys, now, events, warn } = context;
      const { issuer } = options;
      const own = factorService({ issuer, factors, users, throttle, keys, now, events, warn });
      const signIns = secondFactorService({ factors: own, states, users, keys, now });
      return Object.freeze({ ...own, ...signIns });
    },
    routes: factorRoutes,
  });
}
