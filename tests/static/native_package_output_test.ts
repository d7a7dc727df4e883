import { verifyStaticAssets } from "@gatehouse/http";
import {
  type PackageFormat,
  type PackageProgress,
  packageStaticAssets,
  type PackageStaticAssetsOptions,
} from "@gatehouse/http/native";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { namesIn } from "../openapi/_cli.ts";
import { type Contents, withFolder, writeFiles } from "./_native_package.ts";
import { noise } from "./_packages.ts";

const FORMATS: readonly PackageFormat[] = ["json", "manifest", "js", "ts"];

const FILES: Contents = {
  "index.html": "<!doctype html>\n".repeat(100),
  "css/app.css": "body { margin: 0 }",
  "img/a.png": noise(70_000),
  "none": "",
};

Deno.test("packageStaticAssets() writes the same output for the same files, whatever the other conditions", async () => {
  await withFolder(FILES, async ({ folder, directory, outputDir }) => {
    const copy = join(folder, "a copy elsewhere/with another name");
    await writeFiles(copy, Object.fromEntries(Object.entries(FILES).reverse()));
    for (const path of Object.keys(FILES)) {
      await Deno.chmod(join(copy, path), 0o755);
      await Deno.utime(join(copy, path), 1, 1);
    }
    for (const format of FORMATS) {
      for (const compress of format === "manifest" ? [false] : [false, true]) {
        const contents: unknown[] = [];
        for (const [i, from] of [directory, copy].entries()) {
          const options = { directory: from, outputDir: join(outputDir, `${i}`), format, compress };
          const { files } = await packageStaticAssets({ ...options, prefix: "public" });
          contents.push(await Promise.all(files.map((path) => Deno.readTextFile(path))));
        }
        assertEquals(contents[0], contents[1], format);
      }
    }
  });
});

for (const format of FORMATS) {
  Deno.test(`packageStaticAssets() does not rewrite unchanged files of the format ${format}`, async () => {
    await withFolder(FILES, async ({ directory, outputDir }) => {
      const options = { directory, outputDir, format };
      const first = await packageStaticAssets(options);
      for (const path of first.files) await Deno.utime(path, 1000, 1000);
      const changedAt = async () =>
        await Promise.all(
          first.files.map(async (path) => (await Deno.stat(path)).mtime?.getTime()),
        );
      const before = await changedAt();

      await Deno.utime(join(directory, "none"), 2000, 2000);
      assertEquals(await packageStaticAssets(options), { ...first, changed: false });
      assertEquals(await changedAt(), before);

      await Deno.writeTextFile(join(directory, "none"), "some");
      const second = await packageStaticAssets(options);
      assertEquals(second, { ...first, changed: true, bytes: first.bytes + 4 });
      const [package1, declaration1] = before;
      const [package2, declaration2] = await changedAt();
      assertEquals([package1 === package2, declaration1 === declaration2], [false, true]);
    });
  });
}

Deno.test("packageStaticAssets() writes the types of a module again if they were deleted", async () => {
  await withFolder(FILES, async ({ directory, outputDir }) => {
    const options = { directory, outputDir, format: "js" } as const;
    const { files } = await packageStaticAssets(options);
    await Deno.remove(files[1] ?? "");
    assertEquals((await packageStaticAssets(options)).changed, true);
    assertEquals(await namesIn(outputDir), ["static-assets.d.ts", "static-assets.js"]);
  });
});

/** Files that exist before, by name. */
const BEFORE: readonly Contents[] = [{}, {
  "static-assets.json": "old",
  "manifest.json": "old",
  "static-assets.js": "old",
  "static-assets.d.ts": "old",
  "static-assets.ts": "old",
}];
for (const before of BEFORE) {
  for (const format of FORMATS) {
    const there = Object.keys(before).length === 0 ? "nothing" : "an old package";
    Deno.test(`packageStaticAssets() that fails does not change ${there}, for the format ${format}`, async () => {
      await withFolder(FILES, async ({ directory, outputDir, read }) => {
        await writeFiles(outputDir, before);
        const fail = ({ done }: PackageProgress) => {
          if (done === 2) throw new RangeError("stop");
        };
        const packaging = () =>
          packageStaticAssets({ directory, outputDir, format, onProgress: fail });
        await assertRejects(packaging, RangeError, "stop");
        assertEquals(await namesIn(outputDir), Object.keys(before).sort());
        for (const [name, text] of Object.entries(before)) assertEquals(await read(name), text);
      });
    });
  }
}

/** Why writing fails, existing files, the output, and the name in the message. */
const UNWRITABLE: readonly (readonly [string, Contents, string, string])[] = [
  ["it is a folder", { "a.json/x": "" }, "a.json", "a.json"],
  ["it is under a file", { "file": "old" }, "file/a.json", "file"],
  ["its name is too long", {}, `${"a".repeat(300)}.json`, "aaa.json"],
];
for (const [why, files, outFile, named] of UNWRITABLE) {
  Deno.test(`packageStaticAssets() names the output if ${why}`, async () => {
    await withFolder(FILES, async ({ directory, outputDir }) => {
      await writeFiles(outputDir, files);
      const before = await namesIn(outputDir);
      const packaging = () => packageStaticAssets({ directory, outputDir, outFile });
      assertStringIncludes((await assertRejects(packaging, Error)).message, named);
      assertEquals(await namesIn(outputDir), before);
    });
  });
}

Deno.test("packageStaticAssets() writes files of the longest name", async () => {
  await withFolder(FILES, async ({ directory, outputDir }) => {
    const outFile = `${"a".repeat(250)}.json`; // file systems allow 255 bytes
    await packageStaticAssets({ directory, outputDir, outFile });
    assertEquals(await namesIn(outputDir), [outFile]);
  });
});

Deno.test("packageStaticAssets() leaves one complete package if it runs several times concurrently", async () => {
  await withFolder(FILES, async ({ directory, outputDir, read }) => {
    for (let round = 0; round < 5; round++) {
      const runs = Array.from({ length: 8 }, (_, i) => {
        const options = { directory, outputDir, compress: i % 2 === 0 };
        return packageStaticAssets({ ...options, format: i < 4 ? "json" : "js", prefix: `p${i}` });
      });
      for (const run of await Promise.allSettled(runs)) {
        assertEquals(run.status, "fulfilled", run.status === "rejected" ? `${run.reason}` : "");
      }
      await verifyStaticAssets(JSON.parse(await read("static-assets.json")));
      assert(
        /^registerStaticAssets\("p[4-7]", staticAssets\);\n$/m.test(await read("static-assets.js")),
      );
      const names = ["static-assets.d.ts", "static-assets.js", "static-assets.json"];
      assertEquals(await namesIn(outputDir), names);
    }
  });
});

/** Invalid folders; `$` is the parent folder. */
const NO_FOLDERS: readonly (readonly [string, string])[] = [
  ["nothing", "$/nowhere"],
  ["nothing in a folder that does not exist", "$/nowhere/deep/../x"],
  ["a file", "$/public/none"],
  ["under a file", "$/public/none/x"],
  ["an empty string", ""],
];
for (const [what, written] of NO_FOLDERS) {
  Deno.test(`packageStaticAssets() rejects a missing folder: ${what}`, async () => {
    await withFolder(FILES, async ({ folder }) => {
      const directory = written.replace("$", folder);
      for (const format of FORMATS) {
        const options = { directory, outputDir: join(folder, "new"), format };
        const { message } = await assertRejects(() => packageStaticAssets(options), Error);
        assertEquals(message, `Directory not found: ${directory}`);
      }
      assertEquals(await namesIn(folder), ["out", "public"]);
    });
  });
}

/** Outputs inside the packaged folder `$`. */
const INSIDE: readonly (readonly [string, Omit<PackageStaticAssetsOptions, "directory">])[] = [
  ["the folder itself", { outputDir: "$" }],
  ["the folder itself, in another spelling", { outputDir: "$/css/../" }],
  ["a folder in it", { outputDir: "$/css" }],
  ["a folder that does not exist", { outputDir: "$/new" }],
  ["a folder in one that does not exist", { outputDir: "$/new/deep/er" }],
  ["a hidden folder", { outputDir: "$/.hidden" }],
  ["a folder whose name starts with two dots", { outputDir: "$/..dots" }],
  ["a folder named with three dots", { outputDir: "$/..." }],
  ["the folder by outFile alone", { outFile: "$/a.json" }],
  ["the folder by outFile, from outside", { outputDir: "$/..", outFile: "public/css/a.json" }],
];
for (const [where, { outputDir, outFile }] of INSIDE) {
  for (const format of FORMATS) {
    Deno.test(`packageStaticAssets() does not write the format ${format} into ${where}`, async () => {
      const files = { ...FILES, ".hidden/x": "", "..dots/x": "", ".../x": "" };
      await withFolder(files, async ({ directory, outputDir: unused }) => {
        const before = await namesIn(directory);
        const ending = format === "manifest" ? "json" : format;
        const file = outFile?.replace("$", directory).replace(/json$/, ending);
        const packaging = () =>
          packageStaticAssets({
            directory,
            format,
            outputDir: (outputDir ?? unused).replace("$", directory),
            ...file !== undefined && { outFile: file },
          });
        await assertRejects(packaging, TypeError, "outside the folder");
        assertEquals(await namesIn(directory), before);
      });
    });
  }
}

/** Names of folders next to `public` that are not inside it. */
for (const name of ["public2", "publi", "..public", "public."]) {
  Deno.test(`packageStaticAssets() writes into ${name}, next to the folder`, async () => {
    await withFolder(FILES, async ({ folder, directory }) => {
      const { files } = await packageStaticAssets({ directory, outputDir: join(folder, name) });
      assertEquals(files, [join(folder, name, "static-assets.json")]);
      assertEquals((await packageStaticAssets({ directory, outputDir: folder })).changed, true);
    });
  });
}

Deno.test("packageStaticAssets() reports its progress", async () => {
  await withFolder({ b: "b", "a/c": "c" }, async ({ directory, outputDir }) => {
    for (const [format, run] of [["json", 1], ["json", 2], ["manifest", 1], ["js", 1]] as const) {
      const seen: PackageProgress[] = [];
      const onProgress = (progress: PackageProgress) => seen.push(progress);
      await packageStaticAssets({ directory, outputDir, format, onProgress });
      assertEquals(seen, [
        { done: 0, total: 2, key: "a/c" },
        { done: 1, total: 2, key: "b" },
        { done: 2, total: 2, key: undefined },
      ], `${format}, run ${run}`);
    }
  });
});
