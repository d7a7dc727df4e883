/**
 * The renderer of the documentation page: Swagger UI, from the package that the application has installed.
 *
 * @module
 */

/** The renderer's files, and their media types. */
export const RENDERER_FILES: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
};

/** The renderer is no dependency of this package: everybody would install its 12 MB. */
const PACKAGE = "swagger-ui-dist";

/**
 * Reads a file of the installed package. Deno imports it, which needs no permission.
 *
 * @throws {Error} If the package is not installed, or the host has no packages at run time.
 */
export async function readInstalled(name: string): Promise<string> {
  const specifier: string = `${PACKAGE}/${name}`; // not a literal, so that neither bundlers nor registries include it
  try {
    if (!("Deno" in globalThis)) return readResolved(specifier);
    return (await import(specifier, { with: { type: "text" } })).default;
  } catch (cause) {
    throw new Error(
      `Cannot serve the documentation page: ${PACKAGE} is not installed; see the option assets`,
      { cause },
    );
  }
}

/** What this module uses of Node and Bun. */
interface NodeProcess {
  cwd(): string;
  getBuiltinModule(name: "node:fs"): { readFileSync(path: string, encoding: "utf8"): string };
  getBuiltinModule(name: "node:module"): {
    createRequire(path: string): { resolve(specifier: string): string };
  };
}

/** Looks where this package is, then in the working directory: a package manager may hide what is no dependency. */
function readResolved(specifier: string): string {
  const { process } = globalThis as unknown as { readonly process: NodeProcess };
  const { createRequire } = process.getBuiltinModule("node:module");
  const { readFileSync } = process.getBuiltinModule("node:fs");
  try {
    return readFileSync(createRequire(import.meta.url).resolve(specifier), "utf8");
  } catch {
    return readFileSync(createRequire(`${process.cwd()}/`).resolve(specifier), "utf8");
  }
}
