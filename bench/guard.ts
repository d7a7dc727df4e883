/**
 * What a guard adds to a request, beside Better Auth's session check on Hono: `deno task bench:guard`.
 *
 * All in one process, stores in memory, one user with one session; then access tokens, beside Web Crypto, Hono and jose.
 * `--rounds=51` and `--requests=500` of each in a round are the defaults.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { floor, type GuardApp, type LoginApp, ORIGIN, requireStatus } from "./_guard_apps.ts";
import { BARE, bearerEntries } from "./_guard_bearer.ts";
import { base, guarded, login, nameOf } from "./_guard_ours.ts";
import {
  COOKIE_CACHE,
  honoBase,
  honoGuarded,
  honoLogin,
  IN_MAP,
  MEMORY,
  peerOptions,
} from "./_guard_peers.ts";
import { type Entry, timeTurns, type Timing, type Turns } from "./_guard_time.ts";
import { numberOption, table } from "./_table.ts";

/** One kind of request. */
interface Case {
  readonly title: string;
  readonly method: "GET" | "DELETE";
  /** Which session it presents. */
  readonly session: "live" | "ended" | "none";
  readonly status: 200 | 401;
}

// DELETE writes and has no body: Hono's `csrf()` lets JSON pass unseen, since pages elsewhere cannot send it
const CASES: readonly Case[] = [
  { title: "GET /me, signed in", method: "GET", session: "live", status: 200 },
  { title: "DELETE /me, signed in", method: "DELETE", session: "live", status: 200 },
  { title: "GET /me, no session", method: "GET", session: "none", status: 401 },
  { title: "GET /me, ended session", method: "GET", session: "ended", status: 401 },
];

/** Requests that are under way together, as on a server with something to do. */
const AT_ONCE = 32;

function requestOf({ live, ended }: GuardApp, { method, session }: Case): Request {
  const sessions = { live, ended, none: {} };
  const source = { "Origin": ORIGIN, "Sec-Fetch-Site": "same-origin" };
  const headers = { ...(method === "GET" ? {} : source), ...sessions[session] };
  return new Request(`${ORIGIN}/me`, { method, headers });
}

/** Who can take part; those without a guard have nothing to refuse by. */
function contestantsOf(apps: readonly GuardApp[], { method, status }: Case): readonly GuardApp[] {
  const kind = method === "GET" ? "reads" : "writes";
  return apps.filter(({ takes, guards }) =>
    (takes === "both" || takes === kind) && (guards || status === 200)
  );
}

/** @throws {Error} If an application does not answer what it should, or lets pass what it should not. */
async function checkAnswers(apps: readonly GuardApp[]): Promise<void> {
  for (const one of CASES) {
    for (const app of contestantsOf(apps, one)) {
      const what = `${one.title}, ${app.name}`;
      const status = one.session === "ended" && app.outlivesEnd === true ? 200 : one.status;
      const response = requireStatus(what, await app.fetch(requestOf(app, one)), status);
      const text = await response.text();
      if (status === 200 && text !== JSON.stringify({ sub: app.sub })) {
        throw new Error(`${what}: ${text}`);
      }
    }
  }
  for (const app of apps.filter(({ guards, takes }) => guards && takes !== "reads")) {
    const foreign = { "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    const init = { method: "DELETE", headers: { ...app.live, ...foreign } };
    const response = await app.fetch(new Request(`${ORIGIN}/me`, init));
    await requireStatus(`Forged, ${app.name}`, response, 403).text();
  }
}

/** A table of what is measured, one at a time and many at once. */
async function measureTable(
  title: string,
  entries: readonly (Entry & { readonly base?: string | undefined })[],
  { ours, ratio = "÷ ours", ...turns }: Omit<Turns, "atOnce"> & {
    readonly ours: string;
    /** Title of the columns that compare with it. */
    readonly ratio?: string;
  },
): Promise<string> {
  const alone = await timeTurns(entries, { ...turns, atOnce: 1 });
  const together = await timeTurns(entries, { ...turns, atOnce: AT_ONCE });
  const hasBases = entries.some(({ base }) => base !== undefined);
  const cells = (timing: Timing | undefined, base: string | undefined): readonly string[] => {
    if (timing === undefined) return [];
    const added = base === undefined ? "" : timing.added(base).toFixed(1);
    return [timing.us.toFixed(1), ...(hasBases ? [added] : []), timing.over(ours).toFixed(2)];
  };
  const rows = entries.map(({ app: { name }, base }, i) => {
    const perSecond = Math.round(1e6 / (together[i]?.us ?? NaN)).toLocaleString("en");
    return [name, ...cells(alone[i], base), ...cells(together[i], base), perSecond];
  });
  const more = [...(hasBases ? ["added"] : []), ratio];
  const head = [title, "µs alone", ...more, `µs, ${AT_ONCE} at once`, ...more, "per second"];
  return table(head, rows);
}

/** Runs with digests that are there at once, so that what remains is all but the trip to Web Crypto's thread and back. */
async function withDigestsAtHand<T>(run: () => Promise<T>): Promise<T> {
  const { subtle } = crypto;
  const known = new Map<string, Promise<ArrayBuffer>>();
  const decoder = new TextDecoder();
  const digest = subtle.digest.bind(subtle);
  subtle.digest = (algorithm, data) => {
    const key = decoder.decode(data);
    const found = known.get(key) ?? digest(algorithm, data);
    known.set(key, found);
    return found;
  };
  try {
    return await run();
  } finally {
    subtle.digest = digest;
  }
}

async function measureCase(
  apps: readonly GuardApp[],
  one: Case,
  turns: Omit<Turns, "atOnce">,
): Promise<string> {
  const entries = contestantsOf(apps, one)
    .filter(({ outlivesEnd }) => one.session !== "ended" || outlivesEnd !== true)
    .map((app) => ({
      app,
      prepare: () => requestOf(app, one),
      base: one.status === 200 ? app.base : undefined,
    }));
  return await measureTable(one.title, entries, { ...turns, ours: nameOf("origin") });
}

async function measureLogins(
  apps: readonly LoginApp[],
  turns: Omit<Turns, "atOnce">,
): Promise<string> {
  for (const app of apps) {
    const response = requireStatus(app.name, await app.fetch(app.login()), 200);
    if (response.headers.getSetCookie().length === 0) throw new Error(`${app.name}: no cookie`);
    await response.text();
  }
  const entries = apps.map((app) => ({ app, prepare: () => app.login() }));
  const ours = apps[0]?.name ?? "";
  return await measureTable("sign in, without the hash", entries, { ...turns, ours });
}

async function main(): Promise<void> {
  const rounds = numberOption("rounds", 51);
  const requests = numberOption("requests", 500);
  const apps = [
    floor(),
    base(),
    await guarded({ csrf: "origin" }),
    await guarded({ csrf: "token" }),
    honoBase(),
    ...await Promise.all([MEMORY, IN_MAP, COOKIE_CACHE].map(honoGuarded)),
  ];
  await checkAnswers(apps);
  console.log(`${peerOptions()}\n`);
  for (const one of CASES) console.log(await measureCase(apps, one, { rounds, requests }) + "\n");
  const [signedIn] = CASES;
  if (signedIn !== undefined) {
    const ours = apps.filter(({ name }) => name === base().name || name === nameOf("origin"));
    const at = { ...signedIn, title: `${signedIn.title}, with digests at hand` };
    const measured = withDigestsAtHand(() => measureCase(ours, at, { rounds, requests }));
    console.log(await measured + "\n");
  }
  const signatures = { rounds, requests: Math.ceil(requests / 5) };
  const bearers = await bearerEntries();
  const beside = { ours: BARE, ratio: "÷ verify()", ...signatures };
  console.log(await measureTable("GET /me, bearer, ES256", bearers, beside) + "\n");
  const logins = [
    await login({ counting: true }),
    await login({ counting: false }),
    await honoLogin({ counting: true }),
    await honoLogin({ counting: false }),
  ];
  const fewer = Math.ceil(requests / 10); // each leaves a session behind
  console.log(await measureLogins(logins, { rounds, requests: fewer }));
}

if (import.meta.main) await main();
