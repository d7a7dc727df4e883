/**
 * Several password hashers as one, for the time in which an algorithm is replaced.
 *
 * @module
 */

import type { PasswordHasher } from "./password_hasher.ts";

/**
 * Makes one hasher of several: the first hashes, and each verifies what begins with its id. All hashes but those of the
 * first are to be replaced.
 *
 * @throws {TypeError} If there is none, or two have the same id.
 */
export function joinHashers(
  hashers: PasswordHasher | readonly PasswordHasher[],
): PasswordHasher {
  if (!isList(hashers)) return hashers;
  const [first] = hashers;
  if (first === undefined) {
    throw new TypeError("Cannot hash passwords: the list of hashers is empty");
  }
  const byId = new Map(hashers.map((hasher) => [hasher.id, hasher]));
  if (byId.size < hashers.length) {
    throw new TypeError("Cannot hash passwords: two hashers have the same id");
  }
  const find = (encoded: string) => byId.get(encoded.split("$", 2)[1] ?? "");
  return {
    id: first.id,
    hash: (password) => first.hash(password),
    verify: async (password, encoded) => await find(encoded)?.verify(password, encoded) ?? false,
    needsRehash: (encoded) => find(encoded) !== first || first.needsRehash(encoded),
  };
}

function isList(
  hashers: PasswordHasher | readonly PasswordHasher[],
): hashers is readonly PasswordHasher[] {
  return Array.isArray(hashers);
}
