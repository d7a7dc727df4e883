/**
 * Finding a note, or saying that there is none.
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
  return new HttpError(404, "no_such_note", { detail: "There is no note of this id" });
}
