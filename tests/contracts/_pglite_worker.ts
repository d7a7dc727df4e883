/**
 * PGlite in a separate thread: its timers continue across cases, and statements arrive asynchronously, as on a
 * server.
 *
 * @module
 */

import { PGlite } from "@electric-sql/pglite";

/** A statement, and the number of its response. */
export interface Asked {
  readonly id: number;
  readonly text: string;
  readonly params: readonly unknown[];
}

/** The result of a statement. */
export type Answered =
  | { readonly id: number; readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly id: number; readonly error: string };

/** The used part of the worker's global object. */
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
