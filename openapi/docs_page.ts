/**
 * A page that shows an OpenAPI document, and tries out its operations.
 *
 * @module
 */

import { originalRequest } from "../router/original_request.ts";
import { problem } from "../router/problem.ts";
import { checkPreconditions } from "../static/conditional.ts";
import { checkNames } from "../static/options.ts";
import {
  CONTENT_SECURITY_POLICY,
  DOCS_SCRIPT,
  DOCS_STYLE,
  docsMarkup,
  type DocsPageParts,
} from "./_docs_files.ts";
import { readInstalled, RENDERER_FILES } from "./_docs_renderer.ts";

/** Options of {@linkcode docsPage}. */
export interface DocsPageOptions {
  /** The document, or a function that returns it: called at the first request, and again only if it fails. */
  readonly document: DocsDocument | (() => DocsDocument | Promise<DocsDocument>);
  /** Title of the page. @default the document's */
  readonly title?: string;
  /**
   * Path of the route that issues CSRF tokens: `/auth/csrf`. Requests that are tried out and change state then carry a
   * token. @default none is sent
   */
  readonly csrf?: string;
  /**
   * Whether the browser keeps what is entered at "Authorize", in `localStorage` where every script of the origin can read
   * it, after the page is closed. @default {false}
   */
  readonly persistAuthorization?: boolean;
  /**
   * Where the files `swagger-ui.css` and `swagger-ui-bundle.js` of `swagger-ui-dist` are, for hosts without packages at run
   * time: a mount of `mountStatic("/", …)`. @default the installed package
   */
  readonly assets?: DocsAssets;
}

/** An OpenAPI document: what `generateOpenAPI()` returns, or an imported `openapi.json`. */
export interface DocsDocument {
  /** Version of OpenAPI: `3.1.1`. */
  readonly openapi: string;
  /** General information. */
  readonly info: {
    /** Title of the API. */
    readonly title: string;
  };
}

/** Serves the renderer's files at `/swagger-ui.css` and `/swagger-ui-bundle.js`. */
export interface DocsAssets {
  /** Answers a request for one of them. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** An application for `router.mount()`. */
export interface DocsPage {
  /** Answers a request, whose path is below that of the page. Usable unbound. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** A file, and its entity tag. */
interface DocsFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/**
 * Creates a page that shows an OpenAPI document with Swagger UI, and the document beside it as `openapi.json`. Install
 * `swagger-ui-dist` version 5. Nothing is loaded from other hosts: the page has a strict Content-Security-Policy, cannot be
 * framed, and sends requests to its own origin only. All files have an `ETag` and are revalidated.
 *
 * On Deno, an application that is deployed without `deno install` also imports the package, so that it is downloaded:
 * `import "swagger-ui-dist/package.json" with { type: "json" }`. Node needs version 20.16.
 *
 * @throws {TypeError} If an option is unknown, missing or of a wrong type.
 *
 * @example
 * ```ts
 * import { createRouter, generateOpenAPI, json } from "@gatehouse/http";
 * import { docsPage } from "@gatehouse/http/docs";
 * import { assertEquals } from "@std/assert";
 *
 * const info = { title: "Hello", version: "1.0.0" };
 * const router = createRouter().get("/", () => json("hello"));
 * router.mount("/docs", docsPage({ document: () => generateOpenAPI(info, router) }));
 *
 * const document = await (await router.request("/docs/openapi.json")).json();
 * assertEquals(Object.keys(document.paths), ["/"]);
 * ```
 */
export function docsPage(options: DocsPageOptions): DocsPage {
  checkOptions(options);
  const { document, title, csrf, persistAuthorization = false, assets } = options;
  const read = once(async () => typeof document === "function" ? await document() : document);
  const asset = (name: string, type: string) =>
    once(async () => await file(type, await readInstalled(name)));
  const renderer = Object.entries(RENDERER_FILES)
    .map(([name, type]) => [name, asset(name, type)] as const);
  const files: ReadonlyMap<string, () => Promise<DocsFile>> = new Map([
    ["openapi.json", once(async () => await file(JSON_TYPE, JSON.stringify(await read())))],
    ["docs.js", once(() => file("text/javascript; charset=utf-8", DOCS_SCRIPT))],
    ["docs.css", once(() => file("text/css; charset=utf-8", DOCS_STYLE))],
    ...assets === undefined ? renderer : [],
  ]);

  /** The page. If its renderer is missing, the failure is that of the page, which people see. */
  async function page(request: Request): Promise<DocsFile> {
    if (assets === undefined) await Promise.all(renderer.map(([, load]) => load()));
    const base = baseOf(originalRequest(request).url);
    const parts: DocsPageParts = {
      title: title ?? (await read()).info.title,
      base,
      csrf,
      persistAuthorization,
    };
    return await file("text/html; charset=utf-8", docsMarkup(parts));
  }

  return {
    async fetch(request) {
      const { method, url } = request;
      if (method !== "GET" && method !== "HEAD") {
        return problem(405, "method_not_allowed", { headers: [["Allow", "GET, HEAD"]] });
      }
      const name = new URL(url).pathname.slice(1);
      if (name === "") return respond(request, await page(request));
      const load = files.get(name);
      if (load !== undefined) return respond(request, await load());
      const isAsset = assets !== undefined && Object.hasOwn(RENDERER_FILES, name);
      return isAsset ? await assets.fetch(request) : problem(404, "not_found");
    },
  };
}

const JSON_TYPE = "application/json";

const OPTIONS: Readonly<Record<keyof DocsPageOptions, readonly string[]>> = {
  document: ["object", "function"],
  title: ["string", "undefined"],
  csrf: ["string", "undefined"],
  persistAuthorization: ["boolean", "undefined"],
  assets: ["object", "undefined"],
};

function checkOptions(options: DocsPageOptions): void {
  const cannot = "Cannot create documentation page";
  checkNames(cannot, options, OPTIONS);
  for (const [name, types] of Object.entries(OPTIONS)) {
    const value: unknown = options[name as keyof DocsPageOptions];
    if (value === null || !types.includes(typeof value)) {
      const named = types.filter((type) => type !== "undefined").join(" or ");
      throw new TypeError(`${cannot}: ${name} must be of type ${named}`);
    }
  }
  if (options.assets !== undefined && typeof options.assets.fetch !== "function") {
    throw new TypeError(`${cannot}: assets.fetch must be a function`);
  }
}

/** Calls a function at the first need. A failure is not kept. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
}

/** Files are relative to the last segment of the page's path, so that they are found behind a proxy that removes a prefix. */
function baseOf(url: string): string {
  const segment = new URL(url).pathname.split("/").at(-1);
  return segment === "" ? "./" : `./${segment}/`;
}

/** A file whose entity tag is its digest, RFC 9110 §8.8.3. */
async function file(type: string, text: string): Promise<DocsFile> {
  const bytes = new TextEncoder().encode(text);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { type, bytes, etag: `"${hex}"` };
}

function respond(request: Request, { type, bytes, etag }: DocsFile): Response {
  const status = checkPreconditions(request, etag);
  if (status === 412) return problem(412, "precondition_failed");
  const headers: Record<string, string> = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    ETag: etag,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
  };
  if (status === 304) return new Response(null, { status, headers });
  headers["Content-Type"] = type;
  return new Response(request.method === "HEAD" ? null : bytes, { headers });
}
