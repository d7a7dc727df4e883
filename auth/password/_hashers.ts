/**
 * Several password hashers as one, for the time in which an algorithm is replaced.
 *
 * @module
 */

import { onceEach, type Warn } from "../_report.ts";
import type { PasswordHasher } from "./hasher.ts";

/**
 * Makes one hasher of several: the first hashes, and each verifies what begins with its id. All hashes but those of the
 * first are to be replaced. Of a hash that is nobody's it warns once, since its user cannot sign in.
 *
 * @throws {TypeError} If there is none, or two have the same id.
 */
export function combineHashers(
  hashers: PasswordHasher | readonly PasswordHasher[],
  warn: Warn,
): PasswordHasher {
  const list = isList(hashers) ? hashers : [hashers];
  const [first] = list;
  if (first === undefined) {
    throw new TypeError("Cannot hash passwords: the list of hashers is empty");
  }
  const byId = new Map(list.map((hasher) => [hasher.id, hasher]));
  if (byId.size < list.length) {
    throw new TypeError("Cannot hash passwords: two hashers have the same id");
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
      return (hasher ?? first).verify(password, encoded); // as much work, and no
    },
    needsRehash: (encoded) => find(encoded) !== first || first.needsRehash(encoded),
  };
}

const UNKNOWN_HASH = "Cannot verify a stored password: its hash begins with the id of no hasher; " +
  'give the one that made it too, by the option "hasher": [new, old]';

function isList(
  hashers: PasswordHasher | readonly PasswordHasher[],
): hashers is readonly PasswordHasher[] {
  return Array.isArray(hashers);
}
