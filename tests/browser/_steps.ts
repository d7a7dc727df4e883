/**
 * What users do on the pages of `_app.ts`.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { APP_HOST, PASSWORD, type Scene } from "./_harness.ts";
import type { BrowserContext, JarCookie, Page } from "./_playwright.ts";

/** An answer, as a page's script sees it. */
export interface Answer {
  readonly status: number;
  readonly body?: {
    readonly code?: string;
    readonly user?: { readonly identifier: string };
  };
}

/** Names and values of the cookies that a host has in a window. */
export async function jarOf(
  context: BrowserContext,
  host: string,
): Promise<Readonly<Record<string, JarCookie>>> {
  const cookies = (await context.cookies()).filter(({ domain }) => domain === host);
  return Object.fromEntries(cookies.map((cookie) => [cookie.name, cookie]));
}

/** Sends a request from a page as its own script does. */
export function send(page: Page, method: string, path: string, body?: unknown): Promise<Answer> {
  return page.evaluate(`send(${[method, path, body].map(literal).join()})`);
}

/** Sends a request from a page with the token against forgeries. */
export function sendWithToken(
  page: Page,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  return page.evaluate(`sendWithToken(${[method, path, body].map(literal).join()})`);
}

/** Registers somebody from a page, who is signed in then. */
export async function register(page: Page, identifier: string): Promise<Answer> {
  const answer = await sendWithToken(page, "POST", "/auth/register", {
    identifier,
    password: PASSWORD,
  });
  assertEquals(answer.status, 201, answer.body?.code);
  return answer;
}

/** Opens a page of the application where somebody has just registered. */
export async function openAs(scene: Scene, identifier: string): Promise<Page> {
  const page = await scene.open();
  await register(page, identifier);
  return page;
}

/** Signs somebody in without a page: the session begins at the server, and its cookie is put into the window. */
export async function signInAs(scene: Scene, identifier: string): Promise<string> {
  const { passwords, sessions, cookies } = scene.runtime;
  const user = await passwords.createUser({ identifier, password: PASSWORD });
  const { token } = await sessions.create(user);
  const attributes = { httpOnly: true, secure: true, sameSite: "Lax", path: "/" } as const;
  await scene.context.addCookies([
    { name: cookies.names.sid, value: token, domain: APP_HOST, ...attributes },
  ]);
  return token;
}

/** A value as JavaScript. */
export function literal(value: unknown): string {
  return value === undefined ? "undefined" : JSON.stringify(value);
}

/** Goes back in a page's history, as its button does: later, since a page that is left answers no script. */
export async function goBack(page: Page): Promise<void> {
  await page.evaluate("void setTimeout(() => history.back())");
}
