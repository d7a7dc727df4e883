/**
 * What `stores.ts` asks of an engine: our stores over it, and the same done by its client alone.
 *
 * @module
 */

import type { AuthStores } from "@gatehouse/http/auth";

/** A record as the bare client reads it. */
export interface BareRecord<Value> {
  readonly value: Value;
  readonly version: string;
}

/** What the bare client reads of a session or a family. */
export interface Owned {
  readonly sub: string;
}

/** What the bare client reads of a family of refresh tokens. */
export interface BareFamily extends Owned {
  readonly sessionId?: string;
  readonly generation: number;
  readonly familyExpiresAt: number;
}

/** A family as it is to be. */
export interface BareSwap {
  readonly id: string;
  /** The version that was read. */
  readonly from: string;
  readonly to: string;
  readonly next: BareFamily;
}

/**
 * An engine's client, with statements as somebody writes them who has only these two things to do. They are about the very
 * records that our stores keep; nothing that is read is checked.
 */
export interface BareClient {
  /** Reads one record, its JSON parsed. */
  read<Value>(collection: string, key: string): Promise<BareRecord<Value>>;
  /** Writes a family if it has the version that was read, by the statement that our stores use. */
  swap(swap: BareSwap): Promise<boolean>;
  /** The same by the shortest statement that does: it knows that nothing but the value changes. */
  swapShortest(swap: BareSwap): Promise<boolean>;
}

/** An engine that is there. */
export interface StoreEngine extends AsyncDisposable {
  /** The engine and its client, with their versions. */
  readonly title: string;
  /** Whether it has to meet the target; memory is there for scale. */
  readonly bound: boolean;
  /** Our stores over it. @param onStatement Is called with each statement that they send. */
  stores(onStatement?: () => void): AuthStores;
  readonly bare: BareClient;
  /** Bytes that everything in it takes up, its indexes included; absent where nobody knows. */
  size?(): Promise<number>;
}

/** Opens an engine. */
export interface EngineOptions {
  /** The time that everything happens at: nothing ends or is swept meanwhile. */
  readonly now: () => number;
}
