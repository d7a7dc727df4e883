/** `/changes` of the notes service: who gets what, and until when. */

import { assertEquals } from "@std/assert";
import { type Client, withNotes } from "./_notes_service.ts";

/** The changes that a client is sent, decoded. */
async function* changesOf({ call }: Pick<Client, "call">): AsyncGenerator<unknown> {
  const response = await call("/changes");
  assertEquals(response.headers.get("Content-Type"), "text/event-stream");
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

Deno.test("/changes sends a user's changes, and nobody else's", () =>
  withNotes(async ({ call, create, send, user }) => {
    const changes = changesOf({ call });
    const first = changes.next();
    await new Promise((resolve) => setTimeout(resolve, 50)); // it has begun
    await (await user("eve")).create({ title: "Not ada's" });
    const note = await create({ title: "Milk" });
    assertEquals((await first).value, { kind: "ADDED", note });
    await (await send("DELETE", `/notes/${note.id}`, undefined)).body?.cancel();
    assertEquals((await changes.next()).value, { kind: "REMOVED", note });
    await changes.return(undefined);
  }));

Deno.test("/changes is for users, and for keys that may read", () =>
  withNotes(async ({ send, stranger }) => {
    const unknown = await stranger().call("/changes");
    await unknown.body?.cancel();
    assertEquals(unknown.status, 401);
    const made = await send("POST", "/api-keys", { name: "writer", scope: ["notes:write"] });
    const { key } = await made.json();
    const writer = await stranger().call("/changes", { headers: { "X-API-Key": key } });
    await writer.body?.cancel();
    assertEquals(writer.status, 403);
  }));
