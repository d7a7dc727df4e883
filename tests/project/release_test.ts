import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { readConfig, ROOT } from "../../dev/_project.ts";
import { findReleaseProblem } from "../../dev/release_check.ts";

const RELEASED = "# Changelog\n\n## 0.2.0 (2026-12-01)\n\n## 0.1.0 (2026-11-01)\n";
const OPEN = "# Changelog\n\n## 0.2.0 (unreleased)\n";

const CASES: readonly (readonly [
  why: string,
  release: Parameters<typeof findReleaseProblem>[0],
  problem: string | undefined,
])[] = [
  ["a version that is open", { version: "0.2.0", changelog: OPEN }, undefined],
  ["a tag of its version", { version: "0.2.0", changelog: RELEASED, tag: "v0.2.0" }, undefined],
  [
    "a tag of another version",
    { version: "0.2.0", changelog: RELEASED, tag: "v0.2.1" },
    "the tag is v0.2.1, and the version 0.2.0",
  ],
  [
    "a tag of an open version",
    { version: "0.2.0", changelog: OPEN, tag: "v0.2.0" },
    "CHANGELOG.md says that 0.2.0 is unreleased",
  ],
  [
    "another version in deno.json",
    { version: "0.3.0", changelog: RELEASED },
    "deno.json has version 0.3.0, and CHANGELOG.md 0.2.0",
  ],
  [
    "a changelog without versions",
    { version: "0.2.0", changelog: "# Changelog\n" },
    "CHANGELOG.md has no heading of a version",
  ],
];

for (const [why, release, problem] of CASES) {
  Deno.test(`findReleaseProblem() of ${why}`, () => {
    assertEquals(findReleaseProblem(release), problem);
  });
}

Deno.test("deno.json and CHANGELOG.md name the same version", () => {
  const changelog = Deno.readTextFileSync(join(ROOT, "CHANGELOG.md"));
  assertEquals(findReleaseProblem({ ...readConfig(), changelog }), undefined);
});

Deno.test("RELEASING.md and the workflow name files that exist, and the publishing steps", () => {
  const workflow = Deno.readTextFileSync(join(ROOT, ".github/workflows/release.yml"));
  const page = Deno.readTextFileSync(join(ROOT, "RELEASING.md"));
  assertEquals(page.includes("release.yml"), true);
  for (const part of ["id-token: write", "dev/release_check.ts", ".ci/run", "run: deno publish"]) {
    assertEquals(workflow.includes(part), true, part);
  }
});
