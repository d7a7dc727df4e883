/**
 * What `stores.ts` compares on an engine: sessions that are verified and refresh tokens that are rotated, by our services
 * and by the bare client, among thousands of others.
 *
 * @module
 */

import {
  type Authentication,
  type AuthStores,
  type RefreshService,
  refreshService,
  type SessionService,
  sessionService,
} from "@gatehouse/http/auth";
import type { Contestant } from "./_measure.ts";
import { bareRotate, bareVerify } from "./_store_bare.ts";
import type { EngineOptions, Owned, StoreEngine } from "./_store_types.ts";

/** Users; sessions are spread over them. */
const USERS = 1_000;
/** Families of each contestant: many more than are rotated at once. */
const FAMILIES = 512;
/** Records that are made at once. */
const BATCH = 100;

const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** One who takes part. It gets the number of its turn: no two that are under way at once are about one record. */
export interface StoreContestant extends Contestant<number> {
  /** Statements that it sends for one run; 0 in memory. */
  readonly statements: number;
}

/** A kind of work, by our service and by bare clients. */
export interface StoreContest {
  readonly work: string;
  readonly ours: StoreContestant;
  /** First the one that sends what our stores send; the target is about it. */
  readonly bare: readonly StoreContestant[];
}

/** What is compared on an engine. */
export interface StoreContests {
  readonly contests: readonly StoreContest[];
  /** Bytes that a session takes up, where somebody knows. */
  readonly bytes: number | undefined;
  /** Checks that what the bare client wrote last is what our service reads. @throws {Error} If it is not. */
  check(): Promise<void>;
}

/** Fills an engine, and says what is compared on it. */
export async function storeContests(
  engine: StoreEngine,
  options: EngineOptions & { readonly sessions: number },
): Promise<StoreContests> {
  const services = servicesOver(engine.stores(), options);
  const { tokens, sub, bytes } = await fillSessions(engine, { ...options, services });
  const families = () => times(FAMILIES, () => issue(services, authenticationOf(sub, options)));
  const [mine, same, shortest] = [await families(), await families(), await families()];
  const sent = await countStatements(engine, { ...options, token: at(tokens, 0), families: mine });
  const found = await bareVerify(engine.bare, at(tokens, 0)) as { readonly user: Owned };
  if (found.user.sub !== sub) {
    throw new Error(`${engine.title}: the bare client finds another user`);
  }
  return {
    contests: [
      verifying({ engine, services, tokens, sent: sent.verify }),
      rotating({ engine, services, mine, same, shortest, sent: sent.rotate, ...options }),
    ],
    bytes,
    async check() {
      if (!engine.bound) return;
      for (const list of [mine, same, shortest]) await services.refresh.rotate(at(list, 0));
    },
  };
}

interface Services {
  readonly sessions: SessionService;
  readonly refresh: RefreshService;
}

function servicesOver(stores: AuthStores, { now }: EngineOptions): Services {
  return {
    sessions: sessionService({ ...stores, now }),
    refresh: refreshService({ ...stores, now }),
  };
}

function authenticationOf(sub: string, { now }: EngineOptions): Authentication {
  return { sub, securityStamp: "stamp", authTime: now(), amr: ["pwd"] };
}

/** Begins sessions. @returns Their tokens, the first one's user, and what a session takes up. */
async function fillSessions(
  engine: StoreEngine,
  { services, sessions: count, now }: EngineOptions & {
    readonly services: Services;
    readonly sessions: number;
  },
): Promise<{
  readonly tokens: readonly string[];
  readonly sub: string;
  readonly bytes: number | undefined;
}> {
  const subs = await createUsers(engine.stores(), now());
  const before = await engine.size?.();
  const tokens = await times(count, async (i) => {
    const authentication = authenticationOf(at(subs, i), { now });
    return (await services.sessions.create(authentication, { userAgent: USER_AGENT })).token;
  });
  const after = await engine.size?.();
  const bytes = before === undefined || after === undefined ? undefined : (after - before) / count;
  return { tokens, sub: at(subs, 0), bytes };
}

/** Begins a family. @returns Its first token. */
async function issue({ refresh }: Services, authentication: Authentication): Promise<string> {
  const options = { sessionId: crypto.randomUUID(), scope: ["notes:read", "notes:write"] };
  return (await refresh.issue(authentication, options)).refreshToken;
}

function verifying({ engine: { bare }, services: { sessions }, tokens, sent }: {
  readonly engine: StoreEngine;
  readonly services: Services;
  readonly tokens: readonly string[];
  /** Statements that are sent for one. */
  readonly sent: number;
}): StoreContest {
  return {
    work: "verify a session",
    ours: {
      name: "sessions.verify()",
      statements: sent,
      run: (i) => sessions.verify(at(tokens, i)),
    },
    bare: [{
      name: "the same statements",
      statements: sent,
      run: (i) => bareVerify(bare, at(tokens, i)),
    }],
  };
}

/** Each contestant has families of its own, whose tokens change. */
function rotating(
  { engine: { bare }, services: { refresh }, now, mine, same, shortest, sent }: EngineOptions & {
    readonly engine: StoreEngine;
    readonly services: Services;
    readonly mine: string[];
    readonly same: string[];
    readonly shortest: string[];
    readonly sent: number;
  },
): StoreContest {
  const reads = Math.max(1, sent - 2); // the others read its user, and write it
  const rotate = (list: string[], reads: number | "shortest") => async (i: number) => {
    list[i % FAMILIES] = await bareRotate(bare, { token: at(list, i), at: now(), reads });
  };
  return {
    work: "rotate a refresh token",
    ours: {
      name: "refresh.rotate()",
      statements: sent,
      async run(i) {
        mine[i % FAMILIES] = (await refresh.rotate(at(mine, i))).refreshToken;
      },
    },
    bare: [
      { name: "the same statements", statements: sent, run: rotate(same, reads) },
      {
        name: "read, compare and write",
        statements: Math.min(sent, 2),
        run: rotate(shortest, "shortest"),
      },
    ],
  };
}

async function createUsers(stores: AuthStores, at: number): Promise<readonly string[]> {
  return await times(USERS, async (i) => {
    const sub = crypto.randomUUID();
    await stores.users.create({
      sub,
      identifier: `user${i}@example.com`,
      passwordHash: `$pbkdf2-sha256$i=600000$${"s".repeat(22)}$${"h".repeat(43)}`,
      securityStamp: "stamp",
      createdAt: at,
    });
    return sub;
  });
}

/** How many statements our services send: the bare client sends as many. */
async function countStatements(
  engine: StoreEngine,
  { now, token, families }: EngineOptions & {
    readonly token: string;
    readonly families: string[];
  },
): Promise<{ readonly verify: number; readonly rotate: number }> {
  let sent = 0;
  const { sessions, refresh } = servicesOver(engine.stores(() => sent++), { now });
  const count = async (work: () => Promise<unknown>) => {
    sent = 0;
    await work();
    return sent;
  };
  const rotate = async () => {
    families[0] = (await refresh.rotate(at(families, 0))).refreshToken;
  };
  await rotate(); // the first write sweeps
  const verify = await count(() => sessions.verify(token));
  if (verify !== 0 && verify !== 2) {
    throw new Error(`Cannot compare: to verify a session takes ${verify} statements, not 2`);
  }
  return { verify, rotate: await count(rotate) };
}

/** Does something many times, some of them at once. */
async function times<T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let start = 0; start < count; start += BATCH) {
    const length = Math.min(BATCH, count - start);
    all.push(...await Promise.all(Array.from({ length }, (_, i) => make(start + i))));
  }
  return all;
}

function at(list: readonly string[], i: number): string {
  return list[i % list.length] ?? "";
}
