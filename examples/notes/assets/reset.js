// The form of /reset.

import { send } from "./send.js";
import { enhance } from "./forms.js";
import { forgetToken, token } from "./tokens.js";

const form = document.querySelector("#reset");
const changed = document.querySelector("#changed");
const { password, show } = form.elements;

show.addEventListener("change", () => {
  password.type = show.checked ? "text" : "password";
});
enhance(
  form,
  () => send("POST /auth/password/reset", { body: { token, newPassword: password.value } }),
  {
    done() {
      forgetToken();
      form.reset();
      form.hidden = true;
      document.querySelector("#another").hidden = true;
      changed.hidden = false;
      changed.querySelector(".notice").focus(); // the button that had the focus is gone
    },
  },
);
