// The forms of /register and /sign-in.

import { send } from "./client.js";
import { enhance } from "./forms.js";

const form = document.querySelector("#account");
const { identifier, password, remember, show } = form.elements;
const path = new URL(form.action).pathname;

enhance(
  form,
  () =>
    send("POST", path, {
      identifier: identifier.value,
      password: password.value,
      ...(remember === undefined ? {} : { remember: remember.checked }),
    }),
  () => location.assign(form.dataset.next),
);

show.addEventListener("change", () => {
  password.type = show.checked ? "text" : "password";
});
