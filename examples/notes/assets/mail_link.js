// The button of /verify and /sign-in/link, which sends the token of the link.

import { send } from "./send.js";
import { enhance } from "./forms.js";
import { askForSecondFactor } from "./sign_in.js";
import { forgetToken, token } from "./tokens.js";

const form = document.querySelector("#mail-link");
const { next } = form.dataset;
const isSignIn = new URL(form.action).pathname === "/auth/link/finish";

enhance(form, submit, {
  done(content) {
    forgetToken();
    if (next !== undefined) return location.assign(next);
    form.hidden = true;
    const done = document.querySelector("#done");
    const status = done.querySelector(".notice");
    status.textContent = `${content.email} is verified.`;
    done.hidden = false;
    status.focus(); // the button that had the focus is gone
  },
  refused: (refusal) => askForSecondFactor(refusal, next),
});

async function submit() {
  const route = isSignIn ? "POST /auth/link/finish" : "POST /auth/email/verify/finish";
  const outcome = await send(route, { body: { token } });
  const elsewhere = document.querySelector("#other-browser");
  if (elsewhere) elsewhere.hidden = outcome.refusal?.code !== "invalid_link";
  return outcome;
}
