import { assert, assertEquals, assertNotEquals } from "@std/assert";
import {
  countRecords,
  type NoteBody,
  type ProblemBody,
  withNotes,
} from "../examples/_notes_service.ts";

Deno.test("/notes supports a note from creation to deletion", async () => {
  await withNotes(async ({ call, send }) => {
    const created = await send("POST", "/notes", { title: "  Milk ", tags: ["shop"] });
    assertEquals(created.status, 201);
    const note: NoteBody = await created.json();
    assertEquals(created.headers.get("location"), `/notes/${note.id}`);
    assertEquals([note.title, note.text, note.tags], ["Milk", "", ["shop"]]);

    const path = `/notes/${note.id}`;
    const got = await call(path);
    assertEquals(await got.json(), note);
    assertEquals(got.headers.get("etag"), created.headers.get("etag"));

    const replaced = await send("PUT", path, { title: "Oat milk", text: "2 litres" });
    assertEquals(replaced.status, 200);
    const second: NoteBody = await replaced.json();
    assertEquals([second.title, second.text, second.tags], ["Oat milk", "2 litres", []]);
    assertEquals(second.createdAt, note.createdAt);

    const patched = await send("PATCH", path, { text: "1 litre" });
    const third: NoteBody = await patched.json();
    assertEquals([third.title, third.text, third.tags], ["Oat milk", "1 litre", []]);

    const listed = await call("/notes?q=LITRE%20oat");
    assertEquals((await listed.json()).notes.map((one: NoteBody) => one.id), [note.id]);

    const deleted = await call(path, { method: "DELETE" });
    assertEquals([deleted.status, await deleted.text()], [204, ""]);
    const gone = await call(path);
    assertEquals(gone.status, 404);
    assertEquals(gone.headers.get("content-type"), "application/problem+json");
    assertEquals((await gone.json()).code, "no_such_note");
  });
});

Deno.test("GET /notes returns pages, newest first", async () => {
  await withNotes(async ({ call, create }) => {
    for (const title of ["a1", "b2", "a3", "b4", "a5"]) await create({ title });
    const titles: string[][] = [];
    for (let path: string | undefined = "/notes?limit=2"; path !== undefined;) {
      const response: Response = await call(path);
      const { notes, next }: { notes: NoteBody[]; next?: string } = await response.json();
      assertEquals(
        response.headers.get("link"),
        next === undefined ? null : `<${next}>; rel="next"`,
      );
      titles.push(notes.map(({ title }) => title));
      path = next;
    }
    assertEquals(titles, [["a5", "b4"], ["a3", "b2"], ["a1"]]);
  });
});

Deno.test("GET /notes keeps the search on the next page", async () => {
  await withNotes(async ({ call, create }) => {
    for (const title of ["a1", "b2", "a3", "b4"]) await create({ title, text: "x & y" });
    const { notes, next } = await (await call("/notes?limit=1&q=a%20%26")).json();
    assertEquals(notes[0].title, "a3");
    const second = await (await call(next)).json();
    assertEquals(second.notes[0].title, "a1");
    assertEquals(second.next, undefined);
  });
});

Deno.test("GET /notes finds words in title and text, ignoring case and composition", async () => {
  await withNotes(async ({ call, create }) => {
    await create({ title: "Café", text: "The \u{1F600} one\nÀ LA CARTE" });
    await create({ title: "Tea" });
    for (const q of ["CAFE\u0301", "à la", "carte caf", "\u{1F600}"]) {
      const { notes } = await (await call(`/notes?q=${encodeURIComponent(q)}`)).json();
      assertEquals(notes.map((note: NoteBody) => note.title), ["Café"], q);
    }
    const { notes } = await (await call("/notes?q=coffee")).json();
    assertEquals(notes, []);
  });
});

Deno.test("GET /notes/:id responds 304 to a current ETag", async () => {
  await withNotes(async ({ call, create }) => {
    const { id } = await create({ title: "a" });
    const first = await call(`/notes/${id}`);
    const tag = first.headers.get("etag") ?? "";
    await first.body?.cancel();
    for (const field of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      const again = await call(`/notes/${id}`, { headers: { "If-None-Match": field } });
      assertEquals([again.status, again.headers.get("etag"), await again.text()], [304, tag, ""]);
    }
    const other = await call(`/notes/${id}`, { headers: { "If-None-Match": '"x"' } });
    assertEquals((await other.json()).id, id);
  });
});

for (const method of ["PUT", "PATCH", "DELETE"]) {
  Deno.test(`${method} /notes/:id rejects a stale ETag`, async () => {
    await withNotes(async ({ call, send, create }) => {
      const { id } = await create({ title: "first" });
      const path = `/notes/${id}`;
      const seen = await call(path);
      const stale = seen.headers.get("etag") ?? "";
      await seen.body?.cancel();
      const changed = await send("PATCH", path, { title: "second" }, { "If-Match": stale });
      assertEquals(changed.status, 200);
      const fresh = changed.headers.get("etag") ?? "";
      await changed.body?.cancel();
      assertNotEquals(stale, fresh);

      for (const field of [stale, `W/${fresh}`, "nonsense"]) {
        const body = method === "DELETE" ? {} : { body: JSON.stringify({ title: "lost" }) };
        const headers = { "Content-Type": "application/json", "If-Match": field };
        const refused = await call(path, { method, headers, ...body });
        assertEquals([refused.status, refused.headers.get("etag")], [412, fresh]);
        assertEquals((await refused.json()).code, "precondition_failed");
      }
      assertEquals((await (await call(path)).json()).title, "second");

      const body = method === "DELETE" ? {} : { body: JSON.stringify({ title: "third" }) };
      const headers = { "Content-Type": "application/json", "If-Match": `"other", ${fresh}` };
      const accepted = await call(path, { method, headers, ...body });
      assert(accepted.ok);
      await accepted.body?.cancel();
    });
  });
}

Deno.test("PATCH /notes/:id loses none of many concurrent changes", async () => {
  await withNotes(async ({ call, send, create }) => {
    const { id } = await create({ title: "a", text: "old" });
    const patches = [{ title: "b" }, { text: "new" }, { tags: ["t"] }];
    const responses = await Promise.all(
      patches.map((patch) => send("PATCH", `/notes/${id}`, patch)),
    );
    for (const response of responses) {
      assertEquals(response.status, 200);
      await response.body?.cancel();
    }
    const note: NoteBody = await (await call(`/notes/${id}`)).json();
    assertEquals([note.title, note.text, note.tags], ["b", "new", ["t"]]);
  });
});

Deno.test("PATCH /notes/:id accepts application/merge-patch+json, in which null clears a member", async () => {
  await withNotes(async ({ call, create }) => {
    const { id } = await create({ title: "a", text: "b", tags: ["c"] });
    const response = await call(`/notes/${id}`, {
      method: "PATCH",
      headers: { "Content-Type": "application/merge-patch+json" },
      body: '{"text":null,"tags":null}',
    });
    const note: NoteBody = await response.json();
    assertEquals([note.title, note.text, note.tags], ["a", "", []]);
  });
});

/** Why a body is rejected, the body, and the pointers of the violations. */
const REFUSED_BODIES: readonly (readonly [string, unknown, readonly string[]])[] = [
  ["a note without a title", {}, ["/title"]],
  ["a title of spaces", { title: "  " }, ["/title"]],
  ["a title of 201 characters", { title: "a".repeat(201) }, ["/title"]],
  ["a title that is a number", { title: 1 }, ["/title"]],
  ["a text of 20,001 characters", { title: "a", text: "b".repeat(20_001) }, ["/text"]],
  ["11 tags", { title: "a", tags: Array.from({ length: 11 }, (_, i) => `t${i}`) }, ["/tags"]],
  ["a duplicate tag", { title: "a", tags: ["b", "c", " b"] }, ["/tags/2"]],
  ["an empty tag", { title: "a", tags: ["b", ""] }, ["/tags/1"]],
  ["an unknown member", { title: "a", owner: "b" }, [""]],
  ["an array", [], [""]],
  ["a text too long for a record", { title: "a", text: "\x01".repeat(10_001) }, ["/text"]],
  ["two violations", { title: "", text: 1 }, ["/title", "/text"]],
];
for (const [why, body, pointers] of REFUSED_BODIES) {
  Deno.test(`POST /notes rejects ${why}`, async () => {
    await withNotes(async ({ send, kv }) => {
      const response = await send("POST", "/notes", body);
      const problem: ProblemBody = await response.json();
      assertEquals([response.status, problem.code], [422, "validation_failed"]);
      assertEquals(
        problem.violations?.map((one) => [one.in, one.pointer]),
        pointers.map((one) => ["body", one]),
      );
      assertEquals(await countRecords(kv, "notes"), 0);
    });
  });
}

Deno.test("PATCH /notes/:id rejects removing the title", async () => {
  await withNotes(async ({ send, create }) => {
    const { id } = await create({ title: "a" });
    const response = await send("PATCH", `/notes/${id}`, { title: null });
    const problem: ProblemBody = await response.json();
    assertEquals([response.status, problem.violations?.[0]?.pointer], [422, "/title"]);
  });
});

Deno.test("POST /notes accepts the longest possible note", async () => {
  await withNotes(async ({ call, create }) => {
    const long = "\x01"; // six bytes as JSON
    const tags = Array.from({ length: 10 }, (_, i) => long.repeat(49) + i);
    for (const character of ["\u{1F600}", "\u65e5", long, "\ud800"]) {
      const text = character.repeat(10_000);
      const input = { title: long.repeat(200), text, tags };
      const { id } = await create(input);
      const note: NoteBody = await (await call(`/notes/${id}`)).json();
      assertEquals([note.title, note.text, note.tags], [input.title, input.text, input.tags]);
    }
  });
});

/** A query and the pointer of its violation. */
const REFUSED_QUERIES: readonly (readonly [string, string])[] = [
  ["limit=0", "/limit"],
  ["limit=101", "/limit"],
  ["limit=", "/limit"],
  ["limit=1e1", "/limit"],
  ["limit=1&limit=2", "/limit"],
  ["cursor=nonsense", "/cursor"],
  [`q=${"a".repeat(201)}`, "/q"],
  ["page=2", ""],
];
for (const [query, pointer] of REFUSED_QUERIES) {
  Deno.test(`GET /notes rejects ?${query.slice(0, 20)}`, async () => {
    await withNotes(async ({ call }) => {
      const response = await call(`/notes?${query}`);
      const problem: ProblemBody = await response.json();
      assertEquals(
        [response.status, problem.violations?.[0]?.in, problem.violations?.[0]?.pointer],
        [422, "query", pointer],
      );
    });
  });
}

/** Why a request is rejected, its path and options, and the status, code and a header field of the response. */
const REFUSED_REQUESTS:
  readonly (readonly [string, string, RequestInit, number, string, string?])[] = [
    [
      "a form as a note",
      "/notes",
      { method: "POST", body: new URLSearchParams({ title: "a" }) },
      415,
      "unsupported_media_type",
    ],
    [
      "text as a note",
      "/notes",
      { method: "POST", body: '{"title":"a"}' },
      415,
      "unsupported_media_type",
    ],
    ["malformed JSON", "/notes", json("POST", '{"title":'), 400, "invalid_json"],
    ["an empty body", "/notes", json("POST", ""), 400, "invalid_json"],
    [
      "a member named __proto__",
      "/notes",
      json("POST", '{"title":"a","__proto__":{}}'),
      400,
      "invalid_json",
    ],
    ["a note over 256 KiB", "/notes", json("POST", " ".repeat(262_145)), 413, "payload_too_large"],
    ["an unknown path", "/note", {}, 404, "not_found"],
    ["an unknown id", "/notes/7", {}, 404, "no_such_note"],
    ["an id of 4,000 characters", `/notes/${"a".repeat(4000)}`, {}, 404, "no_such_note"],
    ["a change of an unknown note", "/notes/7", json("PATCH", "{}"), 404, "no_such_note"],
    ["deleting an unknown note", "/notes/7", { method: "DELETE" }, 404, "no_such_note"],
    [
      "deleting all notes",
      "/notes",
      { method: "DELETE" },
      405,
      "method_not_allowed",
      "GET, HEAD, POST, OPTIONS",
    ],
    [
      "posting to a note",
      "/notes/7",
      { method: "POST" },
      405,
      "method_not_allowed",
      "GET, HEAD, PUT, PATCH, DELETE, OPTIONS",
    ],
  ];
for (const [why, path, init, status, code, allow = null] of REFUSED_REQUESTS) {
  Deno.test(`/notes rejects ${why}`, async () => {
    await withNotes(async ({ call }) => {
      const response = await call(path, init);
      const problem: ProblemBody = await response.json();
      assertEquals([response.status, problem.code, response.headers.get("allow")], [
        status,
        code,
        allow,
      ]);
    });
  });
}

function json(method: string, body: string): RequestInit {
  return { method, body, headers: { "Content-Type": "application/json" } };
}

Deno.test("/notes accepts the longest text however it is escaped", async () => {
  await withNotes(async ({ call }) => {
    const text = "\\ud83d\\ude00".repeat(10_000);
    const response = await call("/notes", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"title":"a","text":"${text}"}`,
    });
    assertEquals(response.status, 201);
    assertEquals((await response.json()).text, "😀".repeat(10_000));
  });
});
