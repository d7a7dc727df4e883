/**
 * Programs that use a client of the notes service, each wrong in one place.
 *
 * They are texts, since the types that they import are made of the document first.
 *
 * @module
 */

import { IMPORTS } from "./_client_walk.ts";

/** What comes before each of {@linkcode WRONG}. */
export const HEAD: string = IMPORTS + `
declare const note: components["schemas"]["Note"];
assert(assertEquals !== undefined && note !== undefined);
const client = createClient<paths>();
const path = { id: "7" };
const header = { "X-CSRF-Token": "token" };
const credentials = { identifier: "ada", password: "secret" };
assert(header !== undefined && credentials !== undefined);
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
  [
    "a sign-in without a CSRF token",
    `await client.POST("/auth/login", { «params: { header }, ¦»body: credentials });`,
  ],
  [
    "a sign-out without a CSRF token",
    `await client.POST("/auth/logout"«, { params: { header } }¦»);`,
  ],
  [
    "a CSRF token in another field",
    `await client.POST("/auth/logout", { params: { header: { "«X-CSRF-Token¦X-CSRF»": "token" } } });`,
  ],
  [
    "an account that is made by another method",
    `await client.«POST¦PUT»("/auth/register", { params: { header }, body: credentials });`,
  ],
  [
    "an account without a password",
    `await client.POST("/auth/register", { params: { header }, body: { identifier: "ada"«, password: ""¦» } });`,
  ],
  [
    "a sign-in with a flag that is text",
    `await client.POST("/auth/login", { params: { header }, body: { ...credentials, remember: «true¦"yes"» } });`,
  ],
  [
    "a session that may not be there",
    `const { data } = await client.GET("/auth/session");
    assert(data?.session«?¦».id);`,
  ],
  [
    "a user's member that is not there",
    `const { data } = await client.POST("/auth/login", { params: { header }, body: credentials });
    assert(data?.user.«identifier¦password»);`,
  ],
  [
    "a token that is called otherwise",
    `const { data } = await client.GET("/auth/csrf");
    const token: string | undefined = data?.«csrfToken¦token»;
    assert(token);`,
  ],
  ["no session to end", `await client.DELETE("/sessions/{id}"«, { params: { path } }¦»);`],
];
