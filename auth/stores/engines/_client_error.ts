/**
 * Errors of database clients, redacted for logs. A client's error may quote what was sent: in the message, the stack, the
 * cause, or its own fields.
 *
 * @module
 */

/** A message that contains so many consecutive characters of a string quotes it. A shorter string is matched as a word. */
const QUOTE_LENGTH = 12;

/** Longest message, in characters: some clients quote whole statements and replies. */
const MAX_LENGTH = 300;

/** How many layers of JSON or percent-encoding are decoded. */
const MAX_DEPTH = 3;

/** Error codes of databases and the platform, and names of classes. */
const NAME_REGEXP = /^\w{3,40}$/;

const JSON_ESCAPE_REGEXP = /\\(?:u[0-9a-f]{4}|["\\/bfnrt])/gi;
const PERCENT_REGEXP = /(?:%[0-9a-f]{2})+|\+/gi;

/** A redacted error. */
export interface ClientError extends Error {
  /** Error code of the client, the database or the platform. */
  readonly code?: string | number;
}

/**
 * Copies the name, code and message of a client's error without what was sent: a short string is replaced by `***`, and a
 * message that quotes a part of a longer one, as it is, in JSON or percent-encoded, is omitted.
 *
 * @param sent Strings that were sent and must not be logged. Those of one character are ignored.
 */
export function clientError(error: unknown, sent: readonly string[]): ClientError {
  const { name, message, code, constructor } = Object(error) as Partial<Record<string, unknown>>;
  const secrets = sent.filter((secret) => secret.length > 1);
  const clean = new Error(cleanMessage(typeof message === "string" ? message : "", secrets));
  delete clean.stack; // it points to this file, and the client's stack contains the message
  const isName = (one: unknown): one is string =>
    typeof one === "string" && NAME_REGEXP.test(one) && !quotes(one, secrets);
  const names = [name, typeof constructor === "function" && constructor.name].filter(isName);
  clean.name = names.find((one) => one !== "Error") ?? "Error";
  return typeof code === "number" || isName(code) ? Object.assign(clean, { code }) : clean;
}

function cleanMessage(message: string, secrets: readonly string[]): string {
  const redacted = redactWords(message, secrets);
  const shown = redacted.length > MAX_LENGTH ? `${redacted.slice(0, MAX_LENGTH)}…` : redacted;
  return quotes(shown, secrets) ? "Message omitted: it quotes what was sent" : shown;
}

/** Redacts short strings, the longest first: one may be a part of another. */
function redactWords(message: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret.length < QUOTE_LENGTH)
    .sort((one, other) => other.length - one.length)
    .reduce((redacted, secret) => redacted.replace(wordRegExp(secret), "***"), message);
}

/** Matches a string, but not within a word. */
function wordRegExp(secret: string): RegExp {
  const escaped = secret.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`(?<!\\w)${escaped}(?!\\w)`, "gu");
}

function quotes(message: string, secrets: readonly string[]): boolean {
  return decodings(message).some((decoded) => secrets.some((secret) => hasPart(decoded, secret)));
}

/** A message, and what it decodes to if it, or a part of it, is JSON or percent-encoded. */
function decodings(message: string): readonly string[] {
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

function hasPart(message: string, secret: string): boolean {
  if (secret.length < QUOTE_LENGTH) return wordRegExp(secret).test(message);
  for (let from = 0; from + QUOTE_LENGTH <= message.length; from++) {
    if (secret.includes(message.slice(from, from + QUOTE_LENGTH))) return true;
  }
  return false;
}
