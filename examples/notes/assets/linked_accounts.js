// Links accounts at providers, and removes them.

import { send } from "./send.js";
import { showMessage } from "./forms.js";
import { describeRefusal } from "./messages.js";
import { writeTimes } from "./times.js";

const main = document.querySelector("main");
const message = main.querySelector(".message");

main.addEventListener("click", async ({ target }) => {
  const { link, unlink } = target.closest("button")?.dataset ?? {};
  if (link === undefined && unlink === undefined) return;
  setBusy(true);
  message.textContent = "";
  // The document has no routes of providers: it is written without any
  const { ok, content, refusal } = link === undefined
    ? await send("POST /auth/identities/unlink", { body: { id: unlink } })
    : await send("POST /auth/oauth/{provider}/link", {
      params: { provider: link },
      body: { redirectTo: location.pathname },
    });
  if (ok || refusal.status === 404) return location.assign(content?.url ?? location.pathname);
  setBusy(false);
  showMessage(message, describeRefusal(refusal));
});

// A page from the back/forward cache is still busy
addEventListener("pageshow", ({ persisted }) => persisted && setBusy(false));

function setBusy(busy) {
  for (const button of main.querySelectorAll("button")) button.disabled = busy;
}

// What a provider has refused, by the code in the address
const error = new URLSearchParams(location.search).get("error");
if (error !== null) showMessage(message, describeRefusal({ status: 400, code: error }));

writeTimes(main);
setBusy(false);
