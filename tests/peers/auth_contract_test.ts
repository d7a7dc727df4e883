import { assert, assertEquals } from "@std/assert";
import document from "../../examples/notes/openapi.json" with { type: "json" };
import {
  type Client,
  formOf,
  type NotesService,
  PASSWORD,
  withNotes,
} from "../examples/_notes_service.ts";
import { type Operation, operationsOf, readContract } from "./_contract.ts";
import { exchangeAs, jsonInit } from "./_exchange.ts";
import { joinPointer } from "./problem.ts";
import { brokenValues, drawValue, seededRandom } from "./_schema_values.ts";

const GUARDED = operationsOf(document).filter(({ isGuarded }) => isGuarded);
const CHANGES = GUARDED.filter(({ method }) => method !== "GET");
const OF_A_NOTE = GUARDED.filter(({ path }) => path.startsWith("/notes/{id}"));

Deno.test("The document asks for a session everywhere but at the routes of authentication", () => {
  const open = operationsOf(document).filter(({ isGuarded }) => !isGuarded);
  assertEquals(open.filter(({ path }) => !path.startsWith("/auth/")), []);
  assertEquals([open.length, GUARDED.length, CHANGES.length, OF_A_NOTE.length], [5, 12, 8, 8]);
});

/** Finds who sends a request. `service` itself is Ada, who has the note. */
type Sender = (service: NotesService) => Client | Promise<Client>;

/** A page of another site; that it knows the token is more than it could. */
const FOREIGN = { "Sec-Fetch-Site": "cross-site" };
/** Header field of the token. */
const TOKEN = "X-CSRF-Token";
const TWO_SESSIONS = { Cookie: "__Host-sid=a; __Host-sid=b" };

/** Who is barred from operations, whatever else is right with a request. */
const BARRED: readonly (readonly [
  why: string,
  status: number,
  code: string,
  operations: readonly Operation[],
  sender: Sender,
])[] = [
  ["without a session", 401, "unauthenticated", GUARDED, ({ stranger }) => stranger()],
  ["after signing out", 401, "unauthenticated", GUARDED, signedOut],
  ["with a session that was ended", 401, "session_expired", GUARDED, ended],
  ["with two sessions", 401, "session_ambiguous", GUARDED, async ({ user }) => {
    return carrying(await user("bob"), TWO_SESSIONS);
  }],
  ["about another user's note", 403, "access_denied", OF_A_NOTE, ({ user }) => user("bob")],
  ["for another site's page", 403, "csrf_failed", CHANGES, (ada) => carrying(ada, FOREIGN)],
  ["without a CSRF token", 403, "csrf_failed", CHANGES, (ada) => carrying(ada, { [TOKEN]: "" })],
  ["with another session's CSRF token", 403, "csrf_failed", CHANGES, async (ada) => {
    return carrying(ada, await tokenOf(await ada.user("bob")));
  }],
];
for (const [why, status, code, operations, sender] of BARRED) {
  for (const operation of operations) {
    const { method, path, statuses } = operation;
    Deno.test(`The document says what the example answers to ${method} ${path} ${why}`, async () => {
      const contract = await readContract(document);
      await withNotes(async (ada) => {
        const note = await ada.create({ title: "a" });
        const files = `/notes/${note.id}/attachments`;
        const upload = { method: "POST", body: formOf(new File(["x"], "a.txt")) };
        await (await ada.call(files, upload)).body?.cancel();

        const target = path.replace("{id}", note.id).replace("{name}", "a.txt");
        const exchange = await exchangeAs(await sender(ada), target, requestOf(operation));
        const { response } = exchange;
        assertEquals([response.status, await codeOf(response)], [status, code]);
        assertEquals(response.headers.get("WWW-Authenticate"), status === 401 ? "Session" : null);
        // Where nothing else is forbidden, `4XX` stands for a forgery
        assert(code === "csrf_failed" || statuses.includes(String(status)), `${statuses}`);
        assertEquals(await contract.problemsOf(exchange), []);

        const { notes } = await (await ada.call("/notes")).json();
        const { attachments } = await (await ada.call(files)).json();
        assertEquals([notes, attachments.length], [[note], 1]);
      });
    });
  }
}

/** Somebody who has left, and whose browser knows. */
async function signedOut({ user }: NotesService): Promise<Client> {
  const bob = await user("bob");
  assertEquals((await bob.call("/auth/logout", { method: "POST" })).status, 204);
  return bob;
}

/** Somebody whose browser has the cookie of a session that is no more. */
async function ended({ user }: NotesService): Promise<Client> {
  const bob = await user("bob");
  const { session } = await (await bob.call("/auth/session")).json();
  assertEquals((await bob.call(`/sessions/${session.id}`, { method: "DELETE" })).status, 204);
  return bob;
}

/** A request that is right, but for who sends it. */
function requestOf({ method, id }: Operation): RequestInit {
  if (id === "AttachmentsController_add") {
    return { method, body: formOf(new File(["x"], "b.txt")) };
  }
  return method === "GET" || method === "DELETE" ? { method } : jsonInit(method, { title: "b" });
}

/** A client that sends more with every request, or sends it otherwise. */
function carrying(client: Client, headers: Readonly<Record<string, string>>): Client {
  return {
    ...client,
    call: (path, init = {}) => {
      const all = new Headers(init.headers);
      for (const [name, value] of Object.entries(headers)) all.set(name, value);
      return client.call(path, { ...init, headers: all });
    },
  };
}

/** A header field with a token of the client's. */
async function tokenOf(client: Client): Promise<Record<string, string>> {
  const { csrfToken } = await (await client.call("/auth/csrf")).json();
  return { [TOKEN]: csrfToken };
}

/** Somebody who has a token, and no account or session. */
const visitor: Sender = async ({ stranger }) => {
  const client = stranger();
  return carrying(client, await tokenOf(client));
};
const foreigner: Sender = async (service) => carrying(await visitor(service), FOREIGN);

const post = (body: unknown) => jsonInit("POST", body);
const form: RequestInit = { method: "POST", body: new URLSearchParams({ identifier: "bob" }) };
const BOB = { identifier: "bob", password: PASSWORD };
const ADA = { ...BOB, identifier: "ada" };
const LARGE = " ".repeat(16_385);
const stranger: Sender = (service) => service.stranger();

/** Requests to the routes of authentication that go wrong. */
const REFUSED: readonly (readonly [
  why: string,
  status: number,
  code: string,
  path: string,
  init: RequestInit,
  sender?: Sender,
])[] = [
  ["an identifier that is taken", 409, "identifier_unavailable", "register", post(ADA)],
  [
    "the same one in capitals",
    409,
    "identifier_unavailable",
    "register",
    post({
      ...ADA,
      identifier: "ADA",
    }),
  ],
  ["a weak password", 422, "weak_password", "register", post({ ...BOB, password: "secret" })],
  ["no password", 422, "weak_password", "register", post({ identifier: "bob" })],
  [
    "an identifier of two words",
    400,
    "invalid_identifier",
    "register",
    post({
      ...BOB,
      identifier: "a b",
    }),
  ],
  ["no identifier", 400, "invalid_identifier", "register", post({ password: PASSWORD })],
  ["a list", 422, "validation_failed", "register", post([])],
  ["broken JSON", 400, "invalid_json", "register", post("{")],
  ["no body", 400, "invalid_json", "register", post("")],
  ["a body that is too large", 413, "payload_too_large", "register", post(LARGE)],
  ["a form", 415, "unsupported_media_type", "register", form],
  ["no CSRF token", 403, "csrf_failed", "register", post(BOB), stranger],
  ["another site's page", 403, "csrf_failed", "register", post(BOB), foreigner],

  ["a wrong password", 401, "invalid_credentials", "login", post({ ...ADA, password: "x" })],
  ["an unknown account", 401, "invalid_credentials", "login", post(BOB)],
  ["no password", 401, "invalid_credentials", "login", post({ identifier: "ada" })],
  ["no identifier", 400, "invalid_identifier", "login", post({ password: PASSWORD })],
  ["a flag that is text", 422, "validation_failed", "login", post({ ...ADA, remember: "yes" })],
  ["a list", 422, "validation_failed", "login", post([ADA])],
  ["broken JSON", 400, "invalid_json", "login", post("{")],
  ["a body that is too large", 413, "payload_too_large", "login", post(LARGE)],
  ["a form", 415, "unsupported_media_type", "login", form],
  ["no CSRF token", 403, "csrf_failed", "login", post(ADA), stranger],
  ["another site's page", 403, "csrf_failed", "login", post(ADA), foreigner],

  ["no CSRF token", 403, "csrf_failed", "logout", { method: "POST" }, stranger],
  ["another site's page", 403, "csrf_failed", "logout", { method: "POST" }, foreigner],
  ["nobody", 401, "unauthenticated", "session", {}, stranger],
  ["somebody who has left", 401, "unauthenticated", "session", {}, signedOut],
  ["a session that was ended", 401, "session_expired", "session", {}, ended],
  ["two sessions", 401, "session_ambiguous", "session", { headers: TWO_SESSIONS }],
  ["two sessions", 403, "csrf_failed", "csrf", { headers: TWO_SESSIONS }],
];
for (const [why, status, code, route, init, sender = visitor] of REFUSED) {
  const name = `/auth/${route} with ${why}`;
  Deno.test(`The document says what the example answers to ${name}`, async () => {
    const contract = await readContract(document);
    await withNotes(async (service) => {
      const exchange = await exchangeAs(await sender(service), `/auth/${route}`, init);
      const { response } = exchange;
      assertEquals([response.status, await codeOf(response)], [status, code]);
      const operation = operationsOf(document).find(({ path }) => path === `/auth/${route}`);
      assertEquals(operation?.statuses.includes(String(status)), true);
      assertEquals(await contract.problemsOf(exchange), []);
    });
  });
}

const SEED = 20_260_731;
const DRAWS = 60;

/** The routes with a JSON body, and all that they answer to what the document allows. */
const ENTRANCES: readonly (readonly [route: string, statuses: readonly number[]])[] = [
  ["register", [201, 400, 409, 422, 429]],
  ["login", [400, 401, 429]],
];
for (const [route, statuses] of ENTRANCES) {
  const path = `/auth/${route}`;
  const pointer = joinPointer(
    "#/paths",
    path,
    "post",
    "requestBody",
    "content",
    "application/json",
    "schema",
  );

  Deno.test(`The document says what the example answers to what it allows at ${path}`, async () => {
    const contract = await readContract(document);
    const random = seededRandom(SEED);
    const schema = contract.schemaAt(pointer);
    await withNotes(async (service) => {
      const seen = new Set<number>();
      for (let i = 0; i < DRAWS; i++) {
        const drawn = drawValue(schema, random);
        // What is drawn is hardly ever an identifier, and refused for that
        const value = i % 2 === 0 ? drawn : { ...Object(drawn), identifier: "bob" };
        assertEquals(await contract.allows(pointer, value), true);
        const exchange = await exchangeAs(await visitor(service), path, jsonInit("POST", value));
        const { status, headers } = exchange.response;
        seen.add(status);
        assertEquals(headers.has("Retry-After"), status === 429);
        assertEquals(await contract.problemsOf(exchange), []);
      }
      assertEquals([...seen].sort(), statuses);
    });
  });

  Deno.test(`POST ${path} refuses what the document forbids`, async () => {
    const contract = await readContract(document);
    for (const { why, value } of brokenValues(contract.schemaAt(pointer))) {
      assertEquals(await contract.allows(pointer, value), false, why);
      await withNotes(async (service) => {
        const exchange = await exchangeAs(await visitor(service), path, jsonInit("POST", value));
        const { status } = exchange.response;
        assertEquals([why, [400, 401, 422].includes(status)], [why, true]);
        assertEquals(await contract.problemsOf(exchange), []);
      });
    }
  });
}

async function codeOf(response: Response): Promise<string> {
  return (await response.clone().json()).code;
}
