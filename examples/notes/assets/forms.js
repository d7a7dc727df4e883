// Behaviour of all forms: they wait for the response, and show refusals beside their fields.

import { describeRefusal } from "./messages.js";

/**
 * What sends a form.
 *
 * @typedef {() => Promise<{ ok: boolean, content?: unknown, refusal?: import("./messages.js").Refusal }>} Submit
 */

/**
 * What follows.
 *
 * @typedef {{
 *   done: (content: unknown) => void,
 *   refused?: (refusal: import("./messages.js").Refusal) => boolean,
 *   idle?: () => void,
 *   required?: Iterable<HTMLInputElement>,
 * }} Following
 * `done` is called with the response's content; the form stays busy, in case another page is loaded. `refused` is called with
 * a refusal; if it returns true, another page says the rest. `idle` is called when
 * the form waits for its user again. `required` fields must be filled in; by default those that say so.
 */

/**
 * Sends a form by a function, and shows the result.
 *
 * @param {HTMLFormElement} form Has an element of class `message`, and `<id of the field>-error` for fields.
 * @param {Submit} submit
 * @param {Following} following
 */
export function enhance(form, submit, following) {
  setBusy(form, false);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(form, submit, following);
  });
  // A page from the back/forward cache is still busy
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    setBusy(form, false);
    following.idle?.();
  });
}

/**
 * Sends a form once.
 *
 * @param {HTMLFormElement} form
 * @param {Submit} submit
 * @param {Following} following
 */
export async function attempt(
  form,
  submit,
  { done, refused, idle, required = form.querySelectorAll("[required]") },
) {
  if (form.getAttribute("aria-busy") === "true") return;
  const message = form.querySelector(".message");
  clear(form, message);
  const missing = emptyFields(required);
  if (missing.size > 0) return tell(form, message, { text: "", fields: missing, signIn: false });
  const focused = document.activeElement;
  setBusy(form, true);
  const { ok, content, refusal } = await submit();
  if (ok) return done(content);
  if (refused?.(refusal)) return;
  setBusy(form, false);
  if (refusal.code === "dismissed") focused.focus();
  else tell(form, message, describeRefusal(refusal));
  idle?.();
}

/** Shows a refusal in an element, and moves the focus there. */
export function showMessage(element, { text, signIn }) {
  element.textContent = text;
  if (signIn) {
    const link = document.createElement("a");
    const { next = location.pathname } = document.querySelector("form[data-next]")?.dataset ?? {};
    link.href = `/${signIn === "again" ? "step-up" : "sign-in"}?${new URLSearchParams({ next })}`;
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
    const place = document.getElementById(`${input === found ? input?.id : name}-error`);
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

function emptyFields(required) {
  const fields = [...required].filter(({ value }) => value.trim() === "");
  return new Map(fields.map(({ name }) => [name, "Fill this in."]));
}

/** Sets whether a form waits for a response, and disables its buttons meanwhile. */
export function setBusy(form, busy) {
  form.setAttribute("aria-busy", String(busy));
  for (const button of form.querySelectorAll("button")) button.disabled = busy;
}
