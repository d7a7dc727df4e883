import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { auth, type Role } from "./auth.ts";
import { body, can, type Env, errors, json, router } from "./http.ts";
import * as schemas from "./schemas.ts";

export const orgs = router();

orgs.openapi(
  createRoute({
    method: "post",
    path: "/",
    summary: "Create an organisation",
    request: { body: body(schemas.NewOrg) },
    responses: { 201: json(schemas.Org, "The organisation"), ...errors(401, 403, 422) },
  }),
  async (c) => {
    const { name } = c.req.valid("json");
    const { id } = await auth.api.createOrganization({
      headers: c.req.raw.headers,
      body: { name, slug: crypto.randomUUID(), keepCurrentActiveOrganization: true },
    });
    return c.json({ id, name, role: "owner" as const }, 201);
  },
);

orgs.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "List my organisations",
    responses: { 200: json(z.array(schemas.Org), "The organisations"), ...errors(401) },
  }),
  async (c) => {
    const { headers } = c.req.raw;
    const list = await auth.api.listOrganizations({ headers });
    const mine = list.map(async ({ id, name }) => {
      const query = { organizationId: id };
      const { role } = await auth.api.getActiveMemberRole({ headers, query });
      return { id, name, role: role as Role };
    });
    return c.json(await Promise.all(mine), 200);
  },
);

orgs.openapi(
  createRoute({
    method: "delete",
    path: "/{org}",
    summary: "Delete an organisation",
    middleware: can({ organization: ["delete"] }),
    request: { params: schemas.OrgParams },
    responses: { 204: { description: "Deleted" }, ...errors(401, 403, 404) },
  }),
  async (c) => {
    const { org: organizationId } = c.req.valid("param");
    await auth.api.deleteOrganization({ headers: c.req.raw.headers, body: { organizationId } });
    return c.body(null, 204);
  },
);

orgs.openapi(
  createRoute({
    method: "get",
    path: "/{org}/members",
    summary: "List the members",
    middleware: can({ issue: ["read"] }),
    request: { params: schemas.OrgParams },
    responses: { 200: json(z.array(schemas.Member), "The members"), ...errors(401, 404) },
  }),
  async (c) => c.json((await membersOf(c)).map(toMember), 200),
);

orgs.openapi(
  createRoute({
    method: "post",
    path: "/{org}/members",
    summary: "Add an existing account",
    middleware: can({ member: ["create"] }),
    request: { params: schemas.OrgParams, body: body(schemas.NewMember) },
    responses: { 201: json(schemas.Member, "The member"), ...errors(401, 403, 404, 409, 422) },
  }),
  async (c) => {
    const { email, role } = c.req.valid("json");
    ownersOnly(c, role);
    const { internalAdapter } = await auth.$context;
    const found = await internalAdapter.findUserByEmail(email);
    if (!found) throw new HTTPException(404, { message: "No such account" });
    const { org: organizationId } = c.req.valid("param");
    await auth.api.addMember({ body: { userId: found.user.id, role, organizationId } });
    return c.json({ user: found.user.id, email, role }, 201);
  },
);

orgs.openapi(
  createRoute({
    method: "patch",
    path: "/{org}/members/{user}",
    summary: "Change a member's role",
    middleware: can({ member: ["update"] }),
    request: { params: schemas.UserParams, body: body(schemas.MemberRole) },
    responses: { 200: json(schemas.Member, "The member"), ...errors(401, 403, 404, 409, 422) },
  }),
  async (c) => {
    const { org: organizationId, user } = c.req.valid("param");
    const { role } = c.req.valid("json");
    const member = await memberOf(c, user);
    ownersOnly(c, role, member.role);
    await auth.api.updateMemberRole({
      headers: c.req.raw.headers,
      body: { memberId: member.id, role, organizationId },
    });
    return c.json(toMember({ ...member, role }), 200);
  },
);

orgs.openapi(
  createRoute({
    method: "delete",
    path: "/{org}/members/{user}",
    summary: "Remove a member",
    middleware: can({ member: ["delete"] }),
    request: { params: schemas.UserParams },
    responses: { 204: { description: "Removed" }, ...errors(401, 403, 404, 409) },
  }),
  async (c) => {
    const { org: organizationId, user } = c.req.valid("param");
    const member = await memberOf(c, user);
    ownersOnly(c, member.role);
    await auth.api.removeMember({
      headers: c.req.raw.headers,
      body: { memberIdOrEmail: member.id, organizationId },
    });
    return c.body(null, 204);
  },
);

async function membersOf(c: Context<Env>) {
  const { members } = await auth.api.listMembers({
    headers: c.req.raw.headers,
    query: { organizationId: c.req.param("org") },
  });
  return members;
}

async function memberOf(c: Context<Env>, userId: string) {
  const member = (await membersOf(c)).find((member) => member.userId === userId);
  if (!member) throw new HTTPException(404, { message: "No such member" });
  return member;
}

/** Only owners make, change and remove owners. Better Auth says so too, but of removal as "the only owner". */
function ownersOnly(c: Context<Env>, ...roles: string[]) {
  if (roles.includes("owner") && c.get("role") !== "owner") {
    throw new HTTPException(403, { message: "Only owners manage owners" });
  }
}

function toMember(member: { userId: string; role: string; user: { email: string } }) {
  return { user: member.userId, email: member.user.email, role: member.role as Role };
}
