/**
 * The notes example and Notes ID, as `deno task start` serves them: at two ports of `localhost`.
 *
 * @module
 */

import { DEMO_PASSWORD } from "../../examples/notes/identity/demo.ts";
import { createNotesWithId, type NotesWithId } from "../examples/_notes_id.ts";
import { openPage } from "./_notes.ts";
import type { BrowserContext, Page } from "./_playwright.ts";
import { type BrowserTestOptions, type OpenWindow, windowTest } from "./_windows.ts";

/** What a test gets. */
export interface NotesIdScene {
  /** Origin of the notes. */
  readonly notes: string;
  /** Origin of Notes ID. */
  readonly id: string;
  readonly context: BrowserContext;
  /** Opens a page in a new tab. */
  open(url: string): Promise<Page>;
  /** Opens another window. */
  readonly another: OpenWindow;
}

/** Registers a test in a window of its own, before services of its own. */
export function notesIdTest(
  name: string,
  fn: (scene: NotesIdScene) => Promise<void>,
  options?: BrowserTestOptions,
): void {
  windowTest(name, async (useWindows) => {
    const local = { hostname: "127.0.0.1", port: 0, onListen() {} };
    const servers = [
      Deno.serve(local, (request, info) => both.notes(request, info)),
      Deno.serve(local, (request, info) => both.id(request, info)),
    ] as const;
    const [notes, id] = servers.map(({ addr }) => `http://localhost:${addr.port}`) as [
      string,
      string,
    ];
    const both: NotesWithId = await createNotesWithId({ notesOrigin: notes, issuer: id });
    try {
      await useWindows(async (another) => {
        const context = await another();
        await fn({ notes, id, context, another, open: (url) => openPage(context, url) });
      });
    } finally {
      await Promise.all(servers.map((server) => server.shutdown()));
    }
  }, options);
}

/** Begins a sign-in at the notes, which leads to Notes ID. */
export async function leaveForId(page: Page, next = "/"): Promise<void> {
  const { origin } = new URL(page.url());
  await page.goto(`${origin}/sign-in?${new URLSearchParams({ next })}`);
  await page.getByRole("link", { name: "Sign in with Notes ID" }).click();
}

/** Signs in on the page of Notes ID for it. */
export async function signInAtId(page: Page, name = "ada"): Promise<void> {
  await page.waitForURL((url) => url.pathname === "/sign-in" && url.search.includes("reason="));
  await page.getByLabel("E-mail address").fill(`${name}@example.com`);
  await page.getByLabel("Password").fill(DEMO_PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Answers the consent page. */
export async function answer(page: Page, button: "Allow" | "Cancel"): Promise<void> {
  await page.waitForURL((url) => url.pathname === "/oauth/authorize");
  await page.getByRole("button", { name: button }).click();
}
