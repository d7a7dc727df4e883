/**
 * Does everything that publishing does except publishing, and checks which files would go out.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join, toFileUrl } from "@std/path";
import { listFiles, packageModules, ROOT, runDeno } from "./_project.ts";

const DOCUMENTS: readonly string[] = [
  "deno.json",
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
  "SECURITY.md",
  ...listFiles("docs").filter((path) => path.endsWith(".md")),
];

/**
 * The files that `deno publish --dry-run` says it would publish, as sorted paths of the project.
 */
export function publishedFiles(output: string, root: string): string[] {
  return [...output.matchAll(/^\s+(file:\S+) \([\d.]+\s*\w+\)$/gm)]
    .map(([, url = ""]) => url.replace(root, ""))
    .sort();
}

async function main(): Promise<void> {
  const { success, stdout, stderr } = await runDeno(["publish", "--dry-run", "--allow-dirty"]);
  if (!success) {
    console.error(stdout + stderr);
    Deno.exit(1);
  }
  const published = new Set(publishedFiles(stdout + stderr, toFileUrl(join(ROOT, "/")).href));
  const wanted = new Set([...packageModules(), ...DOCUMENTS]);
  const problems = [
    ...[...published.difference(wanted)].map((path) => `${path} would be published`),
    ...[...wanted.difference(published)].map((path) => `${path} would not be published`),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) Deno.exit(1);
  console.log(`${published.size} files`);
}

if (import.meta.main) await main();
