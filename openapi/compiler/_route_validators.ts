/**
 * The types that validators are written from: of parts of routes that have a type and no validator of their own.
 *
 * @module
 */

import { rm } from "node:fs/promises";
import { readIfThere, targetOf, writeWhole } from "../../static/native_write.ts";
import { CONTENT_METHODS } from "../../router/content_type.ts";
import { joinPaths } from "../../router/path.ts";
import type { RouteInfo, RouteSource } from "../../router/types.ts";
import type { RequestPart, TypesOf } from "../_schema_sources.ts";
import { jsonSchemaOf } from "../_standard_schema.ts";
import { type ValidatedRoute, writeValidators } from "../validators/write_validators.ts";
import { attempt } from "./_generate_error.ts";

/** The routes of a router and of those that are mounted in it, under the keys by which it finds their validators. */
export function validatedRoutes(
  { routes }: RouteSource,
  typesOf: TypesOf,
  outer = "",
): readonly ValidatedRoute[] {
  return routes.flatMap((route): readonly ValidatedRoute[] => {
    const pattern = joinPaths(outer, route.pattern);
    if (route.app !== undefined) {
      return validatedRoutes(route.app, typesOf, pattern.slice(0, -"/*".length));
    }
    if (route.mounted) return [];
    const types = typesOf(route);
    return [{
      key: `${route.method} ${pattern}`,
      schemaOf(part) {
        const source = isOpen(route, part) ? types?.request(part, false) : undefined;
        return source && jsonSchemaOf(source, "input");
      },
    }];
  });
}

/** Whether nothing else checks a part. A form is read by its handler. */
function isOpen({ method, options }: RouteInfo, part: RequestPart): boolean {
  const { schema = {}, raw, multipart } = options;
  if (part === "body" && (raw || multipart || !CONTENT_METHODS.has(method))) return false;
  return schema[part] === undefined;
}

/** Whether there is no file. */
export async function isMissing(path: string): Promise<boolean> {
  return await attempt(`read ${path}`, () => readIfThere(path)) === undefined;
}

/** Runs a function with a module without validators where there is none, since the application imports it. */
export async function withModule<Result>(
  path: string,
  run: () => Promise<Result>,
): Promise<Result> {
  if (!await isMissing(path)) return await run();
  const target = await attempt(`write ${path}`, () => targetOf(path)); // the application may change the working directory while it is imported
  await attempt(`write ${path}`, () => writeWhole(target, [writeValidators([]).text]));
  try {
    return await run();
  } finally {
    await rm(target, { force: true });
  }
}
