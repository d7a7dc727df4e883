/**
 * What users of the notes service do with messages and codes.
 *
 * @module
 */

import { assertExists } from "@std/assert";
import type { AccountMessage, AccountMessageKind } from "@gatehouse/http/auth";
import { totpCode } from "@gatehouse/http/auth";
import type { NotesService } from "../examples/_notes_service.ts";
import { arriveAs, fillIn, PASSWORD } from "./_notes.ts";
import type { Page } from "./_playwright.ts";
import { readQr } from "./_qr.ts";

/** The newest message of a kind; it is delivered a moment after the response. */
export async function mailed(
  { outbox }: Pick<NotesService, "outbox">,
  kind: AccountMessageKind,
): Promise<AccountMessage> {
  for (let tries = 0; tries < 100; tries++) {
    const found = outbox.list().find((message) => message.kind === kind);
    if (found !== undefined) return found;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`No message ${kind} was delivered`);
}

/** Sets up an authenticator app on /security. */
export interface Enrolled {
  /** The code that the app shows in a while; a code that was used is not accepted again. */
  readonly codeIn: (seconds: number) => Promise<string>;
  readonly recoveryCodes: readonly string[];
}

/** Scans the QR code of /security, and confirms it. @param now The time, in seconds. */
export async function enrol(
  page: Page,
  now: () => number = () => Date.now() / 1000,
): Promise<Enrolled> {
  await page.goto(`${new URL(page.url()).origin}/security`);
  await page.getByRole("button", { name: "Set up an authenticator app" }).click();
  await page.getByText("Scan this with the app").waitFor();
  const secret = new URL(await readQr(page, "#qr")).searchParams.get("secret");
  assertExists(secret);
  const codeIn = (seconds: number) => totpCode(secret, now() + seconds);
  await enterCode(page, await codeIn(0));
  await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
  const recoveryCodes = (await page.locator("#code-list").innerText()).trim().split(/\s+/);
  await page.getByRole("button", { name: "I have kept them" }).click();
  return { codeIn, recoveryCodes };
}

/** Enters a code in the field that the page has for it. */
export async function enterCode(page: Page, code: string): Promise<void> {
  await page.locator("#code").fill(code);
  await page.locator("#code").press("Enter");
}

/** Signs in by the password, and stays on the page for the second factor. */
export async function signInHalf(page: Page, identifier: string): Promise<void> {
  await page.waitForURL((url) => url.pathname === "/sign-in");
  await fillIn(page, identifier, PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Second step" }).waitFor();
}

/** Signs out by the button of the page. */
export async function signOut(page: Page): Promise<void> {
  const { origin } = new URL(page.url());
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Notes that only you read" }).waitFor();
  await page.goto(`${origin}/sign-in`);
}

/** Registers on the page for it. */
export async function register(page: Page, identifier: string): Promise<void> {
  await fillIn(page, identifier, PASSWORD);
  await page.keyboard.press("Enter");
  await arriveAs(page, identifier);
}
