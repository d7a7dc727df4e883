/**
 * Generates a document from a file of controllers and writes it to disk.
 *
 * @module
 */

import { fromFileUrl, resolve, toFileUrl } from "@std/path";
import { defaultContainer } from "../../router/builder/container.ts";
import { HTTP_ROUTER } from "../../router/builder/http_router.ts";
import type { OpenApiDocument, OpenApiInfo } from "../../router/openapi_types.ts";
import { defaultRegistry, type EndpointTarget } from "../../router/builder/registry.ts";
import type { RouteSource } from "../../router/types.ts";
import { writeDocument } from "../_document.ts";
import { isObject } from "../_json_schema.ts";
import { type ValidatorsModule, writeValidators } from "../validators/write_validators.ts";
import { attempt, GenerateError, locatedMessage, messageOf } from "./_generate_error.ts";
import { recordLocations } from "./_locations.ts";
import { type FilesOutcome, type GeneratedFiles, writeFiles } from "./_output_files.ts";
import { infoOf } from "./_project_info.ts";
import { isMissing, validatedRoutes, withModule } from "./_route_validators.ts";
import { readTypes, type TypedRoute } from "./_types.ts";

export { GenerateError };
export type { GeneratedFiles };

/** Options of {@linkcode generateFiles}. */
export interface GenerateFilesOptions {
  /** File that imports all decorated controllers. */
  readonly controllers: string;
  /** Path of the first file. */
  readonly output: string;
  /** Makes the files of a document. */
  readonly render: (document: OpenApiDocument, output: string) => GeneratedFiles;
  /** Path of the module of validators; `undefined` for none. */
  readonly validators: string | undefined;
  /** Title of the API. @default that of the router, of the file's `info`, or the name in the nearest deno.json */
  readonly title: string | undefined;
  /** Version of the API. @default that of the router, of the file's `info`, or of the nearest deno.json */
  readonly version: string | undefined;
  /** Compare only; write nothing. */
  readonly check: boolean;
  /** Read schemas from TypeScript types where nothing else describes a part of a route. */
  readonly types: boolean;
  /** Deno's configuration file for resolving imports when types are read. @default the one that Deno finds */
  readonly config: string | undefined;
}

/** Outcome of {@linkcode generateFiles}. */
export type GenerateFilesOutcome =
  & {
    /** Warnings for the user. */
    readonly notes: readonly string[];
  }
  & (
    | { readonly status: "done"; readonly outcomes: readonly FilesOutcome[] }
    | { readonly status: "failed"; readonly why: string }
  );

/** Generates the document of a file's controllers and writes files made of it, unless they are unchanged. */
export async function generateFiles(options: GenerateFilesOptions): Promise<GenerateFilesOutcome> {
  const { output, validators, check } = options;
  const notes: string[] = [];
  const folder = resolve("."); // the application may change the working directory while it is imported
  try {
    checkPaths(options);
    if (check && validators !== undefined && await isMissing(validators)) {
      const outcome = { status: "outdated", summary: `${validators} (missing)` } as const;
      return { status: "done", outcomes: [outcome], notes };
    }
    const run = () => generate(options, notes);
    const { document, module } =
      await (validators === undefined ? run() : withModule(validators, run));
    const outcomes = [await writeFiles(options.render(document, output), folder, check)];
    if (validators !== undefined && module !== undefined) {
      const files = [{ path: validators, text: module.text }];
      const summary = `validators of ${module.routes} routes`;
      outcomes.push(await writeFiles({ files, summary }, folder, check));
    }
    return { status: "done", outcomes, notes };
  } catch (error) {
    if (!(error instanceof GenerateError)) throw error;
    return { status: "failed", why: error.message, notes };
  }
}

/** @throws {GenerateError} If a file would replace another one, or validators have no types to be written from. */
function checkPaths({ controllers, output, validators, types }: GenerateFilesOptions): void {
  const source = fileOf(controllers);
  for (const path of [output, ...(validators === undefined ? [] : [validators])]) {
    if (resolve(path) === source) {
      throw new GenerateError(`Cannot write ${path}: it is the controllers file`);
    }
  }
  if (validators === undefined) return;
  if (resolve(output) === resolve(validators)) {
    throw new GenerateError(`Cannot write ${output}: it is the file of validators`);
  }
  if (!types) {
    throw new GenerateError(`Cannot write ${validators}: validators need types; omit --no-types`);
  }
}

/** The document of the application's router if there is one, otherwise of all controllers; and its validators, if they are wanted. */
async function generate(
  options: GenerateFilesOptions,
  notes: string[],
): Promise<{ readonly document: OpenApiDocument; readonly module: ValidatorsModule | undefined }> {
  const { controllers: path } = options;
  const file = fileOf(path);
  const config = options.config && resolve(options.config);
  if (options.types) recordLocations();
  const exported = await attempt(
    `import ${path}`,
    () => import(toFileUrl(file).href),
    locatedMessage,
  );
  const targets = await attempt("read the controllers", () => defaultRegistry.getTargets());
  const router = await findRouter(exported);
  if (targets.length === 0 && router === undefined) {
    throw new GenerateError(
      `Cannot generate the document: ${path} imports no class with @Controller; it must import all of them, with the ` +
        "same version of this package as the command",
    );
  }
  if (router === undefined && options.validators !== undefined) {
    throw new GenerateError( // validators are found by the full paths of a router
      `Cannot write validators: no router is exported or registered under ${HTTP_ROUTER}`,
    );
  }
  if (router === undefined) {
    notes.push(
      `no router is exported or registered under ${HTTP_ROUTER}, so the document has no prefixes and guards`,
    );
  }
  const served = new Set(router === undefined ? [] : controllersOf(router));
  for (const { name } of router === undefined ? [] : targets) {
    if (!served.has(name)) {
      notes.push(`${name} is not in the document, because the router has none of its routes`);
    }
  }
  const info = await infoOf({ ...options, controllers: file }, router?.info, exported.info);
  const types = options.types
    ? await attempt(
      "read the types",
      () => readTypes(toFileUrl(file).href, documentedRoutes(router, targets), config),
      (cause) => `${messageOf(cause)}; fix it, or pass --no-types`,
    )
    : undefined;
  try {
    const document = writeDocument(info, router ?? defaultRegistry, types?.typesOf);
    const module = options.validators === undefined || types === undefined || router === undefined
      ? undefined
      : writeValidators(validatedRoutes(router, types.typesOf));
    notes.push(...types?.notes ?? []);
    return { document, module };
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new GenerateError(messageOf(cause), { cause });
  }
}

function fileOf(path: string): string {
  return path.startsWith("file:") ? fromFileUrl(path) : resolve(path);
}

/** The router that the file exports, or the one registered in the application's container. */
async function findRouter(
  { router, default: standard }: Readonly<Record<string, unknown>>,
): Promise<DocumentedRouter | undefined> {
  for (const one of [router, standard]) if (isRouter(one)) return one;
  if (!defaultContainer.has(HTTP_ROUTER)) return undefined;
  const found = await attempt(
    "build the router",
    () => defaultContainer.resolve<unknown>(HTTP_ROUTER),
    locatedMessage,
  );
  if (isRouter(found)) return found;
  throw new GenerateError(
    `Cannot document the router: the value registered under ${HTTP_ROUTER} has no routes`,
  );
}

/** The documented part of a router. */
type DocumentedRouter = RouteSource & { readonly info?: OpenApiInfo };

function isRouter(value: unknown): value is DocumentedRouter {
  return isObject(value) && Array.isArray(value.routes) && typeof value.fetch === "function";
}

/** The documented routes: those of the router and of routers mounted in it, otherwise the controllers' methods. */
function documentedRoutes(
  router: RouteSource | undefined,
  targets: readonly EndpointTarget[],
): readonly TypedRoute[] {
  if (router === undefined) {
    return targets.flatMap(({ name, target, methods }) =>
      methods.map((one) => ({ origin: { controller: name, method: one.name, target } }))
    );
  }
  return router.routes.flatMap((route) =>
    route.app === undefined ? route : documentedRoutes(route.app, [])
  );
}

/** Names of the controllers whose methods are routes of a router or of one mounted in it. */
function controllersOf({ routes }: RouteSource): readonly string[] {
  return routes.flatMap(({ origin, app }) => [
    ...(origin === undefined ? [] : [origin.controller]),
    ...(app === undefined ? [] : controllersOf(app)),
  ]);
}
