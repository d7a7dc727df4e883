/**
 * Programs that use a client made of an OpenAPI document, as users of `openapi-typescript` and `openapi-fetch` write
 * them: in a folder with the types of the document.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { OPENAPI_TYPESCRIPT } from "./versions.ts";

/** A folder with programs. */
export interface Programs {
  /** Writes a program; it finds the types in `./api.ts`. */
  readonly write: (name: string, text: string) => Promise<void>;
  /** Checks the types of programs. Returns, for each, the lines that have an error. */
  readonly check: (names: readonly string[]) => Promise<ReadonlyMap<string, readonly number[]>>;
  /** Imports a program, without a look at its types. */
  readonly load: (name: string) => Promise<unknown>;
}

/** The part of `openapi-typescript` that is used here. */
interface OpenApiTypeScript {
  default(document: unknown, options: { defaultNonNullable: boolean }): Promise<unknown>;
  astToString(ast: unknown): string;
}

/** Makes a folder with the types of a document while a test runs. */
export async function withPrograms(
  document: unknown,
  test: (programs: Programs) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "client_" });
  const urlOf = (name: string) => toFileUrl(join(folder, name)).href;
  try {
    await Deno.writeTextFile(join(folder, "api.ts"), await typesOf(document));
    await test({
      write: (name, text) => Deno.writeTextFile(join(folder, name), text),
      check: async (names) => {
        const lines = await errorLines(["api.ts", ...names].map(urlOf));
        return new Map(names.map((name) => [name, lines.get(urlOf(name)) ?? []]));
      },
      load: (name) => import(urlOf(name)),
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function typesOf(document: unknown): Promise<string> {
  const { default: convert, astToString }: OpenApiTypeScript = await import(OPENAPI_TYPESCRIPT);
  // Otherwise requests would have to say what has a default
  return astToString(await convert(structuredClone(document), { defaultNonNullable: false }));
}

const ERROR_REGEXP = /^TS\d+ \[ERROR\]/m;
/** Where an error is; what it is related to is indented further. */
const PLACE_REGEXP = /^ {4}at (file:\S+):(\d+):\d+$/gm;

/** The lines with errors, by the URL of the module. @throws {Error} If nothing could be checked. */
async function errorLines(
  urls: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "check",
      `--config=${join(ROOT, "deno.json")}`,
      `--lock=${join(ROOT, "tests/peers/deno.lock")}`,
      ...urls,
    ],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const report = new TextDecoder().decode(stderr);
  if (success !== !ERROR_REGEXP.test(report)) throw new Error(`Cannot check types: ${report}`);
  const lines = new Map<string, number[]>();
  for (const [, url = "", line] of report.matchAll(PLACE_REGEXP)) {
    const found = lines.get(url) ?? [];
    lines.set(url, [...new Set([...found, Number(line)])]);
  }
  const elsewhere = [...lines.keys()].filter((url) => !urls.includes(url));
  if (elsewhere.length > 0) throw new Error(`Cannot check types of ${elsewhere}: ${report}`);
  return lines;
}
