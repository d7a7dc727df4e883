/**
 * Points 1–3: accounts, mobile tokens, API keys.
 *
 * @module
 */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { bearerClient, type Client, createClient, statusOf, type Tokens } from "./_client.ts";
import { ask, type Check, createIssue, PASSWORD, register, type Walk } from "./_walk.ts";

const EVIL = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };

/** More attempts than anyone needs who knows the password. */
const ATTEMPTS = 60;

/** The checks, in the specification's order. */
export const ACCOUNT_CHECKS: readonly Check[] = [
  { point: 1, name: "accounts", run: accounts },
  { point: 2, name: "mobile tokens", run: mobileTokens },
  { point: 3, name: "API keys", run: apiKeys },
];

async function accounts(walk: Walk): Promise<void> {
  const { origin, adapter } = walk;
  assertEquals(await statusOf(walk.nobody, "GET", "/me"), 401);
  const { client, email, id } = await register(origin, adapter, "account");
  assertEquals(await ask(client, 200, "GET", "/me"), { id, email });
  await forgeries(walk, client);
  assert((await drained(adapter.signOut(client))).ok, "sign-out");
  assertEquals(await statusOf(client, "GET", "/me"), 401, "after sign-out");
  const wrong = await drained(adapter.signIn(createClient(origin), email, `${PASSWORD}!`));
  assert([400, 401].includes(wrong.status), `wrong password: ${wrong.status}`);
  const signedIn = await drained(adapter.signIn(client, email, PASSWORD));
  assert(signedIn.ok, `sign-in: ${signedIn.status}`);
  const cookie = signedIn.headers.getSetCookie().find((cookie) => /httponly/i.test(cookie));
  assert(cookie !== undefined && /samesite=(lax|strict)/i.test(cookie), `cookie: ${cookie}`);
  assertEquals(await ask(client, 200, "GET", "/me"), { id, email });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { status } = await drained(adapter.signIn(createClient(origin), email, "wrong one"));
    if (status === 429) return;
  }
  throw new Error(`${ATTEMPTS} wrong passwords were not limited`);
}

/** What a page of another origin can send with cookies and without a preflight. */
async function forgeries(walk: Walk, client: Client): Promise<void> {
  const before = await ask(client, 200, "GET", "/orgs");
  const form = new FormData();
  form.set("name", "Forged");
  const bodies: readonly [string, RequestBody][] = [
    ["text", { body: '{"name":"Forged"}', headers: { ...EVIL, "Content-Type": "text/plain" } }],
    ["urlencoded", { body: new URLSearchParams({ name: "Forged" }), headers: EVIL }],
    ["multipart", { body: form, headers: EVIL }],
  ];
  for (const [why, request] of bodies) {
    assertEquals(await statusOf(client, "POST", "/orgs", request), 403, `forged ${why}`);
  }
  assertEquals((await drained(walk.adapter.signOut(client, EVIL))).status, 403, "forged sign-out");
  assertEquals(await ask(client, 200, "GET", "/orgs"), before);
}

type RequestBody = { readonly body: BodyInit; readonly headers: Record<string, string> };

async function mobileTokens({ origin, adapter, people, org, nobody }: Walk): Promise<void> {
  const { email, id } = people.member;
  const signIn = async (): Promise<Tokens> => {
    const response = await adapter.mobileSignIn(createClient(origin), email, PASSWORD);
    assert(response.ok, `mobile sign-in: ${response.status}`);
    return adapter.tokensOf(await response.json());
  };
  const wrong = await drained(adapter.mobileSignIn(createClient(origin), email, "wrong one"));
  assert([400, 401].includes(wrong.status), `wrong password: ${wrong.status}`);

  const first = await signIn();
  assert(first.expiresIn > 0 && first.expiresIn <= 900, `expires in ${first.expiresIn} s`);
  const phone = bearerClient(origin, first.accessToken);
  assertEquals(await ask(phone, 200, "GET", "/me"), { id, email });
  const issue = await createIssue(phone, org);
  const path = `/orgs/${org}/issues/${issue.id}`;
  const routes: readonly [number, string, string, unknown?][] = [
    [200, "GET", "/orgs"],
    [200, "GET", `/orgs/${org}/members`],
    [200, "GET", `/orgs/${org}/issues`],
    [200, "GET", path],
    [200, "PATCH", path, { title: "Changed" }],
    [201, "POST", `${path}/comments`, { text: "From the phone" }],
    [200, "GET", `${path}/comments`],
    [200, "GET", `/orgs/${org}/changes`],
    [204, "DELETE", path],
  ];
  for (const [status, method, route, json] of routes) {
    assertEquals(await statusOf(phone, method, route, { json }), status, `${method} ${route}`);
  }
  for (const token of [first.refreshToken, `${first.accessToken}x`, "x", ""]) {
    assertEquals(await statusOf(bearerClient(origin, token), "GET", "/orgs"), 401, "other token");
  }

  const refreshed = await adapter.mobileRefresh(nobody, first.refreshToken);
  assert(refreshed.ok, `refresh: ${refreshed.status}`);
  const second = adapter.tokensOf(await refreshed.json());
  assertNotEquals(second.refreshToken, first.refreshToken);
  assertEquals(await statusOf(bearerClient(origin, second.accessToken), "GET", "/me"), 200);
  const reused = await drained(adapter.mobileRefresh(nobody, first.refreshToken));
  assert([400, 401].includes(reused.status), `used refresh token: ${reused.status}`);

  const third = await signIn();
  const racing = await Promise.all(
    [1, 2, 3].map(() => drained(adapter.mobileRefresh(nobody, third.refreshToken))),
  );
  assert(racing.filter(({ ok }) => ok).length <= 1, "a refresh token was used twice");

  const fourth = await signIn();
  assert((await drained(adapter.mobileRevoke(nobody, fourth))).ok, "revoke");
  const revoked = await drained(adapter.mobileRefresh(nobody, fourth.refreshToken));
  assert([400, 401].includes(revoked.status), `revoked refresh token: ${revoked.status}`);
}

async function apiKeys({ origin, adapter, people, org }: Walk): Promise<void> {
  const { client } = people.member;
  const create = async (scope: "read" | "write") => {
    const response = await adapter.createKey(client, `ci ${scope}`, scope);
    assert(response.ok, `create key: ${response.status}`);
    const { id, key } = adapter.keyOf(await response.json());
    return { id, key, client: createClient(origin, adapter.keyHeader(key)) };
  };
  const [read, write] = [await create("read"), await create("write")];
  const listed = await (await adapter.listKeys(client)).text();
  for (const { id, key } of [read, write]) {
    assert(listed.includes(id), "a key is not listed");
    assert(!listed.includes(key), "the list shows a key");
  }
  for (const scope of ["read", "write"]) assert(listed.includes(`"ci ${scope}"`), "name of a key");

  const issue = await createIssue(write.client, org);
  const path = `/orgs/${org}/issues/${issue.id}`;
  const routes: readonly [string, string, number, number, unknown?][] = [
    ["GET", "/orgs", 200, 200],
    ["GET", `/orgs/${org}/issues`, 200, 200],
    ["GET", path, 200, 200],
    ["GET", `${path}/comments`, 200, 200],
    ["POST", "/orgs", 403, 201, { name: "Of a key" }],
    ["POST", `/orgs/${org}/issues`, 403, 201, { title: "By a key" }],
    ["POST", `${path}/comments`, 403, 201, { text: "By a key" }],
    ["PATCH", path, 403, 200, { status: "closed" }],
    ["DELETE", path, 403, 204],
  ];
  for (const [method, route, readStatus, writeStatus, json] of routes) {
    const why = `${method} ${route}`;
    assertEquals(await statusOf(read.client, method, route, { json }), readStatus, `read: ${why}`);
    assertEquals(
      await statusOf(write.client, method, route, { json }),
      writeStatus,
      `write: ${why}`,
    );
  }
  for (const { client } of [read, write]) {
    const { status } = await drained(adapter.createKey(client, "from a key", "read"));
    assert([401, 403].includes(status), `a key made a key: ${status}`);
  }

  const stranger = people.outsider.client;
  assert(!(await (await adapter.listKeys(stranger)).text()).includes(read.id), "a stranger's list");
  const { status } = await drained(adapter.revokeKey(stranger, write.id));
  assert(
    status >= 400 || await statusOf(write.client, "GET", "/orgs") === 200,
    "a stranger revoked",
  );
  assertEquals(await statusOf(write.client, "GET", "/orgs"), 200, "after a stranger's revocation");
  assert((await drained(adapter.revokeKey(client, write.id))).ok, "revoke");
  assertEquals(await statusOf(write.client, "GET", "/orgs"), 401, "revoked key");
  assertEquals(await statusOf(read.client, "GET", "/orgs"), 200, "the other key");
}

async function drained(sent: Promise<Response>): Promise<Response> {
  const response = await sent;
  await response.body?.cancel();
  return response;
}
