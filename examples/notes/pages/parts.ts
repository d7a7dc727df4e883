/**
 * What the routes of all pages share.
 *
 * @module
 */

import {
  type ApiKeyService,
  getSession,
  type PasskeyRuntime,
  type RouteRequest,
  type TokenRuntime,
} from "@gatehouse/http/native";
import { IN_PERSON } from "../access.ts";
import type { Chat } from "../chat.ts";
import type { Outbox } from "../outbox.ts";
import type { Provider } from "../providers.ts";
import type { NoteStore } from "../store.ts";
import type { Reader } from "./layout.ts";
import type { EmailAddress } from "./security.ts";

/** Parts of the pages. */
export interface PageParts {
  /** Where the notes are. */
  readonly store: NoteStore;
  /** Lists the reader's sessions, API clients and passkeys. */
  readonly runtime: TokenRuntime & PasskeyRuntime;
  /** Knows the reader's keys. */
  readonly apiKeys: ApiKeyService;
  /** Where the service is: `http://localhost:8000`. */
  readonly origin: string;
  /** Providers to sign in with. */
  readonly providers: readonly Provider[];
  /** Where messages to users go, while the service runs for development. */
  readonly outbox: Outbox | undefined;
  /** The chat's room. */
  readonly chat: Chat;
}

/** For all visitors, signed in or not. */
export const FOR_EVERYBODY = { auth: { mode: "optional" }, openapi: false } as const;

/** For signed-in users; API clients do not use pages. */
export const FOR_USERS: typeof IN_PERSON & { readonly openapi: false } = {
  ...IN_PERSON,
  openapi: false,
};

/** For what depends on no session: one that has expired must not lead away from a link in a message. */
export const WITHOUT_SESSION = { auth: false, openapi: false } as const;

/** The session of the request. Users sign in by sessions only, so that it always exists. */
export function readerOf(req: Pick<RouteRequest, "raw">): Reader {
  return { identifier: getSession(req)?.user.identifier ?? "" };
}

/** The reader's e-mail address, if there is one. */
export async function addressOf(
  { users }: PageParts["runtime"],
  sub: string,
): Promise<EmailAddress | undefined> {
  const user = await users.find(sub);
  const named = user?.identifier.includes("@") ? user.identifier : undefined;
  const address = user?.email ?? named;
  return address === undefined
    ? undefined
    : { address, verified: user?.emailVerifiedAt !== undefined };
}
