/**
 * Who may do what: with a note its owner everything, everybody else nothing; and of what its owner may do, a program only
 * what its key or token is good for.
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
  type Middleware,
  type Principal,
  requireScope,
  secured,
  type SecurityRequirement,
} from "@gatehouse/http";
import type { Scope } from "./api_key.ts";
import { findNote } from "./find_note.ts";
import { NOTE_STORE } from "./tokens.ts";

/** What a route asks the manager about: the note of its parameter `id`, or the account of who asks. */
interface AccessRequest {
  readonly resource: "note" | "account";
}

/** Option of routes that ask the manager. */
interface Asking {
  readonly authorization: AuthorizationOption;
}

/** Options of routes for some of those who ask, and what the document says of them. */
interface Limited {
  readonly auth: true;
  readonly security: readonly SecurityRequirement[];
}

/** Options of routes that ask programs for a scope. */
interface Scoped extends Limited {
  readonly use: readonly Middleware<unknown[]>[];
}

/** Option of routes with a note's `:id` in their path: the manager decides, before the body is read. */
export const OWN_NOTE: Asking = asking("note");

/** Options of routes that read notes. */
export const READS: Scoped = needing("notes:read");

/** Options of routes that change notes. */
export const WRITES: Scoped = needing("notes:write");

/** Options of routes about an account: its user has to be there, and no key or token is enough. */
export const IN_PERSON: Asking & Limited = {
  ...asking("account"),
  auth: true,
  security: secured("session"),
};

/** Decides for the service. The container makes it, at the first request that asks. */
export class NoteAccess implements AuthorizationManager {
  readonly #store = inject(NOTE_STORE);

  /** Decides about one request. @throws {HttpError} 404 `no_such_note`, before a body is read for nothing. */
  async authorize(
    principal: Principal | undefined,
    { metadata, transport: { params } }: AuthorizationContext,
  ): Promise<AuthorizationResult> {
    switch (resourceOf(metadata)) {
      case "note": {
        const { owner } = await findNote(this.#store, params.id ?? "");
        return owner === principal?.sub
          ? authorizationAllowed()
          : authorizationDenied("the note is somebody else's");
      }
      case "account":
        return principal?.sessionId !== undefined && principal.scope === undefined
          ? authorizationAllowed()
          : authorizationDenied("the user is not there in person");
      case undefined:
        return authorizationDenied("no rule covers the request");
    }
  }
}

function asking(resource: AccessRequest["resource"]): Asking {
  return { authorization: { metadata: { resource } satisfies AccessRequest } };
}

/** Sessions may do all that their user may; keys and tokens need the scope. */
function needing(scope: Scope): Scoped {
  return {
    auth: true,
    use: [requireScope(scope)],
    security: [
      ...secured("apiKey", [scope]),
      ...secured("bearer", [scope]),
      ...secured("session"),
    ],
  };
}

function resourceOf(metadata: unknown): AccessRequest["resource"] | undefined {
  if (typeof metadata !== "object" || metadata === null || !("resource" in metadata)) {
    return undefined;
  }
  const { resource } = metadata;
  return resource === "note" || resource === "account" ? resource : undefined;
}
