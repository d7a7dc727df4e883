/**
 * The only place of this folder that writes to the console.
 *
 * @module
 */

/** Warns the operator of something that needs attention. */
export type Warn = (message: string, error?: unknown) => void;

/** The default of every `warn` option. */
export function warnConsole(message: string, error?: unknown): void {
  // deno-lint-ignore no-console -- the default that `warn` replaces
  console.warn(...(error === undefined ? [message] : [message, error]));
}

/** Warns of each message once. */
export function onceEach(warn: Warn = warnConsole): Warn {
  const reported = new Set<string>();
  return (message) => {
    if (reported.has(message)) return;
    reported.add(message);
    warn(message);
  };
}
