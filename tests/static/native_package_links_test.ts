import { contentTypeOf } from "@gatehouse/http";
import { packageStaticAssets } from "@gatehouse/http/native";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { namesIn, runDeno } from "../openapi/_cli.ts";
import { type Contents, evaluate, makeLinks, withFolder, writeFiles } from "./_native_package.ts";

const FILES: Contents = {
  "a.txt": "a",
  "sub/b.txt": "b",
  "sub/deep/c.txt": "c",
  ".env": "SECRET",
  ".hidden/d.txt": "SECRET",
  "sub/.git/e.txt": "SECRET",
};
/** Keys of {@linkcode FILES} that are packaged. */
const OWN = ["a.txt", "sub/b.txt", "sub/deep/c.txt"];
/** Files next to the folder. */
const BESIDE: Contents = { "secret.txt": "SECRET", "public2/f.txt": "SECRET" };

/** Links by their path in the folder; `$` is the folder's own path. */
type Links = Readonly<Record<string, string>>;

/** Targets of links, the links, and the additional packaged keys with their contents. */
const FOLLOWED: readonly (readonly [string, Links, Readonly<Record<string, string>>])[] = [
  ["a file", { "link.txt": "a.txt" }, { "link.txt": "a" }],
  ["a file, by its absolute path", { "link.txt": "$/a.txt" }, { "link.txt": "a" }],
  ["a file above", { "sub/link.txt": "../a.txt" }, { "sub/link.txt": "a" }],
  ["a file, under another type", { "link.css": "a.txt" }, { "link.css": "a" }],
  ["a link to a file", { "one": "two", "two": "a.txt" }, { one: "a", two: "a" }],
  ["a folder", { "link": "sub" }, { "link/b.txt": "b", "link/deep/c.txt": "c" }],
  ["a folder in another", { "link": "sub/deep" }, { "link/c.txt": "c" }],
  ["a folder next to the link", { "sub/link": "deep" }, { "sub/link/c.txt": "c" }],
  ["the same folder twice", { "x": "sub/deep", "y": "sub/deep" }, {
    "x/c.txt": "c",
    "y/c.txt": "c",
  }],
  [
    "a file inside, by a path through the outside",
    { "link.txt": "../public/a.txt" },
    { "link.txt": "a" },
  ],
  // Hidden links are not followed
  ["invalid targets, and are hidden", { ".link": "../secret.txt", ".loop": "." }, {}],
];
for (const [what, links, besides] of FOLLOWED) {
  Deno.test(`packageStaticAssets() follows links to ${what}`, async () => {
    await withLinks(links, async ({ directory, outputDir, read }) => {
      await packageStaticAssets({ directory, outputDir });
      const { entries } = JSON.parse(await read("static-assets.json"));
      assertEquals(Object.keys(entries), [...OWN, ...Object.keys(besides)].sort());
      for (const [key, text] of Object.entries(besides)) {
        assertEquals(entries[key].data, btoa(text));
        assertEquals(entries[key].contentType, contentTypeOf(key));
      }
    });
  });
}

Deno.test("packageStaticAssets() takes a folder through a link", async () => {
  await withLinks({ "../link": "public" }, async ({ folder, outputDir, read }) => {
    await packageStaticAssets({ directory: join(folder, "link"), outputDir });
    assertEquals(Object.keys(JSON.parse(await read("static-assets.json")).entries), OWN);
  });
});

const OUT = "points outside the folder or to a hidden entry";
const CIRCLE = "points to a folder that contains it";
const NOWHERE = "is broken";

/** Target of a link, the links, the key in the message, and why. */
const REJECTED: readonly (readonly [string, Links, string, string])[] = [
  ["a file outside", { "link.txt": "../secret.txt" }, "link.txt", OUT],
  ["a file outside, by its absolute path", { "link.txt": "$/../secret.txt" }, "link.txt", OUT],
  ["a file outside, by a link", { "one": "two", ".two": "../secret.txt", "two": ".two" }, "", OUT],
  ["the folder above", { "sub/link": "../.." }, "sub/link", OUT],
  ["a folder whose name starts with the folder's name", { "link": "../public2" }, "link", OUT],
  ["the root of the file system", { "link": "/" }, "link", OUT],
  ["a device", { "link": "/dev/zero" }, "link", OUT],
  ["a hidden file", { "link": ".env" }, "link", OUT],
  ["a hidden folder", { "link": ".hidden" }, "link", OUT],
  ["a file in a hidden folder", { "link": "sub/.git/e.txt" }, "link", OUT],
  ["nothing", { "sub/link": "nothing" }, "sub/link", NOWHERE],
  ["nothing outside", { "link": "../nothing" }, "link", NOWHERE],
  ["a path under a file", { "link": "a.txt/x" }, "link", NOWHERE],
  ["itself", { "link": "link" }, "link", NOWHERE],
  ["itself through another link", { "one": "two", "two": "one" }, "", NOWHERE],
  ["the folder that is packaged", { "link": "." }, "link", CIRCLE],
  ["the folder that it is in", { "sub/link": "../sub" }, "sub/link", CIRCLE],
  ["a folder that links back", { "sub/link": "../other", "other/link": "../sub" }, "", CIRCLE],
];
for (const [what, links, key, why] of REJECTED) {
  Deno.test(`packageStaticAssets() rejects a link to ${what}`, async () => {
    await withLinks(links, async ({ directory, outputDir }) => {
      const message = await failureOf({ directory, outputDir });
      assertMatch(message, /^Cannot package "[\w./]+": /);
      assertStringIncludes(message, key === "" ? "" : `"${key}"`);
      assertStringIncludes(message, why);
      assert(!message.includes("SECRET"));
      assertEquals(await namesIn(outputDir), []);
    });
  });
}

/** Files that cannot be served, and code that creates them at `path`. */
const SPECIAL: readonly (readonly [string, string])[] = [
  ["a pipe", `new Deno.Command("mkfifo", { args: [path] }).outputSync();`],
  [
    "a socket",
    `Deno.listen({ transport: "unix", path }); // Deno.exit() leaves the file
     Deno.exit(0);`,
  ],
  [
    "a link to a pipe",
    `Deno.mkdirSync("pipes");
     new Deno.Command("mkfifo", { args: ["sub/z"] }).outputSync();
     Deno.symlinkSync("z", path);`,
  ],
];
for (const [what, code] of SPECIAL) {
  Deno.test({
    name: `packageStaticAssets() rejects ${what}`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await withFolder(FILES, async ({ directory, outputDir }) => {
        await evaluate(`const path = "sub/special"; ${code}`, directory);
        assert((await namesIn(join(directory, "sub"))).includes("special"));
        assertMatch(
          await failureOf({ directory, outputDir }),
          /^Cannot package "sub\/(?:special|z)": it is neither a file nor a folder$/,
        );
        assertEquals(await namesIn(outputDir), []);
      });
    },
  });
}

Deno.test({
  name: "packageStaticAssets() rejects names that no path can express",
  ignore: Deno.build.os === "windows",
  async fn() {
    for (const name of ["a\\b", "a\nb", "\t", "a\x7f", "\x1b[31m"]) {
      await withFolder({ ...FILES, [`sub/${name}`]: "" }, async ({ directory, outputDir }) => {
        const message = await failureOf({ directory, outputDir });
        assertEquals(
          message,
          `Cannot package ${JSON.stringify(`sub/${name}`)}: no URL path can express its name`,
        );
      });
    }
  },
});

/** Unreadable paths. Root ignores file permissions, but not those of Deno. */
for (const path of ["sub/b.txt", "sub/deep", "."]) {
  Deno.test(`packageStaticAssets() names ${path} if it is unreadable`, async () => {
    await withFolder(FILES, async ({ folder, directory, outputDir }) => {
      const program = join(folder, "main.ts");
      await Deno.writeTextFile(
        program,
        `import { contentTypeOf } from "@gatehouse/http";
import { packageStaticAssets } from ${
          JSON.stringify(toFileUrl(join(ROOT, "static/native_package.ts")).href)
        };
        await packageStaticAssets(${JSON.stringify({ directory, outputDir })})
          .catch((error) => console.log(error.message));`,
      );
      const denied = join(directory, path);
      const args = ["--config", join(ROOT, "deno.json"), `--deny-read=${denied}`, program];
      const { stdout, stderr } = await runDeno(
        ["run", "--no-prompt", "--allow-read", "--allow-write", ...args],
        folder,
      );
      assertEquals(stderr, "");
      assertStringIncludes(stdout, denied.replace(/\/\.$/, ""));
      assertEquals(await namesIn(outputDir), []);
    });
  });
}

/** Links next to the folder that point into it, and the output options. */
const INTO: readonly (readonly [string, Links, { outputDir: string; outFile?: string }])[] = [
  ["of a folder", { "../link": "public" }, { outputDir: "link" }],
  ["of a folder in it", { "../link": "public/sub" }, { outputDir: "link" }],
  ["of a folder to a hidden one", { "../link": "public/.hidden" }, { outputDir: "link" }],
  ["to a parent of a folder that does not exist", { "../link": "public" }, {
    outputDir: "link/new",
  }],
  ["to a parent of outFile", { "../link": "public" }, {
    outputDir: ".",
    outFile: "link/new/a.json",
  }],
  ["of the file", { "../out/a.json": "../public/a.txt" }, { outputDir: "out", outFile: "a.json" }],
  ["of a file that does not exist", { "../out/a.json": "../public/new.json" }, {
    outputDir: "out",
    outFile: "a.json",
  }],
  ["of the types of a module", { "../out/a.d.ts": "../public/new.d.ts" }, {
    outputDir: "out",
    outFile: "a.js",
  }],
];
for (const [where, links, { outputDir, outFile }] of INTO) {
  Deno.test(`packageStaticAssets() does not write through a link ${where} into the folder`, async () => {
    await withLinks(links, async ({ folder, directory }) => {
      const before = await namesIn(directory);
      const message = await failureOf({
        directory,
        outputDir: join(folder, outputDir),
        ...outFile !== undefined && { outFile },
      });
      assertStringIncludes(message, "the output file must be outside the folder");
      assertEquals(await namesIn(directory), before);
      assertEquals(await Deno.readTextFile(join(directory, "a.txt")), "a");
    });
  });
}

Deno.test("packageStaticAssets() writes through a link that points elsewhere, and keeps the link", async () => {
  const links = { "../out/static-assets.json": "../real.json" };
  await withLinks(links, async ({ folder, directory, outputDir }) => {
    for (const changed of [true, false]) {
      assertEquals((await packageStaticAssets({ directory, outputDir })).changed, changed);
      const { isSymlink } = await Deno.lstat(join(outputDir, "static-assets.json"));
      assertEquals(isSymlink, true);
    }
    assertStringIncludes(await Deno.readTextFile(join(folder, "real.json")), '"version": 1');
  });
});

/** Creates {@linkcode FILES} and links in a folder while a test runs, and link targets next to it. */
async function withLinks(
  links: Links,
  test: Parameters<typeof withFolder>[1],
): Promise<void> {
  await withFolder({ ...FILES, "other/.keep": "" }, async (folder) => {
    await writeFiles(folder.folder, BESIDE);
    const targets = Object.entries(links).map(([path, target]) =>
      [path, target.replace("$", folder.directory)] as const
    );
    await makeLinks(folder.directory, Object.fromEntries(targets));
    await test(folder);
  });
}

async function failureOf(
  options: Parameters<typeof packageStaticAssets>[0],
): Promise<string> {
  try {
    await packageStaticAssets(options);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error("It was packaged");
}
