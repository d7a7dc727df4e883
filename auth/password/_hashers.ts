/**
 * Several password hashers as one, for the migration from one algorithm to another.
 *
 * @module
 */

import { onceEach, type Warn } from "../_report.ts";
import type { PasswordHasher } from "./hasher.ts";

/**
 * Combines hashers: the first one hashes, and each one verifies the hashes that begin with its id. Hashes of the others
 * need a rehash. A hash with an unknown id is reported once, since its user cannot sign in.
 *
 * @throws {TypeError} If `hashers` is empty, or two hashers have the same id.
 */
export function combineHashers(
  hashers: PasswordHasher | readonly PasswordHasher[],
  warn: Warn,
): PasswordHasher {
  const list = isArray(hashers) ? hashers : [hashers];
  const [first] = list;
  if (first === undefined) {
    throw new TypeError("Cannot hash passwords: hasher must not be empty");
  }
  const byId = new Map(list.map((hasher) => [hasher.id, hasher]));
  if (byId.size < list.length) {
    throw new TypeError("Cannot hash passwords: duplicate hasher id");
  }
  const warnOnce = onceEach(warn);

  function find(encoded: string): PasswordHasher | undefined {
    return byId.get(encoded.split("$", 2)[1] ?? "");
  }

  return {
    id: first.id,
    hash: (password) => first.hash(password),
    verify(password, encoded) {
      const hasher = find(encoded);
      if (hasher === undefined) warnOnce(UNKNOWN_HASH);
      return (hasher ?? first).verify(password, encoded); // takes as long, and returns false
    },
    needsRehash: (encoded) => find(encoded) !== first || first.needsRehash(encoded),
  };
}

const UNKNOWN_HASH = "Cannot verify a stored password: no hasher has the id of its hash; " +
  'add the hasher that created it, with the option "hasher": [new, old]';

function isArray(
  hashers: PasswordHasher | readonly PasswordHasher[],
): hashers is readonly PasswordHasher[] {
  return Array.isArray(hashers);
}
