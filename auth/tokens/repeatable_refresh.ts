/**
 * Refresh tokens whose rotation can be repeated for a few seconds: a client that did not get the answer gets the same one again.
 *
 * @module
 */

import { equalText } from "../_bytes.ts";
import { createClock } from "../_clock.ts";
import { digestText } from "../_kdf.ts";
import { requireSeconds } from "../_options.ts";
import { randomToken } from "../_random.ts";
import { AuthError } from "../error.ts";
import {
  checkedRefreshTokens,
  checkedUserReader,
  isDisabled,
  isRevoked,
} from "../stores/checked.ts";
import { grantOf, parseRefreshToken } from "./_refresh_limits.ts";
import { createRefreshService } from "./refresh_service.ts";
import type {
  RefreshService,
  RefreshServiceOptions,
  RotatedRefreshToken,
  RotateRefreshTokenOptions,
} from "./refresh_types.ts";

/** Longest time in which a rotation can be repeated. */
const MAX_SECONDS = 60;

/**
 * A refresh service that gives the last used token of a family the same successor again, until `seconds` after the rotation or until
 * the successor is used. Any other second use revokes the family.
 *
 * The successor is computed from the presented secret and a stored salt: who knows the secret does not know the salt, and who reads
 * the store does not know the secret.
 *
 * @throws {RangeError} If `seconds` is not an integer from 1 to 60, or as `refreshService()`.
 */
export function repeatableRefreshService(
  options: RefreshServiceOptions,
  seconds: number,
): RefreshService {
  requireSeconds("Cannot create refresh service", { reuseSeconds: seconds }, { max: MAX_SECONDS });
  const service = createRefreshService(options, async (secret, at) => {
    const salt = randomToken();
    const previous = { hash: await digestText(secret), salt, until: at + seconds };
    return { next: await successorOf(secret, salt), previous };
  });
  const refreshTokens = checkedRefreshTokens(options.refreshTokens);
  const users = checkedUserReader(options.users);
  const now = createClock(options.now);

  /** The answer of the rotation that has used the token. The client and the user are checked as for any other. */
  async function repeat(
    token: string,
    { prepare }: RotateRefreshTokenOptions,
  ): Promise<RotatedRefreshToken> {
    const { handle, familyId = "", secret = "" } = await parseRefreshToken(token) ?? {};
    const family = await refreshTokens.find(familyId);
    const { previous } = family ?? {};
    const fromHash = await digestText(secret);
    const isLast = family !== null && !isRevoked(family) && previous !== undefined &&
      equalText(previous.hash, fromHash) && now() < Math.min(previous.until, family.expiresAt);
    if (!isLast) throw new AuthError("invalid_refresh_token", { reason: "reused" });
    const user = await users.findBySub(family.sub);
    if (user === null || isDisabled(user) || user.securityStamp !== family.securityStamp) {
      throw new AuthError("invalid_refresh_token", { reason: "stamp_changed" });
    }
    const grant = grantOf(family);
    await prepare?.({ ...grant, familyId });
    const refreshToken = `${handle}.${await successorOf(secret, previous.salt)}`;
    return { refreshToken, expiresAt: family.expiresAt, familyId, ...grant };
  }

  return Object.freeze({
    ...service,
    async rotate(token: string, rotation: RotateRefreshTokenOptions = {}) {
      try {
        return await service.rotate(token, rotation);
      } catch (error) {
        const isRepeated = error instanceof AuthError && error.reason === "repeated";
        if (!isRepeated) throw error;
        return await repeat(token, rotation);
      }
    },
  });
}

async function successorOf(secret: string, salt: string): Promise<string> {
  return await digestText(`successor\n${salt}\n${secret}`);
}
