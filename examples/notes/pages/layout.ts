/**
 * What all pages have in common.
 *
 * @module
 */

import { type Html, html, htmlResponse, type HtmlValue } from "./html.ts";

/** The reader of a page. */
export interface Reader {
  /** What the user signs in by. */
  readonly identifier: string;
}

/** A page. */
export interface Page {
  /** What it is called, in front of the service's name. @default the service's name alone */
  readonly title?: string;
  /** The reader; absent if unknown, for example where a request is rejected before authentication. */
  readonly reader?: Reader | "nobody";
  /** Its own module in `assets/`, if it has one. */
  readonly script?: string;
  /** A style sheet of its own in `assets/`, if it has one. */
  readonly style?: string;
  /** What it shows, from its heading on. */
  readonly content: HtmlValue;
  /** Whether its address or its links have a secret: no other page is told where it was. @default {false} */
  readonly hasSecretUrl?: boolean;
  /** Status code. @default {200} */
  readonly status?: number;
  /** More header fields. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Only the service's own style sheet and scripts load, and no site can frame the page. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; " +
  "img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const NEEDS_SCRIPTS = html`
  <noscript>
    <p class="message">
      Your browser runs no JavaScript. Reading and searching go without it, the other forms and buttons do not.
    </p>
  </noscript>
`;

/** Creates a page. */
export function pageResponse(
  { title, reader, script, style, content, hasSecretUrl = false, status, headers }: Page,
): Response {
  const scripts = scriptTags(reader, script);
  const page = html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${title === undefined ? "Notes" : `${title} – Notes`}</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/assets/style.css">
        <link rel="stylesheet" href="/assets/forms.css">
        <link rel="stylesheet" href="/assets/account.css">
        ${style === undefined ? undefined : styleSheet(style)}
        ${scripts}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="bar">
          <a class="brand" href="/">Notes</a>
          ${menuOf(reader)}
        </header>
        <main id="main" tabindex="-1">${scripts.length === 0
          ? undefined
          : NEEDS_SCRIPTS}${content}</main>
      </body>
    </html>
  `;
  return htmlResponse(page, {
    ...(status === undefined ? {} : { status }),
    headers: {
      ...headers,
      "Content-Security-Policy": CONTENT_SECURITY_POLICY,
      "Referrer-Policy": hasSecretUrl ? "no-referrer" : "same-origin", // a search is private
    },
  });
}

function styleSheet(name: string): Html {
  return html`
    <link rel="stylesheet" href="/assets/${name}.css">
  `;
}

function scriptTags(reader: Page["reader"], script: string | undefined): readonly Html[] {
  const names = [...(typeof reader === "object" ? ["sign_out"] : []), ...(script ? [script] : [])];
  return names.map((name) =>
    html`
      <script type="module" src="/assets/${name}.js"></script>
    `
  );
}

function menuOf(reader: Page["reader"]): Html | undefined {
  if (reader === undefined) return undefined;
  return reader === "nobody" ? strangerMenu() : readerMenu(reader);
}

/** A button that a script enables once it listens: before, a submit would not be handled. */
function readerMenu({ identifier }: Reader): Html {
  return html`
    <nav class="menu" aria-label="Account">
      <span class="reader">Signed in as <strong>${identifier}</strong></span>
      <a href="/passkeys">Passkeys</a>
      <a href="/security">Security</a>
      <a href="/sessions">Your sessions</a>
      <a href="/developer">Developer</a>
      <form id="sign-out" action="/auth/logout" method="post">
        <button class="quiet" disabled>Sign out</button>
        <p class="message" role="alert" tabindex="-1"></p>
      </form>
    </nav>
  `;
}

function strangerMenu(): Html {
  return html`
    <nav class="menu" aria-label="Account">
      <a href="/sign-in">Sign in</a>
      <a href="/register">Register</a>
    </nav>
  `;
}
