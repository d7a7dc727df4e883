// The e-mail address on /security; the rest of the page is in authenticator.js.

import "./authenticator.js";
import { send } from "./send.js";
import { enhance, setBusy, showMessage } from "./forms.js";
import { describeRefusal } from "./messages.js";
import { writeTimes } from "./times.js";

const section = document.querySelector("#email-section");
const form = section?.querySelector("#change-email");
const resend = section?.querySelector("#resend");
const message = section?.querySelector(".message");
const status = section?.querySelector(".notice");

if (section !== null) {
  enhance(form, () => {
    status.textContent = "";
    return send("POST /auth/email/change", { body: { email: form.elements.email.value } });
  }, {
    done() {
      setBusy(form, false);
      say(`A link is on its way to ${form.elements.email.value}.`);
      form.reset();
      form.closest("details").open = false;
    },
  });
  resend?.addEventListener("click", async () => {
    message.textContent = status.textContent = "";
    resend.disabled = true;
    const { ok, refusal } = await send("POST /auth/email/verify/start");
    resend.disabled = false;
    if (ok) say("The link is on its way.");
    else showMessage(message, describeRefusal(refusal));
  });
  if (resend) resend.disabled = false;
}

function say(text) {
  status.textContent = text;
  status.focus();
}

writeTimes(document.querySelector("main"));
