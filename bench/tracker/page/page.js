import { signIn, signOut } from "/paths.js";

const byId = (id) => document.getElementById(id);
let events;

async function send(path, init = {}) {
  const { body, ...rest } = init;
  const json = body &&
    { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, { ...rest, ...json });
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response;
}

async function show() {
  events?.close();
  const response = await fetch("/orgs");
  byId("sign-in").hidden = response.ok;
  byId("tracker").hidden = !response.ok;
  if (!response.ok) return;
  const [org] = await response.json();
  byId("org").textContent = org?.name ?? "You are in no organisation yet";
  byId("add").elements.title.disabled = !org;
  byId("issues").replaceChildren();
  if (!org) return;
  byId("add").dataset.path = `/orgs/${org.id}/issues`;
  events = new EventSource(`/orgs/${org.id}/changes`);
  events.addEventListener("issue", ({ data }) => showIssue(JSON.parse(data)));
  const { issues } = await (await send(byId("add").dataset.path)).json();
  issues.reverse().forEach(showIssue);
}

function showIssue({ id, number, title, status }) {
  const item = byId(id) ?? document.createElement("li");
  item.textContent = `#${number} ${title}`;
  item.className = status;
  if (item.id) return;
  item.id = id;
  byId("issues").prepend(item);
}

function on(id, event, act) {
  byId(id).addEventListener(event, (occurred) => {
    occurred.preventDefault();
    byId("message").textContent = "";
    act(occurred.currentTarget).catch((error) => byId("message").textContent = error.message);
  });
}

on("sign-in", "submit", async (form) => {
  const body = Object.fromEntries(new FormData(form));
  await send(signIn, { method: "POST", body });
  form.reset();
  await show();
});
on("add", "submit", async (form) => {
  const body = { title: form.elements.title.value };
  await send(form.dataset.path, { method: "POST", body });
  form.reset();
});
on("sign-out", "click", async () => {
  await send(signOut, { method: "POST", body: {} });
  await show();
});
await show();
