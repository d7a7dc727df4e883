import { assert, assertEquals } from "@std/assert";
import { make, program } from "../flows/_notes_api_clients.ts";
import { type Client, type NotesService, withNotes } from "./_notes_service.ts";

/** The answer to an operation. */
interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- tests read what they asked for
  readonly data?: any;
  readonly codes: readonly unknown[];
}

const ADD = `mutation ($title: String!) { addNote(input: { title: $title }) { id title tags } }`;

async function ask(
  call: Client["call"],
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await call("/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ query, variables }),
  });
  if (response.status !== 200) {
    return { status: response.status, codes: [(await response.json()).code] };
  }
  const { data, errors = [] } = await response.json();
  const codes = errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
  return { status: 200, data, codes };
}

/** Starts a subscription. @returns Its events, decoded. */
async function* changesOf(
  { call }: Client,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const response = await call("/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({ query: "subscription { noteChanges { kind note { title } } }" }),
  });
  assertEquals(response.headers.get("Content-Type"), "text/event-stream");
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const [, event, data] = /^event: (\w+)\ndata: ?(.*)$/s.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (event === "next") yield JSON.parse(data ?? "");
      if (event === "complete") return;
    }
  }
}

Deno.test("/graphql answers its own notes to a session, and nothing to anybody else", () =>
  withNotes(async ({ call, stranger, user }: NotesService) => {
    const { data: { addNote: { id, title, tags } } } = await ask(call, ADD, { title: "Milk" });
    assertEquals({ title, tags }, { title: "Milk", tags: [] });
    const read = "query ($id: ID!) { note(id: $id) { title } notes { notes { title } } }";
    const own = { note: { title: "Milk" }, notes: { notes: [{ title: "Milk" }] } };
    assertEquals(await ask(call, read, { id }), { status: 200, data: own, codes: [] });

    const { data, codes } = await ask((await user("eve")).call, read, { id });
    assertEquals(data, { note: null, notes: { notes: [] } });
    assertEquals(codes, ["FORBIDDEN"]);
    const anonymous = await ask(stranger().call, "{ notes { next } }");
    assertEquals(anonymous, { status: 200, data: null, codes: ["UNAUTHENTICATED"] });
    const unknown = await ask(call, read, { id: id.replace(/.$/, "_") });
    assertEquals(unknown.codes, ["FORBIDDEN"]);

    const remove = "mutation ($id: ID!) { removeNote(id: $id) { title } }";
    assertEquals((await ask((await user("mallory")).call, remove, { id })).codes, ["FORBIDDEN"]);
    assertEquals((await ask(call, remove, { id })).data, { removeNote: { title: "Milk" } });
  }));

Deno.test("/graphql holds API keys to their scope", () =>
  withNotes(async (service: NotesService) => {
    const { key } = await make(service, { scope: ["notes:read"] });
    const { call } = { call: program(service.origin, { "X-API-Key": key }) };
    assertEquals((await ask(call, "{ notes { next } }")).codes, []);
    assertEquals((await ask(call, ADD, { title: "Milk" })).codes, ["FORBIDDEN"]);
  }));

Deno.test("/graphql refuses a page of another origin, a body without end, and a wrong note", () =>
  withNotes(async ({ call }: NotesService) => {
    const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    const refused = await ask(call, ADD, { title: "Forged" }, foreign);
    assertEquals(refused, { status: 403, codes: ["csrf_failed"] });
    const long = await ask(call, `# ${"x".repeat(300_000)}\n{ notes { next } }`);
    assertEquals(long, { status: 413, codes: ["body_too_large"] });
    assertEquals((await ask(call, ADD, { title: " " })).codes, ["BAD_USER_INPUT"]);
    assertEquals((await ask(call, "{ notes { notes { title } } }")).data.notes.notes, []);
    const query = encodeURIComponent("{ notes { next } }");
    const origin = { Origin: "https://blog.example" };
    const read = await call(`/graphql?query=${query}`, { headers: origin });
    assertEquals(read.headers.get("Access-Control-Allow-Origin"), null); // nobody else's page can read it
    await read.body?.cancel();
    const byGet = await call(`/graphql?query=${encodeURIComponent(ADD)}&variables={"title":"x"}`);
    assertEquals(byGet.status, 405);
    await byGet.body?.cancel();
  }));

Deno.test("/graphql sends the changes of a user's notes, by any API, until the session ends", () =>
  withNotes(async (service: NotesService) => {
    const { send, create, user } = service;
    const changes = changesOf(service);
    const first = changes.next();
    await new Promise((resolve) => setTimeout(resolve, 50)); // until the stream is open
    await (await user("eve")).create({ title: "Not ada's" });
    const { id } = await create({ title: "Milk" });
    assertEquals((await first).value, {
      data: { noteChanges: { kind: "ADDED", note: { title: "Milk" } } },
    });
    await (await send("PATCH", `/notes/${id}`, { title: "Oat milk" })).body?.cancel();
    assertEquals((await changes.next()).value, {
      data: { noteChanges: { kind: "CHANGED", note: { title: "Oat milk" } } },
    });

    const other = await signIn(service);
    await (await send("POST", "/auth/logout", {})).body?.cancel();
    await other.create({ title: "Not for the old session" });
    const { value } = await changes.next();
    assertEquals(JSON.stringify(value).includes("old session"), false);
    assertEquals(
      (value?.errors as readonly { extensions: unknown }[])[0]?.extensions,
      { code: "UNAUTHENTICATED" },
    );
    assert((await changes.next()).done);
  }));

async function signIn({ stranger }: NotesService): Promise<Client> {
  const client = stranger();
  const response = await client.enter("login", "ada");
  await response.body?.cancel();
  assertEquals(response.status, 200);
  return client;
}
