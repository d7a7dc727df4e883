/**
 * Challenges of ceremonies. One is stored by its digest with what its ceremony was begun for, and is used once.
 *
 * @module
 */

import { digestText } from "../_kdf.ts";
import { randomToken } from "../_random.ts";
import type { StateStore } from "../stores/types.ts";
import { type Ceremony, check } from "./_failure.ts";
import type { CoseAlgorithm } from "./types.ts";

/** What a registration was begun for. The configuration of that time counts, not the one at its end. */
export interface RegistrationState {
  readonly ceremony: "registration";
  /** What identifies the browser. */
  readonly browser: string;
  /** The user, or the one to create. */
  readonly sub: string;
  /** The user's stamp; absent at a sign-up. */
  readonly securityStamp?: string;
  /** The identifier of the user to create. */
  readonly newIdentifier?: string;
  readonly userHandle: string;
  readonly algorithms: readonly CoseAlgorithm[];
  readonly userVerification: "required" | "preferred";
  /** Whether the browser asks nobody: presence need not be tested. */
  readonly conditional: boolean;
}

/** What a sign-in was begun for. */
export interface AuthenticationState {
  readonly ceremony: "authentication";
  /** What identifies the browser. */
  readonly browser: string;
  /** Subject id of the user who was identified before, §7.2 step 6: empty if unknown, absent if no identifier was given. */
  readonly identifiedSub?: string;
  readonly userVerification: "required" | "preferred";
}

/** The state of each ceremony. */
interface CeremonyStates {
  readonly registration: RegistrationState;
  readonly authentication: AuthenticationState;
}

/** Creates and takes challenges. */
export interface Challenges {
  /** Stores a state. @returns The challenge: 32 random bytes, base64url. */
  create(state: CeremonyStates[Ceremony]): Promise<string>;
  /**
   * Takes the state of a challenge.
   *
   * @throws {CeremonyError} `challenge_unknown`, if it was not given out, was used or has expired; `challenge_foreign`, if it
   * is of the other ceremony or another browser.
   */
  take<Kind extends Ceremony>(
    ceremony: Kind,
    challenge: string,
    browser: string,
  ): Promise<CeremonyStates[Kind]>;
}

/** Options of {@linkcode createChallenges}. */
export interface ChallengesOptions {
  readonly states: StateStore;
  readonly now: () => number;
  /** Lifetime, in seconds. */
  readonly timeout: number;
}

/** Challenges in a state store. */
export function createChallenges({ states, now, timeout }: ChallengesOptions): Challenges {
  return {
    async create(state) {
      const challenge = randomToken();
      await states.put(await keyOf(challenge), state, now() + timeout);
      return challenge;
    },
    async take<Kind extends Ceremony>(
      ceremony: Kind,
      challenge: string,
      browser: string,
    ) {
      const state = await states.consume(await keyOf(challenge)) as CeremonyStates[Kind] | null;
      check(state !== null, "challenge_unknown");
      check(state.ceremony === ceremony && state.browser === browser, "challenge_foreign");
      return state;
    },
  };
}

async function keyOf(challenge: string): Promise<string> {
  return `webauthn:${await digestText(challenge)}`;
}
