/**
 * The secret that cookies and tokens are signed with.
 *
 * @module
 */

import { deriveKeys, generateSecret } from "@gatehouse/http";
import { StartError } from "./start_error.ts";

/** Where {@linkcode readSecret} looks. */
export interface SecretSources {
  /** The value of the environment variable `SECRET`. */
  readonly given: string | undefined;
  /** The folder of the database, which is there; none where processes share one that other machines can have, too. */
  readonly folder: string | undefined;
}

/**
 * The given secret, otherwise one that is generated once and stored in the folder, readable only by its owner.
 *
 * @throws {StartError} If it is too weak, the file can't be read or written, or there is neither a secret nor a folder.
 */
export async function readSecret({ given, folder }: SecretSources): Promise<string> {
  if (given !== undefined && given !== "") {
    const remedy = folder === undefined ? "" : "; leave it out to have one made";
    return checkedSecret(given, `SECRET is shorter than 32 bytes, or not random${remedy}`);
  }
  if (folder === undefined) {
    throw new StartError(
      "SECRET is not set; all processes of one database need the same, of 32 bytes or more",
    );
  }
  const path = `${folder}/secret`;
  try {
    return await makeSecret(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw unusable(path, error);
  }
  const kept = await Deno.readTextFile(path).catch((error) => {
    throw unusable(path, error);
  });
  return checkedSecret(
    kept.trim(),
    `the secret in ${path} is shorter than 32 bytes, or not random; delete the file to have one made`,
  );
}

/** Creates the file atomically: of processes that start at once one creates it, and none reads half of it. */
async function makeSecret(path: string): Promise<string> {
  const secret = generateSecret();
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    await Deno.writeTextFile(draft, secret, { createNew: true, mode: 0o600 });
    await Deno.link(draft, path);
  } finally {
    await Deno.remove(draft).catch(() => {});
  }
  return secret;
}

function checkedSecret(secret: string, refusal: string): string {
  try {
    deriveKeys(secret);
  } catch {
    throw new StartError(refusal);
  }
  return secret;
}

function unusable(path: string, cause: unknown): StartError {
  return new StartError(`the secret in ${path} can't be read or made`, { cause });
}
