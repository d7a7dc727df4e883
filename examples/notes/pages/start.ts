/**
 * The start page: the reader's notes, a search and the routes of the API, documented at `/docs`. Anonymous visitors
 * see an introduction. Reading and searching work without JavaScript; adding notes needs it.
 *
 * @module
 */

import type { RouteInfo } from "@gatehouse/http";
import { type Html, html } from "./html.ts";
import { pageResponse, type Reader } from "./layout.ts";
import { outboxHint } from "./outbox.ts";
import { tourSection } from "./tour.ts";
import type { TourParts } from "./tour_cards.ts";
import type { Note } from "../note.ts";
import type { NotePage } from "../store.ts";

/** Data of the start page of a signed-in user. */
export interface StartPage extends NotePage {
  /** The reader. */
  readonly reader: Reader;
  /** The reader's address, if it is not verified. */
  readonly unverified?: string | undefined;
  /** Whether there is an outbox. */
  readonly hasOutbox?: boolean;
  /** The search that the notes were found by; empty for all. */
  readonly search: string;
  /** Whether there are newer notes before these. */
  readonly continued: boolean;
  /** Routes of the service. */
  readonly routes: readonly RouteInfo[];
}

/** Creates the start page of a signed-in user. */
export function startPage(page: StartPage): Response {
  const { reader, notes, search, routes, unverified, hasOutbox = false } = page;
  const heading = search === "" ? "Your notes" : `Notes with “${search}”`;
  return pageResponse({
    ...(search === "" ? {} : { title: heading }),
    reader,
    script: "notes",
    content: html`
      <h1>${heading}</h1>
      ${unverified === undefined ? undefined : verifyNotice(unverified, hasOutbox)}
      <form class="search" action="/" role="search">
        <label for="q">Search notes</label>
        <div class="row">
          <input id="q" name="q" type="search" maxlength="200" value="${search}">
          <button class="quiet">Search</button>
        </div>
      </form>
      <details class="card">
        <summary>Add a note</summary>
        <form id="add" action="/notes" method="post" novalidate>
          <p class="message" role="alert" tabindex="-1"></p>
          <label for="title">Title</label>
          <input id="title" name="title" required maxlength="200" aria-describedby="title-error">
          <p class="refusal" id="title-error"></p>
          <label for="text">Text</label>
          <textarea id="text" name="text" rows="4" aria-describedby="text-error"></textarea>
          <p class="refusal" id="text-error"></p>
          <button disabled>Add</button>
        </form>
      </details>
      <section id="notes" aria-label="Notes">
        ${notes.length === 0 ? html`<p>No notes here.</p>` : notes.map(noteArticle)}
      </section>
      ${pageLinks(page)}
      ${apiSection(routes)}
      <p><a href="/tour">The tour</a> leads to everything that this service shows.</p>
    `,
  });
}

function verifyNotice(address: string, hasOutbox: boolean): Html {
  return html`
    <div class="notice">
      <p>
        Verify <strong>${address}</strong> by the link that we sent there, so that you can get a new password when you
        forget yours. <a href="/security">Send it again</a>
      </p>
      ${outboxHint(hasOutbox)}
    </div>
  `;
}

/** Creates the page of the tour for a signed-in user. */
export function tourPage(tour: TourParts, reader: Reader): Response {
  return pageResponse({
    title: "Tour",
    reader,
    style: "tour",
    content: html`
      <h1>Tour</h1>
      ${tourSection(tour)}
    `,
  });
}

/** Creates the start page of an anonymous visitor, with the tour. @param routes Routes of the service. */
export function welcomePage(tour: TourParts, routes: readonly RouteInfo[]): Response {
  return pageResponse({
    reader: "nobody",
    style: "tour",
    content: html`
      <h1>Notes that only you read</h1>
      <p>
        This is the example service of Gatehouse: accounts, sessions, and notes with attachments that belong to who wrote
        them. It runs on this machine, and what you write stays here.
      </p>
      <p class="actions">
        <a class="button" href="/register">Register</a>
        <a class="button quiet" href="/sign-in">Sign in</a>
      </p>
      ${tourSection(tour)}
      ${apiSection(routes)}
    `,
  });
}

function apiSection(routes: readonly RouteInfo[]): Html {
  return html`
    <section aria-labelledby="api">
      <h2 id="api">API</h2>
      <p>
        <a href="/docs">The documentation</a> is there to read and to try out. What you send from it while you are signed in,
        you send as yourself.
      </p>
      <details>
        <summary>Its routes</summary>
        <ul class="routes">
          ${routes.filter(isDocumented).map(routeItem)}
        </ul>
      </details>
    </section>
  `;
}

function noteArticle({ id, title, text, tags, createdAt }: Note): Html {
  const time = new Date(createdAt * 1000).toISOString();
  const labels = tags.join(", ");
  return html`
    <article>
      <h2><a href="/notes/${id}">${title}</a></h2>
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
  return links.length === 0
    ? undefined
    : html`<nav class="pages" aria-label="Pages">${links}</nav>`;
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
  return html`
    <li><code>${method} ${pattern}</code></li>
  `;
}
