/**
 * Cases for several processes of the notes service that share a database.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Client, createClient, formOf, PASSWORD } from "../examples/_notes_service.ts";
import { type Service, startAtAddress, type StartOptions, withFolder } from "./_notes_process.ts";
import { bearer, refresh, refusalOf, signIn, statusOf } from "./_notes_api_clients.ts";

/** A case with several processes. */
export interface SharedCase {
  /** Name of the test. */
  readonly name: string;
  /** The test. */
  readonly run: (database: SharedDatabase) => Promise<void>;
}

/** The database that is shared. */
export interface SharedDatabase {
  /** The printed location of the database. */
  readonly kept: RegExp;
  /** Environment of the processes. @default none: Deno KV in a temporary folder */
  readonly env?: Readonly<Record<string, string>>;
}

/** All cases. */
export const SHARED_CASES: readonly SharedCase[] = [
  {
    name: "Three processes share sessions, and a sign-out at one is a sign-out at all",
    run: (database) => withProcesses(shareSessions, database),
  },
  {
    name: "Three processes count failed sign-ins together",
    run: (database) => withProcesses(shareThrottle, database),
  },
  {
    name: "Three processes sign tokens with the same keys, and detect token reuse across processes",
    run: (database) => withProcesses(shareTokens, database),
  },
  {
    name: "Three processes lose no data when one is killed during requests and restarted",
    run: (database) => withProcesses(loseOne, database),
  },
];

/** Processes of one service, and a function that starts another one. */
interface Processes {
  readonly services: readonly [Service, Service, Service];
  readonly startAnother: () => Promise<Service>;
  readonly kill: (service: Service) => Promise<unknown>;
}

/** Starts three concurrently, with an empty database if it is Deno KV. */
async function withProcesses(
  test: (processes: Processes) => Promise<void>,
  { kept, env = {} }: SharedDatabase,
): Promise<void> {
  await withFolder(async (folder) => {
    const options: StartOptions = {
      secret: "a secret that all processes of the tests have",
      env: { ORIGIN: "https://notes.example", ...env },
    };
    const running = new Set<Service>();
    const startAnother = async () => {
      const service = await startAtAddress(folder, options);
      running.add(service);
      assertMatch(service.kept, kept);
      return service;
    };
    const stop = async (service: Service, signal: Deno.Signal) => {
      running.delete(service);
      return (await service.stop(signal)).code;
    };
    try {
      const starting = [startAnother(), startAnother(), startAnother()] as const;
      await Promise.allSettled(starting); // if one does not start, the others must be stopped
      const services = await Promise.all(starting);
      await test({ services, startAnother, kill: (service) => stop(service, "SIGKILL") });
      const codes = await Promise.all([...running].map((service) => stop(service, "SIGTERM")));
      assertEquals(codes.filter((code) => code !== 0), []);
    } finally {
      for (const service of running) await service.stop("SIGKILL");
    }
  });
}

async function shareSessions({ services: [first, second, third] }: Processes): Promise<void> {
  const { client: ada, csrfToken } = await register(first);
  const [here, there] = [second, third].map((service) => sameBrowser(ada, service));
  assert(here !== undefined && there !== undefined);
  assertEquals(new Set(await Promise.all([ada, here, there].map(titlesOf))).size, 1); // seeded once
  const note = await ada.create({ title: "Written at the first" });
  assertEquals(await statusOf(here.call(`/notes/${note.id}`)), 200);
  const content = crypto.getRandomValues(new Uint8Array(60_000));
  const uploaded = here.call(`/notes/${note.id}/attachments`, {
    method: "POST",
    headers: { "X-CSRF-Token": csrfToken },
    body: formOf(new File([content], "a.bin")),
  });
  assertEquals(await statusOf(uploaded), 201);
  const download = await there.call(`/notes/${note.id}/attachments/a.bin`);
  assertEquals(await download.bytes(), content);

  const headers = { "X-CSRF-Token": csrfToken };
  assertEquals(await statusOf(there.send("POST", "/auth/logout", {}, headers)), 204);
  for (const client of [ada, here]) {
    assertEquals(await refusalOf(client.call("/notes")), [401, "session_expired"]);
  }
}

async function shareThrottle({ services }: Processes): Promise<void> {
  const [first] = services;
  const { identifier } = await register(first);
  const attempt = ({ origin }: Service, password: string) => {
    return createClient(origin).send("POST", "/tokens/login", { identifier, password });
  };
  const statuses: number[] = [];
  for (let round = 0; round < 3; round++) {
    for (const service of services) statuses.push(await statusOf(attempt(service, "wrong")));
  }
  const refused = statuses.filter((status) => status === 401).length;
  assertEquals(statuses, [...Array(refused).fill(401), ...Array(9 - refused).fill(429)]);
  assert(refused < 9, "the attempts at three processes were not counted together");
  for (const service of services) {
    assertEquals(await refusalOf(attempt(service, PASSWORD)), [429, "throttled"]);
    const page = createClient(service.origin).enter("login", identifier);
    assertEquals(await refusalOf(page), [429, "throttled"]);
  }
}

async function shareTokens({ services }: Processes): Promise<void> {
  const [first, second, third] = services;
  const { identifier } = await register(first);
  // None has signed before: whichever process creates the key, all use it
  const tokens = await Promise.all(services.map(({ origin }) => signIn(origin, identifier)));
  for (const { accessToken } of tokens) {
    for (const { origin } of services) {
      assertEquals(await statusOf(bearer(origin, accessToken)("/notes")), 200);
    }
  }
  const keys = await Promise.all(services.map(({ origin }) => jwksOf(origin)));
  assertEquals(keys, [keys[0], keys[0], keys[0]]);

  const [stolen, other] = tokens;
  assert(stolen !== undefined && other !== undefined);
  const next = await (await refresh(second.origin, stolen.refreshToken)).json();
  assertEquals(await statusOf(refresh(third.origin, stolen.refreshToken)), 401); // a second time
  assertEquals(await statusOf(refresh(first.origin, next.refreshToken)), 401);
  assertEquals(await statusOf(refresh(second.origin, next.refreshToken)), 401);
  assertEquals(await statusOf(refresh(third.origin, other.refreshToken)), 200); // another sign-in
}

async function loseOne({ services, startAnother, kill }: Processes): Promise<void> {
  const [first, second, third] = services;
  const { client: ada, csrfToken } = await register(first);
  const written: string[] = [];
  let killed: Promise<unknown> | undefined;
  await Promise.all(services.map(async (service, i) => {
    const client = sameBrowser(ada, service);
    for (let n = 0; n < 20; n++) {
      const title = `note ${n} at ${i}`;
      const answer = client.send("POST", "/notes", { title }, { "X-CSRF-Token": csrfToken });
      if (service === second && n === 8) killed = kill(service);
      const status = await statusOf(answer).catch(() => undefined);
      if (status === undefined) {
        return assert(service === second, "a running process did not respond");
      }
      assertEquals(status, 201);
      written.push(title);
    }
  }));
  await killed;
  assertEquals(written.length >= 48 && written.length < 60, true, `${written.length} were written`);
  const again = await startAnother();
  const lists = await Promise.all(
    [first, third, again].map((service) => titlesOf(sameBrowser(ada, service))),
  );
  assertEquals(lists, [lists[0], lists[0], lists[0]]);
  const listed = lists[0]?.split("\n").filter((title) => title.startsWith("note ")) ?? [];
  assertEquals(new Set(listed).size, listed.length);
  assertEquals(written.filter((title) => !listed.includes(title)), []);
  const headers = { "X-CSRF-Token": csrfToken };
  const title = { title: "Written after" };
  assertEquals(await statusOf(sameBrowser(ada, again).send("POST", "/notes", title, headers)), 201);
}

/** Registers a new user, since the database may not be empty. */
async function register(
  { origin }: Service,
): Promise<{ client: Client; identifier: string; csrfToken: string }> {
  const identifier = `ada-${crypto.randomUUID()}`;
  const client = createClient(origin);
  const response = await client.enter("register", identifier);
  assertEquals(response.status, 201);
  const { csrfToken } = await response.json();
  return { client, identifier, csrfToken };
}

/** The client's browser, at another process. */
function sameBrowser({ cookies }: Client, { origin }: Service): Client {
  const client = createClient(origin);
  for (const [name, value] of cookies) client.cookies.set(name, value);
  return client;
}

/** The titles of all notes, newest first. */
async function titlesOf({ call }: Client): Promise<string> {
  const { notes } = await (await call("/notes?limit=100")).json();
  return notes.map(({ title }: { title: string }) => title).join("\n");
}

async function jwksOf(origin: string): Promise<unknown> {
  return await (await fetch(`${origin}/.well-known/jwks.json`)).json();
}
