/**
 * Times in pages.
 *
 * @module
 */

import { type Html, html } from "./html.ts";

/** A time to the minute, which `assets/times.js` writes as people do where they are. @param seconds Since the Unix epoch. */
export function timeOf(seconds: number): Html {
  const iso = new Date(seconds * 1000).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}
