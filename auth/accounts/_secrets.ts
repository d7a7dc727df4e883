/**
 * Links and codes: what they were sent for is stored by their digest, and taken once.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../_base64url.ts";
import { joinFields } from "../_bytes.ts";
import { digestText } from "../_kdf.ts";
import { randomBytes, randomToken } from "../_random.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import type { StateStore } from "../stores/types.ts";

/** What a link or code is good for. */
export type Purpose = "verify_email" | "change_email" | "reset_password" | "sign_in";

/** What a link or code was sent for. */
export interface Sent {
  readonly purpose: Purpose;
  /** The address it was sent to. */
  readonly email: string;
  /** The account, as it was then; absent if it is to be created, or if there is none: nothing was delivered. */
  readonly account?: { readonly sub: string; readonly securityStamp: string } | undefined;
  /** Whether an account may be created. */
  readonly signUp?: boolean | undefined;
  /** What identifies the browser that asked for it; absent if any may use it. */
  readonly browser?: string | undefined;
  readonly remember?: boolean | undefined;
  /** The address that is to be replaced. */
  readonly replaces?: string | undefined;
  readonly expiresAt: number;
}

interface SentCode extends Sent {
  /** The code's message authentication code: a digest of six digits is soon guessed. */
  readonly mac: string;
  /** Wrong codes that may still follow. */
  readonly triesLeft: number;
}

/** Wrong codes after which the code is dead. */
const MAX_TRIES = 5;

const TOKEN_REGEXP = /^[\w-]{43}$/;
const CODE_REGEXP = /^\d{6}$/;

/** Creates and takes links and codes. */
export interface Secrets {
  /** Stores what a link is for. @returns Its token: 32 random bytes, base64url. */
  createToken(sent: Sent): Promise<string>;
  /**
   * Takes what the link was sent for, once; `undefined` if it is used, expired, unknown or of another purpose, account or
   * browser: then it stays valid for those.
   */
  takeToken(
    purposes: readonly Purpose[],
    token: unknown,
    holder?: { readonly sub?: string; readonly browser?: string | undefined },
  ): Promise<Sent | undefined>;
  /** Makes a token valid again that was taken without effect. */
  restoreToken(token: string, sent: Sent): Promise<void>;
  /** Stores what a code is for, in place of an earlier one of the same address and browser. @returns The code. */
  createCode(sent: Sent & { readonly browser: string }): Promise<string>;
  /**
   * Takes what the code was sent for, once. Of concurrent calls one has a try.
   *
   * @param admit Called before a try, if there is a code. If it rejects, that was none.
   */
  takeCode(
    [email, browser]: readonly [email: string, browser: string],
    code: unknown,
    admit: () => Promise<void>,
  ): Promise<Sent | undefined>;
}

/** Creates the functions. */
export function createSecrets(
  { states, keys }: {
    readonly states: StateStore;
    readonly keys: Pick<DerivedKeys, "sign" | "verify">;
  },
): Secrets {
  const codeKey = async (email: string, browser: string): Promise<string> =>
    `account-code:${encodeBase64Url(await keys.sign("accounts", joinFields([email, browser])))}`;
  const codeFields = (email: string, browser: string, code: string) =>
    joinFields(["code", email, browser, code]);

  async function restoreToken(token: string, sent: Sent): Promise<void> {
    await states.put(await tokenKey(token), sent, sent.expiresAt);
  }

  return {
    async createToken(sent) {
      const token = randomToken();
      await states.put(await tokenKey(token), sent, sent.expiresAt);
      return token;
    },
    async takeToken(purposes, token, { sub, browser } = {}) {
      if (typeof token !== "string" || !TOKEN_REGEXP.test(token)) return undefined;
      const sent = await states.consume(await tokenKey(token)) as Sent | null;
      if (sent === null) return undefined;
      const { browser: own = browser, account } = sent;
      const isTheirs = own === browser && (sub === undefined || account?.sub === sub);
      if (purposes.includes(sent.purpose) && isTheirs) return sent;
      await restoreToken(token, sent); // for the browser that asked for it
      return undefined;
    },
    restoreToken,
    async createCode(sent) {
      const { email, browser, expiresAt } = sent;
      const code = randomCode();
      const mac = encodeBase64Url(await keys.sign("accounts", codeFields(email, browser, code)));
      const value: SentCode = { ...sent, mac, triesLeft: MAX_TRIES };
      await states.put(await codeKey(email, browser), value, expiresAt);
      return code;
    },
    async takeCode([email, browser], code, admit) {
      const key = await codeKey(email, browser);
      const found = await states.consume(key) as SentCode | null;
      if (found === null) return undefined;
      const { mac, triesLeft, ...sent } = found;
      await admit().catch(async (error) => {
        await states.put(key, found, sent.expiresAt);
        throw error;
      });
      const given = typeof code === "string" && CODE_REGEXP.test(code) ? code : "";
      const fields = codeFields(email, browser, given);
      if (await keys.verify("accounts", fields, decodeBase64Url(mac))) return sent;
      // Whoever reads between the two finds no code, and must enter it again
      if (triesLeft > 1) {
        await states.put(key, { ...found, triesLeft: triesLeft - 1 }, sent.expiresAt);
      }
      return undefined;
    },
  };
}

async function tokenKey(token: string): Promise<string> {
  return `account:${await digestText(token)}`;
}

/** Six digits, each code equally probable. */
function randomCode(): string {
  const limit = 4_294_000_000; // the largest multiple of 1,000,000 below 2³²
  for (;;) {
    const value = new DataView(randomBytes(4).buffer).getUint32(0);
    if (value < limit) return String(value % 1_000_000).padStart(6, "0");
  }
}
