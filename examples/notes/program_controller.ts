/**
 * `/programs/:id`, where people sign out what they signed in beneath `/tokens`. The list is a page, `session_page.ts`.
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

/** Signs out programs of who asks. */
@Controller("/programs")
export class ProgramsController {
  readonly #tokens = inject(TOKEN_SERVICE);

  @Delete("/:id", {
    ...IN_PERSON,
    summary: "Sign out one of your programs",
    responses: {
      204: {
        description: "The program gets no more tokens; what it has is good for ten minutes at most",
      },
      404: { description: "You have no program of this id" },
    },
  })
  async end(
    req: TypedRequest<RequestSpec<PathParams<{ readonly id: string }>>, Principal>,
  ): Promise<TypedResponse<never>> {
    if (await this.#tokens.revokeById(req.principal.sub, req.params.id)) return empty();
    throw new HttpError(404, "no_such_program", { detail: "You have no program of this id" });
  }
}
