/**
 * Two processes on one engine whose clocks differ by five minutes: each accepts what the other one creates, and the faster one
 * deletes nothing that is valid for the slower one.
 */

import { assert, assertEquals } from "@std/assert";
import { authStores } from "../../auth/stores/repo.ts";
import type { StorageAdapter } from "../../auth/stores/adapter.ts";
import type { AuthStores, RefreshRotation } from "../../auth/stores/types.ts";
import type { ThrottleRule } from "../../auth/throttle/rule.ts";
import type { TestApp } from "../auth/http/_app.ts";
import { ADA, START } from "../auth/_services.ts";
import { createTokenApp, refresh, signInForTokens } from "../auth/http/_token_routes.ts";
import { type Client, CLIENTS, openAdapter, openFreshAdapter } from "./_adapters.ts";
import { engineTest } from "./_engines.ts";
import { familyOf, RACE_TIME, sessionOf } from "../contracts/_races.ts";

/** The largest difference of the clocks of two processes, in seconds. */
const SKEW = 300;

/** A process with its clock. */
interface Process {
  readonly clock: { now: number };
  readonly adapter: StorageAdapter;
  readonly stores: AuthStores;
}

interface Processes {
  readonly ahead: Process;
  readonly behind: Process;
}

for (const { name, engine } of CLIENTS) {
  const skewTest = (title: string, run: (processes: Processes) => Promise<void>) =>
    engineTest(engine, `${title}, over ${name}`, (url) => withProcesses(name, url, run));

  skewTest("authStores() returns a record that expired by a faster clock", async (processes) => {
    const { ahead, behind } = processes;
    const session = { ...sessionOf("s1", "hash"), expiresAt: behind.clock.now + 1 };
    await behind.stores.sessions.create(session);
    await behind.stores.states.put("state", "once", behind.clock.now + 1);
    assertEquals(await ahead.stores.sessions.findByTokenHash("hash"), null);
    assertEquals(await ahead.stores.states.consume("state"), null);
    await tidy(ahead);
    assertEquals(await behind.stores.sessions.findByTokenHash("hash"), session);
    assertEquals(await behind.stores.sessions.list("u1"), [session]);
    assertEquals(await behind.stores.sessions.touch("s1", RACE_TIME, RACE_TIME + 60), "updated");
    assertEquals(await behind.stores.states.consume("state"), "once");
  });

  skewTest(
    "authStores() retains a record of a faster process for a slower one",
    async (processes) => {
      const { ahead, behind } = processes;
      const session = { ...sessionOf("s1", "hash"), expiresAt: ahead.clock.now + 1 };
      await ahead.stores.sessions.create(session);
      await new Promise((resolve) => setTimeout(resolve, 1_500)); // an engine that used its own clock would delete it
      ahead.clock.now += 2;
      assertEquals(await ahead.stores.sessions.findByTokenHash("hash"), null);
      await tidy(ahead);
      behind.clock.now += 2;
      assertEquals(await behind.stores.sessions.findByTokenHash("hash"), session);
      assertEquals(await behind.stores.sessions.list("u1"), [session]);
      behind.clock.now += SKEW;
      assertEquals(await behind.stores.sessions.findByTokenHash("hash"), null);
    },
  );

  skewTest("throttle.reserve() locks at both processes", async ({ ahead, behind }) => {
    const rules: readonly ThrottleRule[] = [
      { kind: "window", limit: 2, seconds: 2 * SKEW },
      { kind: "backoff", free: 2, wait: 2 * SKEW, maxWait: 4 * SKEW, forget: 86_400 },
    ];
    for (const rule of rules) {
      for (const [first, second] of [[ahead, behind], [behind, ahead]] as const) {
        const key = { key: `${rule.kind} ${first.clock.now}`, rule };
        const ask = ({ stores, clock }: Process) => stores.throttle.reserve(key, [], clock.now);
        assertEquals(await ask(first), { allowed: true, recorded: [] });
        assertEquals(await ask(second), { allowed: true, recorded: [] });
        for (const process of [first, second]) {
          await tidy(process);
          assertEquals((await ask(process)).allowed, false);
        }
      }
    }
  });

  skewTest(
    "refreshTokens.rotate() works at both processes in turn",
    async ({ ahead, behind }) => {
      await ahead.stores.refreshTokens.create(familyOf("f1"));
      const rotate = ({ stores, clock }: Process, from: string, to: string) =>
        stores.refreshTokens.rotate(rotation(clock.now, from, to));
      const hashes = ["first", "2", "3", "4", "5"];
      for (const [index, to] of hashes.slice(1).entries()) {
        const process = index % 2 === 0 ? ahead : behind;
        assertEquals(await rotate(process, hashes[index] ?? "", to), "rotated");
        await tidy(ahead);
      }
      assertEquals((await behind.stores.refreshTokens.find("f1"))?.generation, 4);
      assertEquals(await rotate(behind, "4", "6"), "reused");
      assertEquals(await rotate(ahead, "5", "6"), "revoked");
    },
  );

  skewTest(
    "registerAuth() accepts sessions and tokens of either process at both",
    async (processes) => {
      const { ahead, behind } = processes;
      const apps = [ahead, behind].map(({ stores, clock }) => createTokenApp({ stores, clock }));
      await apps[0]?.signedIn(); // creates the account
      for (const maker of apps) {
        const browser = maker.browser();
        const { refreshToken, accessToken } = await signInForTokens(maker);
        assertEquals((await browser.login(ADA)).status, 200);
        const headers = { Cookie: browser.jar.field() };
        const bearer = { headers: { Authorization: `Bearer ${accessToken}` } };
        let token = refreshToken;
        for (const app of [...apps, ...apps]) {
          assertEquals((await app.router.request("/me", { headers })).status, 200);
          assertEquals((await app.router.request("/me", bearer)).status, 200);
          token = await exchange(app, token);
        }
      }
    },
  );
}

async function exchange(app: TestApp, refreshToken: string): Promise<string> {
  const response = await refresh(app, refreshToken);
  assertEquals(response.status, 200);
  const { refreshToken: next } = await response.json();
  assert(typeof next === "string");
  return next;
}

function rotation(now: number, fromHash: string, toHash: string): RefreshRotation {
  return { familyId: "f1", fromHash, toHash, now, expiresAt: now + 600 };
}

/** Deletes all records that are expired for a process, by a sweep and by writes. */
async function tidy({ adapter, stores, clock }: Process): Promise<void> {
  if ("sweep" in adapter && typeof adapter.sweep === "function") await adapter.sweep();
  const session = { ...sessionOf("tidy", "tidy"), expiresAt: clock.now + 3_600 };
  await stores.sessions.create(session);
  await stores.sessions.list(session.sub);
  await stores.sessions.revoke("tidy");
}

async function withProcesses(
  client: Client,
  url: string,
  run: (processes: Processes) => Promise<void>,
): Promise<void> {
  const [late, early] = [{ now: START }, { now: START + SKEW }];
  await using first = await openFreshAdapter(client, { url, now: () => late.now });
  const { place } = first;
  await using second = await openAdapter(client, { url, place, now: () => early.now });
  await run({
    behind: { clock: late, adapter: first.adapter, stores: authStores(first.adapter) },
    ahead: { clock: early, adapter: second.adapter, stores: authStores(second.adapter) },
  });
}
