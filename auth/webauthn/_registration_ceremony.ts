/**
 * Registrations of passkeys, from the options to the record.
 *
 * @module
 */

import { randomId } from "../_random.ts";
import { AuthError } from "../error.ts";
import { canonicalIdentifier, type Identifier } from "../identifier.ts";
import type { Credential, CredentialStore } from "../stores/types.ts";
import { identifierTaken } from "../users/update_user.ts";
import type { RegistrationState } from "./_challenges.ts";
import {
  type CeremonyContext,
  findActiveUser,
  newUserHandle,
  passkeyAuthentication,
  passkeysOf,
  runCeremony,
} from "./_context.ts";
import { check } from "./_failure.ts";
import { creationOptions } from "./_ceremony_options.ts";
import { checkPasskeyName, toPasskeyInfo } from "./passkey_info.ts";
import { verifyRegistrationResponse } from "./registration.ts";
import type {
  PasskeyAuthentication,
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
  // Before the browser asks the user. It discloses what a registration with a password does
  if (await users.findByIdentifier(newIdentifier) !== null) throw identifierTaken();
  const sub = randomId();
  const state = { sub, newIdentifier, userHandle: await newUserHandle(rp.rpId, sub) };
  return await begin(context, { state, name: newIdentifier, passkeys: [] }, options);
}

/** Ends a registration: verifies it, and stores the passkey. */
export async function finishRegistration(
  context: CeremonyContext,
  response: unknown,
  { sub, browser, client, name }: VerifyRegistrationOptions,
): Promise<PasskeyRegistration> {
  const { rp, challenges, now, emit } = context;
  const own = name === undefined ? {} : { name: checkPasskeyName(name) };
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
    const { userHandle } = state;
    const record = { ...credential, ...own, sub: state.sub, userHandle, createdAt: now() };
    const store = sub === undefined ? createAccount : addPasskey;
    const signUp = await store(context, state, record);
    emit("webauthn.registered", { sub: state.sub, credentialId: record.id });
    return { credential: toPasskeyInfo(record), ...(signUp && { signUp }) };
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
  { browser, client, conditional = false }: RegistrationOptions,
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
  return creationOptions(rp, { challenge, state, name, passkeys });
}

/**
 * Stores a passkey of a user who is signed in. The user is checked twice. Before: after a recovery of the account an attacker's
 * passkey must not be stored, or it could sign in until it is deleted. After: a concurrent recovery may have deleted the
 * passkeys before this one was stored, and concurrent registrations may have taken the last place.
 */
async function addPasskey(
  context: CeremonyContext,
  state: RegistrationState,
  record: Credential,
): Promise<undefined> {
  const { credentials } = context;
  await checkUser(context, state, record);
  await create(credentials, record);
  try {
    await checkUser(context, state, record);
  } catch (error) {
    await credentials.delete(record.id);
    throw error;
  }
}

/** Since the options the account may have been disabled, or recovered from an attacker. */
async function checkUser(
  context: CeremonyContext,
  { sub, securityStamp }: RegistrationState,
  { id }: Credential,
): Promise<void> {
  const user = await findActiveUser(context.users, sub);
  check(user !== undefined && user.securityStamp === securityStamp, "user_changed");
  const { passkeys } = await passkeysOf(context, user);
  requireRoom(passkeys.filter((other) => other.id !== id).length, context.rp.maxCredentials);
}

/**
 * Stores the passkey of a sign-up, and creates the account after it: an account without a passkey could never sign in. If the
 * store of users fails, the passkey stays, since the account may exist.
 */
async function createAccount(
  { users, credentials, now, emit }: CeremonyContext,
  { sub, newIdentifier: identifier = "" }: RegistrationState,
  record: Credential,
): Promise<PasskeyAuthentication> {
  await create(credentials, record);
  const user = { sub, identifier, securityStamp: randomId(), createdAt: now() };
  if (await users.create(user) === "identifier_taken") {
    await credentials.delete(record.id);
    throw identifierTaken();
  }
  emit("user.created", { sub });
  const { id: credentialId, userVerified } = record;
  return passkeyAuthentication(user, { credentialId, userVerified, authTime: now() });
}

/** Step 26. */
async function create(credentials: CredentialStore, record: Credential): Promise<void> {
  check(await credentials.create(record) === "created", "credential_taken");
}

function requireRoom(count: number, limit: number): void {
  if (count < limit) return;
  throw new AuthError("too_many_credentials", { detail: `A user may have ${limit} passkeys` });
}
