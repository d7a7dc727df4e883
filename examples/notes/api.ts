/**
 * The API: its controllers, and what its OpenAPI document says of it.
 *
 * @module
 */

import {
  type Container,
  type OpenApiInfo,
  type RouterBuilder,
  routerBuilder,
} from "@gatehouse/http/native";
import { AttachmentsController } from "./attachment_controller.ts";
import { NotesController } from "./note_controller.ts";

const info: OpenApiInfo = {
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

/** Records the API. @param container What the controllers are made by, at their first requests. */
export function apiBuilder(container: Container): RouterBuilder {
  return routerBuilder({ container, info }).controllers(NotesController, AttachmentsController);
}
