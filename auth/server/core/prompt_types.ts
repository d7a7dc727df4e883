/**
 * What the pages of the authorization server are asked.
 *
 * @module
 */

import type { RegisteredClient } from "../../stores/server_types.ts";

/** A scope that clients may request. */
export interface ScopeInfo {
  /** What it permits, as the consent page says it: "Read your notes". */
  readonly description: string;
  /** The API that it is for, one of `resources`. @default the first of `resources` */
  readonly resource?: string | undefined;
}

/** What the option `login` is asked. */
export interface LoginPrompt {
  /** The authorization request. */
  readonly request: Request;
  /** The client. */
  readonly client: RegisteredClient;
  /** Where the browser has to go after the sign-in: a path on the issuer's host. */
  readonly returnTo: string;
  /** Why the user must sign in. */
  readonly reason: LoginReason;
  /** Who the client believes the user to be. From the request, not verified. */
  readonly loginHint?: string | undefined;
  /** Requested authentication contexts. */
  readonly acrValues: readonly string[];
  /** Languages for the page, the preferred one first. */
  readonly uiLocales?: string | undefined;
}

/** Why a user must sign in: nobody is signed in, or not in the way, or as the user, that the client demands. */
export type LoginReason = "signed_out" | "prompt" | "max_age" | "acr" | "other_user";

/** What the option `consent` is asked. */
export interface ConsentPrompt {
  /** The authorization request. */
  readonly request: Request;
  /** The client. Its name and addresses are its own words. */
  readonly client: RegisteredClient;
  /** Subject id of the user. */
  readonly sub: string;
  /** What the user signs in with, so that another account is noticed; absent without the option `users`. */
  readonly account?: string | undefined;
  /** Scopes to grant, with their descriptions. */
  readonly scopes: readonly (ScopeInfo & { readonly name: string; readonly required: boolean })[];
  /** Host that the response is sent to, which the page must show; the scheme of a native application's redirect URI. */
  readonly redirectHost: string;
  /** Whether the response goes to a program on the user's own device, which any program can claim to be. */
  readonly isLoopback: boolean;
  /** Languages for the page, the preferred one first. */
  readonly uiLocales?: string | undefined;
  /**
   * The form of the page: a POST to `action` with the `hidden` fields, `decision` (`allow` or `deny`), and a field `scope` for
   * each scope that is granted.
   */
  readonly form: {
    readonly action: string;
    readonly hidden: Readonly<Record<string, string>>;
  };
}

/** What the option `device` is asked: one page of the device flow, RFC 8628 §3.3. */
export type DevicePrompt =
  | {
    /** The page on which the user enters the code of a device: a POST of `user_code` to `form.action`. */
    readonly kind: "code";
    /** The request of the browser. */
    readonly request: Request;
    /** What to fill in: it is in the URL, or was entered. Letters and a hyphen, perhaps none. The user must confirm it. */
    readonly userCode: string;
    /** Whether that code was entered, and is not valid or was entered in another browser. */
    readonly isUnknown: boolean;
    /** Where the form is posted to. */
    readonly form: { readonly action: string };
  }
  | {
    /**
     * The page that asks for consent. It must show `userCode`, and warn: whoever has sent the user a link or a code gets the access.
     */
    readonly kind: "consent";
    /** The request of the browser. */
    readonly request: Request;
    /** The client. Its name and addresses are its own words. */
    readonly client: RegisteredClient;
    /** Subject id of the user. */
    readonly sub: string;
    /** What the user signs in with; absent without the option `users`. */
    readonly account?: string | undefined;
    /** Scopes to grant, with their descriptions. */
    readonly scopes: ConsentPrompt["scopes"];
    /** The code that the device shows. */
    readonly userCode: string;
    /** The form of the page, as {@linkcode ConsentPrompt.form}. */
    readonly form: ConsentPrompt["form"];
  }
  | {
    /** The page after the decision. */
    readonly kind: "allowed" | "denied";
    /** The request of the browser. */
    readonly request: Request;
  };
