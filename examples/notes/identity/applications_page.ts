/**
 * `/` of Notes ID: applications with access to the user's account.
 *
 * @module
 */

import { type Html, html } from "../pages/html.ts";
import { timeOf } from "../pages/time.ts";
import { SCOPES } from "./demo.ts";
import { identityPage } from "./layout.ts";

/** An application that the user has given access to. */
export interface Application {
  readonly clientId: string;
  readonly name: string;
  readonly scope: readonly string[];
  /** When it first got access, in seconds since the Unix epoch. */
  readonly since: number;
}

/** What the page shows. */
export interface ApplicationsPage {
  /** What the user signs in by. */
  readonly identifier: string;
  /** The applications. */
  readonly applications: readonly Application[];
}

/** Creates the page. */
export function applicationsPage({ identifier, applications }: ApplicationsPage): Response {
  return identityPage({
    title: "Applications",
    isSignedIn: true,
    content: html`
      <h1>Applications with access to your account</h1>
      <p class="reader">You are signed in as <strong>${identifier}</strong></p>
      ${applications.length === 0
        ? html`<p>There are none. An application is listed here once you have allowed it to access your account.</p>`
        : html`<ul class="cards">${applications.map(applicationItem)}</ul>`}
    `,
  });
}

function applicationItem({ clientId, name, scope, since }: Application): Html {
  return html`
    <li class="card">
      <h2>${name}</h2>
      <ul>${scope.map((word) => html`<li>${SCOPES[word]?.description ?? word}</li>`)}</ul>
      <p class="meta">Has access since ${timeOf(since)}</p>
      <form action="/revoke" method="post" enctype="multipart/form-data">
        <input type="hidden" name="client" value="${clientId}">
        <button class="quiet" aria-label="Revoke the access of ${name}">Revoke</button>
      </form>
    </li>
  `;
}
