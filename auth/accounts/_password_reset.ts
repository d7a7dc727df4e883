/**
 * Forgotten passwords, OWASP Forgot Password Cheat Sheet.
 *
 * @module
 */

import { canonicalIdentifier } from "../identifier.ts";
import {
  addressOf,
  endForeignAccess,
  findRecipient,
  isVerified,
  verifyAddress,
} from "./_addresses.ts";
import type { AccountContext } from "./_context.ts";
import {
  accountOf,
  countMessage,
  invalidLink,
  maySend,
  requireFlow,
  sendLink,
  takeLink,
} from "./_flow.ts";
import type { AccountService } from "./account_types.ts";

/** Creates the methods. */
export function passwordResetMethods(
  context: AccountContext,
): Pick<AccountService, "forgotPassword" | "resetPassword"> {
  const { emails, flows, secrets, options } = context;
  return {
    async forgotPassword(identifier, message) {
      const flow = requireFlow("resetPassword", flows.resetPassword);
      const canonical: string = canonicalIdentifier(identifier);
      await countMessage(context, canonical, message);
      const found = await findRecipient(context, canonical);
      const email = found.status === "found" ? found.email : canonical;
      const uncounted = email === canonical ? `named:${canonical}` : email; // the same work; no address has a colon
      const isAllowed = await maySend(context, uncounted, message);
      const account = found.status === "found" && isAllowed ? accountOf(found.user) : undefined;
      const sent = { purpose: "reset_password", email, account } as const;
      await sendLink(context, { flow, ...sent, kind: "reset_password" }, message);
    },

    async resetPassword(token, newPassword) {
      requireFlow("resetPassword", flows.resetPassword);
      const { sent, user } = await takeLink(context, ["reset_password"], token);
      const { sub } = user;
      const stored = await emails.findBySub(sub);
      if (addressOf(user, stored) !== sent.email) throw invalidLink();
      await options.passwords.reset(sub, newPassword).catch(async (error) => {
        await secrets.restoreToken(token, sent); // valid unless the password was written, with another stamp
        throw error;
      });
      if (isVerified(stored)) return;
      await endForeignAccess(context, sub); // as proveAddress() does
      await verifyAddress(context, user, sent.email);
    },
  };
}
