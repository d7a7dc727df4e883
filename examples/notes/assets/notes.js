// Adds notes from the start page. Without this the page reads, searches, and says the command that adds one.
const form = document.querySelector("#add");
const status = document.querySelector("#add-status");

form.hidden = false;
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  status.textContent = "";
  try {
    const response = await fetch("/notes", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(Object.fromEntries(new FormData(form))),
    });
    if (response.ok) location.assign("/");
    else status.textContent = describe(await response.json());
  } catch {
    status.textContent = "The note was not added: the service does not answer.";
  }
});

/** What a problem (RFC 9457) says to a person. */
function describe({ title, detail, violations = [] }) {
  const reasons = violations.map(({ pointer, message }) => `${pointer.slice(1)}: ${message}`);
  return `The note was not added: ${reasons.join("; ") || detail || title}`;
}
