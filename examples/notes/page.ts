/**
 * The start page: the notes, a search and the routes of the API, documented at `/docs`. Without JavaScript it reads and
 * searches; with it, it adds notes.
 *
 * @module
 */

import type { RouteInfo } from "@gatehouse/http";
import { type Html, html, htmlResponse } from "./html.ts";
import type { Note } from "./note.ts";
import type { NotePage } from "./store.ts";

/** What the start page shows. */
export interface StartPage extends NotePage {
  /** The search that the notes were found by; empty for all. */
  readonly search: string;
  /** Whether newer notes come before these. */
  readonly continued: boolean;
  /** Routes of the service. */
  readonly routes: readonly RouteInfo[];
  /** Origin under which the client reached the service. */
  readonly origin: string;
}

/** Nothing but the own style sheet and script loads, nobody frames the page. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; " +
  "img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Makes the start page. */
export function startPage(page: StartPage): Response {
  const { notes, search, routes, origin } = page;
  const heading = search === "" ? "All notes" : `Notes with “${search}”`;
  const command = curlLine(origin);
  const content = html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${search === "" ? "Notes" : `${heading} – Notes`}</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/assets/style.css">
        <script type="module" src="/assets/notes.js"></script>
      </head>
      <body>
        <header>
          <h1>Notes</h1>
          <form action="/" role="search">
            <label for="q">Search notes</label>
            <input id="q" name="q" type="search" maxlength="200" value="${search}">
            <button>Search</button>
          </form>
        </header>
        <main>
          <h2>${heading}</h2>
          ${notes.length === 0 ? html`<p>No notes here.</p>` : notes.map(noteArticle)}
          ${pageLinks(page)}
        </main>
        <footer>
          <h2>Add a note</h2>
          <form id="add" class="add" action="/notes" method="post" hidden>
            <label for="title">Title</label>
            <input id="title" name="title" required maxlength="200">
            <label for="text">Text</label>
            <textarea id="text" name="text" rows="4"></textarea>
            <button>Add</button>
            <p id="add-status" role="status"></p>
          </form>
          <p>From a terminal:</p>
          <pre tabindex="0" role="region" aria-label="Command"><code>${command}</code></pre>
          <h2>API</h2>
          <p><a href="/docs">Read the documentation and try it out</a></p>
          <ul class="routes">
            ${routes.filter(isDocumented).map(routeItem)}
          </ul>
        </footer>
      </body>
    </html>
  `;
  return htmlResponse(content, {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "same-origin", // a search is nobody else's business
  });
}

/** A command that adds a note, for shells of every kind. */
export function curlLine(origin: string): string {
  return `curl -H "Content-Type: application/json" -d "{\\"title\\":\\"My note\\"}" ${origin}/notes`;
}

function noteArticle({ id, title, text, tags, createdAt }: Note): Html {
  const time = new Date(createdAt * 1000).toISOString();
  const labels = tags.join(", ");
  return html`
    <article>
      <h3><a href="/notes/${id}">${title}</a></h3>
      ${text === "" ? undefined : html`<p>${text}</p>`}
      <div class="meta"><time datetime="${time}">${time.slice(0, 10)}</time> ${labels}</div>
    </article>
  `;
}

function pageLinks({ next, search, continued }: StartPage): Html | undefined {
  const links: Html[] = [];
  if (search !== "") links.push(pageLink("All notes", "/"));
  if (continued) links.push(pageLink("Newest notes", pageHref(search)));
  if (next !== undefined) links.push(pageLink("Older notes", pageHref(search, next)));
  return links.length === 0 ? undefined : html`<nav aria-label="Pages">${links}</nav>`;
}

function pageLink(text: string, href: string): Html {
  return html`
    <a href="${href}">${text}</a>
  `;
}

function pageHref(search: string, cursor?: string): string {
  const query = new URLSearchParams();
  if (search !== "") query.set("q", search);
  if (cursor !== undefined) query.set("cursor", cursor);
  return query.size === 0 ? "/" : `/?${query}`;
}

function isDocumented({ mounted, options }: RouteInfo): boolean {
  return !mounted && options.openapi !== false;
}

function routeItem({ method, pattern }: RouteInfo): Html {
  const name = html`<code>${method} ${pattern}</code>`;
  const isLink = method === "GET" && !/[:*]/.test(pattern);
  return html`
    <li>${isLink ? html`<a href="${pattern}">${name}</a>` : name}</li>
  `;
}
