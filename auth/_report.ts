/**
 * The one place of this folder that writes to the console.
 *
 * @module
 */

/** Tells whoever runs the service of something that should not stay as it is. */
export type Warn = (message: string, error?: unknown) => void;

/** Default of every `warn` option. */
export function warnConsole(message: string, error?: unknown): void {
  // deno-lint-ignore no-console -- this is the default that `warn` replaces
  console.warn(...(error === undefined ? [message] : [message, error]));
}

/** Says each message once. */
export function onceEach(warn: Warn = warnConsole): Warn {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    said.add(message);
    warn(message);
  };
}
