// Connects to the chat, and connects again when the connection is lost.

import { showMessage } from "./forms.js";
import { describeRefusal } from "./messages.js";

const log = document.querySelector("#log");
const presence = document.querySelector("#presence");
const form = document.querySelector("#say");
const [message, button, text] = [".message", "button", "input"].map((name) =>
  form.querySelector(name)
);

/** WebSocket close code: the guards refuse. Its reason is the code of the refusal. */
const REFUSED = 1008;

/** Milliseconds between two attempts, the longest. */
const LONGEST_MS = 30_000;

let socket;
let attempts = 0;

function connect() {
  const url = new URL("/chat/socket", location.href);
  url.protocol = url.protocol.replace("http", "ws");
  socket = new WebSocket(url);
  socket.addEventListener("open", () => {
    attempts = 0;
    log.replaceChildren();
    button.disabled = false;
  });
  socket.addEventListener("message", ({ data }) => receive(JSON.parse(data)));
  socket.addEventListener("close", ({ code, reason }) => {
    button.disabled = true;
    presence.textContent = "Not connected";
    if (code === REFUSED) showMessage(message, describeRefusal({ code: reason }));
    else setTimeout(reconnect, Math.min(1_000 * 2 ** attempts++, LONGEST_MS));
  });
}

/** A browser does not say why a handshake was refused: the page's own address does. */
async function reconnect() {
  presence.textContent = "Connecting…";
  const response = await fetch("/auth/session").catch(() => undefined);
  if (response?.status === 401) return showMessage(message, describeRefusal(await response.json()));
  connect();
}

function receive({ messages = [], present }) {
  if (present !== undefined) {
    presence.textContent = present === 1 ? "You are alone here." : `${present} people are here.`;
  }
  const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  log.append(...messages.map(item));
  if (isAtEnd) log.scrollTop = log.scrollHeight;
}

function item({ from, text, at }) {
  const [li, name, time, words] = ["li", "strong", "time", "p"].map((tag) =>
    document.createElement(tag)
  );
  name.textContent = from;
  time.dateTime = new Date(at).toISOString();
  time.textContent = new Date(at).toLocaleTimeString(undefined, { timeStyle: "short" });
  words.textContent = text;
  li.className = from === log.dataset.name ? "own" : "";
  li.append(name, " ", time, words);
  return li;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (text.value.trim() === "" || socket.readyState !== WebSocket.OPEN) return;
  socket.send(text.value);
  form.reset();
  text.focus();
});
connect();
