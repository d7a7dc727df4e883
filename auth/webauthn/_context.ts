/**
 * What the ceremonies of one service share.
 *
 * @module
 */

import { digestText } from "../_kdf.ts";
import type { Emit } from "../_emit.ts";
import type { Warn } from "../_report.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import { markMultiFactor } from "../_multi_factor.ts";
import type { Authentication } from "../principal.ts";
import { isDisabled } from "../stores/checked.ts";
import type { Credential, CredentialStore, User, UserStore } from "../stores/types.ts";
import type { LoginClient } from "../throttle/throttle_types.ts";
import { toUserInfo } from "../users/user_info.ts";
import type { Challenges } from "./_challenges.ts";
import { type Ceremony, CeremonyError, clientError } from "./_failure.ts";
import type { RelyingParty } from "./_relying_party.ts";
import type { PasskeyAuthentication, WebAuthnServiceOptions } from "./service_types.ts";

/** Configuration, stores and clock of a service. */
export interface CeremonyContext {
  readonly rp: RelyingParty;
  readonly users: UserStore;
  readonly credentials: CredentialStore;
  readonly challenges: Challenges;
  /** For decoys; absent without the option `identified`. */
  readonly keys: Pick<DerivedKeys, "sign"> | undefined;
  readonly throttle: WebAuthnServiceOptions["throttle"];
  readonly now: () => number;
  readonly emit: Emit;
  readonly warn: Warn;
}

/** What the events of a ceremony say of the client and the user, as far as they are known. */
export interface CeremonySubject {
  readonly client: LoginClient | undefined;
  sub?: string | undefined;
  credential?: Credential;
}

/** Runs a ceremony. Of a failure, the event has the reason, and the client gets an error without it. */
export async function runCeremony<Result>(
  { rp: { identified }, emit, warn }: CeremonyContext,
  ceremony: Ceremony,
  subject: CeremonySubject,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CeremonyError)) throw error;
    const { reason, detail, cause } = error;
    const { credential, sub = credential?.sub, client } = subject;
    if (reason === "attestation_untrusted" && cause !== undefined) {
      warn("Cannot verify attestation: verifyAttestation failed", cause);
    }
    if (reason === "counter_regressed" && credential !== undefined) {
      emit("webauthn.counter_regressed", { sub: credential.sub, credentialId: credential.id });
    }
    const members = { sub, credentialId: credential?.id, address: client?.address };
    emit("webauthn.failed", { ceremony, reason, detail, ...members });
    throw clientError(reason, { ceremony, identified });
  }
}

/** A user whose account is not disabled. */
export async function findActiveUser(users: UserStore, sub: string): Promise<User | undefined> {
  const user = await users.findBySub(sub);
  return user === null || isDisabled(user) ? undefined : user;
}

/** A user's passkeys of this domain, the oldest first, and how authenticators name the user. */
export async function passkeysOf(
  { credentials, rp: { rpId } }: Pick<CeremonyContext, "credentials" | "rp">,
  { sub, pendingRemoval }: Pick<User, "sub" | "pendingRemoval">,
): Promise<{ readonly passkeys: readonly Credential[]; readonly userHandle: string }> {
  const all = await credentials.list(sub);
  const passkeys = all.filter((one) => one.rpId === rpId && one.id !== pendingRemoval)
    .sort((a, b) => a.createdAt - b.createdAt);
  // Imported passkeys have another handle; authenticators list a user with two handles twice
  const userHandle = passkeys[0]?.userHandle ?? await newUserHandle(rpId, sub);
  return { passkeys, userHandle };
}

/** User handle of a user without passkeys: 32 bytes that tell nothing about the user, §14.6.1. */
export async function newUserHandle(rpId: string, sub: string): Promise<string> {
  return await digestText(`gatehouse webauthn\0${rpId}\0${sub}`);
}

/** What a verified ceremony proves. */
export function passkeyAuthentication(
  user: Pick<User, "sub" | "identifier" | "securityStamp" | "createdAt">,
  { credentialId, userVerified, authTime }: {
    readonly credentialId: string;
    readonly userVerified: boolean;
    readonly authTime: number;
  },
): PasskeyAuthentication {
  const { sub, securityStamp } = user;
  const proof: Pick<Authentication, "amr" | "acr"> = {
    amr: userVerified ? ["pop", "user", "mfa"] : ["pop", "user"], // RFC 8176 §2
    acr: "phr", // phishing-resistant, OpenID Connect EAP ACR Values 1.0 §2
  };
  const authentication = { sub, securityStamp, authTime, ...proof };
  const passkey = { ...authentication, user: toUserInfo(user), credentialId };
  return userVerified ? markMultiFactor(passkey) : passkey;
}
