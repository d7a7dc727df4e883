/**
 * The shared cases of static mounts, which stand beside the project and not in it, and the folder that they are for.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { runDeno } from "../openapi/_cli.ts";
import { NO_RIGHTS } from "./_tree.ts";

const SHARED = new URL("../../../shared/static/", import.meta.url);

/** A request and what it must be answered with. */
export interface PathCase {
  readonly id: string;
  readonly class: string;
  /** One character is one byte on the wire. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Statuses that are allowed. */
  readonly expect: readonly number[];
  /** The recommended one of them. */
  readonly prefer: number;
  /** Whether a URL parser leaves the path as it is. */
  readonly wire: "raw" | "fetch";
  readonly os: string;
  readonly modes: readonly string[];
  readonly body?: string;
  /** What else must hold, in words. */
  readonly check?: string;
  readonly needs?: string;
  readonly why: string;
}

/** A race or a leak, in words. */
export interface Procedure {
  readonly id: string;
}

/** What `paths.json` holds. */
export interface SharedPaths {
  readonly cases: readonly PathCase[];
  readonly procedures: readonly Procedure[];
}

/** Reads a shared file; `undefined` where the folder is absent or may not be read. */
export function readShared<T>(file: string): T | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(new URL(file, SHARED))) as T;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) {
      return undefined;
    }
    throw error;
  }
}

/** A folder with the fixture in it. */
export interface Fixture {
  /** Its path, without links. What is beside `root` in it is secret. */
  readonly folder: string;
  /** What is served. */
  readonly root: string;
  /** What this system or user could not make. */
  readonly missing: readonly string[];
}

/** Makes the fixture while a test runs. Links and devices take a process that may do more than the test. */
export async function withFixture(use: (fixture: Fixture) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "static_" }));
  try {
    const { code, stdout, stderr } = await runDeno(
      ["run", "-A", scriptPath("fixture_main.ts"), folder],
      folder,
    );
    if (code !== 0) throw new Error(`Cannot make the fixture: ${stderr}`);
    await use({ folder, root: join(folder, "root"), missing: JSON.parse(stdout) });
  } finally {
    for (const path of NO_RIGHTS) await Deno.chmod(join(folder, path), 0o755).catch(() => {});
    await Deno.remove(folder, { recursive: true });
  }
}

/** The path of a script beside this module. */
export function scriptPath(name: string): string {
  return fromFileUrl(new URL(name, import.meta.url));
}
