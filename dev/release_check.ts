/**
 * Checks that a tag, `deno.json` and the changelog name one version: `dev/release_check.ts v0.2.0`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import { readConfig, ROOT } from "./_project.ts";

/** What a release consists of. */
export interface Release {
  /** `version` in `deno.json`. */
  readonly version: string;
  /** Text of the changelog. */
  readonly changelog: string;
  /** The tag; absent between releases. */
  readonly tag?: string | undefined;
}

/** The newest version in the changelog, with its date: `## 0.2.0 (2026-12-01)`, or `(unreleased)`. */
const HEADING_REGEXP = /^## (\d+\.\d+\.\d+(?:-[\w.]+)?) \((unreleased|\d{4}-\d{2}-\d{2})\)$/m;

/** Why it cannot be released, or why the project is in no state between releases; `undefined` if all is well. */
export function findReleaseProblem({ version, changelog, tag }: Release): string | undefined {
  const [, newest, date] = HEADING_REGEXP.exec(changelog) ?? [];
  if (newest === undefined) return "CHANGELOG.md has no heading of a version";
  if (newest !== version) return `deno.json has version ${version}, and CHANGELOG.md ${newest}`;
  if (tag === undefined) return undefined;
  if (tag !== `v${version}`) return `the tag is ${tag}, and the version ${version}`;
  return date === "unreleased" ? `CHANGELOG.md says that ${version} is unreleased` : undefined;
}

if (import.meta.main) {
  const changelog = await Deno.readTextFile(join(ROOT, "CHANGELOG.md"));
  const problem = findReleaseProblem({ ...readConfig(), changelog, tag: Deno.args[0] });
  if (problem !== undefined) {
    console.error(`Cannot release: ${problem}`);
    Deno.exit(1);
  }
}
