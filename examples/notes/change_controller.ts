/**
 * `/changes`: the changes of a user's notes, as server-sent events.
 *
 * @module
 */

import {
  Controller,
  type EventStream,
  Get,
  inject,
  type Principal,
  type RequestSpec,
  sse,
  type TypedRequest,
} from "@gatehouse/http";
import { READS } from "./access.ts";
import type { NoteChange } from "./changes.ts";
import { NOTE_CHANGES } from "./tokens.ts";

/** After so long the stream ends. Browsers connect again, and the guard asks who is there. */
const LIFETIME_MS = 60_000;

/** Sends changes while they happen. */
@Controller("/changes")
export class ChangesController {
  readonly #changes = inject(NOTE_CHANGES);

  @Get("/", {
    ...READS,
    summary: "Watch your notes",
    description: "Ends after a minute: connect again, as `EventSource` does by itself.",
    responses: { 403: { description: "The key or token lacks the required scope" } },
  })
  watch(req: TypedRequest<RequestSpec, Principal>): EventStream<NoteChange> {
    const changes = this.#changes;
    return sse(req, async function* ({ signal }) {
      const until = AbortSignal.any([signal, AbortSignal.timeout(LIFETIME_MS)]);
      for await (const data of changes.of(req.principal.sub, until)) yield { data };
    });
  }
}
