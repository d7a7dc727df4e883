/**
 * Dates in header fields, RFC 9110 §5.6.7.
 *
 * @module
 */

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

/** The three formats that a recipient must accept: IMF-fixdate, RFC 850, and that of C's asctime(). */
const FORMATS: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

/**
 * Reads a date. The name of the weekday is not checked.
 *
 * @param nowMs Current time, for years of two digits: one more than 50 years ahead is in the past.
 * @returns Seconds since the Unix epoch; `undefined` if it is not a date.
 */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const format of FORMATS) {
    const parts = format.exec(text)?.groups;
    if (parts !== undefined) return secondsOf(parts, nowMs);
  }
  return undefined;
}

function secondsOf(
  { day, month = "", year = "", time = "" }: Readonly<Record<string, string>>,
  nowMs: number,
): number | undefined {
  const index = MONTHS.indexOf(month);
  const [hours = 0, minutes = 0, seconds = 0] = time.split(":").map(Number);
  const fullYear = year.length === 2 ? nearestYear(Number(year), nowMs) : Number(year);
  const date = new Date(Date.UTC(2000, index / 3, Number(day), hours, minutes, seconds));
  date.setUTCFullYear(fullYear, index / 3, Number(day)); // Date.UTC() takes 0 to 99 for 1900 to 1999
  const isDate = index % 3 === 0 && date.getUTCDate() === Number(day) &&
    hours < 24 && minutes < 60 && seconds <= 60;
  return isDate ? date.getTime() / 1000 : undefined;
}

function nearestYear(year: number, nowMs: number): number {
  const current = new Date(nowMs).getUTCFullYear();
  const full = current - current % 100 + year;
  return full > current + 50 ? full - 100 : full;
}

/** A date as IMF-fixdate. @param seconds Seconds since the Unix epoch. */
export function formatHttpDate(seconds: number): string {
  return new Date(seconds * 1000).toUTCString();
}
