/**
 * Notes: their members, and the requests of clients.
 *
 * Lengths count code points, as JSON Schema does. At six bytes each, which control characters have as JSON, the longest note
 * stays below 65,536 bytes, the limit of a Deno KV value.
 *
 * @module
 */

import { z } from "zod";

/** Most bytes of a JSON body that carries a note; 10,000 characters written as `\uXXXX\uXXXX` are 120,000. */
export const NOTE_BODY_BYTES: number = 256 * 1024;

const SOMETHING = "Needs something that is no space";
const title = z.string().max(200, "Takes 200 characters at most").regex(/\S/, SOMETHING).trim();
const text = z.string().max(10_000, "Takes 10,000 characters at most");
const tags = z.array(
  z.string().max(50, "Takes 50 characters at most").regex(/\S/, SOMETHING).trim(),
).max(10, "Takes 10 tags at most").superRefine((list, context) => {
  for (const [i, tag] of list.entries()) {
    if (list.indexOf(tag) < i) {
      context.addIssue({ code: "custom", message: "Tag stands twice", path: [i] });
    }
  }
}).meta({ uniqueItems: true });

/** A note, as it is stored and as clients see it. */
export interface Note extends NoteInput {
  /** Sorts by time, and cannot be guessed. */
  readonly id: string;
  /** Seconds since the Unix epoch. @type integer */
  readonly createdAt: number;
  /** Seconds since the Unix epoch. @type integer */
  readonly updatedAt: number;
}

/** What a client sends to create or replace a note. */
export interface NoteInput {
  /** 1 to 200 characters. */
  readonly title: string;
  /** Up to 10,000 characters. */
  readonly text: string;
  /** Up to 10, each of 1 to 50 characters, none twice. */
  readonly tags: readonly string[];
}

/** Request to change a note, RFC 7396: `null` removes the member. The title cannot be removed. */
export interface NotePatch {
  /** As in {@linkcode NoteInput}. */
  readonly title?: string | undefined;
  /** As in {@linkcode NoteInput}. */
  readonly text?: string | null | undefined;
  /** As in {@linkcode NoteInput}. */
  readonly tags?: readonly string[] | null | undefined;
}

/** Checks {@linkcode NoteInput}. */
export const noteInputSchema: z.ZodType<NoteInput> = z.strictObject({
  title,
  text: text.default(""),
  tags: tags.default([]),
}).meta({ id: "NoteInput" });

/** Checks {@linkcode NotePatch}. */
export const notePatchSchema: z.ZodType<NotePatch> = z.strictObject({
  title: title.optional(),
  text: text.nullish(),
  tags: tags.nullish(),
}).meta({ id: "NotePatch" });

/** Format of an id. Anything else cannot exist, so that the store is not called. */
export const NOTE_ID_REGEXP: RegExp = /^[0-9a-z]{9}[0-9a-f]{16}$/;

/**
 * Creates a factory of notes. Ids sort by time, strictly within one factory; their other half is random, so
 * that ids of other users' notes cannot be guessed.
 *
 * @param nowMs The clock.
 */
export function createNoteFactory(nowMs: () => number): (input: NoteInput) => Note {
  let last = 0;
  return (input) => {
    const now = nowMs();
    last = Math.max(last + 1, now);
    const random = crypto.getRandomValues(new Uint8Array(8)).toHex();
    const createdAt = Math.floor(now / 1000);
    return {
      id: last.toString(36).padStart(9, "0") + random,
      ...input,
      createdAt,
      updatedAt: createdAt,
    };
  };
}

/** The note with other content. @param now Seconds since the Unix epoch. */
export function replaceContent({ id, createdAt }: Note, input: NoteInput, now: number): Note {
  return { id, ...input, createdAt, updatedAt: now };
}

/** The note with a merge patch applied, RFC 7396 §2. @param now Seconds since the Unix epoch. */
export function applyPatch(note: Note, patch: NotePatch, now: number): Note {
  return {
    ...note,
    title: patch.title ?? note.title,
    text: patch.text === undefined ? note.text : patch.text ?? "",
    tags: patch.tags === undefined ? note.tags : patch.tags ?? [],
    updatedAt: now,
  };
}

/** Whether every word of a search occurs in the note's title or text, ignoring case. */
export function matchesSearch({ title, text }: Note, search: string): boolean {
  const content = fold(`${title}\n${text}`);
  return fold(search).split(/\s+/).every((word) => content.includes(word));
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
