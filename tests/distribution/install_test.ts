/** The package, installed by every package manager, from a registry that has it as JSR's does. */

import { assertEquals, assertMatch } from "@std/assert";
import { jsrArchive, renamedArchive } from "./_archives.ts";
import { assertHello, HELLO } from "./_hello.ts";
import { serveNpm } from "./_npm_registry.ts";
import { openProject, type Project } from "./_projects.ts";
import { readTools, type Tool } from "./_tools.ts";
import { JSR } from "./versions.ts";

const tools = readTools();
const { bun = "bun", pnpm = "pnpm" } = tools;

/** What `@gatehouse/http` is installed as, for whoever has no `jsr` command. */
const ALIAS = "@gatehouse/http@npm:@jsr/gatehouse__http";

/** A way to install, what it needs, how it is done, and what runs the program then. */
type Row = readonly [
  name: string,
  needs: Tool | undefined,
  install: (project: Project) => Promise<unknown>,
  runner: string,
];

const ROWS: readonly Row[] = [
  ["npm install", undefined, ({ run }) => run("npm", "install", ALIAS), "node"],
  ["npx jsr add", undefined, ({ run }) => run("npx", "-y", JSR, "add", "@gatehouse/http"), "node"],
  ["pnpm add", "pnpm", ({ run }) => run(pnpm, "add", ALIAS), "node"],
  [
    "pnpm dlx jsr add",
    "pnpm",
    ({ run }) => run(pnpm, "dlx", JSR, "add", "@gatehouse/http"),
    "node",
  ],
  ["bun add", "bun", ({ run }) => run(bun, "add", ALIAS), bun],
  [
    "bunx jsr add",
    "bun",
    ({ run }) => run(bun, "x", "--bun", JSR, "add", "@gatehouse/http"),
    bun,
  ],
];

/** What is installed with the package, and nothing besides. */
const INSTALLED: readonly string[] = ["@gatehouse/http", "hono"];

for (const [name, needs, install, runner] of ROWS) {
  const ignore = needs !== undefined && tools[needs] === undefined;
  Deno.test({
    name: `${name}: the package is installed, with Hono alone, and answers`,
    ignore,
    async fn() {
      await using registry = await serveNpm(await jsrArchive());
      await using project = await openProject({ jsr: registry.url, files: HELLO });
      await install(project);
      assertHello(await project.run(runner, "call.js"));
      assertEquals(await installedPackages(project), INSTALLED);
      const { requests } = registry;
      assertEquals(requests.length >= 2, true); // the description, and the archive
      const { dependencies } = JSON.parse(await project.read("package.json"));
      assertEquals(Object.keys(dependencies), ["@gatehouse/http"]);
      assertMatch(dependencies["@gatehouse/http"], /^npm:@jsr\/gatehouse__http@/);
    },
  });
}

Deno.test("deno add: the npm package is installed, with Hono alone, and answers", async () => {
  await using registry = await serveNpm(await jsrArchive());
  await using project = await openProject({ jsr: registry.url, files: HELLO });
  await Deno.remove(`${project.folder}/package.json`);
  await project.write("deno.json", "{}");
  await project.run(Deno.execPath(), "add", ALIAS);
  assertHello(await project.run(Deno.execPath(), "run", "--no-prompt", "call.js"));
  const { npm } = JSON.parse(await project.read("deno.lock"));
  const names = Object.keys(npm).map((key) => key.replace(/(?<=.)@.*$/, ""));
  assertEquals(names.sort(), ["@jsr/gatehouse__http", "hono"]);
});

/** Package managers, asked for the package by its own name, from a registry that has all packages. */
const BY_NAME: readonly Row[] = [
  ["npm", undefined, ({ run }) => run("npm", "install", "@gatehouse/http"), "node"],
  ["Bun", "bun", ({ run }) => run(bun, "add", "@gatehouse/http"), bun],
];

for (const [name, needs, install, runner] of BY_NAME) {
  Deno.test({
    name: `${name} installs what deno task npm --name makes for another registry`,
    ignore: needs !== undefined && tools[needs] === undefined,
    async fn() {
      await using registry = await serveNpm(await renamedArchive("@gatehouse/http"));
      await using project = await openProject({ registry: registry.url, files: HELLO });
      await install(project);
      assertHello(await project.run(runner, "call.js"));
      assertEquals(await installedPackages(project), INSTALLED);
    },
  });
}

/** The packages in a project's node_modules; pnpm has those of packages in a folder of its own. */
async function installedPackages({ folder }: Project): Promise<string[]> {
  const names = new Set<string>();
  for (const place of ["node_modules", "node_modules/.pnpm/node_modules"]) {
    for await (const name of packagesIn(`${folder}/${place}`)) names.add(name);
  }
  return [...names].sort();
}

async function* packagesIn(folder: string): AsyncIterable<string> {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(folder)];
  } catch {
    return;
  }
  for (const { name } of entries.filter(({ name }) => !name.startsWith("."))) {
    if (!name.startsWith("@")) yield name;
    else for (const inner of Deno.readDirSync(`${folder}/${name}`)) yield `${name}/${inner.name}`;
  }
}
