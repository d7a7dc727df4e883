import { type AuthorizationContext, createContainer, type Principal } from "@gatehouse/http";
import { denoKvAdapter } from "@gatehouse/http/auth/stores/kv";
import { assertEquals } from "@std/assert";
import { IN_PERSON, NoteAccess, OWN_NOTE } from "../../examples/notes/access.ts";
import { recordNoteStore } from "../../examples/notes/store_records.ts";
import { NOTE_STORE } from "../../examples/notes/tokens.ts";

const ID = "0".repeat(25);
const ADA: Principal = { sub: "ada", method: "session", authTime: 0 };

/** Ada's principal in her session. */
const IN_SESSION: Principal = { ...ADA, sessionId: "s1" };

const ALLOWED = { status: "allowed" };
const NO_RULE = { status: "denied", reason: "no rule covers the request" };
const ANOTHERS = { status: "denied", reason: "the principal does not own the note" };

const NOT_IN_PERSON = { status: "denied", reason: "the request has no session" };

/** Metadata of a route, and the principal that requests Ada's note. */
const QUESTIONS: readonly (readonly [
  why: string,
  metadata: unknown,
  principal: Principal | undefined,
  result: unknown,
])[] = [
  ["the owner", OWN_NOTE.authorization.metadata, ADA, ALLOWED],
  ["another user", OWN_NOTE.authorization.metadata, { ...ADA, sub: "eve" }, ANOTHERS],
  ["an anonymous request for a note", OWN_NOTE.authorization.metadata, undefined, ANOTHERS],
  ["a user in a session", IN_PERSON.authorization.metadata, IN_SESSION, ALLOWED],
  [
    "a user with an API key",
    IN_PERSON.authorization.metadata,
    { ...ADA, scope: [] },
    NOT_IN_PERSON,
  ],
  [
    "a user with a token of a session",
    IN_PERSON.authorization.metadata,
    { ...IN_SESSION, scope: ["notes:read", "notes:write"] },
    NOT_IN_PERSON,
  ],
  ["a user without a session", IN_PERSON.authorization.metadata, ADA, NOT_IN_PERSON],
  [
    "an anonymous request for an account",
    IN_PERSON.authorization.metadata,
    undefined,
    NOT_IN_PERSON,
  ],
  ["the owner and another resource", { resource: "attachment" }, ADA, NO_RULE],
  ["the owner and a route without metadata", undefined, ADA, NO_RULE],
  ["the owner and metadata that is null", null, ADA, NO_RULE],
  ["the owner and metadata that is a string", "note", ADA, NO_RULE],
  ["the owner and metadata of another kind", { action: "read" }, ADA, NO_RULE],
];

for (const [why, metadata, principal, result] of QUESTIONS) {
  Deno.test(`NoteAccess authorizes or denies ${why}`, async () => {
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
      query: {},
    };
    const access = container.resolve(NoteAccess);
    assertEquals<unknown>(await access.authorize(principal, { metadata, transport }), result);
  });
}
