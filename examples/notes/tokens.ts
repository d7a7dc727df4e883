/**
 * What the controllers are given by the container.
 *
 * @module
 */

import { token, type TypedToken } from "@gatehouse/http";
import type { Note, NoteInput } from "./note.ts";
import type { NoteStore } from "./store.ts";

/** Where the notes are. */
export const NOTE_STORE: TypedToken<NoteStore> = token("notes.store");

/** Makes a note. */
export const NOTE_FACTORY: TypedToken<(input: NoteInput) => Note> = token("notes.factory");

/** The clock, in seconds since the Unix epoch. */
export const CLOCK: TypedToken<() => number> = token("notes.clock");
