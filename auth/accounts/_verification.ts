/**
 * E-mail addresses of users: verified, and replaced.
 *
 * @module
 */

import { AuthError } from "../error.ts";
import { canonicalIdentifier } from "../identifier.ts";
import { isDisabled } from "../stores/checked.ts";
import type { User } from "../stores/types.ts";
import { updateUser } from "../users/update_user.ts";
import { addressOf, canonicalEmail, isVerified, saveEmail, verifyAddress } from "./_addresses.ts";
import type { AccountContext } from "./_context.ts";
import { accountOf, countMessage, invalidLink, requireFlow, sendLink, takeLink } from "./_flow.ts";
import type { AccountService, MessageContext } from "./account_types.ts";

type Methods = Pick<
  AccountService,
  "welcome" | "checkEmail" | "sendVerification" | "verifyEmail" | "changeEmail"
>;

/** Creates the methods. */
export function verificationMethods(context: AccountContext): Methods {
  const { users, emails, flows, deliver, emit } = context;

  async function sendVerification(sub: string, message: MessageContext): Promise<void> {
    const flow = requireFlow("verifyEmail", flows.verifyEmail);
    const user = await users.findBySub(sub);
    const stored = await emails.findBySub(sub);
    const email = user === null ? undefined : addressOf(user, stored);
    if (user === null || email === undefined) {
      throw new AuthError("email_missing", { detail: "The account has no e-mail address" });
    }
    if (isVerified(stored)) return;
    await countMessage(context, email, message);
    const sent = { purpose: "verify_email", email, account: accountOf(user) } as const;
    await sendLink(context, { flow, ...sent, kind: "verify_email" }, message);
  }

  return {
    checkEmail(email, identifier) {
      const address = canonicalEmail(email);
      const named: string = identifier === undefined ? "" : canonicalIdentifier(identifier);
      if (!named.includes("@") || named === address) return address;
      throw new AuthError("invalid_identifier", {
        detail: "An identifier that is an e-mail address must be the address of the account",
      });
    },

    async welcome(sub, email, message) {
      if (email !== undefined) {
        const address = canonicalEmail(email);
        await saveEmail(context, sub, (stored) => stored === null ? { email: address } : undefined);
      }
      if (flows.verifyEmail === undefined) return;
      await sendVerification(sub, message).catch((error) => {
        if (!(error instanceof AuthError) || error.status >= 500) throw error;
        // The account has no address, or there are too many messages: the user can ask for one later
      });
    },

    sendVerification,

    async verifyEmail(token, sub, message = {}) {
      requireFlow("verifyEmail", flows.verifyEmail ?? flows.changeEmail);
      // Of the account whose user is signed in: otherwise a link that somebody else asked for would verify the address of a
      // victim, who opens it, for the attacker's account
      const { sent, user } = await takeLink(context, ["verify_email", "change_email"], token, sub);
      const stored = await emails.findBySub(sub);
      const current = addressOf(user, stored);
      if (sent.purpose === "verify_email") {
        if (current !== sent.email) throw invalidLink(); // it was replaced since
        await verifyAddress(context, user, sent.email);
        return { sub, email: sent.email };
      }
      if (current !== sent.replaces) throw invalidLink(); // another change was completed since
      const restore = await replaceIdentifier(context, user, current, sent.email);
      await verifyAddress(context, user, sent.email, { replace: true }).catch(async (error) => {
        await restore();
        throw error;
      });
      emit("email.changed", { sub });
      if (current !== undefined && current !== sent.email) {
        deliver({ kind: "email_changed", to: current, sub }, message);
      }
      return { sub, email: sent.email };
    },

    async changeEmail(sub, email, message) {
      const flow = requireFlow("changeEmail", flows.changeEmail);
      const address = canonicalEmail(email);
      await countMessage(context, address, message);
      const user = await users.findBySub(sub);
      if (user === null || isDisabled(user)) throw new AuthError("unauthenticated");
      const current = addressOf(user, await emails.findBySub(sub));
      const isAnother = current !== undefined && current !== address;
      if (isAnother) await countMessage(context, current, message); // it may be anybody's
      const account = accountOf(user);
      const sent = { purpose: "change_email", email: address, account, replaces: current } as const;
      await sendLink(context, { flow, ...sent, kind: "change_email" }, message);
      if (isAnother) {
        deliver({ kind: "email_changing", to: current, sub }, message);
      }
    },
  };
}

/**
 * Who signs in with the old address, signs in with the new one.
 *
 * @throws {AuthError} `email_taken`, `invalid_link`.
 * @returns What undoes it.
 */
async function replaceIdentifier(
  { users, emit }: AccountContext,
  { sub, identifier, version }: User,
  current: string | undefined,
  next: string,
): Promise<() => Promise<unknown>> {
  if (identifier !== current || identifier === next) return () => Promise.resolve();
  switch (await users.update(sub, version, { identifier: next })) {
    case "updated":
      emit("user.identifier_changed", { sub });
      return () =>
        updateUser(users, sub, (user) => user.identifier === next ? { identifier } : undefined);
    case "identifier_taken":
      throw new AuthError("email_taken", { detail: "Another account has this e-mail address" });
    case "lost":
    case "not_found":
      throw invalidLink();
  }
}
