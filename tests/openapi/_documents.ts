/**
 * Documents of the generator, of every kind. Other suites send each of them through other projects' tools.
 *
 * @module
 */

import {
  createRouter,
  generateOpenAPI,
  type OpenApiDocument,
  publicEndpoint,
  routerBuilder,
  secured,
} from "@gatehouse/http";
import { z } from "zod";
import {
  CONTAINER,
  CONTROLLER_INFO,
  Health,
  NotesController,
  TeamsController,
  UsersController,
} from "./_controllers.ts";
import { guarded, guardedByUnknown, OTHER_COOKIE, securityByHand } from "./_guarded_documents.ts";
import { answer, documentOf, INFO, integrationOf, STRATEGIES } from "./_helpers.ts";
import {
  MADE_SCHEMAS,
  NAMED,
  QUERIES,
  RECURSIVE,
  type Schemas,
  ZOD_INPUTS,
  ZOD_OUTPUTS,
} from "./_schemas.ts";

const { session, bearer, apiKey } = STRATEGIES;

/** Names, and what makes the documents. */
export const DOCUMENTS: readonly (readonly [name: string, document: () => unknown])[] = [
  ["an empty router", () => documentOf(() => {})],
  ["a plain router", plainRouter],
  ["controllers in the default registry", () => generateOpenAPI({ ...INFO, ...CONTROLLER_INFO })],
  ["controllers of a guarded router", controllersOfRouter],
  ["optional, regular and wildcard parameters", parameters],
  ["paths that differ in the names of their parameters", parameterNames],
  ["literals that need encoding", literals],
  ["every method, and all of them at once", methods],
  ["mounts of routers", mounts],
  ["a guard with one strategy", () => guarded(session)],
  ["a guard with several strategies", () => guarded(session, bearer, apiKey)],
  ["a guard with unknown strategies", guardedByUnknown],
  ["a guard with two cookies", () => guarded(session, OTHER_COOKIE)],
  ["security by hand", securityByHand],
  ["forms and raw bodies", bodies],
  ["recursive schemas", () => eachInBody(RECURSIVE)],
  ["schemas with names", () => eachInBody(NAMED)],
  ["schemas of Zod, as requests", () => eachInBody(ZOD_INPUTS)],
  ["schemas of Zod, as responses", zodResponses],
  ["schemas of JSON Schema", () => eachInBody(MADE_SCHEMAS)],
  ["queries", queries],
  ["metadata that says everything", metadata],
  ["redirects and errors", redirects],
  ["servers, tags and extensions", surroundings],
];

const Note = z.object({ id: z.string(), text: z.string().max(1000) }).meta({ id: "Note" });

function plainRouter(): OpenApiDocument {
  return documentOf((router) =>
    router
      .get("/", answer)
      .get("/notes", answer, { schema: { response: z.array(Note) } })
      .post("/notes", answer, { schema: { body: Note.omit({ id: true }), response: Note } })
      .get("/notes/:id", answer, {
        schema: { params: z.object({ id: z.string().length(21) }), response: Note },
      })
      .get("/internal", answer, { openapi: false })
  );
}

function controllersOfRouter(): OpenApiDocument {
  const router = routerBuilder({ container: CONTAINER })
    .prefix("/api/v1")
    .withAuth(integrationOf(session))
    .controllers(NotesController, Health, UsersController, TeamsController)
    .build();
  return generateOpenAPI({ ...INFO, ...CONTROLLER_INFO }, router);
}

function parameters(): OpenApiDocument {
  return documentOf((router) =>
    router
      .get("/optional/:id?", answer)
      .get("/optional/with/schema/:page?", answer, {
        schema: { params: z.object({ page: z.coerce.number().int().optional() }) },
      })
      .get("/regular/:id{[0-9]+}", answer)
      .get("/regular/:day{\\d{4}\\-\\d{2}}/:name{[\\w-.]+}", answer)
      .get("/regular/or/:kind{a|b}", answer)
      .get("/regular/number/:id{[0-9]+}", answer, {
        schema: { params: z.object({ id: z.coerce.number().int() }) },
      })
      .get("/files/*", answer)
      .get("/mixed/:path/*", answer)
      .get("/names/:a-b/:c$d/:e_f", answer)
  );
}

function parameterNames(): OpenApiDocument {
  return documentOf((router) =>
    router
      .get("/users/:id", answer)
      .put("/users/:user", answer, {
        schema: { params: z.object({ user: z.string().describe("Whose name it is") }) },
      })
      .delete("/users/*", answer, { openapi: { parameters: [{ name: "path", in: "path" }] } })
      .get("/users/:id/posts/:post", answer)
      .patch("/users/:post/posts/:id", answer)
  );
}

function literals(): OpenApiDocument {
  return documentOf((router) =>
    router
      .get("/größe/日本語/:id", answer)
      .get("/caf%C3%A9", answer)
      .get("/%3Aid/x%2Ay", answer)
      .get("/a b/{c}", answer)
      .get("/50%25/a%2Fb", answer)
      .get("/q%3Fa%23b", answer)
      .get("/~user/a;b=c,d&e@f", answer)
  );
}

function methods(): OpenApiDocument {
  return documentOf((router) =>
    router
      .get("/own", answer)
      .put("/own", answer)
      .post("/own", answer)
      .delete("/own", answer)
      .options("/own", answer)
      .head("/own", answer)
      .patch("/own", answer)
      .all("/all", answer)
      .get("/all/but", answer)
      .all("/all/but", answer, { openapi: { operationId: "but", tags: ["All"] } })
      .all("/all/:id", answer, {
        openapi: { requestBody: { content: { "text/plain": { schema: { type: "string" } } } } },
      })
  );
}

function mounts(): OpenApiDocument {
  const users = createRouter().get("/", answer).get("/:id", answer, {
    schema: { params: z.object({ id: z.uuid() }) },
  });
  const admin = createRouter({ prefix: "/v1" }).withAuth(integrationOf(bearer))
    .get("/both", answer)
    .get("/outer", answer, { auth: false })
    .get("/maybe", answer, { auth: { mode: "optional" } });
  return documentOf((router) =>
    router
      .mount("/open", users)
      .mount("/orgs/:id/users", users)
      .mount("/foreign", { fetch: () => new Response() })
      .withAuth(integrationOf(session))
      .mount("/users", users)
      .mount("/admin", admin)
      .mount("/public", admin, { auth: false })
  );
}

function bodies(): OpenApiDocument {
  return documentOf((router) =>
    router
      .post("/form", answer, { multipart: true })
      .put("/form", answer, {
        multipart: true,
        schema: { body: z.instanceof(FormData) },
        openapi: {
          requestBody: {
            description: "A picture, with a caption",
            content: {
              "multipart/form-data": {
                schema: {
                  type: "object",
                  properties: {
                    picture: { type: "string", contentMediaType: "application/octet-stream" },
                    caption: { type: "string" },
                  },
                  required: ["picture"],
                },
                encoding: { picture: { contentType: "image/png, image/jpeg" } },
              },
            },
          },
        },
      })
      .post("/raw", answer, { raw: true })
      .put("/raw", answer, {
        raw: true,
        openapi: { requestBody: { content: { "text/csv": { schema: { type: "string" } } } } },
      })
      .post("/json", answer)
      .put("/json", answer, {
        schema: { body: Note },
        openapi: {
          requestBody: {
            content: {
              "application/json": { example: { id: "1", text: "Milk" } },
              "application/vnd.note+json": {},
            },
          },
        },
      })
      .patch("/json", answer, {
        schema: { body: z.custom<Note>() },
        openapi: {
          requestBody: {
            content: { "application/merge-patch+json": { schema: { type: "object" } } },
          },
        },
      })
  );
}

type Note = z.infer<typeof Note>;

/** A route for each schema. */
function eachInBody(schemas: Schemas): OpenApiDocument {
  return documentOf((router) => {
    for (const [name, body] of Object.entries(schemas)) {
      router.post(`/${name}`, answer, { schema: { body } });
    }
  });
}

function zodResponses(): OpenApiDocument {
  return documentOf((router) => {
    for (const [name, response] of Object.entries({ ...ZOD_OUTPUTS, ...RECURSIVE, ...NAMED })) {
      router.get(`/${name}`, answer, { schema: { response } });
    }
  });
}

function queries(): OpenApiDocument {
  return documentOf((router) => {
    for (const [name, query] of Object.entries(QUERIES)) {
      router.get(`/${name}`, answer, { schema: { query } });
    }
  });
}

function metadata(): OpenApiDocument {
  return documentOf((router) =>
    router.post("/notes/:id", answer, {
      schema: {
        params: z.object({ id: z.string() }),
        query: z.object({ since: z.coerce.date() }),
        body: z.map(z.string(), z.string()),
        response: z.date(),
      },
      openapi: {
        summary: "Changes a note",
        description: "Changes it, and says *how*.",
        operationId: "change-note",
        tags: ["Notes", "Changes"],
        deprecated: true,
        externalDocs: { url: "https://docs.test/notes", description: "More" },
        parameters: [
          { name: "id", in: "path", description: "Which one", schema: { type: "string" } },
          { name: "since", in: "query", schema: { type: "string", format: "date" } },
          { name: "filter", in: "query", content: { "application/json": { schema: {} } } },
          { name: "If-Match", in: "header", required: true, example: '"1"' },
          { name: "theme", in: "cookie", schema: { enum: ["dark", "light"] } },
        ],
        requestBody: {
          description: "What to change",
          content: { "application/json": { schema: { type: "object" } } },
        },
        responses: {
          "200": {
            description: "When it was changed",
            headers: { ETag: { schema: { type: "string" } } },
            content: { "application/json": { schema: { type: "string", format: "date-time" } } },
          },
          "409": { description: "Somebody else changed it" },
          default: { description: "Who knows", content: {} },
        },
        security: secured("apiKey"),
        "x-internal": { level: 1 },
      },
    })
  );
}

function redirects(): OpenApiDocument {
  return documentOf((router) =>
    router
      .get("/see", answer, { openapi: { responses: { "303": { description: "Over there" } } } })
      .get("/fresh", answer, { openapi: { responses: { "304": {} } } })
      .post("/created", answer, { openapi: { responses: { "201": {}, "4XX": {} } } })
      .delete("/gone", answer, { openapi: { responses: { "204": {}, "404": {}, "5XX": {} } } })
      .get("/any", answer, { openapi: { responses: { "2XX": {}, "default": {} } } })
  );
}

function surroundings(): OpenApiDocument {
  return documentOf(
    (router) =>
      router.get("/notes", answer, {
        openapi: {
          tags: ["Notes"],
          responses: {
            "200": {
              content: { "text/csv": { schema: { $ref: "#/components/schemas/Table" } } },
            },
          },
        },
      }),
    {
      description: "Notes, *shared*",
      summary: "Notes",
      termsOfService: "https://notes.test/terms",
      contact: { name: "Ada", email: "ada@notes.test" },
      servers: [{
        url: "https://{region}.notes.test",
        variables: { region: { enum: ["eu", "us"], default: "eu" } },
      }],
      tags: [{ name: "Notes", description: "What people wrote down" }],
      externalDocs: { url: "https://docs.test" },
      schemas: { Table: { type: "string", description: "A line for each note" } },
      security: publicEndpoint,
    },
  );
}
