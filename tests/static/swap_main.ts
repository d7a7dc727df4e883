/**
 * Exchanges files until its input ends: `deno run -A swap_main.ts <kind> <folder>` as fast as it can, and then prints how
 * often; with the argument `step`, once for each line.
 *
 * @module
 */

import { makeSwap } from "./_swaps.ts";

/** How long it runs before it checks whether its input has ended. */
const BURST_MS = 20;

const [kind = "", folder = "", how] = Deno.args;
const swap = makeSwap(kind, folder);
swap(0);
await say("ready");

let running = true;
let count = 0;
const reading = (async () => {
  const buffer = new Uint8Array(1);
  while (await Deno.stdin.read(buffer) !== null) {
    if (how !== "step") continue;
    swap(++count);
    await say("done");
  }
  running = false;
})();

while (running && how !== "step") {
  const pause = performance.now() + BURST_MS;
  while (performance.now() < pause) swap(++count);
  await new Promise((resolve) => setTimeout(resolve, 0));
}
await reading;
if (count % 2 === 1) swap(count + 1); // ends in the initial state
await say(String(count));
Deno.exit(0);

function say(text: string): Promise<number> {
  return Deno.stdout.write(new TextEncoder().encode(text + "\n"));
}
