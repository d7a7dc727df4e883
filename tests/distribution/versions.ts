/**
 * The one place that pins what `deno task test:distribution` downloads: programs that npx runs, and packages that are
 * installed into projects of the tests.
 *
 * @module
 */

import { BUN } from "../runtimes/versions.ts";

export { ESBUILD } from "../runtimes/versions.ts";

/** The names of {@linkcode PROGRAMS}. */
export type Program = "node22" | "node24" | "bun" | "pnpm";

/** Programs by the names that tests use, as npx knows them. */
export const PROGRAMS: Readonly<Record<Program, string>> = {
  node22: "node@22.23.3",
  node24: "node@24.9.0",
  bun: BUN,
  pnpm: "pnpm@10.34.8",
};

/** Adds packages of JSR to projects of every package manager. */
export const JSR = "jsr@0.14.3";

/** Checks a package's package.json beside its files. */
export const PUBLINT = "publint@0.3.25";

/** Checks how a package's types are found by each way of TypeScript's to look for them. */
export const ATTW = "@arethetypeswrong/cli@0.18.5";

/** Compilers, under names that let them be installed beside each other. */
export const COMPILERS = {
  typescript5: "npm:typescript@5.9.3",
  typescript6: "npm:typescript@6.0.3",
} as const;

/** What programs of the tests use themselves. */
export const LIBRARIES = {
  zod: "4.6.7",
  graphql: "17.1.0",
  "@types/node": "24.19.4",
} as const;
