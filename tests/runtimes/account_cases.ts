/**
 * Accounts by e-mail, which have to go the same way on every runtime.
 *
 * @module
 */

import { type AccountMessage, emailAccounts } from "../../mod.ts";
import { createSite, outcome, type Page } from "./auth_site.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";

const MAIL = "ada@example.org";
const ADA = { identifier: MAIL, password: "lovelace wrote the notes" };
const NEW = { identifier: MAIL, password: "seven green bottles on a wall" };

/** An application with Ada's account, and the messages that it sends. */
async function createMailSite(): Promise<
  { open(): Page; next(): Promise<AccountMessage> }
> {
  const messages: AccountMessage[] = [];
  const { open } = createSite({
    accounts: emailAccounts({
      deliver: (message) => void messages.push(message),
      origin: "https://example.com",
      verifyEmail: { page: "/verify" },
      resetPassword: { page: "/reset" },
      signInLink: { page: "/link", signUp: true },
      signInCode: {},
    }),
  });

  /** The next message: deliveries follow the response. */
  async function next(): Promise<AccountMessage> {
    for (let turn = 0; turn < 200; turn++) {
      const message = messages.shift();
      if (message !== undefined) return message;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error("No message was delivered");
  }

  assertSame(await outcome(open().post("/auth/register", ADA)), "201");
  const { kind, to } = await next();
  assertSame([kind, to], ["verify_email", MAIL]);
  return { open, next };
}

/** The token of a link. */
function tokenOf({ url = "" }: AccountMessage): string {
  return new URL(url).searchParams.get("token") ?? "";
}

/** The cases, in the order in which they run. */
export const accountCases: readonly RuntimeCase[] = [
  {
    name: "accounts: a forgotten password is reset once, and the old one is refused",
    async run() {
      const { open, next } = await createMailSite();
      const page = open();
      for (const identifier of ["nobody@example.org", MAIL]) {
        assertSame(await outcome(page.post("/auth/password/forgot", { identifier })), "202");
      }
      const { to, sub, kind, ...message } = await next();
      assertSame([to, kind, typeof sub], [MAIL, "reset_password", "string"]);
      const body = { token: tokenOf({ to, kind, ...message }), newPassword: NEW.password };
      const weak = { ...body, newPassword: "short" };
      assertSame(await outcome(page.post("/auth/password/reset", weak)), "422 weak_password");
      assertSame(await outcome(page.post("/auth/password/reset", body)), "204");
      assertSame(await outcome(page.post("/auth/password/reset", body)), "400 invalid_link");
      assertSame(await outcome(page.post("/auth/login", ADA)), "401 invalid_credentials");
      assertSame(await outcome(page.post("/auth/login", NEW)), "200");
    },
  },
  {
    name: "accounts: a link signs in, in its own browser, once; an unknown address gets an account",
    async run() {
      const { open, next } = await createMailSite();
      for (const email of [MAIL, "countess@example.org"]) {
        const page = open();
        assertSame(await outcome(page.post("/auth/link/start", { email })), "202");
        const token = tokenOf(await next());
        assertSame(await outcome(open().post("/auth/link/finish", { token })), "400 invalid_link");
        const response = await page.post("/auth/link/finish", { token });
        const { user, principal } = await response.json();
        assertSame([user.identifier, principal.amr], [email, ["email"]]);
        assertSame(await outcome(page.get("/me")), "200");
        assertSame(await outcome(page.post("/auth/link/finish", { token })), "400 invalid_link");
      }
    },
  },
  {
    name: "accounts: a code signs in after four wrong ones, and not after five",
    async run() {
      for (const count of [4, 5]) {
        const { open, next } = await createMailSite();
        const page = open();
        assertSame(await outcome(page.post("/auth/code/start", { email: MAIL })), "202");
        const { code } = await next();
        for (let i = 0; i < count; i++) {
          const wrong = page.post("/auth/code/finish", { email: MAIL, code: "x" });
          assertSame(await outcome(wrong), "401 invalid_code");
        }
        const right = await outcome(page.post("/auth/code/finish", { email: MAIL, code }));
        assertSame(right, count === 4 ? "200" : "401 invalid_code");
      }
    },
  },
];
