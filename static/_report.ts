/**
 * The one place of this folder that writes to the console.
 *
 * @module
 */

/** Warns that a mount has no source. @param readsFolders Whether its entry can read folders. */
export function warnNoSource(prefix: string, directory: string, readsFolders: boolean): void {
  const why = readsFolders
    ? "live is false"
    : 'folders are served only by "@gatehouse/http/native"';
  // deno-lint-ignore no-console -- otherwise a mount without files answers 404 without any hint
  console.warn(
    `Cannot serve static assets at ${prefix}: no package is registered for ${
      JSON.stringify(directory)
    }, and ${why}`,
  );
}

/** Warns that Deno denies access to a folder. */
export function warnDenied(directory: string): void {
  // deno-lint-ignore no-console -- otherwise every file of the folder is a 404 without any hint
  console.warn(
    `Cannot serve static assets of ${
      JSON.stringify(directory)
    }: run with --allow-read for the folder and, if it is a link, its target`,
  );
}

/** Warns that a folder does not exist, possibly because of another working directory. */
export function warnNoFolder(path: string): void {
  // deno-lint-ignore no-console -- otherwise every file of the folder is a 404 without any hint
  console.warn(`Cannot serve static assets of ${JSON.stringify(path)}: there is no such folder`);
}
