/**
 * What the built-in pages have in common, and the page of an error.
 *
 * @module
 */

import { type Html, html, htmlText, trustedHtml } from "./html.ts";
import { STYLE, STYLE_HASH } from "./_page_style.ts";
import type { ConsentStrings } from "./page_strings.ts";

/** A page. */
export interface Page {
  /** Language of the page, BCP 47. */
  readonly lang: string;
  /** Its title. */
  readonly title: string;
  /** What it shows, from its heading on. */
  readonly content: Html;
  /** Status code. @default {200} */
  readonly status?: number;
  /** More header fields. Those that protect the page cannot be replaced. */
  readonly headers?: Readonly<Record<string, string>>;
  /** More directives of its `Content-Security-Policy`. */
  readonly policy?: string;
}

/**
 * Nothing loads but the style sheet, and no site can frame the page. There is no `form-action` for the pages with a form: Chromium
 * applies it to the whole chain of redirects after a POST too, and would block the one to the client.
 */
const POLICY =
  `default-src 'none'; style-src '${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'`;

/**
 * Header fields of all pages. `Cross-Origin-Opener-Policy` is not among them: a client that signs in in a popup needs the popup's
 * opener once it is back on its own site.
 */
const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer", // the URL has the client's state
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
} as const;

/** Creates a page. */
export function pageResponse(page: Page): Response {
  const { lang, title, content, status = 200, headers = {}, policy } = page;
  // The direction is that of the title, which is in the page's language
  const document = html`
    <!DOCTYPE html>
    <html lang="${lang}" dir="auto">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${title}</title>
        <style>${trustedHtml(STYLE)}</style>
      </head>
      <body>
        ${content}
      </body>
    </html>
  `;
  const response = new Response(htmlText(document), { status, headers });
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  const all = policy === undefined ? POLICY : `${POLICY}; ${policy}`;
  response.headers.set("Content-Security-Policy", all);
  return response;
}

/** Status of an error page. */
export type ErrorPageStatus = 400 | 403 | 404 | 429 | 500 | 503;

/**
 * The page of an error that is not sent to a client. It shows nothing of the request, which may be an attacker's.
 *
 * @param reason A fixed code, for those who look for the cause.
 * @param headers More header fields, such as `Retry-After`.
 */
export function errorPage(
  reason: string,
  { lang, errorTitle, error }: ConsentStrings,
  status: ErrorPageStatus,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const content = html`
    <main>
      <h1>${errorTitle}</h1>
      <p>${error}</p>
      <p class="reason"><code>${reason}</code></p>
    </main>
  `;
  const policy = "form-action 'none'";
  return pageResponse({ lang, title: errorTitle, content, status, headers, policy });
}
