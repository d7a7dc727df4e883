import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { AuthError, type AuthErrorCode } from "@gatehouse/http";
import { packageModules, ROOT } from "../../dev/_project.ts";
import { ERROR_PHRASES } from "../../router/problem.ts";

const PAGE = "docs/errors.md";

/** A code, and the status that it is sent with. */
type CodeStatus = readonly [code: string, status: number];

/** A call that makes a problem of a status, and what its code is: a text, or the `reason` of a `case`. */
const CALL_REGEXP = /(?:\bnew HttpError|\bproblem)\(\s*(\d{3}),\s*(?:"(\w+)"|(\w+))/g;
const CASE_CALL_REGEXP = /case "(\w+)":\s*return problem\(\s*(\d{3}),\s*reason\b/g;
/** A strategy's own code, sent with 401. */
const STRATEGY_REGEXP = /\bauthFailed\(\s*"(\w+)"/g;

function readText(path: string): string {
  return Deno.readTextFileSync(join(ROOT, path));
}

/** The package's code without comments, whose examples have codes of their own. */
function sources(): string {
  return packageModules()
    .map((path) => readText(path).replace(/^ *\/\*\*[\s\S]*?\*\/|^ *\/\/.*$/gm, ""))
    .join("\n");
}

/** The members of a union of texts. */
function unionOf(path: string, name: string): string[] {
  const [, members = ""] = new RegExp(`type ${name} =([^;]+);`).exec(readText(path)) ?? [];
  return [...members.matchAll(/"(\w+)"/g)].map(([, member = ""]) => member);
}

/** What the package sends, sorted, each pair once. */
function sentCodes(source: string): CodeStatus[] {
  const calls = [...source.matchAll(CALL_REGEXP)].filter(([, , code]) => code !== undefined);
  return sorted([
    ...calls.map(([, status, code = ""]): CodeStatus => [code, Number(status)]),
    ...[...source.matchAll(CASE_CALL_REGEXP)]
      .map(([, code = "", status]): CodeStatus => [code, Number(status)]),
    ...[...source.matchAll(STRATEGY_REGEXP)].map(([, code = ""]): CodeStatus => [code, 401]),
    ...unionOf("auth/error.ts", "AuthErrorCode")
      .map((code): CodeStatus => [code, new AuthError(code as AuthErrorCode).status]),
  ]);
}

function sorted(codes: readonly CodeStatus[]): CodeStatus[] {
  const texts = new Set(codes.map(([code, status]) => `${code} ${status}`));
  return [...texts].sort().map((text) => {
    const [code = "", status] = text.split(" ");
    return [code, Number(status)];
  });
}

/** The entries of a page: each code is a heading, with the status and its phrase below. */
function listedCodes(page: string): { code: string; status: number; phrase: string }[] {
  return [...page.matchAll(/^### `(\w+)`\n\n(\d{3}) ([A-Z][A-Za-z ]+)\. /gm)]
    .map(([, code = "", status, phrase = ""]) => ({ code, status: Number(status), phrase }));
}

/** The first column of the table below a heading, or of the one that has that column. */
function rowsBelow(page: string, heading: string): string[] {
  const section = page.split(/^(?=#{2,3} )/m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^\| `(\w+)`/gm)].map(([, row = ""]) => row).sort();
}

Deno.test("sentCodes() reads calls on one line and on more, and cases", () => {
  const source = [
    'throw new HttpError(400, "one");',
    'return new HttpError(\n    413,\n    "two",\n    { detail },\n  );',
    'problem(405, "three", {})',
    'case "four":\n      return problem(412, reason);',
    'return authFailed("five", "Said five");',
  ].join("\n");
  const unions = new Set(unionOf("auth/error.ts", "AuthErrorCode"));
  assertEquals(sentCodes(source).filter(([code]) => !unions.has(code)), [
    ["five", 401],
    ["four", 412],
    ["one", 400],
    ["three", 405],
    ["two", 413],
  ]);
});

Deno.test("No problem of the package has a code that sentCodes() cannot read", () => {
  const unread = [...sources().matchAll(CALL_REGEXP)].filter(([, , code]) => code === undefined);
  const cases = [...sources().matchAll(CASE_CALL_REGEXP)];
  assertEquals(unread.length, cases.length);
});

Deno.test(`${PAGE} has every code that the package sends, with its status, and no other`, () => {
  const listed = listedCodes(readText(PAGE));
  assertEquals(sorted(listed.map(({ code, status }) => [code, status])), sentCodes(sources()));
});

Deno.test(`${PAGE} has each code once, under the title that the problem has`, () => {
  const listed = listedCodes(readText(PAGE));
  assertEquals(new Set(listed.map(({ code }) => code)).size, listed.length);
  for (const { status, phrase } of listed) assertEquals(phrase, ERROR_PHRASES[status]);
});

Deno.test(`${PAGE} says of each code what the client and what the operator can do`, () => {
  const [codes = ""] = readText(PAGE).split("## Reasons in events");
  const sections = codes.split(/^(?=##)/m).filter((text) => text.startsWith("### "));
  assertEquals(sections.length, listedCodes(codes).length);
  for (const section of sections) assertMatch(section, /^- Client: [^]+^- Operator: /m);
});

const REASONS: readonly (readonly [heading: string, path: string, union: string])[] = [
  ["### `login.failed`", "auth/events.ts", "LoginFailure"],
  ["### `csrf.failed`", "auth/events.ts", "CsrfFailure"],
  ["### `factor.failed`", "auth/events.ts", "FactorFailure"],
  ["### `breach_query.failed`", "auth/events.ts", "BreachQueryFailure"],
  ["### `session.expired`", "auth/events.ts", "SessionExpiry"],
  ["### `webauthn.failed`", "auth/events.ts", "WebAuthnFailure"],
  ["### `weak_password`", "auth/password/policy.ts", "PasswordProblemCode"],
];

for (const [heading, path, union] of REASONS) {
  Deno.test(`${PAGE} has every ${union}, and no other`, () => {
    const members = unionOf(path, union).sort();
    assertEquals(members.length > 0, true);
    assertEquals(rowsBelow(readText(PAGE), heading), members);
  });
}

Deno.test(`${PAGE} has every kind of event with a reason`, () => {
  const kinds = [...readText("auth/events.ts").matchAll(/^ {2}"([\w.]+)": \{([^}]*)\}/gm)]
    .filter(([, , members = ""]) => /\b(?:reason|code): /.test(members))
    .map(([, kind = ""]) => kind);
  assertEquals(kinds.length > 0, true);
  const [, reasons = ""] = readText(PAGE).split("## Reasons in events");
  const listed = [...reasons.matchAll(/^### `([\w.]+)`$/gm)].map(([, kind = ""]) => kind);
  assertEquals(listed.sort(), kinds.sort());
});

Deno.test(`${PAGE} links to headings that it has`, () => {
  const page = readText(PAGE);
  const anchors = [...page.matchAll(/^#+ (.+)$/gm)]
    .map(([, text = ""]) => text.toLowerCase().replace(/[^\w -]/g, "").replaceAll(" ", "-"));
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, link = ""]) => link);
  assertEquals(links.filter((link) => !anchors.includes(link)), []);
});
