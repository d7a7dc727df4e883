import { createRouter, generateOpenAPI, HttpError, json } from "@gatehouse/http";
import { docsPage, type DocsPageOptions } from "@gatehouse/http/docs";
import {
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";

const DOCUMENT = { openapi: "3.1.1", info: { title: "Nötes", version: "1" }, paths: {} };

function docsRouter(options: Partial<DocsPageOptions> = {}) {
  return createRouter().mount("/docs", docsPage({ document: DOCUMENT, ...options }));
}

async function textOf(path: string, options?: Partial<DocsPageOptions>): Promise<string> {
  return await (await docsRouter(options).request(path)).text();
}

/** The values of `src`, `href` and `data-url` in a page. */
function references(page: string): string[] {
  return [...page.matchAll(/\s(?:src|href|data-url)="([^"]*)"/g)].map(([, value = ""]) => value);
}

Deno.test("docsPage() has a language, a viewport and a fallback without scripts", async () => {
  const page = await textOf("/docs");
  assertMatch(page, /^<!DOCTYPE html>\s*<html lang="en">/);
  assertMatch(page, /<meta name="viewport" content="width=device-width, initial-scale=1">/);
  assertMatch(page, /<noscript>[^]+ href="\.\/docs\/openapi\.json"[^]+<\/noscript>/);
});

Deno.test("docsPage() allows resources of its origin only, and no frame around it", async () => {
  const { headers } = await docsRouter().request("/docs");
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

Deno.test("docsPage() has no inline script, style or handler", async () => {
  const page = await textOf("/docs", { csrf: "/auth/csrf", persistAuthorization: true });
  assertEquals(page.match(/<script[^>]*>(?!<\/script>)|<style|\s(?:style|on\w+)=/g), null);
});

/** Where the page is mounted, and where it is opened. */
const PLACES: readonly (readonly [mounted: string, opened: string, why: string])[] = [
  ["/docs", "/docs", "a mount"],
  ["/docs", "/docs/", "its path with a slash at the end"],
  ["/docs", "/docs?x=/y", "a query, which is not the path"],
  ["/api/v1/docs", "/api/v1/docs", "a longer path"],
  ["/:place", "/a%20b", "a path that is encoded"],
  ["/:place", "/a:b", "a path that looks like a scheme"],
  ["/:place", "/a&amp", "a path that looks like markup"],
];
for (const [mounted, opened, why] of PLACES) {
  Deno.test(`docsPage() finds its files from ${opened}: ${why}`, async () => {
    const inner = createRouter().mount(mounted, docsPage({ document: DOCUMENT }));
    const router = createRouter().mount("/", inner);
    const markup = await (await router.request(opened)).text();
    const found = references(markup.replaceAll("&#38;", "&"));
    assertEquals(found.length, 7);
    for (const path of found.filter((one) => one !== "data:,")) {
      const { pathname, origin } = new URL(path, `http://localhost${opened}`);
      assertEquals(origin, "http://localhost");
      const response = await router.request(pathname);
      assertEquals(response.status, 200, pathname);
      await response.body?.cancel();
    }
  });
}

Deno.test("docsPage() is usable as a server of its own", async () => {
  const { fetch } = docsPage({ document: DOCUMENT });
  const response = await fetch(new Request("http://localhost/"));
  assertMatch(await response.text(), / src="\.\/docs\.js"/);
});

Deno.test("docsPage() escapes what it is given", async () => {
  const attack = `"'><script>alert(1)</script>`;
  const page = await textOf("/docs", { title: attack, csrf: attack });
  assertEquals(page.includes("alert(1)<"), false);
  const untitled = { ...DOCUMENT, info: { title: attack } };
  assertEquals((await textOf("/docs", { document: untitled })).includes("alert(1)<"), false);
});

Deno.test("docsPage() takes its title from the document", async () => {
  assertMatch(await textOf("/docs"), /<title>Nötes<\/title>/);
  assertMatch(await textOf("/docs", { title: "API" }), /<title>API<\/title>/);
});

Deno.test("docsPage() loads no images or fonts in its style sheets, and validates nowhere else", async () => {
  for (const path of ["/docs/swagger-ui.css", "/docs/docs.css"]) {
    const style = await textOf(path);
    assertEquals(style.match(/@import|@font-face|url\((?!["']?data:)[^)]*\)/g), null, path);
  }
  const script = await textOf("/docs/docs.js");
  assertMatch(script, /\bvalidatorUrl: null\b/);
  assertEquals(script.match(/https?:/g), null);
});

/** Files and their types. */
const FILES: readonly (readonly [path: string, type: string])[] = [
  ["/docs", "text/html; charset=utf-8"],
  ["/docs/swagger-ui.css", "text/css; charset=utf-8"],
  ["/docs/docs.css", "text/css; charset=utf-8"],
  ["/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
  ["/docs/docs.js", "text/javascript; charset=utf-8"],
  ["/docs/openapi.json", "application/json"],
];
for (const [path, type] of FILES) {
  Deno.test(`docsPage() serves ${path} with its type, also to HEAD, and 304 to a current ETag`, async () => {
    const router = docsRouter();
    const first = await router.request(path);
    const tag = first.headers.get("etag") ?? "";
    assertEquals([first.status, first.headers.get("content-type")], [200, type]);
    assertEquals(first.headers.get("x-content-type-options"), "nosniff");
    assertEquals(first.headers.get("cache-control"), "no-cache");
    assertMatch(tag, /^"[0-9a-f]{64}"$/);
    assertNotEquals(await first.text(), "");

    const head = await router.request(path, { method: "HEAD" });
    assertEquals([head.status, head.headers.get("etag"), await head.text()], [200, tag, ""]);
    assertEquals(head.headers.get("content-type"), type);

    const headers = { "If-None-Match": `"x", W/${tag}` };
    const again = await router.request(path, { headers });
    assertEquals([again.status, again.headers.get("etag"), await again.text()], [304, tag, ""]);
    const other = await router.request(path, { headers: { "If-Match": '"x"' } });
    assertEquals([other.status, (await other.json()).code], [412, "precondition_failed"]);
  });
}

for (
  const name of ["x.js", "index.html", "swagger-ui-bundle.js.map", "..%2Fdocs.ts", "__proto__"]
) {
  Deno.test(`docsPage() does not find /docs/${name}`, async () => {
    const response = await docsRouter().request(`/docs/${name}`);
    assertEquals([response.status, (await response.json()).code], [404, "not_found"]);
  });
}

Deno.test("docsPage() refuses methods that would change something", async () => {
  const response = await docsRouter().request("/docs", { method: "POST" });
  assertEquals([response.status, response.headers.get("allow")], [405, "GET, HEAD"]);
  assertEquals((await response.json()).code, "method_not_allowed");
});

function refuse(): never {
  throw new HttpError(401, "unauthenticated");
}

Deno.test("docsPage() is behind the guard that its mount is behind, and in no document", async () => {
  const router = createRouter().withAuth({ guard: refuse })
    .get("/", () => json(1), { auth: false });
  const page = docsPage({ document: () => generateOpenAPI(DOCUMENT.info, router) });
  router.mount("/docs", page).mount("/open", page, { auth: false });
  assertEquals((await router.request("/docs/openapi.json")).status, 401);
  const document = await (await router.request("/open/openapi.json")).json();
  assertEquals(Object.keys(document.paths), ["/"]);
});

Deno.test("docsPage() asks for the document once, at the first request, and again after a failure", async () => {
  let calls = 0;
  const { fetch } = docsPage({
    document() {
      calls++;
      if (calls === 1) throw new Error("not yet");
      return Promise.resolve(DOCUMENT);
    },
  });
  const ask = () => fetch(new Request("http://localhost/openapi.json"));
  assertEquals(calls, 0);
  await assertRejects(ask, Error, "not yet");
  assertEquals(await Promise.all([ask(), ask()].map(async (one) => (await one).status)), [
    200,
    200,
  ]);
  assertEquals(await (await ask()).json(), DOCUMENT);
  assertEquals(calls, 2);
});

Deno.test("docsPage() takes the renderer from its option, and nothing else from there", async () => {
  const asked: string[] = [];
  const assets = {
    fetch({ url }: Request) {
      asked.push(new URL(url).pathname);
      return new Response("own");
    },
  };
  assertEquals(await textOf("/docs/swagger-ui.css", { assets }), "own");
  assertEquals(await textOf("/docs/swagger-ui-bundle.js", { assets }), "own");
  assertNotEquals(await textOf("/docs/docs.js", { assets }), "own");
  assertNotEquals(await textOf("/docs/other.js", { assets }), "own");
  assertEquals(asked, ["/swagger-ui.css", "/swagger-ui-bundle.js"]);
});

/** Options that are refused. */
const REFUSED: readonly (readonly [why: string, options: unknown, message: string])[] = [
  ["no options", undefined, "options must be an object"],
  ["no document", {}, "document must be of type object or function"],
  ["null as document", { document: null }, "document must be of type object or function"],
  ["a misspelt option", { document: DOCUMENT, persist: true }, "unknown option persist"],
  ["a title that is no text", { document: DOCUMENT, title: 1 }, "title must be of type string"],
  ["a path that is no text", { document: DOCUMENT, csrf: true }, "csrf must be of type string"],
  ["a word as flag", { document: DOCUMENT, persistAuthorization: "no" }, "must be of type boolean"],
  ["assets that are a path", { document: DOCUMENT, assets: "x" }, "assets must be of type object"],
  ["assets without fetch", { document: DOCUMENT, assets: {} }, "assets.fetch must be a function"],
];
for (const [why, options, message] of REFUSED) {
  Deno.test(`docsPage() refuses ${why}`, () => {
    assertThrows(() => docsPage(options as DocsPageOptions), TypeError, message);
  });
}
