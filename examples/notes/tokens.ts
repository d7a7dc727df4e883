/**
 * Names of what the container injects into controllers.
 *
 * @module
 */

import { type ApiKeyService, token, type TokenService, type TypedToken } from "@gatehouse/http";
import type { NoteChanges } from "./changes.ts";
import type { Note, NoteInput } from "./note.ts";
import type { NoteStore } from "./store.ts";

/** Where the notes are. */
export const NOTE_STORE: TypedToken<NoteStore> = token("notes.store");

/** Changes of the notes. */
export const NOTE_CHANGES: TypedToken<NoteChanges> = token("notes.changes");

/** Creates a note. */
export const NOTE_FACTORY: TypedToken<(input: NoteInput) => Note> = token("notes.factory");

/** The clock, in seconds since the Unix epoch. */
export const CLOCK: TypedToken<() => number> = token("notes.clock");

/** Creates, lists and revokes API keys. */
export const API_KEYS: TypedToken<ApiKeyService> = token("notes.api_keys");

/** Issues the tokens of API clients, lists the signed-in ones, and signs them out. */
export const TOKEN_SERVICE: TypedToken<TokenService> = token("notes.token_service");
