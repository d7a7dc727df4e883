/**
 * PostgreSQL without a server, for one file of tests.
 *
 * @module
 */

import type { SqlQuery, SqlRow } from "../../auth/stores/engines/sql.ts";
import type { Answered, Asked } from "./_pglite_worker.ts";

/** A connection to PGlite. */
export interface Pglite {
  readonly query: SqlQuery;
  close(): void;
}

/** Starts PGlite. The first statement waits until it is ready. */
export function startPglite(): Pglite {
  const worker = new Worker(import.meta.resolve("./_pglite_worker.ts"), { type: "module" });
  const waiting = new Map<number, PromiseWithResolvers<readonly SqlRow[]>>();
  let asked = 0;

  worker.onmessage = ({ data }: MessageEvent<Answered>) => {
    const answer = waiting.get(data.id);
    waiting.delete(data.id);
    if ("rows" in data) answer?.resolve(data.rows);
    else answer?.reject(new Error(data.error));
  };
  return {
    query(text, params) {
      const id = asked++;
      const answer = Promise.withResolvers<readonly SqlRow[]>();
      waiting.set(id, answer);
      worker.postMessage({ id, text, params } satisfies Asked);
      return answer.promise;
    },
    close: () => worker.terminate(),
  };
}
