/** The page where people make and revoke keys for their programs, by keyboard alone. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { focused, type NotesScene, notesTest, signIn, tabTo } from "./_notes.ts";
import type { Page } from "./_playwright.ts";

/** What refusals leave in the console. */
const REFUSED = [/status of 4\d\d/];
const KEY_REGEXP = /^notes_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}$/;

/** Opens the page as Ada. */
async function openDeveloper({ open }: NotesScene): Promise<Page> {
  const page = await open("/sign-in?next=/developer");
  await signIn(page, "ada", "/developer");
  return page;
}

/** Makes a key, which is good for reading, and gives it. */
async function makeKey(page: Page, name: string): Promise<string> {
  await tabTo(page, "What is it for?");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name, exact: true }).waitFor();
  return await page.getByLabel("Your new key").inputValue();
}

/** Asks for notes as a program does, and gives the status. */
async function ask(origin: string, key: string, init: RequestInit = {}): Promise<number> {
  const headers = { "Content-Type": "application/json", "X-API-Key": key };
  const { status, body } = await fetch(`${origin}/notes`, { ...init, headers });
  await body?.cancel();
  return status;
}

const WRITE = { method: "POST", body: '{"title":"by a program"}' };

notesTest(
  "/developer makes a key, shows it once, copies and revokes it, by keyboard alone",
  async (scene) => {
    const { origin } = scene;
    const page = await scene.open("/sign-in");
    await signIn(page, "ada");
    await tabTo(page, "Developer");
    await page.keyboard.press("Enter");
    await page.getByText("You have no keys.").waitFor();
    await tabTo(page, "What is it for?");
    await page.keyboard.type("Backup");
    await tabTo(page, "Add, change and delete notes");
    await page.keyboard.press("Space");
    await tabTo(page, "How long is it good for?");
    await page.keyboard.press("End");
    await tabTo(page, "Make the key");
    await page.keyboard.press("Enter");

    const shown = page.getByLabel("Your new key");
    await shown.waitFor();
    assertEquals((await focused(page)).id, "key");
    const key = await shown.inputValue();
    assertMatch(key, KEY_REGEXP);
    assertEquals(await page.evaluate("getSelection().toString()"), key); // Ctrl+C takes it, too
    assertEquals([await ask(origin, key), await ask(origin, key, WRITE)], [200, 201]);
    await page.getByText("does not expire").waitFor();
    await page.getByText("notes:read, notes:write").waitFor();

    await tabTo(page, "Copy the key");
    await page.keyboard.press("Enter");
    await page.getByText("The key is copied.").waitFor();
    await tabTo(page, "What is it for?");
    await page.keyboard.press("ControlOrMeta+V");
    assertEquals(await page.getByLabel("What is it for?").inputValue(), key);

    assertEquals(page.url(), `${origin}/developer`);
    assertEquals(await page.evaluate("localStorage.length + sessionStorage.length"), 0);
    await page.reload();
    assertEquals(
      (await page.evaluate<string>("document.documentElement.outerHTML")).includes(key),
      false,
    );
    assertEquals(await shown.inputValue(), "");

    await page.getByRole("button", { name: "Revoke Backup" }).waitFor();
    await tabTo(page, "Revoke");
    await page.keyboard.press("Enter");
    await page.getByText("The key is revoked.").waitFor();
    assertEquals((await focused(page)).role, "status");
    await page.getByText("You have no keys.").waitFor();
    assertEquals(await ask(origin, key), 401);
  },
  { errors: REFUSED },
);

notesTest(
  "/developer makes keys that only read, for 90 days, if nothing else is said",
  async (scene) => {
    const page = await openDeveloper(scene);
    const before = Math.floor(Date.now() / 1000);
    const keys = [await makeKey(page, "First"), await makeKey(page, "Second")];
    assertEquals(new Set(keys).size, 2);
    for (const key of keys) {
      assertEquals(await ask(scene.origin, key), 200);
      assertEquals(await ask(scene.origin, key, WRITE), 403);
    }
    const { apiKeys } = await (await scene.service.call("/api-keys")).json();
    assertEquals(apiKeys.length, 2);
    for (const { expiresAt } of apiKeys) {
      const days = (expiresAt - before) / 86_400;
      assert(days >= 90 && days < 90.01, `${days}`);
    }
  },
);

notesTest("/developer takes a revoked key off the page where it is shown", async (scene) => {
  const page = await openDeveloper(scene);
  const key = await makeKey(page, "Slip");
  await page.getByRole("button", { name: "Revoke Slip" }).press("Enter");
  await page.getByText("The key is revoked.").waitFor();
  await page.getByLabel("Your new key").waitFor({ state: "hidden" });
  assertEquals(await page.locator("#key").inputValue(), "");
  assertEquals(await ask(scene.origin, key), 401);
});

notesTest("/developer says what is wrong with a form, where the focus goes", async (scene) => {
  const page = await openDeveloper(scene);
  await tabTo(page, "What is it for?");
  await page.keyboard.press("Enter");
  assertEquals(await page.locator("#name-error:not(:empty)").innerText(), "Fill this in.");
  assertEquals((await focused(page)).id, "name");
  await page.keyboard.type("Nothing");
  await tabTo(page, "Read notes");
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  assertEquals(await page.locator("#scope-error:not(:empty)").innerText(), "Needs one or more.");
  const box = await focused(page);
  assertEquals([box.id, box.shown && box.onScreen], ["read", true]);
  assertEquals(await page.locator("#read").getAttribute("aria-describedby"), "scope-error");
  assertEquals(await page.locator("#name-error").innerText(), "");
  await page.keyboard.press("Space");
  await tabTo(page, "Make the key");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Nothing" }).waitFor();
}, { errors: REFUSED });

notesTest("/developer says where a browser does not copy, and selects the key", async (scene) => {
  const page = await openDeveloper(scene);
  const key = await makeKey(page, "Backup");
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error())");
  await tabTo(page, "Copy the key");
  await page.keyboard.press("Enter");
  await page.getByText("Your browser does not let pages copy.").waitFor();
  assertEquals((await focused(page)).id, "key");
  assertEquals(await page.evaluate("getSelection().toString()"), key);
});

for (const cachesPages of [true, false]) {
  const where = cachesPages ? "memory" : "the cache";
  notesTest(`/developer leaves no key in ${where} behind the back button`, async (scene) => {
    const page = await openDeveloper(scene);
    const key = await makeKey(page, "Backup");
    await page.goto(`${scene.origin}/`);
    await page.goBack({ waitUntil: "commit" });
    await page.getByRole("heading", { name: "Backup" }).waitFor();
    assertEquals(await page.locator("#key").inputValue(), "");
    const text = await page.evaluate<string>("document.documentElement.outerHTML");
    assertEquals(text.includes(key), false);
    await page.locator("#make button:enabled").waitFor();
  }, { cachesPages });
}

notesTest("/developer drops the key as it is left: browsers may keep the page", async (scene) => {
  const page = await openDeveloper(scene);
  await makeKey(page, "Backup");
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))");
  assertEquals(await page.locator("#key").inputValue(), "");
  await page.getByLabel("Your new key").waitFor({ state: "hidden" });
});

notesTest("/developer shows names as text, and revokes what is meant", async (scene) => {
  const markup = "<img src=x onerror=document.title='run'>";
  for (const name of [markup, "Kept"]) {
    const body = { name, scope: ["notes:read"] };
    await (await scene.service.send("POST", "/api-keys", body)).body?.cancel();
  }
  const page = await openDeveloper(scene);
  await page.getByRole("heading", { name: markup }).waitFor();
  await page.getByRole("button", { name: `Revoke ${markup}` }).press("Enter");
  await page.getByText("The key is revoked.").waitFor();
  await page.getByRole("heading", { name: markup }).waitFor({ state: "hidden" });
  assertEquals(await page.locator("#api-keys li").count(), 1);
  assertEquals(await page.locator("main img").count(), 0);
  await page.getByRole("heading", { name: "Kept" }).waitFor();
});

notesTest("/developer says that a key was revoked elsewhere, and takes it off", async (scene) => {
  const { service } = scene;
  const body = { name: "Backup", scope: ["notes:read"] };
  const { info } = await (await service.send("POST", "/api-keys", body)).json();
  const page = await openDeveloper(scene);
  await (await service.call(`/api-keys/${info.id}`, { method: "DELETE" })).body?.cancel();
  await tabTo(page, "Revoke");
  await page.keyboard.press("Enter");
  await page.getByText("That key is revoked already.").waitFor();
  assertEquals((await focused(page)).role, "alert");
  await page.getByText("You have no keys.").waitFor();
}, { errors: REFUSED });

notesTest("/developer offers to sign in again where the session has ended", async (scene) => {
  const page = await openDeveloper(scene);
  await (await scene.service.call("/sessions", { method: "DELETE" })).body?.cancel();
  await tabTo(page, "What is it for?");
  await page.keyboard.type("Backup");
  await page.keyboard.press("Enter");
  await page.locator("#make .message:focus").waitFor();
  await tabTo(page, "Sign in");
  await page.keyboard.press("Enter");
  await signIn(page, "ada", "/developer");
}, { errors: REFUSED });
