/**
 * `/sessions`: where the reader is signed in. `assets/sessions.js` ends what is not wanted any more.
 *
 * @module
 */

import type { SessionInfo } from "@gatehouse/http";
import { browserName } from "./browser_name.ts";
import { type Html, html } from "./html.ts";
import { pageResponse, type Reader } from "./layout.ts";

/** What the page shows. */
export interface SessionPage {
  /** Who reads it. */
  readonly reader: Reader;
  /** The reader's sessions, the one used last first. */
  readonly sessions: readonly SessionInfo[];
  /** The session that the page is read in. */
  readonly currentId: string | undefined;
}

/** Makes the page. */
export function sessionPage({ reader, sessions, currentId }: SessionPage): Response {
  const others = sessions.filter(({ id }) => id !== currentId);
  const current = sessions.filter(({ id }) => id === currentId);
  return pageResponse({
    title: "Your sessions",
    reader,
    script: "sessions",
    content: html`
      <h1>Your sessions</h1>
      <p>Browsers in which you are signed in. End those that you do not know or use no more.</p>
      <p id="session-message" class="message" role="alert" tabindex="-1"></p>
      <p id="session-status" class="notice" role="status" tabindex="-1"></p>
      <ul id="sessions" class="sessions">
        ${current.map((session) => sessionItem(session, true))}
        ${others.map((session) => sessionItem(session, false))}
      </ul>
      ${others.length === 0
        ? html`<p>You are signed in nowhere else.</p>`
        : html`<p><button id="end-others" disabled>End all other sessions</button></p>`}
    `,
  });
}

function sessionItem(
  { id, userAgent, createdAt, activeAt, lasting }: SessionInfo,
  isCurrent: boolean,
): Html {
  const name = browserName(userAgent);
  return html`
    <li class="card" data-id="${id}">
      <h2 id="name-${id}">${name}</h2>
      ${isCurrent ? html`<p><strong class="badge">This browser</strong></p>` : undefined}
      <p class="meta" id="times-${id}">
        Signed in ${timeOf(createdAt)}, last used ${timeOf(activeAt)}${lasting
          ? ", kept signed in"
          : ""}
      </p>
      ${isCurrent ? undefined : html`
        <button class="quiet" disabled
          aria-describedby="name-${id} times-${id}">End this session</button>
      `}
    </li>
  `;
}

/** A time to the minute, which `assets/sessions.js` writes as people do where they are. */
function timeOf(seconds: number): Html {
  const iso = new Date(seconds * 1000).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}
