/**
 * Writes `openapi/cli/_hello.ts`, by which `gatehouse new` has `examples/hello`: the published package has no examples.
 *
 * @module
 */

import { join } from "@std/path";
import { readConfig, ROOT } from "./_project.ts";

/** The module that is written, in the project. */
export const HELLO_MODULE = "openapi/cli/_hello.ts";

/** What is in the module. */
export function helloModule(): string {
  const { version, imports } = readConfig();
  const rangeOf = (name: string) => (imports[name] ?? "").replace(/^.*@/, "");
  const text = Deno.readTextFileSync(join(ROOT, "examples/hello/main.ts"));
  return `/**
 * \`examples/hello/main.ts\`, and versions of what it imports. Written by \`deno task hello\`.
 *
 * @module
 */

/** Versions: of this package itself, and ranges of others. */
export const VERSIONS: Readonly<Record<"gatehouse" | "assert" | "swaggerUi" | "zod", string>> = {
  gatehouse: ${JSON.stringify(version)},
  assert: ${JSON.stringify(rangeOf("@std/assert"))},
  swaggerUi: ${JSON.stringify(rangeOf("swagger-ui-dist"))},
  zod: ${JSON.stringify(rangeOf("zod"))},
};

/** The text of the example. */
export const HELLO: string = \`${text.replace(/[\\`]|\$(?=\{)/g, "\\$&")}\`;
`;
}

if (import.meta.main) await Deno.writeTextFile(join(ROOT, HELLO_MODULE), helloModule());
