/**
 * The one place of this folder that writes to the console.
 *
 * @module
 */

/** Logs what an application threw instead of responding, but not the path, which may contain a secret. */
export function reportError(error: unknown, { method }: { readonly method: string }): void {
  // deno-lint-ignore no-console -- a host shows no error of an application by itself
  console.error(`Cannot answer ${method}: the application failed`, error);
}
