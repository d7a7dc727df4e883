/**
 * `/chat`: a room for everybody who is signed in. `assets/chat.js` connects to it.
 *
 * @module
 */

import { html } from "./html.ts";
import { pageResponse, type Reader } from "./layout.ts";

/** Creates the page. */
export function chatPage(reader: Reader): Response {
  return pageResponse({
    title: "Chat",
    reader,
    script: "chat",
    style: "chat",
    content: html`
      <h1>Chat</h1>
      <p>
        Everybody who is signed in sees what you write. The last 50 messages are kept while the service runs.
      </p>
      <p id="presence" class="meta" role="status">Connecting…</p>
      <ol id="log" class="log" role="log" aria-label="Messages" tabindex="0" data-name="${reader
        .identifier}"></ol>
      <form id="say" novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        <label for="text">Your message</label>
        <div class="line">
          <input id="text" name="text" maxlength="500" autocomplete="off" enterkeyhint="send">
          <button disabled>Send</button>
        </div>
      </form>
    `,
  });
}
