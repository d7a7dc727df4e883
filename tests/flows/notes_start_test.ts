/** The notes service in separate processes; more cases are in tests/exhaustive. */

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { enter, spawn, start, titles, withFolder } from "./_notes_process.ts";

Deno.test("main.ts prints the addresses of the start page and the documentation", async () => {
  await withFolder(async (folder) => {
    const service = await start(folder);
    const page = await (await fetch(`${service.origin}/`)).text();
    assertMatch(page, /<a [^>]*href="\/register">Register<\/a>/);
    assertEquals(service.docs, `${service.origin}/docs`);
    const docs = await fetch(service.docs);
    assertEquals(docs.status, 200);
    await docs.body?.cancel();

    const { client, response } = await enter(service.origin);
    assertEquals(response.status, 201);
    assertEquals((await client.create({ title: "My note" })).title, "My note");
    assertEquals(await service.stop("SIGTERM"), { code: 0, stderr: "" });
  });
});

Deno.test("main.ts completes a running upload after SIGTERM", async () => {
  await withFolder(async (folder) => {
    const service = await start(folder);
    const begun = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const late: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> = {
      async pull(controller): Promise<void> {
        begun.resolve();
        await stopped.promise;
        controller.enqueue(new TextEncoder().encode('{"title":"late"}'));
        controller.close();
      },
    };
    const body = new ReadableStream(late, { highWaterMark: 0 }); // pulled after the request has started
    const { client } = await enter(service.origin);
    const answer = client.call("/notes", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    await begun.promise;
    await titles(client); // the previous request has arrived
    const end = service.stop("SIGTERM");
    await unavailable(service.origin);
    stopped.resolve();
    const response = await answer;
    assertEquals([response.status, (await response.json()).title], [201, "late"]);
    assertEquals(await end, { code: 0, stderr: "" });
  });
});

/** Waits until new requests are rejected. */
async function unavailable(origin: string): Promise<void> {
  for (;;) {
    const { status, body } = await fetch(origin);
    await body?.cancel();
    if (status === 503) return;
  }
}

Deno.test("main.ts prints one line if the port is in use", async () => {
  await withFolder(async (folder) => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const { code, stdout, stderr } = await spawn(folder, String(port)).output();
    assertEquals(
      new TextDecoder().decode(stderr),
      `Cannot start: port ${port} is in use; set PORT to another one\n`,
    );
    assertEquals([code, stdout.length], [1, 0]);
  });
});

Deno.test("main.ts prints one line if the database cannot be opened", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(folder, "notes.sqlite3"), "This is no database. ".repeat(100));
    const { code, stderr } = await spawn(folder, "0").output();
    assertMatch(
      new TextDecoder().decode(stderr),
      /^Cannot start: cannot open the database in .+: .+\n$/,
    );
    assertEquals(code, 1);
  });
});

Deno.test("main.ts prints one line if the secret is too short, without the secret", async () => {
  await withFolder(async (folder) => {
    const { code, stdout, stderr } = await spawn(folder, "0", { secret: "hunter2" }).output();
    assertEquals(
      new TextDecoder().decode(stderr),
      "Cannot start: SECRET is shorter than 32 bytes, or not random; leave it out to have one made\n",
    );
    assertEquals([code, stdout.length], [1, 0]);
  });
});

Deno.test("main.ts keeps accounts, sessions and notes across a restart, and seeds only once", async () => {
  await withFolder(async (folder) => {
    const first = await start(folder);
    const { client } = await enter(first.origin);
    assertEquals((await titles(client)).length > 1, true);
    const { notes } = await (await client.call("/notes")).json();
    for (const { id } of notes) {
      assertEquals((await client.call(`/notes/${id}`, { method: "DELETE" })).status, 204);
    }
    await client.create({ title: "mine" });
    assertEquals(await first.stop("SIGINT"), { code: 0, stderr: "" });

    const second = await start(folder);
    const Cookie = [...client.cookies].map((pair) => pair.join("=")).join("; ");
    const old = await fetch(`${second.origin}/notes`, { headers: { Cookie } });
    const { notes: kept } = await old.json();
    assertEquals([old.status, kept.map(({ title }: { title: string }) => title)], [200, ["mine"]]);
    assertEquals((await enter(second.origin)).response.status, 409); // the name is taken
    const again = await enter(second.origin, "login");
    assertEquals([again.response.status, await titles(again.client)], [200, ["mine"]]);
    assertEquals(await second.stop("SIGTERM"), { code: 0, stderr: "" });
  });
});
