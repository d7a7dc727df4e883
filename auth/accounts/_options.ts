/**
 * Checks of the options of accounts.
 *
 * @module
 */

import { type OptionNames, rejectUnknownOptions, requireSeconds } from "../_options.ts";
import { parseOrigin } from "../_origin.ts";
import { safeRedirectPath } from "../redirect_target.ts";
import type {
  AccountFlows,
  AccountOptions,
  LinkFlowOptions,
  SignInCodeOptions,
  SignInLinkOptions,
  UnverifiedOptions,
} from "./account_types.ts";

const ACTION = "Cannot set up accounts";

/** A flow with a link, and for how many seconds that is valid. */
export interface LinkFlow {
  readonly page: string;
  readonly expiresIn: number;
}

/** Flows that are on. */
export interface Flows {
  readonly verifyEmail: LinkFlow | undefined;
  readonly changeEmail: LinkFlow | undefined;
  readonly resetPassword: LinkFlow | undefined;
  readonly signInLink: LinkFlow & Pick<SignInLinkOptions, "signUp" | "anyBrowser"> | undefined;
  readonly signInCode: { readonly expiresIn: number; readonly signUp: boolean } | undefined;
}

/** Seconds for which links are valid. */
const LIFETIMES = {
  verifyEmail: 3_600,
  changeEmail: 3_600,
  resetPassword: 1_800,
  signInLink: 600,
} as const;

/**
 * Reads the options.
 *
 * @throws {TypeError} If `deliver` or `origin` is missing, an option of a wrong shape, or no flow is named.
 * @throws {RangeError} If a time is out of range.
 */
export function readFlows(options: AccountOptions): Flows {
  if (typeof options.deliver !== "function") {
    throw new TypeError(`${ACTION}: deliver must be a function`);
  }
  if (parseOrigin(options.origin) === undefined) {
    throw new TypeError(`${ACTION}: origin must be the origin of the application: https://host`);
  }
  const { signInLink, signInCode, unverified } = options;
  if (unverified !== undefined) {
    rejectUnknownOptions<UnverifiedOptions>(ACTION, unverified, { expiresIn: true, since: true });
    if (!Number.isInteger(unverified.since) || unverified.since < 0) {
      throw new RangeError(`${ACTION}: unverified.since must be a time in seconds since the epoch`);
    }
    requireSeconds(ACTION, { "unverified.expiresIn": unverified.expiresIn }, { min: 3_600 });
  }
  if (signInCode !== undefined) {
    rejectUnknownOptions<SignInCodeOptions>(ACTION, signInCode, { signUp: true, expiresIn: true });
  }
  const { signUp = false, expiresIn = 600 } = signInCode ?? {};
  requireSeconds(ACTION, { "signInCode.expiresIn": expiresIn }, { min: 60, max: 3_600 });
  const link = readLink(options, "signInLink");
  const flows = {
    verifyEmail: readLink(options, "verifyEmail"),
    changeEmail: readLink(options, "changeEmail"),
    resetPassword: readLink(options, "resetPassword"),
    signInLink: link &&
      {
        ...link,
        signUp: signInLink?.signUp === true,
        anyBrowser: signInLink?.anyBrowser === true,
      },
    signInCode: signInCode && { expiresIn, signUp: signUp === true },
  };
  if (Object.values(flows).every((flow) => flow === undefined)) {
    throw new TypeError(`${ACTION}: no flow is named; verifyEmail, for example, is one`);
  }
  return flows;
}

/** A misspelt flow must not count as omitted. @throws {TypeError} If an option is unknown. */
export function rejectUnknownAccountOptions(options: AccountOptions): void {
  rejectUnknownOptions<AccountOptions>(ACTION, options, NAMES);
}

function readLink(options: AccountOptions, name: keyof typeof LIFETIMES): LinkFlow | undefined {
  const given: SignInLinkOptions | undefined = options[name];
  if (given === undefined) return undefined;
  const cannot = `${ACTION}: ${name}`;
  if (name === "signInLink") rejectUnknownOptions(cannot, given, SIGN_IN_LINK_NAMES);
  else rejectUnknownOptions<LinkFlowOptions>(cannot, given, LINK_NAMES);
  const { page, expiresIn = LIFETIMES[name] } = given;
  if (page === "" || safeRedirectPath(page, "") !== page || page.includes("#")) {
    throw new TypeError(`${ACTION}: ${name}.page must be the path of a page`);
  }
  requireSeconds(ACTION, { [`${name}.expiresIn`]: expiresIn }, { min: 60, max: 604_800 });
  return { page, expiresIn };
}

/** The URL of a link. */
export function linkUrl(origin: string, page: string, token: string): string {
  const url = new URL(page, origin);
  url.searchParams.set("token", token);
  return url.href;
}

/** Which flows are on. */
export function flowNames(flows: Flows): Readonly<Record<keyof AccountFlows, boolean>> {
  return Object.freeze({
    verifyEmail: flows.verifyEmail !== undefined,
    changeEmail: flows.changeEmail !== undefined,
    resetPassword: flows.resetPassword !== undefined,
    signInLink: flows.signInLink !== undefined,
    signInCode: flows.signInCode !== undefined,
  });
}

const LINK_NAMES: OptionNames<LinkFlowOptions> = { page: true, expiresIn: true };
const SIGN_IN_LINK_NAMES: OptionNames<SignInLinkOptions> = {
  ...LINK_NAMES,
  signUp: true,
  anyBrowser: true,
};
const NAMES: OptionNames<AccountOptions> = {
  deliver: true,
  origin: true,
  verifyEmail: true,
  changeEmail: true,
  resetPassword: true,
  signInLink: true,
  signInCode: true,
  unverified: true,
};
