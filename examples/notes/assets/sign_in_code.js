// The form of /sign-in/code.

import { send } from "./send.js";
import { enhance } from "./forms.js";
import { askForSecondFactor, keptAddress } from "./sign_in.js";

const form = document.querySelector("#code-form");
const { email, code } = form.elements;
const { next } = form.dataset;

email.value ||= keptAddress();
(email.value === "" ? email : code).focus();
enhance(
  form,
  () => send("POST /auth/code/finish", { body: { email: email.value, code: code.value } }),
  {
    done: () => location.assign(next),
    refused: (refusal) => askForSecondFactor(refusal, next),
  },
);
