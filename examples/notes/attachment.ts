/**
 * Attachments: the limits of uploads, and how a download is prevented from acting as a page of this site.
 *
 * @module
 */

import { z } from "zod";

/** Maximum number of files in an upload. Their total size is limited by the router: 10 MiB for multipart. */
export const MAX_FILES = 20;

const MAX_NAME_LENGTH = 150;
/** Control characters, and those that change the direction of text and so hide the real end of a name. */
const UNSAFE_CHARACTERS_REGEXP = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Types that no browser runs, of a length as RFC 6838 §4.2 allows. Everything else is served as bytes. */
const HARMLESS_TYPE_REGEXP =
  /^(?:image\/(?:avif|gif|jpeg|png|webp)|(?:audio|video)\/[\w.+-]{1,127}|text\/(?:plain|csv)|application\/(?:json|pdf|zip))$/;

/** Checks the form of an upload: one or more parts named `file`, and nothing else. */
export const uploadSchema: z.ZodType<FormData> = z.instanceof(FormData).superRefine(
  (form, context) => {
    for (const name of new Set(form.keys())) {
      if (name !== "file") addIssue(context, "Unrecognized part", [name]);
    }
    const parts = form.getAll("file");
    if (parts.length === 0) addIssue(context, "Needs one part or more", ["file"]);
    if (parts.length > MAX_FILES) addIssue(context, `Takes ${MAX_FILES} parts at most`, ["file"]);
    const names = new Set<string>();
    for (const [i, part] of parts.entries()) {
      const path = ["file", i];
      const name = typeof part === "string" ? undefined : cleanFileName(part.name);
      if (typeof part === "string") addIssue(context, "Is not a file", path);
      else if (name === undefined) addIssue(context, "Has no usable file name", path);
      else if (names.has(name)) addIssue(context, "Has the name of another part", path);
      else names.add(name);
    }
  },
);

/** The files of a form that passed {@linkcode uploadSchema}. */
export function filesOf(form: FormData): readonly File[] {
  return form.getAll("file").filter((part) => part instanceof File);
}

/**
 * The last segment of a file name, without what misleads a reader.
 *
 * @returns `undefined` if nothing usable is left.
 */
export function cleanFileName(name: string): string | undefined {
  const base = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  const clean = base.toWellFormed().normalize("NFC").replace(UNSAFE_CHARACTERS_REGEXP, "_").trim();
  const usable = clean !== "" && clean !== "." && clean !== ".." && clean.length <= MAX_NAME_LENGTH;
  return usable ? clean : undefined;
}

/** The type to serve an upload with: its own if that is harmless. */
export function harmlessType(type: string): string {
  const essence = (type.split(";")[0] ?? "").trim().toLowerCase();
  return HARMLESS_TYPE_REGEXP.test(essence) ? essence : "application/octet-stream";
}

/** Value of `Content-Disposition` that makes a browser save the file, RFC 6266 §4. */
export function contentDisposition(name: string): string {
  const fallback = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  return `attachment; filename="${fallback}"; filename*=UTF-8''${encodeExtValue(name)}`;
}

/** `value-chars` of RFC 8187 §3.2.1. */
function encodeExtValue(text: string): string {
  return encodeURIComponent(text)
    .replace(/['()*]/g, (character) => "%" + character.charCodeAt(0).toString(16).toUpperCase());
}

function addIssue(context: z.RefinementCtx, message: string, path: (string | number)[]): void {
  context.addIssue({ code: "custom", message, path });
}
