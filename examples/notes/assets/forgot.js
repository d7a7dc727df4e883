// The form of /forgot.

import { send } from "./send.js";
import { enhance, setBusy } from "./forms.js";

const form = document.querySelector("#forgot");
const sent = document.querySelector("#sent");
const { identifier } = form.elements;

enhance(
  form,
  () => send("POST /auth/password/forgot", { body: { identifier: identifier.value } }),
  {
    done() {
      setBusy(form, false);
      form.hidden = true;
      sent.hidden = false;
      const status = sent.querySelector(".notice");
      status.textContent =
        "If there is an account of that name with an e-mail address, a link is on its way there.";
      status.focus(); // the button that had the focus is gone
    },
  },
);
