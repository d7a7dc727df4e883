/** Four authorization servers on one file, with fifty requests each: exactly one gets the tokens. */

import { join } from "@std/path";
import { confinedTo } from "../../contracts/_processes.ts";
import { FILE_ENGINES, openRaceFile } from "../../contracts/_race_files.ts";
import { startRacers } from "../../contracts/_racers.ts";
import { runServerRaces } from "../../contracts/_server_race_cases.ts";

for (const engine of FILE_ENGINES) {
  Deno.test(`AuthorizationServer in four processes over a file of ${engine} has one winner`, async (t) => {
    const folder = await Deno.makeTempDir({ prefix: "races_" });
    try {
      const path = join(folder, "auth.sqlite");
      using file = await openRaceFile(engine, path);
      await using racers = await startRacers([
        ...confinedTo(folder),
        import.meta.resolve("../../contracts/_racer.ts"),
        ...[engine, path],
      ]);
      await runServerRaces(t, { racers, stores: file.stores, rounds: 3 });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
