/**
 * Points 5–8: issues, comments, attachments, live changes.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Client, statusOf } from "./_client.ts";
import { follow } from "./_events.ts";
import { ask, type Check, createIssue, fileForm, type Json, type Walk } from "./_walk.ts";

/** The checks, in the specification's order. */
export const ISSUE_CHECKS: readonly Check[] = [
  { point: 5, name: "issues", run: issues },
  { point: 6, name: "comments", run: comments },
  { point: 7, name: "attachments", run: attachments },
  { point: 8, name: "live changes", run: changes },
];

const MIB = 1024 * 1024;

/** How long a keep-alive comment may take. */
const KEEP_ALIVE_MS = 40_000;

/** Clients that leave at once. */
const LEAVERS = 40;

async function issues({ people }: Walk): Promise<void> {
  const { client, id: author } = people.owner;
  const { id: org } = await ask(client, 201, "POST", "/orgs", { json: { name: "Of issues" } });
  const path = `/orgs/${org}/issues`;
  const response = await client.send("POST", path, {
    json: { title: "First", text: "Some text", labels: ["bug"] },
  });
  assertEquals(response.status, 201);
  const first: Json = await response.json();
  const { id, createdAt } = first;
  assertEquals(first, {
    id,
    number: 1,
    title: "First",
    text: "Some text",
    labels: ["bug"],
    status: "open",
    author,
    createdAt,
    updatedAt: createdAt,
  });
  const location = new URL(response.headers.get("Location") ?? "", client.origin);
  assertEquals(await ask(client, 200, "GET", location.pathname), first);
  for (const number of [2, 3, 4, 5]) {
    assertEquals((await createIssue(client, org, { title: `Issue ${number}` })).number, number);
  }
  await paging(client, path);

  const closed = await ask(client, 200, "PATCH", `${path}/${id}`, { json: { status: "closed" } });
  assertEquals({ ...closed, updatedAt: createdAt }, { ...first, status: "closed" });
  assert(closed.updatedAt >= createdAt, "updatedAt");
  assertEquals(await numbers(client, `${path}?status=closed`), [1]);
  assertEquals(await numbers(client, `${path}?status=open`), [5, 4, 3, 2]);
  assertEquals(await numbers(client, `${path}?q=Issue%203`), [3]);
  assertEquals(await numbers(client, `${path}?q=nothing%20like%20it`), []);
  const change = { title: "Renamed", text: "Other", labels: ["a", "b"], status: "open" };
  const changed = await ask(client, 200, "PATCH", `${path}/${id}`, { json: change });
  assertEquals({ ...changed, updatedAt: createdAt }, { ...first, ...change });

  const labels = Array.from({ length: 10 }, () => "l".repeat(40));
  await createIssue(client, org, { title: "t".repeat(200), text: "x".repeat(20_000), labels });
  const bad: readonly [string, string, string, unknown?][] = [
    ["title", "POST", path, {}],
    ["title", "POST", path, { title: "" }],
    ["title", "POST", path, { title: "t".repeat(201) }],
    ["title", "POST", path, { title: 7 }],
    ["text", "POST", path, { title: "t", text: "x".repeat(20_001) }],
    ["labels", "POST", path, { title: "t", labels: [...labels, "one more"] }],
    ["labels", "POST", path, { title: "t", labels: ["l".repeat(41)] }],
    ["labels", "POST", path, { title: "t", labels: [""] }],
    ["color", "PATCH", `${path}/${id}`, { color: "red" }],
    ["number", "PATCH", `${path}/${id}`, { number: 7 }],
    ["author", "PATCH", `${path}/${id}`, { title: "t", author: "me" }],
    ["status", "PATCH", `${path}/${id}`, { status: "lost" }],
    ["limit", "GET", `${path}?limit=0`],
    ["limit", "GET", `${path}?limit=101`],
    ["limit", "GET", `${path}?limit=ten`],
    ["status", "GET", `${path}?status=lost`],
  ];
  for (const [member, method, route, json] of bad) {
    const problem = await ask(client, 422, method, route, { json });
    assert(JSON.stringify(problem).includes(member), `${member}: ${JSON.stringify(problem)}`);
  }
  const malformed = await statusOf(client, "POST", path, {
    body: '{"title":',
    headers: { "Content-Type": "application/json" },
  });
  assert([400, 422].includes(malformed), `malformed JSON: ${malformed}`);
  assertEquals(await statusOf(client, "DELETE", `${path}/${id}`), 204);
  for (const method of ["GET", "DELETE"]) {
    assertEquals(await statusOf(client, method, `${path}/${id}`), 404, method);
  }
  assertEquals((await createIssue(client, org)).number, 7, "numbers are not used again");
}

async function paging(client: Client, path: string): Promise<void> {
  assertEquals(await numbers(client, path), [5, 4, 3, 2, 1]);
  assertEquals((await ask(client, 200, "GET", path)).next, undefined);
  const pages: number[][] = [];
  let cursor = "";
  do {
    const page = await ask(client, 200, "GET", `${path}?limit=2${cursor}`);
    pages.push(page.issues.map(({ number }: Json) => number));
    cursor = page.next === undefined ? "" : `&cursor=${encodeURIComponent(page.next)}`;
  } while (cursor !== "" && pages.length < 10);
  assertEquals(pages, [[5, 4], [3, 2], [1]]);
  assertEquals(await numbers(client, `${path}?limit=100`), [5, 4, 3, 2, 1]);
}

async function numbers(client: Client, path: string): Promise<number[]> {
  return (await ask(client, 200, "GET", path)).issues.map(({ number }: Json) => number);
}

async function comments({ people: { owner, member, viewer }, org }: Walk): Promise<void> {
  const issue = await createIssue(owner.client, org);
  const path = `/orgs/${org}/issues/${issue.id}/comments`;
  assertEquals((await ask(viewer.client, 200, "GET", path)).length, 0);
  const first = await ask(member.client, 201, "POST", path, { json: { text: "First" } });
  const second = await ask(owner.client, 201, "POST", path, { json: { text: "x".repeat(5000) } });
  assertEquals([first.text, first.author], ["First", member.id]);
  assertEquals(await ask(viewer.client, 200, "GET", path), [first, second]);
  for (const text of ["", "x".repeat(5001), 7, undefined]) {
    const problem = await ask(member.client, 422, "POST", path, { json: { text } });
    assert(JSON.stringify(problem).includes("text"), JSON.stringify(problem));
  }
  assertEquals(await statusOf(member.client, "DELETE", `${path}/${second.id}`), 403);
  assertEquals(await statusOf(member.client, "DELETE", `${path}/${first.id}`), 204);
  assertEquals(await statusOf(member.client, "DELETE", `${path}/${first.id}`), 404);
  assertEquals(await ask(viewer.client, 200, "GET", path), [second]);
}

async function attachments({ people: { member, viewer }, org }: Walk): Promise<void> {
  const issue = await createIssue(member.client, org);
  const path = `/orgs/${org}/issues/${issue.id}/attachments`;
  const files: readonly [string, Uint8Array<ArrayBuffer>][] = [
    ["image/png", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255])],
    ["image/jpeg", new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 1, 2, 3])],
    ["application/pdf", new TextEncoder().encode("%PDF-1.7\n")],
    ["text/plain", new TextEncoder().encode("a".repeat(MIB))],
  ];
  for (const [type, bytes] of files) {
    const { id } = await ask(member.client, 201, "POST", path, { body: fileForm(type, bytes) });
    const response = await viewer.client.send("GET", `${path}/${id}`);
    const got = new Uint8Array(await response.arrayBuffer());
    assertEquals(response.status, 200);
    assert(got.length === bytes.length && got.every((byte, i) => byte === bytes[i]), type);
    const header = (name: string) => response.headers.get(name) ?? "";
    assert(header("Content-Type").startsWith(type), header("Content-Type"));
    assertMatch(header("Content-Disposition"), /^attachment\b/);
    assertEquals(header("X-Content-Type-Options"), "nosniff");
  }
  for (const type of ["text/html", "image/svg+xml", "application/octet-stream"]) {
    const got = await statusOf(member.client, "POST", path, { body: fileForm(type) });
    assert([415, 422].includes(got), `${type}: ${got}`);
  }
  for (const size of [MIB + 1, 3 * MIB]) {
    const body = fileForm("text/plain", new Uint8Array(size).fill(97));
    assertEquals(
      await statusOf(member.client, "POST", path, { body, alone: true }),
      413,
      `${size} bytes`,
    );
  }
  const other = new FormData();
  other.set("other", "x");
  const missing = await statusOf(member.client, "POST", path, { body: other });
  assert([400, 422].includes(missing), `no file: ${missing}`);
  assertEquals(await statusOf(viewer.client, "GET", `${path}/none`), 404);
}

async function changes(walk: Walk): Promise<void> {
  const { people: { viewer, member, outsider }, org, otherOrg } = walk;
  const path = `/orgs/${org}/changes`;
  const mine = await follow(viewer.client, path);
  const others = await follow(outsider.client, `/orgs/${otherOrg}/changes`);
  try {
    const issue = await createIssue(member.client, org, { text: "two\nlines" });
    assertEquals(await mine.next(), { event: "issue", data: issue });
    const one = `/orgs/${org}/issues/${issue.id}`;
    const changed = await ask(member.client, 200, "PATCH", one, { json: { status: "closed" } });
    assertEquals(await mine.next(), { event: "issue", data: changed });
    const comment = await ask(member.client, 201, "POST", `${one}/comments`, {
      json: { text: "Live" },
    });
    assertEquals(await mine.next(), { event: "comment", data: comment });
    const theirs = await createIssue(outsider.client, otherOrg);
    assertEquals(await others.next(), { event: "issue", data: theirs }, "the first of theirs");
    await mine.comment(KEEP_ALIVE_MS);
    const before = walk.sockets();
    for (let i = 0; i < LEAVERS; i++) (await follow(viewer.client, path)).leave();
    const issue2 = await createIssue(member.client, org);
    assertEquals(await mine.next(), { event: "issue", data: issue2 }, "after others left");
    for (let i = 0; i < 50 && (walk.sockets() ?? 0) > (before ?? 0) + 8; i++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const after = walk.sockets();
    assert((after ?? 0) <= (before ?? 0) + 8, `sockets: ${before}, then ${after}`);
  } finally {
    mine.leave();
    others.leave();
  }
}
