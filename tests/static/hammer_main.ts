/**
 * Requests a file from a mount as often as possible: `deno run <permissions> hammer_main.ts <root> <path> <ms> <how>`. Prints
 * the responses, and ends when its input does.
 *
 * @module
 */

import { mountStatic } from "@gatehouse/http/native";

/** The number of each response. */
export type Tally = Readonly<Record<string, number>>;

/** What the process prints. */
export interface Hammered {
  readonly pid: number;
  readonly tally: Tally;
}

const [root = "", path = "", ms = "0", how = "GET"] = Deno.args;
const mount = mountStatic("/", { directory: root });
const tally: Record<string, number> = {};
const end = performance.now() + Number(ms);
while (performance.now() < end) {
  const what = how === "cancel" ? await cancelled() : await answered(how);
  tally[what] = (tally[what] ?? 0) + 1;
}
await new Promise((resolve) => setTimeout(resolve, 100)); // for files that are closed later
const said: Hammered = { pid: Deno.pid, tally };
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(said) + "\n"));
const buffer = new Uint8Array(1);
while (await Deno.stdin.read(buffer) !== null);
Deno.exit(0);

/** The status; and of a 200 the size by its tag, and the length and the letters of its body, or its `Content-Length`. */
async function answered(method: string): Promise<string> {
  const response = await mount.fetch(new Request(`http://localhost${path}`, { method }));
  if (response?.status !== 200) return String(response?.status);
  const size = response.headers.get("ETag")?.match(/\d+/)?.[0];
  if (method === "HEAD") return `200 ${size} ${response.headers.get("Content-Length")}`;
  try {
    const text = await response.text();
    return `200 ${size} ${text.length} ${text.slice(0, 6)}…${text.slice(-6)}`;
  } catch {
    return `200 ${size} broken`;
  }
}

/** Cancels a body: unread, during a read, and after a partial read. */
async function cancelled(): Promise<string> {
  for (const when of ["unread", "reading", "read"]) {
    const response = await mount.fetch(new Request(`http://localhost${path}`));
    if (response?.status !== 200 || response.body === null) return String(response?.status);
    const reader = response.body.getReader();
    const portion = when === "unread" ? undefined : reader.read();
    if (when === "read") await portion;
    await reader.cancel();
    await portion;
  }
  return "cancelled";
}
