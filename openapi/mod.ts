/**
 * OpenAPI 3.1: the document generator, and helpers for security requirements.
 *
 * @example
 * ```ts
 * import { createRouter, json } from "@gatehouse/http/router";
 * import { generateOpenAPI } from "@gatehouse/http/openapi";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter().get("/files/*", () => json("here"));
 * const document = generateOpenAPI({ title: "Files", version: "1.0.0" }, router);
 * assertEquals(document.paths["/files/{path}"]?.get?.operationId, "get_files_path");
 * ```
 *
 * @module
 */

export { generateOpenAPI } from "./generator.ts";
export { publicEndpoint, secured, securitySchemesFor } from "./security.ts";
