import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ROOT } from "../../../dev/_project.ts";
import {
  BARE,
  CLI,
  CONTROLLERS,
  GENERATE,
  IMPORTS,
  INFO,
  PERMISSIONS,
  routedApp,
  runDeno,
  SUMMARY,
  withProject,
  withRouter,
  type Written,
} from "../_cli.ts";
import { runShared, withTypedProject } from "../compiler/_process.ts";

Deno.test("generate writes openapi.json into the working directory and prints path and counts", async () => {
  await withProject({ "controllers.ts": CONTROLLERS }, async ({ generate, read, files }) => {
    assertEquals(await generate("--controllers", "controllers.ts"), {
      code: 0,
      stdout: `Wrote ${SUMMARY}\n`,
      stderr: "",
    });
    assertEquals(Object.keys(await files()).sort(), ["controllers.ts", "openapi.json"]);
    const text = await read("openapi.json");
    const { openapi, info, paths }: Written = JSON.parse(text);
    assertMatch(openapi, /^3\.1\.\d$/);
    assertEquals(info, { title: "Notes", version: "1.2.3", description: "All notes" });
    assertEquals(Object.keys(paths), ["/notes", "/notes/{id}"]);
    assertEquals(text, JSON.stringify(JSON.parse(text), null, 2) + "\n");
  });
});

/** Why, where the controllers are, what is given as `--controllers` and `--output`, and where the document is then. */
const PATHS: readonly (readonly [string, string, string, string, string])[] = [
  ["in another folder", "src/api/controllers.ts", "src/api/controllers.ts", "a.json", "a.json"],
  [
    "with ./ and ..",
    "src/controllers.ts",
    "./src/../src/controllers.ts",
    "./docs/../a.json",
    "a.json",
  ],
  ["in existing folders", "c.ts", "c.ts", "docs/a.json", "docs/a.json"],
  ["by absolute paths", "c.ts", "$/c.ts", "$/docs/a.json", "docs/a.json"],
  [
    "with the characters of URLs",
    "a b#c?d%41&é.ts",
    "a b#c?d%41&é.ts",
    "é #?%41.json",
    "é #?%41.json",
  ],
  ["that look like options", "-c.ts", "=-c.ts", "=--check", "--check"],
  ["that are names of members", "__proto__.ts", "__proto__.ts", "__proto__", "__proto__"],
  ["in JavaScript", "c.mjs", "c.mjs", "a.json", "a.json"],
  // 255 bytes are what file systems take, and a temporary file must not need more
  ["of the longest name", "c.ts", "c.ts", "a".repeat(255), "a".repeat(255)],
];
for (const [why, path, controllers, output, written] of PATHS) {
  Deno.test(`generate accepts paths ${why}`, async () => {
    const source = path.endsWith(".mjs")
      ? `${IMPORTS}
        export const router = createRouter().get("/notes", () => json([]));
        ${INFO}`
      : routedApp() + INFO;
    const files = { [path]: source, "docs/.keep": "" };
    await withTypedProject(files, async ({ folder, generateUntyped: generate, document }) => {
      const option = (name: string, value: string) =>
        value.startsWith("=") ? [name + value] : [name, value.replace("$", folder)];
      const { code, stderr } = await generate(
        ...option("--controllers", controllers),
        ...option("--output", output),
      );
      assertEquals([code, stderr], [0, ""]);
      assertEquals(Object.keys((await document(written)).paths)[0], "/notes");
    });
  });
}

Deno.test("The document of the example is what the command writes", async () => {
  const example = "examples/notes";
  const args = [
    "--controllers",
    `${example}/openapi.ts`,
    "--output",
    `${example}/openapi.json`,
  ];
  const { code, stderr } = await runDeno(["task", "openapi", ...args, "--check"], ROOT);
  assertEquals(code, 0, stderr);
});

Deno.test("The program exits with 2 for a usage error and with 0 for help", async () => {
  await withProject({}, async ({ deno }) => {
    const wrong = await deno("run", ...PERMISSIONS, CLI, "nonsense");
    assertEquals([wrong.code, wrong.stdout], [2, ""]);
    assertMatch(wrong.stderr, /^Unknown command: nonsense\n\nUsage: /);
    const help = await deno("run", ...PERMISSIONS, CLI, ...GENERATE, "--help");
    assertEquals([help.code, help.stderr], [0, ""]);
    assertMatch(help.stdout, /^Usage: /);
  });
});

/** Usage errors, the whole command, and the expected message. */
const WRONG_COMMANDS: readonly (readonly [string, readonly string[], string])[] = [
  ["no command", [], "Missing command"],
  ["only options", ["--controllers", "c.ts"], "Missing command"],
  ["an unknown command", ["https", "openapi", "generate", "--controllers", "c.ts"], "https"],
  ["half a command", ["http", "openapi", "--controllers", "c.ts"], "Unknown command: http openapi"],
  ["a word too much", [...GENERATE, "c.ts", "--controllers", "c.ts"], "generate c.ts"],
  ["a number too much", [...GENERATE, "--controllers", "c.ts", "0"], "generate 0"],
  ["a word after --check", [...GENERATE, "--controllers", "c.ts", "--check", "a.json"], "a.json"],
  ["options after --", [...GENERATE, "--", "--controllers", "c.ts"], "--controllers c.ts"],
  ["no --controllers", [...GENERATE], "Missing option: --controllers"],
  ["no --controllers, but an --output", [...GENERATE, "--output", "a.json"], "--controllers"],
  ["--controllers at the end", [...GENERATE, "--controllers"], "Missing value: --controllers"],
  ["--controllers before an option", [...GENERATE, "--controllers", "--check"], "--controllers"],
  ["an empty --controllers", [...GENERATE, "--controllers="], "Missing value: --controllers"],
  ["an empty argument", [...GENERATE, "--controllers", ""], "Missing value: --controllers"],
  ["an empty --output", [...GENERATE, "--controllers", "c.ts", "--output="], "--output"],
  ["an empty --title", [...GENERATE, "--controllers", "c.ts", "--title", ""], "--title"],
  [
    "an empty --api-version",
    [...GENERATE, "--controllers", "c.ts", "--api-version"],
    "--api-version",
  ],
  ["an unknown option", [...GENERATE, "--controllers", "c.ts", "--out", "a.json"], "--out"],
  ["an unknown letter", [...GENERATE, "--controllers", "c.ts", "-o", "a.json"], "-o"],
  ["an option in another case", [...GENERATE, "--Controllers", "c.ts"], "--Controllers"],
  ["an option of an option", [...GENERATE, "--controllers.x=c.ts"], "--controllers.x"],
  [
    "the name of a prototype",
    [...GENERATE, "--controllers", "c.ts", "--__proto__=1"],
    "--__proto__",
  ],
  [
    "--version, which is not an option",
    [...GENERATE, "--controllers", "c.ts", "--version", "1"],
    "--version",
  ],
  // The intended one is unknown
  [
    "an option twice",
    [...GENERATE, "--controllers", "b.ts", "--controllers", "c.ts"],
    "--controllers",
  ],
];
for (const [why, args, words] of WRONG_COMMANDS) {
  Deno.test(`The command line rejects ${why} and prints the usage`, async () => {
    await withProject({ "c.ts": CONTROLLERS, "b.ts": CONTROLLERS }, async ({ folder, files }) => {
      const before = await files();
      const { code, stdout, stderr } = await runShared(folder, args);
      assertEquals([code, stdout], [2, ""]);
      const [line = "", ...usage] = stderr.split("\n");
      assertStringIncludes(line, words);
      assertStringIncludes(
        usage.join("\n"),
        "Usage: gatehouse http openapi generate --controllers",
      );
      assertEquals(await files(), before);
    });
  });
}

/** Commands that ask for help. */
const HELP: readonly (readonly string[])[] = [
  ["--help"],
  ["-h"],
  [...GENERATE, "--help"],
  [...GENERATE, "--controllers", "c.ts", "-h"],
  ["nonsense", "--unknown", "--help"],
];
for (const args of HELP) {
  Deno.test(`The command line prints the usage for ${args.join(" ")}`, async () => {
    await withProject({ "c.ts": CONTROLLERS }, async ({ folder, files }) => {
      const { code, stdout, stderr } = await runShared(folder, args);
      assertEquals([code, stderr], [0, ""]);
      assertMatch(stdout, /^Usage: gatehouse http openapi generate --controllers <path>/);
      const described = [...stdout.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)].map(([, name]) => name);
      assertEquals(described.slice(0, 9), [ // without a command, the others' follow
        "--controllers",
        "--output",
        "--validators",
        "--title",
        "--api-version",
        "--config",
        "--no-types",
        "--check",
        "--help",
      ]);
      assertEquals(Object.keys(await files()), ["c.ts"]);
    });
  });
}

Deno.test("generate reports thousands of errors completely", async () => {
  const count = 3000; // more than a pipe takes at once
  const source = withRouter(`() => {
    const router = createRouter();
    for (let i = 0; i < ${count}; i++) {
      router.get(\`/a\${i}\`, () => json(1), { openapi: { parameters: [{ in: "path", name: "id" }] } });
    }
    return router;
  }`);
  await withProject({ "c.ts": source }, async ({ generateUntyped: generate }) => {
    const { code, stderr } = await generate("--controllers", "c.ts");
    assertEquals([code, stderr.match(/is not in the path$/gm)?.length], [1, count]);
  });
});

/** What an application leaves running. */
const RUNNING: readonly (readonly [string, string])[] = [
  ["a timer", "setInterval(() => {}, 1000);"],
  [
    "a server",
    `Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response());`,
  ],
  ["a listener for signals", `Deno.addSignalListener("SIGUSR1", () => {});`],
];
for (const [what, code] of RUNNING) {
  Deno.test(`generate exits although the application leaves ${what} running`, async () => {
    await withProject({ "c.ts": CONTROLLERS + code }, async ({ deno, document }) => {
      const args = [...GENERATE, "--no-types", "--controllers", "c.ts"];
      const run = await deno("run", ...PERMISSIONS, "--allow-net=127.0.0.1", CLI, ...args);
      assertEquals([run.code, run.stderr], [0, ""]);
      assertEquals((await document()).info.title, "Notes");
    });
  });
}

Deno.test("generate writes to the given path although the application changes the working directory", async () => {
  const files = {
    "c.ts": `${BARE}Deno.chdir("sub");`,
    "deno.json": `{ "name": "near", "version": "1" }`,
    "sub/deno.json": `{ "name": "far", "version": "2" }`,
  };
  await withProject(files, async (project) => {
    const before = Object.keys(await project.files());
    const { code, stderr } = await project.generateUntyped("--controllers", "c.ts");
    assertEquals([code, stderr], [0, ""]);
    assertEquals((await project.document()).info.title, "near");
    const made = Object.keys(await project.files()).filter((path) => !before.includes(path));
    assertEquals(made, ["openapi.json"]);
  });
});

Deno.test("generate fails and leaves the old document if the application is never ready", async () => {
  const files = { "c.ts": `${CONTROLLERS}await new Promise(() => {});`, "openapi.json": "old" };
  await withProject(files, async (project) => {
    const before = await project.files();
    const { code, stdout } = await project.generateUntyped("--controllers", "c.ts");
    assertEquals([code, stdout], [1, ""]);
    assertEquals(await project.files(), before);
  });
});
