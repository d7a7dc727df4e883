/**
 * Programs that use a client of the notes service: one that does everything, and many that are wrong in one place.
 *
 * They are texts, since the types that they import are made of the document first.
 *
 * @module
 */

import type { Programs } from "./_client.ts";
import { OPENAPI_FETCH } from "./versions.ts";

const IMPORTS = `import { assert, assertEquals } from "@std/assert";
import createClient from "${OPENAPI_FETCH}";
import type { components, paths } from "./api.ts";
`;

/** Uses every operation, and asserts what comes back. */
export type Walk = (
  baseUrl: string,
  send: (request: Request) => Promise<Response>,
) => Promise<void>;

/** Exports a {@linkcode Walk}, which sends every operation what it takes, and looks at all that comes back. */
export const WALK: string = IMPORTS + `
type Note = components["schemas"]["Note"];
type Code = components["schemas"]["ProblemDetails"]["code"];

export async function walk(baseUrl: string, fetch: (request: Request) => Promise<Response>): Promise<void> {
  const client = createClient<paths>({ baseUrl, fetch });

  const none = await client.GET("/notes");
  assertEquals([none.response.status, none.data?.notes, none.data?.next], [200, [], undefined]);

  const created = await client.POST("/notes", { body: { title: "Milk", tags: ["shop"] } });
  assert(created.data !== undefined);
  const note: Note = created.data;
  assertEquals([created.response.status, note.title, note.text, note.tags], [201, "Milk", "", ["shop"]]);
  assertEquals(created.response.headers.get("location"), \`/notes/\${note.id}\`);
  const age: number = note.updatedAt - note.createdAt;
  assertEquals(age, 0);
  const path = { id: note.id };

  const second = await client.POST("/notes", { body: { title: "Tea", text: "green" } });
  assertEquals(second.response.status, 201);

  const page = await client.GET("/notes", { params: { query: { limit: 1 } } });
  assertEquals(page.data?.notes.map(({ title }) => title), ["Tea"]);
  const next = new URL(page.data?.next ?? "", baseUrl).searchParams;
  const cursor: string | null = next.get("cursor");
  assert(cursor !== null);
  const rest = await client.GET("/notes", { params: { query: { limit: 1, cursor } } });
  assertEquals(rest.data, { notes: [note] });
  const found = await client.GET("/notes", { params: { query: { q: "GREEN" } } });
  assertEquals(found.data?.notes[0]?.id, second.data?.id);

  const read = await client.GET("/notes/{id}", { params: { path } });
  assertEquals([read.response.status, read.data], [200, note]);
  const version = read.response.headers.get("etag") ?? "";
  const same = await client.GET("/notes/{id}", { params: { path }, headers: { "If-None-Match": version } });
  assertEquals([same.response.status, same.data], [304, undefined]);

  const replaced = await client.PUT("/notes/{id}", {
    params: { path, header: { "If-Match": version } },
    body: { title: "Oat milk", text: "2 litres", tags: [] },
  });
  assertEquals([replaced.response.status, replaced.data?.text], [200, "2 litres"]);
  const stale = await client.PUT("/notes/{id}", {
    params: { path, header: { "If-Match": version } },
    body: { title: "lost" },
  });
  assertEquals([stale.response.status, stale.error?.code], [412, "precondition_failed"]);

  const patched = await client.PATCH("/notes/{id}", { params: { path }, body: { text: null, tags: ["a"] } });
  assertEquals([patched.data?.title, patched.data?.text, patched.data?.tags], ["Oat milk", "", ["a"]]);
  const merged = await client.PATCH("/notes/{id}", {
    params: { path },
    body: { tags: null },
    headers: { "Content-Type": "application/merge-patch+json" },
  });
  assertEquals([merged.response.status, merged.data?.tags], [200, []]);

  const files = [new File(["white"], "milk.txt", { type: "text/plain" }), new File(["\\0\\xff"], "é b.bin")];
  const uploaded = await client.POST("/notes/{id}/attachments", {
    params: { path },
    body: { file: ["milk.txt", "é b.bin"] },
    bodySerializer: ({ file }) => {
      const form = new FormData();
      for (const name of file) {
        const content = files.find((one) => one.name === name);
        if (content !== undefined) form.append("file", content);
      }
      return form;
    },
  });
  assertEquals([uploaded.response.status, uploaded.data?.attachments.length], [201, 2]);
  const listed = await client.GET("/notes/{id}/attachments", { params: { path } });
  assertEquals(listed.data?.attachments.map(({ name, type, size }) => ({ name, type, size })).sort(
    (a, b) => b.size - a.size), [
    { name: "milk.txt", type: "text/plain", size: 5 },
    { name: "é b.bin", type: "application/octet-stream", size: 3 },
  ]);
  for (const file of files) {
    const download = await client.GET("/notes/{id}/attachments/{name}", {
      params: { path: { ...path, name: file.name } },
      parseAs: "arrayBuffer",
    });
    assertEquals(download.response.status, 200);
    assertEquals(download.data, await file.arrayBuffer());
  }
  const removed = await client.DELETE("/notes/{id}/attachments/{name}", {
    params: { path: { ...path, name: "é b.bin" } },
  });
  assertEquals([removed.response.status, removed.data, removed.error], [204, undefined, undefined]);

  const deleted = await client.DELETE("/notes/{id}", { params: { path } });
  assertEquals([deleted.response.status, deleted.data, deleted.error], [204, undefined, undefined]);

  const gone = await client.GET("/notes/{id}", { params: { path } });
  assert(gone.error !== undefined);
  const code: Code = gone.error.code;
  const text: string = code;
  assertEquals([gone.response.status, gone.error.status, text], [404, 404, "no_such_note"]);

  const wrong = await client.POST("/notes", { body: { title: "" } });
  const parts: ("params" | "query" | "body")[] = wrong.error?.violations?.map((one) => one.in) ?? [];
  assertEquals([wrong.response.status, parts], [422, ["body"]]);
}
`;

/** Puts {@linkcode WALK} among programs. @throws {Error} If its types are wrong. */
export async function loadWalk({ write, check, load }: Programs): Promise<Walk> {
  await write("walk.ts", WALK);
  const lines = (await check(["walk.ts"])).get("walk.ts") ?? [];
  if (lines.length > 0) throw new Error(`Cannot use the client: wrong in lines ${lines} of WALK`);
  const { walk } = await load("walk.ts") as { readonly walk: Walk };
  return walk;
}

/** What comes before each of {@linkcode WRONG}. */
export const HEAD: string = IMPORTS + `
declare const note: components["schemas"]["Note"];
assert(assertEquals !== undefined && note !== undefined);
const client = createClient<paths>();
const path = { id: "7" };
`;

/**
 * What is wrong, the right program and the wrong one. Both are the same but for the places in `«right¦wrong»`; the
 * error has to be in the last line that has one.
 */
export const WRONG: readonly (readonly [why: string, program: string])[] = [
  ["a path that is not there", `await client.GET("«/notes¦/note»");`],
  [
    "a path with a value in it",
    `await client.GET("«/notes/{id}¦/notes/7»", { params: { path } });`,
  ],
  ["a path in the router's syntax", `await client.GET("/notes/«{id}¦:id»", { params: { path } });`],
  ["a slash too much", `await client.GET("/notes«¦/»");`],
  [
    "a method that the path has not",
    `await client.«DELETE¦POST»("/notes/{id}", { params: { path } });`,
  ],
  ["a method that nothing has", `await client.«GET¦TRACE»("/notes/{id}", { params: { path } });`],
  ["no path parameter", `await client.GET("/notes/{id}"«, { params: { path } }¦»);`],
  ["no path parameter in params", `await client.GET("/notes/{id}", { params: { «path¦» } });`],
  [
    "a path parameter of another name",
    `await client.GET("/notes/{id}", { params: { path: { «id¦noteId»: "7" } } });`,
  ],
  [
    "a path parameter that is a number",
    `await client.GET("/notes/{id}", { params: { path: { id: «"7"¦7» } } });`,
  ],
  [
    "one path parameter of two",
    `await client.GET("/notes/{id}/attachments/{name}", {
      params: {
        «path: { ...path, name: "a" }¦path»,
      },
    });`,
  ],
  [
    "a query parameter that is not there",
    `await client.GET("/notes", { params: { query: { «q¦search»: "tea" } } });`,
  ],
  [
    "a query parameter of another type",
    `await client.GET("/notes", { params: { query: { q: «"tea"¦["tea"]» } } });`,
  ],
  [
    "a query where there is none",
    `await client.GET("/notes/{id}", { params: { path«¦, query: { q: "a" }» } });`,
  ],
  [
    "a header field of another type",
    `await client.DELETE("/notes/{id}", { params: { path, header: { "If-Match": «'"1"'¦1» } } });`,
  ],
  ["no body", `await client.POST("/notes"«, { body: { title: "Tea" } }¦»);`],
  [
    "no body beside parameters",
    `await client.PUT("/notes/{id}", { params: { path }«, body: { title: "Tea" }¦» });`,
  ],
  [
    "a body without a required member",
    `await client.POST("/notes", { body: { «title¦text»: "Tea" } });`,
  ],
  [
    "a body with a member of another type",
    `await client.POST("/notes", { body: { title: «"Tea"¦1» } });`,
  ],
  [
    "a body with null where it empties nothing",
    `await client.POST("/notes", { body: { title: "Tea", text: «""¦null» } });`,
  ],
  [
    "a body with a list of numbers",
    `await client.POST("/notes", { body: { title: "Tea", tags: [«"a"¦1»] } });`,
  ],
  // The client takes other members too; the types of the document do not
  [
    "an input with a member that is not there",
    `const body: components["schemas"]["NoteInput"] = {
      title: "Tea",
      «text¦owner»: "Ada",
    };
    await client.POST("/notes", { body });`,
  ],
  [
    "a patch that takes the title away",
    `await client.PATCH("/notes/{id}", { params: { path }, body: { «text¦title»: null } });`,
  ],
  ["a body that is text", `await client.POST("/notes", { body: «{ title: "Tea" }¦"Tea"» });`],
  [
    "a body where there is none",
    `await client.DELETE("/notes/{id}", { params: { path }«¦, body: {}» });`,
  ],
  [
    "a form with a part of another name",
    `await client.POST("/notes/{id}/attachments", { params: { path }, body: { «file¦files»: ["a"] } });`,
  ],
  [
    "a form with one part where a list is",
    `await client.POST("/notes/{id}/attachments", { params: { path }, body: { file: «["a"]¦"a"» } });`,
  ],
  [
    "a member that the response has not",
    `const { data } = await client.GET("/notes/{id}", { params: { path } });
    assert(data?.«title¦name»);`,
  ],
  [
    "data where there may be an error",
    `const { data } = await client.GET("/notes/{id}", { params: { path } });
    assert(data«?¦».title);`,
  ],
  [
    "an error where there may be data",
    `const { error } = await client.GET("/notes/{id}", { params: { path } });
    assert(error«?¦».code);`,
  ],
  [
    "data beside an error",
    `const { data, error } = await client.GET("/notes/{id}", { params: { path } });
    if (error «===¦!==» undefined) assert(data.title);`,
  ],
  [
    "a member of another type",
    `const { data } = await client.GET("/notes/{id}", { params: { path } });
    const at: number | undefined = data?.«createdAt¦title»;
    assert(at);`,
  ],
  [
    "a member that may not be there",
    `const { data } = await client.GET("/notes");
    const next: «string | undefined¦string» = data?.next;
    assert(next);`,
  ],
  [
    "a list that is called otherwise",
    `const { data } = await client.GET("/notes");
    assert(data?.«notes¦items»);`,
  ],
  [
    "a member of a note that the list has not",
    `const { data } = await client.GET("/notes");
    assert(data?.notes[0]?.«tags¦labels»);`,
  ],
  [
    "data of a response that has none",
    `const { data } = await client.DELETE("/notes/{id}", { params: { path } });
    assert(data« === undefined¦.id»);`,
  ],
  [
    "a member that a problem has not",
    `const { error } = await client.GET("/notes/{id}", { params: { path } });
    assert(error?.«code¦reason»);`,
  ],
  [
    "a code that is a number",
    `const { error } = await client.GET("/notes/{id}", { params: { path } });
    const code: «string¦number» | undefined = error?.code;
    assert(code);`,
  ],
  [
    "a part of requests that there is none of",
    `const { error } = await client.POST("/notes", { body: { title: "" } });
    assert(error?.violations?.[0]?.in === "«body¦headers»");`,
  ],
  [
    "an upload without files",
    `const upload: components["schemas"]["Upload"] = { «file: ["bytes"]¦files: []» };
    assert(upload);`,
  ],
  [
    "a note without a member",
    `const copy: components["schemas"]["Note"] = { ...note«¦, tags: undefined» };
    assert(copy);`,
  ],
  [
    "a schema that is not there",
    `type One = components["schemas"]["«Note¦Notes»"];
    assert(note as unknown as One);`,
  ],
];
