/**
 * Virtual authenticators: Chromium's own, over the DevTools protocol.
 *
 * @module
 */

import type { CdpSession, Page } from "./_playwright.ts";

/** A passkey in an authenticator. Bytes are standard base64. */
export interface VirtualCredential {
  readonly credentialId: string;
  readonly isResidentCredential: boolean;
  readonly rpId?: string;
  readonly privateKey: string;
  readonly userHandle?: string;
  readonly signCount: number;
  readonly backupEligibility?: boolean;
  readonly backupState?: boolean;
  readonly userName?: string;
}

/** What an authenticator can do, and what its user does. */
export interface AuthenticatorOptions {
  /** How it communicates. An `internal` one is the device's own, of which Chromium has one for each tab. @default {"internal"} */
  readonly transport?: "internal" | "usb";
  /** Whether it can verify its user. @default {true} */
  readonly hasUserVerification?: boolean;
  /** Whether the user passes the verification. @default {true} */
  readonly isUserVerified?: boolean;
  /** Whether somebody touches it at each request. @default {true} */
  readonly automaticPresenceSimulation?: boolean;
  /** Whether its passkeys are synced. @default {false} */
  readonly defaultBackupEligibility?: boolean;
  /** Whether they were synced. @default {false} */
  readonly defaultBackupState?: boolean;
}

/** An authenticator of a tab. */
export interface Authenticator {
  /** Its passkeys. */
  credentials(): Promise<readonly VirtualCredential[]>;
  /** Puts a passkey into it, or changes the one with the same id. */
  add(credential: VirtualCredential): Promise<void>;
  /** Takes a passkey out of it. */
  remove(credentialId: string): Promise<void>;
  /** Sets whether the user passes the verification. */
  setVerified(isUserVerified: boolean): Promise<void>;
  /** Sets whether somebody touches it at each request that begins from now on; one that waits already waits for ever. */
  setPresent(enabled: boolean): Promise<void>;
  /** Ids of the passkeys that it has deleted since, because a page said that they are not accepted. */
  readonly deleted: readonly string[];
  /** Takes it away. */
  detach(): Promise<void>;
}

/** Attaches an authenticator to a tab. */
export async function addAuthenticator(
  page: Page,
  options: AuthenticatorOptions = {},
): Promise<Authenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable", { enableUI: false });
  return await attach(session, options);
}

async function attach(
  session: CdpSession,
  options: AuthenticatorOptions,
): Promise<Authenticator> {
  const { authenticatorId } = await session.send<{ authenticatorId: string }>(
    "WebAuthn.addVirtualAuthenticator",
    {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
        ...options,
      },
    },
  );
  const deleted: string[] = [];
  session.on("WebAuthn.credentialDeleted", (event) => {
    if (event.authenticatorId === authenticatorId) deleted.push(event.credentialId);
  });
  return {
    deleted,
    async credentials() {
      const { credentials } = await session.send<{ credentials: readonly VirtualCredential[] }>(
        "WebAuthn.getCredentials",
        { authenticatorId },
      );
      return credentials;
    },
    add: (credential) => session.send("WebAuthn.addCredential", { authenticatorId, credential }),
    remove: (credentialId) =>
      session.send("WebAuthn.removeCredential", { authenticatorId, credentialId }),
    setVerified: (isUserVerified) =>
      session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
    setPresent: (enabled) =>
      session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled }),
    detach: () => session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId }),
  };
}
