import { assert, assertEquals } from "@std/assert";
import { assertWhole, kvFile } from "./_store_kv.ts";
import { startRacers } from "./_store_kv_processes.ts";
import { type Outcomes, type RaceName, racePlace, RACERS, RACES } from "./_store_kv_racer.ts";

const ALL = 4 * RACERS;

/** Races of 200 racers in four processes, and how each must end. */
const SOLE: readonly {
  readonly name: RaceName;
  readonly ends: Outcomes;
}[] = [
  { name: "cas", ends: { ok: 1, lost: ALL - 1 } },
  { name: "create", ends: { ok: 1, taken: ALL - 1 } },
  { name: "take", ends: { won: 1, null: ALL - 1 } },
  { name: "createUser", ends: { created: 1, identifier_taken: ALL - 1 } },
];

Deno.test("denoKvAdapter() has one winner of 200 racers in four processes on one file", async (t) => {
  await using file = await kvFile();
  using kv = await Deno.openKv(file.path);
  const place = racePlace(kv);
  await using racers = await startRacers(file.path);

  for (const { name, ends } of SOLE) {
    await t.step(name, async () => {
      for (const about of [`${name} 1`, `${name} 2`]) {
        await RACES[name].prepare?.(place, about);
        assertEquals(await racers.race(name, about), ends, about);
      }
    });
  }

  await t.step("create leaves one record, found by everything", async () => {
    const found = await place.adapter.list("races", 0, "create 1");
    assertEquals(found.length, 1);
    assertEquals(await place.adapter.find("races", "create 1"), found[0]);
  });

  await t.step("rotate", async () => {
    await RACES.rotate.prepare?.(place, "f1");
    const { rotated, reused = 0, revoked = 0, ...others } = await racers.race("rotate", "f1");
    assertEquals([rotated, reused + revoked, others], [1, ALL - 1, {}]);
    const family = await place.stores.refreshTokens.find("f1");
    assertEquals([family?.revoked, family?.generation], [true, 1]);
  });

  await t.step("add loses nothing and doubles nothing", async () => {
    await RACES.add.prepare?.(place, "sum");
    assertEquals(await racers.race("add", "sum"), { ok: ALL });
    assertEquals((await place.adapter.get("races", "sum"))?.value, ALL);
  });

  await t.step("put leaves one record, and nothing of any other", async () => {
    assertEquals(await racers.race("put", "p"), { ok: ALL });
    assertEquals(await assertWhole(kv, "puts"), 1);
  });
});

Deno.test("denoKvAdapter() writes nothing in part if its process is killed", async () => {
  await using file = await kvFile();
  {
    await using racers = await startRacers(file.path);
    await racers.killWhile("fill", "f");
  }
  using kv = await Deno.openKv(file.path);
  assert(await assertWhole(kv, "puts") > 0);
});
