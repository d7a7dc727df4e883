/** The page on WASI components, followed to the letter in an empty folder. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { jsrArchive } from "./_archives.ts";
import { serveNpm } from "./_npm_registry.ts";
import { follow, readSteps } from "./_page.ts";
import { openProject, type Project } from "./_projects.ts";
import { readTools } from "./_tools.ts";

type Step = ReturnType<typeof readSteps>[number];
type ServerStep = Extract<Step, { kind: "server" }>;

const PAGE = "docs/wasi.md";
const START_MS = 60_000;

/** Asks a server. It is ended as a terminal does: with the processes that it has started. */
async function askServer(project: Project, { line, requests }: ServerStep): Promise<void> {
  const port = freePort();
  const server = new Deno.Command("sh", {
    args: ["-c", line],
    cwd: project.folder,
    env: { ...project.env, PORT: String(port) },
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
    detached: true,
  }).spawn();
  try {
    for (const [url, method, expected] of requests) {
      url.port = String(port);
      const response = await fetchPatiently(url, method);
      assertEquals((await response.text()).trim(), expected, `${url}`);
    }
  } finally {
    Deno.kill(-server.pid, "SIGTERM");
    await server.status;
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Tries until the server listens. */
async function fetchPatiently(url: URL, method: string): Promise<Response> {
  const end = Date.now() + START_MS;
  while (true) {
    try {
      return await fetch(url, { method });
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

Deno.test({
  name: `${PAGE} does what it says, with node20`,
  ignore: readTools().node20 === undefined,
  async fn(t) {
    await using registry = await serveNpm(await jsrArchive());
    await using project = await openProject({ jsr: registry.url });
    await Deno.remove(join(project.folder, "package.json"));
    for (const step of readSteps(PAGE, "Start")) {
      const what = step.kind === "file" ? step.path : step.line;
      const passed = await t.step(
        what,
        () => step.kind === "server" ? askServer(project, step) : follow(project, step),
      );
      if (!passed) return; // The next steps need it
    }
  },
});
