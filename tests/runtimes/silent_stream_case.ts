/**
 * A stream of events that is silent for longer than a server keeps idle connections: Bun ends them after 10 to 12 seconds,
 * unless comments keep them.
 *
 * @module
 */

import { assertSame, type RuntimeCase } from "./harness.ts";

/** How long the server is silent between its two events. */
export const SILENCE_MS = 26_000;

/** Asks for the stream at once, and reads it when the case runs, so that the other cases run meanwhile. */
export function silentStreamCase(port: number): RuntimeCase {
  const text = fetch(`http://127.0.0.1:${port}/silent`)
    .then((response) => response.text())
    .catch(String);
  return {
    name: "sse() keeps a stream without events, by comments",
    async run() {
      assertSame((await text).match(/data: .*/g), ['data: "first"', 'data: "last"']);
    },
  };
}
