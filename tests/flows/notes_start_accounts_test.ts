import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { createClient } from "../examples/_notes_service.ts";
import { enter, spawn, start, titles, withFolder } from "./_notes_process.ts";

Deno.test("main.ts keeps accounts, sessions and notes over a restart, and seeds only once", async () => {
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

Deno.test("main.ts keeps a secret that only its owner reads, and leaves it alone where another one is given", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "secret");
    const first = await start(folder);
    const kept = await Deno.readTextFile(path);
    assertMatch(kept, /^[\w-]{43}$/);
    if (Deno.build.os !== "windows") {
      assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    }
    assertEquals(await first.stop("SIGTERM"), { code: 0, stderr: "" });
    const second = await start(folder, { secret: "another secret, of 32 bytes or more" });
    assertEquals(await second.stop("SIGTERM"), { code: 0, stderr: "" });
    assertEquals(await Deno.readTextFile(path), kept);
  });
});

Deno.test("main.ts says in one line that the secret is too short, and does not repeat it", async () => {
  await withFolder(async (folder) => {
    const { code, stdout, stderr } = await spawn(folder, "0", { secret: "hunter2" }).output();
    assertEquals(
      new TextDecoder().decode(stderr),
      "Cannot start: SECRET is shorter than 32 bytes; leave it out to have one made\n",
    );
    assertEquals([code, stdout.length], [1, 0]);
  });
});

Deno.test("main.ts logs refusals in one line each, without what anybody typed", async () => {
  await withFolder(async (folder) => {
    const service = await start(folder);
    const { client } = await enter(service.origin);
    const headers = { "Sec-Fetch-Site": "cross-site" };
    const forged = await client.send("POST", "/notes", { title: "forged" }, headers);
    assertEquals(forged.status, 403);
    await forged.body?.cancel();
    const { id } = await client.create({ title: "mine" });
    const eve = createClient(service.origin);
    await (await eve.enter("register", "eve")).body?.cancel();
    const denied = await eve.call(`/notes/${id}`);
    assertEquals(denied.status, 403);
    await denied.body?.cancel();
    for (let i = 0; i < 6; i++) {
      const guess = { identifier: "ada", password: "hunter2" };
      await (await eve.send("POST", "/auth/login", guess)).body?.cancel();
    }
    const { code, stderr } = await service.stop("SIGTERM");
    const [forgery = "", denial = "", throttled = "", ...rest] = stderr.split("\n");
    assertEquals([code, forgery, rest], [0, 'csrf.failed reason="cross_origin"', [""]]);
    assertMatch(denial, /^authz\.denied sub="[\w-]{22}" route="\/notes\/:id" reason="[^"]+"$/);
    assertMatch(throttled, /^login\.throttled attempt="login" address="127\.0\.0\.1" seconds=\d+$/);
  });
});
