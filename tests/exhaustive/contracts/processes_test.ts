/** Four processes with fifty callers each race on one file: exactly one wins. */

import { join } from "@std/path";
import { confinedTo } from "../../contracts/_processes.ts";
import { runRaces } from "../../contracts/_race_cases.ts";
import { FILE_ENGINES, openRaceFile } from "../../contracts/_race_files.ts";
import { startRacers } from "../../contracts/_racers.ts";
import { runServerRaces } from "../../contracts/_server_race_cases.ts";

const RACES = [["authStores()", runRaces], ["AuthorizationServer", runServerRaces]] as const;

for (const engine of FILE_ENGINES) {
  for (const [what, run] of RACES) {
    Deno.test(`${what} in four processes over a file of ${engine} has one winner in each race`, async (t) => {
      const folder = await Deno.makeTempDir({ prefix: "races_" });
      try {
        const path = join(folder, "auth.sqlite");
        using file = await openRaceFile(engine, path);
        await using racers = await startRacers([
          ...confinedTo(folder),
          import.meta.resolve("../../contracts/_racer.ts"),
          ...[engine, path],
        ]);
        await run(t, { racers, stores: file.stores, rounds: 3 });
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    });
  }
}
