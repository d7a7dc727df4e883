/**
 * A readable name of a browser from its `User-Agent`, which may be any string.
 *
 * @module
 */

/** In this order: most browsers claim to be those that came before them, too. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*\bSafari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "an iPhone"],
  [/\biPad\b/, "an iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b|\bMacintosh\b/, "a Mac"],
  [/\bLinux\b/, "Linux"],
];
const MAX_LENGTH = 60;

/** Names a browser. @param userAgent Its header field `User-Agent`. */
export function browserName(userAgent: string | undefined): string {
  if (userAgent === undefined || userAgent.trim() === "") return "An unknown browser";
  const known = knownBrowserName(userAgent);
  if (known !== undefined) return known;
  const cut = userAgent.length > MAX_LENGTH;
  const own = cut ? `${userAgent.slice(0, MAX_LENGTH).toWellFormed()}…` : userAgent;
  return `A program that calls itself “${own}”`;
}

/** Names a browser of the list above; `undefined` for others. @param userAgent Its header field `User-Agent`. */
export function knownBrowserName(userAgent: string): string | undefined {
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  return browser === undefined || system === undefined ? browser : `${browser} on ${system}`;
}

function nameIn(rows: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return rows.find(([pattern]) => pattern.test(text))?.[1];
}
