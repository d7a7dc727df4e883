/** Races of four processes with fifty callers each on one engine. */

import { fromFileUrl } from "@std/path";
import { authStores } from "../../auth/stores/repo.ts";
import { runRaces } from "../contracts/_race_cases.ts";
import { startRacers } from "../contracts/_racers.ts";
import { RACE_TIME } from "../contracts/_races.ts";
import { runServerRaces } from "../contracts/_server_race_cases.ts";
import { CLIENTS, openFreshAdapter } from "./_adapters.ts";
import { engineTest } from "./_engines.ts";

const RACES = [["authStores()", runRaces], ["AuthorizationServer", runServerRaces]] as const;

for (const { name, engine } of CLIENTS) {
  for (const [what, run] of RACES) {
    engineTest(
      engine,
      `${what} in four processes over ${name} has one winner in each race`,
      async (url, t) => {
        await using open = await openFreshAdapter(name, { url, now: () => RACE_TIME });
        await using racers = await startRacers([
          "--allow-env",
          "--allow-read",
          "--allow-sys",
          "--allow-net",
          `--lock=${fromFileUrl(import.meta.resolve("./deno.lock"))}`,
          import.meta.resolve("./_racer.ts"),
          ...[name, url, open.place],
        ]);
        await run(t, { racers, stores: authStores(open.adapter), rounds: 3 });
      },
    );
  }
}
