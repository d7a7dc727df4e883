import { type AuthorizationContext, createContainer, type Principal } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { NoteAccess, OWN_NOTE } from "../../examples/notes/access.ts";
import { kvNoteStore } from "../../examples/notes/store_kv.ts";
import { NOTE_STORE } from "../../examples/notes/tokens.ts";

const ID = "0".repeat(25);
const ADA: Principal = { sub: "ada", method: "session", authTime: 0 };

const ALLOWED = { status: "allowed" };
const NO_RULE = { status: "denied", reason: "no rule covers the request" };
const ANOTHERS = { status: "denied", reason: "the note is somebody else's" };

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
  ["the owner, of another resource", { resource: "attachment" }, ADA, NO_RULE],
  ["the owner, where the route says nothing", undefined, ADA, NO_RULE],
  ["the owner, where the route says null", null, ADA, NO_RULE],
  ["the owner, where the route says a text", "note", ADA, NO_RULE],
  ["the owner, where the route says something else", { action: "read" }, ADA, NO_RULE],
];

for (const [why, metadata, principal, result] of QUESTIONS) {
  Deno.test(`NoteAccess decides about ${why}`, async () => {
    using kv = await Deno.openKv(":memory:");
    const store = kvNoteStore(kv);
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
