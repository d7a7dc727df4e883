// Adds notes from the start page. Without this the page reads and searches.

import { send } from "./client.js";
import { enhance } from "./forms.js";

const form = document.querySelector("#add");

enhance(
  form,
  () => send("POST", "/notes", Object.fromEntries(new FormData(form))),
  { done: () => location.assign("/") },
);
