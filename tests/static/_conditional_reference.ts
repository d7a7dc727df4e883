/**
 * An independent, naive implementation of RFC 9110 §13 for entity tags, and random field values for comparison.
 *
 * @module
 */

interface Tag {
  readonly weak: boolean;
  readonly opaque: string;
}

/** The value of a field: any, a list of tags, or `undefined` if it is malformed. */
type Field = "*" | readonly Tag[] | undefined;

/** Evaluates both fields as RFC 9110 §13.2.2 orders them. A malformed field lists nothing. */
export function evaluate(
  method: string,
  match: string | undefined,
  noneMatch: string | undefined,
  etag: string | undefined,
): 304 | 412 | undefined {
  if (match !== undefined && !holds(parseField(match), etag, true)) return 412;
  if (noneMatch === undefined || !holds(parseField(noneMatch), etag, false)) return undefined;
  return method === "GET" || method === "HEAD" ? 304 : 412;
}

function holds(field: Field, etag: string | undefined, strong: boolean): boolean {
  if (etag === undefined || field === undefined) return false;
  if (field === "*") return true;
  const present = etag.startsWith("W/")
    ? { weak: true, opaque: etag.slice(2) }
    : { weak: false, opaque: etag };
  return field.some(({ weak, opaque }) =>
    opaque === present.opaque && !(strong && (weak || present.weak))
  );
}

function parseField(value: string): Field {
  const text = trim(value);
  if (text === "*") return "*";
  const tags: Tag[] = [];
  for (const member of splitMembers(text)) {
    const element = trim(member);
    if (element === "") continue; // §5.6.1.2
    const weak = element.startsWith("W/");
    const opaque = weak ? element.slice(2) : element;
    if (!isOpaque(opaque)) return undefined;
    tags.push({ weak, opaque });
  }
  return tags;
}

/** Splits at commas outside quotes. */
function splitMembers(text: string): readonly string[] {
  const members = [""];
  let quoted = false;
  for (const char of text) {
    if (char === '"') quoted = !quoted;
    if (char === "," && !quoted) members.push("");
    else members[members.length - 1] += char;
  }
  return members;
}

function isOpaque(text: string): boolean {
  if (text.length < 2 || text[0] !== '"' || text[text.length - 1] !== '"') return false;
  for (const char of text.slice(1, -1)) {
    const code = char.charCodeAt(0);
    if (code < 0x21 || code === 0x22 || code === 0x7f || code > 0xff) return false;
  }
  return true;
}

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start++;
  while (end > start && isSpace(text[end - 1])) end--;
  return text.slice(start, end);
}

function isSpace(char: string | undefined): boolean {
  return char === " " || char === "\t";
}

const PARTS: readonly string[] = [
  '"a"',
  '"a"',
  'W/"a"',
  '"a,b"',
  '""',
  '"*"',
  'W/"\xe9"',
  '"b"',
  "*",
  "W/",
  '"',
  "a",
  ",",
  ",",
  ", ",
  " ",
  "\t",
  "\xa0",
];

const SEPARATORS: readonly string[] = [",", ", ", " ,", "\t,\t", ",,", " "];

/** A valid list of tags or a random sequence of its parts, with equal probability. */
export function randomField(next: (below: number) => number): string {
  const isList = next(2) === 0;
  const choices = isList ? 9 : PARTS.length;
  const parts = Array.from({ length: next(6) }, () => PARTS[next(choices)] as string);
  return parts.join(isList ? SEPARATORS[next(SEPARATORS.length)] : "");
}
