/**
 * `/sessions`: where the reader is signed in. `assets/sessions.js` revokes sessions.
 *
 * @module
 */

import type { SessionInfo } from "@gatehouse/http";
import { browserName } from "./browser_name.ts";
import { type Html, html } from "./html.ts";
import { pageResponse, type Reader } from "./layout.ts";
import { timeOf } from "./time.ts";

/** What the page shows. */
export interface SessionPage {
  /** The reader. */
  readonly reader: Reader;
  /** The reader's sessions, the one used last first. */
  readonly sessions: readonly SessionInfo[];
  /** The session that the page is read in. */
  readonly currentId: string | undefined;
  /** API clients in which the reader has signed in, newest first. */
  readonly programs: readonly Program[];
}

/** A signed-in API client. */
export interface Program {
  /** Which refresh tokens are its own. */
  readonly familyId: string;
  /** When the reader signed in, in seconds since the epoch. */
  readonly createdAt: number;
  /** Expiry of its refresh token, in seconds since the epoch; each refresh extends it. */
  readonly expiresAt: number;
  /** What it may do. */
  readonly scope?: readonly string[];
}

/** Creates the page. */
export function sessionPage({ reader, sessions, currentId, programs }: SessionPage): Response {
  const others = sessions.filter(({ id }) => id !== currentId);
  const current = sessions.filter(({ id }) => id === currentId);
  return pageResponse({
    title: "Your sessions",
    reader,
    script: "sessions",
    content: html`
      <h1>Your sessions</h1>
      <p>Where you are signed in. End what you do not know or use no more.</p>
      <section aria-labelledby="browsers-title">
        <h2 id="browsers-title">Browsers</h2>
        <p class="message" role="alert" tabindex="-1"></p>
        <p class="notice" role="status" tabindex="-1"></p>
        <ul id="sessions" class="cards">
          ${current.map((session) => sessionItem(session, true))}
          ${others.map((session) => sessionItem(session, false))}
        </ul>
        ${others.length === 0 ? html`<p>No other browser is signed in.</p>` : html`
          <div id="others">
            <p><button disabled aria-describedby="others-hint">End all other sessions</button></p>
            <p id="others-hint" class="hint">This signs out all programs, too.</p>
          </div>
        `}
      </section>
      ${programSection(programs)}
    `,
  });
}

function sessionItem(
  { id, userAgent, createdAt, activeAt, persistent: persistent }: SessionInfo,
  isCurrent: boolean,
): Html {
  const name = browserName(userAgent);
  return html`
    <li class="card" data-id="${id}">
      <h3 id="name-${id}">${name}</h3>
      ${isCurrent ? html`<p><strong class="badge">This browser</strong></p>` : undefined}
      <p class="meta" id="times-${id}">
        Signed in ${timeOf(createdAt)}, last used ${timeOf(activeAt)}${persistent
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

function programSection(programs: readonly Program[]): Html {
  return html`
    <section aria-labelledby="programs-title">
      <h2 id="programs-title">Programs</h2>
      <p>
        Programs that you gave your password to, as <a href="/developer">Developer</a> shows. What you sign out here gets
        no more tokens; the last one it got is good for ten minutes at most.
      </p>
      <p class="message" role="alert" tabindex="-1"></p>
      <p class="notice" role="status" tabindex="-1"></p>
      <ul id="programs" class="cards">${programs.map(programItem)}</ul>
      <p id="no-programs" ${programs.length > 0
        ? html`hidden`
        : undefined}>No program is signed in.</p>
    </section>
  `;
}

function programItem({ familyId, createdAt, expiresAt, scope = [] }: Program): Html {
  return html`
    <li class="card" data-id="${familyId}">
      <h3 id="program-${familyId}">Signed in ${timeOf(createdAt)}</h3>
      <p class="meta">Until ${timeOf(expiresAt)}, or longer while it keeps asking</p>
      <p class="meta">${scope.join(", ")}</p>
      <button class="quiet" disabled
        aria-describedby="program-${familyId}">Sign this program out</button>
    </li>
  `;
}
