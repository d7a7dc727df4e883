import { createContainer, createPrincipal, inMemoryAuthStores } from "@gatehouse/http";
import { authenticated, type AuthStrategy, noCredential } from "@gatehouse/http/auth";
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  can,
  canAssign,
  orgsWith,
  type Permission,
  PERMISSIONS,
  type Role,
  tenantAccess,
} from "../../examples/tenants/access.ts";
import { createTenants } from "../../examples/tenants/app.ts";
import { createDirectory } from "../../examples/tenants/directory.ts";

const ROLES = ["owner", "admin", "member", "viewer"] as const;
const UUID = "00000000-0000-4000-8000-000000000000";

/** Whoever a header names: the sign-in is not under test. */
const named: AuthStrategy = {
  name: "named",
  scheme: { type: "header", name: "X-User" }, // which no browser attaches by itself: no CSRF check
  authenticate({ request }) {
    const sub = request.headers.get("X-User");
    return sub === null ? noCredential() : authenticated(createPrincipal({ sub, method: "test" }));
  },
};

/** An organization with a member of each role, `a-owner` to `a-viewer`, another member `a-other`, and a project. */
interface Tenant {
  readonly org: string;
  readonly project: string;
}

async function createService() {
  const clock = { now: 1_800_000_000 };
  const router = createTenants({
    secret: "a secret that only the tests know, kept",
    stores: inMemoryAuthStores(),
    deployment: "direct",
    strategies: [named],
    container: createContainer(),
    now: () => clock.now,
  });

  /** Sends a request as a user, or as nobody. */
  function send(user: string | undefined, line: string, body?: unknown): Promise<Response> {
    const [method = "", path = ""] = line.split(" ");
    const headers = new Headers({ "Content-Type": "application/json" });
    if (user !== undefined) headers.set("X-User", user);
    const init = { method, headers, ...body !== undefined && { body: JSON.stringify(body) } };
    return Promise.resolve(router.request(path, init));
  }

  async function invite(by: string, org: string, role: Role): Promise<string> {
    const response = await send(by, `POST /orgs/${org}/invitations`, { role });
    assertEquals(response.status, 201);
    return (await response.json()).token;
  }

  async function join(user: string, org: string, role: Role): Promise<void> {
    const token = await invite(`${user[0]}-owner`, org, role);
    assertEquals((await send(user, "POST /invitations/accept", { token })).status, 200);
  }

  async function createTenant(letter: "a" | "b"): Promise<Tenant> {
    const owner = `${letter}-owner`;
    const { id: org } = await (await send(owner, "POST /orgs", { name: letter })).json();
    for (const role of ["admin", "member", "viewer"] as const) {
      await join(`${letter}-${role}`, org, role);
    }
    await join(`${letter}-other`, org, "member");
    const created = await send(owner, `POST /orgs/${org}/projects`, { name: `of ${letter}` });
    return { org, project: (await created.json()).id };
  }

  const [a, b] = [await createTenant("a"), await createTenant("b")];
  return { a, b, clock, send, invite, join };
}

/** Routes of an organization, the body, and the status for each role of it, in the order of {@linkcode ROLES}. */
const ROUTES: readonly (readonly [
  line: string,
  body: unknown,
  statuses: readonly [owner: number, admin: number, member: number, viewer: number],
])[] = [
  ["GET /orgs/:org", undefined, [200, 200, 200, 200]],
  ["DELETE /orgs/:org", undefined, [204, 403, 403, 403]],
  ["GET /orgs/:org/members", undefined, [200, 200, 200, 200]],
  ["PUT /orgs/:org/members/:other", { role: "viewer" }, [204, 204, 403, 403]],
  ["PUT /orgs/:org/members/:other", { role: "admin" }, [204, 204, 403, 403]],
  ["PUT /orgs/:org/members/:other", { role: "owner" }, [204, 403, 403, 403]],
  ["PUT /orgs/:org/members/:admin", { role: "owner" }, [204, 403, 403, 403]], // also one's own role
  ["PUT /orgs/:org/members/:owner", { role: "viewer" }, [409, 403, 403, 403]],
  ["PUT /orgs/:org/members/:stranger", { role: "viewer" }, [404, 404, 403, 403]],
  ["PUT /orgs/:org/members/:other", { role: "root" }, [422, 422, 403, 403]],
  ["PUT /orgs/:org/members/:other", { role: "constructor" }, [422, 422, 403, 403]],
  ["DELETE /orgs/:org/members/:other", undefined, [204, 204, 403, 403]],
  ["DELETE /orgs/:org/members/:owner", undefined, [409, 403, 403, 403]],
  ["DELETE /orgs/:org/membership", undefined, [409, 204, 204, 204]],
  ["POST /orgs/:org/invitations", { role: "admin" }, [201, 201, 403, 403]],
  ["POST /orgs/:org/invitations", { role: "owner" }, [201, 403, 403, 403]],
  ["GET /orgs/:org/projects", undefined, [200, 200, 200, 200]],
  ["POST /orgs/:org/projects", { name: "new" }, [201, 201, 201, 403]],
  ["POST /orgs/:org/projects", { name: "" }, [422, 422, 422, 403]],
  ["GET /orgs/:org/projects/:project", undefined, [200, 200, 200, 200]],
  ["GET /orgs/:org/projects/:unknown", undefined, [404, 404, 404, 404]],
  ["PUT /orgs/:org/projects/:project", { name: "new" }, [200, 200, 200, 403]],
  ["DELETE /orgs/:org/projects/:project", undefined, [204, 204, 403, 403]],
];

/** A line for a tenant. */
function lineFor({ org, project }: Tenant, line: string): string {
  return line.replace(":org", org).replace(":project", project).replace(":unknown", UUID)
    .replace(/:(other|admin|owner|stranger)$/, "a-$1");
}

for (const [line, body, statuses] of ROUTES) {
  const what = body === undefined ? line : `${line} ${JSON.stringify(body)}`;
  Deno.test(`createTenants() decides ${what} by the role, and hides it from others`, async () => {
    for (const [i, role] of ROLES.entries()) {
      const service = await createService();
      const own = await service.send(`a-${role}`, lineFor(service.a, line), body);
      assertEquals([role, own.status], [role, statuses[i]]);
      if (own.status === 403) assertEquals((await own.json()).code, "access_denied");
    }
    const { a, send } = await createService();
    const unknown = await send("b-owner", lineFor({ ...a, org: UUID }, line), body);
    const expected = await unknown.json();
    for (const role of ROLES) { // of another organization: as if there were none
      const response = await send(`b-${role}`, lineFor(a, line), body);
      assertEquals([role, response.status], [role, 404]);
      assertEquals(await response.json(), expected);
    }
    assertEquals((await send(undefined, lineFor(a, line), body)).status, 401);
    const left = await send("a-owner", `GET /orgs/${a.org}/members`);
    assertEquals((await left.json()).length, 5); // none of these changed anything
  });
}

/** Routes without an organization, and what members of `a` see of `b`. */
Deno.test("createTenants() lists only what the caller may see", async () => {
  const { a, b, send, invite } = await createService();
  const read = async (user: string, line: string) => (await send(user, line)).json();
  assertEquals(await read("a-viewer", "GET /orgs"), [{ id: a.org, name: "a", role: "viewer" }]);
  const [project, ...others] = await read("a-viewer", "GET /projects");
  assertEquals([project.id, others], [a.project, []]);
  assertEquals(await read("nobody", "GET /orgs"), []);
  assertEquals(await read("nobody", "GET /projects"), []);
  const token = await invite("b-owner", b.org, "viewer");
  await send("a-viewer", "POST /invitations/accept", { token });
  assertEquals((await read("a-viewer", "GET /projects")).length, 2);
  for (const line of ["GET /orgs", "GET /projects", "POST /orgs", "POST /invitations/accept"]) {
    assertEquals((await send(undefined, line, line[0] === "P" ? {} : undefined)).status, 401);
  }
});

/** Why, a request of `a-admin` with what names the other tenant, its body, and the status. */
const DETOURS: readonly (readonly [
  why: string,
  line: (a: Tenant, b: Tenant) => string,
  body: (b: Tenant) => unknown,
  status: number,
])[] = [
  ["another's project", (a, b) => `GET /orgs/${a.org}/projects/${b.project}`, () => undefined, 404],
  [
    "another's project to rename",
    (a, b) => `PUT /orgs/${a.org}/projects/${b.project}`,
    () => ({ name: "mine" }),
    404,
  ],
  [
    "another's project to delete",
    (a, b) => `DELETE /orgs/${a.org}/projects/${b.project}`,
    () => undefined,
    404,
  ],
  ["another's member", (a) => `DELETE /orgs/${a.org}/members/b-other`, () => undefined, 404],
  [
    "another's id in the query",
    (a, b) => `GET /orgs/${a.org}/projects/${b.project}?org=${b.org}`,
    () => undefined,
    404,
  ],
  [
    "its own id in the query of another's path",
    (a, b) => `GET /orgs/${b.org}?org=${a.org}`,
    () => undefined,
    404,
  ],
  [
    "its own id in the body for another's path",
    (_, b) => `POST /orgs/${b.org}/projects`,
    (b) => ({ name: "x", org: b.org }),
    404,
  ],
  ["a path up", (a, b) => `GET /orgs/${a.org}/../${b.org}/projects`, () => undefined, 404],
  ["an encoded slash", (a, b) => `GET /orgs/${a.org}%2f..%2f${b.org}`, () => undefined, 404],
  ["another case", (_, b) => `GET /orgs/${b.org.toUpperCase()}`, () => undefined, 404],
  ["a name of every object", () => "GET /orgs/__proto__", () => undefined, 404],
  ["an empty id", () => "GET /orgs//projects", () => undefined, 404],
];
for (const [why, line, body, status] of DETOURS) {
  Deno.test(`createTenants() gives nothing of another organization for ${why}`, async () => {
    const { a, b, send } = await createService();
    const response = await send("a-admin", line(a, b), body(b));
    assertEquals(response.status, status);
    const { name } = await (await send("b-viewer", `GET /orgs/${b.org}/projects/${b.project}`))
      .json();
    assertEquals(name, "of b");
    assertEquals((await (await send("b-owner", `GET /orgs/${b.org}/members`)).json()).length, 5);
  });
}

Deno.test("createTenants() takes the organization of a new project from the path alone", async () => {
  const { a, b, send } = await createService();
  const body = { name: "x", org: b.org, id: b.project };
  const created = await send("a-member", `POST /orgs/${a.org}/projects?org=${b.org}`, body);
  const { org, id } = await created.json();
  assertEquals([created.status, org], [201, a.org]);
  assert(id !== b.project);
  assertEquals((await (await send("b-viewer", "GET /projects")).json()).length, 1);
});

Deno.test("createTenants() applies a change of role at the next request", async () => {
  const { a, send } = await createService();
  const rename = async () =>
    (await send("a-other", `PUT /orgs/${a.org}/projects/${a.project}`, { name: "x" })).status;
  const change = (role: Role) => send("a-admin", `PUT /orgs/${a.org}/members/a-other`, { role });
  assertEquals(await rename(), 200);
  await change("viewer");
  assertEquals(await rename(), 403);
  await change("member");
  assertEquals(await rename(), 200);
  await send("a-admin", `DELETE /orgs/${a.org}/members/a-other`);
  assertEquals(await rename(), 404);
  assertEquals(await (await send("a-other", "GET /projects")).json(), []);
});

Deno.test("createTenants() keeps an owner, also if two remove each other at once", async () => {
  const { a, send } = await createService();
  const remove = (by: string, sub: string) => send(by, `DELETE /orgs/${a.org}/members/${sub}`);
  await send("a-owner", `PUT /orgs/${a.org}/members/a-other`, { role: "owner" });
  const both = await Promise.all([remove("a-owner", "a-other"), remove("a-other", "a-owner")]);
  assertEquals(both.filter(({ ok }) => ok).length, 1);
  const members: { role: Role }[] = await (await send("a-viewer", `GET /orgs/${a.org}/members`))
    .json();
  assertEquals(members.filter(({ role }) => role === "owner").length, 1);
});

/** Why an invitation to `a` does not count for `b-other`, and what is done to it before. */
const UNUSABLE: readonly (readonly [
  string,
  404 | 409,
  (service: Awaited<ReturnType<typeof createService>>, token: string) => unknown,
])[] = [
  ["it was used", 404, ({ send }, token) => send("b-owner", "POST /invitations/accept", { token })],
  ["it has expired", 404, ({ clock }) => clock.now += 7 * 86_400],
  ["its organization was deleted", 404, ({ a, send }) => send("a-owner", `DELETE /orgs/${a.org}`)],
  [
    "who invited may invite no longer",
    404,
    ({ a, send }) => send("a-owner", `PUT /orgs/${a.org}/members/a-admin`, { role: "viewer" }),
  ],
  ["the user is a member", 409, ({ a, join }) => join("a-other2", a.org, "viewer")],
];
for (const [why, status, spoil] of UNUSABLE) {
  Deno.test(`createTenants() refuses an invitation if ${why}`, async () => {
    const service = await createService();
    const token = await service.invite("a-admin", service.a.org, "admin");
    await spoil(service, token);
    const user = status === 409 ? "a-other2" : "b-other";
    const response = await service.send(user, "POST /invitations/accept", { token });
    assertEquals(response.status, status);
    assertEquals((await service.send("b-other", `GET /orgs/${service.a.org}`)).status, 404);
  });
}

/** Pairs of roles: each next one includes all that the one before it may do. */
Deno.test("PERMISSIONS grow from viewer to owner, and can() gives none without a role", () => {
  for (const [i, role] of ROLES.entries()) {
    const below = ROLES[i + 1];
    if (below === undefined) continue;
    for (const permission of PERMISSIONS[below]) assert(can(role, permission), permission);
    assert(PERMISSIONS[role].length > PERMISSIONS[below].length);
  }
  for (const permission of PERMISSIONS.owner) assertEquals(can(undefined, permission), false);
});

Deno.test("canAssign() lets owners alone make and unmake owners", () => {
  for (const role of [...ROLES, undefined]) {
    for (const [from, to] of [["owner", "viewer"], ["viewer", "owner"], ["owner", undefined]]) {
      const change = { from, to } as { from: Role | undefined; to: Role | undefined };
      assertEquals(canAssign(role, change), role === "owner");
    }
    const change = { from: "member", to: undefined } as const;
    assertEquals(canAssign(role, change), role === "owner" || role === "admin");
  }
});

Deno.test("orgsWith() names the organizations in which a user has a permission", async () => {
  const memberships = {
    roleOf: () => undefined,
    rolesOf: () => new Map<string, Role>([["a", "viewer"], ["b", "member"], ["c", "owner"]]),
  };
  const of = async (permission: Permission) => [
    ...await orgsWith(memberships, { sub: "ada", permission }),
  ];
  assertEquals(await of("projects:read"), ["a", "b", "c"]);
  assertEquals(await of("projects:write"), ["b", "c"]);
  assertEquals(await of("org:delete"), ["c"]);
});

Deno.test("tenantAccess() grants nothing to nobody, to GraphQL, or on a path without :org", async () => {
  const directory = createDirectory();
  const { id } = directory.create("a", "ada");
  const { authorize } = tenantAccess(directory);
  const request = new Request("http://localhost/");
  const http = { kind: "http", request, route: "/x", query: {} } as const;
  const metadata = { permission: "org:read" } as const;
  const ada = createPrincipal({ sub: "ada", method: "test" });
  const allowed = await authorize(ada, { metadata, transport: { ...http, params: { org: id } } });
  assertEquals(allowed.status, "allowed");
  const params = { org: id };
  const anonymous = await authorize(undefined, { metadata, transport: { ...http, params } });
  assertEquals(anonymous.status, "denied");
  const field = { kind: "graphql", request, type: "Query", field: "org", args: params } as const;
  assertEquals((await authorize(ada, { metadata, transport: field })).status, "denied");
  for (const params of [{}, { org: undefined }, { org: 7 }, { id }]) {
    await assertRejects(
      async () => await authorize(ada, { metadata, transport: { ...http, params } }),
      TypeError,
      "its path has no :org",
    );
  }
});
