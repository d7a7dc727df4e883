/**
 * Sign-ins with passkeys, from the options to the authentication.
 *
 * @module
 */

import { canonicalIdentifier } from "../identifier.ts";
import { recordUse, verifyAuthenticationResponse } from "./authentication.ts";
import {
  type CeremonyContext,
  type CeremonySubject,
  findActiveUser,
  passkeyAuthentication,
  passkeysOf,
  runCeremony,
} from "./_context.ts";
import { check } from "./_failure.ts";
import { requestOptions, withDecoys } from "./_ceremony_options.ts";
import type {
  AuthenticationOptions,
  CeremonyClient,
  PasskeyAuthentication,
} from "./service_types.ts";
import type { RequestOptionsJson } from "./types.ts";

/** Begins a sign-in. */
export async function beginAuthentication(
  context: CeremonyContext,
  { browser, client, identifier }: AuthenticationOptions,
): Promise<RequestOptionsJson> {
  const { rp, users, challenges, keys, throttle } = context;
  if (client !== undefined) await throttle?.challenge(client);
  const state = {
    ceremony: "authentication",
    browser,
    userVerification: rp.userVerification,
  } as const;
  if (keys === undefined || identifier === undefined) {
    return requestOptions(rp, await challenges.create(state), []);
  }
  const account = canonicalIdentifier(identifier);
  const user = await users.findByIdentifier(account) ?? { sub: "" };
  const { passkeys } = await passkeysOf(context, user); // for an unknown user, too: it takes the same time
  const challenge = await challenges.create({ ...state, identifiedSub: user.sub });
  return requestOptions(rp, challenge, await withDecoys(keys, account, passkeys));
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
    check(user.pendingRemoval !== credentialId, "credential_unknown"); // its removal was interrupted
    const authTime = now();
    await recordUse(credentials, verified, authTime); // last: whatever fails changes nothing
    emit("webauthn.asserted", { sub, credentialId, userVerified, address: client?.address });
    return passkeyAuthentication(user, { credentialId, userVerified, authTime });
  });
}
