/**
 * Finding a note, or responding 404.
 *
 * @module
 */

import { HttpError } from "@gatehouse/http";
import type { NoteStore, VersionedNote } from "./store.ts";

/** Finds a note. @throws {HttpError} 404 `no_such_note` */
export async function findNote(store: NoteStore, id: string): Promise<VersionedNote> {
  const found = await store.find(id);
  if (found === undefined) throw noSuchNote();
  return found;
}

/** The refusal of a request for a note that is not there. */
export function noSuchNote(): HttpError {
  return new HttpError(404, "no_such_note", { detail: "The note does not exist" });
}
