/**
 * Registrations of passkeys, from the options to the record.
 *
 * @module
 */

import { randomId } from "../_random.ts";
import { AuthError } from "../error.ts";
import { canonicalIdentifier, type Identifier } from "../identifier.ts";
import type { Credential, NewUser } from "../stores/types.ts";
import { identifierTaken } from "../users/update_user.ts";
import type { RegistrationState } from "./_challenges.ts";
import {
  type CeremonyContext,
  findActiveUser,
  passkeyAuthentication,
  passkeysOf,
  runCeremony,
} from "./_context.ts";
import { check } from "./_failure.ts";
import { creationOptions, newUserHandle } from "./_options.ts";
import { checkPasskeyName, toPasskeyInfo } from "./_passkey_info.ts";
import { verifyRegistrationResponse } from "./registration.ts";
import type {
  PasskeyRegistration,
  RegistrationOptions,
  VerifyRegistrationOptions,
} from "./service_types.ts";
import type { CreationOptionsJson } from "./types.ts";

/** Begins a registration for a user who is signed in. */
export async function beginRegistration(
  context: CeremonyContext,
  sub: string,
  options: RegistrationOptions,
): Promise<CreationOptionsJson> {
  const user = await findActiveUser(context.users, sub);
  if (user === undefined) throw new AuthError("unauthenticated", { reason: "user_disabled" });
  const { passkeys, userHandle } = await passkeysOf(context, user);
  requireRoom(passkeys.length, context.rp.maxCredentials);
  const { identifier, securityStamp } = user;
  const state = { sub, securityStamp, userHandle };
  return await begin(context, { state, name: identifier, passkeys }, options);
}

/** Begins a registration that creates an account. */
export async function beginSignUp(
  context: CeremonyContext,
  identifier: string,
  options: RegistrationOptions,
): Promise<CreationOptionsJson> {
  const { rp, users, throttle } = context;
  if (!rp.signUp) throw new AuthError("access_denied", { reason: "sign_up_disabled" });
  const newIdentifier: Identifier = canonicalIdentifier(identifier);
  if (options.client !== undefined) await throttle?.registration(options.client);
  // Before the browser asks for a fingerprint. A registration with a password tells it, too
  if (await users.findByIdentifier(newIdentifier) !== null) throw identifierTaken();
  const sub = randomId();
  const state = { sub, newIdentifier, userHandle: await newUserHandle(rp.rpId, sub) };
  return await begin(context, { state, name: newIdentifier, passkeys: [] }, options);
}

/** Ends a registration: verifies it, and stores the passkey. */
export async function finishRegistration(
  context: CeremonyContext,
  response: unknown,
  options: VerifyRegistrationOptions,
): Promise<PasskeyRegistration> {
  const { rp, credentials, challenges, now, emit } = context;
  const { sub, browser, client } = options;
  const name = options.name === undefined ? {} : { name: checkPasskeyName(options.name) };
  return await runCeremony(context, "registration", { sub, client }, async () => {
    const { state, credential } = await verifyRegistrationResponse(response, {
      relyingParty: rp,
      async takeState(challenge) {
        const state = await challenges.take("registration", challenge, browser);
        const owner = state.newIdentifier === undefined ? state.sub : undefined;
        check(owner === sub, "challenge_foreign"); // of another user, or of a sign-up
        return state;
      },
    });
    if (sub !== undefined) await checkUnchanged(context, state, credential.id);
    const { userHandle } = state;
    const record: Credential = {
      ...credential,
      sub: state.sub,
      userHandle,
      ...name,
      createdAt: now(),
    };
    const { id: credentialId, userVerified } = record;
    check(await credentials.create(record) === "created", "credential_taken"); // §7.1 step 26
    if (sub !== undefined) {
      // Again: a recovery of the account may have deleted passkeys before this one, and others may have taken the last place
      await checkUnchanged(context, state, credentialId).catch(async (error) => {
        await credentials.delete(credentialId);
        throw error;
      });
    }
    const user = sub === undefined ? await createAccount(context, state, credentialId) : undefined;
    emit("webauthn.registered", { sub: state.sub, credentialId });
    const proof = { credentialId, userVerified, authTime: now() };
    return {
      credential: toPasskeyInfo(record),
      ...(user === undefined ? {} : { signUp: passkeyAuthentication(user, proof) }),
    };
  });
}

async function begin(
  { rp, challenges, throttle }: CeremonyContext,
  { state: begun, name, passkeys }: {
    readonly state: Pick<
      RegistrationState,
      "sub" | "securityStamp" | "newIdentifier" | "userHandle"
    >;
    readonly name: string;
    readonly passkeys: readonly Credential[];
  },
  { browser, client, displayName = name, conditional = false }: RegistrationOptions,
): Promise<CreationOptionsJson> {
  if (client !== undefined) await throttle?.challenge(client);
  const state: RegistrationState = {
    ceremony: "registration",
    browser,
    ...begun,
    algorithms: rp.algorithms,
    userVerification: conditional ? "preferred" : rp.userVerification, // §5.1.3: the user may not be asked
    conditional,
  };
  const challenge = await challenges.create(state);
  return creationOptions(rp, { challenge, state, names: { name, displayName }, passkeys });
}

/** Between options and response the account may have been disabled, or taken back from an attacker. */
async function checkUnchanged(
  context: CeremonyContext,
  { sub, securityStamp }: RegistrationState,
  credentialId: string,
): Promise<void> {
  const user = await findActiveUser(context.users, sub);
  check(user !== undefined && user.securityStamp === securityStamp, "user_changed");
  const { passkeys } = await passkeysOf(context, user);
  const others = passkeys.filter(({ id }) => id !== credentialId);
  requireRoom(others.length, context.rp.maxCredentials);
}

/**
 * Creates the account of a sign-up. The passkey exists already, and stays if the store fails: an account without one could
 * never sign in.
 */
async function createAccount(
  { users, credentials, now, emit }: CeremonyContext,
  { sub, newIdentifier: identifier = "" }: RegistrationState,
  credentialId: string,
): Promise<NewUser> {
  const user = { sub, identifier, securityStamp: randomId(), createdAt: now() };
  if (await users.create(user) === "identifier_taken") {
    await credentials.delete(credentialId);
    throw identifierTaken();
  }
  emit("user.created", { sub });
  return user;
}

function requireRoom(count: number, limit: number): void {
  if (count < limit) return;
  throw new AuthError("too_many_credentials", { detail: `A user may have ${limit} passkeys` });
}
