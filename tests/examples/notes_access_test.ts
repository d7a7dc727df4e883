import { type AuthorizationContext, createContainer, type Principal } from "@gatehouse/http";
import { denoKvAdapter } from "@gatehouse/http/auth/stores/kv";
import { assertEquals } from "@std/assert";
import { IN_PERSON, NoteAccess, OWN_NOTE } from "../../examples/notes/access.ts";
import { recordNoteStore } from "../../examples/notes/store_records.ts";
import { NOTE_STORE } from "../../examples/notes/tokens.ts";

const ID = "0".repeat(25);
const ADA: Principal = { sub: "ada", method: "session", authTime: 0 };

/** What says who asks, where it is Ada herself. */
const IN_SESSION: Principal = { ...ADA, sessionId: "s1" };

const ALLOWED = { status: "allowed" };
const NO_RULE = { status: "denied", reason: "no rule covers the request" };
const ANOTHERS = { status: "denied", reason: "the principal does not own the note" };

const NOT_IN_PERSON = { status: "denied", reason: "the request has no session" };

/** What a route may say of itself, and who asks for Ada's note. */
const QUESTIONS: readonly (readonly [
  why: string,
  metadata: unknown,
  principal: Principal | undefined,
  result: unknown,
])[] = [
  ["the owner", OWN_NOTE.authorization.metadata, ADA, ALLOWED],
  ["somebody else", OWN_NOTE.authorization.metadata, { ...ADA, sub: "eve" }, ANOTHERS],
  ["nobody, who owns nothing", OWN_NOTE.authorization.metadata, undefined, ANOTHERS],
  ["an account, in its session", IN_PERSON.authorization.metadata, IN_SESSION, ALLOWED],
  ["an account, by a key", IN_PERSON.authorization.metadata, { ...ADA, scope: [] }, NOT_IN_PERSON],
  [
    "an account, by a token of a session",
    IN_PERSON.authorization.metadata,
    { ...IN_SESSION, scope: ["notes:read", "notes:write"] },
    NOT_IN_PERSON,
  ],
  ["an account, without a session", IN_PERSON.authorization.metadata, ADA, NOT_IN_PERSON],
  ["an account, by nobody", IN_PERSON.authorization.metadata, undefined, NOT_IN_PERSON],
  ["the owner, of another resource", { resource: "attachment" }, ADA, NO_RULE],
  ["the owner, where the route says nothing", undefined, ADA, NO_RULE],
  ["the owner, where the route says null", null, ADA, NO_RULE],
  ["the owner, where the route says a text", "note", ADA, NO_RULE],
  ["the owner, where the route says something else", { action: "read" }, ADA, NO_RULE],
];

for (const [why, metadata, principal, result] of QUESTIONS) {
  Deno.test(`NoteAccess decides about ${why}`, async () => {
    using kv = await Deno.openKv(":memory:");
    const store = recordNoteStore(denoKvAdapter(kv));
    const note = { id: ID, title: "Mine", text: "", tags: [], createdAt: 0, updatedAt: 0 };
    await store.add({ owner: "ada", note });
    const container = createContainer();
    container.register(NOTE_STORE, { useValue: store });
    container.register(NoteAccess, { useClass: NoteAccess });
    const transport: AuthorizationContext["transport"] = {
      kind: "http",
      request: new Request(`http://localhost/notes/${ID}`),
      route: "/notes/:id",
      params: { id: ID },
    };
    const access = container.resolve(NoteAccess);
    assertEquals<unknown>(await access.authorize(principal, { metadata, transport }), result);
  });
}
