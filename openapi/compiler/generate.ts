/**
 * Generates a document from a file of controllers, and keeps it on disk.
 *
 * @module
 */

import { parse as parseJsonc } from "@std/jsonc";
import { dirname, fromFileUrl, join, resolve, toFileUrl } from "@std/path";
import { defaultContainer } from "../../router/container.ts";
import { HTTP_ROUTER } from "../../router/http_router.ts";
import type { OpenApiDocument, OpenApiInfo } from "../../router/openapi_types.ts";
import { defaultRegistry, type EndpointTarget } from "../../router/registry.ts";
import type { RouteSource } from "../../router/types.ts";
import { writeDocument } from "../_document.ts";
import { isObject } from "../_json_schema.ts";
import { readIfThere, writeWhole } from "../../static/native_write.ts";
import { isOwnModule, recordLocations } from "./_locations.ts";
import { readTypes, type TypedRoute } from "./_types.ts";

/** Options of {@linkcode generateFile}. */
export interface GenerateFileOptions {
  /** File that imports all decorated controllers. */
  readonly controllers: string;
  /** Where the document is written. */
  readonly output: string;
  /** Title of the API. @default what the router, the file's `info` or the nearest deno.json says */
  readonly title: string | undefined;
  /** Version of the API. @default as for the title */
  readonly version: string | undefined;
  /** Compare, and write nothing. */
  readonly check: boolean;
  /** Read schemas from TypeScript types, where nothing else describes a part of a route. */
  readonly types: boolean;
  /** Deno's configuration that imports are resolved by, to read types. @default what Deno finds by itself */
  readonly config: string | undefined;
}

/** What became of it. */
export type GenerateFileOutcome =
  & {
    /** What the user should know besides. */
    readonly notes: readonly string[];
  }
  & (
    | { readonly status: "written" | "unchanged" | "outdated"; readonly summary: string }
    | { readonly status: "failed"; readonly why: string }
  );

/** Says in one line why there is no document. */
class GenerateError extends Error {
  override readonly name = "GenerateError";
}

/** Generates the document of a file's controllers and writes it, unless it is there already. */
export async function generateFile(options: GenerateFileOptions): Promise<GenerateFileOutcome> {
  const notes: string[] = [];
  const output = resolve(options.output); // an application that is imported may change the folder
  try {
    if (output === fileOf(options.controllers)) {
      throw new GenerateError(`Cannot write ${options.output}: it is the file of the controllers`);
    }
    const document = await generate(options, notes);
    const text = JSON.stringify(document, null, 2) + "\n";
    const summary = `${options.output} (${counts(document)})`;
    const before = await attempt(`read ${options.output}`, () => readIfThere(output));
    if (isUnchanged(before, text)) {
      return { status: "unchanged", summary, notes };
    }
    if (options.check) return { status: "outdated", summary, notes };
    await attempt(`write ${options.output}`, () => writeWhole(output, [text]));
    return { status: "written", summary, notes };
  } catch (error) {
    if (!(error instanceof GenerateError)) throw error;
    return { status: "failed", why: error.message, notes };
  }
}

/** The document of the application's router if there is one, else of all controllers. */
async function generate(options: GenerateFileOptions, notes: string[]): Promise<OpenApiDocument> {
  const { controllers: path } = options;
  const file = fileOf(path);
  const config = options.config && resolve(options.config);
  if (options.types) recordLocations();
  const exported = await attempt(
    `import ${path}`,
    () => import(toFileUrl(file).href),
    placedMessageOf,
  );
  const targets = await attempt("read the controllers", () => defaultRegistry.getTargets());
  const router = await findRouter(exported);
  if (targets.length === 0 && router === undefined) {
    throw new GenerateError(
      `Cannot generate the document: ${path} leads to no class with @Controller; it has to import them all, and from ` +
        "the same version of this package as the command",
    );
  }
  if (router === undefined) {
    notes.push(
      `no router is exported or registered under ${HTTP_ROUTER}, so that prefixes and guards are not in the document`,
    );
  }
  const served = new Set(router === undefined ? [] : servedBy(router));
  for (const { name } of router === undefined ? [] : targets) {
    if (!served.has(name)) {
      notes.push(`${name} is not in the document, since no route of the router is its`);
    }
  }
  const info = await infoOf({ ...options, controllers: file }, router?.info, exported.info);
  const types = options.types
    ? await attempt(
      "read the types",
      () => readTypes(toFileUrl(file).href, typedRoutes(router, targets), config),
      (cause) => `${messageOf(cause)}; mend that, or give --no-types`,
    )
    : undefined;
  try {
    const document = writeDocument(info, router ?? defaultRegistry, types?.typesOf);
    notes.push(...types?.notes ?? []);
    return document;
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new GenerateError(messageOf(cause), { cause });
  }
}

function fileOf(path: string): string {
  return path.startsWith("file:") ? fromFileUrl(path) : resolve(path);
}

/** The router that a file exports, or the one that the application's container has. */
async function findRouter(
  { router, default: standard }: Readonly<Record<string, unknown>>,
): Promise<DocumentedRouter | undefined> {
  for (const one of [router, standard]) if (isRouter(one)) return one;
  if (!defaultContainer.has(HTTP_ROUTER)) return undefined;
  const found = await attempt(
    "build the router",
    () => defaultContainer.resolve<unknown>(HTTP_ROUTER),
    placedMessageOf,
  );
  if (isRouter(found)) return found;
  throw new GenerateError(
    `Cannot document the router: what is registered under ${HTTP_ROUTER} has no routes`,
  );
}

/** A router, as far as it is documented. */
type DocumentedRouter = RouteSource & { readonly info?: OpenApiInfo };

function isRouter(value: unknown): value is DocumentedRouter {
  return isObject(value) && Array.isArray(value.routes) && typeof value.openapi === "function";
}

/** What the flags say, then the router, then the file, then the configuration of the project. */
async function infoOf(
  { controllers, title, version }: GenerateFileOptions,
  ofRouter: OpenApiInfo | undefined,
  exported: unknown,
): Promise<OpenApiInfo> {
  const { title: ownTitle, version: ownVersion, ...info } = {
    ...(isObject(exported) ? exported : {}),
    ...ofRouter,
  } as Partial<OpenApiInfo>;
  return {
    ...info,
    title: title ?? ownTitle ?? await projectText(controllers, "name") ??
      unsaid("title", "--title"),
    version: version ?? ownVersion ?? await projectText(controllers, "version") ??
      unsaid("version", "--api-version"),
  };
}

function unsaid(name: string, flag: string): never {
  throw new GenerateError(
    `Cannot generate the document: nobody said its ${name}; give ${flag}, or export "info"`,
  );
}

/** Where a project says its name and version. Deno reads its own as JSON with comments. */
const PROJECT_FILES = ["deno.json", "deno.jsonc", "package.json"];

/** A text that the nearest configuration says that says it. */
async function projectText(
  path: string,
  name: "name" | "version",
): Promise<string | undefined> {
  for (let folder = dirname(path);; folder = dirname(folder)) {
    for (const file of PROJECT_FILES) {
      const config = await attempt(`read ${file}`, async () => {
        const text = await readIfThere(join(folder, file));
        return text === undefined ? undefined : parseJsonc(text);
      });
      const value = isObject(config) ? config[name] : undefined;
      if (typeof value === "string") return value;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/** What the document will be written of: the routes of the router and of those in it, else the controllers' methods. */
function typedRoutes(
  router: RouteSource | undefined,
  targets: readonly EndpointTarget[],
): readonly TypedRoute[] {
  if (router === undefined) {
    return targets.flatMap(({ name, target, methods }) =>
      methods.map((one) => ({ origin: { controller: name, method: one.name, target } }))
    );
  }
  return router.routes.flatMap((route) =>
    route.app === undefined ? route : typedRoutes(route.app, [])
  );
}

/** Names of the controllers whose methods are routes of a router, or of one that is mounted in it. */
function servedBy({ routes }: RouteSource): readonly string[] {
  return routes.flatMap(({ origin, app }) => [
    ...(origin === undefined ? [] : [origin.controller]),
    ...(app === undefined ? [] : servedBy(app)),
  ]);
}

/** Whether a file says the same, however it was formatted. */
function isUnchanged(before: string | undefined, after: string): boolean {
  if (before === undefined || before === after) return before === after;
  try {
    return JSON.stringify(JSON.parse(before)) === JSON.stringify(JSON.parse(after));
  } catch {
    return false; // what is there is no JSON
  }
}

function counts({ paths, components }: OpenApiDocument): string {
  const operations = Object.values(paths).reduce((sum, item) => sum + Object.keys(item).length, 0);
  const schemas = Object.keys(components.schemas ?? {}).length;
  return `${Object.keys(paths).length} paths, ${operations} operations, ${schemas} schemas`;
}

/** Runs a step. @throws {GenerateError} If it fails, with the step's name and what `describe` says of the error. */
async function attempt<T>(
  what: string,
  run: () => T | Promise<T>,
  describe: (cause: unknown) => string = messageOf,
): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw new GenerateError(`Cannot ${what}: ${describe(cause)}`, { cause });
  }
}

/** What an error of the application says, and in which file it went wrong. */
function placedMessageOf(cause: unknown): string {
  const message = messageOf(cause);
  const place = cause instanceof Error ? placeOf(cause) : undefined;
  return place === undefined || message.includes(place) ? message : `${message} (${place})`;
}

/** Where an error came out of the application: the first file of its stack that is none of ours. */
function placeOf({ stack = "" }: Error): string | undefined {
  return [...stack.matchAll(/\bfile:\/\/[^\s()]+:\d+:\d+/g)].map(([place]) => place)
    .find((place) => !isOwnModule(place));
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "object" ? "what was thrown is no error" : String(error);
}
