/**
 * Attachments of issues.
 *
 * @module
 */

import { HttpError, json } from "@gatehouse/http";
import { z } from "zod";
import { changes, READS, type TrackerRoutes } from "./access.ts";
import { answersOrNotFound } from "./documents.ts";
import { Attachment } from "./schemas.ts";
import { fail, noSuch, type Store } from "./store.ts";

const MAX_BYTES = 1024 * 1024;
/** What a form has beside the file. */
const FORM_BYTES = 16 * 1024;

const Upload = z.object({
  file: z.file().mime(["image/png", "image/jpeg", "application/pdf", "text/plain"]),
}).meta({ id: "Upload" });
const UploadForm = z.instanceof(FormData).transform((form): object => Object.fromEntries(form))
  .pipe(Upload);

export function addAttachments(routes: TrackerRoutes, store: Store): void {
  routes
    .post("/orgs/:org/issues/:id/attachments", (req) => {
      const { params: { org, id }, content: { file } } = req;
      if (file.size > MAX_BYTES) {
        throw new HttpError(413, "payload_too_large", { detail: "A file has 1 MiB at most" });
      }
      const attachment = crypto.randomUUID();
      store.thread(org, id).attachments.set(attachment, file);
      const { name, type, size } = file;
      return json({ id: attachment, name, type, size }, { status: 201 });
    }, {
      ...changes("write"),
      multipart: true,
      maxBodyBytes: MAX_BYTES + FORM_BYTES,
      schema: { body: UploadForm, response: Attachment },
      openapi: {
        ...answersOrNotFound(201, "The attachment").openapi,
        requestBody: { content: { "multipart/form-data": { schema: Upload } } },
      },
    })
    .get("/orgs/:org/issues/:id/attachments/:attachment", (req) => {
      const { org, id, attachment } = req.params;
      const file = store.thread(org, id).attachments.get(attachment) ?? fail(noSuch("attachment"));
      return new Response(file, {
        headers: {
          "Content-Type": file.type,
          "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
        },
      });
    }, {
      ...READS,
      openapi: {
        responses: {
          ...answersOrNotFound(200, "The file").openapi.responses,
          200: {
            description: "The file",
            content: { "*/*": { schema: { type: "string", format: "binary" } } },
          },
        },
      },
    });
}
