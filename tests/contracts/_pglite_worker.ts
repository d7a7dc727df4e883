/**
 * PGlite in a thread of its own: its timers go on from case to case, and statements come from afar, as they come to a
 * server.
 *
 * @module
 */

import { PGlite } from "@electric-sql/pglite";

/** A statement, and the number under which its outcome is sent back. */
export interface Asked {
  readonly id: number;
  readonly text: string;
  readonly params: readonly unknown[];
}

/** What became of a statement. */
export type Answered =
  | { readonly id: number; readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly id: number; readonly error: string };

/** The part of a worker's own object that is used. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<Asked>) => unknown) | null;
  postMessage(message: Answered): void;
}

const scope = globalThis as unknown as WorkerScope;
const opened = PGlite.create();

scope.onmessage = async ({ data: { id, text, params } }) => {
  try {
    const database = await opened;
    const { rows } = await database.query<Record<string, unknown>>(text, [...params]);
    scope.postMessage({ id, rows });
  } catch (error) {
    scope.postMessage({ id, error: String(error) });
  }
};
