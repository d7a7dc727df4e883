/**
 * Steps of creating users, of logins and of password changes.
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
import type { LoginAttempt, LoginClient } from "../throttle/throttle_types.ts";
import type { RunHash } from "./_hashing_queue.ts";

/** Dependencies of the steps. */
export interface PasswordStepsOptions {
  readonly users: UserStore;
  readonly hasher: PasswordHasher;
  readonly policy: PasswordPolicy;
  readonly now: () => number;
  readonly emit: Emit;
  readonly warn: Warn;
}

/** The user, if there is one, the given password, and who gave it. */
export interface PasswordAttempt {
  readonly user: User | null;
  readonly password: string;
  readonly client: LoginClient;
  readonly attempt: LoginAttempt;
  readonly run: RunHash;
}

/** The members of a user that an authentication contains. */
type Authenticable = Pick<User, "sub" | "identifier" | "securityStamp">;

/** The steps. Each one returns what its description says, or throws an {@linkcode AuthError}. */
export interface PasswordSteps {
  /** Returns the form of a given password to verify. */
  normalizePassword(password: unknown): string;
  /** Counts the attempt; requires that the password is the user's, and that the user is not disabled. */
  requireMatch(attempt: PasswordAttempt): Promise<User>;
  /** Requires that the policy accepts a new password, and returns the form to hash. */
  requireStrong(password: unknown, identifier: string, pointer: string): Promise<string>;
  /** Replaces an outdated hash. A concurrent update of the user wins, and a failure does not fail the login. */
  rehash(user: User, password: string, run: RunHash): Promise<void>;
  /** Returns the authentication of a user. */
  authenticate(user: Authenticable): PasswordAuthentication;
}

/** Authentication method of RFC 8176. */
const AMR: readonly string[] = /* @__PURE__ */ Object.freeze(["pwd"]);

/** Creates the steps. */
export function passwordSteps(options: PasswordStepsOptions): PasswordSteps {
  const { users, hasher, policy, now, emit, warn } = options;

  /** Emits the reason, and returns the error for the client, which is the same for every reason. */
  function failure(reason: LoginFailure, { address }: LoginClient, user: User | null): AuthError {
    emit("login.failed", { reason, sub: user?.sub, address });
    return new AuthError("invalid_credentials", { reason });
  }

  return {
    normalizePassword(password) {
      const prepared = preparePassword(password);
      if (prepared !== undefined) return prepared;
      // Neither counted nor emitted: it cannot be a guess, and costs so little that it could flood a log
      throw new AuthError("invalid_credentials", { reason: "password_invalid" });
    },

    async requireMatch({ user, password, client, attempt, run }) {
      await attempt.reserve(user);
      const reason = await run(() => findFailure(hasher, user, password));
      if (reason !== undefined || user === null) {
        await attempt.fail();
        throw failure(reason ?? "user_unknown", client, user);
      }
      await attempt.succeed();
      return user;
    },

    async requireStrong(password, identifier, pointer) {
      const problems = await policy.check(password, { identifier });
      const prepared = preparePassword(password);
      if (problems.length === 0 && prepared !== undefined) return prepared;
      const found = problems.length === 0 ? [INVALID] : problems;
      const violations = found.map(({ code, message }) => ({
        in: "body" as const,
        pointer,
        code,
        message,
      }));
      throw new AuthError("weak_password", { detail: "Choose another password", violations });
    },

    async rehash({ sub, version, passwordHash = "" }, password, run) {
      try {
        if (!hasher.needsRehash(passwordHash)) return;
        const patch = { passwordHash: await run(() => hasher.hash(password)) };
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

/** The problem of a password that a custom policy accepted, and that must not be given to a hasher. */
const INVALID: PasswordProblem = {
  code: "invalid_characters",
  message: "Choose another: this one is too long, or has a character that cannot be used",
};

/**
 * The error for a wrong current password of a user who is signed in: a violation of the form. A client that gets a 401
 * would ask the user to sign in again.
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

/** Why a login fails; `undefined` if it succeeds. Computes one hash in every case. */
async function findFailure(
  hasher: PasswordHasher,
  user: User | null,
  password: string,
): Promise<LoginFailure | undefined> {
  if (typeof user?.passwordHash !== "string") { // an SQL store may return null
    await hasher.hash(password);
    return user === null ? "user_unknown" : "password_unset";
  }
  if (!await hasher.verify(password, user.passwordHash)) return "password_wrong";
  return isDisabled(user) ? "user_disabled" : undefined;
}
