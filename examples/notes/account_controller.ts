/**
 * `/account`, where users delete their account. The page is `pages/delete_account.ts`.
 *
 * @module
 */

import {
  AUTH_RUNTIME,
  type AuthRuntime,
  Controller,
  Delete,
  empty,
  inject,
  type Principal,
  type RequestSpec,
  type TypedRequest,
  type TypedResponse,
} from "@gatehouse/http";
import { IN_PERSON } from "./access.ts";
import { MAX_AGE, requireSecondFactor } from "./step_up.ts";
import type { NoteStore } from "./store.ts";
import { NOTE_STORE } from "./tokens.ts";

/** Notes that are deleted before the next ones are looked for. */
const BATCH = 100;

/** Deletes the account of the principal. */
@Controller("/account")
export class AccountController {
  readonly #runtime = inject<AuthRuntime>(AUTH_RUNTIME);
  readonly #store = inject(NOTE_STORE);

  @Delete("/", {
    ...IN_PERSON,
    auth: { maxAge: MAX_AGE },
    summary: "Delete your account, with all notes",
    description: "Needs a sign-in of the last five minutes, by both factors if you have two.",
    responses: {
      204: { description: "The account is deleted" },
    },
  })
  async remove(req: TypedRequest<RequestSpec, Principal>): Promise<TypedResponse<never>> {
    const { sub } = req.principal;
    await requireSecondFactor(this.#runtime, req.principal);
    await removeNotes(this.#store, sub);
    await this.#runtime.users.remove(sub);
    await this.#runtime.signOut(req);
    return empty();
  }
}

/** Deletes all notes of a user, with their attachments. A note that is changed meanwhile is found once more. */
async function removeNotes(store: NoteStore, owner: string): Promise<void> {
  for (;;) {
    const { notes } = await store.list(owner, { limit: BATCH });
    if (notes.length === 0) return;
    for (const { id } of notes) {
      const found = await store.find(id);
      if (found !== undefined) await store.remove(found);
    }
  }
}
