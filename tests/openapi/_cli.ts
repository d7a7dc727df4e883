/**
 * Runs the command line on applications in temporary folders.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";

/** The command. */
export const GENERATE = ["http", "openapi", "generate"] as const;
/** The program. */
export const CLI: string = join(ROOT, "openapi/cli/main.ts");
const TIMEOUT_MS = 60_000;

/** What a run of the command left. */
export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Files of a folder, by their paths in it. */
export type Files = Readonly<Record<string, string>>;

/** The part of a document that tests read. */
export interface Written {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<
    Record<string, Record<string, { readonly security?: unknown; readonly responses: object }>>
  >;
  readonly components: { readonly securitySchemes?: Readonly<Record<string, unknown>> };
}

/** A folder with an application in it. */
export interface Project {
  /** Its path, without links. */
  readonly folder: string;
  /** Runs `gatehouse http openapi generate` in it, with these arguments. */
  readonly generate: (...args: readonly string[]) => Promise<CliRun>;
  /** The same with `--no-types`, which takes a tenth of the time. */
  readonly generateUntyped: (...args: readonly string[]) => Promise<CliRun>;
  /** Runs Deno in it; {@linkcode NO_ROUTER} is left out. */
  readonly deno: (...args: readonly string[]) => Promise<CliRun>;
  /** Writes a file, and the folders it is in. */
  readonly write: (path: string, text: string) => Promise<void>;
  /** Reads a file. */
  readonly read: (path: string) => Promise<string>;
  /** Reads a document. */
  readonly document: (path?: string) => Promise<Written>;
  /** All files, and what is in them. */
  readonly files: () => Promise<Files>;
}

/**
 * What the command may do. The checkout's configuration holds for it, and so for the applications that it imports: their
 * `@gatehouse/http` is the command's own.
 */
export const PERMISSIONS: readonly string[] = [
  "--no-prompt",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  `--allow-run=${Deno.execPath()}`,
];

/** Makes a folder with files while a test runs. */
export async function withProject(
  files: Files,
  test: (project: Project) => Promise<void>,
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "cli_" }));
  const write: Project["write"] = async (path, text) => {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  };
  const read: Project["read"] = (path) => Deno.readTextFile(join(folder, path));
  const deno: Project["deno"] = async (...args) => {
    const run = await runDeno(args, folder);
    return { ...run, stderr: run.stderr.replace(NO_ROUTER, "") };
  };
  try {
    for (const [path, text] of Object.entries(files)) await write(path, text);
    await test({
      folder,
      deno,
      write,
      read,
      generate: (...args) => deno("run", ...PERMISSIONS, CLI, ...GENERATE, ...args),
      generateUntyped: (...args) =>
        deno("run", ...PERMISSIONS, CLI, ...GENERATE, "--no-types", ...args),
      document: async (path = "openapi.json") => JSON.parse(await read(path)),
      files: async () => Object.fromEntries(await Array.fromAsync(readAll(folder))),
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs Deno in a folder. */
export async function runDeno(args: readonly string[], cwd: string): Promise<CliRun> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return {
    code,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr).replace(DOWNLOAD_REGEXP, ""),
  };
}

async function* readAll(folder: string, prefix = ""): AsyncIterable<[string, string]> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* readAll(path, `${prefix}${name}/`);
    else yield [prefix + name, await Deno.readTextFile(path)];
  }
}

/** Names what is in a folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).sort();
}

/** The note for applications without a router, as most are here. */
export const NO_ROUTER =
  "Note: no router is exported or registered under HTTP_ROUTER, so the document has no prefixes and guards\n";

/** What Deno prints the first time on a machine. */
const DOWNLOAD_REGEXP = /^Download .*\n/gm;

/** What applications import. */
export const IMPORTS: string = `import {
  Controller, createRouter, defaultContainer, Get, HTTP_ROUTER, HttpRouter, json, Post, routerBuilder,
} from "@gatehouse/http";
`;

/** A controller. */
export const NOTES: string = `@Controller("/notes")
export class NotesController {
  @Get()
  list(): Response { return json([]); }
  @Get("/:id")
  find(): Response { return json({}); }
}
`;

/** Another controller. */
export const TAGS: string = `@Controller("/tags")
export class TagsController {
  @Get()
  list(): Response { return json([]); }
}
`;

/** The info of an application. */
export const INFO: string = `
export const info = { title: "Notes", version: "1.2.3", description: "All notes" };
`;

/** An application without info. */
export const BARE: string = IMPORTS + NOTES;

/** A complete application. */
export const CONTROLLERS: string = BARE + INFO;

/** An application that exports its router, without info unless it is in the options. */
export function routedApp(options = ""): string {
  return `import { createRouter, json } from "@gatehouse/http";
export const router = createRouter({ ${options} }).get("/notes", () => json([]))
  .get("/notes/:id", () => json({}));
`;
}

/** The command's summary of the document. */
export const SUMMARY: string = "openapi.json (2 paths, 2 operations, 1 schemas)";

/** A router for {@linkcode NOTES}, with options. */
export function notesRouter(options: string): string {
  return registerRouter(`() => routerBuilder({ ${options} }).controllers(NotesController).build()`);
}

/** An application whose router is made by a factory. */
export function withRouter(factory: string): string {
  return IMPORTS + registerRouter(factory) + INFO;
}

function registerRouter(factory: string): string {
  return `defaultContainer.register(HTTP_ROUTER, { useFactory: ${factory} });\n`;
}
