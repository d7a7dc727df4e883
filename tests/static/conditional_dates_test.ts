/** Dates in header fields, and preconditions by date in the order of RFC 9110 §13.2.2. */

import { assertEquals } from "@std/assert";
import { checkIfRange, checkValidators, lastModifiedOf } from "../../static/conditional_dates.ts";
import { formatHttpDate, parseHttpDate } from "../../static/http_date.ts";

/** The example of RFC 9110 §5.6.7. */
const TIME = 784_111_777;
const DATE = "Sun, 06 Nov 1994 08:49:37 GMT";
const BEFORE = "Sun, 06 Nov 1994 08:49:36 GMT";
const AFTER = "Sun, 06 Nov 1994 08:49:38 GMT";
const NOW = Date.UTC(2026, 0, 1);

/** [text, seconds, why] */
const DATES: readonly (readonly [text: string, seconds: number | undefined, why: string])[] = [
  [DATE, TIME, "§5.6.7: IMF-fixdate"],
  ["Sunday, 06-Nov-94 08:49:37 GMT", TIME, "§5.6.7: RFC 850"],
  ["Sun Nov  6 08:49:37 1994", TIME, "§5.6.7: asctime()"],
  ["Sun Nov 06 08:49:37 1994", TIME, "with a zero"],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0, "the epoch"],
  ["Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800, "a leap day"],
  ["Friday, 01-Jan-76 00:00:00 GMT", 3_345_062_400, "50 years ahead: the future"],
  ["Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800, "51 years ahead: the past"],
  ["Sat, 01 Jan 0050 00:00:00 GMT", -60_589_296_000, "not 1950"],
  ["", undefined, "nothing"],
  ["0", undefined, "a number, which Date.parse() takes"],
  ["2024-01-01", undefined, "ISO 8601, which Date.parse() takes"],
  ["Sun, 06 Nov 1994 08:49:37", undefined, "no zone, which Date.parse() takes for the local one"],
  ["Sun, 06 Nov 1994 08:49:37 +0100", undefined, "another zone"],
  ["sun, 06 nov 1994 08:49:37 gmt", undefined, "dates respect case"],
  ["Sun, 31 Feb 2024 00:00:00 GMT", undefined, "no such day"],
  ["Sun, 06 Now 1994 08:49:37 GMT", undefined, "no such month"],
  ["Sun, 06 anF 1994 08:49:37 GMT", undefined, "no such month"],
  ["Sun, 06 Nov 1994 24:00:00 GMT", undefined, "no such hour"],
  ["Sun, 06 Nov 1994 08:60:00 GMT", undefined, "no such minute"],
  [`${DATE}, ${DATE}`, undefined, "two of them"],
  [` ${DATE}`, undefined, "a space, which Headers removes"],
];

for (const [text, seconds, why] of DATES) {
  Deno.test(`parseHttpDate() reads ${JSON.stringify(text)}: ${why}`, () => {
    assertEquals(parseHttpDate(text, NOW), seconds);
  });
}

Deno.test("formatHttpDate() writes IMF-fixdate, RFC 9110 §5.6.7", () => {
  assertEquals(formatHttpDate(TIME), DATE);
});

Deno.test("lastModifiedOf() omits the time of a file that may change again within its second", () => {
  assertEquals(lastModifiedOf(5_999, 6_000), 5);
  assertEquals(lastModifiedOf(5_000, 5_999), undefined);
  assertEquals(lastModifiedOf(9_000, 5_000), undefined); // a time in the future, §8.8.2.1
});

const ETAG = '"v1"';
const MODIFIED = { etag: ETAG, modified: TIME, nowMs: NOW };

/** [method, header fields, status, why] */
const REQUESTS: readonly (readonly [
  method: string,
  headers: Record<string, string>,
  status: 304 | 412 | undefined,
  why: string,
])[] = [
  ["GET", {}, undefined, "no precondition"],
  ["GET", { "If-Modified-Since": DATE }, 304, "step 4: not modified since"],
  ["HEAD", { "If-Modified-Since": DATE }, 304, "step 4: HEAD too"],
  ["GET", { "If-Modified-Since": AFTER }, 304, "a later date"],
  ["GET", { "If-Modified-Since": BEFORE }, undefined, "modified since"],
  ["PUT", { "If-Modified-Since": DATE }, undefined, "§13.1.3: for GET and HEAD only"],
  ["GET", { "If-Modified-Since": "yesterday" }, undefined, "§13.1.3: an invalid date"],
  ["GET", { "If-Modified-Since": `${DATE}, ${DATE}` }, undefined, "§13.1.3: two members"],
  [
    "GET",
    { "If-Modified-Since": DATE, "If-None-Match": '"v0"' },
    undefined,
    "§13.1.3: the tag decides",
  ],
  ["GET", { "If-Modified-Since": BEFORE, "If-None-Match": ETAG }, 304, "the tag decides"],
  ["GET", { "If-Modified-Since": DATE, "If-None-Match": "x" }, undefined, "a malformed tag too"],
  ["GET", { "If-Unmodified-Since": DATE }, undefined, "step 2: true"],
  ["GET", { "If-Unmodified-Since": BEFORE }, 412, "step 2: false"],
  ["GET", { "If-Unmodified-Since": BEFORE, "If-None-Match": ETAG }, 412, "step 2 before step 3"],
  ["GET", { "If-Unmodified-Since": BEFORE, "If-Match": ETAG }, undefined, "step 1 in place of 2"],
  ["GET", { "If-Unmodified-Since": AFTER, "If-Match": '"v0"' }, 412, "step 1"],
  ["GET", { "If-Unmodified-Since": "never" }, undefined, "§13.1.4: an invalid date"],
  ["GET", { "If-Match": ETAG, "If-Modified-Since": DATE }, 304, "step 1, then step 4"],
];

for (const [method, headers, status, why] of REQUESTS) {
  Deno.test(`checkValidators() answers ${status} to ${JSON.stringify(headers)}: ${why}`, () => {
    assertEquals(checkValidators({ method, headers: new Headers(headers) }, MODIFIED), status);
  });
}

Deno.test("checkValidators() ignores dates of what has none", () => {
  for (const name of ["If-Modified-Since", "If-Unmodified-Since"]) {
    for (const date of [BEFORE, AFTER]) {
      const request = { method: "GET", headers: new Headers({ [name]: date }) };
      assertEquals(checkValidators(request, { ...MODIFIED, modified: undefined }), undefined);
    }
  }
});

/** [field, whether the range is sent, why] */
const IF_RANGE: readonly (readonly [field: string | null, holds: boolean, why: string])[] = [
  [null, true, "no condition"],
  [ETAG, true, "the strong tag"],
  ['W/"v1"', false, "§13.1.5: a weak tag"],
  ['"v0"', false, "another tag"],
  ['"v1", "v2"', false, "a list"],
  ["*", false, "no tag"],
  ["v1", false, "no quotes"],
  ["", false, "nothing"],
  [DATE, true, "the exact date"],
  ["Sunday, 06-Nov-94 08:49:37 GMT", true, "in another format"],
  [BEFORE, false, "an earlier date"],
  [AFTER, false, "§13.1.5: a later date is not the exact one"],
];

for (const [field, holds, why] of IF_RANGE) {
  Deno.test(`checkIfRange() is ${holds} for ${JSON.stringify(field)}: ${why}`, () => {
    assertEquals(checkIfRange(field, MODIFIED), holds);
  });
}

Deno.test("checkIfRange() is false for the weak tag of a file, and dates of what has none", () => {
  const weak = { etag: 'W/"1-2-3"', modified: undefined, nowMs: NOW };
  for (const field of ['W/"1-2-3"', '"1-2-3"', DATE]) {
    assertEquals(checkIfRange(field, weak), false);
  }
});
