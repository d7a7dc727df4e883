import { createRoute, z } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { auth } from "./auth.ts";
import { body, errors, json, router, signedIn } from "./http.ts";
import { CreatedKey, Key, NewKey } from "./schemas.ts";

export const keys = router();

keys.use(signedIn, async (c, next) => {
  if (c.req.header("x-api-key")) throw new HTTPException(403, { message: "Not with an API key" });
  await next();
});

keys.openapi(
  createRoute({
    method: "post",
    path: "/",
    summary: "Create an API key; it is shown this once",
    request: { body: body(NewKey) },
    responses: { 201: json(CreatedKey, "The key"), ...errors(401, 403, 422) },
  }),
  async (c) => {
    const { name, scope } = c.req.valid("json");
    const api = scope === "write" ? ["read", "write"] : ["read"];
    const { id, key } = await auth.api.createApiKey({
      body: { name, userId: c.get("user").id, permissions: { api } },
    });
    return c.json({ id, name, scope, key }, 201);
  },
);

keys.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "List my API keys",
    responses: { 200: json(z.array(Key), "The keys"), ...errors(401, 403) },
  }),
  async (c) => {
    const { apiKeys } = await auth.api.listApiKeys({ headers: c.req.raw.headers });
    const list = apiKeys.map(({ id, name, permissions }) => ({
      id,
      name: name ?? "",
      scope: permissions?.api?.includes("write") ? "write" as const : "read" as const,
    }));
    return c.json(list, 200);
  },
);

keys.openapi(
  createRoute({
    method: "delete",
    path: "/{key}",
    summary: "Revoke an API key",
    request: { params: z.object({ key: z.string() }) },
    responses: { 204: { description: "Revoked" }, ...errors(401, 403, 404) },
  }),
  async (c) => {
    const { key: keyId } = c.req.valid("param");
    await auth.api.deleteApiKey({ headers: c.req.raw.headers, body: { keyId } });
    return c.body(null, 204);
  },
);
