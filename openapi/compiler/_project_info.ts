/**
 * The info of a document: title and version of an API may be those of its project.
 *
 * @module
 */

import { parse as parseJsonc } from "@std/jsonc";
import { dirname, join } from "@std/path";
import type { OpenApiInfo } from "../../router/openapi_types.ts";
import { readIfThere } from "../../static/native_write.ts";
import { isObject } from "../_json_schema.ts";
import { attempt, GenerateError } from "./_generate_error.ts";

/** What the command's flags say, and where the project is looked for. */
interface InfoOptions {
  /** Path of the file of controllers. */
  readonly controllers: string;
  readonly title: string | undefined;
  readonly version: string | undefined;
}

/** Title, version and other information: from the flags, the router, the file, then the project's configuration. */
export async function infoOf(
  { controllers, title, version }: InfoOptions,
  routerInfo: OpenApiInfo | undefined,
  exported: unknown,
): Promise<OpenApiInfo> {
  const { title: ownTitle, version: ownVersion, ...info } = {
    ...(isObject(exported) ? exported : {}),
    ...routerInfo,
  } as Partial<OpenApiInfo>;
  return {
    ...info,
    title: title ?? ownTitle ?? await projectField(controllers, "name") ??
      missing("title", "--title"),
    version: version ?? ownVersion ?? await projectField(controllers, "version") ??
      missing("version", "--api-version"),
  };
}

function missing(name: string, flag: string): never {
  throw new GenerateError(
    `Cannot generate the document: missing ${name}; pass ${flag} or export info`,
  );
}

/** Files with the name and version of a project. Deno's may contain comments. */
const PROJECT_FILES = ["deno.json", "deno.jsonc", "package.json"];

/** A string from the nearest configuration that has it. */
async function projectField(
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
