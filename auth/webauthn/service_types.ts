/**
 * Types of the passkey service.
 *
 * @module
 */

import type { DerivedKeys } from "../derived_keys.ts";
import type { AuthEventListener } from "../events.ts";
import type { Authentication } from "../principal.ts";
import type {
  Credential,
  CredentialStore,
  IdentityStore,
  StateStore,
  UserStore,
} from "../stores/types.ts";
import type { LoginClient, ThrottleService } from "../throttle/throttle_types.ts";
import type { UserInfo } from "../users/user_info.ts";
import type { CreationOptionsJson, RequestOptionsJson, WebAuthnConfig } from "./types.ts";

/** Options of {@linkcode webAuthnService}. */
export interface WebAuthnServiceOptions extends WebAuthnConfig {
  /** Persists passkeys. */
  readonly credentials: CredentialStore;
  /** Persists identities at OAuth providers, with which a user without passkeys can sign in. */
  readonly identities?: Pick<IdentityStore, "list" | "delete"> | undefined;
  /** Persists users. */
  readonly users: UserStore;
  /** Persists challenges. */
  readonly states: StateStore;
  /** Computes the decoys of unknown identifiers; needed with `identified` only. */
  readonly keys?: Pick<DerivedKeys, "sign"> | undefined;
  /** Counts ceremonies and registrations of clients with an address. @default they are not counted */
  readonly throttle?: Pick<ThrottleService, "challenge" | "registration"> | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Who takes part in a ceremony. */
export interface CeremonyClient {
  /**
   * What identifies the browser, the same in both requests of a ceremony: {@linkcode CsrfService.binding}. A challenge that was
   * given to one browser is refused from another.
   */
  readonly browser: string;
  /** The client, for the throttle and events. */
  readonly client?: LoginClient | undefined;
}

/** Options of {@linkcode WebAuthnService.registrationOptions}. */
export interface RegistrationOptions extends CeremonyClient {
  /**
   * Whether the browser creates the passkey without a dialog, after a sign-in with a saved password: `mediation: "conditional"`.
   * The authenticator then need not test presence or verify the user.
   *
   * @default {false}
   */
  readonly conditional?: boolean | undefined;
}

/** Options of {@linkcode WebAuthnService.verifyRegistration}. */
export interface VerifyRegistrationOptions extends CeremonyClient {
  /** Subject id of the user who is signed in; absent for a sign-up. */
  readonly sub?: string | undefined;
  /** Name of the passkey: 1 to 64 characters, without control characters. @default none */
  readonly name?: string | undefined;
}

/** Options of {@linkcode WebAuthnService.authenticationOptions}. */
export interface AuthenticationOptions extends CeremonyClient {
  /** Who signs in; needs the option `identified`. @default whoever the passkey belongs to */
  readonly identifier?: string | undefined;
}

/** What users see of a passkey. */
export type PasskeyInfo = Pick<
  Credential,
  | "id"
  | "name"
  | "createdAt"
  | "lastUsedAt"
  | "transports"
  | "backupEligible"
  | "backedUp"
  | "userVerified"
  | "discoverable"
  | "aaguid"
>;

/** A user's passkeys, the oldest first, and what tells the browser about them. */
export interface PasskeyList {
  /** The passkeys. */
  readonly credentials: readonly PasskeyInfo[];
  /** Arguments of the browser's functions of the same names, WebAuthn Level 3 §5.1.10. */
  readonly signals: {
    /** For `PublicKeyCredential.signalAllAcceptedCredentials()`: the browser hides passkeys that were removed. */
    readonly allAcceptedCredentials: {
      readonly rpId: string;
      readonly userId: string;
      readonly allAcceptedCredentialIds: readonly string[];
    };
    /** For `PublicKeyCredential.signalCurrentUserDetails()`: the browser updates the name of the account. */
    readonly currentUserDetails: {
      readonly rpId: string;
      readonly userId: string;
      readonly name: string;
      readonly displayName: string;
    };
  };
}

/** An authentication with a passkey, from which a session is created. */
export interface PasskeyAuthentication extends Authentication {
  /** The user. */
  readonly user: UserInfo;
  /** The credential id of the passkey. */
  readonly credentialId: string;
}

/** A registered passkey. */
export interface PasskeyRegistration {
  /** The passkey. */
  readonly credential: PasskeyInfo;
  /** The authentication of the new account, if the registration was a sign-up. */
  readonly signUp?: PasskeyAuthentication;
}

/** Registers passkeys, and signs in with them. */
export interface WebAuthnService {
  /** The domain that passkeys belong to. */
  readonly rpId: string;
  /** Seconds since the sign-in during which passkeys can be added and removed. */
  readonly maxAge: number;
  /** Whether an account can be created with a passkey. */
  readonly signUp: boolean;
  /** The origins of other domains than `rpId`, for `/.well-known/webauthn`. */
  readonly relatedOrigins: readonly string[];
  /**
   * Begins the registration of a passkey for a user who is signed in. The caller verifies that the sign-in is recent.
   *
   * @throws {AuthError} `too_many_credentials`, `throttled`, or `unauthenticated` if the user does not exist or is disabled.
   */
  registrationOptions(sub: string, options: RegistrationOptions): Promise<CreationOptionsJson>;
  /**
   * Begins the registration of a passkey that creates an account.
   *
   * @throws {AuthError} `invalid_identifier`, `identifier_unavailable`, `throttled`, or `access_denied` without the option `signUp`.
   */
  signUpOptions(identifier: string, options: RegistrationOptions): Promise<CreationOptionsJson>;
  /**
   * Verifies a registration, WebAuthn Level 3 §7.1, and stores the passkey.
   *
   * @param response `RegistrationResponseJSON`: what `credential.toJSON()` returned in the page.
   * @throws {AuthError} `invalid_challenge` or `webauthn_failed`; `too_many_credentials`; `identifier_unavailable` at a sign-up.
   * @throws {RangeError} If the name is invalid.
   */
  verifyRegistration(
    response: unknown,
    options: VerifyRegistrationOptions,
  ): Promise<PasskeyRegistration>;
  /**
   * Begins a sign-in.
   *
   * @throws {AuthError} `throttled`, or `invalid_identifier` with `identified`.
   */
  authenticationOptions(options: AuthenticationOptions): Promise<RequestOptionsJson>;
  /**
   * Verifies a sign-in, WebAuthn Level 3 §7.2, and records the use of the passkey.
   *
   * @param response `AuthenticationResponseJSON`: what `credential.toJSON()` returned in the page.
   * @throws {AuthError} `invalid_challenge`, `webauthn_failed`, or `credential_unknown` if no record has the credential's id; not with
   * `identified`.
   */
  verifyAuthentication(response: unknown, options: CeremonyClient): Promise<PasskeyAuthentication>;
  /** The passkeys of a user. */
  list(sub: string): Promise<PasskeyList>;
  /**
   * Renames one of a user's passkeys.
   *
   * @param name 1 to 64 characters, without control characters.
   * @throws {RangeError} If the name is invalid.
   * @returns Whether the passkey exists.
   */
  rename(sub: string, id: string, name: string): Promise<boolean>;
  /**
   * Removes one of a user's passkeys.
   *
   * @throws {AuthError} `last_way_in`, if the user could not sign in any more; `service_unavailable`.
   * @returns Whether the passkey existed.
   */
  remove(sub: string, id: string): Promise<boolean>;
}
