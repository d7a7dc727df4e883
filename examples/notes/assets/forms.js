// Behaviour of all forms: they wait for the response, and show refusals beside their fields.

import { describeRefusal } from "./messages.js";

/**
 * Sends a form by a function, and shows the result.
 *
 * @param {HTMLFormElement} form Has an element of class `message`, and `<name>-error` for fields.
 * @param {() => Promise<{ ok: boolean, content?: unknown, refusal?: import("./messages.js").Refusal }>} submit
 * @param {(content: unknown) => void} done Called with the response's content. The form stays busy, in case
 * another page is loaded.
 */
export function enhance(form, submit, done) {
  const message = form.querySelector(".message");
  setBusy(form, false);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.getAttribute("aria-busy") === "true") return;
    clear(form, message);
    const missing = emptyFields(form);
    if (missing.size > 0) return tell(form, message, { text: "", fields: missing, signIn: false });
    setBusy(form, true);
    const { ok, content, refusal } = await submit();
    if (ok) return done(content);
    setBusy(form, false);
    tell(form, message, describeRefusal(refusal));
  });
  // A page from the back/forward cache is still busy
  addEventListener("pageshow", (event) => event.persisted && setBusy(form, false));
}

/** Shows a refusal in an element, and moves the focus there. */
export function showMessage(element, { text, signIn }) {
  element.textContent = text;
  if (signIn) {
    const link = document.createElement("a");
    link.href = `/sign-in?${new URLSearchParams({ next: location.pathname })}`;
    link.textContent = "Sign in";
    element.append(" ", link);
  }
  element.focus();
}

function tell(form, message, { text, fields, signIn }) {
  const rest = [];
  let first;
  for (const [name, reason] of fields) {
    const found = form.elements.namedItem(name);
    const input = found instanceof RadioNodeList ? found[0] : found; // boxes that share a name
    const place = document.getElementById(`${name}-error`);
    if (input === null || place === null) {
      rest.push(reason);
      continue;
    }
    place.textContent = reason;
    input.setAttribute("aria-invalid", "true");
    first ??= input;
  }
  const said = [text, ...rest].filter((part) => part !== "").join(" ");
  if (said !== "") showMessage(message, { text: said, signIn });
  else first?.focus();
}

function clear(form, message) {
  message.textContent = "";
  for (const place of form.querySelectorAll(".refusal")) place.textContent = "";
  for (const input of form.querySelectorAll("[aria-invalid]")) {
    input.removeAttribute("aria-invalid");
  }
}

function emptyFields(form) {
  const fields = [...form.querySelectorAll("[required]")].filter(({ value }) =>
    value.trim() === ""
  );
  return new Map(fields.map(({ name }) => [name, "Fill this in."]));
}

/** Sets whether a form waits for a response, and disables its buttons meanwhile. */
export function setBusy(form, busy) {
  form.setAttribute("aria-busy", String(busy));
  for (const button of form.querySelectorAll("button")) button.disabled = busy;
}
