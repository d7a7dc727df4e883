import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { HELLO_MODULE, helloModule } from "../../../dev/hello.ts";
import { ROOT } from "../../../dev/_project.ts";
import { HELLO } from "../../../openapi/cli/_hello.ts";
import { CLI, withProject } from "../_cli.ts";
import { runNew, writeConfig } from "../_new_app.ts";

const COMMON = [".gitignore", "README.md", "main.test.ts", "main.ts"];
const PACKAGE = [".npmrc", "package.json", "tsconfig.json"];

/** Arguments after the folder, and the files that are written. */
const WRITTEN: readonly (readonly [readonly string[], readonly string[]])[] = [
  [[], [...COMMON, "deno.json"]], // this is Deno
  [["--runtime", "deno"], [...COMMON, "deno.json"]],
  [["--runtime", "node"], [...COMMON, ...PACKAGE, "serve.ts"]],
  [["--runtime=bun"], [...COMMON, ...PACKAGE]],
];

for (const [args, names] of WRITTEN) {
  Deno.test(`new my-app ${args.join(" ")} writes ${names.length} files`, async () => {
    await withProject({}, async ({ folder, files }) => {
      const app = join(folder, "deep", "my-app");
      const { code, stdout, stderr } = await runNew(app, ...args);
      assertEquals([code, stderr], [0, ""]);
      assertStringIncludes(stdout, `  cd ${app}\n`);
      const written = await files();
      assertEquals(Object.keys(written).sort(), names.map((name) => `deep/my-app/${name}`).sort());
      const readme = written["deep/my-app/README.md"] ?? "";
      assertMatch(readme, /^# my-app\n/);
      assertEquals(readme.trimEnd().split("\n").length <= 10, true);
      for (const text of Object.values(written)) {
        assertEquals(text.includes("examples/"), false);
        assertEquals(text.endsWith("\n") && !text.endsWith("\n\n"), true);
      }
      assertMatch(written["deep/my-app/main.ts"] ?? "", /\n\nexport default router;\n$/);
    });
  });
}

Deno.test("new writes examples/hello but for its command and its last line", async () => {
  await withProject({}, async ({ folder, read }) => {
    await runNew(join(folder, "app"));
    const own = (await read("app/main.ts")).split("\n");
    const example = (await Deno.readTextFile(join(ROOT, "examples/hello/main.ts"))).split("\n");
    const differing = example.filter((line, i) => line !== own[i]);
    assertEquals(own.length, example.length);
    assertEquals(differing.length, 2);
    assertMatch(differing[0] ?? "", /^ \* deno serve /);
    assertMatch(differing[1] ?? "", /^export default router as Deno\./);
  });
});

Deno.test(`${HELLO_MODULE} is what deno task hello writes of the example`, async () => {
  assertEquals(await Deno.readTextFile(join(ROOT, HELLO_MODULE)), helloModule());
  assertEquals(HELLO, await Deno.readTextFile(join(ROOT, "examples/hello/main.ts")));
});

/** Names of folders, and the names of their packages. */
const NAMES: readonly (readonly [string, string])[] = [
  ["my-app", "my-app"],
  ["My App!", "my-app"],
  [".hidden", "hidden"],
  ["007", "007"],
  ["日本", "app"],
  ['a"b', "a-b"],
];
for (const [folder, expected] of NAMES) {
  Deno.test(`new ${folder} names its package ${expected}`, async () => {
    await withProject({}, async (project) => {
      assertEquals((await runNew(join(project.folder, folder), "--runtime", "node")).code, 0);
      const { name } = JSON.parse(await project.read(`${folder}/package.json`));
      assertEquals(name, expected);
    });
  });
}

/** Why nothing is written, files of the folder, arguments, the exit code and the message. */
const REFUSED: readonly (readonly [
  string,
  Readonly<Record<string, string>>,
  readonly string[],
  number,
  RegExp,
])[] = [
  [
    "its folder has a file",
    { "app/a.txt": "a" },
    ["app"],
    1,
    /^Cannot create .*app: the folder is/,
  ],
  ["its folder has a dot file", { "app/.env": "" }, ["app"], 1, /: the folder is not empty\n$/],
  ["its folder is a file", { app: "" }, ["app"], 1, /^Cannot create .*app: /],
  ["its folder is in a file", { file: "" }, ["file/app"], 1, /^Cannot create .*app: /],
  ["no folder is named", {}, [], 2, /^Missing folder\n/],
  ["the folder is empty text", {}, [""], 2, /^Missing folder\n/],
  ["two folders are named", {}, ["app", "b"], 2, /^Takes one folder: .*app b\n/],
  ["the runtime is unknown", {}, ["app", "--runtime", "workerd"], 2, /^Unknown runtime: workerd; /],
  ["the runtime is a member", {}, ["app", "--runtime=toString"], 2, /^Unknown runtime: toString/],
  ["the runtime is missing", {}, ["app", "--runtime"], 2, /^Missing value: --runtime\n/],
  ["two runtimes are given", {}, ["app", "--runtime=bun", "--runtime=node"], 2, /^Duplicate opt/],
  ["an option is unknown", {}, ["app", "--template", "x"], 2, /^Unknown option: --template\n/],
];
for (const [why, given, [name, ...args], code, message] of REFUSED) {
  Deno.test(`new refuses and writes nothing if ${why}`, async () => {
    await withProject(given, async ({ folder, files }) => {
      const operands = name === undefined ? [] : name === "" ? [""] : [join(folder, name)];
      const printed = await runNew(...operands, ...args);
      assertEquals([printed.code, printed.stdout], [code, ""]);
      assertMatch(printed.stderr, message);
      assertEquals(await files(), given);
    });
  });
}

Deno.test("new writes into a folder that has nothing but .git", async () => {
  await withProject({ "app/.git/HEAD": "ref" }, async ({ folder, files }) => {
    assertEquals((await runNew(join(folder, "app"))).code, 0);
    assertEquals((await files())["app/.git/HEAD"], "ref");
  });
});

Deno.test("new needs permissions for its folder only", async () => {
  await withProject({}, async ({ deno, files }) => {
    const permissions = ["--no-prompt", "--allow-read=.", "--allow-write=."];
    const { code, stderr } = await deno("run", ...permissions, CLI, "new", "app");
    assertEquals([stderr, code], ["", 0]);
    assertEquals(Object.keys(await files()).length, 5);
  });
});

Deno.test("An application that new writes passes its tests", async () => {
  await withProject({}, async ({ folder, deno }) => {
    await runNew(join(folder, "app"), "--runtime", "deno");
    const args = ["--quiet", "--no-check", ...await writeConfig(folder), "app/main.test.ts"];
    const { code, stdout, stderr } = await deno("test", ...args);
    assertEquals(code, 0, stdout + stderr);
    assertMatch(stdout, /\b3 passed\b/);
  });
});
