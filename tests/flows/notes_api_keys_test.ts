import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Client, formOf, textOf, withNotes } from "../examples/_notes_service.ts";
import { enter, start, withFolder } from "./_notes_process.ts";
import { ALL, keysOf, make, NOTE, program, refusalOf, statusOf } from "./_notes_api_clients.ts";

const DAY_MS = 86_400_000;

Deno.test("/api-keys creates a key that reads and writes until it is revoked", async () => {
  await withNotes(async (service) => {
    const { id } = await service.create({ title: "Ada's" });
    const { key, info } = await make(service, { name: " Nightly backup " });
    assertMatch(key, new RegExp(`^notes_${info.id}_[0-9A-Za-z]{49}$`));
    assertEquals([info.name, info.scope], ["Nightly backup", ALL]);

    const call = program(service.origin, { "X-API-Key": key });
    assertEquals((await (await call(`/notes/${id}`)).json()).title, "Ada's");
    const written = await call("/notes", NOTE);
    assertEquals(written.status, 201);
    await written.body?.cancel();
    assertEquals(written.headers.get("cache-control"), "no-store");
    assertEquals(
      (await (await call(written.headers.get("location") ?? "")).json()).title,
      "by a program",
    );

    const revoked = await service.call(`/api-keys/${info.id}`, { method: "DELETE" });
    assertEquals([revoked.status, await revoked.text()], [204, ""]);
    assertEquals(await refusalOf(call("/notes")), [401, "invalid_api_key"]);
    assertEquals(await keysOf(service), []);
    const again = service.call(`/api-keys/${info.id}`, { method: "DELETE" });
    assertEquals(await refusalOf(again), [404, "no_such_api_key"]);
  });
});

/** A request, the scope that it requires, and the status of the response. */
const REQUESTS: readonly (readonly [
  method: string,
  path: string,
  scope: string,
  status: number,
  body?: () => BodyInit,
])[] = [
  ["GET", "/notes", "notes:read", 200],
  ["POST", "/notes", "notes:write", 201, () => '{"title":"b"}'],
  ["GET", "/notes/:id", "notes:read", 200],
  ["HEAD", "/notes/:id", "notes:read", 200],
  ["PUT", "/notes/:id", "notes:write", 200, () => '{"title":"b"}'],
  ["PATCH", "/notes/:id", "notes:write", 200, () => '{"title":"b"}'],
  ["DELETE", "/notes/:id", "notes:write", 204],
  ["POST", "/notes/:id/attachments", "notes:write", 201, () => formOf(new File(["x"], "b.txt"))],
  ["GET", "/notes/:id/attachments", "notes:read", 200],
  ["GET", "/notes/:id/attachments/a.txt", "notes:read", 200],
  ["DELETE", "/notes/:id/attachments/a.txt", "notes:write", 204],
];
for (const [method, path, scope, status, body] of REQUESTS) {
  Deno.test(`${method} ${path} requires the scope ${scope} of a key, and none of a session`, async () => {
    await withNotes(async (service) => {
      const note = await service.create({ title: "a" });
      const form = formOf(new File(["x"], "a.txt"));
      const attach = { method: "POST", body: form };
      assertEquals(await statusOf(service.call(`/notes/${note.id}/attachments`, attach)), 201);
      const ask = (call: Client["call"]) => {
        const content = body?.();
        const type = typeof content === "string" ? { "Content-Type": "application/json" } : {};
        return call(path.replace(":id", note.id), {
          method,
          headers: type,
          ...(content === undefined ? {} : { body: content }),
        });
      };
      const other = ALL.filter((one) => one !== scope);
      const { key } = await make(service, { scope: other });
      const refused = await ask(program(service.origin, { "X-API-Key": key }));
      const text = await refused.text();
      assertEquals(refused.status, 403);
      if (method !== "HEAD") assertEquals(JSON.parse(text).code, "insufficient_scope");
      assertEquals(await (await service.call(`/notes/${note.id}`)).json(), note);

      const { key: fit } = await make(service, { scope: [scope] });
      const isRepeatable = method !== "DELETE" && method !== "POST";
      assertEquals(await statusOf(ask(program(service.origin, { "X-API-Key": fit }))), status);
      if (isRepeatable) assertEquals(await statusOf(ask(service.call)), status);
    });
  });
}

Deno.test("/ rejects keys, with or without the scope to read", async () => {
  await withNotes(async (service) => {
    await service.create({ title: "secret of ada" });
    for (const scope of [["notes:write"], ALL]) {
      const { key } = await make(service, { scope });
      const page = program(service.origin, { "X-API-Key": key })("/");
      assertEquals(await refusalOf(page), [403, "insufficient_scope"]);
    }
  });
});

Deno.test("GET /notes with a key returns its owner's notes, even with another user's session", async () => {
  await withNotes(async (service) => {
    const { id } = await service.create({ title: "Ada's" });
    const eve = await service.user("eve");
    await eve.create({ title: "Eve's" });
    const { key } = await make(eve);
    const headers = { "X-API-Key": key };
    const { notes } = await (await service.call("/notes", { headers })).json(); // Ada's cookie too
    assertEquals(notes.map(({ title }: { title: string }) => title), ["Eve's"]);
    assertEquals(await refusalOf(service.call(`/notes/${id}`, { headers })), [
      403,
      "access_denied",
    ]);
  });
});

Deno.test("/api-keys separates the keys of users", async () => {
  await withNotes(async (service) => {
    const eve = await service.user("eve");
    const { key, info } = await make(service, { name: "Ada's" });
    await make(eve, { name: "Eve's" });
    assertEquals((await keysOf(eve)).map(({ name }) => name), ["Eve's"]);
    const page = await (await eve.page("/developer")).text();
    assertEquals([page.includes("Eve&#39;s"), page.includes("Ada&#39;s")], [true, false]);
    const refused = eve.call(`/api-keys/${info.id}`, { method: "DELETE" });
    assertEquals(await refusalOf(refused), [404, "no_such_api_key"]);
    assertEquals(await statusOf(program(service.origin, { "X-API-Key": key })("/notes")), 200);
  });
});

Deno.test("POST /notes with a key needs no CSRF token: browsers do not attach keys automatically", async () => {
  await withNotes(async (service) => {
    const { key } = await make(service);
    const headers = {
      ...NOTE.headers,
      "Sec-Fetch-Site": "cross-site",
      Origin: "https://a.example",
    };
    assertEquals(
      await statusOf(program(service.origin, { "X-API-Key": key })("/notes", { ...NOTE, headers })),
      201,
    );
  });
});

Deno.test("An expired key stays in the list until its owner removes it", async () => {
  let now = Date.UTC(2030, 5, 14, 12, 3);
  await withNotes(async (service) => {
    const { key, info } = await make(service, { expiresInDays: 30 });
    await make(service, { name: "For good" });
    assertEquals(info.expiresAt, Math.floor(now / 1000) + 30 * 86_400);
    const call = program(service.origin, { "X-API-Key": key });
    now += 30 * DAY_MS - 1000;
    assertEquals(await statusOf(call("/notes")), 200);
    now += 1000;
    assertEquals(await refusalOf(call("/notes")), [401, "invalid_api_key"]);
    await (await service.enter("login", "ada")).body?.cancel();
    const page = await (await service.page("/developer")).text();
    assertEquals(page.match(/Expired/g)?.length, 1);
    assertStringIncludes(page, "does not expire");
    assertMatch(page, /expired\s*<time datetime="2030-07-14T12:03:00\.000Z">/);
    assertEquals(await statusOf(service.call(`/api-keys/${info.id}`, { method: "DELETE" })), 204);
    assertEquals((await keysOf(service)).map(({ name }) => name), ["For good"]);
  }, { nowMs: () => now });
});

Deno.test("/developer shows the first characters and last use of keys, and no secret", async () => {
  let now = Date.UTC(2030, 5, 14, 12, 3);
  await withNotes(async (service) => {
    const { key, info } = await make(service, { name: "<b>&", scope: ["notes:read"] });
    const unused = await (await service.page("/developer")).text();
    assertStringIncludes(unused, "never used");
    assertStringIncludes(unused, "&lt;b&gt;&amp;");
    assertStringIncludes(unused, `<code>notes_${info.id.slice(0, 8)}…</code>`);
    now += 60_000;
    assertEquals(await statusOf(program(service.origin, { "X-API-Key": key })("/notes")), 200);
    const used = await service.page("/developer");
    const page = await used.text();
    assertMatch(page, /last used <time datetime="2030-06-14T12:04:00\.000Z">2030-06-14 12:04 UTC</);
    assertEquals([used.headers.get("cache-control"), page.includes("<b>&")], ["no-store", false]);

    const secret = key.split("_")[2] ?? "";
    const listed = await (await service.call("/api-keys")).text();
    const stored = await textOf(service.kv);
    for (const text of [page, listed, stored, JSON.stringify(service.events)]) {
      assertEquals([text.includes(secret), text.includes(secret.slice(0, 20))], [false, false]);
      assertEquals(text.includes("keyHash"), text === stored);
    }
  }, { nowMs: () => now });
});

Deno.test("A key is rejected as soon as its owner's account is disabled or deleted", async () => {
  await withNotes(async (service) => {
    const { users } = service.stores;
    for (const end of ["close", "remove"] as const) {
      const client = await service.user(`${end}d`);
      const { key } = await make(client);
      const call = program(service.origin, { "X-API-Key": key });
      assertEquals(await statusOf(call("/notes")), 200);
      const user = await users.findByIdentifier(`${end}d`);
      assert(user !== null);
      const closed = { disabled: true, securityStamp: "another" };
      if (end === "remove") await users.delete(user.sub);
      else assertEquals(await users.update(user.sub, user.version, closed), "updated");
      assertEquals(await refusalOf(call("/notes")), [401, "invalid_api_key"]);
    }
  });
});

Deno.test("main.ts keeps keys across a restart, and the page shows its own origin", async () => {
  await withFolder(async (folder) => {
    const first = await start(folder);
    const { client } = await enter(first.origin);
    const [kept, revoked] = [await make(client), await make(client)];
    const gone = client.call(`/api-keys/${revoked.info.id}`, { method: "DELETE" });
    assertEquals(await statusOf(gone), 204);
    assertStringIncludes(
      await (await client.page("/developer")).text(),
      `curl -H &quot;X-API-Key: $KEY&quot; \\\n  ${first.origin}/notes\n`,
    );
    assertEquals((await first.stop("SIGTERM")).code, 0);

    const second = await start(folder);
    assertEquals(await statusOf(program(second.origin, { "X-API-Key": kept.key })("/notes")), 200);
    const refused = program(second.origin, { "X-API-Key": revoked.key })("/notes");
    assertEquals(await refusalOf(refused), [401, "invalid_api_key"]);
    const denied = "Denied GET /notes: 401 invalid_api_key (API key is unknown)\n";
    assertEquals(await second.stop("SIGTERM"), { code: 0, stderr: denied });
  });
});
