/** The options of accounts. */

import { assertEquals, assertThrows } from "@std/assert";
import { type AccountOptions, accountService } from "../../../auth/mod.ts";
import { ADA, createAccounts, FLOWS, ORIGIN, withAda } from "./_accounts.ts";

const PAGE = { page: "/page" } as const;

/** Options that are refused. */
const REFUSED: readonly (readonly [
  why: string,
  options: Record<string, unknown>,
  error: typeof TypeError | typeof RangeError,
])[] = [
  ["no deliver", { deliver: undefined }, TypeError],
  ["deliver that is no function", { deliver: {} }, TypeError],
  ["no origin", { origin: undefined }, TypeError],
  ["an origin with a path", { origin: `${ORIGIN}/app` }, TypeError],
  ["an origin with a slash", { origin: `${ORIGIN}/` }, TypeError],
  ["an origin with credentials", { origin: "https://a:b@app.example.com" }, TypeError],
  ["another scheme", { origin: "javascript:alert(1)" }, TypeError],
  ["no flow", Object.fromEntries(Object.keys(FLOWS).map((name) => [name, undefined])), TypeError],
  ["a flow without a page", { verifyEmail: {} }, TypeError],
  ["a flow that is true", { verifyEmail: true }, TypeError],
  ["a misspelt option of a flow", { verifyEmail: { ...PAGE, expireIn: 60 } }, TypeError],
  ["signUp of another flow", { resetPassword: { ...PAGE, signUp: true } }, TypeError],
  ["anyBrowser of codes", { signInCode: { anyBrowser: true } }, TypeError],
  ["a lifetime of 59 seconds", { verifyEmail: { ...PAGE, expiresIn: 59 } }, RangeError],
  ["a lifetime of more than a week", { changeEmail: { ...PAGE, expiresIn: 604_801 } }, RangeError],
  ["a fraction", { resetPassword: { ...PAGE, expiresIn: 60.5 } }, RangeError],
  ["a lifetime that is NaN", { signInLink: { ...PAGE, expiresIn: NaN } }, RangeError],
  ["codes of more than an hour", { signInCode: { expiresIn: 3_601 } }, RangeError],
  ["unverified without a time", { unverified: { since: 0 } }, RangeError],
  ["unverified of less than an hour", { unverified: { expiresIn: 3_599, since: 0 } }, RangeError],
  ["unverified without its start", { unverified: { expiresIn: 3_600 } }, RangeError],
  [
    "unverified with a start in words",
    { unverified: { expiresIn: 3_600, since: "now" } },
    RangeError,
  ],
  [
    "a misspelt option of unverified",
    { unverified: { expiresIn: 3_600, since: 0, x: 1 } },
    TypeError,
  ],
];

for (const [why, options, error] of REFUSED) {
  Deno.test(`accountService() rejects ${why}`, () => {
    assertThrows(() => createAccounts(options as Partial<AccountOptions>), error);
  });
}

/** Pages that would make a link to another site, or no link at all. */
const PAGES = [
  "",
  "verify",
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "https://evil.example/",
  "https:evil.example",
  "javascript:alert(1)",
  "/%5cevil.example",
  "/%2f/evil.example",
  "/\tevil.example",
  "/a\r\nBcc: x@example.org",
  "/a/../b",
  "/page#fragment",
  "/%zz",
  `/${"a".repeat(3_000)}`,
  5,
  null,
  ["/page"],
];

for (const page of PAGES) {
  Deno.test(`accountService() rejects the page ${JSON.stringify(page)?.slice(0, 40)}`, () => {
    for (const name of ["verifyEmail", "changeEmail", "resetPassword", "signInLink"]) {
      const options = { [name]: { page } } as Partial<AccountOptions>;
      assertThrows(() => createAccounts(options), TypeError);
    }
  });
}

Deno.test("accountService() adds the token to the query of the page, in place of one", async () => {
  const own = await withAda({ resetPassword: { page: "/app?view=reset&token=fixed" } });
  const { url = "" } = await own.messageOf(() => own.service.forgotPassword(ADA, own.context()));
  const { origin, pathname, searchParams } = new URL(url);
  assertEquals([origin, pathname], [ORIGIN, "/app"]);
  assertEquals([...searchParams.keys()].sort(), ["token", "view"]);
  assertEquals(searchParams.get("token")?.length, 43);
});

Deno.test("accountService() rejects a missing throttle: codes could be guessed", () => {
  const { stores, passwords, users } = createAccounts();
  for (const throttle of [undefined, null, {}, true]) {
    const options = {
      ...stores,
      passwords,
      accounts: users,
      throttle,
      deliver() {},
      origin: ORIGIN,
    };
    const keys = { sign: () => Promise.reject(), verify: () => Promise.reject() };
    const given = { ...options, keys, ...FLOWS } as unknown as Parameters<typeof accountService>[0];
    assertThrows(() => accountService(given), TypeError, "throttle");
  }
});

Deno.test("accountService() says which flows are on", () => {
  const off = { changeEmail: undefined, signInLink: undefined };
  assertEquals(createAccounts(off).service.flows, {
    verifyEmail: true,
    changeEmail: false,
    resetPassword: true,
    signInLink: false,
    signInCode: true,
  });
});
