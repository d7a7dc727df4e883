/**
 * Organisations and their members.
 *
 * @module
 */

import { empty, HttpError, json, type UserService } from "@gatehouse/http";
import { z } from "zod";
import { canAssign, changes, READS, type TrackerRoutes } from "./access.ts";
import { answers, answersOrNotFound } from "./documents.ts";
import {
  Member,
  MemberChange,
  NewMember,
  NewOrganisation,
  Organisation,
  type Role,
} from "./schemas.ts";
import { fail, noSuch, type Store } from "./store.ts";

export function addOrganisations(
  routes: TrackerRoutes,
  { store, users }: { store: Store; users: UserService },
): void {
  async function member(id: string, role: Role): Promise<Member> {
    return { id, email: (await users.find(id))?.identifier ?? "", role };
  }

  function assign(org: string, { by, sub, role }: {
    by: string;
    sub: string;
    role: Role | undefined;
  }): void {
    const from = store.roleOf(org, sub) ?? fail(noSuch("member"));
    const leaves = by === sub && role === undefined;
    if (!leaves && !canAssign(store.roleOf(org, by), from, role)) throw notAllowed();
    store.setRole(org, sub, role);
  }

  routes
    .get("/orgs", (req) => json(store.orgsOf(req.principal.sub)), {
      authorization: "none",
      scope: ["read"],
      schema: { response: z.array(Organisation) },
    })
    .post("/orgs", (req) => {
      return json(store.create(req.content.name, req.principal.sub), { status: 201 });
    }, {
      authorization: "none",
      scope: ["write"],
      schema: { body: NewOrganisation, response: Organisation },
      ...answers(201, "The organisation"),
    })
    .delete("/orgs/:org", (req) => {
      store.delete(req.params.org);
      return empty();
    }, { ...changes("org:delete"), ...answersOrNotFound(204, "Deleted") })
    .get("/orgs/:org/members", async (req) => {
      const members = store.members(req.params.org);
      return json(await Promise.all(members.map(([sub, role]) => member(sub, role))));
    }, {
      ...READS,
      ...answersOrNotFound(200, "The members"),
      schema: { response: z.array(Member) },
    })
    .post("/orgs/:org/members", async (req) => {
      const { params: { org }, principal, content: { email, role } } = req;
      if (!canAssign(store.roleOf(org, principal.sub), role)) throw notAllowed();
      const { sub } = await users.findByIdentifier(email) ?? fail(noSuch("account"));
      if (store.roleOf(org, sub) !== undefined) throw new HttpError(409, "already_member");
      store.setRole(org, sub, role);
      return json(await member(sub, role), { status: 201 });
    }, {
      ...changes("members:write"),
      ...answersOrNotFound(201, "The member"),
      schema: { body: NewMember, response: Member },
    })
    .patch("/orgs/:org/members/:user", async (req) => {
      const { params: { org, user }, principal, content: { role } } = req;
      assign(org, { by: principal.sub, sub: user, role });
      return json(await member(user, role));
    }, {
      ...changes("members:write"),
      ...answersOrNotFound(200, "The member"),
      schema: { body: MemberChange, response: Member },
    })
    .delete("/orgs/:org/members/:user", (req) => {
      const { params: { org, user }, principal } = req;
      assign(org, { by: principal.sub, sub: user, role: undefined });
      return empty();
    }, { ...changes("members:write", "read"), ...answersOrNotFound(204, "Removed") });
}

function notAllowed(): HttpError {
  return new HttpError(403, "access_denied");
}
