/**
 * Racing processes: one that exchanges files, and one that requests them.
 *
 * @module
 */

import { ALL, type LineProcess, reading, withProcess } from "./_servers.ts";
import { scriptPath } from "./_fixture.ts";
import type { Hammered } from "./hammer_main.ts";
import type { Held } from "./probe_main.ts";

/** Permissions of a serving process. */
export type Permission = "with all permissions" | "with permission to read the folder";

/** Both kinds; the checks of open files differ. */
export const PERMISSIONS: readonly Permission[] = [
  "with all permissions",
  "with permission to read the folder",
];

/** Deno's permissions. */
export function permissionsFor(permission: Permission, folder: string): readonly string[] {
  return permission === "with all permissions" ? ALL : reading(folder);
}

/** Whether links, FIFOs and `/proc` are available. */
export const IS_LINUX: boolean = Deno.build.os === "linux";

/** Creates a folder while `use` runs. */
export async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "race_" }));
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Exchanges files while `use` runs; returns how often. */
export async function whileSwapping(
  kind: string,
  folder: string,
  use: () => Promise<void>,
): Promise<number> {
  let count = "";
  await withProcess(
    ["run", "-A", scriptPath("swap_main.ts"), kind, folder],
    async ({ line, end }) => {
      await line();
      await use();
      await end();
      count = await line();
    },
  );
  return Number(count);
}

/** Exchanges files on command. */
export function withSteps(
  kind: string,
  folder: string,
  use: (step: () => Promise<void>) => Promise<void>,
): Promise<void> {
  return withProcess(
    ["run", "-A", scriptPath("swap_main.ts"), kind, folder, "step"],
    async ({ line, say }) => {
      await line();
      await use(async () => {
        await say("");
        await line();
      });
    },
  );
}

/** A request in a race. */
export interface HammerOptions {
  readonly permission: Permission;
  readonly root: string;
  readonly path: string;
  /** A method, or `cancel`. */
  readonly how: string;
  readonly ms: number;
}

/** Requests a mount in a separate process. Fails if it hangs. */
export async function hammer(
  { permission, root, path, how, ms }: HammerOptions,
  use: (hammered: Hammered) => Promise<void> | void,
): Promise<void> {
  const script = scriptPath("hammer_main.ts");
  await withProcess(
    ["run", ...permissionsFor(permission, root), script, root, path, String(ms), how],
    async ({ line }) => use(JSON.parse(await line()) as Hammered),
  );
}

/** Inspects processes while `use` runs. */
export function withProbe(
  use: (look: (pid: number, folder: string) => Promise<Held>) => Promise<void>,
): Promise<void> {
  return withProcess(
    ["run", "-A", scriptPath("probe_main.ts")],
    ({ line, say }: LineProcess) =>
      use(async (pid, folder) => {
        await say(`${pid} ${folder}`);
        return JSON.parse(await line()) as Held;
      }),
  );
}
