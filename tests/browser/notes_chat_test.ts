/** The chat: two people talk, and who signs out is disconnected. */

import { assertEquals } from "@std/assert";
import { type NotesScene, notesTest, openPage, signIn, tabTo } from "./_notes.ts";
import type { Page } from "./_playwright.ts";

/** What refusals and lost connections leave in the console. */
const ERRORS = [/status of 4\d\d/, /WebSocket connection/];

/** Opens the chat as Ada, and as Bob in another window. */
async function openChat({ open, another, origin, service }: NotesScene): Promise<[Page, Page]> {
  const ada = await open("/sign-in?next=/chat");
  await signIn(ada, "ada", "/chat");
  await service.user("bob");
  const bob = await openPage(await another(), `${origin}/sign-in?next=/chat`);
  await signIn(bob, "bob", "/chat");
  for (const page of [ada, bob]) await page.getByText("2 people are here.").waitFor();
  return [ada, bob];
}

async function say(page: Page, text: string): Promise<void> {
  await tabTo(page, "Your message");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

notesTest(
  "/chat shows what somebody writes to everybody, and to who comes later",
  async (scene) => {
    const [ada, bob] = await openChat(scene);
    await say(ada, "Hello <b>Bob</b>");
    await bob.getByText("Hello <b>Bob</b>").waitFor();
    await say(bob, "Hello Ada");
    await ada.getByText("Hello Ada").waitFor();
    assertEquals(await ada.evaluate("document.querySelector('#text').value"), "");

    const later = await scene.open("/chat");
    await later.getByText("Hello Ada").waitFor();
    await later.getByText("2 people are here.").waitFor(); // in three windows
    await bob.close();
    await ada.getByText("You are alone here.").waitFor();
  },
);

notesTest("/chat is closed at once when the user signs out in another tab", async (scene) => {
  const [ada, bob] = await openChat(scene);
  const other = await scene.open("/security");
  await tabTo(other, "Sign out");
  await other.keyboard.press("Enter");
  await ada.getByText("Your session has ended.").waitFor();
  await ada.getByText("Not connected").waitFor();
  await bob.getByText("You are alone here.").waitFor();
  await say(bob, "Is somebody there?");
  await bob.getByText("Is somebody there?").waitFor();
  assertEquals(await ada.getByText("Is somebody there?").count(), 0);
}, { errors: ERRORS });

notesTest("/chat does not connect a page of another site", async (scene) => {
  const ada = await scene.open("/sign-in?next=/chat");
  await signIn(ada, "ada", "/chat");
  const { port } = scene.service;
  await using foreign = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("<title>foreign</title>", { headers: { "Content-Type": "text/html" } }),
  );
  const page = await scene.open("/chat");
  await page.goto(`http://localhost:${foreign.addr.port}/`); // the same site, with the cookies
  const outcome = await page.evaluate(`new Promise((resolve) => {
    const socket = new WebSocket("ws://localhost:${port}/chat/socket");
    socket.onopen = () => resolve("open");
    socket.onerror = () => resolve("error");
  })`);
  assertEquals(outcome, "error");
}, { errors: ERRORS });
