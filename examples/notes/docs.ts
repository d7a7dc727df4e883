/**
 * `/docs`, where people read the API and try it out, and the OpenAPI document that it shows.
 *
 * @module
 */

import {
  type ConditionalRequest,
  editHeaders,
  HttpError,
  mountStatic,
  type StaticAssetOptions,
  type TypedRouter,
} from "@gatehouse/http/native";
import type { Connection } from "./api.ts";
import { DOCS_ASSETS } from "./docs_assets.ts";
import { checkVersion, etag } from "./etag.ts";

/** Options of {@linkcode addDocsRoutes}. */
export interface DocsRoutesOptions {
  /** Returns the OpenAPI document as JSON. Called for every request. */
  readonly document: () => string | Promise<string>;
  /** The files, of which `docs.html` is the page. */
  readonly assets: StaticAssetOptions;
}

/** Scripts and styles are files of this service, and requests go nowhere else. Icons in the style sheet are `data:`. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; " +
  "img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Adds the routes. */
export function addDocsRoutes(
  router: TypedRouter<Connection>,
  { document, assets }: DocsRoutesOptions,
): void {
  const files = mountStatic("/", { ...assets, fallthrough: false });

  router
    .get("/openapi.json", async (req) => {
      return await textResponse(req, await document(), "application/json");
    }, { openapi: false })
    .get("/docs", async ({ headers }) => {
      const page = await files.fetch(new Request("http://localhost/docs.html", { headers }));
      return editHeaders(page, addPageHeaders);
    }, { openapi: false })
    .get("/docs/:file", async (req) => {
      const asset = DOCS_ASSETS.get(req.params.file);
      if (asset === undefined) throw new HttpError(404, "not_found");
      return await textResponse(req, await asset.load(), asset.type);
    }, { openapi: false });
}

function addPageHeaders(headers: Headers): void {
  headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
  headers.set("Referrer-Policy", "same-origin");
}

/** A text response whose version is its digest, RFC 9110 §8.8.3. */
export async function textResponse(
  req: ConditionalRequest,
  text: string,
  type: string,
): Promise<Response> {
  const bytes = new TextEncoder().encode(text);
  const version = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  return checkVersion(req, version) ??
    new Response(bytes, { headers: { "Content-Type": type, ETag: etag(version) } });
}
