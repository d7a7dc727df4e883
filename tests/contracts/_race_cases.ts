/**
 * Expected results of races: the engine decides, and one of all callers wins.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { AuthStores } from "../../auth/stores/types.ts";
import { type AnyRace, CALLERS, PROCESSES, type Racers } from "./_racers.ts";
import {
  BACKOFF_FREE,
  credentialOf,
  factorsOf,
  familyOf,
  identityOf,
  keyOf,
  RACE_TIME,
  sessionOf,
  userOf,
  WINDOW_LIMIT,
} from "./_races.ts";
import { clientOf, issuedOf, redeemedOf } from "./_server_records.ts";

const ALL = PROCESSES * CALLERS;
/** Counts of each result. */
type Tally = Readonly<Record<string, number>>;

/** A race, and how it has to end. */
export interface RaceCase {
  readonly race: AnyRace;
  readonly why: string;
  /** Whether there is one prize only. @default {false} */
  readonly once?: boolean;
  /** Lays out the prize. @returns The version that all racers have read, if they need it. */
  prepare?(stores: AuthStores, prize: string): Promise<string | void>;
  /** Checks the results, and the stored records. */
  check(
    heard: { readonly tally: Tally; readonly outcomes: readonly string[] },
    stores: AuthStores,
    prize: string,
  ): Promise<void> | void;
}

const CASES: readonly RaceCase[] = [
  {
    race: "consume",
    why: "consumes a state once",
    prepare: (stores, prize) => stores.states.put(prize, { nonce: 1 }, RACE_TIME + 60),
    check: ({ tally }) => assertEquals(tally, { taken: 1, nothing: ALL - 1 }),
  },
  {
    race: "claim",
    why: "gives a claim to one",
    once: true,
    check: ({ tally }) => assertEquals(tally, { claimed: 1, taken: ALL - 1 }),
  },
  {
    race: "createIdentity",
    why: "links an identity to one account",
    async check({ tally, outcomes }, stores, prize) {
      assertEquals(tally, { created: 1, taken: ALL - 1 });
      const { sub } = await stores.identities.find(prize) ?? {};
      assertEquals(sub, `u${outcomes.indexOf("created")}`);
    },
  },
  {
    race: "updateIdentity",
    why: "lets one refresh the tokens of an identity",
    async prepare(stores, prize) {
      await stores.identities.create(identityOf(prize));
      return (await stores.identities.find(prize))?.version;
    },
    async check({ tally, outcomes }, stores, prize) {
      assertEquals(tally, { updated: 1, lost: ALL - 1 });
      const { refreshingUntil } = await stores.identities.find(prize) ?? {};
      assertEquals(refreshingUntil, outcomes.indexOf("updated"));
    },
  },
  {
    race: "acceptCode",
    why: "accepts a code of a second factor once",
    async prepare(stores, prize) {
      await stores.factors.save(factorsOf(prize), null);
      return (await stores.factors.find(prize))?.version;
    },
    async check({ tally, outcomes }, stores, prize) {
      assertEquals(tally, { saved: 1, lost: ALL - 1 });
      const { recoveryCodes } = await stores.factors.find(prize) ?? {};
      assertEquals(recoveryCodes, [`${outcomes.indexOf("saved")}`]);
    },
  },
  {
    race: "createAuthorization",
    why: "gives an id to one authorization",
    async check({ tally, outcomes }, stores, prize) {
      const taken = "Cannot create authorization: its id is taken";
      assertEquals(tally, { created: 1, [taken]: ALL - 1 });
      const expected = redeemedOf(prize, `grant ${outcomes.indexOf("created")}`);
      assertEquals((await stores.authorizations.find(prize))?.authorization, expected);
    },
  },
  {
    race: "redeemCode",
    why: "exchanges an authorization code once",
    async prepare(stores, prize) {
      await stores.authorizations.create(issuedOf(prize));
      return (await stores.authorizations.find(prize))?.version;
    },
    async check({ tally, outcomes }, stores, prize) {
      assertEquals(tally, { updated: 1, lost: ALL - 1 });
      const expected = redeemedOf(prize, `grant ${outcomes.indexOf("updated")}`);
      assertEquals((await stores.authorizations.find(prize))?.authorization, expected);
    },
  },
  {
    race: "createClient",
    why: "registers a client once",
    async check({ tally, outcomes }, stores, prize) {
      assertEquals(tally, { created: 1, taken: ALL - 1 });
      const { name } = await stores.clients.find(prize) ?? {};
      assertEquals(name, `client ${outcomes.indexOf("created")}`);
    },
  },
  {
    race: "updateClient",
    why: "updates a client once per version",
    async prepare(stores, prize) {
      await stores.clients.create(clientOf(prize));
      return (await stores.clients.find(prize))?.version;
    },
    async check({ tally, outcomes }, stores, prize) {
      assertEquals(tally, { updated: 1, lost: ALL - 1 });
      const { name } = await stores.clients.find(prize) ?? {};
      assertEquals(name, `client ${outcomes.indexOf("updated")}`);
    },
  },
  {
    race: "rotate",
    why: "exchanges a refresh token once, and treats every other attempt as reuse",
    prepare: (stores, prize) => stores.refreshTokens.create(familyOf(prize)),
    async check({ tally }, stores, prize) {
      const { rotated, reused = 0, revoked = 0, ...others } = tally;
      assertEquals([rotated, reused, revoked, others], [1, 1, ALL - 2, {}]);
      const family = await stores.refreshTokens.find(prize);
      assertEquals([family?.revoked, family?.generation], [true, 1]);
    },
  },
  {
    race: "signCount",
    why: "accepts one sign-in per signature count",
    prepare: async (stores, prize) => void await stores.credentials.create(credentialOf(prize)),
    async check({ tally, outcomes }, stores, prize) {
      assertEquals(tally, { updated: 1, lost: ALL - 1 });
      const { signCount } = await stores.credentials.find(prize) ?? {};
      assertEquals(signCount, 1 + outcomes.indexOf("updated"));
    },
  },
  {
    race: "zeroCount",
    why: "accepts every sign-in of a passkey without a signature count, and keeps the latest use",
    prepare: async (stores, prize) => void await stores.credentials.create(credentialOf(prize)),
    async check({ tally }, stores, prize) {
      assertEquals(tally, { updated: ALL });
      const use = { backedUp: true, userVerified: true, lastUsedAt: RACE_TIME };
      assertEquals(await stores.credentials.find(prize), { ...credentialOf(prize), ...use });
    },
  },
  {
    race: "reserveWindow",
    why: "allows the attempts of a window",
    check: ({ tally }) =>
      assertEquals(tally, { allowed: WINDOW_LIMIT, refused: ALL - WINDOW_LIMIT }),
  },
  {
    race: "reserveBackoff",
    why: "allows the free attempts of a backoff",
    check: ({ tally }) =>
      assertEquals(tally, { allowed: BACKOFF_FREE, refused: ALL - BACKOFF_FREE }),
  },
  {
    race: "reserveWithOthers",
    why: "allows the free attempts of a backoff while other keys are read",
    check: ({ tally }) =>
      assertEquals(tally, { allowed: BACKOFF_FREE, refused: ALL - BACKOFF_FREE }),
  },
  {
    race: "saveRing",
    why: "creates one ring of signing keys",
    once: true, // there is one ring
    async check({ tally, outcomes }, stores) {
      assertEquals(tally, { saved: 1, lost: ALL - 1 });
      const { keys } = await stores.keys.load() ?? {};
      assertEquals(keys, [keyOf(`${outcomes.indexOf("saved")}`)]);
    },
  },
  {
    race: "createUser",
    why: "gives an identifier to one user",
    async check({ tally, outcomes }, stores, prize) {
      assertEquals(tally, { created: 1, identifier_taken: ALL - 1 });
      const winner = `${prize} ${outcomes.indexOf("created")}`;
      assertEquals((await stores.users.findByIdentifier(prize))?.sub, winner);
      const subs = outcomes.map((_, racer) => `${prize} ${racer}`);
      const found = await Promise.all(subs.map((sub) => stores.users.findBySub(sub)));
      assertEquals(found.filter((user) => user !== null).map(({ sub }) => sub), [winner]);
    },
  },
  {
    race: "updateUser",
    why: "updates a user once per version",
    async prepare(stores, prize) {
      await stores.users.create(userOf(prize, `identifier of ${prize}`));
      return (await stores.users.findBySub(prize))?.version;
    },
    async check({ tally, outcomes }, stores, prize) {
      assertEquals(tally, { updated: 1, lost: ALL - 1 });
      const { securityStamp } = await stores.users.findBySub(prize) ?? {};
      assertEquals(securityStamp, `stamp ${outcomes.indexOf("updated")}`);
    },
  },
  {
    race: "saveEmail",
    why: "gives a verified address to one user",
    async prepare(stores, prize) {
      for (let racer = 0; racer < ALL; racer++) {
        await stores.users.create(userOf(`${prize} ${racer}`, `${racer} of ${prize}`));
      }
    },
    async check({ tally, outcomes }, stores, prize) {
      assertEquals(tally, { saved: 1, email_taken: ALL - 1 });
      const winner = `${prize} ${outcomes.indexOf("saved")}`;
      assertEquals((await stores.emails.findByEmail(prize))?.sub, winner);
    },
  },
  {
    race: "createSession",
    why: "gives an id to one session",
    async check({ tally, outcomes }, stores, prize) {
      const taken = "Cannot create session: its id or token is taken";
      assertEquals(tally, { created: 1, [taken]: ALL - 1 });
      const sessions = (await stores.sessions.list("u1")).filter(({ id }) => id === prize);
      assertEquals(sessions, [sessionOf(prize, `${prize} hash ${outcomes.indexOf("created")}`)]);
    },
  },
  {
    race: "touch",
    why: "records the use of a session once",
    prepare: (stores, prize) => stores.sessions.create(sessionOf(prize, `hash of ${prize}`)),
    async check({ tally }, stores, prize) {
      assertEquals(tally, { updated: 1, lost: ALL - 1 });
      const { activeAt } = await stores.sessions.findByTokenHash(`hash of ${prize}`) ?? {};
      assertEquals(activeAt, RACE_TIME + 60);
    },
  },
];

/** The races of users and their addresses. */
export const USER_RACES: readonly RaceCase[] = CASES.filter(({ race }) =>
  race === "createUser" || race === "updateUser" || race === "saveEmail"
);

/** The racers, and the stores for checks. */
export interface Course {
  readonly racers: Racers;
  readonly stores: AuthStores;
  /** Rounds of each race: the interleavings differ. */
  readonly rounds: number;
}

/** Runs every race, each as a step of a test. @param cases Other races than those of the stores. */
export async function runRaces(
  t: Deno.TestContext,
  course: Course,
  cases: readonly RaceCase[] = CASES,
): Promise<void> {
  for (const raceCase of cases) {
    await t.step(`${raceCase.race}: ${raceCase.why}`, () => runRace(raceCase, course));
  }
}

async function runRace(
  { race, once = false, prepare, check }: RaceCase,
  { racers, stores, rounds }: Course,
): Promise<void> {
  for (let round = 1; round <= (once ? 1 : rounds); round++) {
    const prize = `${race} ${round}`;
    const version = await prepare?.(stores, prize) ?? "";
    const outcomes = await racers.race(race, prize, version);
    const tally: Record<string, number> = {};
    for (const outcome of outcomes) tally[outcome] = (tally[outcome] ?? 0) + 1;
    await check({ tally, outcomes }, stores, prize);
  }
}
