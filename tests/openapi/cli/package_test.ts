import { type CliOutput, runCli } from "@gatehouse/http/cli";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../../dev/_project.ts";
import { CLI, type CliRun, type Files, type Project, runDeno, withProject } from "../_cli.ts";
import { runShared } from "../compiler/_process.ts";

/** The command. */
const PACKAGE = ["http", "static", "package"] as const;
/** What it may do, and no more: as in the task. */
const PERMISSIONS = ["--no-prompt", "--allow-read", "--allow-write"] as const;
const FILES: Files = { "public/a.txt": "hello", "public/sub/b.css": "x".repeat(1500) };
const COUNTS = "(2 files, 1,505 bytes)";

function run({ folder }: Project, ...args: readonly string[]): Promise<CliRun> {
  return runShared(folder, [...PACKAGE, ...args]);
}

/** Options besides the folder, and the files that are written. */
const WRITTEN: readonly (readonly [readonly string[], readonly string[]])[] = [
  [[], ["static-assets.json"]],
  [["--format", "json"], ["static-assets.json"]],
  [["--format=manifest"], ["manifest.json"]],
  [["--format", "ts"], ["static-assets.ts"]],
  [["--format", "js"], ["static-assets.js", "static-assets.d.ts"]],
  [["--format", "js", "--compress"], ["static-assets.js", "static-assets.d.ts"]],
  [["--out-file", "a.mjs"], ["a.mjs", "a.d.mts"]],
  [["--out-file", "a.json", "--format", "manifest"], ["a.json"]],
  [["--output-dir", "out/deep"], ["out/deep/static-assets.json"]],
  [["--output-dir", "./out/../dist/", "--out-file", "a.ts"], ["dist/a.ts"]],
  [["--output-dir=-out", "--out-file=--a.ts"], ["-out/--a.ts"]],
  [["--output-dir", "é #?%41"], ["é #?%41/static-assets.json"]],
];
for (const [args, names] of WRITTEN) {
  Deno.test(`package ${args.join(" ")} writes and names ${names.join(" and ")}`, async () => {
    await withProject(FILES, async (project) => {
      const named = names.join(" and ");
      for (const line of [`Wrote ${named} ${COUNTS}\n`, `Up to date: ${named} ${COUNTS}\n`]) {
        assertEquals(await run(project, "--directory", "public", ...args), {
          code: 0,
          stdout: line,
          stderr: "", // no bar: it is not a terminal
        });
        const paths = Object.keys(await project.files()).sort();
        assertEquals(paths, [...Object.keys(FILES), ...names].sort());
      }
    });
  });
}

Deno.test("package prints the absolute path of a file outside the working directory", async () => {
  await withProject({ ...FILES, "work/.keep": "" }, async ({ folder, read }) => {
    const args = ["--directory", "../public/", "--output-dir", "..", "--format", "ts"];
    const output = await runDeno(
      ["run", ...PERMISSIONS, CLI, ...PACKAGE, ...args],
      join(folder, "work"),
    );
    assertEquals(output.stdout, `Wrote ${join(folder, "static-assets.ts")} ${COUNTS}\n`);
    assertStringIncludes(
      await read("static-assets.ts"),
      'registerStaticAssets("../public", staticAssets);',
    );
  });
});

Deno.test("package counts one file and one byte", async () => {
  await withProject({ "public/a": "a" }, async ({ deno }) => {
    const { stdout } = await deno("run", ...PERMISSIONS, CLI, ...PACKAGE, "--directory", "public");
    assertEquals(stdout, "Wrote static-assets.json (1 file, 1 byte)\n");
  });
});

/** `--directory`, `--prefix`, and what a module registers. */
const KEYS: readonly (readonly [string, string | undefined, string])[] = [
  ["public", undefined, "public"],
  ["./public/", undefined, "public"],
  ["public", "./other/", "other"],
  ["public", "-x", "-x"],
];
for (const [directory, prefix, key] of KEYS) {
  Deno.test(`package --directory ${directory} --prefix ${prefix} registers ${key}`, async () => {
    await withProject(FILES, async (project) => {
      const args = prefix === undefined ? [] : [`--prefix=${prefix}`];
      const { code } = await run(project, "--directory", directory, "--format", "ts", ...args);
      assertEquals(code, 0);
      const text = await project.read("static-assets.ts");
      assertStringIncludes(text, `\nregisterStaticAssets("${key}", staticAssets);\n`);
    });
  });
}

Deno.test("package --compress compresses text", async () => {
  await withProject(FILES, async (project) => {
    await run(project, "--directory", "public", "--compress");
    const { entries } = JSON.parse(await project.read("static-assets.json"));
    assertEquals(entries["sub/b.css"].encoding, "gzip+base64");
    assertEquals(entries["a.txt"].encoding, "base64");
  });
});

Deno.test("package --precompress adds compressed siblings of text", async () => {
  await withProject(FILES, async (project) => {
    await run(project, "--directory", "public", "--precompress");
    const { entries } = JSON.parse(await project.read("static-assets.json"));
    const siblings = Object.keys(entries).filter((key) => key.startsWith("sub/b.css"));
    assertEquals(siblings, ["sub/b.css", "sub/b.css.br", "sub/b.css.gz"]);
    assertEquals("a.txt.br" in entries, false); // it would be longer
  });
});

Deno.test("deno task package runs the command with what it needs", async () => {
  await withProject(FILES, async ({ folder, files }) => {
    const args = ["--directory", join(folder, "public"), "--output-dir", folder];
    const { code, stdout } = await runDeno(["task", "--quiet", "package", ...args], ROOT);
    const path = join(folder, "static-assets.json");
    assertEquals([code, stdout], [0, `Wrote ${path} ${COUNTS}\n`]);
    assertEquals(Object.keys(await files()).sort(), [...Object.keys(FILES), "static-assets.json"]);
  });
});

Deno.test("package needs permissions for its folders only", async () => {
  await withProject({ ...FILES, "out/.keep": "" }, async ({ deno }) => {
    const permissions = ["--no-prompt", "--allow-read=.", "--allow-write=out"];
    const args = [...PACKAGE, "--directory", "public", "--output-dir", "out", "--format", "js"];
    const { code, stderr } = await deno("run", ...permissions, CLI, ...args);
    assertEquals([stderr, code], ["", 0]);
  });
});

/** Reasons for failure, files, arguments, and the expected message. */
const FAILED: readonly (readonly [string, Files, readonly string[], string | RegExp])[] = [
  ["the folder is missing", {}, ["--directory", "none"], "Directory not found: none\n"],
  ["the folder is a file", {}, ["--directory=public/a.txt"], "Directory not found: public/a.txt\n"],
  [
    "the folder has a name that steers terminals",
    {},
    ["--directory", "no\x1b[31m\nWrote \u202e"],
    "Directory not found: no\\u{1b}[31m\\u{a}Wrote \\u{202e}\n",
  ],
  [
    "a name cannot be said by a path",
    { "public/\x1b[2J\x7f": "" },
    ["--directory", "public"],
    /^Cannot package "\\u001b\[2J\\u\{7f\}": no URL path can express its name\n$/,
  ],
  [
    "the output is a folder",
    { "a.json/x": "" },
    ["--directory", "public", "--out-file", "a.json"],
    /^[^\n]*a\.json[^\n]*\n$/,
  ],
  [
    "the output is under a file",
    { "file": "" },
    ["--directory", "public", "--output-dir", "file"],
    /^[^\n]*file[^\n]*\n$/,
  ],
];
for (const [why, more, args, said] of FAILED) {
  Deno.test(`package fails and changes nothing if ${why}`, async () => {
    await withProject({ ...FILES, ...more }, async (project) => {
      const before = await project.files();
      const { code, stdout, stderr } = await run(project, ...args);
      assertEquals([code, stdout], [1, ""]);
      if (typeof said === "string") assertEquals(stderr, said);
      else assertMatch(stderr, said);
      assertEquals(await project.files(), before);
    });
  });
}

/** Usage errors, arguments after the command, and the first line of the message. */
const WRONG: readonly (readonly [string, readonly string[], string])[] = [
  ["no folder", [], "Missing option: --directory"],
  ["no folder, but a format", ["--format", "js"], "Missing option: --directory"],
  ["a folder without its name", ["--directory"], "Missing value: --directory"],
  ["an empty folder", ["--directory="], "Missing value: --directory"],
  ["an option for the folder", ["--directory", "--compress"], "Missing value: --directory"],
  ["an empty format", ["--directory", "public", "--format", ""], "Missing value: --format"],
  ["an empty prefix", ["--directory", "public", "--prefix="], "Missing value: --prefix"],
  ["two folders", ["--directory", "public", "--directory", "b"], "Duplicate option: --directory"],
  ["the folder as a word", ["public"], "Unknown command: http static package public"],
  ["a word after a switch", ["--directory", "public", "--compress", "x"], "Unknown command: "],
  ["an unknown option", ["--directory", "public", "--exclude", "x"], "Unknown option: --exclude"],
  ["an unknown letter", ["--directory", "public", "-d"], "Unknown option: -d"],
  ["an unknown option's value", ["--directory", "public", "--token=s3cret"], "option: --token\n"],
  ["an option that steers terminals", ["--\x1b[2J"], "Unknown option: --\\u{1b}[2J"],
  ["an option of another command", ["--directory", "public", "--check"], "Unknown option: --check"],
  ["outDir", ["--directory", "public", "--outputDir", "x"], "Unknown option: --outputDir"],
  [
    "a value of a switch",
    ["--directory", "public", "--compress=yes"],
    "Takes no value: --compress",
  ],
  [
    "false for a switch",
    ["--directory", "public", "--compress", "false"],
    "Takes no value: --comp",
  ],
  ["an unknown format", ["--directory", "public", "--format", "yaml"], 'unknown format "yaml"'],
  [
    "a member's name",
    ["--directory", "public", "--format", "toString"],
    'unknown format "toString"',
  ],
  [
    "a format that contradicts the file",
    ["--directory", "public", "--format", "js", "--out-file", "a.ts"],
    "a.ts does not match the format js",
  ],
  ["a file of no format", ["--directory", "public", "--out-file", "a"], "does not match"],
  [
    "a manifest to compress",
    ["--directory", "public", "--format", "manifest", "--compress"],
    "no contents to compress",
  ],
  [
    "a package in its folder",
    ["--directory", "public", "--output-dir", "public/new"],
    "outside the folder",
  ],
  ["the working folder, and nowhere to write", ["--directory", "."], "outside the folder"],
];
for (const [why, args, line] of WRONG) {
  Deno.test(`package rejects ${why} and prints the usage`, async () => {
    await withProject(FILES, async (project) => {
      const before = await project.files();
      const { code, stdout, stderr } = await run(project, ...args);
      assertEquals([code, stdout], [2, ""]);
      const [first = "", second, third] = stderr.split("\n");
      assertStringIncludes(`${first}\n`, line);
      assertEquals(second, "");
      assertEquals(third, "Usage: gatehouse http static package --directory <path> [options]");
      assertEquals(stderr.includes("openapi"), false);
      assertEquals(await project.files(), before);
    });
  });
}

/** Runs the command line in this process, on a terminal of 30 columns. */
async function runHere(args: readonly string[], onFirstDraw = () => {}) {
  const written: string[] = [];
  const output: CliOutput = {
    print: (text) => written.push(`out: ${text}`),
    printError: (text) => written.push(`error: ${text}`),
    terminal: {
      columns: () => 30,
      write(text) {
        if (written.length === 0) onFirstDraw();
        written.push(`bar: ${text}`);
      },
    },
  };
  return { code: await runCli(args, output), written };
}

const USAGES = [
  "openapi generate --controllers",
  "client generate --controllers",
  "static package --directory",
] as const;

/** What asks for help, and the usages that are printed. */
const HELP: readonly (readonly [readonly string[], readonly string[]])[] = [
  [["--help"], USAGES],
  [["-h"], USAGES],
  [["http", "static", "-h"], USAGES],
  [["http", "package", "--help", "--directory", "x"], USAGES],
  [[...PACKAGE, "--help"], USAGES.slice(-1)],
  [[...PACKAGE, "-h", "--directory", "public", "--nonsense"], USAGES.slice(-1)],
  [["--compress", ...PACKAGE, "--help"], USAGES.slice(-1)],
  [["http", "openapi", "generate", "--help"], USAGES.slice(0, 1)],
];
for (const [args, usages] of HELP) {
  Deno.test(`The command line prints the usage of ${usages.length} commands for ${args.join(" ")}`, async () => {
    const { code, written } = await runHere(args);
    assertEquals([code, written.length], [0, 1]);
    const printed = [
      ...(written[0] ?? "").matchAll(/^(?:out: )?Usage: gatehouse http (.*) <path>/gm),
    ];
    assertEquals(printed.map(([, usage]) => usage), [...usages]);
  });
}

Deno.test("The command line prints all usages for an unknown command", async () => {
  for (const args of [[], ["http"], ["http", "static", "pack", "--directory", "public"]]) {
    const { code, written } = await runHere(args);
    assertEquals([code, written.length], [2, 1]);
    assertMatch(written[0] ?? "", /^error: (?:Missing|Unknown) command/);
    for (const usage of USAGES) assertStringIncludes(written[0] ?? "", usage);
  }
});

/** Ways to end, a file that goes away when the bar is drawn, and what is printed after the bar. */
const ENDS: readonly (readonly [string, string | undefined, number, RegExp])[] = [
  ["what it has written", undefined, 0, /^out: Wrote /],
  ["what went wrong", "public/sub/b.css", 1, /^error: .*b\.css/],
];
for (const [what, vanishing, expected, last] of ENDS) {
  Deno.test(`package on a terminal draws a bar, and clears it before it prints ${what}`, async () => {
    await withProject(FILES, async ({ folder }) => {
      const args = ["--directory", join(folder, "public"), "--output-dir", folder];
      const { code, written } = await runHere([...PACKAGE, ...args], () => {
        if (vanishing !== undefined) Deno.removeSync(join(folder, vanishing));
      });
      assertEquals([code, written.length], [expected, 3]);
      const [drawn, cleared, printed = ""] = written;
      assertEquals(drawn, "bar: \r\x1b[K0/2 [--------------------] a.");
      assertEquals(cleared, "bar: \r\x1b[K");
      assertMatch(printed, last);
      assertEquals(printed.match(/\p{Cc}/gu), ["\n"]);
    });
  });
}
