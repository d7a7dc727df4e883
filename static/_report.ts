/**
 * The one place of this folder that writes to the console.
 *
 * @module
 */

/** Tells whoever runs the service that a mount has nothing to serve. @param readsFolders Whether its entry does. */
export function warnNoSource(prefix: string, directory: string, readsFolders: boolean): void {
  const why = readsFolders
    ? "live is false"
    : 'folders are served only by "@gatehouse/http/native"';
  // deno-lint-ignore no-console -- a mount without files answers 404 to everything, and nothing else would say why
  console.warn(
    `Cannot serve static assets at ${prefix}: no package is registered for ${
      JSON.stringify(directory)
    }, and ${why}`,
  );
}

/** Tells whoever runs the service that Deno keeps a folder from it. */
export function warnDenied(directory: string): void {
  // deno-lint-ignore no-console -- every file of the folder is a 404, and nothing else would say why
  console.warn(
    `Cannot serve static assets of ${
      JSON.stringify(directory)
    }: run with --allow-read for the folder and, if it is a link, its target`,
  );
}

/** Tells whoever runs the service that there is no such folder yet, or that the working directory is another. */
export function warnNoFolder(path: string): void {
  // deno-lint-ignore no-console -- every file of the folder is a 404, and nothing else would say why
  console.warn(`Cannot serve static assets of ${JSON.stringify(path)}: there is no such folder`);
}
