/**
 * `/outbox`: what the service would have mailed, while it runs for development.
 *
 * @module
 */

import type { AccountMessageKind } from "@gatehouse/http";
import type { OutboxMessage } from "../outbox.ts";
import { type Html, html } from "./html.ts";
import { pageResponse } from "./layout.ts";
import { timeOf } from "./time.ts";

/** What each message is about, as the subject of a mail says it. */
const SUBJECTS: Readonly<Record<AccountMessageKind, string>> = {
  verify_email: "Verify your address",
  change_email: "Verify your new address",
  email_changing: "Your address is about to change",
  email_changed: "Your address was changed",
  reset_password: "Choose a new password",
  sign_in_link: "Sign in by this link",
  sign_in_code: "Sign in by this code",
};

/** Creates the page. @param messages The newest first. */
export function outboxPage(messages: readonly OutboxMessage[]): Response {
  return pageResponse({
    title: "Outbox",
    headers: { "Cache-Control": "no-store" },
    hasSecretUrl: true, // the links on it are secrets
    content: html`
      <h1>Outbox</h1>
      <p>
        This page stands in for mail. The service runs for development, on this machine, and sends nothing: what it would
        mail to anybody is shown here to everybody, newest first, until it stops. At a public address there is no such page.
      </p>
      <p><a class="button quiet" href="/outbox">Look again</a></p>
      ${messages.length === 0 ? html`<p>There are no messages.</p>` : html`
        <ul class="cards">${messages.map(messageItem)}</ul>
      `}
    `,
  });
}

/** Says where the messages are. */
export function outboxHint(hasOutbox: boolean): Html | undefined {
  if (!hasOutbox) return undefined;
  return html`
    <p
      class="hint">This service runs for development: its mail is in the <a href="/outbox">outbox</a>.</p>
  `;
}

function messageItem({ kind, to, url, code, expiresAt, sentAt }: OutboxMessage): Html {
  return html`
    <li class="card" data-kind="${kind}">
      <h2>${SUBJECTS[kind]}</h2>
      <p class="meta">To ${to}, ${timeOf(sentAt)}</p>
      ${url === undefined ? undefined : html`<p class="link"><a href="${url}">${url}</a></p>`}
      ${code === undefined ? undefined : html`<p><code class="secret">${code}</code></p>`}
      ${expiresAt === undefined
        ? undefined
        : html`<p class="meta">Good until ${timeOf(expiresAt)}</p>`}
    </li>
  `;
}
