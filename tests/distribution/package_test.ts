/** What is in the archive, and what is not; and what happens to another archive of the same version. */

import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { join } from "@std/path";
import { buildNpmPackage } from "../../dev/_npm_package.ts";
import { packageModules, readConfig, ROOT } from "../../dev/_project.ts";
import { readTarball, type TarFile, writeTarball } from "../../dev/_tar.ts";
import { HELLO } from "./_hello.ts";
import { serveNpm } from "./_npm_registry.ts";
import { openProject, readPackage } from "./_projects.ts";
import { readTools } from "./_tools.ts";

const { bun = "bun" } = readTools();
const NO_BUN = readTools().bun === undefined;
const ALIAS = "@gatehouse/http@npm:@jsr/gatehouse__http";

/** What may be in the package, besides its modules. */
const FILES_REGEXP =
  /^package\/(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md|docs\/\w+\.md|_std\/(?:LICENSE|\w+\.js))$/;

/** What only the machine has that packed the package. */
const MACHINE_REGEXPS: readonly RegExp[] = [
  /file:\/\/\/(?!path\b)\w+\/(?!\*)/,
  /\bregistry\.(?!js\b)[a-z]+\.[a-z]+\b/,
  /\/(?:tmp|root)\/\w/,
];

/** The largest archive that nobody has to think about, in bytes. */
const MAX_BYTES = 1_750_000;

let archive: Uint8Array<ArrayBuffer>;
let files: readonly TarFile[];

Deno.test.beforeAll(async () => {
  archive = await readPackage();
  files = await readTarball(archive);
});

Deno.test("The archive has the modules of the package, their maps and documents, and no other file", () => {
  const modules = new Set(
    packageModules().map((path) => `package/${path.replace(/(?:\.d)?\.ts$/, "")}`),
  );
  const others = files.map(({ path }) => path).filter((path) =>
    !modules.has(path.replace(/\.(?:js|js\.map|d\.ts)$/, ""))
  );
  assertEquals(others.filter((path) => !FILES_REGEXP.test(path)), []);
  for (const wanted of ["package.json", "README.md", "LICENSE", "_std/LICENSE"]) {
    assertEquals(others.includes(`package/${wanted}`), true, wanted);
  }
  assertEquals(files.filter(({ executable }) => executable).map(({ path }) => path), [
    "package/openapi/cli/main.js",
  ]);
});

Deno.test("The archive names no place on this machine, and no registry", () => {
  const regexps = [...MACHINE_REGEXPS, new RegExp(RegExp.escape(ROOT))];
  const found = files.flatMap(({ path, bytes }) => {
    const text = new TextDecoder().decode(bytes);
    return regexps.flatMap((regexp) =>
      regexp.exec(text)?.map((match) => `${path}: ${match}`) ?? []
    );
  });
  assertEquals(found, []);
});

Deno.test("package.json names the entries of deno.json, and one dependency", () => {
  const text = new TextDecoder().decode(
    files.find(({ path }) => path === "package/package.json")?.bytes,
  );
  const { exports, dependencies, scripts, version, license, type, sideEffects, bin } = JSON.parse(
    text,
  );
  const config = readConfig();
  assertEquals(Object.keys(exports), Object.keys(config.exports));
  assertEquals(Object.keys(dependencies), ["hono"]);
  assertEquals(scripts, undefined);
  assertEquals([version, license, type, sideEffects], [config.version, "MIT", "module", false]);
  assertEquals(bin, { gatehouse: "./openapi/cli/main.js" });
  const paths = new Set(files.map(({ path }) => path));
  const targets = (Object.values(exports) as Record<string, string>[]).flatMap(Object.values);
  assertEquals(targets.filter((path: string) => !paths.has(join("package", path))), []);
});

Deno.test("The archive is of the same bytes twice, and of no more than it may be", async () => {
  const { tarball } = await buildNpmPackage();
  assertEquals(tarball.length, archive.length);
  assertEquals(tarball.every((byte, at) => byte === archive[at]), true);
  assertEquals(archive.length < MAX_BYTES, true, `${archive.length} bytes`);
});

Deno.test("Node has nothing against the syntax of any module", async () => {
  await using project = await openProject({ sharedCaches: true });
  const modules = files.filter(({ path }) => path.endsWith(".js"));
  assertEquals(modules.length > 300, true);
  for (const { path, bytes } of modules) await project.write(path, new TextDecoder().decode(bytes));
  const paths = modules.map(({ path }) => path);
  const script = `import { readFileSync } from "node:fs";
import { SourceTextModule } from "node:vm";
for (const identifier of ${JSON.stringify(paths)}) {
  new SourceTextModule(readFileSync(identifier, "utf8"), { identifier });
}
`;
  await project.write("check.js", script);
  await project.run("node", "--no-warnings", "--experimental-vm-modules", "check.js");
  await project.write("package/package.json", '{ "type": "module" }');
  await project.run("node", "--check", "package/openapi/cli/main.js"); // with its first line
});

/** The archive with one more line in a module. */
async function changedArchive(): Promise<Uint8Array<ArrayBuffer>> {
  return await writeTarball(
    files.map((file) =>
      file.path === "package/mod.js"
        ? { ...file, bytes: new Uint8Array([...file.bytes, 0x0a]) }
        : file
    ),
  );
}

/** Package managers, what installs by them, and what they say of an archive that is not the described one. */
const INSTALLERS: readonly (readonly [
  name: string,
  command: readonly string[],
  refusal: RegExp,
  ignore: boolean,
])[] = [
  ["npm", ["npm", "install", ALIAS], /EINTEGRITY/, false],
  ["Bun", [bun, "add", ALIAS], /Integrity check failed/i, NO_BUN],
  ["Deno", [Deno.execPath(), "add", ALIAS], /checksum/i, false],
];

for (const [name, [program = "", ...args], refusal, ignore] of INSTALLERS) {
  Deno.test({
    name: `${name} refuses an archive that is not the one that its registry describes`,
    ignore,
    async fn() {
      const sent = await changedArchive();
      assertNotEquals(sent.length, archive.length);
      await using registry = await serveNpm(archive, { sent });
      await using project = await openProject({ jsr: registry.url, files: HELLO });
      const { code, stdout, stderr } = await project.attempt(program, ...args);
      assertEquals(code === 0, false);
      assertMatch(stdout + stderr, refusal);
    },
  });
}

/** The same for an archive that was locked, and what installs what is locked. */
const LOCKED: readonly (readonly [
  name: string,
  first: readonly string[],
  second: readonly string[],
  refusal: RegExp,
  ignore: boolean,
])[] = [
  ["npm ci", ["npm", "install", ALIAS], ["npm", "ci"], /EINTEGRITY/, false],
  [
    "bun install --frozen-lockfile",
    [bun, "add", ALIAS],
    [bun, "install", "--frozen-lockfile"],
    /Integrity check failed/i,
    NO_BUN,
  ],
  [
    "deno install --frozen",
    [Deno.execPath(), "add", ALIAS],
    [Deno.execPath(), "install", "--frozen"],
    /checksum|integrity/i,
    false,
  ],
];

for (const [name, first, second, refusal, ignore] of LOCKED) {
  Deno.test({
    name: `${name} refuses an archive that is not the one that was locked`,
    ignore,
    async fn() {
      await using registry = await serveNpm(archive);
      await using project = await openProject({ jsr: registry.url });
      const [program = "", ...args] = first;
      await project.run(program, ...args);
      registry.replace(await changedArchive());
      for (const kept of ["../caches", "node_modules"]) {
        await Deno.remove(join(project.folder, kept), { recursive: true }).catch(() => {});
      }
      const [again = "", ...rest] = second;
      const { code, stdout, stderr } = await project.attempt(again, ...rest);
      assertEquals(code === 0, false);
      assertMatch(stdout + stderr, refusal);
    },
  });
}
