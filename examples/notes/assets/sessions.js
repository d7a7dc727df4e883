// Revokes sessions, and signs API clients out.

import { send } from "./send.js";
import { showMessage } from "./forms.js";
import { describeRefusal } from "./messages.js";
import { writeTimes } from "./times.js";

const main = document.querySelector("main");
const sessions = document.querySelector("#sessions");
const programs = document.querySelector("#programs");
const others = document.querySelector("#others");

/** Codes for what was already revoked. */
const GONE = ["no_such_session", "no_such_program"];

function setBusy(busy) {
  for (const button of main.querySelectorAll("button")) button.disabled = busy;
}

async function end(list, revoke, items, text) {
  const [message, status] = [".message", ".notice"].map((name) =>
    list.closest("section").querySelector(name)
  );
  setBusy(true);
  for (const one of main.querySelectorAll(".message, .notice")) one.textContent = "";
  const { ok, refusal } = await revoke();
  setBusy(false);
  if (ok || GONE.includes(refusal.code)) { for (const item of items) item.remove(); }
  if (sessions.querySelector("button") === null) others?.remove();
  document.querySelector("#no-programs").hidden = programs.querySelector("li") !== null;
  if (!ok) return showMessage(message, describeRefusal(refusal));
  status.textContent = text;
  status.focus(); // the button that had the focus is gone
}

function endOne(list, route, text) {
  list.addEventListener("click", ({ target }) => {
    const item = target.closest("button")?.closest("[data-id]");
    if (!item) return;
    const { id } = item.dataset;
    end(list, () => send(route, { params: { id } }), [item], text);
  });
}

endOne(sessions, "DELETE /sessions/{id}", "The session has ended.");
endOne(programs, "DELETE /programs/{id}", "The program is signed out.");
others?.querySelector("button").addEventListener("click", () => {
  const items = [...main.querySelectorAll("[data-id]")].filter((item) =>
    item.querySelector("button")
  );
  end(sessions, () => send("DELETE /sessions"), items, "All other sessions have ended.");
});
writeTimes(main);
setBusy(false);
