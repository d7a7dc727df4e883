/**
 * What all checks share: people, their organisations, and short ways to ask.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { type Adapter, type Client, createClient, type RequestOptions } from "./_client.ts";

/** What a check gets. */
export interface Walk {
  readonly origin: string;
  readonly adapter: Adapter;
  /** Signed in by cookie; the role in `org` is the name. `outsider` owns `otherOrg`, `extra` is nowhere. */
  readonly people: Readonly<Record<Name, Person>>;
  readonly nobody: Client;
  readonly org: string;
  readonly otherOrg: string;
  /** What the server printed. */
  log(): string;
  /** How many sockets the server has open, where the system says so. */
  sockets(): number | undefined;
}

/** Roles, as the specification has them. */
export const ROLES = ["viewer", "member", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];
export type Name = Role | "outsider" | "extra";

/** An account with its session. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly client: Client;
}

/** One point of the specification. */
export interface Check {
  readonly point: number;
  readonly name: string;
  run(walk: Walk): Promise<void>;
}

/** The password of everyone. */
export const PASSWORD = "correct horse battery staple";

/** JSON, of a shape that the checks assert. */
// deno-lint-ignore no-explicit-any
export type Json = any;

/** Sends a request and reads JSON. @throws {AssertionError} If the status is another. */
export async function ask(
  client: Client,
  status: number,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Json> {
  const response = await client.send(method, path, options);
  const text = await response.text();
  assertEquals(response.status, status, `${method} ${path}: ${text.slice(0, 300)}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** Creates an issue. */
export function createIssue(client: Client, org: string, more: object = {}): Promise<Json> {
  return ask(client, 201, "POST", `/orgs/${org}/issues`, { json: { title: "An issue", ...more } });
}

/** A form with a file. */
export function fileForm(
  type = "text/plain",
  bytes: Uint8Array<ArrayBuffer> = new TextEncoder().encode("hello"),
): FormData {
  const form = new FormData();
  form.set("file", new File([bytes], "a file.txt", { type }));
  return form;
}

/** Registers everyone and puts them in their places. */
export async function prepare(
  options: Pick<Walk, "origin" | "adapter" | "log" | "sockets">,
): Promise<Walk> {
  const { origin, adapter } = options;
  const people = {
    viewer: await register(origin, adapter, "viewer"),
    member: await register(origin, adapter, "member"),
    admin: await register(origin, adapter, "admin"),
    owner: await register(origin, adapter, "owner"),
    outsider: await register(origin, adapter, "outsider"),
    extra: await register(origin, adapter, "extra"),
  };
  const { id: org } = await ask(people.owner.client, 201, "POST", "/orgs", {
    json: { name: "First" },
  });
  const { id: otherOrg } = await ask(people.outsider.client, 201, "POST", "/orgs", {
    json: { name: "Other" },
  });
  for (const role of ["viewer", "member", "admin"] as const) {
    await ask(people.owner.client, 201, "POST", `/orgs/${org}/members`, {
      json: { email: people[role].email, role },
    });
  }
  return { ...options, people, nobody: createClient(origin), org, otherOrg };
}

/** Creates an account. */
export async function register(origin: string, adapter: Adapter, name: string): Promise<Person> {
  const client = createClient(origin);
  const email = `${name}@example.com`;
  const response = await adapter.register(client, email, PASSWORD);
  assert(response.ok, `register: ${response.status} ${await response.text()}`);
  await response.body?.cancel().catch(() => {});
  const me = await ask(client, 200, "GET", "/me");
  assertEquals(me.email, email);
  return { id: me.id, email, client };
}
