/**
 * What reaches a browser's or a worker's cold start: the size of one small application, bundled, minified and packed,
 * by the router it is made with, and of tokens alone. `deno task bench:size` fails if ours, with the router alone, is over
 * its target.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import { ROOT } from "../dev/_project.ts";
import { ESBUILD } from "../tests/runtimes/versions.ts";
import { VERSIONS } from "./_apps.ts";
import { output } from "./_command.ts";
import { JOSE } from "./_jwt_contestants.ts";
import { kibibytes, table } from "./_table.ts";

/** Most bytes of the router alone, packed by gzip. */
const TARGET = 10 * 1024;
const TARGET_NAME = "gatehouse, router only";

/** The same application on each: a parameter in, JSON out. Ours is written for each entry that exists. */
const APPLICATIONS: readonly (readonly [name: string, source: string])[] = [
  [TARGET_NAME, ours("router/mod.ts")],
  ["gatehouse, mod.ts", ours("mod.ts")],
  ["gatehouse, all of mod.ts", `export * from ${projectPath("mod.ts")};`],
  ["hono", honoFrom("hono")],
  ["hono/tiny", honoFrom("hono/tiny")],
  [
    "itty-router",
    `import { AutoRouter } from "itty-router";
     export default AutoRouter().get("/hello/:name", ({ params }) => ({ hello: params.name }));`,
  ],
  [
    "h3",
    `import { H3 } from "h3";
     export default new H3().get("/hello/:name", ({ context }) => ({ hello: context.params.name }));`,
  ],
  [
    "elysia",
    `import { Elysia } from "elysia";
     export default new Elysia().get("/hello/:name", ({ params }) => ({ hello: params.name }));`,
  ],
];

/** Signing and verifying tokens. Ours takes sets of keys as it is. */
const TOKENS: readonly (readonly [name: string, source: string])[] = [
  [
    "gatehouse, auth/jwt/jwt.ts",
    `export { signJwt, verifyJwt } from ${projectPath("auth/jwt/jwt.ts")};`,
  ],
  ["gatehouse, verifyJwt alone", `export { verifyJwt } from ${projectPath("auth/jwt/jwt.ts")};`],
  ["jose, jwtVerify and SignJWT", `export { jwtVerify, SignJWT } from "jose";`],
  [
    "jose, with createLocalJWKSet",
    `export { createLocalJWKSet, jwtVerify, SignJWT } from "jose";`,
  ],
  ["jose, jwtVerify alone", `export { jwtVerify } from "jose";`],
];

function ours(entry: string): string {
  return `import { createRouter, json } from ${projectPath(entry)};
    export default createRouter().get("/hello/:name", (req) => json({ hello: req.params.name }));`;
}

function honoFrom(entry: string): string {
  return `import { Hono } from ${JSON.stringify(entry)};
    export default new Hono().get("/hello/:name", (c) => c.json({ hello: c.req.param("name") }));`;
}

function projectPath(entry: string): string {
  return JSON.stringify(join(ROOT, entry));
}

/** The part of esbuild that is used here. */
interface Esbuild {
  build(options: {
    stdin: { contents: string; resolveDir: string };
    bundle: true;
    minify: true;
    write: false;
    metafile: true;
    format: "esm";
    platform: "browser";
    target: "es2022";
    nodePaths: string[];
    logLevel: "warning";
  }): Promise<{
    outputFiles: readonly { contents: Uint8Array<ArrayBuffer> }[];
    metafile: {
      outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
    };
  }>;
  stop(): Promise<void>;
}

/** Size of one bundle. */
interface Size {
  readonly name: string;
  readonly minified: number;
  readonly gzip: number;
  /** Minified bytes by the file that they come from. */
  readonly parts: readonly (readonly [path: string, bytes: number])[];
}

/** Installs the routers that are compared into a folder of their own, so that our lock file names none. */
async function installPeers(folder: string): Promise<string> {
  await Deno.writeTextFile(
    join(folder, "package.json"),
    JSON.stringify({ dependencies: { ...VERSIONS, jose: JOSE.split("@")[1] } }),
  );
  const install = ["install", "--node-modules-dir=auto", "--no-lock", "--quiet"];
  await output([Deno.execPath(), ...install], { cwd: folder });
  return join(folder, "node_modules");
}

async function measureSize(
  esbuild: Esbuild,
  name: string,
  source: string,
  packages: string,
): Promise<Size> {
  const { outputFiles: [file], metafile } = await esbuild.build({
    stdin: { contents: source, resolveDir: packages },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    nodePaths: [packages],
    logLevel: "warning",
  });
  if (file === undefined) throw new Error(`Cannot bundle ${name}: esbuild wrote nothing`);
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput] as const)
  );
  return { name, minified: file.contents.length, gzip: await gzipSize(file.contents), parts };
}

async function gzipSize(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(packed).arrayBuffer()).byteLength;
}

/** Percent of a bundle that is Hono's RegExpRouter. */
function regExpRouterShare({ minified, parts }: Size): number {
  const own = parts.filter(([path]) => path.includes("/hono/dist/router/reg-exp-router/"));
  return 100 * own.reduce((sum, [, bytes]) => sum + bytes, 0) / minified;
}

function isThere(source: string): boolean {
  const path = /from "(\/[^"]+)"/.exec(source)?.[1];
  if (path === undefined) return true;
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Prints a Markdown table of KiB. @returns Whether the target is met. */
async function main(): Promise<boolean> {
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_bench_" });
  const esbuild: Esbuild = await import(ESBUILD);
  try {
    const packages = await installPeers(folder);
    const measureAll = async (list: typeof APPLICATIONS): Promise<readonly Size[]> => {
      const sizes: Size[] = [];
      for (const [name, source] of list.filter(([, source]) => isThere(source))) {
        sizes.push(await measureSize(esbuild, name, source, packages));
      }
      return sizes;
    };
    const sizes = await measureAll(APPLICATIONS);
    console.log(table(
      ["application", "minified KiB", "gzip KiB", "of it Hono's RegExpRouter"],
      sizes.map((size) => [
        size.name,
        kibibytes(size.minified),
        kibibytes(size.gzip),
        `${regExpRouterShare(size).toFixed(0)} %`,
      ]),
    ));
    console.log(`\n${
      table(
        ["tokens", "minified KiB", "gzip KiB"],
        (await measureAll(TOKENS)).map(({ name, minified, gzip }) => [
          name,
          kibibytes(minified),
          kibibytes(gzip),
        ]),
      )
    }`);
    return reportTarget(sizes);
  } finally {
    await esbuild.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

function reportTarget(sizes: readonly Size[]): boolean {
  const own = sizes.find(({ name }) => name === TARGET_NAME);
  if (own === undefined) throw new Error(`Cannot find the size of ${TARGET_NAME}`);
  const met = own.gzip <= TARGET;
  console.log(
    `\n${own.name}: ${kibibytes(own.gzip)} KiB, target ${kibibytes(TARGET)}: ` +
      (met ? "met" : "missed"),
  );
  if (!met) {
    console.error("Its largest parts, minified bytes:");
    for (const [path, bytes] of own.parts.toSorted(([, a], [, b]) => b - a).slice(0, 20)) {
      console.error(`${String(bytes).padStart(6)} ${path.replace(/^.*\/(?=[^/]+\/[^/]+$)/, "")}`);
    }
  }
  return met;
}

if (import.meta.main) Deno.exit(await main() ? 0 : 1);
