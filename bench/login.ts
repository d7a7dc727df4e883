/**
 * Prints how long others wait for their logins while one client attacks the sign-in.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { type LoginTimes, measureAttack } from "./_login_attack.ts";
import { table } from "./_table.ts";

const SECONDS = 20;

function row(who: string, { statuses, durations }: LoginTimes): string[] {
  const at = (share: number) =>
    `${Math.round(durations[Math.floor(share * (durations.length - 1))] ?? NaN)}`;
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  return [who, counts.join(", "), at(0.5), at(0.99)];
}

if (import.meta.main) {
  for (const connections of [0, 90]) {
    const { victim, known, neighbour } = await measureAttack({ seconds: SECONDS, connections });
    console.log(
      table([`${connections} connections of an attacker`, "statuses", "p50, ms", "p99, ms"], [
        row("unknown device, another address", victim),
        row("known device, another address", known),
        row("known device, the attacker's address", neighbour),
      ]) + "\n",
    );
  }
}
