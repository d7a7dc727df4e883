/** Pages of the notes service: what assistive technology and small screens need, sessions, and what ends with them. */

import { assert, assertEquals } from "@std/assert";
import type { NotesService } from "../examples/_notes_service.ts";
import {
  refresh,
  signIn as signInProgram,
  signOut,
  statusOf,
} from "../flows/_notes_api_clients.ts";
import { addAuthenticator } from "./_authenticator.ts";
import { focused, notesTest, openPage, signIn, tabTo } from "./_notes.ts";
import type { Page } from "./_playwright.ts";

/** What refusals leave in the console. */
const REFUSED = [/status of 4\d\d/];

/** What a page has that can be filled in or pressed. */
interface Control {
  readonly id: string;
  readonly type: string;
  readonly autocomplete: string;
  /** Texts of its labels, or its own. */
  readonly name: string;
}

function controlsOf(page: Page): Promise<readonly Control[]> {
  return page.evaluate(`[...document.querySelectorAll("main input, main button")].map((one) => ({
    id: one.id,
    type: one.type,
    autocomplete: one.autocomplete ?? "",
    name: ([...one.labels].map(({ textContent }) => textContent).join(" ") || one.textContent).trim(),
  }))`);
}

const FORMS: readonly [path: string, controls: readonly [name: string, autocomplete: string][]][] =
  [
    ["/register", [
      ["E-mail address or name", "username"],
      ["Create an account with a passkey", ""],
      ["New password", "new-password"],
      ["Show the password", ""],
      ["Register", ""],
    ]],
    ["/sign-in", [
      ["E-mail address or name", "username webauthn"],
      ["Password", "current-password"],
      ["Show the password", ""],
      ["Keep me signed in on this browser", ""],
      ["Sign in", ""],
      ["Sign in with a passkey", ""],
      ["Send me a link", ""],
      ["Send me a code", ""],
    ]],
  ];

for (const [path, controls] of FORMS) {
  notesTest(`${path} has names and password managers' hints on its fields`, async ({ open }) => {
    const page = await open(path);
    assertEquals(
      (await controlsOf(page)).map(({ name, autocomplete }) => [name, autocomplete]),
      controls.map((control) => [...control]),
    );
    const language = await page.evaluate("document.documentElement.lang");
    assertEquals([language, await page.locator("h1").count()], ["en", 1]);
    assert((await page.title()).endsWith("– Notes"));
  });
}

/** The longest words that people can enter. */
const LONG = { identifier: "grace-".repeat(42), title: "w".repeat(200) };
/** A small phone. */
const PHONE = { width: 360, height: 640 };
/** In CSS pixels; WCAG 2.2, 2.5.8. */
const SMALLEST_TARGET = 24;

notesTest("Every page fits a phone", async ({ service, another, origin }) => {
  const { create, send } = await service.user(LONG.identifier, LONG.title);
  const apiKey = { name: "w".repeat(100), scope: ["notes:read", "notes:write"] };
  await (await send("POST", "/api-keys", apiKey)).body?.cancel();
  await create({ title: LONG.title, text: LONG.title, tags: ["w".repeat(40)] });
  const context = await another({ viewport: PHONE });
  const page = await openPage(context, `${origin}/register`);
  await assertFits(page);
  await page.goto(`${origin}/`);
  await assertFits(page);
  await page.goto(`${origin}/sign-in`);
  await assertFits(page);
  await page.locator("#identifier").press("Enter"); // now with what is missing
  await page.locator("[aria-invalid=true]:focus").waitFor();
  await assertFits(page);

  await signIn(page, LONG.identifier);
  await signInProgram(origin, LONG.identifier);
  await page.getByText("Add a note").click();
  await assertFits(page);
  await page.goto(`${origin}/tour`);
  await assertFits(page);
  await page.goto(`${origin}/sessions`);
  await assertFits(page);
  await addAuthenticator(page);
  await page.goto(`${origin}/passkeys`);
  await page.locator("#name").fill("w".repeat(64));
  await page.locator("#name").press("Enter");
  await page.locator("#list-status:focus").waitFor();
  await assertFits(page);
  for (const action of ["Rename", "Remove"]) { // their dialogs
    await page.getByRole("button", { name: `${action} w` }).click();
    await assertFits(page);
    await page.keyboard.press("Escape");
  }
  await page.goto(`${origin}/developer`);
  await page.locator("#name").fill("phone");
  await page.locator("#name").press("Enter");
  await page.locator("#key:focus").waitFor();
  await assertFits(page);
  await page.goto(`${origin}/nowhere`);
  await assertFits(page);
  await page.goto(`${origin}/security`);
  await page.getByText("Add an address").click();
  await page.getByRole("button", { name: "Set up an authenticator app" }).click();
  await page.locator("#enrol:focus").waitFor();
  await assertFits(page);
  await service.outbox.deliver({
    kind: "reset_password",
    to: `${"w".repeat(200)}@example.org`,
    url: `${origin}/reset?token=${"w".repeat(200)}`,
  });
  for (
    const path of [
      "/security/delete",
      "/outbox",
      "/forgot",
      "/reset?token=x",
      "/verify?token=x",
      "/sign-in/link?token=x",
      "/sign-in/link",
      "/sign-in/code",
    ]
  ) {
    await page.goto(origin + path);
    await assertFits(page);
  }
}, { errors: REFUSED });

async function assertFits(page: Page): Promise<void> {
  const wide = await page.evaluate(`document.documentElement.scrollWidth > innerWidth
    ? [...document.querySelectorAll("body *")]
      .filter((one) => one.getBoundingClientRect().right > innerWidth)
      .map((one) => one.outerHTML.slice(0, 80))
    : []`);
  assertEquals(wide, [], `${page.url()} scrolls sideways`);
  const small = await page.evaluate(
    `[...document.querySelectorAll("button, input, select, summary")]
    .filter((one) => one.checkVisibility() && !one.labels?.length)
    .filter((one) => one.getBoundingClientRect().height < ${SMALLEST_TARGET})
    .map((one) => one.outerHTML.slice(0, 80))`,
  );
  assertEquals(small, [], `${page.url()} has targets that are hard to hit`);
}

notesTest(
  "/ shows what another window adds, at once",
  async ({ service, another, open, origin }) => {
    await service.user("grace");
    const page = await open("/sign-in");
    await signIn(page, "grace");
    const other = await openPage(await another(), `${origin}/sign-in`);
    await signIn(other, "grace");
    await other.getByText("Add a note").click();
    await other.locator("#title").fill("Milk");
    await other.locator("#title").press("Enter");
    await page.getByRole("link", { name: "Milk" }).waitFor();
  },
);

notesTest("/sessions ends a session in another window", async ({ open, another, origin }) => {
  const page = await open("/sign-in?next=/sessions");
  const elsewhere = await openPage(await another(), `${origin}/sign-in`);
  await signIn(elsewhere, "ada");
  await signIn(page, "ada", "/sessions");
  assertEquals(await page.locator("#sessions li").count(), 3); // the first is of the registration
  assertEquals(await page.locator("#sessions li .badge").count(), 1);
  assertEquals(await page.getByRole("button", { name: "End this session" }).count(), 2);

  await tabTo(page, "End this session");
  await page.keyboard.press("Enter");
  await page.getByText("The session has ended.").waitFor();
  assertEquals((await focused(page)).role, "status");
  assertEquals(await page.locator("#sessions li").count(), 2);
  await tabTo(page, "End all other sessions");
  await page.keyboard.press("Enter");
  await page.getByText("All other sessions have ended.").waitFor();
  assertEquals(await page.locator("#sessions li").count(), 1);

  await tabTo(elsewhere, "Your sessions");
  await elsewhere.keyboard.press("Enter");
  await elsewhere.getByText("Your session has ended. Sign in again to go on.").waitFor();
  await signIn(elsewhere, "ada", "/sessions");
  await page.reload();
  assertEquals(await page.locator("#sessions li").count(), 2);
});

notesTest("/sessions lists programs and signs them out, by keyboard alone", async (scene) => {
  const { open, origin } = scene;
  const page = await open("/sign-in?next=/sessions");
  await signIn(page, "ada", "/sessions");
  await page.getByText("No program is signed in.").waitFor();
  const tokens = [await signInProgram(origin, "ada"), await signInProgram(origin, "ada")];
  await page.reload();
  await page.getByText("No program is signed in.").waitFor({ state: "hidden" });
  assertEquals(await page.locator("#programs li").count(), 2);
  await tabTo(page, "Sign this program out");
  await page.keyboard.press("Enter");
  await page.getByText("The program is signed out.").waitFor();
  assertEquals((await focused(page)).role, "status");
  assertEquals(await page.locator("#programs li").count(), 1);
  const answers = tokens.map(({ refreshToken }) => statusOf(refresh(origin, refreshToken)));
  assertEquals((await Promise.all(answers)).toSorted(), [200, 401]);

  for (const { refreshToken } of tokens) await statusOf(signOut(origin, refreshToken));
  await tabTo(page, "Sign this program out");
  await page.keyboard.press("Enter");
  await page.getByText("That program is signed out already.").waitFor();
  assertEquals((await focused(page)).role, "alert");
  assertEquals(await page.locator("#programs li").count(), 0);
  await page.getByText("No program is signed in.").waitFor();
}, { errors: REFUSED });

notesTest("/sessions ends programs with all other sessions, and says so", async (scene) => {
  const { refreshToken } = await signInProgram(scene.origin, "ada");
  const page = await scene.open("/sign-in?next=/sessions");
  await signIn(page, "ada", "/sessions");
  await page.getByText("This signs out all programs, too.").waitFor();
  await tabTo(page, "End all other sessions");
  await page.keyboard.press("Enter");
  await page.getByText("All other sessions have ended.").waitFor();
  await page.getByText("No program is signed in.").waitFor();
  assertEquals(await page.locator("#programs li, #others").count(), 0);
  assertEquals(await statusOf(refresh(scene.origin, refreshToken)), 401);
}, { errors: REFUSED });

notesTest("/ offers to sign in again where a session has ended", async ({ service, open }) => {
  const page = await open("/sign-in");
  await signIn(page, "ada");
  await endOthers(service);
  await tabTo(page, "Add a note");
  await page.keyboard.press("Enter");
  await tabTo(page, "Title");
  await page.keyboard.type("Milk");
  await page.keyboard.press("Enter");
  await page.locator("#add .message:focus").waitFor();
  await tabTo(page, "Sign in");
  await page.keyboard.press("Enter");
  await signIn(page, "ada");
}, { errors: REFUSED });

notesTest("Every page signs out, and no tab goes on", async ({ open, origin }) => {
  const page = await open("/sign-in");
  await signIn(page, "ada");
  const other = await open("/sessions");
  await tabTo(other, "Sign out");
  await other.keyboard.press("Enter");
  await other.getByRole("heading", { name: "Notes that only you read" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Notes that only you read" }).waitFor();
  await page.goto(`${origin}/sessions`);
  assertEquals(new URL(page.url()).pathname, "/sign-in");
});

for (const cachesPages of [true, false]) {
  const where = cachesPages ? "memory" : "the cache";
  notesTest(`No note is left in ${where} behind the back button`, async (scene) => {
    const { service, open, origin } = scene;
    await service.create({ title: "Secret of Ada" });
    const page = await open("/sign-in");
    await signIn(page, "ada");
    await page.goto(`${origin}/?q=secret`);
    await page.getByText("Secret of Ada").waitFor();
    await tabTo(page, "Sign out");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${origin}/`);
    await page.goBack({ waitUntil: "commit" });
    await page.getByRole("heading", { name: "Notes that only you read" }).waitFor();
    assertEquals(page.url(), `${origin}/?q=secret`);
    assertEquals(await page.getByText("Secret of Ada").count(), 0);
  }, { cachesPages });
}

notesTest("/sessions shows what a browser calls itself as text", async ({ service, open }) => {
  const markup = "<img src=x onerror=document.title='run'>";
  await (await service.stranger().enter("login", "ada", { "User-Agent": markup })).body?.cancel();
  await service.create({ title: markup, text: markup });
  const page = await open("/sign-in");
  await signIn(page, "ada");
  assertEquals(await page.locator("main img").count(), 0);
  await page.goto(`http://localhost:${service.port}/sessions`);
  await page.getByText(markup).waitFor();
  assertEquals(await page.locator("main img").count(), 0);
});

/** Ends all sessions of `ada` but that of the client. */
async function endOthers(service: NotesService): Promise<void> {
  const response = await service.call("/sessions", { method: "DELETE" });
  await response.body?.cancel();
  assert(response.ok, `${response.status}`);
}
