/**
 * A store of second factors whose records are checked as they are read, as those of {@linkcode checkedUsers} are.
 *
 * @module
 */

import { invalid, isAbsent, requireStringArray, requireStrings, requireTimes } from "./checked.ts";
import type { FactorStore, PendingTotp, StoredTotp, UserFactors } from "./factor_types.ts";

const FACTORS = "second factors";

/**
 * A factor store that rejects with a `TypeError` where a member that decides has another type, and finds nothing if the store
 * returns the record of another user.
 */
export function checkedFactors(store: FactorStore): FactorStore {
  return {
    async find(sub) {
      const found = checkUserFactors(await store.find(sub));
      return found?.sub === sub ? found : null; // a store may compare inexactly
    },
    save: (factors, expected) => store.save(factors, expected),
    delete: (sub) => store.delete(sub),
  };
}

function checkUserFactors(found: UserFactors | null): UserFactors | null {
  if (found === null) return null;
  requireStrings(FACTORS, found, ["sub", "version"]);
  requireStringArray(FACTORS, found, "recoveryCodes");
  const { totp, pending } = found;
  if (!isAbsent(totp)) checkTotp(totp);
  if (!isAbsent(pending)) checkPending("pending authenticator", pending);
  return found;
}

function checkTotp(totp: StoredTotp | undefined): void {
  checkPending("authenticator", totp);
  const { confirmedAt, lastStep } = totp as StoredTotp;
  requireTimes("authenticator", { confirmedAt }, ["confirmedAt"]);
  // Compared as a string, a step would be after every other one
  if (!Number.isSafeInteger(lastStep)) throw invalid("authenticator", "lastStep", "an integer");
}

function checkPending(what: string, pending: PendingTotp | undefined): void {
  if (typeof pending !== "object") throw invalid(FACTORS, what, "an object");
  requireStrings(what, pending, ["secret"]);
  requireTimes(what, pending, ["createdAt"]);
}
