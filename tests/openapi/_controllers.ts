/**
 * Controllers of the generator's tests. They are in the default registry as soon as this module is imported.
 *
 * @module
 */

import {
  All,
  type Container,
  Controller,
  createContainer,
  Delete,
  Endpoint,
  Get,
  type OpenApiInfo,
  Patch,
  Post,
  publicEndpoint,
  Put,
  secured,
  type TypedResponse,
} from "@gatehouse/http";
import { z } from "zod";
import { answer } from "./_helpers.ts";

/** The container that makes them. */
export const CONTAINER: Container = createContainer();

/** What a document of them has to say, without a router's guard. */
export const CONTROLLER_INFO: Partial<OpenApiInfo> = {
  tags: [{ name: "Notes", description: "What people wrote down" }],
  security: secured("session"),
};

const Note = z.object({ id: z.uuid(), text: z.string(), at: z.iso.datetime() }).meta({
  id: "Note",
  description: "A note",
});
const NewNote = z.strictObject({ text: z.string().min(1).max(1000) });
const Page = z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) });

/** Has every kind of route that a controller can have. */
@Controller("/notes", { container: CONTAINER })
export class NotesController {
  @Get("/", { summary: "Lists notes", schema: { query: Page, response: z.array(Note) } })
  list(): TypedResponse<never> {
    return answer();
  }

  @Get("/:id", { schema: { response: Note } })
  @Endpoint({ description: "Found by its **id**.", responses: { "404": {} } })
  findByID(): TypedResponse<never> {
    return answer();
  }

  @Post("/", {
    schema: { body: NewNote, response: Note },
    responses: { "201": { description: "The note" } },
  })
  create(): TypedResponse<never> {
    return answer();
  }

  @Put("/:id/text", { auth: true })
  @Patch("/:id/text", { auth: true, deprecated: true })
  write_text(): TypedResponse<never> {
    return answer();
  }

  @Delete("/:id", { authorization: { metadata: "delete" }, "x-audited": true })
  delete(): TypedResponse<never> {
    return answer();
  }

  @Get("/internal", { openapi: false })
  internal(): TypedResponse<never> {
    return answer();
  }

  /** No route, and so nothing of a document. */
  helper(): string {
    return "";
  }
}

/** Is public, and has no schemas. */
@Controller("/health", { container: CONTAINER })
export class Health {
  @Get("/", { auth: false })
  check(): TypedResponse<never> {
    return answer();
  }

  @All("/echo", { auth: false, security: publicEndpoint, tags: ["Tools"] })
  echo(): TypedResponse<never> {
    return answer();
  }
}

/** What two controllers have in common. */
abstract class Crud {
  @Get("/")
  list(): TypedResponse<never> {
    return answer();
  }

  @Get("/:id")
  find(): TypedResponse<never> {
    return answer();
  }
}

/** Inherits its routes. */
@Controller("/users", { container: CONTAINER })
export class UsersController extends Crud {}

/** Inherits one route, and overrides the other. */
@Controller("/teams", { container: CONTAINER })
export class TeamsController extends Crud {
  @Get("/", { summary: "Lists teams" })
  override list(): TypedResponse<never> {
    return answer();
  }
}
