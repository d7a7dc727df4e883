/**
 * At which clients a user is signed in, so that they are told when a session ends. The grants do not say it: those of a session are
 * gone with it. One record for each user, so that one compare-and-swap decides who tells a client.
 *
 * @module
 */

import { digestText } from "../../_kdf.ts";
import { AuthError } from "../../error.ts";
import type { SignIn, UserSignIns } from "../../stores/server_types.ts";
import type { ServerContext } from "./context.ts";

type SignInContext = Pick<ServerContext, "codes" | "issuer" | "lifetimes" | "now">;

/** Sign-ins of a user that are remembered, the newest. */
const MAX_SIGN_INS = 100;

/** How often an update is attempted on conflict. */
const ATTEMPTS = 10;

/** Remembers that a user is signed in at a client. @throws {AuthError} `service_unavailable` after repeated conflicts. */
export async function rememberSignIn(
  context: SignInContext,
  sub: string,
  signIn: SignIn,
): Promise<void> {
  const { lifetimes, now } = context;
  await updateSignIns(context, sub, (known, expiresAt) => {
    const isFresh = expiresAt - now() > lifetimes.grant / 2;
    const others = known.filter((one) => !isSame(one, signIn));
    if (isFresh && others.length < known.length) return known;
    return [...others, signIn].slice(-MAX_SIGN_INS);
  });
}

/**
 * Removes the sign-ins of sessions that have ended. Of concurrent callers one gets them.
 *
 * @throws {AuthError} `service_unavailable` after repeated conflicts.
 */
export async function takeSignIns(
  context: SignInContext,
  sub: string,
  isEnded: (sessionId: string) => boolean,
): Promise<readonly SignIn[]> {
  const known = await updateSignIns(context, sub, (known) => {
    const others = known.filter(({ sessionId }) => !isEnded(sessionId));
    return others.length < known.length ? others : known;
  });
  return known.filter(({ sessionId }) => isEnded(sessionId));
}

/** Changes the record of a user. @returns What it was before. */
async function updateSignIns(
  { codes, issuer, lifetimes, now }: SignInContext,
  sub: string,
  change: (known: readonly SignIn[], expiresAt: number) => readonly SignIn[],
): Promise<readonly SignIn[]> {
  const id = await digestText(`sign-ins\n${issuer}\n${sub}`);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await codes.find(id);
    const record = found?.authorization.state === "sign_ins" ? found.authorization : undefined;
    const { signIns: known = [], expiresAt = 0 } = record ?? {};
    const signIns = change(known, expiresAt);
    if (signIns === known) return known;
    const at = now();
    const next: UserSignIns = {
      state: "sign_ins",
      id,
      issuer,
      sub,
      signIns,
      createdAt: record?.createdAt ?? at,
      expiresAt: at + lifetimes.grant,
    };
    if (found !== null) {
      if (await codes.update(next, found.version) === "updated") return known;
    } else if (await isCreated(codes, next)) return known;
  }
  throw new AuthError("service_unavailable", { reason: "update_conflict" });
}

/** Whether a record was created, and not by a concurrent request. */
async function isCreated(codes: SignInContext["codes"], record: UserSignIns): Promise<boolean> {
  try {
    await codes.create(record);
    return true;
  } catch (error) {
    if (await codes.find(record.id) === null) throw error;
    return false;
  }
}

function isSame(one: SignIn, other: SignIn): boolean {
  return one.clientId === other.clientId && one.sessionId === other.sessionId;
}
