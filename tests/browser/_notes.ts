/**
 * The notes service in a browser, and what people do there with a keyboard.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { type NotesService, PASSWORD, withNotes } from "../examples/_notes_service.ts";
import type { BrowserContext, Page } from "./_playwright.ts";
import { type BrowserTestOptions, type OpenWindow, windowTest } from "./_windows.ts";

export { PASSWORD };

/** What a test gets. */
export interface NotesScene {
  /** The service; `ada` has registered. */
  readonly service: NotesService;
  /** Where the service is. */
  readonly origin: string;
  /** The window. */
  readonly context: BrowserContext;
  /** Opens a page in a new tab. */
  open(path: string): Promise<Page>;
  /** Opens another window. */
  readonly another: OpenWindow;
  /** Moves the service's clock on. */
  wait(seconds: number): void;
}

/** Registers a test in a window of its own, before a notes service of its own. */
export function notesTest(
  name: string,
  fn: (scene: NotesScene) => Promise<void>,
  options?: BrowserTestOptions,
): void {
  windowTest(name, (useWindows) => {
    let waitedMs = 0;
    const wait = (seconds: number) => void (waitedMs += seconds * 1_000);
    return withNotes((service) =>
      useWindows(async (another) => {
        const origin = `http://localhost:${service.port}`;
        const context = await another();
        const open = (path: string) => openPage(context, origin + path);
        await fn({ service, origin, context, open, another, wait });
      }), { nowMs: () => Date.now() + waitedMs });
  }, options);
}

/** Opens a page in a new tab of a window. */
export async function openPage(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Signs in by keyboard on the page for it, once it is there. @param next Path of the page that comes then. */
export async function signIn(page: Page, identifier: string, next = "/"): Promise<void> {
  await page.waitForURL((url) => url.pathname === "/sign-in");
  await fillIn(page, identifier, PASSWORD);
  await page.keyboard.press("Enter");
  await arriveAs(page, identifier, next);
}

/** Waits for a page with its scripts, which enable its buttons, where somebody is signed in. */
export async function arriveAs(page: Page, identifier: string, path = "/"): Promise<void> {
  await page.waitForURL((url) => url.pathname === path);
  await page.getByText(`Signed in as ${identifier}`).waitFor();
}

/** Fills in identifier and password by keyboard, in the form that the page has; leaves the focus in the password. */
export async function fillIn(page: Page, identifier: string, password: string): Promise<void> {
  await tabTo(page, "E-mail address or name");
  await retype(page, identifier);
  await tabTo(page, /^(?:New p|P)assword$/);
  await retype(page, password);
}

/** What has the focus. */
export interface Focused {
  /** What assistive technology calls it, as far as labels and texts say so. */
  readonly name: string;
  readonly tag: string;
  readonly id: string;
  readonly role: string | null;
  /** Whether something around it shows that it has the focus. */
  readonly shown: boolean;
  /** Whether it is on the screen. */
  readonly onScreen: boolean;
}

/** Looks at what has the focus. */
export function focused(page: Page): Promise<Focused> {
  return page.evaluate(`(() => {
    const element = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { top, bottom, height } = element.getBoundingClientRect();
    const labels = [...(element.labels ?? [])].map(({ textContent }) => textContent);
    return {
      name: (labels.length > 0 ? labels.join(" ") : element.textContent).trim(),
      tag: element.localName,
      id: element.id,
      role: element.getAttribute("role"),
      shown: outlineStyle !== "none" && parseFloat(outlineWidth) > 0,
      onScreen: height > 0 && top >= -1 && bottom <= innerHeight + 1, // of fractions of a pixel, the browser shows most
    };
  })()`);
}

/** Elements of a page that the focus can stop at, and more. */
const MOST_STOPS = 60;

/** Presses Tab until something has the focus. Wherever it stops before, people see where. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = [];
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    await page.keyboard.press("Tab");
    const stop = await focused(page);
    if (stop.tag === "body") continue; // between the last element and the first
    assert(stop.shown && stop.onScreen, `nobody sees the focus at: ${stop.name}`);
    if (typeof name === "string" ? stop.name === name : name.test(stop.name)) return;
    passed.push(stop.name);
  }
  assertEquals(passed, [], `Tab does not lead to ${name}`);
}

async function retype(page: Page, text: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.press("Delete");
  await page.keyboard.type(text);
}
