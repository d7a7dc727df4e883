/**
 * Authorization: a note belongs to its owner; API clients of the owner are limited further by the scope of their key or
 * token.
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
import type { Scope } from "./api_key.ts";
import { findNote } from "./find_note.ts";
import { NOTE_STORE } from "./tokens.ts";

/** What a route or field passes to the manager: the note of its parameter or argument `id`, or the account of the principal. */
interface AccessRequest {
  readonly resource: "note" | "account";
}

/** Option of routes that call the manager. */
interface Asking {
  readonly authorization: AuthorizationOption;
}

/** Option of routes whose principal the handler reads. */
interface Guarded {
  readonly auth: true;
}

/** Options of routes that require a scope of API clients. */
interface Scoped extends Guarded {
  readonly scope: readonly Scope[];
}

/** Option of routes with a note's `:id` in their path: the manager decides, before the body is read. */
export const OWN_NOTE: Asking = asking("note");

/** Options of routes that read notes. */
export const READS: Scoped = needing("notes:read");

/** Options of routes that change notes. */
export const WRITES: Scoped = needing("notes:write");

/** Options of routes about an account: they name no scope, so that a session is required. */
export const IN_PERSON: Asking & Guarded = { ...asking("account"), auth: true };

/** Authorization of the service. The container creates it at the first request that needs it. */
export class NoteAccess implements AuthorizationManager {
  readonly #store = inject(NOTE_STORE);

  /** Decides about one request. @throws {HttpError} 404 `no_such_note`, before a body is read for nothing. */
  async authorize(
    principal: Principal | undefined,
    { metadata, transport }: AuthorizationContext,
  ): Promise<AuthorizationResult> {
    switch (resourceOf(metadata)) {
      case "note": {
        const owner = await this.#ownerOf(transport);
        return owner !== undefined && owner === principal?.sub
          ? authorizationAllowed()
          : authorizationDenied("the principal does not own the note");
      }
      case "account":
        return principal?.sessionId !== undefined && principal.scope === undefined
          ? authorizationAllowed()
          : authorizationDenied("the request has no session");
      case undefined:
        return authorizationDenied("no rule covers the request");
    }
  }

  /** The owner of the note that a request is about. A field of GraphQL cannot respond 404. */
  async #ownerOf(transport: AuthorizationContext["transport"]): Promise<string | undefined> {
    return transport.kind === "http"
      ? (await findNote(this.#store, String(transport.params.id))).owner
      : (await this.#store.find(String(transport.args.id)))?.owner;
  }
}

function asking(resource: AccessRequest["resource"]): Asking {
  return { authorization: { metadata: { resource } satisfies AccessRequest } };
}

/** Sessions may do all that their user may; keys and tokens need the scope. */
function needing(scope: Scope): Scoped {
  return { auth: true, scope: [scope] };
}

function resourceOf(metadata: unknown): AccessRequest["resource"] | undefined {
  if (typeof metadata !== "object" || metadata === null || !("resource" in metadata)) {
    return undefined;
  }
  const { resource } = metadata;
  return resource === "note" || resource === "account" ? resource : undefined;
}
