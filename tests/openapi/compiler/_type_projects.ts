/**
 * Applications whose types are read, with and without a configuration of their own.
 *
 * @module
 */

import type { SchemaObject } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { readConfig, ROOT } from "../../../dev/_project.ts";
import {
  CLI,
  type CliRun,
  type Files,
  GENERATE,
  namesIn,
  PERMISSIONS,
  type Project,
  runDeno,
  withProject,
} from "../_cli.ts";
import { sharedGenerate, withTypedProject } from "./_process.ts";

/** The response that each route of a document describes, and before `=>` the body that it takes. */
export type RouteTexts = Readonly<Record<string, string>>;

/** Result of a run, and the documentation of routes: `{ "GET /a": "A { a: 1 }" }`. */
export interface TypeRun extends CliRun {
  readonly routes: RouteTexts;
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema?: SchemaObject }>>;
}

interface TypedDocument {
  readonly paths: Readonly<
    Record<
      string,
      Record<string, {
        readonly requestBody?: Body;
        readonly responses: Readonly<Record<string, Body>>;
      }>
    >
  >;
  readonly components: { readonly schemas?: Readonly<Record<string, SchemaObject>> };
}

/** An application with a router. @param routes What GET /<name> sends: types. */
export function typedApp(head: string, routes: RouteTexts): string {
  const adding = Object.entries(routes).map(([name, type]) =>
    `router.get("/${name}", () => json({} as ${type}));\n`
  );
  return `${head}
import { createRouter, json } from "@gatehouse/http";
export const router = createRouter();
${adding.join("")}export const info = { title: "Typed", version: "1" };
`;
}

/** Generates the document of `main.ts`, and returns the documentation of each route. */
export async function typedRoutes(
  files: Files,
  more: (project: Project) => Promise<unknown> = () => Promise.resolve(),
  args: readonly string[] = [],
): Promise<TypeRun> {
  let run: TypeRun | undefined;
  await withTypedProject(files, async (project) => {
    await more(project);
    run = await typeRun(project, await project.generate("--controllers", "main.ts", ...args));
  });
  return found(run);
}

/** An application's own configuration. */
export interface OwnConfig {
  readonly [name: string]: unknown;
  readonly imports?: Readonly<Record<string, string>>;
}

/** What is special about an application's folder. */
export interface OwnProject {
  /** Name of its configuration; none if it is to have none. @default {"deno.json"} */
  readonly config?: string;
  /** What is done before the command is run. */
  readonly more?: (project: Project) => Promise<unknown>;
  /** What the command is given by Deno. */
  readonly flags?: readonly string[];
  /** Arguments of the command. */
  readonly args?: readonly string[];
  /** The file that runs the command. @default {"cli.ts"} */
  readonly cli?: string;
  /** Whether the shared process runs the command, with the configuration as `--config`. @default {false} */
  readonly shared?: boolean;
}

/** Generates the document of `main.ts` in a folder whose own configuration holds. */
export async function ownTypedRoutes(
  config: OwnConfig,
  files: Files,
  options: OwnProject = {},
): Promise<TypeRun> {
  const { more, flags = PERMISSIONS, args = [], cli = "cli.ts", config: name = "deno.json" } =
    options;
  const { shared = false } = options;
  let run: TypeRun | undefined;
  const own = {
    [name]: JSON.stringify({ ...config, imports: { ...await imports(), ...config.imports } }),
    // The versions that are there already: nothing is downloaded
    "deno.lock": await Deno.readTextFile(join(ROOT, "deno.lock")),
    [cli]: RUN_CLI,
  };
  await withProject({ ...own, ...files }, async (project) => {
    await more?.(project);
    if (shared) {
      const generate = sharedGenerate(project);
      const done = await generate("--controllers", "main.ts", "--config", name, ...args);
      run = await typeRun(project, done);
      return;
    }
    const command = [...GENERATE, "--controllers", "main.ts", ...args];
    const done = await project.deno(
      "run",
      "--cached-only",
      ...flags,
      cli,
      ...command,
    );
    run = await typeRun(project, done);
  });
  return found(run);
}

/** Asserts the documentation of each route, and that there are no notes. */
export function assertRoutes({ code, stderr, routes }: TypeRun, expected: RouteTexts): void {
  assertEquals({ code, stderr, routes }, { code: 0, stderr: "", routes: expected });
}

/** Files that each export a router: what each is, its text, and its routes. */
export interface MountedGroup {
  readonly cases: readonly (readonly [how: string, text: string, expected: RouteTexts])[];
  /** The path of a file. @default the group's name and the case's number */
  readonly fileOf?: (how: string) => string;
}

/**
 * Reads files that each export a router in one program.
 *
 * @returns Asserts the documentation of the files of a group.
 */
export function mountAll(
  groups: Readonly<Record<string, MountedGroup>>,
): (group: string) => Promise<void> {
  const all = Object.entries(groups).flatMap(([group, { cases, fileOf }]) =>
    cases.map(([how, text, expected], i) => {
      const name = `${group}${i}`;
      return { group, how, name, path: fileOf?.(how) ?? `${name}.ts`, text, expected };
    })
  );
  const mounts = all.map(({ name, path }) => {
    const url = `./${path.split("/").map(encodeURIComponent).join("/")}`;
    return `router.mount("/${name}", (await import(${JSON.stringify(url)})).router);\n`;
  });
  const main = `import { createRouter } from "@gatehouse/http";
export const router = createRouter();
${mounts.join("")}export const info = { title: "Typed", version: "1" };
`;
  const files = Object.fromEntries(all.map(({ path, text }) => [path, text]));
  let run: Promise<TypeRun> | undefined;
  return async (group) => {
    const { code, stderr, routes } = await (run ??= typedRoutes({ ...files, "main.ts": main }));
    assertEquals([code, stderr], [0, ""]);
    const wanted = all.filter((one) => one.group === group);
    const found = wanted.map(({ how, name }) => {
      const own = Object.entries(routes).flatMap(([route, text]) => {
        const [, method, prefix, rest] = /^(\w+) \/(\w+)(\/.*)$/.exec(route) ?? [];
        return prefix === name ? [[`${method} ${rest}`, text]] : [];
      });
      return [how, Object.fromEntries(own)];
    });
    assertEquals(found, wanted.map(({ how, expected }) => [how, expected]));
  };
}

/** A main module which runs the command: its configuration is the one that Deno takes. */
const RUN_CLI = `import process from "node:process";
import { runCli } from ${JSON.stringify(toFileUrl(CLI).href)};
process.exitCode = await runCli(process.argv.slice(2), {
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
});
`;

/** What the checkout's files import. */
async function imports(): Promise<Readonly<Record<string, string>>> {
  const { hono = "", "@needle-di/core": container = "" } = readConfig().imports;
  const urlOf = (path: string): string => toFileUrl(join(ROOT, path)).href;
  const standIns = (await namesIn(join(ROOT, "dev/std"))).map((name) =>
    [`@std/${name}`, urlOf(`dev/std/${name}/mod.ts`)] as const
  );
  return {
    hono,
    "@needle-di/core": container,
    ...Object.fromEntries(standIns),
    "@gatehouse/http": urlOf("mod.ts"),
  };
}

/** Copies npm packages into a project's `node_modules`, from where Deno has them. */
export async function copyPackages({ deno }: Project, names: readonly string[]): Promise<void> {
  const { stdout } = await runDeno(["info", "--json", "openapi/compiler/_types.ts"], ROOT);
  const { npmPackages }: {
    npmPackages: Readonly<
      Record<string, { readonly name: string; readonly localPath: string }>
    >;
  } = JSON.parse(stdout);
  const copies = Object.values(npmPackages).filter(({ name }) => names.includes(name))
    .map(({ name, localPath }) => [localPath, `node_modules/${name}`]);
  assertEquals(copies.length, names.length);
  const script = `import { cpSync } from "node:fs";
    for (const [from, to] of ${JSON.stringify(copies)}) cpSync(from, to, { recursive: true });`;
  const { code, stderr } = await deno("eval", "--no-config", script);
  assertEquals([code, stderr], [0, ""]);
}

function found(run: TypeRun | undefined): TypeRun {
  if (run === undefined) throw new Error("The command was not run");
  return run;
}

/** The documentation of each route after a run. */
export async function typeRun({ read }: Project, run: CliRun): Promise<TypeRun> {
  if (run.code !== 0) return { ...run, routes: {} };
  const { paths, components }: TypedDocument = JSON.parse(await read("openapi.json"));
  const text = (body: Body | undefined): string =>
    schemaText(body?.content?.["application/json"]?.schema, components.schemas ?? {});
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { requestBody, responses }]) => [
      `${method.toUpperCase()} ${path}`,
      requestBody === undefined
        ? text(responses[200])
        : `${text(requestBody)} => ${text(responses[200])}`,
    ])
  );
  return { ...run, routes: Object.fromEntries(routes) };
}

/** A schema as a type is written; names of components precede their definitions. */
function schemaText(
  schema: SchemaObject | undefined,
  components: Readonly<Record<string, SchemaObject>>,
  outer: readonly string[] = [],
): string {
  if (schema === undefined) return "nothing";
  const inner = (one: SchemaObject): string => schemaText(one, components, outer);
  const { $ref, properties, items, anyOf, enum: values, const: value, required = [], type } =
    schema as SchemaParts;
  if ($ref !== undefined) {
    const name = $ref.slice("#/components/schemas/".length);
    const known = outer.includes(name)
      ? ""
      : schemaText(components[name], components, [...outer, name]);
    return `${name} ${known}`.trim();
  }
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, one]) =>
      `${name}${required.includes(name) ? "" : "?"}: ${inner(one)}`
    );
    return `{ ${members.join(", ")} }`;
  }
  if (items !== undefined) return `${inner(items)}[]`;
  if (anyOf !== undefined) return anyOf.map(inner).join(" | ");
  if (values !== undefined) return values.map((one) => JSON.stringify(one)).join(" | ");
  if (value !== undefined) return JSON.stringify(value);
  return type === undefined ? JSON.stringify(schema) : [type].flat().join(" | ");
}

/** The keywords that are read here. */
interface SchemaParts {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly items?: SchemaObject;
  readonly anyOf?: readonly SchemaObject[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly type?: string | readonly string[];
}
