/**
 * Point 4: organisations, every role on every route.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { type RequestOptions, statusOf } from "./_client.ts";
import { ask, type Check, createIssue, fileForm, type Role, ROLES, type Walk } from "./_walk.ts";

/** The check. */
export const ORG_CHECKS: readonly Check[] = [
  { point: 4, name: "organisations: every role on every route", run: organisations },
];

/** A route: who may use it, and its status then. */
interface Row {
  readonly route: string;
  readonly from: Role;
  readonly status: number;
  /** Makes what the request needs, anew for each role. @returns The end of the path. */
  prepare(walk: Walk): Promise<string> | string;
  readonly request?: () => RequestOptions;
}

const ISSUE = async ({ people, org }: Walk) =>
  `/issues/${(await createIssue(people.owner.client, org)).id}`;

const ROWS: readonly Row[] = [
  { route: "GET members", from: "viewer", status: 200, prepare: () => "/members" },
  { route: "GET issues", from: "viewer", status: 200, prepare: () => "/issues" },
  { route: "GET changes", from: "viewer", status: 200, prepare: () => "/changes" },
  { route: "GET issue", from: "viewer", status: 200, prepare: ISSUE },
  {
    route: "GET comments",
    from: "viewer",
    status: 200,
    prepare: async (walk) => `${await ISSUE(walk)}/comments`,
  },
  { route: "GET attachment", from: "viewer", status: 200, prepare: attachment },
  {
    route: "POST issues",
    from: "member",
    status: 201,
    prepare: () => "/issues",
    request: () => ({ json: { title: "New" } }),
  },
  {
    route: "POST comments",
    from: "member",
    status: 201,
    prepare: async (walk) => `${await ISSUE(walk)}/comments`,
    request: () => ({ json: { text: "New" } }),
  },
  {
    route: "POST attachments",
    from: "member",
    status: 201,
    prepare: async (walk) => `${await ISSUE(walk)}/attachments`,
    request: () => ({ body: fileForm() }),
  },
  {
    route: "PATCH issue of another",
    from: "admin",
    status: 200,
    prepare: ISSUE,
    request: () => ({ json: { title: "Changed" } }),
  },
  { route: "DELETE issue of another", from: "admin", status: 204, prepare: ISSUE },
  { route: "DELETE comment of another", from: "admin", status: 204, prepare: comment },
  {
    route: "POST members",
    from: "admin",
    status: 201,
    prepare: async (walk) => (await extra(walk, undefined), "/members"),
    request: () => ({ json: { email: "extra@example.com", role: "admin" } }),
  },
  {
    route: "POST members as owner",
    from: "owner",
    status: 201,
    prepare: async (walk) => (await extra(walk, undefined), "/members"),
    request: () => ({ json: { email: "extra@example.com", role: "owner" } }),
  },
  {
    route: "PATCH member to admin",
    from: "admin",
    status: 200,
    prepare: (walk) => extra(walk, "viewer"),
    request: () => ({ json: { role: "admin" } }),
  },
  {
    route: "PATCH member to owner",
    from: "owner",
    status: 200,
    prepare: (walk) => extra(walk, "admin"),
    request: () => ({ json: { role: "owner" } }),
  },
  {
    route: "PATCH owner to viewer",
    from: "owner",
    status: 200,
    prepare: (walk) => extra(walk, "owner"),
    request: () => ({ json: { role: "viewer" } }),
  },
  {
    route: "DELETE member",
    from: "admin",
    status: 204,
    prepare: (walk) => extra(walk, "member"),
  },
  { route: "DELETE owner", from: "owner", status: 204, prepare: (walk) => extra(walk, "owner") },
];

async function organisations(walk: Walk): Promise<void> {
  const { people, nobody, org } = walk;
  const failures: string[] = [];
  for (const { route, from, status, prepare, request = () => ({}) } of ROWS) {
    const [method = ""] = route.split(" ");
    const askers = [
      ...ROLES.map((role) => ({
        role,
        client: people[role].client,
        expected: ROLES.indexOf(role) >= ROLES.indexOf(from) ? status : 403,
      })),
      { role: "outsider", client: people.outsider.client, expected: 404 },
      { role: "nobody", client: nobody, expected: 401 },
    ];
    for (const { role, client, expected } of askers) {
      const path = `/orgs/${org}${await prepare(walk)}`;
      const got = await statusOf(client, method, path, request());
      if (got !== expected) failures.push(`${route} as ${role}: ${got}, not ${expected}`);
    }
  }
  await extra(walk, undefined);
  assertEquals(failures, []);
  await ownThings(walk);
  await lastOwner(walk);
  await lists(walk);
  await otherTenants(walk);
  await deletion(walk);
}

/** A member edits and deletes what is theirs. */
async function ownThings({ people: { member }, org }: Walk): Promise<void> {
  const { id } = await createIssue(member.client, org);
  const path = `/orgs/${org}/issues/${id}`;
  const { id: text } = await ask(member.client, 201, "POST", `${path}/comments`, {
    json: { text: "Mine" },
  });
  await ask(member.client, 200, "PATCH", path, { json: { title: "Mine" } });
  assertEquals(await statusOf(member.client, "DELETE", `${path}/comments/${text}`), 204);
  assertEquals(await statusOf(member.client, "DELETE", path), 204);
}

async function lastOwner(walk: Walk): Promise<void> {
  const { people: { owner, admin }, org } = walk;
  const path = `/orgs/${org}/members/${owner.id}`;
  for (const role of ["admin", "viewer"]) {
    await ask(owner.client, 409, "PATCH", path, { json: { role } });
  }
  assertEquals(await statusOf(owner.client, "DELETE", path), 409, "the last owner left");
  assertEquals(await statusOf(admin.client, "DELETE", path), 403, "an admin removed the owner");
  await ask(owner.client, 200, "PATCH", path, { json: { role: "owner" } });
  // With a second owner, the first one may be demoted.
  await extra(walk, "owner");
  await ask(owner.client, 200, "PATCH", path, { json: { role: "admin" } });
  await ask(walk.people.extra.client, 200, "PATCH", path, { json: { role: "owner" } });
  await extra(walk, undefined);
}

async function lists({ people, org, otherOrg }: Walk): Promise<void> {
  for (const role of ROLES) {
    const mine = await ask(people[role].client, 200, "GET", "/orgs");
    const [first, ...more] = mine.filter(({ id }: { id: string }) => id === org);
    assertEquals([first, more], [{ id: org, name: "First", role }, []]);
    assert(!JSON.stringify(mine).includes(otherOrg), "another's organisation is listed");
  }
  assertEquals(await ask(people.extra.client, 200, "GET", "/orgs"), []);
  const members = JSON.stringify(
    await ask(people.viewer.client, 200, "GET", `/orgs/${org}/members`),
  );
  for (const role of ROLES) assert(members.includes(people[role].id), `${role} is not listed`);
  assert(!/password|hash|token/i.test(members), "members show secrets");
  const { client } = people.owner;
  const bad: readonly [number, unknown][] = [
    [404, { email: "unknown@example.com", role: "member" }],
    [409, { email: people.member.email, role: "member" }],
    [422, { email: "extra@example.com", role: "king" }],
    [422, { email: "extra", role: "member" }],
    [422, { role: "member" }],
  ];
  for (const [status, json] of bad) {
    const got = await statusOf(client, "POST", `/orgs/${org}/members`, { json });
    // No account by this address: 404, or the member `email` is refused.
    assert(got === status || status === 404 && got === 422, `${JSON.stringify(json)}: ${got}`);
  }
  assertEquals(
    await statusOf(client, "PATCH", `/orgs/${org}/members/nobody`, {
      json: { role: "viewer" },
    }),
    404,
  );
  assertEquals(await statusOf(client, "DELETE", `/orgs/${org}/members/${people.outsider.id}`), 404);
  assertEquals(await statusOf(client, "POST", "/orgs", { json: { name: "" } }), 422);
}

/** What is of one organisation is not under another one, though the asker owns that. */
async function otherTenants(walk: Walk): Promise<void> {
  const { people: { outsider }, org, otherOrg } = walk;
  const ends = [await ISSUE(walk), await comment(walk), await attachment(walk)];
  const [issue = ""] = ends;
  for (const end of [...ends, `${issue}/comments`]) {
    for (const place of [otherOrg, org]) {
      const path = `/orgs/${place}${end}`;
      const methods = end === issue
        ? ["GET", "PATCH", "DELETE"]
        : [/comments\/./.test(end) ? "DELETE" : "GET"];
      for (const method of methods) {
        const options = method === "PATCH" ? { json: { title: "Stolen" } } : {};
        assertEquals(
          await statusOf(outsider.client, method, path, options),
          404,
          `${method} ${path}`,
        );
      }
    }
  }
  const got = await statusOf(outsider.client, "POST", `/orgs/${otherOrg}${issue}/comments`, {
    json: { text: "From afar" },
  });
  assertEquals(got, 404, "a comment on another organisation's issue");
}

async function deletion({ people, org }: Walk): Promise<void> {
  for (const role of ["viewer", "member", "admin"] as const) {
    assertEquals(await statusOf(people[role].client, "DELETE", `/orgs/${org}`), 403, role);
  }
  assertEquals(await statusOf(people.outsider.client, "DELETE", `/orgs/${org}`), 404);
  const { client } = people.owner;
  const { id } = await ask(client, 201, "POST", "/orgs", { json: { name: "Short-lived" } });
  await createIssue(client, id);
  assertEquals(await statusOf(client, "DELETE", `/orgs/${id}`), 204);
  assertEquals(await statusOf(client, "GET", `/orgs/${id}/issues`), 404);
}

/** Makes `extra` what it has to be. @returns The end of the path of its membership. */
async function extra({ people, org }: Walk, role: Role | undefined): Promise<string> {
  const path = `/orgs/${org}/members`;
  const end = `/members/${people.extra.id}`;
  const gone = await statusOf(people.owner.client, "DELETE", `/orgs/${org}${end}`);
  assert([204, 404].includes(gone), `remove: ${gone}`);
  if (role === undefined) return end;
  const json = { email: people.extra.email, role };
  await ask(people.owner.client, 201, "POST", path, { json });
  return end;
}

async function comment(walk: Walk): Promise<string> {
  const issue = await ISSUE(walk);
  const { id } = await ask(
    walk.people.owner.client,
    201,
    "POST",
    `/orgs/${walk.org}${issue}/comments`,
    { json: { text: "Of the owner" } },
  );
  return `${issue}/comments/${id}`;
}

async function attachment(walk: Walk): Promise<string> {
  const issue = await ISSUE(walk);
  const path = `/orgs/${walk.org}${issue}/attachments`;
  const { id } = await ask(walk.people.owner.client, 201, "POST", path, { body: fileForm() });
  return `${issue}/attachments/${id}`;
}
