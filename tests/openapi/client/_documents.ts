/**
 * Documents of clients, and checks of the programs that use them.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { ROOT } from "../../../dev/_project.ts";
import { writeClient } from "../../../openapi/client/write_client.ts";
import type { OpenApiDocument, SchemaObject } from "../../../router/openapi_types.ts";
import { runDeno } from "../_cli.ts";

/** Name of the declarations beside a module in JavaScript. */
const DECLARATIONS = "client.d.ts";

/** A document of schemas and paths. */
export function documentOf(
  schemas: Readonly<Record<string, SchemaObject>>,
  paths: Readonly<Record<string, Readonly<Record<string, object>>>> = {},
  title = "Test",
): OpenApiDocument {
  const complete = Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [
        method,
        { operationId: `${method} ${path}`, summary: "Summary", responses: {}, ...operation },
      ]),
    ),
  ]);
  return {
    openapi: "3.1.1",
    info: { title, version: "1.0.0" },
    servers: [],
    paths: Object.fromEntries(complete),
    components: { schemas },
  };
}

/** JSON content of a schema, as bodies and responses have it. */
export function jsonContent(schema: SchemaObject | undefined): object {
  return { content: { "application/json": schema === undefined ? {} : { schema } } };
}

/**
 * Checks the types of programs that import `./client.ts`, the client of a document, once as TypeScript and once as
 * JavaScript with declarations.
 *
 * @returns What the compiler finds; empty if it finds nothing.
 */
export async function checkPrograms(
  programs: readonly (readonly [document: OpenApiDocument, program: string])[],
): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "client_" });
  const mains: string[] = [];
  try {
    for (const [n, [document, program]] of programs.entries()) {
      const { typescript, javascript, declarations } = writeClient(document, DECLARATIONS);
      const files = {
        [`ts${n}/client.ts`]: typescript,
        [`ts${n}/main.ts`]: program,
        [`js${n}/client.js`]: javascript,
        [`js${n}/${DECLARATIONS}`]: declarations,
        [`js${n}/main.ts`]: program.replaceAll("./client.ts", "./client.js"),
      };
      for (const [path, text] of Object.entries(files)) {
        await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
        await Deno.writeTextFile(join(folder, path), text);
      }
      mains.push(`ts${n}/main.ts`, `js${n}/main.ts`);
    }
    const { compilerOptions } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
    await Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify({ compilerOptions }));
    const { code, stderr } = await runDeno(["check", "--quiet", ...mains], folder);
    return code === 0 ? "" : stderr;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Imports the client of a document in JavaScript. */
export async function loadClient(document: OpenApiDocument): Promise<{
  readonly createClient: (options: object) => (route: string, call?: object) => Promise<unknown>;
}> {
  const { javascript } = writeClient(document, DECLARATIONS);
  const url = URL.createObjectURL(new Blob([javascript], { type: "text/javascript" }));
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}
