/**
 * What a database's client says went wrong, fit for logs. Its error may quote what was sent: in the message, the stack, the
 * cause, or fields of its own.
 *
 * @module
 */

/** So many characters in a row tell something of a text; a shorter text is looked for as a word. */
const PIECE = 12;

/** Most characters of a message: clients that quote statements and replies write pages. */
const MAX_LENGTH = 300;

/** How often a message may be JSON, or a part of a URL, within another. */
const MAX_DEPTH = 3;

/** Codes of databases and the platform, and names of classes. */
const NAME_REGEXP = /^\w{3,40}$/;

const JSON_ESCAPE_REGEXP = /\\(?:u[0-9a-f]{4}|["\\/bfnrt])/gi;
const PERCENT_REGEXP = /(?:%[0-9a-f]{2})+|\+/gi;

/** An error without what was sent. */
export interface ClientError extends Error {
  /** What the client, the database or the platform calls it. */
  readonly code?: string | number;
}

/**
 * Makes an error of the name, code and message of a client's, without what was sent: a short text is replaced by `***`, and
 * a message that quotes a part of a longer one, as it is, in JSON or percent-encoded, is left out.
 *
 * @param sent Texts that were sent and that nobody must read in a log. Those of one character are no secret.
 */
export function clientError(error: unknown, sent: readonly string[]): ClientError {
  const { name, message, code, constructor } = Object(error) as Partial<Record<string, unknown>>;
  const texts = sent.filter((text) => text.length > 1);
  const clean = new Error(cleanMessage(typeof message === "string" ? message : "", texts));
  delete clean.stack; // it would be this file's, and the client's begins with the message
  const isName = (one: unknown): one is string =>
    typeof one === "string" && NAME_REGEXP.test(one) && !isQuotedBy(one, texts);
  const names = [name, typeof constructor === "function" && constructor.name].filter(isName);
  clean.name = names.find((one) => one !== "Error") ?? "Error";
  return typeof code === "number" || isName(code) ? Object.assign(clean, { code }) : clean;
}

function cleanMessage(message: string, texts: readonly string[]): string {
  const hidden = hideWords(message, texts);
  const shown = hidden.length > MAX_LENGTH ? `${hidden.slice(0, MAX_LENGTH)}…` : hidden;
  return isQuotedBy(shown, texts) ? "The message quotes what was sent, and is left out" : shown;
}

/** Hides short texts; the longest first, for one may be a part of another. */
function hideWords(message: string, texts: readonly string[]): string {
  return texts.filter((text) => text.length < PIECE)
    .sort((one, other) => other.length - one.length)
    .reduce((hidden, text) => hidden.replace(wordRegExp(text), "***"), message);
}

/** A text, but not as a part of a word, where it is something else. */
function wordRegExp(text: string): RegExp {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`(?<!\\w)${escaped}(?!\\w)`, "gu");
}

function isQuotedBy(message: string, texts: readonly string[]): boolean {
  return readings(message).some((reading) => texts.some((text) => hasPart(reading, text)));
}

/** What a message says if it, or a part of it, is JSON or percent-encoded. */
function readings(message: string): readonly string[] {
  const all = new Set([message]);
  let latest = [message];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    latest = latest.flatMap((one) => [
      one.replace(JSON_ESCAPE_REGEXP, (escape) => JSON.parse(`"${escape}"`)),
      one.replace(PERCENT_REGEXP, decodePercent),
    ]).filter((one) => !all.has(one));
    for (const one of latest) all.add(one);
  }
  return [...all];
}

function decodePercent(encoded: string): string {
  if (encoded === "+") return " ";
  const bytes = encoded.slice(1).split("%").map((byte) => parseInt(byte, 16));
  return new TextDecoder().decode(new Uint8Array(bytes));
}

function hasPart(message: string, text: string): boolean {
  if (text.length < PIECE) return wordRegExp(text).test(message);
  for (let from = 0; from + PIECE <= message.length; from++) {
    if (text.includes(message.slice(from, from + PIECE))) return true;
  }
  return false;
}
