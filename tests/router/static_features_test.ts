/** staticFeatures(): compressed siblings, index files, pages of applications, immutable names, and its options. */

import { createRouter, json, staticFeatures } from "@gatehouse/http";
import { mountStatic } from "@gatehouse/http/native";
import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { makeLinks } from "../static/_native_package.ts";
import { type Mode, MODES, withSite } from "./_static_site.ts";

const FILES = {
  "index.html": "root",
  "app.js": "plain javascript",
  "app.js.br": "br",
  "app.js.gz": "gz",
  "app.js.zst": "zst",
  "app.3f9a1c2b.js": "hashed",
  "only.css": "css",
  "only.css.gz": "css gz",
  "orphan.js.br": "orphan",
  "docs/index.html": "docs",
  "docs/index.html.br": "docs br",
  "docs/a:b/index.html": "colon",
  "100%/index.html": "percent",
  "empty/a.txt": "a",
  ".env": "SECRET",
  ".env.br": "SECRET",
  ".git/index.html": "SECRET",
};

const ALL = {
  ranges: true,
  precompressed: true,
  immutable: true,
  index: "index.html",
  spa: "index.html",
  lastModified: true,
} as const;

const HTML = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const BR = { "Accept-Encoding": "gzip, br" };

/** [path, header fields, status, text or location, coding, why] */
const ROWS: readonly (readonly [
  path: string,
  headers: Record<string, string>,
  status: number,
  text: string | undefined,
  coding: string | null,
  why: string,
])[] = [
  ["app.js", {}, 200, "plain javascript", null, "no Accept-Encoding"],
  ["app.js", BR, 200, "br", "br", "the server's preference"],
  ["app.js", { "Accept-Encoding": "zstd" }, 200, "zst", "zstd", "the extension is .zst"],
  ["app.js", { "Accept-Encoding": "gzip;q=1, br;q=0.1" }, 200, "gz", "gzip", "the client's"],
  ["app.js", { "Accept-Encoding": "identity" }, 200, "plain javascript", null, "none"],
  ["app.js", { "Accept-Encoding": "*" }, 200, "br", "br", "any"],
  ["only.css", BR, 200, "css gz", "gzip", "the one that there is"],
  ["only.css", { "Accept-Encoding": "br" }, 200, "css", null, "the one that there is not"],
  ["only.css", { "Accept-Encoding": "identity;q=0" }, 200, "css", null, "§12.4.1: disregarded"],
  ["app.js.br", BR, 200, "br", null, "a sibling is a file itself"],
  ["orphan.js", BR, 404, undefined, null, "a sibling of no file"],
  ["app.js", { ...BR, Range: "bytes=1-" }, 206, "r", "br", "a range of the encoded bytes"],
  ["app.js", { ...BR, Range: "bytes=2-" }, 416, undefined, null, "past the encoded bytes"],
  ["", HTML, 200, "root", null, "the folder itself"],
  ["docs/", {}, 200, "docs", null, "a folder"],
  ["docs/", BR, 200, "docs br", "br", "its encoded index"],
  ["docs/index.html", {}, 200, "docs", null, "the index by its name"],
  ["docs", {}, 301, "docs/", null, "relative links of the page need the slash"],
  ["docs?a=1&b=/%2e", {}, 301, "docs/?a=1&b=/%2e", null, "the query is kept"],
  ["docs/a:b", {}, 301, "a%3Ab/", null, "the segment is no scheme"],
  ["100%25", {}, 301, "100%25/", null, "escaped once"],
  ["100%25/", {}, 200, "percent", null, "read once"],
  ["app.js/", {}, 404, undefined, null, "a file is no folder"],
  ["empty/", {}, 404, undefined, null, "no index, no listing"],
  ["empty", {}, 404, undefined, null, "no index, no redirect"],
  ["settings", HTML, 200, "root", null, "a navigation"],
  ["users/7/", HTML, 200, "root", null, "with a slash"],
  ["v1.2/users", HTML, 200, "root", null, "a dot before the last segment"],
  ["empty/", HTML, 200, "root", null, "a folder without an index"],
  ["settings", {}, 404, undefined, null, "no navigation: no Accept"],
  ["settings", { Accept: "*/*" }, 404, undefined, null, "fetch() and img"],
  ["settings", { Accept: "application/json" }, 404, undefined, null, "a client of an API"],
  ["settings", { Accept: "text/html;q=0" }, 404, undefined, null, "HTML is refused"],
  ["settings", { Accept: "text/htmlx" }, 404, undefined, null, "another type"],
  ["none.js", HTML, 404, undefined, null, "an extension"],
  ["users/jane.doe", HTML, 404, undefined, null, "an extension"],
  [".env", HTML, 404, undefined, null, "a hidden name"],
  [".env", BR, 404, undefined, null, "a hidden name"],
  [".git", HTML, 404, undefined, null, "a hidden folder"],
  [".git/", HTML, 404, undefined, null, "a hidden folder"],
  ["docs/.git/", HTML, 404, undefined, null, "one that there is not"],
  ["%2eenv", HTML, 404, undefined, null, "a hidden name, encoded"],
  ["..%2f", HTML, 403, undefined, null, "a way up"],
  ["..%2fsettings", HTML, 403, undefined, null, "a way up"],
  ["docs%2f..%2f..%2fx", HTML, 403, undefined, null, "a way up"],
  ["docs%2f", HTML, 404, undefined, null, "an encoded slash"],
  ["/", HTML, 404, undefined, null, "an empty segment"],
  ["/evil.example/", HTML, 404, undefined, null, "an empty segment: no host"],
  ["docs//", HTML, 404, undefined, null, "an empty segment"],
  ["%zz", HTML, 400, undefined, null, "malformed"],
  ["%5cevil.example", HTML, 404, undefined, null, "a backslash"],
];

for (const mode of MODES) {
  for (const [path, headers, status, text, coding, why] of ROWS) {
    const shown = JSON.stringify(headers).slice(0, 50);
    Deno.test(`staticFeatures() answers ${status} to /${path} ${shown}, ${mode}: ${why}`, () =>
      withSite(mode, FILES, ALL, async ({ ask }) => {
        for (const method of ["GET", "HEAD"]) {
          if (method === "HEAD" && headers["Range"] !== undefined) continue; // for GET only
          const response = await ask(`/assets/${path}`, headers, method);
          assertEquals(response.status, status);
          assertEquals(response.field("Content-Encoding"), coding);
          assertEquals(response.text.includes("SECRET"), false);
          if (status === 301) {
            assertEquals([response.field("Location"), response.text], [text, ""]);
          } else if (text !== undefined) {
            assertEquals(response.text, method === "GET" ? text : "");
            const vary = response.field("Vary")?.split(", ") ?? [];
            assertEquals(vary.includes("Accept-Encoding"), true);
            const isPage = text === "root" && path !== "";
            assertEquals(vary.includes("Accept"), isPage);
          }
        }
      }));
  }

  Deno.test(`staticFeatures() gives each encoding a tag, and 304 has Vary, ${mode}`, () =>
    withSite(mode, FILES, { precompressed: true }, async ({ ask }) => {
      const tags = new Set<string>();
      for (const accepted of ["", "br", "zstd", "gzip"]) {
        const headers = { "Accept-Encoding": accepted };
        const whole = await ask("/assets/app.js", headers);
        const etag = whole.field("ETag") ?? "";
        tags.add(etag);
        assertEquals(/^(?:W\/)?"[\w-]+"$/.test(etag), true);
        assertEquals(whole.field("Content-Type"), "text/javascript; charset=utf-8");
        assertEquals(whole.field("Vary"), "Accept-Encoding");
        const again = await ask("/assets/app.js", { ...headers, "If-None-Match": etag });
        assertEquals([again.status, again.field("ETag")], [304, etag]);
        assertEquals([again.field("Vary"), again.field("Content-Encoding")], [
          "Accept-Encoding",
          null,
        ]);
      }
      assertEquals(tags.size, 4);
      const other = { "Accept-Encoding": "br", "If-None-Match": [...tags][0] ?? "" };
      assertEquals((await ask("/assets/app.js", other)).status, 200);
      const wrong = await ask("/assets/app.js", { "If-Match": '"x"' });
      assertEquals([wrong.status, wrong.field("Vary")], [412, "Accept-Encoding"]);
    }));

  Deno.test(`staticFeatures() looks only for the codings that are listed, ${mode}`, () =>
    withSite(mode, FILES, { precompressed: ["gzip"] }, async ({ ask }) => {
      assertEquals((await ask("/assets/app.js", BR)).text, "gz");
      assertEquals(
        (await ask("/assets/app.js", { "Accept-Encoding": "br" })).text,
        FILES["app.js"],
      );
    }));

  Deno.test(`staticFeatures() redirects the mount's path to the one with a slash, ${mode}`, () =>
    withSite(mode, FILES, { index: "index.html" }, async ({ ask }) => {
      const { status, headers } = await ask("/assets?q");
      assertEquals([status, headers.get("Location")], [301, "assets/?q"]);
      assertEquals((await ask("/assets/")).text, "root");
      assertEquals((await ask("/assetsx")).status, 404);
    }));

  Deno.test(`staticFeatures() leaves misses to later routes, ${mode}`, () =>
    withSite(mode, FILES, { ...ALL, spa: undefined } as never, async ({ ask }) => {
      assertEquals((await ask("/assets/settings", HTML)).status, 0);
      assertEquals((await ask("/assets/docs", HTML)).status, 301);
      assertEquals((await ask("/assets/..%2fx", HTML)).status, 0);
    }, { fallthrough: true }));
}

/** [path, whether `immutable: true` matches, why] */
const NAMES: readonly (readonly [path: string, immutable: boolean, why: string])[] = [
  ["app.3f9a1c2b.js", true, "a hash between dots"],
  ["app-3f9a1c2b.js", true, "after a hyphen"],
  ["sub/app.3f9a1c2b4d5e6f70.min.js.map", true, "before several extensions"],
  ["app.3f9a1c2b/app.js", false, "the hash of a folder"],
  ["app.js", false, "no hash"],
  ["app.3f9a1c2.js", false, "7 digits"],
  ["report-20240101.pdf", false, "a date"],
  ["style.facadeed.css", false, "a word"],
  ["my-template.js", false, "a word"],
  ["app.3F9A1C2B.js", false, "capitals, which a regular expression may allow"],
  ["3f9a1c2b.js", false, "nothing but the hash"],
  ["app.3f9a1c2b", false, "no extension"],
];

for (const [path, immutable, why] of NAMES) {
  Deno.test(`staticFeatures() takes ${path} for ${immutable ? "immutable" : "mutable"}: ${why}`, () =>
    withSite("packaged", { [path]: "x" }, { immutable: true }, async ({ ask }) => {
      const expected = immutable ? "public, max-age=31536000, immutable" : "no-cache";
      const { headers } = await ask(`/assets/${path}`);
      assertEquals(headers.get("Cache-Control"), expected);
      const again = await ask(`/assets/${path}`, { "If-None-Match": headers.get("ETag") ?? "" });
      assertEquals([again.status, again.field("Cache-Control")], [304, expected]);
    }, { cacheControl: "no-cache" }));
}

Deno.test("staticFeatures() matches a regular expression from its start, whatever its flags", () =>
  withSite("packaged", { "assets/a.js": "x" }, { immutable: /^assets\//gy }, async ({ ask }) => {
    for (let i = 0; i < 3; i++) {
      const { headers } = await ask("/assets/assets/a.js");
      assertEquals(headers.get("Cache-Control"), "public, max-age=31536000, immutable");
    }
  }));

Deno.test("staticFeatures() does not follow links of siblings and index files out of the folder", () =>
  withSite("live", { "app.js": "plain", "docs/a.txt": "a" }, ALL, async ({ folder, ask }) => {
    await Deno.writeTextFile(join(folder, "secret"), "SECRET");
    await Deno.mkdir(join(folder, "root/.hidden"));
    await Deno.writeTextFile(join(folder, "root/.hidden/z"), "SECRET");
    await makeLinks(join(folder, "root"), {
      "app.js.br": "../secret",
      "app.js.gz": ".hidden/z",
      "docs/index.html": "../../secret",
      "index.html": "../secret",
    });
    const plain = await ask("/assets/app.js", BR);
    assertEquals([plain.text, plain.field("Content-Encoding")], ["plain", null]);
    for (const path of ["docs", "docs/", "", "settings", "index.html"]) {
      assertEquals((await ask(`/assets/${path}`, HTML)).status, 404, path);
    }
  }));

Deno.test("staticFeatures() are for applications whose page comes after their routes", () =>
  withSite("live", FILES, {}, async ({ folder }) => {
    const features = staticFeatures({ index: "index.html", spa: "index.html" });
    const router = createRouter()
      .get("/api/notes", () => json("notes"))
      .mount("/", mountStatic("/", { directory: join(folder, "root"), features }));
    const ask = async (path: string) =>
      await (await router.request(path, { headers: HTML })).text();
    assertEquals(await ask("/api/notes"), '"notes"');
    assertEquals(await ask("/settings"), "root");
    assertEquals(await ask("/app.js"), FILES["app.js"]);
    assertEquals(await ask("/"), "root");
  }));

Deno.test("staticFeatures() redirect within a mount under another prefix", () =>
  withSite("live", FILES, { index: "index.html" }, async ({ mount }) => {
    const router = createRouter().mount("/outer", mount);
    const { headers } = await router.request("/outer/assets/docs");
    const url = new URL(headers.get("Location") ?? "", "http://localhost/outer/assets/docs");
    assertEquals(url.href, "http://localhost/outer/assets/docs/");
  }));

/** [options, message, why] */
const INVALID: readonly (readonly [options: unknown, message: string, why: string])[] = [
  [undefined, "options must be an object", "nothing"],
  [{ range: true }, "unknown option range", "a misspelt name"],
  [{ ranges: 1 }, "ranges must be a boolean", "a number"],
  [{ lastModified: "yes" }, "lastModified must be a boolean", "a string"],
  [{ precompressed: "br" }, "precompressed must be a boolean or an array of", "a string"],
  [{ precompressed: ["deflate"] }, "precompressed must be a boolean or", "an unknown coding"],
  [{ precompressed: ["__proto__"] }, "precompressed must be a boolean or", "no coding"],
  [{ immutable: "*.js" }, "immutable must be a boolean or a regular expression", "a glob"],
  [{ index: "" }, "index must be the name of a file", "an empty name"],
  [{ index: true }, "index must be the name of a file", "no name"],
  [{ index: "a/index.html" }, "index must be the name of a file", "a path"],
  [{ index: ".env" }, "index must be the name of a file", "a hidden name"],
  [{ index: ".." }, "index must be the name of a file", "a way up"],
  [{ spa: "/index.html" }, "spa must be the path of a file", "an absolute path"],
  [{ spa: "../index.html" }, "spa must be the path of a file", "a way up"],
  [{ spa: ".hidden/index.html" }, "spa must be the path of a file", "a hidden folder"],
];

for (const [options, message, why] of INVALID) {
  Deno.test(`staticFeatures() rejects ${JSON.stringify(options)}: ${why}`, () => {
    assertThrows(
      () => staticFeatures(options as never),
      TypeError,
      `Cannot create static features: ${message}`,
    );
  });
}

Deno.test("mountStatic() rejects a page of an application with fallthrough", () => {
  const features = staticFeatures({ spa: "index.html" });
  assertThrows(
    () => mountStatic("/", { directory: "public", fallthrough: true, features }),
    TypeError,
    "mount it after them",
  );
});

Deno.test("staticFeatures() can be shared by mounts, and does nothing if nothing is asked", () => {
  const features = staticFeatures({});
  const sites: readonly Mode[] = MODES;
  return Promise.all(sites.map((mode) =>
    withSite(mode, FILES, {}, async ({ ask }) => {
      const { status, headers, text } = await ask("/assets/app.js", { ...BR, Range: "bytes=0-1" });
      assertEquals([status, text], [200, FILES["app.js"]]);
      assertEquals([headers.get("Vary"), headers.get("Accept-Ranges")], [null, null]);
      for (const path of ["docs/", "docs", "settings"]) {
        assertEquals((await ask(`/assets/${path}`, HTML)).status, 404);
      }
    }, { features })
  )).then(() => undefined);
});
