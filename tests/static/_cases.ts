/**
 * Expected responses to the shared cases.
 *
 * @module
 */

import type { RawResponse } from "../attacks/_raw.ts";
import type { PathCase } from "./_fixture.ts";
import { FILES, SECRET } from "./_tree.ts";

/** The source of files. */
export type Mode = "live" | "packaged";

/** A response, and its duration. */
export interface TimedResponse extends RawResponse {
  readonly elapsedMs: number;
}

/** [ids, status, why, mode] Cases whose status differs from the recommended one. */
const DIFFERING: readonly (readonly [
  ids: readonly string[],
  status: number,
  why: string,
  mode?: Mode,
])[] = [
  [
    ["ln-3", "ln-4", "ln-6", "ln-7", "ln-12"],
    404,
    "What depends on the file system is a miss: a 403 would reveal where links point",
  ],
  [["ln-18", "ln-19"], 404, "The same: a 403 would tell that there is something"],
  [
    ["g-1", "g-2", "g-6", "g-7", "g-9", "g-11", "g-13", "g-14"],
    404,
    "Paths are not normalized: none of these is under the guard, and none names its file",
  ],
  [["g-3", "g-15"], 403, "The path is not resolved, so that it is not beneath the guard"],
  [["g-10"], 400, "A malformed path is beneath nothing but the mount"],
  [["g-17"], 404, "A package has no links", "packaged"],
];

/** [id, why] Cases whose responses may contain the secret. */
const REVEALING: ReadonlyMap<string, string> = new Map([
  ["ln-20", "A hard link to a file outside is a file"],
  ["g-17", "A guard by path does not see that a link points under it"],
]);

/** Assertions for the strings of `check`. */
const CHECKS: Readonly<Record<string, (response: TimedResponse, mode: Mode) => boolean>> = {
  "Content-Type text/plain; charset=utf-8; live GET has no Content-Length": (
    { headers },
    mode,
  ) =>
    headers.get("Content-Type") === "text/plain; charset=utf-8" &&
    headers.has("Content-Length") === (mode === "packaged"),
  "Content-Type application/octet-stream": ({ headers }) =>
    headers.get("Content-Type") === "application/octet-stream",
  "HEAD Content-Length: 0; packaged GET Content-Length: 0": ({ headers }, mode) =>
    headers.get("Content-Length") === (mode === "packaged" ? "0" : null),
  "Allow: GET, HEAD": allowsReading,
  "Allow: GET, HEAD when 405 comes from the mount": allowsReading,
  "Content-Length: 6; empty body": ({ headers, body }) =>
    headers.get("Content-Length") === "6" && body === "",
  "answers within 1 s": ({ elapsedMs }) => elapsedMs < 1000,
};

const ETAGS: Readonly<Record<Mode, RegExp>> = {
  live: /^W\/"\d+-\d+-\d+"$/,
  packaged: /^"[0-9a-f]{64}"$/,
};

function allowsReading({ status, headers }: TimedResponse): boolean {
  return status === 405 && headers.get("Allow") === "GET, HEAD";
}

/** Faults in the response to a case, each prefixed with the case's id. */
export function faultsOf(
  test: PathCase,
  mode: Mode,
  response: TimedResponse,
  { fallthrough = false }: { readonly fallthrough?: boolean } = {},
): readonly string[] {
  const faults: string[] = [];
  const expect = (what: string, holds: boolean) => {
    if (!holds) {
      const where = `${mode}${fallthrough ? ", fallthrough" : ""}`;
      faults.push(`${test.id} (${where}) ${test.path.slice(0, 60)}: ${what}; ${test.why}`);
    }
  };
  const { status, headers, body, text } = response;
  if (!REVEALING.has(test.id)) expect("reveals the secret", !text.includes(SECRET));
  expect("reveals /etc/passwd", !text.includes("root:"));
  if (test.method === "HEAD") expect("has a body", body === "");
  const wanted = statusFor(test, mode);
  expect(`${wanted} is not allowed`, test.expect.includes(wanted));
  const falls = fallthrough && headers.get("X-Later") !== null;
  if (fallthrough && FALLTHROUGH_STATUSES.has(wanted)) {
    checkFallen(test, wanted, response, expect);
    return faults;
  }
  expect(`is ${status}, not ${wanted}`, status === wanted);
  expect("falls through", !falls || !test.path.startsWith("/assets/"));
  if (test.body !== undefined && wanted === 200) {
    expect(`has the body ${JSON.stringify(body)}`, body === test.body);
  }
  if (test.check !== undefined) {
    expect(`does not hold: ${test.check}`, CHECKS[test.check]?.(response, mode) ?? false);
  }
  if (status === 200) checkFile(test, mode, response, expect);
  return faults;
}

type Expect = (what: string, holds: boolean) => void;

/** Statuses of the mount that `fallthrough` replaces by the response of later routes. */
const FALLTHROUGH_STATUSES: ReadonlySet<number> = new Set([400, 403, 404, 405]);

/** Later routes do not see a malformed target: the router rejects it if one would bind it. */
function checkFallen(test: PathCase, wanted: number, response: TimedResponse, expect: Expect) {
  const { status, headers, body } = response;
  if (wanted === 400) return expect(`is ${status} after the mount, not 400`, status === 400);
  if (test.path.startsWith("/assets") && headers.get("Allow") !== null) expect("has Allow", false);
  expect(`does not fall through: ${status}`, headers.get("X-Later") === "yes");
  if (test.method !== "HEAD") expect("is not the later answer", body === "later");
}

function checkFile(test: PathCase, mode: Mode, response: TimedResponse, expect: Expect) {
  const { headers, body } = response;
  const key = decodeURIComponent(new URL(test.path, "http://localhost").pathname).slice(8);
  const text = FILES[`root/${key}`];
  const length = headers.get("Content-Length");
  if (text !== undefined && test.wire === "fetch" && test.method === "GET") {
    expect(`has other contents: ${body}`, body === text);
  }
  expect(`has the entity tag ${headers.get("ETag")}`, ETAGS[mode].test(headers.get("ETag") ?? ""));
  expect("can be sniffed", headers.get("X-Content-Type-Options") === "nosniff");
  expect("speaks of ranges", !headers.has("Content-Range") && !headers.has("Accept-Ranges"));
  expect(
    `has the Content-Length ${length}`,
    (length !== null) === (mode === "packaged" || test.method === "HEAD"),
  );
  if (length !== null && test.method === "GET") {
    expect("has another Content-Length", Number(length) === new TextEncoder().encode(body).length);
  }
}

/** The expected status: the recommended one, except for the listed cases. */
function statusFor({ id, prefer }: PathCase, mode: Mode): number {
  const row = DIFFERING.find(([ids, , , only = mode]) => ids.includes(id) && only === mode);
  return row?.[1] ?? prefer;
}
