/**
 * A process that races with others on one file of Deno KV. Argument: the file. It says `ready`, and then, for each line it
 * reads, which is a race and the name of what it is about, starts fifty racers and says how many came to which end, as JSON.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- it talks to the test by its output

import { type DenoKvAdapter, denoKvAdapter } from "../../auth/store_kv.ts";
import { authStores } from "../../auth/store_repo.ts";
import type { AuthStores } from "../../auth/store_types.ts";
import { newFamily, rotation, START } from "../contracts/_refresh_families.ts";

/** How many racers a process starts. */
export const RACERS = 50;

/** Which race. */
export type RaceName = "add" | "cas" | "create" | "createUser" | "fill" | "put" | "rotate" | "take";

/** What there is before a race, and what each racer does. */
export interface Race {
  prepare?(place: RacePlace, about: string): Promise<unknown>;
  start(place: RacePlace, about: string, racer: string): Promise<string>;
}

/** Where a race is. */
export interface RacePlace {
  readonly adapter: DenoKvAdapter;
  readonly stores: AuthStores;
}

/** How many racers came to which end. */
export type Outcomes = Readonly<Record<string, number>>;

/** The races. */
export const RACES: Readonly<Record<RaceName, Race>> = {
  cas: {
    async prepare({ adapter }, about) {
      await adapter.put("races", about, { value: "start" });
      await adapter.put("versions", about, {
        value: (await adapter.get("races", about))?.version,
      });
    },
    async start({ adapter }, about, racer) {
      const version = `${(await adapter.get("versions", about))?.value}`;
      const next = { value: racer, unique: about, index: [about, racer] } as const;
      return (await adapter.atomic.cas("races", about, version, next)).status;
    },
  },
  create: {
    async start({ adapter }, about, racer) {
      const record = { value: racer, unique: about, index: [about] } as const;
      return (await adapter.atomic.cas("races", `${about} ${racer}`, null, record)).status;
    },
  },
  take: {
    prepare: ({ adapter }, about) => adapter.put("races", about, { value: "won" }),
    start: async ({ adapter }, about) => `${await adapter.atomic.take("races", about)}`,
  },
  add: {
    prepare: ({ adapter }, about) => adapter.put("races", about, { value: 0 }),
    async start({ adapter }, about) {
      for (;;) {
        const found = await adapter.get("races", about);
        const next = { value: Number(found?.value) + 1 };
        const { status } = await adapter.atomic.cas("races", about, found?.version ?? null, next);
        if (status === "ok") return status;
      }
    },
  },
  put: {
    async start({ adapter }, about, racer) {
      const record = { value: racer, unique: racer, index: [racer, about] } as const;
      await adapter.put("puts", about, record);
      return "ok";
    },
  },
  fill: {
    async start({ adapter }, about, racer) {
      for (let round = 0; round < 1_000; round++) {
        const unique = `${racer} ${round}`;
        const record = { value: round, unique, index: [about, unique] } as const;
        await adapter.put("puts", `${racer} ${round % 3}`, record);
        if (round % 5 === 0) await adapter.delete("puts", `${racer} ${round % 2}`);
      }
      return "ok";
    },
  },
  rotate: {
    prepare: ({ stores }, about) => stores.refreshTokens.create(newFamily(about)),
    start: ({ stores }, about, racer) =>
      stores.refreshTokens.rotate(rotation({ familyId: about, toHash: racer })),
  },
  createUser: {
    start: ({ stores }, about, racer) =>
      stores.users.create({
        sub: `${about} ${racer}`,
        identifier: about,
        securityStamp: "s",
        createdAt: START,
      }),
  },
};

/** Opens a place on a database. */
export function racePlace(kv: Deno.Kv): RacePlace {
  const adapter = denoKvAdapter(kv, { now: () => START });
  return { adapter, stores: authStores(adapter) };
}

async function run(place: RacePlace, line: string): Promise<Outcomes> {
  const [name, about] = JSON.parse(line) as [RaceName, string];
  const race = RACES[name];
  const outcomes: Record<string, number> = {};
  await Promise.all(Array.from({ length: RACERS }, async (_, racer) => {
    const outcome = await race.start(place, about, `${Deno.pid} ${racer}`).catch(String);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }));
  return outcomes;
}

async function main([path]: readonly string[]): Promise<void> {
  using kv = await Deno.openKv(path);
  const place = racePlace(kv);
  console.log("ready");
  const decoder = new TextDecoder();
  for await (const bytes of Deno.stdin.readable) {
    console.log(JSON.stringify(await run(place, decoder.decode(bytes))));
  }
}

if (import.meta.main) await main(Deno.args);
