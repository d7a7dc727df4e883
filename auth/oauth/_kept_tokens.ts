/**
 * The provider's tokens in identities: encrypted, and refreshed by one of all processes.
 *
 * @module
 */

import { sleepWithJitter } from "../_backoff.ts";
import { decodeBase64Url, encodeBase64Url } from "../_base64url.ts";
import { decodeUtf8, joinFields, utf8 } from "../_bytes.ts";
import { FetchError } from "../_fetch_json.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import { AuthError } from "../error.ts";
import type { Identity, IdentityPatch, IdentityStore } from "../stores/types.ts";
import { failureOf } from "./_failure.ts";
import type { OAuthClient, OAuthTokens } from "./client_types.ts";

/** What kept tokens need. */
export interface KeptTokensContext {
  readonly identities: IdentityStore;
  readonly keys: Pick<DerivedKeys, "encrypt" | "decrypt">;
  readonly now: () => number;
  readonly warn: (message: string, error?: unknown) => void;
}

/** The identity that tokens belong to. */
type Owner = Pick<Identity, "id" | "sub">;

/** Deno KV stores 64 KiB in a record. */
const MAX_LENGTH = 49_152;

/** Tokens that expire sooner are refreshed. */
const MIN_SECONDS = 60;

/** For how many seconds one caller may refresh: longer than a request takes. */
const LEASE_SECONDS = 15;

/** Waits for the caller that refreshes, in milliseconds; together longer than a lease. */
const WAITS = 200;
const WAIT_MS = [60, 120] as const;

/** Encrypts tokens; `undefined`, with a warning, if they are too long to be kept. */
export async function encryptTokens(
  { keys, warn }: KeptTokensContext,
  owner: Owner,
  tokens: OAuthTokens,
): Promise<string | undefined> {
  const plaintext = utf8(JSON.stringify(tokens));
  const { iv, ciphertext, tag } = await keys.encrypt("provider-tokens", plaintext, dataOf(owner));
  const text = [iv, ciphertext, tag].map(encodeBase64Url).join(".");
  if (text.length <= MAX_LENGTH) return text;
  warn("Cannot keep the tokens of a provider: they are too long");
  return undefined;
}

/** Decrypts the tokens of an identity; `undefined` if there are none, or they cannot be decrypted. */
export async function decryptTokens(
  { keys, warn }: KeptTokensContext,
  identity: Identity,
): Promise<OAuthTokens | undefined> {
  if (typeof identity.tokens !== "string") return undefined;
  try {
    const [iv, ciphertext, tag, ...more] = identity.tokens.split(".").map(decodeBase64Url);
    if (iv === undefined || ciphertext === undefined || tag === undefined || more.length > 0) {
      throw new SyntaxError("malformed");
    }
    const parts = { iv, ciphertext, tag };
    const decrypted = await keys.decrypt("provider-tokens", parts, dataOf(identity));
    if (decrypted === undefined) throw new SyntaxError("no secret fits");
    return JSON.parse(decodeUtf8(decrypted.plaintext));
  } catch {
    warn("Cannot read the tokens of a provider: their secret was removed");
    return undefined;
  }
}

/** The tokens of an identity, refreshed if they expire soon. */
export async function currentTokens(
  context: KeptTokensContext,
  client: OAuthClient,
  found: Identity,
): Promise<OAuthTokens | undefined> {
  const { identities, now } = context;
  let identity: Identity | null = found;
  for (let wait = 0; wait < WAITS; wait++) {
    if (identity === null || identity.sub !== found.sub) return undefined; // unlinked meanwhile
    const kept = await decryptTokens(context, identity);
    if (kept === undefined) return undefined;
    if (kept.expiresAt === undefined || kept.expiresAt > now() + MIN_SECONDS) return kept;
    if (kept.refreshToken === undefined) return undefined;
    const isLeased = (identity.refreshingUntil ?? -Infinity) > now();
    if (isLeased) await sleepWithJitter(...WAIT_MS);
    else if (await takeLease(context, identity)) {
      return await refresh(context, client, identity, kept);
    }
    identity = await identities.find(found.id);
  }
  throw new AuthError("service_unavailable", { reason: "refresh_contended" });
}

/** One of many callers gets the lease. */
async function takeLease(
  { identities, now }: KeptTokensContext,
  { id, version }: Identity,
): Promise<boolean> {
  const patch = { refreshingUntil: now() + LEASE_SECONDS };
  return await identities.update(id, version, patch) === "updated";
}

async function refresh(
  context: KeptTokensContext,
  client: OAuthClient,
  identity: Identity,
  kept: OAuthTokens,
): Promise<OAuthTokens | undefined> {
  const { refreshToken = "", idToken } = kept;
  try {
    const fresh = await client.refresh(refreshToken, { idToken });
    // RFC 6749 §6: without a new refresh token the old one stays, and so does the scope
    const tokens = { ...kept, ...fresh, scope: fresh.scope.length > 0 ? fresh.scope : kept.scope };
    await release(context, identity, await encryptTokens(context, identity, tokens) ?? null);
    return tokens;
  } catch (error) {
    const isRefused = isGrantRefused(error);
    await release(context, identity, isRefused ? null : undefined);
    if (isRefused) return undefined;
    throw error;
  }
}

/** RFC 6749 §5.2: `invalid_grant` has status 400. Others, such as 401 for a wrong client secret, say nothing of the token. */
function isGrantRefused(error: unknown): boolean {
  if (failureOf(error) !== "token_refused") return false;
  const { cause } = error as AuthError;
  return !(cause instanceof FetchError) || cause.status === 400;
}

const ATTEMPTS = 5;

/** Ends the lease and replaces the tokens, unless a sign-in has replaced them meanwhile. */
async function release(
  { identities }: KeptTokensContext,
  refreshed: Identity,
  tokens: string | null | undefined,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const identity = await identities.find(refreshed.id);
    if (identity === null || identity.sub !== refreshed.sub) return;
    const isOurs = identity.tokens === refreshed.tokens;
    const patch: IdentityPatch = { refreshingUntil: null, ...(isOurs ? { tokens } : {}) };
    if (await identities.update(identity.id, identity.version, patch) !== "lost") return;
  }
  throw new AuthError("service_unavailable", { reason: "update_conflict" });
}

/** Tokens of one identity cannot be read as those of another. */
function dataOf({ id, sub }: Owner) {
  return joinFields([id, sub]);
}
