/**
 * Generates OpenAPI 3.1 documents (https://spec.openapis.org/oas/v3.1.1) from routes.
 *
 * @module
 */

import type { OpenApiDocument, OpenApiInfo } from "../router/openapi_types.ts";
import { defaultRegistry, type EndpointRegistry } from "../router/builder/registry.ts";
import type { RouteSource } from "../router/types.ts";
import { writeDocument } from "./_document.ts";

/**
 * Writes the OpenAPI 3.1 document of a router's routes, or of controllers.
 *
 * Paths, parameters, bodies, responses and security are derived from the routes and their schemas; metadata completes
 * them. A route that cannot be documented, or whose metadata contradicts its behavior, is an error.
 *
 * The same code gives the same document, byte for byte. One exception: a `default` that a validation library computes,
 * as `z.string().default(() => crypto.randomUUID())` does, is written as it was evaluated. Describe such a property in
 * the metadata instead. A `default` that is not a JSON value is left out.
 *
 * @param info The API's title, version and other general information.
 * @param source A router, or a registry of controllers whose modules must have been imported. A registry does not know
 * the prefix and the guard of the router that its controllers will be added to.
 * @throws {TypeError} If routes contradict their metadata or required information is missing; one line for each error.
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
