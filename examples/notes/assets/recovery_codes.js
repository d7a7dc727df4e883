// Shows recovery codes once, to be copied, downloaded or printed.

const card = document.querySelector("#codes");
const list = card.querySelector("#code-list");
const download = card.querySelector("#download");
const copied = card.querySelector("#copy-status");

let whenKept;

/** Shows codes. @param {() => void} kept Called once the user has kept them. */
export function showCodes(codes, kept) {
  hideCodes();
  whenKept = kept;
  list.replaceChildren(...codes.map(itemOf));
  const text = `Recovery codes for Notes, each for one use:\n\n${codes.join("\n")}\n`;
  download.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  card.hidden = false;
  card.focus();
}

/** Removes the codes from the page. */
export function hideCodes() {
  card.hidden = true;
  list.replaceChildren();
  copied.textContent = "";
  URL.revokeObjectURL(download.href);
  download.removeAttribute("href");
}

function itemOf(text) {
  const code = document.createElement("code");
  code.textContent = text;
  const item = document.createElement("li");
  item.append(code);
  return item;
}

card.querySelector("#copy").addEventListener("click", async () => {
  copied.textContent = "";
  const text = [...list.children].map(({ textContent }) => textContent).join("\n");
  try {
    await navigator.clipboard.writeText(text);
    copied.textContent = "The codes are copied.";
  } catch {
    copied.textContent = "Your browser does not let pages copy. Download or print them.";
  }
});
card.querySelector("#print").addEventListener("click", () => print());
card.querySelector("#kept").addEventListener("click", () => {
  hideCodes();
  whenKept?.();
});

// Neither the back button nor the browser's memory shows them again
addEventListener("pagehide", hideCodes);
