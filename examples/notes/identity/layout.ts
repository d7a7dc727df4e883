/**
 * What the pages of Notes ID have in common. Like the consent page, they have no script.
 *
 * @module
 */

import { html, htmlResponse, type HtmlValue } from "../pages/html.ts";

/** A page. */
export interface IdentityPage {
  /** What it is called. */
  readonly title: string;
  /** Whether it has a button to sign out. @default {false} */
  readonly isSignedIn?: boolean;
  /** What it shows, from its heading on. */
  readonly content: HtmlValue;
  /** Status code. @default {200} */
  readonly status?: number;
}

/** No site can frame a page. There is no `form-action`: browsers apply it to the redirects after the form, which end at the client. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

const SIGN_OUT = html`
  <form action="/sign-out" method="post" enctype="multipart/form-data">
    <button class="quiet">Sign out</button>
  </form>
`;

/** Creates a page. */
export function identityPage(
  { title, isSignedIn = false, content, status }: IdentityPage,
): Response {
  const page = html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${title} – Notes ID</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/assets/style.css">
        <link rel="stylesheet" href="/assets/forms.css">
        <link rel="stylesheet" href="/assets/identity.css">
      </head>
      <body>
        <header class="bar">
          <a class="brand" href="/">Notes ID</a>
          ${isSignedIn ? SIGN_OUT : undefined}
        </header>
        <main>${content}</main>
      </body>
    </html>
  `;
  return htmlResponse(page, {
    ...(status === undefined ? {} : { status }),
    headers: {
      "Cache-Control": "no-store",
      "Content-Security-Policy": CONTENT_SECURITY_POLICY,
      "Referrer-Policy": "same-origin",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
