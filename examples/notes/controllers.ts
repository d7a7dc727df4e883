/**
 * The API: its controllers, and what its OpenAPI document says of it. The document is written by
 *
 * ```sh
 * deno task openapi --controllers examples/notes/controllers.ts --output examples/notes/openapi.json
 * ```
 *
 * @module
 */

import type { OpenApiInfo } from "@gatehouse/http";

export { AttachmentsController } from "./attachment_controller.ts";
export { NotesController } from "./note_controller.ts";

/** What the document says of the service. */
export const info: OpenApiInfo = {
  title: "Notes",
  version: "0.1.0",
  description: "Notes with tags and attachments, the example service of Gatehouse.",
  license: { name: "MIT", identifier: "MIT" },
  tags: [
    {
      name: "Notes",
      description: "Notes, newest first. Changes may name the version they are meant for.",
    },
    { name: "Attachments", description: "Files at a note." },
  ],
};
