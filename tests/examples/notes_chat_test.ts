/** The chat of the notes service, over sockets: who may join, what newcomers see, and what ends it. */

import { assertEquals } from "@std/assert";
import { handshake, open, type SocketClient } from "../router/live/_client.ts";
import { type Client, withNotes } from "./_notes_service.ts";

const PATH = "/chat/socket";

function headersOf({ cookies }: Pick<Client, "cookies">, port: number): Record<string, string> {
  const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return { Cookie, Origin: `http://127.0.0.1:${port}` };
}

/** The texts of the next messages, until there are so many. */
async function texts(client: SocketClient, count: number): Promise<string[]> {
  const found: string[] = [];
  while (found.length < count) {
    const { messages = [] } = JSON.parse(await client.next());
    found.push(...messages.map(({ from, text }: Record<string, string>) => `${from}: ${text}`));
  }
  return found;
}

/** Waits until the chat may handle the next message of each connection. */
function pauses(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 200));
}

Deno.test("The chat refuses strangers and pages of other sites", async () => {
  await withNotes(async ({ cookies, port, stranger }) => {
    const own = headersOf({ cookies }, port);
    const status = async (headers: Record<string, string>) =>
      (await handshake(port, PATH, { headers })).status;
    assertEquals(await status(headersOf(stranger(), port)), 401);
    assertEquals(await status({ ...own, Origin: "https://evil.example" }), 403);
    assertEquals(await status({ ...own, Upgrade: "h2c" }), 426);
  });
});

Deno.test("The chat shows newcomers what was written, cut to 500 characters", async () => {
  await withNotes(async ({ cookies, port, user }) => {
    using ada = await open(port, PATH, { headers: headersOf({ cookies }, port) });
    using bob = await open(port, PATH, { headers: headersOf(await user("bob"), port) });
    await ada.send("first");
    await ada.send("   ");
    await bob.send("x".repeat(600));
    const seen = await texts(ada, 2);
    assertEquals(seen.toSorted(), ["ada: first", `bob: ${"x".repeat(500)}`]);
    using later = await open(port, PATH, { headers: headersOf({ cookies }, port) });
    assertEquals(await texts(later, 2), seen);
    await bob.send("y".repeat(2001));
    while (!(await bob.next()).startsWith("close 1009"));
    for (const client of [ada, later]) client.end();
    await pauses();
  });
});

Deno.test("The chat is closed at once where the user signs out, not where others are", async () => {
  await withNotes(async ({ cookies, port, user }) => {
    const bobs = await user("bob");
    using ada = await open(port, PATH, { headers: headersOf({ cookies }, port) });
    using bob = await open(port, PATH, { headers: headersOf(bobs, port) });
    const response = await bobs.send("POST", "/auth/logout", {});
    await response.body?.cancel();
    let last = "";
    while (!last.startsWith("close")) last = await bob.next();
    assertEquals(last, "close 1008 session_expired");
    await ada.send("still here");
    assertEquals(await texts(ada, 1), ["ada: still here"]);
    ada.end();
    await pauses();
  });
});
