// Adds notes from the start page, and shows what other windows change. Without this the page reads and searches.

import { send } from "./client.js";
import { enhance } from "./forms.js";

const form = document.querySelector("#add");

enhance(
  form,
  () => send("POST", "/notes", Object.fromEntries(new FormData(form))),
  { done: () => location.assign("/") },
);

new EventSource("/changes").addEventListener("message", showNotes);

/** Replaces the list by that of the page as it is now. */
async function showNotes() {
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  document.querySelector("#notes").replaceWith(page.querySelector("#notes"));
}
