import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  type Client,
  countRecords,
  formOf,
  type NoteBody,
  type NotesService,
  withNotes,
} from "../examples/_notes_service.ts";

const TITLE = "ada's secret";
/** The kinds of credentials. */
const CHALLENGE = 'ApiKey, Bearer realm="api", Session';

/** A request that only the owner of a note may make: method, path under `/notes/:id`, body. */
const REQUESTS: readonly (readonly [method: string, path: string, body?: () => BodyInit])[] = [
  ["GET", ""],
  ["HEAD", ""],
  ["PUT", "", () => '{"title":"mine now"}'],
  ["PATCH", "", () => '{"title":"mine now"}'],
  ["DELETE", ""],
  ["GET", "/attachments"],
  ["POST", "/attachments", () => formOf(new File(["x"], "b.txt"))],
  ["GET", "/attachments/a.txt"],
  ["HEAD", "/attachments/a.txt"],
  ["DELETE", "/attachments/a.txt"],
];

/** A note with an attachment. */
async function noteOf({ create, call }: Client): Promise<NoteBody> {
  const note = await create({ title: TITLE });
  const added = await call(`/notes/${note.id}/attachments`, {
    method: "POST",
    body: formOf(new File(["x"], "a.txt")),
  });
  assertEquals([added.status, (await added.json()).attachments.length], [201, 1]);
  return note;
}

function requestOf([method, , body]: (typeof REQUESTS)[number]): RequestInit {
  const content = body?.();
  const headers = typeof content === "string" ? { "Content-Type": "application/json" } : undefined;
  return {
    method,
    ...(content === undefined ? {} : { body: content }),
    ...(headers === undefined ? {} : { headers }),
  };
}

async function assertUnchanged({ call, kv }: NotesService, note: NoteBody): Promise<void> {
  assertEquals(await (await call(`/notes/${note.id}`)).json(), note);
  assertEquals(await (await call(`/notes/${note.id}/attachments/a.txt`)).text(), "x");
  assertEquals([await countRecords(kv, "note_chunks"), await countRecords(kv, "note_work")], [
    1,
    0,
  ]);
}

for (const request of REQUESTS) {
  const [method, path] = request;
  Deno.test(`${method} /notes/:id${path} responds 403 to another user, without the note's content`, async () => {
    await withNotes(async (service) => {
      const note = await noteOf(service);
      const eve = await service.user("eve");
      const refused = await eve.call(`/notes/${note.id}${path}`, requestOf(request));
      const text = await refused.text();
      assertEquals([refused.status, refused.headers.get("etag")], [403, null]);
      assertEquals(refused.headers.get("cache-control"), "no-store");
      if (method !== "HEAD") {
        const { title, status, code, ...rest } = JSON.parse(text);
        assertEquals([title, status, code, rest], ["Forbidden", 403, "access_denied", {
          type: "about:blank",
        }]);
      }
      const denials = service.events.filter(({ type }) => type === "authz.denied");
      assertEquals(denials.length, 1);
      await assertUnchanged(service, note);
    });
  });

  Deno.test(`${method} /notes/:id${path} responds 401 without a session, whether the note exists or not`, async () => {
    await withNotes(async (service) => {
      const note = await noteOf(service);
      for (const id of [note.id, "7"]) {
        const { status, headers, body } = await service.stranger().call(
          `/notes/${id}${path}`,
          requestOf(request),
        );
        await body?.cancel();
        assertEquals([status, headers.get("www-authenticate")], [401, CHALLENGE]);
      }
      await assertUnchanged(service, note);
    });
  });
}

Deno.test("PUT /notes/:id rejects another user before it reads the body", async () => {
  await withNotes(async (service) => {
    const { id } = await service.create({ title: TITLE });
    const eve = await service.user("eve");
    for (const [method, path] of [["PUT", ""], ["POST", "/attachments"]] as const) {
      // A body that would be rejected if it were read
      const refused = await eve.call(`/notes/${id}${path}`, { method, body: "neither" });
      assertEquals([refused.status, (await refused.json()).code], [403, "access_denied"]);
    }
  });
});

Deno.test("PUT /notes/:id ignores an owner in the body", async () => {
  await withNotes(async (service) => {
    const eve = await service.user("eve");
    const { id } = await service.create({ title: TITLE });
    for (const owner of ["owner", "sub", "userId"]) {
      const refused = await service.send("PUT", `/notes/${id}`, { title: "a", [owner]: "eve" });
      assertEquals([refused.status, (await refused.json()).code], [422, "validation_failed"]);
    }
    const still = await eve.call(`/notes/${id}`);
    assertEquals([still.status, (await still.json()).code], [403, "access_denied"]);
  });
});

Deno.test("GET /notes and / never mix the notes of two users", async () => {
  await withNotes(async (service) => {
    const clients = [service, await service.user("bob")];
    for (let i = 0; i < 5; i++) {
      for (const [who, client] of clients.entries()) {
        await client.create({ title: `${who}-${i}`, text: "the same words" });
      }
    }
    for (const [who, client] of clients.entries()) {
      const expected = [4, 3, 2, 1, 0].map((i) => `${who}-${i}`);
      for (const start of ["/notes?limit=2", "/notes?limit=2&q=same"]) {
        const titles: string[] = [];
        for (let path: string | undefined = start; path !== undefined;) {
          const { notes, next }: { notes: NoteBody[]; next?: string } =
            await (await client.call(path)).json();
          titles.push(...notes.map(({ title }) => title));
          path = next;
        }
        assertEquals(titles, expected);
      }
      const page = await (await client.page("/?q=words")).text();
      assertEquals(page.match(/>\d-\d</g), expected.map((title) => `>${title}<`));
    }
  });
});

Deno.test("GET /notes treats another user's cursor as a position in the own list", async () => {
  await withNotes(async (service) => {
    const eve = await service.user("eve");
    await eve.create({ title: "eve's" });
    const { id } = await service.create({ title: TITLE });
    const { notes } = await (await eve.call(`/notes?cursor=${id}`)).json();
    assertEquals(notes.map(({ title }: NoteBody) => title), ["eve's"]);
  });
});

Deno.test("POST /notes rejects every request of another site's page", async () => {
  await withNotes(async ({ send, call, cookies, kv }) => {
    const sources = [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { "X-CSRF-Token": "" },
    ];
    for (const headers of sources) {
      const refused = await send("POST", "/notes", { title: "a" }, headers);
      assertEquals([refused.status, (await refused.json()).code], [403, "csrf_failed"]);
    }
    assertEquals(await countRecords(kv, "notes"), 0);
    const own = await send("POST", "/notes", { title: "a" }, {
      "Sec-Fetch-Site": "same-origin",
      "X-CSRF-Token": "",
    });
    assertEquals([own.status, (await own.json()).title], [201, "a"]);
    // A duplicate cookie authenticates nobody
    const sid = `__Host-sid=${cookies.get("__Host-sid")}`;
    const twice = await call("/notes", { headers: { Cookie: `${sid}; ${sid}` } });
    assertEquals(twice.status, 401);
    assertStringIncludes(await twice.text(), '"status":401');
  });
});
