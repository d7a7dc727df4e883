/**
 * Credentials of a generated client: CSRF tokens for cookies, and access tokens.
 *
 * @module
 */

import type { Outcome } from "./response_parts.ts";
import type { Failure, Tokens, TokenStore } from "./runtime_types.ts";

/** Header fields that no redirect may carry to another origin. */
export type Secrets = Record<string, string>;

/** Reads the outcome of a request. @returns Whether its credential was refused and there is another: then it is sent again. */
export type OnOutcome = (outcome: Outcome) => boolean | Promise<boolean>;

/** Adds its header field to a request. @returns The reason why it has none, or what reads the outcome. */
export type Credential = (secrets: Secrets) => Promise<Failure<number, unknown> | OnOutcome>;

interface Csrf {
  readonly csrfToken: string;
  readonly header: string;
}

/** CSRF tokens: fetched once, replaced by those in responses, and fetched again after a rejection. */
export function csrfTokens(request: () => Promise<Outcome>): Credential {
  let last: Promise<Outcome> | undefined;
  return async (secrets) => {
    const asked = last ??= request();
    const forget = () => {
      if (last === asked) last = undefined;
    };
    const issued = await asked.catch((error) => {
      forget();
      throw error;
    });
    const { header, csrfToken } = (issued.ok ? issued.data ?? {} : {}) as Partial<Csrf>;
    if (!header || !csrfToken) {
      forget();
      if (!issued.ok) return issued;
      throw new TypeError("Cannot read CSRF token: the response has none");
    }
    secrets[header] = csrfToken;
    return (outcome) => {
      const { csrfToken: next } = (outcome.ok ? outcome.data ?? {} : {}) as Partial<Csrf>;
      if (typeof next === "string") { // a sign-in: the token is bound to the session
        last = Promise.resolve({ ...issued, data: { header, csrfToken: next } });
      }
      const isRejected = codeOf(outcome) === "csrf_failed"; // the session may have ended in another tab
      if (isRejected) forget();
      return isRejected;
    };
  };
}

/** Runs one function of a name at a time in all tabs: `navigator.locks`. */
export type Lock = <T>(name: string, run: () => Promise<T>) => Promise<T>;

/**
 * Access tokens. One that is refused is exchanged once, by one request for all callers: a refresh token that is used twice is
 * taken for stolen, and the sign-in revoked.
 */
export function accessTokens(
  store: TokenStore,
  exchange: (refreshToken: string) => Promise<Outcome | undefined>,
  lock: Lock,
): Credential {
  let refreshing: Promise<boolean> | undefined;

  /** @returns Whether there is another access token now. */
  async function refresh({ accessToken }: Tokens): Promise<boolean> {
    const current = await store.get();
    if (current?.accessToken !== accessToken) return current !== undefined;
    const { refreshToken } = current;
    if (!refreshToken) return false;
    const outcome = await exchange(refreshToken);
    const next = await store.get();
    if (next?.refreshToken !== refreshToken) return next !== undefined; // signed in or out meanwhile
    const fresh = (outcome?.ok ? outcome.data ?? {} : {}) as Partial<Tokens>;
    const isFresh = typeof fresh.accessToken === "string";
    if (isFresh) await store.set({ ...current, ...fresh as Tokens });
    else if (outcome && /^40[013]$/.test(`${outcome.status}`)) await store.set(undefined);
    return isFresh;
  }

  return async (secrets) => {
    const used = await store.get();
    if (used === undefined) return () => false;
    secrets["Authorization"] = `Bearer ${used.accessToken}`;
    return (outcome) => {
      if (outcome.status !== 401 || !/^(?:token_expired|invalid_token)$/.test(codeOf(outcome))) {
        return false;
      }
      return refreshing ??= lock("gatehouse refresh", () => refresh(used))
        .finally(() => refreshing = undefined);
    };
  };
}

function codeOf(outcome: Outcome): string {
  const { code } = (outcome.ok ? {} : outcome.problem) as { code?: unknown };
  return String(code);
}
