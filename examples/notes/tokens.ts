/**
 * What the controllers are given by the container.
 *
 * @module
 */

import { type ApiKeyService, token, type TokenService, type TypedToken } from "@gatehouse/http";
import type { Note, NoteInput } from "./note.ts";
import type { NoteStore } from "./store.ts";

/** Where the notes are. */
export const NOTE_STORE: TypedToken<NoteStore> = token("notes.store");

/** Makes a note. */
export const NOTE_FACTORY: TypedToken<(input: NoteInput) => Note> = token("notes.factory");

/** The clock, in seconds since the Unix epoch. */
export const CLOCK: TypedToken<() => number> = token("notes.clock");

/** Makes, lists and revokes the keys of programs. */
export const API_KEYS: TypedToken<ApiKeyService> = token("notes.api_keys");

/** Hands out the tokens of programs that sign in, lists those that are signed in, and signs them out. */
export const TOKEN_SERVICE: TypedToken<TokenService> = token("notes.token_service");
