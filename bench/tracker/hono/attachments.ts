import { createRoute } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { can, errors, json, router } from "./http.ts";
import { entryOf } from "./issues.ts";
import * as schemas from "./schemas.ts";

const MAX_BYTES = 1024 * 1024;
const FORM_BYTES = 4096;
const TYPES = ["image/png", "image/jpeg", "application/pdf", "text/plain"];

export const attachments = router();

attachments.openapi(
  createRoute({
    method: "post",
    path: "/{org}/issues/{id}/attachments",
    summary: "Attach a file",
    middleware: [
      can({ issue: ["write"] }),
      bodyLimit({ maxSize: MAX_BYTES + FORM_BYTES }),
    ] as const,
    request: {
      params: schemas.IssueParams,
      body: { required: true, content: { "multipart/form-data": { schema: schemas.Upload } } },
    },
    responses: {
      201: json(schemas.Attachment, "The attachment"),
      ...errors(401, 403, 404, 413, 415, 422),
    },
  }),
  (c) => {
    const { file } = c.req.valid("form");
    const [type = ""] = file.type.split(";");
    if (file.size > MAX_BYTES) throw new HTTPException(413, { message: "More than 1 MiB" });
    if (!TYPES.includes(type)) throw new HTTPException(415, { message: `Not of ${TYPES}` });
    const { org, id } = c.req.valid("param");
    const attachment = crypto.randomUUID();
    entryOf(c).attachments.set(attachment, file);
    c.header("Location", `/orgs/${org}/issues/${id}/attachments/${attachment}`);
    return c.json({ id: attachment, name: file.name, type, size: file.size }, 201);
  },
);

attachments.openapi(
  createRoute({
    method: "get",
    path: "/{org}/issues/{id}/attachments/{attachment}",
    summary: "Download an attachment",
    middleware: can({ issue: ["read"] }),
    request: { params: schemas.AttachmentParams },
    responses: {
      200: {
        description: "Its bytes",
        content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
      },
      ...errors(401, 404),
    },
  }),
  async (c) => {
    const file = entryOf(c).attachments.get(c.req.valid("param").attachment);
    if (!file) throw new HTTPException(404, { message: "No such attachment" });
    const name = encodeURIComponent(file.name);
    return c.body(await file.arrayBuffer(), 200, {
      "Content-Type": file.type,
      "Content-Disposition": `attachment; filename*=UTF-8''${name}`,
      "X-Content-Type-Options": "nosniff",
    });
  },
);
