/**
 * What a package of 10 MB costs in each format: its size, and the time until a fresh process can serve from it:
 * `deno task bench:packages`.
 *
 * `--rounds=7` is the default. Every run imports a copy of its own, so that no cache has it.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { fromFileUrl, join, toFileUrl } from "@std/path";
import { type PackageFormat, packageStaticAssets } from "../static/native_package.ts";
import { output } from "./_command.ts";
import { median } from "./_measure.ts";
import { kibibytes, numberOption, table } from "./_table.ts";

/** Source that looks like what is served: four fifths of noise, and text that packs well. */
const NOISE_FILES = 80;
const TEXT_FILES = 20;
const FILE_BYTES = 100_000;

/** A row: how a process comes to have the package, given the URL and the path of its file. */
interface Way {
  readonly name: string;
  readonly format: PackageFormat;
  readonly compress: boolean;
  readonly program: (url: string, path: string) => string;
}

const PROJECT = fromFileUrl(new URL("..", import.meta.url));
const STATIC = toFileUrl(join(PROJECT, "static/mod.ts")).href;
const NATIVE = toFileUrl(join(PROJECT, "router/builder/native_static.ts")).href;

const importModule = (url: string): string => `await import(${JSON.stringify(url)});`;
const importJson = (url: string): string =>
  `const { default: pkg } = await import(${JSON.stringify(url)}, { with: { type: "json" } });
   mountStatic("/assets", { directory: "x", package: pkg });`;
const readJson = (_url: string, path: string): string =>
  `mountNative("/assets", { directory: "x", manifest: ${JSON.stringify(path)} });`;

const WAYS: readonly Way[] = [
  { name: "js", format: "js", compress: false, program: importModule },
  { name: "js, compress", format: "js", compress: true, program: importModule },
  { name: "ts", format: "ts", compress: false, program: importModule },
  { name: "json, imported", format: "json", compress: false, program: importJson },
  { name: "json, by its path", format: "json", compress: false, program: readJson },
];

/** Milliseconds that a fresh process takes. What does not depend on the package is imported before. */
async function coldStart(path: string, { program }: Way): Promise<number> {
  const script = `${path}.main.js`;
  await Deno.writeTextFile(
    script,
    `import { mountStatic } from ${JSON.stringify(STATIC)};
     import { mountStatic as mountNative } from ${JSON.stringify(NATIVE)};
     const start = performance.now();
     ${program(toFileUrl(path).href, path)}
     console.log(performance.now() - start);`,
  );
  const config = join(PROJECT, "deno.json");
  return Number(await output([Deno.execPath(), "run", "-A", "--config", config, script]));
}

async function writeFiles(folder: string): Promise<void> {
  for (let i = 0; i < NOISE_FILES; i++) {
    const bytes = new Uint8Array(FILE_BYTES);
    for (let at = 0; at < bytes.length; at += 50_000) {
      crypto.getRandomValues(bytes.subarray(at, at + 50_000));
    }
    await Deno.writeFile(join(folder, `noise${i}.bin`), bytes);
  }
  const text = "export function add(a, b) { return a + b; }\n";
  for (let i = 0; i < TEXT_FILES; i++) {
    const numbered = text.replace("add", `add${i}`);
    await Deno.writeTextFile(
      join(folder, `text${i}.js`),
      numbered.repeat(FILE_BYTES / numbered.length),
    );
  }
}

async function main(): Promise<void> {
  const rounds = numberOption("rounds", 7);
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_bench_" });
  try {
    const directory = join(folder, "files");
    await Deno.mkdir(directory);
    await writeFiles(directory);
    const times = WAYS.map((): number[] => []);
    const sizes: number[] = [];
    const writes: number[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const [i, way] of WAYS.entries()) {
        const { format, compress } = way;
        const outputDir = join(folder, `${round}_${i}`);
        const start = performance.now();
        const { files: [path = ""] } = await packageStaticAssets({
          directory,
          outputDir,
          format,
          compress,
        });
        writes[i] = performance.now() - start;
        sizes[i] = (await Deno.stat(path)).size;
        times[i]?.push(await coldStart(path, way));
        await Deno.remove(outputDir, { recursive: true });
      }
    }
    const source = (NOISE_FILES + TEXT_FILES) * FILE_BYTES;
    console.log(
      `Deno ${Deno.version.deno}; ${NOISE_FILES + TEXT_FILES} files, ${kibibytes(source)} KiB\n`,
    );
    console.log(table(
      ["format", "KiB", "written in ms", "ready in ms"],
      WAYS.map(({ name }, i) => [
        name,
        kibibytes(sizes[i] ?? NaN),
        (writes[i] ?? NaN).toFixed(0),
        median(times[i] ?? []).toFixed(0),
      ]),
    ));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
