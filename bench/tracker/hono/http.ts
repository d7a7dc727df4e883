import { STATUS_CODES } from "node:http";
import { getConnInfo } from "@hono/node-server/conninfo";
import { type Hook, OpenAPIHono } from "@hono/zod-openapi";
import { APIError } from "better-auth/api";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { matchedRoutes, routePath } from "hono/route";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { z } from "zod";
import { auth, type Role, roles } from "./auth.ts";

export type Env = {
  Variables: { user: typeof auth.$Infer.Session.user; role: Role };
};

/** A router whose invalid input is answered with 422. */
export const router = () => new OpenAPIHono<Env>({ defaultHook: onInvalid });

export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.string(),
  detail: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
}).openapi("Problem");

export function json<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { "application/json": { schema } } };
}

export function body<T extends z.ZodType>(schema: T) {
  return { required: true, content: { "application/json": { schema } } };
}

/** The error responses of a route, for its document. */
export function errors<S extends number>(...statuses: S[]) {
  const content = { "application/problem+json": { schema: Problem } };
  return Object.fromEntries(
    statuses.map((status) => [status, { description: STATUS_CODES[status] ?? "", content }]),
  ) as Record<S, { description: string; content: typeof content }>;
}

export const accessLog = createMiddleware<Env>(async (c, next) => {
  const start = performance.now();
  await next();
  const ms = (performance.now() - start).toFixed(1);
  const user = c.get("user")?.id ?? "-";
  // What answered may be a middleware, whose path is `/orgs/*`.
  const route = matchedRoutes(c).findLast(({ path }) => !path.includes("*"))?.path ?? routePath(c);
  console.log(`${c.req.method} ${route} ${c.res.status} ${ms}ms ${user}`);
});

/** Accepts a session cookie, a bearer token or an API key; a key may change something if its scope is `write`. */
export const signedIn = createMiddleware<Env>(async (c, next) => {
  const { headers } = c.req.raw;
  const session = await auth.api.getSession({ headers }).catch(() => null);
  if (!session) throw new HTTPException(401, { message: "Sign in first" });
  c.set("user", session.user);
  const key = c.req.header("x-api-key");
  if (key && !["GET", "HEAD"].includes(c.req.method)) {
    const permissions = { api: ["write"] };
    const { valid } = await auth.api.verifyApiKey({ body: { key, permissions } });
    if (!valid) throw new HTTPException(403, { message: "The API key may only read" });
  }
  await next();
});

type Permissions = Parameters<(typeof roles)["owner"]["authorize"]>[0];

/** Lets members of `:org` pass whose role has the permissions. */
export const can = (permissions: Permissions) =>
  createMiddleware<Env>(async (c, next) => {
    const query = { organizationId: c.req.param("org") };
    const member = await auth.api.getActiveMemberRole({ headers: c.req.raw.headers, query })
      .catch(() => null);
    if (!member) throw new HTTPException(404, { message: "No such organisation" });
    c.set("role", member.role as Role);
    if (!may(c, permissions)) throw new HTTPException(403, { message: "Not permitted" });
    await next();
  });

export function may(c: Context<Env>, permissions: Permissions) {
  return roles[c.get("role")].authorize(permissions).success;
}

/** A request to Better Auth's handler, with the address of the client for its limits. */
export function authRequest(c: Context, path = c.req.path) {
  const headers = new Headers(c.req.raw.headers);
  headers.set("x-client-ip", getConnInfo(c).remote.address ?? "");
  const request = new Request(new URL(path, c.req.url), c.req.raw);
  return new Request(request, { headers });
}

export async function readJson<T extends z.ZodType>(c: Context, schema: T) {
  const result = schema.safeParse(await c.req.json().catch(() => null));
  if (result.success) return result.data;
  throw new HTTPException(422, { message: z.prettifyError(result.error) });
}

export const onInvalid: Hook<unknown, Env, string, unknown> = (result, c) => {
  if (result.success) return;
  const errors = result.error.issues.map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));
  return problem(c, 422, "Invalid input", { code: "invalid_input", errors });
};

const API_ERRORS: Record<string, ContentfulStatusCode> = {
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: 409,
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER: 409,
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 409,
};

export function onError(error: Error, c: Context) {
  if (error instanceof APIError) {
    const code = error.body?.code ?? "";
    const status = API_ERRORS[code] ?? error.statusCode as ContentfulStatusCode;
    return problem(c, status, error.message, { code: code.toLowerCase() });
  }
  if (error instanceof HTTPException) return problem(c, error.status, error.message);
  console.error(error);
  return problem(c, 500, "Something went wrong");
}

export function problem(c: Context, status: ContentfulStatusCode, detail: string, more = {}) {
  const title = STATUS_CODES[status] ?? "";
  const code = title.toLowerCase().replaceAll(" ", "_");
  const body = { type: "about:blank", title, status, code, detail, ...more };
  return c.json(body, status, { "Content-Type": "application/problem+json" });
}
