/**
 * OpenAPI 3.1 documents (https://spec.openapis.org/oas/v3.1.1), made of what the code says of its routes.
 *
 * @module
 */

import type { OpenApiDocument, OpenApiInfo } from "../router/openapi_types.ts";
import { defaultRegistry, type EndpointRegistry } from "../router/registry.ts";
import type { RouteSource } from "../router/types.ts";
import { writeDocument } from "./_document.ts";

/**
 * Writes the OpenAPI 3.1 document of controllers, or of a router's routes.
 *
 * Paths, parameters, bodies, responses and security follow from the routes and their schemas; metadata completes them.
 * The same code gives the same document, byte for byte, as long as its validators give the same JSON Schema: a default
 * that a library computes, such as `z.string().default(() => crypto.randomUUID())`, is written as the library evaluates
 * it and differs each time; override it in the metadata, or give the validator no default. A default that is not a JSON
 * value is left out. What cannot be documented, or is documented otherwise than it
 * behaves, is an error.
 *
 * @param info What the document says of the application.
 * @param source Where routes come from: a router; or a registry of controllers, whose modules must have been imported.
 * A registry knows no prefix and no guard of the router that its controllers will be added to.
 * @throws {TypeError} If routes contradict their metadata, or do not say enough; the message has a line for each.
 *
 * @example
 * ```ts
 * import { createRouter, generateOpenAPI, json } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter().get("/users/:id", (req) => json({ id: req.params.id }), {
 *   openapi: { summary: "Finds a user" },
 * });
 *
 * const document = generateOpenAPI({ title: "Users", version: "1.0.0" }, router);
 * assertEquals(document.paths["/users/{id}"]?.get?.summary, "Finds a user");
 * ```
 */
export function generateOpenAPI(
  info: OpenApiInfo,
  source: EndpointRegistry | RouteSource = defaultRegistry,
): OpenApiDocument {
  return writeDocument(info, source);
}
