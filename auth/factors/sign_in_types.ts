/**
 * Types of sign-ins with a second factor.
 *
 * @module
 */

import type { Authentication, AuthMethod, PasswordAuthentication } from "../principal.ts";
import type { LoginClient } from "../throttle/throttle_types.ts";
import type { FactorProof, FactorService } from "./factor_types.ts";

/** A sign-in whose first factor was verified. */
export interface BegunSignIn {
  /** The first factor. */
  readonly authentication: Authentication | PasswordAuthentication;
  /** How it was verified. */
  readonly method?: AuthMethod | undefined;
  /** "Keep me signed in". */
  readonly remember?: boolean | undefined;
}

/** Sign-ins of users who have a second factor. */
export interface SecondFactorService {
  /**
   * Begins a sign-in that needs the second factor.
   *
   * @param cookie The value of the cookie of a remembered browser.
   * @returns A ticket for {@linkcode SecondFactorService.complete}, valid for 5 minutes; `undefined` if none is needed: the user has no
   * second factor, the sign-in had it, or the browser is remembered.
   */
  begin(signIn: BegunSignIn, cookie?: string): Promise<string | undefined>;
  /**
   * Completes a sign-in, once. Five wrong codes end it.
   *
   * @throws {AuthError} `mfa_expired`, if the ticket was used, has expired or is unknown, or the account has changed;
   * `invalid_second_factor`; `throttled`.
   */
  complete(ticket: string, proof: FactorProof, client: LoginClient): Promise<BegunSignIn>;
  /**
   * Adds the second factor to a sign-in that is complete.
   *
   * @throws {AuthError} `invalid_second_factor`, `throttled`.
   */
  stepUp(
    authentication: Authentication,
    proof: FactorProof,
    client: LoginClient,
  ): Promise<Authentication>;
  /** Creates the cookie of a browser that is remembered, after the second factor; `undefined` if the user has none. */
  rememberBrowser(
    user: Pick<Authentication, "sub" | "securityStamp">,
  ): Promise<{ readonly cookie: string; readonly maxAge: number } | undefined>;
}

/** Second factors of users, and sign-ins with them. */
export type SecondFactors = FactorService & SecondFactorService;

/** Options of second factors that an application chooses. */
export interface SecondFactorOptions {
  /** Name of the service, shown by authenticator apps: 1 to 100 characters, without colons and control characters. */
  readonly issuer: string;
}
