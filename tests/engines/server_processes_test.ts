/** Four authorization servers on one engine, with fifty requests each: exactly one gets the tokens. */

import { fromFileUrl } from "@std/path";
import { authStores } from "../../auth/stores/repo.ts";
import { startRacers } from "../contracts/_racers.ts";
import { RACE_TIME } from "../contracts/_races.ts";
import { runServerRaces } from "../contracts/_server_race_cases.ts";
import { CLIENTS, openFreshAdapter } from "./_adapters.ts";
import { engineTest } from "./_engines.ts";

for (const { name, engine } of CLIENTS) {
  engineTest(
    engine,
    `AuthorizationServer in four processes over ${name} has one winner`,
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
      await runServerRaces(t, { racers, stores: authStores(open.adapter), rounds: 3 });
    },
  );
}
