/**
 * One of several processes that race on one engine.
 *
 * ```sh
 * deno run _racer.ts <client> <URL of the engine> <place>
 * ```
 *
 * @module
 */

import { authStores } from "../../auth/stores/repo.ts";
import { raceFor } from "../contracts/_racers.ts";
import { RACE_TIME } from "../contracts/_races.ts";
import { type Client, openAdapter } from "./_adapters.ts";

async function main([client = "", url = "", place = ""]: readonly string[]): Promise<void> {
  await using open = await openAdapter(client as Client, { url, place, now: () => RACE_TIME });
  await raceFor(authStores(open.adapter));
}

if (import.meta.main) await main(Deno.args);
