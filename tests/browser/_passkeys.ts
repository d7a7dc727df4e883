/**
 * What people do with passkeys on the pages of the notes service.
 *
 * @module
 */

import {
  addAuthenticator,
  type Authenticator,
  type AuthenticatorOptions,
} from "./_authenticator.ts";
import { arriveAs, type NotesScene, signIn } from "./_notes.ts";
import type { Page } from "./_playwright.ts";
import type { BrowserTestOptions } from "./_windows.ts";

/** Options of tests whose refusals are in the console. */
export const REFUSED: BrowserTestOptions = { errors: [/status of 4\d\d/] };

/**
 * A script that notes in `requests` what a page asks for, and whether the offer of passkeys before was aborted: not every
 * browser does that by itself.
 */
export const NOTE_REQUESTS: string = `if (globalThis.CredentialsContainer) {
  const { fetch, CredentialsContainer: { prototype } } = globalThis;
  const { get } = prototype;
  let before;
  globalThis.requests = [];
  prototype.get = function (options) {
    requests.push([options.mediation ?? "dialog", before?.aborted ?? null]);
    before = options.signal;
    return get.call(this, options);
  };
  globalThis.fetch = (input, init) => {
    const { pathname } = new URL(input.url ?? input, location.href);
    if (pathname === "/auth/login") requests.push(["password", before?.aborted ?? null]);
    return fetch(input, init);
  };
}`;

/** A tab with an authenticator. */
export interface Tab {
  readonly page: Page;
  readonly authenticator: Authenticator;
}

/** Opens `/passkeys` as Ada, who has a password. */
export async function openAsAda(
  { open }: NotesScene,
  options?: AuthenticatorOptions,
): Promise<Tab> {
  const page = await open("/sign-in?next=/passkeys");
  await signIn(page, "ada", "/passkeys");
  return { page, authenticator: await addAuthenticator(page, options) };
}

/** Opens `/passkeys` as somebody who registers with a passkey. */
export async function openAsNew(
  { open }: Pick<NotesScene, "open">,
  identifier: string,
): Promise<Tab> {
  const page = await open("/register?next=/passkeys");
  const authenticator = await addAuthenticator(page);
  await page.locator("#identifier").fill(identifier);
  await page.getByRole("button", { name: "Create an account with a passkey" }).click();
  await arriveAs(page, identifier, "/passkeys");
  return { page, authenticator };
}

/** Creates a passkey on the page of the list. */
export async function create(page: Page, name: string): Promise<void> {
  await page.locator("#name").fill(name);
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await page.getByRole("heading", { name, exact: true }).waitFor();
}

/** Signs out, and opens the page to sign in. With somebody at the authenticator, the offer in the autofill is taken. */
export async function signOut(page: Page, to = "/sign-in"): Promise<void> {
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Notes that only you read" }).waitFor();
  await page.goto(new URL(to, page.url()).href);
}

/** Waits until passkeys are offered in the autofill, and a moment more, in which the page has begun to. */
export async function untilOffered(page: Page): Promise<void> {
  await page.waitForResponse("**/auth/webauthn/login/options");
  await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
}

/** Why ceremonies were refused. */
export function reasons({ service }: NotesScene): readonly string[] {
  return service.events.flatMap((event) => event.type === "webauthn.failed" ? [event.reason] : []);
}

/** Removes Ada's passkeys at the service. */
export async function removeAll({ service }: NotesScene): Promise<void> {
  const { user: { sub } } = await (await service.call("/auth/session")).json();
  for (const { id } of await service.stores.credentials.list(sub)) {
    await service.stores.credentials.delete(id);
  }
}
