/**
 * `/programs/:id`, where users sign out API clients that signed in below `/tokens`. The list is a page, `pages/sessions.ts`.
 *
 * @module
 */

import {
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
import { TOKEN_SERVICE } from "./tokens.ts";

/** Signs out API clients of the principal. */
@Controller("/programs")
export class ProgramsController {
  readonly #tokens = inject(TOKEN_SERVICE);

  @Delete("/:id", {
    ...IN_PERSON,
    summary: "Sign out one of your API clients",
    responses: {
      204: {
        description: "Its refresh token is revoked; an access token expires within ten minutes",
      },
      404: { description: "You have no API client with this id" },
    },
  })
  async end(
    req: TypedRequest<RequestSpec<PathParams<{ readonly id: string }>>, Principal>,
  ): Promise<TypedResponse<never>> {
    if (await this.#tokens.revokeById(req.principal.sub, req.params.id)) return empty();
    throw new HttpError(404, "no_such_program", { detail: "You have no API client with this id" });
  }
}
