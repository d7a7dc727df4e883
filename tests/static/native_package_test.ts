import { contentTypeOf, type StaticAssetPackage, verifyStaticAssets } from "@gatehouse/http";
import {
  type PackageFormat,
  packageStaticAssets,
  type PackageStaticAssetsOptions,
} from "@gatehouse/http/native";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { basename, join } from "@std/path";
import { namesIn } from "../openapi/_cli.ts";
import {
  bytesOf,
  type Contents,
  HARD_FILES,
  type PackageFolder,
  withFolder,
} from "./_native_package.ts";
import { hexDigest } from "./_packages.ts";

/** SHA-256 of the contents of {@linkcode SMALL}. */
const HASHES = {
  "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "hello": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
} as const;

const SMALL: Contents = { "sub/none": "", "hello.txt": "hello" };

const HELLO =
  `"contentType":"text/plain; charset=utf-8","size":5,"hash":"${HASHES.hello}","etag":"\\"${HASHES.hello}\\""`;
const NONE = `"contentType":"application/octet-stream","size":0,"hash":"${HASHES[""]}","etag":"\\"${
  HASHES[""]
}\\""`;
const ENTRIES = `
    "hello.txt": {${HELLO},"encoding":"base64","data":"aGVsbG8="},
    "sub/none": {${NONE},"encoding":"base64","data":""}
  }
}`;
const NOTE = `// Written by packageStaticAssets(), not by hand
// deno-fmt-ignore-file
// deno-lint-ignore-file
`;

/** A format, its option, and all files that are written. */
const FORMATS: readonly (readonly [PackageFormat | undefined, Contents])[] = [
  [undefined, { "static-assets.json": `{\n  "version": 1,\n  "entries": {${ENTRIES}\n` }],
  ["json", { "static-assets.json": `{\n  "version": 1,\n  "entries": {${ENTRIES}\n` }],
  ["manifest", {
    "manifest.json": `{
  "version": 1,
  "entries": {
    "hello.txt": {${HELLO}},
    "sub/none": {${NONE}}
  }
}
`,
  }],
  ["js", {
    "static-assets.js": `// @ts-self-types="./static-assets.d.ts"
${NOTE}import { registerStaticAssets } from "@gatehouse/http/static";

export const staticAssets = {
  "version": 1,
  "entries": {${ENTRIES};

registerStaticAssets("public", staticAssets);
`,
    "static-assets.d.ts": `${NOTE}import type { StaticAssetPackage } from "@gatehouse/http/static";

export declare const staticAssets: StaticAssetPackage;
`,
  }],
  ["ts", {
    "static-assets.ts":
      `${NOTE}import { registerStaticAssets, type StaticAssetPackage } from "@gatehouse/http/static";

export const staticAssets: StaticAssetPackage = {
  "version": 1,
  "entries": {${ENTRIES};

registerStaticAssets("public", staticAssets);
`,
  }],
];
for (const [format, expected] of FORMATS) {
  Deno.test(`packageStaticAssets() writes the format ${format}`, async () => {
    await withFolder(SMALL, async ({ directory, outputDir, read }) => {
      const options = { directory, outputDir, prefix: "public", ...format && { format } };
      const names = Object.keys(expected);
      const { files, ...summary } = await packageStaticAssets(options);
      assertEquals([...files], names.map((name) => join(outputDir, name)));
      assertEquals(summary, { changed: true, entries: 2, bytes: 5 });
      assertEquals(await namesIn(outputDir), [...names].sort());
      for (const [name, text] of Object.entries(expected)) assertEquals(await read(name), text);
    });
  });
}

/** `outFile`, the option `format`, and the names of the files that are written, the package first. */
const NAMES: readonly (readonly [string, PackageFormat | undefined, readonly string[]])[] = [
  ["a.json", undefined, ["a.json"]],
  ["a.js", undefined, ["a.js", "a.d.ts"]],
  ["a.mjs", undefined, ["a.mjs", "a.d.mts"]],
  ["a.ts", undefined, ["a.ts"]],
  ["a.mts", undefined, ["a.mts"]],
  ["a.json", "json", ["a.json"]],
  ["a.json", "manifest", ["a.json"]],
  ["a.mjs", "js", ["a.mjs", "a.d.mts"]],
  ["sub/deep/a.js", undefined, ["sub/deep/a.js", "sub/deep/a.d.ts"]],
  ["../a.ts", undefined, ["../a.ts"]],
  ["./sub/../a.json", undefined, ["a.json"]],
  ["a.min.js", undefined, ["a.min.js", "a.min.d.ts"]],
  ["é #%.ts", undefined, ["é #%.ts"]],
];
for (const [outFile, format, names] of NAMES) {
  Deno.test(`packageStaticAssets() takes the file ${outFile} for the format ${format}`, async () => {
    await withFolder(SMALL, async ({ directory, outputDir, read }) => {
      const options = { directory, outputDir, outFile, ...format && { format } };
      const { files } = await packageStaticAssets(options);
      assertEquals([...files], names.map((name) => join(outputDir, name)));
      const text = await read(outFile);
      assertEquals(text.includes("aGVsbG8="), format !== "manifest");
      assertEquals(text.includes("registerStaticAssets("), !outFile.endsWith(".json"));
      assertEquals(text.includes("@ts-self-types"), /js$/.test(outFile));
    });
  });
}

Deno.test("packageStaticAssets() takes an absolute outFile, and creates its folders", async () => {
  await withFolder(SMALL, async ({ directory, folder }) => {
    const outFile = join(folder, "new/deep/a.json");
    const { files } = await packageStaticAssets({ directory, outputDir: "nowhere", outFile });
    assertEquals(files, [outFile]);
    assertEquals(await namesIn(join(folder, "new/deep")), ["a.json"]);
  });
});

/** Contradictory options, and the expected part of the message. */
const CONTRADICTIONS: readonly (readonly [
  Omit<PackageStaticAssetsOptions, "directory">,
  string,
])[] = [
  [{ outFile: "a.json", format: "js" }, "a.json does not match the format js"],
  [{ outFile: "a.js", format: "ts" }, "a.js does not match the format ts"],
  [{ outFile: "a.d.ts", format: "ts" }, "a.d.ts does not match the format ts"],
  [{ outFile: "a.ts", format: "manifest" }, "a.ts does not match the format manifest"],
  [{ outFile: "a.mjs", format: "json" }, "a.mjs does not match the format json"],
  [{ outFile: "a" }, "the name of a does not match"],
  [{ outFile: "a.cjs" }, "a.cjs does not match"], // CommonJS could not import registerStaticAssets()
  [{ outFile: "a.JSON" }, "a.JSON does not match"],
  [{ outFile: "json" }, "the name of json does not match"],
  [{ outFile: "" }, "does not match"],
  [{ outFile: "." }, "does not match"],
  [{ outFile: "a.js/" }, "does not match"],
  [{ prefix: "" }, "the prefix is empty"],
  [{ format: "manifest", compress: true }, "no contents to compress"],
  [{ format: "yaml" as PackageFormat }, 'unknown format "yaml"'],
  [{ format: "constructor" as PackageFormat }, 'unknown format "constructor"'],
  [{ format: "" as PackageFormat }, 'unknown format ""'],
];
for (const [options, message] of CONTRADICTIONS) {
  Deno.test(`packageStaticAssets() rejects ${JSON.stringify(options)}`, async () => {
    await withFolder(SMALL, async ({ directory, outputDir }) => {
      const packaging = () => packageStaticAssets({ directory, outputDir, ...options });
      assertStringIncludes((await assertRejects(packaging, TypeError)).message, message);
      assertEquals(await namesIn(outputDir), []);
    });
  });
}

/** A folder or prefix, and the key under which a module registers itself. */
const KEYS: readonly (readonly [string, string])[] = [
  ["public", "public"],
  ["./public", "public"],
  ["public/", "public"],
  [".//./public//", "public"],
  ["./public/assets/", "public/assets"],
  ["../public/", "../public"],
  ["/", "/"],
  [".", "."],
  [`a"b\\c\u2028`, `a"b\\c\u2028`],
];
for (const [prefix, key] of KEYS) {
  Deno.test(`packageStaticAssets() registers ${JSON.stringify(prefix)} as ${JSON.stringify(key)}`, async () => {
    await withFolder(SMALL, async ({ directory, outputDir, read }) => {
      await packageStaticAssets({ directory, outputDir, prefix, format: "js" });
      const [, text = ""] = /^registerStaticAssets\((.*), staticAssets\);$/ms.exec(
        await read("static-assets.js"),
      ) ?? [];
      assertEquals(JSON.parse(text), key);
    });
  });
}

Deno.test("packageStaticAssets() registers a module under the folder if there is no prefix", async () => {
  await withFolder(SMALL, async ({ directory, outputDir, read }) => {
    await packageStaticAssets({ directory: `${directory}//`, outputDir, format: "ts" });
    assertStringIncludes(
      await read("static-assets.ts"),
      `registerStaticAssets(${JSON.stringify(directory)}, staticAssets);`,
    );
  });
});

Deno.test("packageStaticAssets() packages every name and content", async () => {
  await withFolder(HARD_FILES, async (folder) => {
    const pkg = await packageJson(folder);
    assertEquals(Object.keys(pkg.entries).sort(), Object.keys(HARD_FILES).sort());
    await verifyStaticAssets(pkg);
    for (const [key, contents] of Object.entries(HARD_FILES)) {
      const expected = bytesOf(contents);
      const hash = await hexDigest(expected);
      const { data, ...metadata } = pkg.entries[key] ?? { data: "?" };
      assertEquals(metadata, {
        contentType: contentTypeOf(key),
        size: expected.length,
        hash,
        etag: `"${hash}"`,
        encoding: "base64",
      }, key);
      assert(data === expected.toBase64(), key);
    }
  });
});

Deno.test("packageStaticAssets() writes entries in the order of their keys", async () => {
  const keys = ["b", "a/z", "a.txt", "a-b", "B", "é", "a/b/c", "10", "9", "🦕", "\uffee", "zz"];
  await withFolder(Object.fromEntries(keys.map((key) => [key, key])), async (folder) => {
    await packageStaticAssets({ ...folder, format: "manifest" });
    const text = await folder.read("manifest.json");
    const written = [...text.matchAll(/^ {4}"(.*?)": /gm)].map(([, key]) => key);
    assertEquals(written, [...keys].sort());
  });
});

Deno.test("packageStaticAssets() omits hidden names, at any depth", async () => {
  const hidden = [".env", ".git/config", "a/.b/c", "a/..c", "a/b/.d.txt", "...e"];
  const shown = ["a/b/c.", "a/b/c.d", "env"];
  const files = Object.fromEntries([...hidden, ...shown].map((path) => [path, "SECRET"]));
  await withFolder(files, async (folder) => {
    assertEquals(Object.keys((await packageJson(folder)).entries), shown);
  });
});

Deno.test("packageStaticAssets() takes a folder inside a hidden one", async () => {
  await withFolder({ ".dist/a.txt": "a" }, async ({ directory, ...rest }) => {
    const pkg = await packageJson({ ...rest, directory: join(directory, ".dist") });
    assertEquals(Object.keys(pkg.entries), ["a.txt"]);
  });
});

Deno.test("packageStaticAssets() packages a folder without files", async () => {
  await withFolder({ "sub/.hidden": "" }, async ({ directory, outputDir, read }) => {
    for (const format of ["json", "manifest", "js", "ts"] as const) {
      const { entries, bytes } = await packageStaticAssets({ directory, outputDir, format });
      assertEquals([entries, bytes], [0, 0]);
    }
    const empty = { version: 1, entries: {} };
    assertEquals(JSON.parse(await read("static-assets.json")), empty);
    assertEquals(JSON.parse(await read("manifest.json")), empty);
  });
});

async function packageJson(
  { directory, outputDir, read }: Pick<PackageFolder, "directory" | "outputDir" | "read">,
): Promise<StaticAssetPackage> {
  const { files } = await packageStaticAssets({ directory, outputDir, format: "json" });
  assertEquals(files.map((path) => basename(path)), ["static-assets.json"]);
  return JSON.parse(await read("static-assets.json"));
}
