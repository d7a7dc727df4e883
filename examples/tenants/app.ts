/**
 * An API for organizations with members and projects. What a role may do is said in `access.ts` alone; here each route names
 * the permission that it needs.
 *
 * @module
 */

import {
  type AccessRules,
  type AuthOptions,
  empty,
  generateSecret,
  HttpError,
  json,
  type Principal,
  registerAuth,
  routerBuilder,
  type TypedRouter,
} from "@gatehouse/http";
import { z } from "zod";
import {
  type Needs,
  noSuchOrganization,
  orgsWith,
  type Permission,
  tenantAccess,
} from "./access.ts";
import { type ChangeOutcome, createDirectory } from "./directory.ts";
import { createProjectStore } from "./projects.ts";

/** Options of the application: those of `registerAuth`, but for who may do what. */
export type TenantsOptions = Omit<AuthOptions, "authorization" | "authorizationPolicy">;

/** How long an invitation counts, in seconds. */
const INVITATION_LIFETIME = 7 * 86_400;

const Name = z.object({ name: z.string().min(1).max(100) });
const RoleBody = z.object({ role: z.enum(["owner", "admin", "member", "viewer"]) });
const Token = z.object({ token: z.string().max(100) });

/** Creates the application. */
export function createTenants(
  options: TenantsOptions,
): TypedRouter<[], Principal, AccessRules<Needs>> {
  const directory = createDirectory();
  const projects = createProjectStore();
  const now = options.now ?? (() => Math.floor(Date.now() / 1000));
  const runtime = registerAuth({
    ...options,
    authorization: tenantAccess(directory),
    authorizationPolicy: "required", // a route that says nothing is refused at the start
  });

  return routerBuilder()
    .withAuth(runtime.integration({ routes: { registration: "open" } }))
    .build()
    // Lists that span organizations, and routes without one: the manager is not asked
    .get("/orgs", ({ principal }) => {
      const roles = [...directory.rolesOf(principal.sub)];
      return json(roles.map(([org, role]) => ({ ...directory.find(org), role })));
    }, { authorization: "none" })
    .post("/orgs", ({ principal, content }) => {
      return json(directory.create(content.name, principal.sub), { status: 201 });
    }, { authorization: "none", schema: { body: Name } })
    .get("/projects", async ({ principal: { sub } }) => {
      return json(projects.list(await orgsWith(directory, { sub, permission: "projects:read" })));
    }, { authorization: "none" })
    .post("/invitations/accept", async ({ principal, content }) => {
      const outcome = directory.accept(await digestOf(content.token), principal.sub, now());
      switch (outcome) {
        case "invalid":
          throw new HttpError(404, "no_such_invitation");
        case "already_member":
          throw new HttpError(409, "already_member");
      }
      return json(outcome);
    }, { authorization: "none", schema: { body: Token } })
    // An organization
    .get("/orgs/:org", ({ params: { org } }) => {
      return json(directory.find(org) ?? fail(noSuchOrganization()));
    }, needs("org:read"))
    .delete("/orgs/:org", ({ params: { org } }) => {
      projects.deleteAll(org);
      directory.delete(org);
      return empty(204);
    }, needs("org:delete"))
    // Its members
    .get(
      "/orgs/:org/members",
      ({ params }) => json(directory.members(params.org)),
      needs("members:read"),
    )
    .put("/orgs/:org/members/:sub", ({ params: { org, sub }, principal, content }) => {
      return respond(directory.change(org, { by: principal.sub, sub, role: content.role }));
    }, { ...needs("members:write"), schema: { body: RoleBody } })
    .delete("/orgs/:org/members/:sub", ({ params: { org, sub }, principal }) => {
      return respond(directory.change(org, { by: principal.sub, sub, role: undefined }));
    }, needs("members:write"))
    .delete("/orgs/:org/membership", ({ params: { org }, principal }) => {
      return respond(directory.leave(org, principal.sub));
    }, needs("org:read"))
    .post("/orgs/:org/invitations", async ({ params: { org }, principal, content: { role } }) => {
      const token = generateSecret(); // to be mailed; what is stored is its digest
      const expiresAt = now() + INVITATION_LIFETIME;
      const invitation = { org, by: principal.sub, role, expiresAt };
      if (directory.invite(await digestOf(token), invitation) === "not_allowed") throw notAllowed();
      return json({ token, expiresAt }, { status: 201 });
    }, { ...needs("members:write"), schema: { body: RoleBody } })
    // Its projects
    .get(
      "/orgs/:org/projects",
      ({ params }) => json(projects.list(new Set([params.org]))),
      needs("projects:read"),
    )
    .post("/orgs/:org/projects", ({ params, content }) => {
      return json(projects.create(params.org, content.name), { status: 201 });
    }, { ...needs("projects:write"), schema: { body: Name } })
    .get("/orgs/:org/projects/:id", ({ params: { org, id } }) => {
      return json(projects.find(org, id) ?? fail(noSuchProject()));
    }, needs("projects:read"))
    .put("/orgs/:org/projects/:id", ({ params: { org, id }, content }) => {
      return json(projects.rename(org, id, content.name) ?? fail(noSuchProject()));
    }, { ...needs("projects:write"), schema: { body: Name } })
    .delete("/orgs/:org/projects/:id", ({ params: { org, id } }) => {
      return projects.delete(org, id) ? empty(204) : fail(noSuchProject());
    }, needs("projects:delete"));
}

function needs(permission: Permission): { readonly authorization: { readonly metadata: Needs } } {
  return { authorization: { metadata: { permission } } };
}

function respond(outcome: ChangeOutcome): Response {
  switch (outcome) {
    case "changed":
      return empty(204);
    case "no_such_member":
      throw new HttpError(404, "no_such_member");
    case "not_allowed":
      throw notAllowed();
    case "last_owner":
      throw new HttpError(409, "last_owner", { detail: "An organization keeps one owner" });
  }
}

/** As for members whose role does not suffice. */
function notAllowed(): HttpError {
  return new HttpError(403, "access_denied");
}

function noSuchProject(): HttpError {
  return new HttpError(404, "no_such_project", { detail: "The project does not exist" });
}

function fail(error: HttpError): never {
  throw error;
}

async function digestOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
