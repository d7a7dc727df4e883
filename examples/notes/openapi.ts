/**
 * What `openapi.json` is written from, by
 *
 * ```sh
 * deno task openapi --controllers examples/notes/openapi.ts --output examples/notes/openapi.json
 * ```
 *
 * @module
 */

import { createContainer, type TypedRouter } from "@gatehouse/http";
import { apiBuilder } from "./api.ts";

/** The API without a store: it is documented, and answers nothing. */
export const router: TypedRouter = apiBuilder(createContainer()).build();
