/**
 * Sign-ins with passkeys, from the options to the authentication.
 *
 * @module
 */

import { canonicalIdentifier } from "../identifier.ts";
import { recordUse, verifyAuthenticationResponse } from "./authentication.ts";
import type { AuthenticationState } from "./_challenges.ts";
import {
  type CeremonyContext,
  type CeremonySubject,
  findActiveUser,
  passkeyAuthentication,
  passkeysOf,
  runCeremony,
} from "./_context.ts";
import { check } from "./_failure.ts";
import { requestOptions, withDecoys } from "./_options.ts";
import type {
  AuthenticationOptions,
  CeremonyClient,
  PasskeyAuthentication,
} from "./service_types.ts";
import type { CredentialDescriptorJson, RequestOptionsJson } from "./types.ts";

/** Begins a sign-in. */
export async function beginAuthentication(
  context: CeremonyContext,
  { browser, client, identifier }: AuthenticationOptions,
): Promise<RequestOptionsJson> {
  const { rp, challenges, throttle } = context;
  if (client !== undefined) await throttle?.challenge(client);
  const named = identifier === undefined ? undefined : await credentialsOf(context, identifier);
  const state: AuthenticationState = {
    ceremony: "authentication",
    browser,
    ...(named === undefined ? {} : { allowed: named.map(({ id }) => id) }),
    userVerification: rp.userVerification,
  };
  return requestOptions(rp, await challenges.create(state), named ?? []);
}

/** Ends a sign-in: verifies it, and records the use of the passkey. */
export async function finishAuthentication(
  context: CeremonyContext,
  response: unknown,
  { browser, client }: CeremonyClient,
): Promise<PasskeyAuthentication> {
  const { rp, credentials, users, challenges, now, emit } = context;
  const subject: CeremonySubject = { client };
  return await runCeremony(context, "authentication", subject, async () => {
    const verified = await verifyAuthenticationResponse(response, {
      relyingParty: rp,
      takeState: (challenge) => challenges.take("authentication", challenge, browser),
      async findCredential(id) {
        const credential = await credentials.find(id);
        if (credential !== null) subject.credential = credential;
        return credential;
      },
    });
    const { credential: { id: credentialId, sub }, data: { userVerified } } = verified;
    const user = await findActiveUser(users, sub);
    check(user !== undefined, "user_disabled"); // §7.2 step 6
    const authTime = now();
    await recordUse(credentials, verified, authTime); // last: whatever fails changes nothing
    emit("webauthn.asserted", { sub, credentialId, userVerified, address: client?.address });
    return passkeyAuthentication(user, { credentialId, userVerified, authTime });
  });
}

/** The credentials of an identifier and decoys; `undefined` if the service does not ask who signs in. */
async function credentialsOf(
  context: CeremonyContext,
  identifier: string,
): Promise<readonly CredentialDescriptorJson[] | undefined> {
  const { keys, rp, users } = context;
  if (!rp.identified || keys === undefined) return undefined;
  const account = canonicalIdentifier(identifier);
  const user = await users.findByIdentifier(account);
  const { passkeys } = await passkeysOf(context, user?.sub ?? ""); // of nobody, for the same time
  return await withDecoys(keys, account, passkeys);
}
