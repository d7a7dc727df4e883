import { mountStatic, type StaticAssetPackage, verifyStaticAssets } from "@gatehouse/http";
import { packageStaticAssets } from "@gatehouse/http/native";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { EXHAUSTIVE } from "../_effort.ts";
import { runDeno } from "../openapi/_cli.ts";
import { randomNumbers } from "./_random.ts";
import { bytesOf, type Contents, HARD_FILES, withFolder } from "./_native_package.ts";
import { hexDigest, noise } from "./_packages.ts";
import { withProcess } from "./_servers.ts";

const CONFIG = ["--config", join(ROOT, "deno.json")] as const;

/** Serves packages of every format in every way until its input ends. */
const serverOf = (directory: string, outputDir: string) => `
import { mountStatic } from "@gatehouse/http/native";
import { mountStatic as mountPortable, verifyStaticAssets } from "@gatehouse/http/static";
import { staticAssets as js } from "./static-assets.js";
import { staticAssets as ts } from "./static-assets.ts";
import json from "./static-assets.json" with { type: "json" };

for (const pkg of [js, ts, json]) await verifyStaticAssets(pkg);
const none = { directory: "nowhere" };
const mounts = [
  mountPortable("/js/portable", { directory: "from-js" }),
  mountStatic("/js/native", { directory: "./from-js/" }),
  mountPortable("/js/package", { ...none, package: js }),
  mountPortable("/ts/portable", { directory: "./assets/from-ts" }),
  mountStatic("/ts/native", { directory: "assets/from-ts//" }),
  mountStatic("/ts/package", { ...none, package: ts }),
  mountPortable("/json/package", { ...none, package: json }),
  mountPortable("/json/manifest", { ...none, manifest: json }),
  mountStatic("/json/path", { ...none, manifest: ${
  JSON.stringify(join(outputDir, "static-assets.json"))
} }),
  mountStatic("/manifest/path", ${
  JSON.stringify({ directory, manifest: join(outputDir, "manifest.json") })
}),
];
const { addr } = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
  const mount = mounts.find(({ prefix }) => new URL(request.url).pathname.startsWith(prefix + "/"));
  return mount?.fetch(request) ?? new Response(null, { status: 500 });
});
console.log(JSON.stringify({ port: addr.port, prefixes: mounts.map(({ prefix }) => prefix) }));
while (await Deno.stdin.read(new Uint8Array(1)) !== null);
Deno.exit(0);
`;

/** Expected media types; the other extensions are unknown. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ...["a b", "e\u0301", "100%", "a%2Fb", "a#b?c&d=e+f;g", "a.b."].map((name) =>
    [`${name}.txt`, "text/plain; charset=utf-8"] as const
  ),
  ["Upper.TXT", "text/plain; charset=utf-8"],
  ["日本/é.html", "text/html; charset=utf-8"],
  ["🦕.svg", "image/svg+xml"],
  ["</script>.js", "text/javascript; charset=utf-8"],
  ["\"quotes' `and` ${more}.js", "text/javascript; charset=utf-8"],
  ["long.css", "text/css; charset=utf-8"],
]);

for (const compress of EXHAUSTIVE ? [false, true] : [true]) {
  const how = compress ? "packed" : "plain";
  Deno.test(`packageStaticAssets() and mounts serve every file unchanged over HTTP, ${how}`, async () => {
    await withFolder(HARD_FILES, async ({ directory, outputDir }) => {
      const options = { directory, outputDir, compress };
      await packageStaticAssets({ ...options, format: "json" });
      await packageStaticAssets({ ...options, format: "js", prefix: "./from-js/" });
      await packageStaticAssets({ ...options, format: "ts", prefix: "assets/from-ts" });
      await packageStaticAssets({ directory, outputDir, format: "manifest" });
      const main = join(outputDir, "main.ts");
      await Deno.writeTextFile(main, serverOf(directory, outputDir));
      const args = ["run", "--allow-net=127.0.0.1", "--allow-read", "--no-prompt", ...CONFIG, main];
      await withProcess(args, async ({ line }) => {
        const { port, prefixes } = JSON.parse(await line());
        assertEquals(prefixes.length, 10);
        for (const prefix of prefixes) {
          for (const [key, contents] of Object.entries(HARD_FILES)) {
            const path = key.split("/").map(encodeURIComponent).join("/");
            const url = `http://127.0.0.1:${port}${prefix}/${path}`;
            await checkFile(url, key, bytesOf(contents), prefix !== "/manifest/path");
          }
        }
      });
    });
  });
}

async function checkFile(
  url: string,
  key: string,
  contents: Uint8Array<ArrayBuffer>,
  packaged: boolean,
): Promise<void> {
  const get = await fetch(url);
  const bytes = await get.bytes();
  assertEquals(get.status, 200, url);
  assertEquals(await hexDigest(bytes), await hexDigest(contents), url);
  const contentType = TYPES.get(key) ?? "application/octet-stream";
  assertEquals(get.headers.get("content-type"), contentType, url);
  assertEquals(get.headers.get("content-encoding"), null, url);
  const etag = get.headers.get("etag") ?? "";
  if (packaged) assertEquals(etag, `"${await hexDigest(contents)}"`, url);
  else assertMatch(etag, /^W\/"/, url); // a manifest lists what may be served; contents come from the file
  if (packaged) assertEquals(get.headers.get("content-length"), `${contents.length}`, url);

  const head = await fetch(url, { method: "HEAD" });
  assertEquals([head.status, await head.text()], [200, ""], url);
  assertEquals(head.headers.get("content-length"), `${contents.length}`, url);
  for (const name of ["content-type", "etag"]) {
    assertEquals(head.headers.get(name), get.headers.get(name), url);
  }
  const again = await fetch(url, { headers: { "If-None-Match": `"other", ${etag}` } });
  assertEquals([again.status, await again.text(), again.headers.get("etag")], [304, "", etag], url);
}

/** Names of modules, and how they are imported. */
const MODULES: readonly (readonly [string, string])[] = [
  ["static-assets.js", "./static-assets.js"],
  ["static-assets.ts", "./static-assets.ts"],
  ["a.mjs", "./a.mjs"],
  ["a.mts", "./a.mts"],
  ["a b#c?d%41'\".js", "./a%20b%23c%3Fd%2541'%22.js"],
];
for (const [outFile, specifier] of EXHAUSTIVE ? MODULES : MODULES.slice(0, 1)) {
  Deno.test(`packageStaticAssets() writes ${outFile} with types, and ignored by formatter and linter`, async () => {
    await withFolder(HARD_FILES, async ({ directory, outputDir }) => {
      const { files } = await packageStaticAssets({ directory, outputDir, outFile });
      const main = join(outputDir, "main.ts");
      await Deno.writeTextFile(
        main,
        `import type { StaticAssetPackage } from "@gatehouse/http/static";
        import { staticAssets } from ${JSON.stringify(specifier)};
        const pkg: StaticAssetPackage = staticAssets;
        // @ts-expect-error -- it has another type
        const text: string = staticAssets;
        // @ts-expect-error -- it is read-only
        staticAssets.version = 2;
        console.log(pkg === staticAssets, typeof text, Object.keys(pkg.entries).length);`,
      );
      const config = [...CONFIG, "--quiet"];
      assertEquals(await runDeno(["check", ...config, main], outputDir), {
        code: 0,
        stdout: "",
        stderr: "",
      });
      const run = await runDeno(["run", "--check", ...config, main], outputDir);
      assertEquals([run.stderr, run.code], ["", 0]);
      const count = Object.keys(HARD_FILES).length;
      assertEquals(run.stdout, `true object ${count}\n`);
      if (outFile.includes("?")) return; // a glob for the formatter and the linter
      for (const tool of [["fmt", "--check"], ["lint"]]) {
        const { code, stderr } = await runDeno([...tool, "--no-config", ...files], outputDir);
        assertEquals(code, 0, stderr);
      }
    });
  });
}

const SMALL: Contents = {
  "one": "1",
  "two.txt": "22",
  "three.txt": "333",
  "text.txt": "To be, or not to be. ".repeat(30),
  "noise.bin": noise(500),
};
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

for (const compress of [false, true]) {
  const how = compress ? "packed" : "plain";
  Deno.test(`Packages detect a changed byte of their contents, ${how}`, async () => {
    await withFolder(SMALL, async ({ directory, outputDir, read }) => {
      await packageStaticAssets({ directory, outputDir, compress });
      const pkg: StaticAssetPackage = JSON.parse(await read("static-assets.json"));
      const next = randomNumbers(20_250_101);
      for (const [key, contents] of Object.entries(SMALL)) {
        const { data, ...asset } = pkg.entries[key] ?? { data: "", encoding: "" };
        const bytes = Uint8Array.fromBase64(data);
        for (let at = 0; at < bytes.length; at++) {
          const flipped = bytes.map((byte, i) => i === at ? byte ^ (1 + next(255)) : byte);
          const changed = edit(pkg, key, { data: flipped.toBase64() });
          const outcome = await serve(changed, key);
          // A changed bit in gzip's own fields can leave the contents the same
          const same = asset.encoding !== "base64" && outcome === textOf(contents);
          assertEquals(same ? undefined : outcome, undefined, `byte ${at} of ${key}`);
          assertEquals(await isVerified(changed), same, `byte ${at} of ${key}`);
        }
      }
    });
  });

  Deno.test(`Packages never serve other contents after a changed character, ${how}`, async () => {
    await withFolder(SMALL, async ({ directory, outputDir, read }) => {
      await packageStaticAssets({ directory, outputDir, compress });
      const text = await read("static-assets.json");
      const next = randomNumbers(20_250_102);
      let noticed = 0;
      for (let round = 0; round < 600; round++) {
        const at = next(text.length);
        const char = next(4) === 0 ? String.fromCharCode(32 + next(95)) : ALPHABET[next(64)];
        const changed = text.slice(0, at) + char + text.slice(at + 1);
        for (const [key, contents] of Object.entries(SMALL)) {
          const outcome = await serveText(changed, key);
          if (outcome === undefined) noticed++;
          else assertEquals(outcome, textOf(contents), `character ${at} for ${key}: ${char}`);
        }
      }
      assert(noticed > 500, `${noticed}`);
    });
  });
}

/** Members of an entry that do not match its contents. */
const MISFITS:
  readonly (readonly [string, (entry: StaticAssetPackage["entries"][string]) => object])[] = [
    ["one byte less", ({ size }) => ({ size: size - 1 })],
    ["one byte more", ({ size }) => ({ size: size + 1 })],
    ["another digest", () => ({ hash: "0".repeat(64), etag: `"${"0".repeat(64)}"` })],
    ["another entity tag", () => ({ etag: `"${"0".repeat(64)}"` })],
    ["a weak entity tag", ({ etag }) => ({ etag: `W/${etag}` })],
    ["another encoding", ({ encoding }) => ({
      encoding: encoding === "base64" ? "gzip+base64" : "base64",
    })],
    ["no data", () => ({ data: "" })],
  ];
for (const [what, misfit] of MISFITS) {
  Deno.test(`Packages with ${what} are rejected`, async () => {
    await withFolder(SMALL, async ({ directory, outputDir, read }) => {
      for (const compress of [false, true]) {
        await packageStaticAssets({ directory, outputDir, compress });
        const pkg: StaticAssetPackage = JSON.parse(await read("static-assets.json"));
        for (const [key, entry] of Object.entries(pkg.entries)) {
          const changed = edit(pkg, key, misfit(entry));
          assertEquals(await serve(changed, key), undefined, key);
          assertEquals(await isVerified(changed), false, key);
        }
      }
    });
  });
}

function edit(pkg: StaticAssetPackage, key: string, members: object): StaticAssetPackage {
  const entries = Object.entries(pkg.entries).map(([name, entry]) =>
    [name, name === key ? { ...entry, ...members } : entry] as const
  );
  return { version: 1, entries: Object.fromEntries(entries) };
}

/** The served contents; `undefined` if the change is detected, or there is no file. */
async function serve(pkg: StaticAssetPackage, key: string): Promise<string | undefined> {
  try {
    const mount = mountStatic("/", { directory: "x", package: pkg });
    const response = await mount.fetch(new Request(`http://localhost/${key}`));
    return response?.status === 200 ? textOf(await response.bytes()) : undefined;
  } catch {
    return undefined;
  }
}

async function serveText(text: string, key: string): Promise<string | undefined> {
  try {
    return await serve(JSON.parse(text), key);
  } catch {
    return undefined;
  }
}

async function isVerified(pkg: StaticAssetPackage): Promise<boolean> {
  try {
    await verifyStaticAssets(pkg);
    return true;
  } catch {
    return false;
  }
}

/** A comparable representation. */
function textOf(contents: Contents[string]): string {
  return bytesOf(contents).toBase64();
}
