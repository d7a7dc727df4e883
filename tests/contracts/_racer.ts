/**
 * One of several processes that race on one file. All of them create the table concurrently.
 *
 * ```sh
 * deno run _racer.ts <engine> <file>
 * ```
 *
 * @module
 */

import { type FileEngine, openRaceFile } from "./_race_files.ts";
import { raceFor } from "./_racers.ts";

async function main([engine = "", path = ""]: readonly string[]): Promise<void> {
  using file = await openRaceFile(engine as FileEngine, path);
  await file.prepare?.();
  await raceFor(file.stores);
}

if (import.meta.main) await main(Deno.args);
