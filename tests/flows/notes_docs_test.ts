import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { routerBuilder, type TypedRouter } from "@gatehouse/http/native";
import type { Connection } from "../../examples/notes/api.ts";
import { packagedAssets } from "../../examples/notes/assets.ts";
import { addDocsRoutes } from "../../examples/notes/docs.ts";

const DOCUMENT = '{"openapi":"3.1.0","info":{"title":"Nötes","version":"1"},"paths":{}}';

/** A service with a start page and the documentation only. */
async function docsRouter(
  document: () => string | Promise<string> = () => DOCUMENT,
): Promise<TypedRouter<Connection>> {
  const assets = await packagedAssets(await Deno.makeTempDir());
  const router = routerBuilder<Connection>().static("/assets", assets).build()
    .get("/", () => new Response("start page"));
  addDocsRoutes(router, { document, assets });
  return router;
}

async function docsPage(): Promise<string> {
  return await (await (await docsRouter()).request("/docs")).text();
}

/** The values of `src` and `href` in a page. */
function references(page: string): string[] {
  return [...page.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, value = ""]) => value);
}

Deno.test("/docs has a language, a viewport and a fallback without scripts", async () => {
  const response = await (await docsRouter()).request("/docs");
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
  const page = await response.text();
  assertMatch(page, /^\s*<!DOCTYPE html>\s*<html lang="en">/);
  assertMatch(page, /<meta name="viewport" content="width=device-width, initial-scale=1">/);
  assertMatch(page, /<title>[^<]+<\/title>/);
  assertMatch(page, /<noscript>[^]+ href="\/openapi\.json"[^]+<\/noscript>/);
});

Deno.test("/docs allows resources of this service only", async () => {
  const { headers } = await (await docsRouter()).request("/docs");
  assertEquals(headers.get("content-security-policy")?.split("; "), [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]);
});

Deno.test("/docs has no inline script, style or handler", async () => {
  const page = await docsPage();
  assertEquals(page.match(/<script[^>]*>(?!<\/script>)|<style|\s(?:style|on\w+)=/g), null);
});

Deno.test("/docs refers to existing paths of this service only", async () => {
  const router = await docsRouter();
  const found = references(await docsPage());
  assertEquals(found.includes("/"), true);
  for (const path of found) {
    if (path === "data:,") continue; // there is no icon
    assertMatch(path, /^\/(?!\/)/);
    const response = await router.request(path);
    assertEquals(response.status, 200, path);
    await response.body?.cancel();
  }
});

Deno.test("/docs starts the renderer after it is loaded, without an external validator", async () => {
  const scripts = references(await docsPage()).filter((path) => path.endsWith(".js"));
  assertEquals(scripts, ["/docs/swagger-ui-bundle.js", "/assets/docs.js"]);
  const [renderer = "", start = ""] = await Promise.all(scripts.map(async (path) => {
    return await (await (await docsRouter()).request(path)).text();
  }));
  assertMatch(renderer, /SwaggerUIBundle/);
  assertMatch(start, /\burl: "\/openapi\.json"/);
  assertMatch(start, /\bvalidatorUrl: null\b/);
  assertEquals(start.match(/\/\//g), null);
});

Deno.test("/docs loads no images or fonts in its style sheets", async () => {
  const styles = references(await docsPage()).filter((path) => path.endsWith(".css"));
  assertEquals(styles, ["/docs/swagger-ui.css", "/assets/docs.css"]);
  for (const path of styles) {
    const style = await (await (await docsRouter()).request(path)).text();
    assertEquals(style.match(/@import|@font-face|url\((?!["']?data:)[^)]*\)/g), null, path);
  }
});

/** Files and their types. */
const FILES: readonly (readonly [path: string, type: string])[] = [
  ["/docs/swagger-ui.css", "text/css; charset=utf-8"],
  ["/assets/docs.css", "text/css; charset=utf-8"],
  ["/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
  ["/assets/docs.js", "text/javascript; charset=utf-8"],
  ["/docs", "text/html; charset=utf-8"],
  ["/openapi.json", "application/json"],
];
for (const [path, type] of FILES) {
  Deno.test(`${path} responds with its type, also to HEAD, and with 304 to a current ETag`, async () => {
    const router = await docsRouter();
    const first = await router.request(path);
    const tag = first.headers.get("etag") ?? "";
    assertEquals([first.status, first.headers.get("content-type")], [200, type]);
    assertMatch(tag, /^"[0-9a-f]{64}"$/);
    assertNotEquals(await first.text(), "");

    const head = await router.request(path, { method: "HEAD" });
    assertEquals([head.status, head.headers.get("etag"), await head.text()], [200, tag, ""]);
    assertEquals(head.headers.get("content-type"), type);

    for (const field of [tag, `W/${tag}`, `"x", ${tag}`]) {
      const again = await router.request(path, { headers: { "If-None-Match": field } });
      assertEquals([again.status, again.headers.get("etag"), await again.text()], [304, tag, ""]);
    }
    const other = await router.request(path, { headers: { "If-None-Match": '"x"' } });
    assertEquals(other.status, 200);
    await other.body?.cancel();
  });
}

Deno.test("/openapi.json is the current document", async () => {
  let document = DOCUMENT;
  const router = await docsRouter(() => Promise.resolve(document));
  const first = await router.request("/openapi.json");
  assertEquals(await first.text(), DOCUMENT);
  document = DOCUMENT.replace('"1"', '"2"');
  const second = await router.request("/openapi.json", {
    headers: { "If-None-Match": first.headers.get("etag") ?? "" },
  });
  assertEquals([second.status, await second.text()], [200, document]);
});

for (
  const name of ["x.js", "index.html", "swagger-ui-bundle.js.map", "..%2Fdocs.ts", "__proto__"]
) {
  Deno.test(`/docs/${name} is not found`, async () => {
    const response = await (await docsRouter()).request(`/docs/${name}`);
    assertEquals([response.status, (await response.json()).code], [404, "not_found"]);
  });
}
