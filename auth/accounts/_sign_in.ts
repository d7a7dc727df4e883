/**
 * Signing in by a link or a code.
 *
 * @module
 */

import { markBrowserBound } from "../_browser_bound.ts";
import { randomId } from "../_random.ts";
import { AuthError } from "../error.ts";
import { isDisabled } from "../stores/checked.ts";
import type { User } from "../stores/types.ts";
import { toUserInfo } from "../users/user_info.ts";
import type { FactorAttempt } from "../throttle/throttle_types.ts";
import {
  addressOf,
  canonicalEmail,
  findRecipient,
  proveAddress,
  verifyAddress,
} from "./_addresses.ts";
import type { AccountContext } from "./_context.ts";
import {
  accountOf,
  countMessage,
  invalidLink,
  isSendable,
  requireFlow,
  sendLink,
  subOf,
} from "./_flow.ts";
import type { Sent } from "./_secrets.ts";
import type { AccountService, MailSignIn, SignInRequest } from "./account_types.ts";

type Methods = Pick<
  AccountService,
  "sendSignInLink" | "signInByLink" | "sendSignInCode" | "signInByCode"
>;

/** Creates the methods. */
export function signInMethods(context: AccountContext): Methods {
  const { secrets, flows, deliver, now, options: { throttle } } = context;

  /** What a sign-in is sent for. */
  async function signInSent(
    address: string,
    { remember }: SignInRequest,
    { signUp = false }: { readonly signUp?: boolean | undefined },
  ): Promise<Omit<Sent, "expiresAt">> {
    const found = await findRecipient(context, address);
    const isTheirs = found.status === "found" && found.email === address; // not an identifier that was the address once
    return {
      purpose: "sign_in",
      email: address,
      account: isTheirs ? accountOf(found.user) : undefined,
      signUp: signUp && found.status === "none",
      remember,
    };
  }

  return {
    async sendSignInLink(email, message) {
      const flow = requireFlow("signInLink", flows.signInLink);
      const address = canonicalEmail(email);
      await countMessage(context, address, message);
      const browser = flow.anyBrowser === true ? undefined : requireBrowser(message.browser);
      const sent = await signInSent(address, message, flow);
      await sendLink(context, { flow, ...sent, browser, kind: "sign_in_link" }, message);
    },

    async signInByLink(token, browser) {
      requireFlow("signInLink", flows.signInLink);
      const sent = await secrets.takeToken(["sign_in"], token, { browser });
      const result = sent && await signInBySent(context, sent);
      if (result === undefined) throw invalidLink();
      return result;
    },

    async sendSignInCode(email, message) {
      const flow = requireFlow("signInCode", flows.signInCode);
      const address = canonicalEmail(email);
      await countMessage(context, address, message);
      const browser = requireBrowser(message.browser);
      const sent = await signInSent(address, message, flow);
      const expiresAt = now() + flow.expiresIn;
      const code = await secrets.createCode({ ...sent, browser, expiresAt });
      if (!isSendable(sent)) return;
      deliver({ kind: "sign_in_code", to: address, ...subOf(sent), code, expiresAt }, message);
    },

    async signInByCode(email, code, { client, browser }) {
      requireFlow("signInCode", flows.signInCode);
      const address = canonicalEmail(email);
      let attempt: FactorAttempt | undefined;
      // Whatever the browser, since another code has as many tries; not without a code, or anybody could lock the user out
      const admit = async (): Promise<void> => {
        if (throttle !== "insecureSkip") attempt = await throttle.factor(`code:${address}`, client);
      };
      const sent = await secrets.takeCode([address, requireBrowser(browser)], code, admit);
      const result = sent && await signInBySent(context, sent);
      if (result === undefined) {
        throw new AuthError("invalid_code", { detail: "The code is wrong or has expired" });
      }
      await attempt?.succeed();
      return result;
    },
  };
}

/** How the user showed to read the mail. RFC 8176 has no value for it. */
const AMR: readonly string[] = ["email"];

/**
 * Signs in whoever received a link or a code, or creates the account.
 *
 * @returns `undefined` if the account is not as it was when it was sent.
 */
async function signInBySent(
  context: AccountContext,
  { account, email, browser, signUp = false, remember = false }: Sent,
): Promise<MailSignIn | undefined> {
  const { users, emails, now } = context;
  const created = account === undefined;
  const owner = await emails.findByEmail(email);
  if (owner !== null && owner.sub !== account?.sub) return undefined; // another account has verified it since
  const user = created
    ? signUp ? await createUser(context, email) : null
    : await users.findBySub(account.sub);
  if (user === null || isDisabled(user)) return undefined;
  if (!created && user.securityStamp !== account.securityStamp) return undefined;
  const stored = await emails.findBySub(user.sub);
  if (addressOf(user, stored) !== email) return undefined; // it was replaced since
  const proof = created // nothing else gives access to it yet
    ? verifyAddress(context, user, email).then(() => user)
    : proveAddress(context, user, email);
  const proven = await proof.catch(unlessChanged);
  if (proven === undefined) return undefined;
  const authentication = Object.freeze({
    sub: proven.sub,
    securityStamp: proven.securityStamp,
    authTime: now(),
    amr: AMR,
  });
  return {
    authentication: browser === undefined ? authentication : markBrowserBound(authentication),
    user: toUserInfo(proven),
    created,
    remember,
  };
}

/** The account was changed by a concurrent request. */
function unlessChanged(error: unknown): undefined {
  if (error instanceof AuthError && CHANGED.includes(error.code)) return undefined;
  throw error;
}

const CHANGED: readonly string[] = ["invalid_link", "email_taken"];

/** Creates an account without a password; `null` if somebody else has the identifier meanwhile. */
async function createUser(
  { users, now, emit }: AccountContext,
  identifier: string,
): Promise<User | null> {
  const user = { sub: randomId(), identifier, securityStamp: randomId(), createdAt: now() };
  if (await users.create(user) === "identifier_taken") return null;
  emit("user.created", { sub: user.sub });
  return await users.findBySub(user.sub);
}

function requireBrowser(browser: string | undefined): string {
  if (browser !== undefined && browser !== "") return browser;
  throw new AuthError("csrf_failed", { reason: "cookie_missing" });
}
