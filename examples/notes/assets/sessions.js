// Ends sessions, and writes their times as people do where they are.

import { send } from "./client.js";
import { showMessage } from "./forms.js";
import { describeRefusal } from "./messages.js";

const list = document.querySelector("#sessions");
const message = document.querySelector("#session-message");
const status = document.querySelector("#session-status");
const all = document.querySelector("#end-others");

for (const time of list.querySelectorAll("time")) {
  time.textContent = new Date(time.dateTime).toLocaleString(undefined, {
    dateStyle: "medium",
    timeStyle: "short",
  });
}

function setBusy(busy) {
  for (const button of document.querySelectorAll("main button")) button.disabled = busy;
}

async function end(path, items, text) {
  setBusy(true);
  message.textContent = "";
  status.textContent = "";
  const { ok, refusal } = await send("DELETE", path);
  setBusy(false);
  const gone = ok || refusal.code === "no_such_session";
  if (gone) { for (const item of items) item.remove(); }
  if (list.querySelector("button") === null) all?.remove();
  if (!ok) return showMessage(message, describeRefusal(refusal));
  status.textContent = text;
  status.focus(); // the button that had the focus is gone
}

list.addEventListener("click", ({ target }) => {
  const item = target.closest("button")?.closest("[data-id]");
  if (item) {
    end(`/sessions/${encodeURIComponent(item.dataset.id)}`, [item], "The session has ended.");
  }
});
all?.addEventListener("click", () => {
  const items = [...list.querySelectorAll("[data-id]")].filter((item) =>
    item.querySelector("button")
  );
  end("/sessions", items, "All other sessions have ended.");
});
setBusy(false);
