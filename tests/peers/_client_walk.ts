/**
 * A program that uses every operation of the notes service by a client, as a page of the service would.
 *
 * It is a text, since the types that it imports are made of the document first.
 *
 * @module
 */

import type { Programs } from "./_client.ts";
import { ACCOUNT_WALK, type ReadMail } from "./_account_walk.ts";
import { PASSKEY_WALK } from "./_passkey_walk.ts";
import { OPENAPI_FETCH } from "./versions.ts";

/** What programs with a client import. */
export const IMPORTS: string = `import { assert, assertEquals } from "@std/assert";
import createClient from "${OPENAPI_FETCH}";
import type { components, paths } from "./api.ts";
`;

/** Uses every operation, and asserts what comes back. A browser is opened for each device that its user has. */
export type Walk = (
  baseUrl: string,
  openBrowser: () => (request: Request) => Promise<Response>,
  mail: ReadMail,
) => Promise<void>;

/** Exports a {@linkcode Walk}, which sends every operation what it takes, and looks at all that comes back. */
export const WALK: string = IMPORTS + `import { walkAccounts } from "./accounts.ts";
import { walkPasskeys } from "./passkeys.ts";

type Note = components["schemas"]["Note"];
type Code = components["schemas"]["ProblemDetails"]["code"];

type Client = ReturnType<typeof createClient<paths>>;
type Entered = paths["/tokens/login"]["post"]["responses"][200]["content"]["application/json"];
type SignedIn = paths["/auth/login"]["post"]["responses"][200]["content"]["application/json"];

type Mail = (kind: string) => Promise<{ readonly url?: string; readonly code?: string }>;

export async function walk(
  baseUrl: string,
  openBrowser: () => (request: Request) => Promise<Response>,
  mail: Mail,
): Promise<void> {
  const others = [createClient<paths>({ baseUrl, fetch: openBrowser() }), createClient<paths>({ baseUrl, fetch: openBrowser() })] as const;
  await walkAccounts(...others, mail);
  const client = createClient<paths>({ baseUrl, fetch: openBrowser() });
  const phone = createClient<paths>({ baseUrl, fetch: openBrowser() });
  const credentials = { identifier: "Grace@example.org", password: "five quiet herons at dawn" };

  const nobody = await client.GET("/auth/session");
  assertEquals([nobody.response.status, nobody.error?.code], [401, "unauthenticated"]);
  assertEquals((await client.GET("/notes")).error?.code, "unauthenticated");

  const { data: first } = await client.GET("/auth/csrf");
  assert(first !== undefined);
  const header: "X-CSRF-Token" = "X-CSRF-Token";
  assertEquals(first.header, header);
  const registered = await client.POST("/auth/register", {
    params: { header: { "X-CSRF-Token": first.csrfToken } },
    body: credentials,
  });
  assert(registered.data !== undefined);
  const { principal, session, user, csrfToken }: SignedIn = registered.data;
  assertEquals([registered.response.status, user.identifier], [201, "grace@example.org"]);
  assertEquals([principal.sub, session.sub, principal.sessionId], [user.sub, user.sub, session.id]);
  const lifetime: number = session.expiresAt - session.createdAt;
  assert(lifetime > 0 && csrfToken !== first.csrfToken);

  const me = await client.GET("/auth/session");
  assertEquals([me.response.status, me.data?.user, me.data?.session?.id], [200, user, session.id]);
  const taken = await phone.POST("/auth/register", {
    params: { header: { "X-CSRF-Token": await tokenOf(phone) } },
    body: credentials,
  });
  assertEquals([taken.response.status, taken.error?.code], [409, "identifier_unavailable"]);

  await walkNotes(client, baseUrl);
  await walkPasskeys(client, phone, baseUrl.replace("127.0.0.1", "localhost"));
  const program = createClient<paths>({ baseUrl, fetch: openBrowser() });
  await walkPrograms(client, program, credentials);

  const id: string = (await signIn(phone, { ...credentials, remember: true })).session.id;
  const ended = await client.DELETE("/sessions/{id}", { params: { path: { id } } });
  assertEquals([ended.response.status, ended.data, ended.error], [204, undefined, undefined]);
  const expired = await phone.GET("/auth/session");
  assertEquals([expired.response.status, expired.error?.code], [401, "session_expired"]);
  const none = await client.DELETE("/programs/{id}", { params: { path: { id } } });
  assertEquals([none.response.status, none.error?.code], [404, "no_such_program"]);
  const again = await client.DELETE("/sessions/{id}", { params: { path: { id } } });
  assertEquals([again.response.status, again.error?.code], [404, "no_such_session"]);

  const persistent: boolean = (await signIn(phone, credentials)).session.persistent === true;
  assertEquals([persistent, (await phone.GET("/notes")).response.status], [false, 200]);
  const rest = await client.DELETE("/sessions");
  assertEquals([rest.response.status, rest.data, rest.error], [204, undefined, undefined]);
  assertEquals((await phone.GET("/notes")).error?.code, "session_expired");
  assertEquals((await client.GET("/notes")).response.status, 200);

  const left = await client.POST("/auth/logout", { params: { header: { "X-CSRF-Token": csrfToken } } });
  assertEquals([left.response.status, left.data, left.error], [204, undefined, undefined]);
  assertEquals((await client.GET("/auth/session")).error?.code, "unauthenticated");
}

async function tokenOf(client: Client): Promise<string> {
  const { data } = await client.GET("/auth/csrf");
  assert(data !== undefined);
  return data.csrfToken;
}

async function signIn(
  client: Client,
  body: { identifier: string; password: string; remember?: boolean },
): Promise<SignedIn> {
  const { response, data } = await client.POST("/auth/login", {
    params: { header: { "X-CSRF-Token": await tokenOf(client) } },
    body,
  });
  assertEquals(response.status, 200);
  assert(data !== undefined);
  assertEquals(data.session.persistent === true, body.remember === true);
  return data;
}

async function walkPrograms(
  client: Client,
  program: Client,
  credentials: { identifier: string; password: string },
): Promise<void> {
  const body = { name: "Backup", scope: ["notes:read" as const], expiresInDays: 30 };
  const made = await client.POST("/api-keys", { body });
  assert(made.data !== undefined);
  const { key, info }: components["schemas"]["MadeApiKey"] = made.data;
  const headers = { "X-API-Key": key };
  assertEquals((await program.GET("/notes", { headers })).response.status, 200);
  const beyond = await program.POST("/notes", { headers, body: { title: "Milk" } });
  assertEquals([beyond.response.status, beyond.error?.code], [403, "insufficient_scope"]);
  const listed = await client.GET("/api-keys");
  assertEquals(listed.data?.apiKeys.map(({ id, name, scope }) => ({ id, name, scope })), [
    { id: info.id, name: "Backup", scope: ["notes:read"] },
  ]);
  const revoked = await client.DELETE("/api-keys/{id}", { params: { path: { id: info.id } } });
  assertEquals([revoked.response.status, revoked.data, revoked.error], [204, undefined, undefined]);
  assertEquals((await program.GET("/notes", { headers })).error?.code, "invalid_api_key");

  const entered = await program.POST("/tokens/login", { body: credentials });
  assert(entered.data !== undefined);
  const { user, refreshToken }: Entered = entered.data;
  assertEquals([entered.response.status, user.identifier], [200, "grace@example.org"]);
  const refreshed = await program.POST("/tokens/refresh", { body: { refreshToken } });
  assert(refreshed.data !== undefined);
  const { tokenType, accessToken, expiresIn } = refreshed.data;
  const seconds: number = expiresIn;
  assert(seconds > 0);
  const bearer = { headers: { Authorization: \`\${tokenType} \${accessToken}\` } };
  assertEquals((await program.GET("/notes", bearer)).response.status, 200);
  const me = await program.GET("/tokens/session", bearer);
  assertEquals([me.data?.principal.sub, me.data?.principal.method], [user.sub, "bearer"]);
  const reused = await program.POST("/tokens/refresh", { body: { refreshToken } });
  assertEquals([reused.response.status, reused.error?.code], [401, "invalid_refresh_token"]);
  const left = await program.POST("/tokens/logout", { body: { refreshToken } });
  assertEquals([left.response.status, left.data, left.error], [204, undefined, undefined]);
  assertEquals((await program.GET("/.well-known/jwks.json")).response.status, 200);
}

async function walkNotes(client: Client, baseUrl: string): Promise<void> {
  const none = await client.GET("/notes");
  assertEquals([none.response.status, none.data?.notes, none.data?.next], [200, [], undefined]);

  const live = await client.GET("/changes", { parseAs: "stream" });
  assertEquals([live.response.status, live.response.headers.get("content-type")], [200, "text/event-stream"]);
  await live.response.body?.cancel();
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
  await write("accounts.ts", ACCOUNT_WALK);
  await write("passkeys.ts", PASSKEY_WALK);
  await write("walk.ts", WALK);
  const lines = (await check(["walk.ts"])).get("walk.ts") ?? [];
  if (lines.length > 0) throw new Error(`Cannot use the client: wrong in lines ${lines} of WALK`);
  const { walk } = await load("walk.ts") as { readonly walk: Walk };
  return walk;
}

const GENERATED = import.meta.resolve("./_generated_client.ts");

/** The same walk by the client that `http client generate` has written. */
export async function loadGeneratedWalk({ write, load }: Programs): Promise<Walk> {
  await write("accounts.ts", ACCOUNT_WALK);
  await write("passkeys.ts", PASSKEY_WALK);
  await write("generated_walk.ts", WALK.replace(OPENAPI_FETCH, GENERATED));
  const { walk } = await load("generated_walk.ts") as { readonly walk: Walk };
  return walk;
}
