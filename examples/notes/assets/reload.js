// Replaces a part of a page by that of the current page.

import { writeTimes } from "./times.js";

/**
 * Replaces the content of an element. If the request fails, it stays until the next one.
 *
 * @param {Element} element It has an id.
 * @returns {Promise<Document | undefined>} The current page.
 */
export async function reload(element) {
  const text = await fetch(location.pathname).then((answer) => answer.text()).catch(() => "");
  const page = new DOMParser().parseFromString(text, "text/html");
  const current = page.getElementById(element.id);
  if (current === null) return undefined;
  element.replaceChildren(...current.children);
  writeTimes(element);
  return page;
}
