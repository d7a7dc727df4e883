/**
 * The shared cases of static mounts, which are stored next to the project, and their folder.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { runDeno } from "../openapi/_cli.ts";
import { NO_RIGHTS } from "./_tree.ts";

const SHARED = new URL("../../../shared/static/", import.meta.url);

/** A request and its expected response. */
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
  /** Whether a URL parser leaves the path unchanged. */
  readonly wire: "raw" | "fetch";
  readonly os: string;
  readonly modes: readonly string[];
  readonly body?: string;
  /** Other assertions, as text. */
  readonly check?: string;
  readonly needs?: string;
  readonly why: string;
}

/** A race or a leak, as text. */
export interface Procedure {
  readonly id: string;
}

/** The contents of `paths.json`. */
export interface SharedPaths {
  readonly cases: readonly PathCase[];
  readonly procedures: readonly Procedure[];
}

/** Reads a shared file; `undefined` if the folder is absent or unreadable. */
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

/** A folder that contains the fixture. */
export interface Fixture {
  /** Its path, without links. Everything outside `root` is secret. */
  readonly folder: string;
  /** The served folder. */
  readonly root: string;
  /** What this system or user could not create. */
  readonly missing: readonly string[];
}

/** Creates the fixture while a test runs. Links and devices require a process with more permissions than the test. */
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

/** The path of a script next to this module. */
export function scriptPath(name: string): string {
  return fromFileUrl(new URL(name, import.meta.url));
}
