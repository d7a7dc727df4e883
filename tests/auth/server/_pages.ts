/** Texts and helpers of the tests of the built-in pages. */

import { assertEquals } from "@std/assert";
import type { ConsentStrings } from "../../../auth/server/core/page_strings.ts";

/** A translation: nothing of a page is English but what the client and the scopes say. */
export const GERMAN: ConsentStrings = {
  lang: "de",
  title: "Zugriff erlauben?",
  request: "{client} möchte auf Ihr Konto zugreifen",
  account: "Sie sind als {account} angemeldet",
  scopes: "Die Anwendung kann dann:",
  redirect: "Sie werden zu {host} weitergeleitet",
  loopback: "{host} ist ein Programm auf Ihrem Gerät, das sich als {client} ausgeben kann.",
  allow: "Erlauben",
  deny: "Abbrechen",
  deviceTitle: "Gerät verbinden",
  deviceCode: "Geben Sie den Code ein, den Ihr Gerät zeigt",
  deviceUnknown: "Dieser Code ist nicht gültig.",
  deviceWarning: "Erlauben Sie es nur, wenn das Gerät vor Ihnen {code} zeigt.",
  deviceAllowed: "Gerät verbunden",
  deviceDenied: "Zugriff verweigert",
  deviceDone: "Gehen Sie zurück zu Ihrem Gerät.",
  errorTitle: "Etwas ist schiefgegangen",
  error: "Ihre Anfrage konnte nicht bearbeitet werden.",
  continue: "Weiter",
  signOutTitle: "Abmelden?",
  signOutRequest: "{client} bittet Sie, sich auch hier abzumelden",
  signOut: "Abmelden",
  stay: "Angemeldet bleiben",
  signedOutTitle: "Sie sind abgemeldet",
  stayedTitle: "Sie sind noch angemeldet",
  signedOut: "Sie können diese Seite schließen.",
};

/** Strings that end an element, an attribute or a comment if they are not escaped. */
export const HOSTILE: readonly string[] = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onfocus='alert(1)' autofocus='`,
  `</form></main><form action="https://evil.example">`,
  `</title></style></noscript>`,
  `&lt;b&gt; &amp; &#60;`,
  `<!-- {client} {host} -->`,
];

/** Escapes a string in the way that its reader, a browser, decodes. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

/** What a page shows: its text without markup, with single spaces. */
export function visibleText(page: string): string {
  return page.replace(/^[^]*<body>/, "").replace(/<script>[^]*?<\/script>/g, "")
    .replace(/<[^>]*>/g, "").replace(/\s+/g, " ").trim();
}

/** The names of the elements in a page, each as often as it occurs. */
export function elements(page: string): string[] {
  return [...page.matchAll(/<([a-z]\w*)/g)].map(([, name = ""]) => name);
}

/** The header fields of every page, by the rest of its policy. */
export async function assertPageHeaders(response: Response, more: string): Promise<void> {
  const style = await sourceHash(await response.clone().text(), "style");
  assertEquals(Object.fromEntries(response.headers), {
    "cache-control": "no-store",
    "content-security-policy":
      `default-src 'none'; style-src '${style}'; frame-ancestors 'none'; base-uri 'none'${more}`,
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  });
}

/** Computes the hash of the one element of a kind, as a browser does. */
export async function sourceHash(page: string, element: "style" | "script"): Promise<string> {
  const found = [...page.matchAll(new RegExp(`<${element}[^>]*>([^]*?)</${element}>`, "g"))];
  assertEquals(found.length, 1);
  const bytes = new TextEncoder().encode(found[0]?.[1] ?? "");
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}
