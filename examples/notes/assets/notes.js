// Adds notes from the start page, and shows what other windows change. Without this the page reads and searches.

import { send } from "./send.js";
import { enhance } from "./forms.js";

const form = document.querySelector("#add");
const { title, text } = form.elements;

enhance(
  form,
  () => send("POST /notes", { body: { title: title.value, text: text.value } }),
  { done: () => location.assign("/") },
);

/** Replaces the list by that of the page as it is now. */
async function showNotes() {
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  document.querySelector("#notes").replaceWith(page.querySelector("#notes"));
}

const changes = await send("GET /changes");
if (changes.ok) { for await (const _ of changes.content) await showNotes(); }
