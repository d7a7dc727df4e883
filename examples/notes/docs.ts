/**
 * `/docs`, where people read the API and try it out, and the OpenAPI document that it shows.
 *
 * @module
 */

import { empty, HttpError, type TypedRouter } from "@gatehouse/http";
import { DOCS_ASSETS } from "./docs_assets.ts";
import { etag, isUnchanged } from "./etag.ts";
import { html, htmlResponse } from "./html.ts";

/** Options of {@linkcode addDocsRoutes}. */
export interface DocsRoutesOptions {
  /** Gives the text of the OpenAPI document, in JSON. Every request for it asks again. */
  readonly document: () => string | Promise<string>;
}

/** Scripts and styles are files of this service, and requests go nowhere else. Icons in the style sheet are `data:`. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; " +
  "img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Adds the routes. */
export function addDocsRoutes(router: TypedRouter, options: DocsRoutesOptions): void {
  const { document } = options;

  router
    .get("/openapi.json", async (req) => {
      return textResponse(req.headers, await document(), "application/json");
    }, { openapi: false })
    .get("/docs", docsPage, { openapi: false })
    .get("/docs/:file", async (req) => {
      const asset = DOCS_ASSETS.get(req.params.file);
      if (asset === undefined) throw new HttpError(404, "not_found");
      return textResponse(req.headers, await asset.load(), asset.type);
    }, { openapi: false });
}

function docsPage(): Response {
  const content = html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>API – Notes</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/docs/swagger-ui.css">
        <link rel="stylesheet" href="/docs/docs.css">
        <script src="/docs/swagger-ui-bundle.js" defer></script>
        <script src="/docs/docs.js" defer></script>
      </head>
      <body>
        <nav><a href="/">Back to the notes</a></nav>
        <main id="docs"></main>
        <noscript>
          This page needs JavaScript; the <a href="/openapi.json">OpenAPI document</a> does not.
        </noscript>
      </body>
    </html>
  `;
  return htmlResponse(content, {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "same-origin",
  });
}

/** A text whose version is its digest, RFC 9110 §8.8.3. */
async function textResponse(headers: Headers, text: string, type: string): Promise<Response> {
  const bytes = new TextEncoder().encode(text);
  const version = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  if (isUnchanged(headers, version)) return empty(304, { headers: { ETag: etag(version) } });
  return new Response(bytes, { headers: { "Content-Type": type, ETag: etag(version) } });
}
