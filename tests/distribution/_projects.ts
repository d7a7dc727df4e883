/**
 * Projects that install the package: each in a folder of its own, with caches of its own, so that nothing is found that was
 * not asked for.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { PACKAGE_VARIABLE, readTools } from "./_tools.ts";

/** What a program left. */
export interface ProgramResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder with a project in it. */
export interface Project extends AsyncDisposable {
  readonly folder: string;
  /** Variables that give each package manager an empty cache. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a program there. @throws {Error} If it fails. */
  run(program: string, ...args: readonly string[]): Promise<string>;
  /** The same, for programs that may fail. */
  attempt(program: string, ...args: readonly string[]): Promise<ProgramResult>;
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
}

/** Options of {@linkcode openProject}. */
export interface ProjectOptions {
  /** Files by their paths. */
  readonly files?: Readonly<Record<string, string>>;
  /** Registry of packages whose names start with `@jsr/`. */
  readonly jsr?: string;
  /** Registry of all packages. @default the machine's */
  readonly registry?: string;
  /** Further variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Use the machine's caches: where the package itself is not installed from a registry. @default {false} */
  readonly sharedCaches?: boolean;
}

/** How long a program may take: downloads are part of it. */
const TIMEOUT_MS = 240_000;

/** The archive of the package. */
export function readPackage(): Promise<Uint8Array<ArrayBuffer>> {
  return Deno.readFile(packagePath());
}

/** Where the archive of the package is. */
export function packagePath(): string {
  const path = Deno.env.get(PACKAGE_VARIABLE);
  if (path === undefined) throw new Error("Cannot test: start with deno task test:distribution");
  return path;
}

/** Makes a project that is gone when it is disposed of. */
export async function openProject(options: ProjectOptions = {}): Promise<Project> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "project_" }));
  const project = createProject(folder, {
    ...(options.sharedCaches ? pathWith(["bun", "pnpm"]) : cachesIn(join(folder, "caches"))),
    ...options.env,
  });
  await project.write("package.json", JSON.stringify({ type: "module", private: true }));
  const lines = [
    ...options.jsr === undefined ? [] : [`@jsr:registry=${options.jsr}`],
    ...options.registry === undefined ? [] : [`registry=${options.registry}`],
  ];
  if (lines.length > 0) await project.write(".npmrc", lines.join("\n") + "\n");
  for (const [path, text] of Object.entries(options.files ?? {})) await project.write(path, text);
  return project;
}

/** Runs a program to its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<ProgramResult> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(cwd !== undefined && { cwd }),
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

function createProject(parent: string, env: Readonly<Record<string, string>>): Project {
  const folder = join(parent, "app");
  const attempt: Project["attempt"] = (program, ...args) =>
    runProgram(program, args, { cwd: folder, env });
  return {
    folder,
    env,
    attempt,
    async run(program, ...args) {
      const { code, stdout, stderr } = await attempt(program, ...args);
      if (code === 0) return stdout;
      throw new Error(`${program} ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
    },
    async write(path, text) {
      const target = join(folder, path);
      await Deno.mkdir(dirname(target), { recursive: true });
      await Deno.writeTextFile(target, text);
    },
    read: (path) => Deno.readTextFile(join(folder, path)),
    [Symbol.asyncDispose]: () => Deno.remove(parent, { recursive: true }),
  };
}

/** A project that has the package from its archive, which needs no registry. */
export async function openInstalled(options: ProjectOptions = {}): Promise<Project> {
  const project = await openProject({ sharedCaches: true, ...options });
  try {
    await project.run("npm", "install", `@gatehouse/http@file:${packagePath()}`);
    return project;
  } catch (error) {
    await project[Symbol.asyncDispose]();
    throw error;
  }
}

/** Empty caches of every package manager, and a PATH that has those of the run. */
function cachesIn(folder: string): Record<string, string> {
  return {
    npm_config_cache: join(folder, "npm"),
    npm_config_store_dir: join(folder, "pnpm"),
    XDG_CACHE_HOME: join(folder, "cache"),
    XDG_DATA_HOME: join(folder, "data"),
    XDG_STATE_HOME: join(folder, "state"),
    BUN_INSTALL_CACHE_DIR: join(folder, "bun"),
    DENO_DIR: join(folder, "deno"),
    ...pathWith(["bun", "pnpm"]),
  };
}

/** A PATH in which programs of the run come first. */
export function pathWith(
  names: readonly ("bun" | "pnpm" | "node22" | "node24")[],
): { PATH: string } {
  const tools = readTools();
  const folders = names.flatMap((name) => {
    const path = tools[name];
    return path === undefined ? [] : [dirname(path)];
  });
  return { PATH: [...folders, Deno.env.get("PATH") ?? ""].join(":") };
}
