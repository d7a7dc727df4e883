/**
 * `/developer`: the user's API keys, and how to use them. `assets/developer.js` creates and revokes the keys.
 *
 * @module
 */

import type { ApiKeyInfo } from "@gatehouse/http";
import { API_KEY_PREFIX } from "../api_key.ts";
import { type Html, html } from "./html.ts";
import { pageResponse, type Reader } from "./layout.ts";
import { timeOf } from "./time.ts";

/** What the page shows. */
export interface DeveloperPage {
  /** The reader. */
  readonly reader: Reader;
  /** The reader's keys. */
  readonly apiKeys: readonly ApiKeyInfo[];
  /** Where the service is: `http://localhost:8000`. */
  readonly origin: string;
  /** The time, in seconds since the Unix epoch. */
  readonly now: number;
}

/** Creates the page. */
export function developerPage({ reader, apiKeys, origin, now }: DeveloperPage): Response {
  return pageResponse({
    title: "Developer",
    reader,
    script: "developer",
    content: html`
      <h1>Developer</h1>
      <p>
        With a key, a program of yours reads or writes your notes, and nothing else of your account. What it can ask for
        stands in <a href="/docs">the documentation</a>.
      </p>
      ${makeSection()}
      <section aria-labelledby="keys-title">
        <h2 id="keys-title">Your keys</h2>
        <p id="key-message" class="message" role="alert" tabindex="-1"></p>
        <p id="key-status" class="notice" role="status" tabindex="-1"></p>
        <div id="api-keys">${apiKeys.length === 0 ? html`<p>You have no keys.</p>` : html`
          <ul class="cards">
            ${apiKeys.map((apiKey) => keyItem(apiKey, now))}
          </ul>
        `}</div>
      </section>
      ${trySection(origin)}
    `,
  });
}

function makeSection(): Html {
  return html`
    <section aria-labelledby="make-title">
      <h2 id="make-title">New key</h2>
      <form id="make" class="card" action="/api-keys" method="post" novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        <label for="name">What is it for?</label>
        <input id="name" name="name" required maxlength="100" autocomplete="off"
          aria-describedby="name-error">
        <p class="refusal" id="name-error"></p>
        <fieldset>
          <legend>What may it do?</legend>
          ${scopeBox("read", "Read notes")} ${scopeBox("write", "Add, change and delete notes")}
          <p class="refusal" id="scope-error"></p>
        </fieldset>
        <label for="expiresInDays">How long is it good for?</label>
        <select id="expiresInDays" name="expiresInDays" aria-describedby="expiresInDays-error">
          <option value="30">30 days</option>
          <option value="90" selected>90 days</option>
          <option value="365">A year</option>
          <option value="">Until it is revoked</option>
        </select>
        <p class="refusal" id="expiresInDays-error"></p>
        <button disabled>Make the key</button>
      </form>
      <div id="made" class="card" hidden>
        <label for="key">Your new key</label>
        <p class="hint"
          id="key-hint">Copy it to where your program keeps its secrets. It is shown this once: nobody can look it up later.</p>
        <textarea id="key" class="key" rows="3" readonly autocomplete="off" spellcheck="false"
          aria-describedby="key-hint"></textarea>
        <button id="copy" type="button">Copy the key</button>
        <p id="copy-status" class="notice" role="status"></p>
      </div>
    </section>
  `;
}

/** A checkbox for a scope. The form starts with the smaller scope. */
function scopeBox(name: "read" | "write", text: string): Html {
  const checked = name === "read" ? html`checked` : undefined;
  return html`
    <label
      class="check"><input id="${name}" name="scope" value="notes:${name}" type="checkbox" ${checked} aria-describedby="scope-error"> ${text}</label>
  `;
}

function keyItem(
  { id, name, scope, createdAt, lastUsedAt, expiresAt }: ApiKeyInfo,
  now: number,
): Html {
  const scopes = scope.join(", ");
  const hasEnded = expiresAt !== undefined && expiresAt <= now;
  return html`
    <li class="card" data-id="${id}">
      <h3>${name}</h3>
      ${hasEnded ? html`<p><strong class="badge">Expired</strong></p>` : undefined}
      <p><code>${API_KEY_PREFIX}_${id.slice(0, 8)}…</code> <span class="meta">${scopes}</span></p>
      <p class="meta">
        Made ${timeOf(createdAt)},
        ${lastUsedAt === undefined ? "never used" : html`last used ${timeOf(lastUsedAt)}`},
        ${expiresAt === undefined
          ? "does not expire"
          : html`${hasEnded ? "expired" : "expires"} ${timeOf(expiresAt)}`}
      </p>
      <button class="quiet" disabled aria-label="Revoke ${name}">Revoke</button>
    </li>
  `;
}

function trySection(origin: string): Html {
  return html`
    <section aria-labelledby="try-title">
      <h2 id="try-title">Try it</h2>
      <p>
        A key goes into a header field. It is not looked for in the address, which ends up in logs.
      </p>
      <pre>${withKey(origin)}</pre>
      <p>
        A program in which people sign in gets tokens instead: let them sign in beneath <code>/tokens</code>, which takes
        no cookies. The access token is good for ten minutes. The refresh token is exchanged for the next two, once: where
        it comes a second time, somebody has stolen it, and no more follow. Which programs are signed in stands in
        <a href="/sessions">Your sessions</a>.
      </p>
      <pre>${withTokens(origin)}</pre>
    </section>
  `;
}

/** Not every system has a curl that knows `--json`. */
const JSON_FIELD = 'JSON="Content-Type: application/json"';

function withKey(origin: string): string {
  return `KEY=${API_KEY_PREFIX}_...
curl -H "X-API-Key: $KEY" \\
  ${origin}/notes

${JSON_FIELD}
curl -H "X-API-Key: $KEY" -H "$JSON" \\
  -d '{"title":"Hello"}' \\
  ${origin}/notes`;
}

function withTokens(origin: string): string {
  return `# Sign in
${JSON_FIELD}
curl -H "$JSON" \\
  -d '{"identifier":"ada",
  "password":"..."}' \\
  ${origin}/tokens/login

# Read with the accessToken
ACCESS=...
curl ${origin}/notes \\
  -H "Authorization: Bearer $ACCESS"

# Get the next two by the refreshToken
REFRESH=...
curl -H "$JSON" \\
  -d '{"refreshToken":"'$REFRESH'"}' \\
  ${origin}/tokens/refresh

# Sign out with the newest one
REFRESH=...
curl -H "$JSON" \\
  -d '{"refreshToken":"'$REFRESH'"}' \\
  ${origin}/tokens/logout`;
}
