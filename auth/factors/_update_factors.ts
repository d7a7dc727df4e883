/**
 * Updates of a user's second factors by compare-and-swap.
 *
 * @module
 */

import { sleepWithJitter } from "../_backoff.ts";
import { AuthError } from "../error.ts";
import type { FactorStore, NewUserFactors, UserFactors } from "../stores/types.ts";

/** How often an update is attempted on conflict. */
const ATTEMPTS = 20;
/** Maximum wait between two attempts, in milliseconds. */
const MAX_WAIT_MS = 50;

/** The next record of a user, and the result if it is saved. */
export interface FactorUpdate<Result> {
  readonly next: NewUserFactors;
  readonly result: Result;
}

/**
 * Reads the record of a user, and saves the next one if it has not changed since; retries on conflict.
 *
 * @param update Returns the next record; an error that it throws cancels the update.
 * @throws {AuthError} `service_unavailable` after repeated conflicts.
 */
export async function updateFactors<Result>(
  factors: FactorStore,
  sub: string,
  update: (found: UserFactors | null) => Promise<FactorUpdate<Result>> | FactorUpdate<Result>,
): Promise<Result> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await factors.find(sub);
    const { next, result } = await update(found);
    if (await factors.save(next, found?.version ?? null) === "saved") return result;
    await sleepWithJitter(0, Math.min(MAX_WAIT_MS, 2 ** attempt));
  }
  throw new AuthError("service_unavailable", { reason: "update_conflict" });
}
