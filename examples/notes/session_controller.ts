/**
 * `/sessions/:id` and `/sessions`, where users revoke sessions in other browsers. The list is a page, `pages/sessions.ts`.
 *
 * @module
 */

import {
  AUTH_RUNTIME,
  type AuthRuntime,
  Controller,
  Delete,
  empty,
  HttpError,
  inject,
  type PathParams,
  type Principal,
  type RequestSpec,
  type TypedRequest,
  type TypedResponse,
} from "@gatehouse/http";
import { IN_PERSON } from "./access.ts";

/** Revokes sessions of the principal. */
@Controller("/sessions")
export class SessionsController {
  readonly #sessions = inject<AuthRuntime>(AUTH_RUNTIME).sessions;

  @Delete("/:id", {
    ...IN_PERSON,
    summary: "Revoke one of your sessions",
    responses: {
      204: { description: "The session is revoked" },
      404: { description: "You have no session with this id" },
    },
  })
  async revoke(
    req: TypedRequest<RequestSpec<PathParams<{ readonly id: string }>>, Principal>,
  ): Promise<TypedResponse<never>> {
    if (await this.#sessions.revoke(req.principal.sub, req.params.id)) return empty();
    throw new HttpError(404, "no_such_session", { detail: "You have no session with this id" });
  }

  @Delete("/", {
    ...IN_PERSON,
    summary: "Revoke all other sessions, and sign out your API clients",
    responses: { 204: { description: "The other sessions are revoked" } },
  })
  async revokeOthers(
    req: TypedRequest<RequestSpec, Principal>,
  ): Promise<TypedResponse<never>> {
    const { sub, sessionId } = req.principal;
    if (sessionId === undefined) await this.#sessions.revokeAll(sub);
    else await this.#sessions.revokeOthers(sub, sessionId);
    return empty();
  }
}
