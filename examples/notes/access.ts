/**
 * Who may do what with a note: its owner everything, everybody else nothing.
 *
 * @module
 */

import {
  authorizationAllowed,
  type AuthorizationContext,
  authorizationDenied,
  type AuthorizationManager,
  type AuthorizationOption,
  type AuthorizationResult,
  inject,
  type Principal,
} from "@gatehouse/http";
import { findNote } from "./find_note.ts";
import { NOTE_STORE } from "./tokens.ts";

/** What a route asks the manager about: the note of its parameter `id`. */
interface NoteRequest {
  readonly resource: "note";
}

/** Option of routes with a note's `:id` in their path: the manager decides, before the body is read. */
export const OWN_NOTE: { readonly authorization: AuthorizationOption } = {
  authorization: { metadata: { resource: "note" } satisfies NoteRequest },
};

/** Decides for the service. The container makes it, at the first request that asks. */
export class NoteAccess implements AuthorizationManager {
  readonly #store = inject(NOTE_STORE);

  /** Decides about one request. @throws {HttpError} 404 `no_such_note`, before a body is read for nothing. */
  async authorize(
    principal: Principal | undefined,
    { metadata, transport: { params } }: AuthorizationContext,
  ): Promise<AuthorizationResult> {
    if (!isNoteRequest(metadata)) return authorizationDenied("no rule covers the request");
    const { owner } = await findNote(this.#store, params.id ?? "");
    return owner === principal?.sub
      ? authorizationAllowed()
      : authorizationDenied("the note is somebody else's");
  }
}

function isNoteRequest(metadata: unknown): metadata is NoteRequest {
  return typeof metadata === "object" && metadata !== null && "resource" in metadata &&
    metadata.resource === "note";
}
