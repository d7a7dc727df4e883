/**
 * The steps that creating users, logins and changes of passwords are made of.
 *
 * @module
 */

import type { Emit } from "./_emit.ts";
import { preparePassword } from "./_password_text.ts";
import { randomId } from "./_random.ts";
import type { Warn } from "./_report.ts";
import { AuthError } from "./error.ts";
import type { LoginFailure } from "./events.ts";
import type { PasswordHasher } from "./password_hasher.ts";
import type { PasswordPolicy, PasswordProblem } from "./password_policy.ts";
import type { Authentication } from "./principal.ts";
import type { RefreshTokenStore, SessionStore, User, UserStore } from "./store_types.ts";
import type { LoginClient } from "./throttle.ts";

/** What the steps need. */
export interface PasswordStepsOptions {
  readonly users: UserStore;
  readonly sessions?: Pick<SessionStore, "revokeAll">;
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke">;
  readonly policy: PasswordPolicy;
  readonly now: () => number;
  readonly emit: Emit;
  readonly warn: Warn;
}

/** A user, if there is one, and the password that somebody gave. */
export interface PasswordAttempt {
  readonly user: User | null;
  readonly password: unknown;
  readonly client: LoginClient;
}

/** The steps, each of which ends in what it says or throws an {@linkcode AuthError}. */
export interface PasswordSteps {
  /** The password is the user's, and the user may sign in. */
  requireMatch(hasher: PasswordHasher, attempt: PasswordAttempt): Promise<User>;
  /** The policy lets a new password pass; this is the form to hash. */
  requireStrong(password: unknown, identifier: string, pointer: string): Promise<string>;
  /** The hash is at the current setting. Whoever changed the user meanwhile wins, and a login never fails of it. */
  rehash(hasher: PasswordHasher, user: User, password: unknown): Promise<void>;
  /** A new hash is written, and all sessions end; `undefined` if somebody else wrote first. */
  write(user: User, passwordHash: string): Promise<Authentication | undefined>;
  /** What a session can be made from. */
  authenticate(user: Pick<User, "sub" | "securityStamp">): Authentication;
}

/** Authentication method of RFC 8176. */
const AMR: readonly string[] = /* @__PURE__ */ Object.freeze(["pwd"]);

/** Makes the steps. */
export function passwordSteps(options: PasswordStepsOptions): PasswordSteps {
  const { users, sessions, refreshTokens, policy, now, emit, warn } = options;

  function authenticate({ sub, securityStamp }: Pick<User, "sub" | "securityStamp">) {
    return { sub, securityStamp, authTime: now(), amr: AMR };
  }

  return {
    authenticate,

    async requireMatch(hasher, { user, password, client: { address } }) {
      const failure = await findFailure(hasher, user, password);
      if (failure === undefined && user !== null) return user;
      const reason = failure ?? "user_unknown";
      emit("login.failed", {
        reason,
        ...(user === null ? {} : { sub: user.sub }),
        ...(address === undefined ? {} : { address }),
      });
      throw new AuthError("invalid_credentials", { reason });
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
        const prepared = preparePassword(password);
        if (prepared === undefined || !hasher.needsRehash(passwordHash)) return;
        const patch = { passwordHash: await hasher.hash(prepared) };
        if (await users.update(sub, version, patch) === "updated") {
          emit("password.rehashed", { sub });
        }
      } catch {
        warn("Cannot replace an old password hash: the hasher or the store failed");
      }
    },

    async write({ sub, version }, passwordHash) {
      const securityStamp = randomId(); // every session of the old one is dead from here on
      const patch = { passwordHash, securityStamp };
      if (await users.update(sub, version, patch) !== "updated") return undefined;
      emit("password.changed", { sub });
      const ends = [
        async () => await sessions?.revokeAll(sub),
        async () => await refreshTokens?.revoke({ sub }),
      ];
      for (const end of await Promise.allSettled(ends.map((end) => end()))) { // all, before one is told of
        if (end.status === "rejected") throw end.reason;
      }
      return authenticate({ sub, securityStamp });
    },
  };
}

/** What is wrong with a password that a policy of the application's own let pass, and that no hasher may be given. */
const IMPOSSIBLE: PasswordProblem = {
  code: "impossible_text",
  message: "Use at most 256 characters, and none that is no character",
};

/** Why a password does not let somebody in. One hash, whatever is known of the user; none if no password can be that. */
async function findFailure(
  hasher: PasswordHasher,
  user: User | null,
  password: unknown,
): Promise<LoginFailure | undefined> {
  const prepared = preparePassword(password);
  if (prepared === undefined) return "password_impossible";
  if (user?.passwordHash === undefined) {
    await hasher.hash(prepared);
    return user === null ? "user_unknown" : "password_unset";
  }
  if (!await hasher.verify(prepared, user.passwordHash)) return "password_wrong";
  return user.disabled === true ? "user_disabled" : undefined;
}
