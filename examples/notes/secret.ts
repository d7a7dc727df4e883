/**
 * The secret that cookies and tokens are signed with.
 *
 * @module
 */

import { StartError } from "./start_error.ts";

/** Where {@linkcode readSecret} looks. */
export interface SecretSources {
  /** The value of the environment variable `SECRET`. */
  readonly given: string | undefined;
  /** The folder of the database, which is there. */
  readonly folder: string;
}

/** Fewest bytes: as many as the key that is made of them has. */
const MIN_BYTES = 32;

/**
 * The secret that was given, else one that is made once and kept in the folder, where nobody but its owner reads it.
 *
 * @throws {StartError} If it is too short, or the file can't be read or written.
 */
export async function readSecret({ given, folder }: SecretSources): Promise<string> {
  if (given !== undefined && given !== "") {
    return checkedSecret(given, "SECRET is shorter than 32 bytes; leave it out to have one made");
  }
  const path = `${folder}/secret`;
  try {
    const secret = crypto.getRandomValues(new Uint8Array(MIN_BYTES))
      .toBase64({ alphabet: "base64url", omitPadding: true });
    await Deno.writeTextFile(path, secret, { createNew: true, mode: 0o600 });
    return secret;
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw unusable(path, error);
  }
  const kept = await Deno.readTextFile(path).catch((error) => {
    throw unusable(path, error);
  });
  return checkedSecret(
    kept.trim(),
    `the secret in ${path} is shorter than 32 bytes; delete the file to have one made`,
  );
}

function checkedSecret(secret: string, refusal: string): string {
  if (new TextEncoder().encode(secret).length < MIN_BYTES) throw new StartError(refusal);
  return secret;
}

function unusable(path: string, cause: unknown): StartError {
  return new StartError(`the secret in ${path} can't be read or made`, { cause });
}
