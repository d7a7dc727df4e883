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

Deno.test("The document asks for a credential everywhere but at the routes of authentication", () => {
  const open = operationsOf(document).filter(({ isGuarded }) => !isGuarded);
  assertEquals(open.filter(({ path }) => !/^\/(?:auth|tokens|\.well-known)\//.test(path)), []);
  assertEquals([open.length, GUARDED.length, CHANGES.length, OF_A_NOTE.length], [34, 18, 12, 8]);
});

/** The ways in, for who shows no credential; a session that is refused names its own. */
const WAYS_IN = 'ApiKey, Bearer realm="api", Session';

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
        const refused = code === "unauthenticated" ? WAYS_IN : "Session";
        assertEquals(response.headers.get("WWW-Authenticate"), status === 401 ? refused : null);
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
const LOUD = { ...BOB, identifier: "ADA" };
const WRONG = { ...ADA, password: "x" };
const FLAG = { ...ADA, remember: "yes" };
const NUMBER = { refreshToken: 7 };
const TWO_WORDS = { ...BOB, identifier: "a b" };
const UNKNOWN = { refreshToken: `${"a".repeat(22)}.${"a".repeat(43)}` };
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
  ["an identifier that is taken", 409, "identifier_unavailable", "/auth/register", post(ADA)],
  ["the same one in capitals", 409, "identifier_unavailable", "/auth/register", post(LOUD)],
  ["a weak password", 422, "weak_password", "/auth/register", post({ ...BOB, password: "secret" })],
  ["no password", 422, "weak_password", "/auth/register", post({ identifier: "bob" })],
  ["an identifier of two words", 400, "invalid_identifier", "/auth/register", post(TWO_WORDS)],
  ["no identifier", 400, "invalid_identifier", "/auth/register", post({ password: PASSWORD })],
  ["a list", 422, "validation_failed", "/auth/register", post([])],
  ["broken JSON", 400, "invalid_json", "/auth/register", post("{")],
  ["no body", 400, "invalid_json", "/auth/register", post("")],
  ["a body that is too large", 413, "payload_too_large", "/auth/register", post(LARGE)],
  ["a form", 415, "unsupported_media_type", "/auth/register", form],
  ["no CSRF token", 403, "csrf_failed", "/auth/register", post(BOB), stranger],
  ["another site's page", 403, "csrf_failed", "/auth/register", post(BOB), foreigner],

  ["a wrong password", 401, "invalid_credentials", "/auth/login", post(WRONG)],
  ["an unknown account", 401, "invalid_credentials", "/auth/login", post(BOB)],
  ["no password", 401, "invalid_credentials", "/auth/login", post({ identifier: "ada" })],
  ["no identifier", 400, "invalid_identifier", "/auth/login", post({ password: PASSWORD })],
  ["a flag that is text", 422, "validation_failed", "/auth/login", post(FLAG)],
  ["a list", 422, "validation_failed", "/auth/login", post([ADA])],
  ["broken JSON", 400, "invalid_json", "/auth/login", post("{")],
  ["a body that is too large", 413, "payload_too_large", "/auth/login", post(LARGE)],
  ["a form", 415, "unsupported_media_type", "/auth/login", form],
  ["no CSRF token", 403, "csrf_failed", "/auth/login", post(ADA), stranger],
  ["another site's page", 403, "csrf_failed", "/auth/login", post(ADA), foreigner],

  ["a wrong password", 401, "invalid_credentials", "/tokens/login", post(WRONG)],
  ["an unknown account", 401, "invalid_credentials", "/tokens/login", post(BOB), stranger],
  ["no password", 401, "invalid_credentials", "/tokens/login", post({ identifier: "ada" })],
  ["no identifier", 400, "invalid_identifier", "/tokens/login", post({ password: PASSWORD })],
  ["a list", 422, "validation_failed", "/tokens/login", post([ADA])],
  ["broken JSON", 400, "invalid_json", "/tokens/login", post("{")],
  ["a body that is too large", 413, "payload_too_large", "/tokens/login", post(LARGE)],
  ["another site's form", 415, "unsupported_media_type", "/tokens/login", form, foreigner],

  ["an unknown token", 401, "invalid_refresh_token", "/tokens/refresh", post(UNKNOWN), stranger],
  ["a token that is a number", 401, "invalid_refresh_token", "/tokens/refresh", post(NUMBER)],
  ["a list", 401, "invalid_refresh_token", "/tokens/refresh", post([])],
  ["broken JSON", 400, "invalid_json", "/tokens/refresh", post("{")],
  ["a body that is too large", 413, "payload_too_large", "/tokens/refresh", post(LARGE)],
  ["a form", 415, "unsupported_media_type", "/tokens/refresh", form],

  ["broken JSON", 400, "invalid_json", "/tokens/logout", post("{")],
  ["a body that is too large", 413, "payload_too_large", "/tokens/logout", post(LARGE)],
  ["nobody", 401, "unauthenticated", "/tokens/session", {}, stranger],
  ["a token that is none", 401, "invalid_token", "/tokens/session", {
    headers: { Authorization: "Bearer x" },
  }],

  ["no CSRF token", 403, "csrf_failed", "/auth/logout", { method: "POST" }, stranger],
  ["another site's page", 403, "csrf_failed", "/auth/logout", { method: "POST" }, foreigner],
  ["nobody", 401, "unauthenticated", "/auth/session", {}, stranger],
  ["somebody who has left", 401, "unauthenticated", "/auth/session", {}, signedOut],
  ["a session that was ended", 401, "session_expired", "/auth/session", {}, ended],
  ["two sessions", 401, "session_ambiguous", "/auth/session", { headers: TWO_SESSIONS }],
  ["two sessions", 403, "csrf_failed", "/auth/csrf", { headers: TWO_SESSIONS }],
];
for (const [why, status, code, path, init, sender = visitor] of REFUSED) {
  const name = `${path} with ${why}`;
  Deno.test(`The document says what the example answers to ${name}`, async () => {
    const contract = await readContract(document);
    await withNotes(async (service) => {
      const exchange = await exchangeAs(await sender(service), path, init);
      const { response } = exchange;
      assertEquals([response.status, await codeOf(response)], [status, code]);
      const operation = operationsOf(document).find((one) => one.path === path);
      assertEquals(operation?.statuses.includes(String(status)), true);
      assertEquals(await contract.problemsOf(exchange), []);
    });
  });
}

const SEED = 20_260_731;
const DRAWS = 60;

/** The routes with a JSON body, and all that they answer to what the document allows. */
const ENTRANCES: readonly (readonly [path: string, statuses: readonly number[]])[] = [
  ["/auth/register", [201, 400, 409, 422, 429]],
  ["/auth/login", [400, 401, 429]],
  ["/tokens/login", [400, 401, 429]],
  ["/tokens/refresh", [401]],
];
for (const [path, statuses] of ENTRANCES) {
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

  Deno.test(`POST ${path} rejects what the document forbids`, async () => {
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
