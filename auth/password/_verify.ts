/**
 * The steps that creating users, logins and changes of passwords are made of.
 *
 * @module
 */

import type { Emit } from "../_emit.ts";
import { preparePassword } from "./_normalize.ts";
import type { Warn } from "../_report.ts";
import { isDisabled } from "../stores/checked.ts";
import { AuthError } from "../error.ts";
import type { LoginFailure } from "../events.ts";
import type { PasswordHasher } from "./hasher.ts";
import type { PasswordPolicy, PasswordProblem } from "./policy.ts";
import type { PasswordAuthentication } from "../principal.ts";
import type { User, UserStore } from "../stores/types.ts";
import type { LoginClient } from "../throttle/throttle_service.ts";

/** What the steps need. */
export interface PasswordStepsOptions {
  readonly users: UserStore;
  readonly policy: PasswordPolicy;
  readonly now: () => number;
  readonly emit: Emit;
  readonly warn: Warn;
}

/** A user, if there is one, and the password that somebody gave. */
export interface PasswordAttempt {
  readonly user: User | null;
  readonly password: string;
  readonly client: LoginClient;
}

/** What an authentication says of a user. */
type Authenticable = Pick<User, "sub" | "identifier" | "securityStamp">;

/** The steps, each of which ends in what it says or throws an {@linkcode AuthError}. */
export interface PasswordSteps {
  /** What somebody gave can be a password; this is the form to verify. */
  normalizePassword(password: unknown): string;
  /** The password is the user's, and the user may sign in. */
  requireMatch(hasher: PasswordHasher, attempt: PasswordAttempt): Promise<User>;
  /** The policy lets a new password pass; this is the form to hash. */
  requireStrong(password: unknown, identifier: string, pointer: string): Promise<string>;
  /** The hash is at the current setting. Whoever changed the user meanwhile wins, and a login never fails of it. */
  rehash(hasher: PasswordHasher, user: User, password: string): Promise<void>;
  /** What a session can be made from. */
  authenticate(user: Authenticable): PasswordAuthentication;
}

/** Authentication method of RFC 8176. */
const AMR: readonly string[] = /* @__PURE__ */ Object.freeze(["pwd"]);

/** Makes the steps. */
export function passwordSteps(options: PasswordStepsOptions): PasswordSteps {
  const { users, policy, now, emit, warn } = options;

  /** Tells why, and gives what the client gets, which is the same whatever the reason. */
  function failure(reason: LoginFailure, { address }: LoginClient, user: User | null): AuthError {
    emit("login.failed", { reason, sub: user?.sub, address });
    return new AuthError("invalid_credentials", { reason });
  }

  return {
    normalizePassword(password) {
      const prepared = preparePassword(password);
      if (prepared !== undefined) return prepared;
      // Neither counted nor told of: it was no guess, and costs so little that a log would fill with it
      throw new AuthError("invalid_credentials", { reason: "password_impossible" });
    },

    async requireMatch(hasher, { user, password, client }) {
      const reason = await findFailure(hasher, user, password);
      if (reason !== undefined || user === null) {
        throw failure(reason ?? "user_unknown", client, user);
      }
      return user;
    },

    async requireStrong(password, identifier, pointer) {
      const problems = await policy.check(password, { identifier });
      const prepared = preparePassword(password);
      if (problems.length === 0 && prepared !== undefined) return prepared;
      const found = problems.length === 0 ? [IMPOSSIBLE] : problems;
      const violations = found.map(({ code, message }) => ({
        in: "body" as const,
        pointer,
        code,
        message,
      }));
      throw new AuthError("weak_password", { detail: "Choose another password", violations });
    },

    async rehash(hasher, { sub, version, passwordHash = "" }, password) {
      try {
        if (!hasher.needsRehash(passwordHash)) return;
        const patch = { passwordHash: await hasher.hash(password) };
        if (await users.update(sub, version, patch) === "updated") {
          emit("password.rehashed", { sub });
        }
      } catch (error) {
        warn("Cannot replace an old password hash: the hasher or the store failed", error);
      }
    },

    authenticate({ sub, identifier, securityStamp }) {
      return { sub, identifier, securityStamp, authTime: now(), amr: AMR };
    },
  };
}

/** What is wrong with a password that a policy of the application's own let pass, and that no hasher may be given. */
const IMPOSSIBLE: PasswordProblem = {
  code: "invalid_characters",
  message: "Choose another: this one is too long, or has a character that cannot be used",
};

/**
 * What somebody who is signed in gets for a wrong current password: a mistake in a form. A 401 would send the user away to
 * sign in again.
 */
export function asWrongPassword(error: unknown): unknown {
  if (!(error instanceof AuthError) || error.code !== "invalid_credentials") return error;
  const { reason = "" } = error;
  const message = "This is not the current password";
  return new AuthError("wrong_password", {
    reason,
    violations: [{ in: "body", pointer: "/currentPassword", code: "wrong_password", message }],
  });
}

/** Why a password does not let somebody in: one hash, whatever is known of the user. */
async function findFailure(
  hasher: PasswordHasher,
  user: User | null,
  password: string,
): Promise<LoginFailure | undefined> {
  if (typeof user?.passwordHash !== "string") { // an SQL store may say null
    await hasher.hash(password);
    return user === null ? "user_unknown" : "password_unset";
  }
  if (!await hasher.verify(password, user.passwordHash)) return "password_wrong";
  return isDisabled(user) ? "user_disabled" : undefined;
}
