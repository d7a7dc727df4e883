/**
 * Follows a page of documentation: writes the files that it shows, runs the commands, and asks the servers that these start.
 *
 * A block whose first line is `// <name>` is a file. Each line of a `sh` block is a command; one before a line with `curl` is
 * a server. What is behind `#` in a line with `curl` is what the server responds.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import type { Project } from "./_projects.ts";

/** A step of a page. */
type Step =
  | { readonly kind: "file"; readonly path: string; readonly text: string }
  | { readonly kind: "command"; readonly line: string }
  | {
    readonly kind: "server";
    readonly line: string;
    readonly requests: readonly (readonly [url: URL, method: string, expected: string])[];
  };

const FENCE_REGEXP = /^```(\w+)[^\n]*\n([\s\S]*?)^```$/gm;
const CURL_REGEXP = /^curl (-I )?(\S+)\s+# (.+)$/;
const START_MS = 20_000;
const STOP_MS = 10_000;

/** The steps of a page's section, in their order. */
export function readSteps(page: string, section: string): Step[] {
  const text = Deno.readTextFileSync(join(ROOT, page));
  const part = text.split(/^## /m).find((one) => one.startsWith(`${section}\n`));
  if (part === undefined) throw new Error(`${page} has no section ${section}`);
  return [...part.matchAll(FENCE_REGEXP)].flatMap(([, language = "", body = ""]) =>
    language === "sh" ? readCommands(body) : readFile(body)
  );
}

/** Asks the server at an origin what a page asks its server. */
export type Ask = (origin: string) => Promise<void>;

/** Starts the server of a page in another way than by its line, for as long as `ask` takes. */
export type StandIn = (project: Project, line: string, ask: Ask) => Promise<void>;

/** Does a step in a project. Servers listen on a port that is free. */
export async function follow(project: Project, step: Step, standIn?: StandIn): Promise<void> {
  switch (step.kind) {
    case "file":
      return await project.write(step.path, step.text);
    case "command":
      return void await project.run("sh", "-c", step.line);
    case "server":
      return await (standIn ?? runServer)(
        project,
        step.line,
        (origin) => askServer(origin, step.requests),
      );
  }
}

function readFile(body: string): Step[] {
  const [, path] = /^\/\/ (\S+)\n/.exec(body) ?? [];
  return path === undefined ? [] : [{ kind: "file", path, text: body }];
}

function readCommands(body: string): Step[] {
  const steps: Step[] = [];
  for (const line of body.trim().split("\n")) {
    const [, head, url, expected = ""] = CURL_REGEXP.exec(line) ?? [];
    const last = steps.at(-1);
    if (url === undefined) steps.push({ kind: "command", line });
    else if (last === undefined || last.kind === "file") throw new Error(`No server for ${line}`);
    else {
      const requests = last.kind === "server" ? last.requests : [];
      const request = [new URL(url), head === undefined ? "GET" : "HEAD", expected] as const;
      steps[steps.length - 1] = {
        kind: "server",
        line: last.line,
        requests: [...requests, request],
      };
    }
  }
  return steps;
}

async function runServer(project: Project, line: string, ask: Ask): Promise<void> {
  const port = freePort();
  const child = new Deno.Command("sh", {
    args: ["-c", `exec ${line}`],
    cwd: project.folder,
    env: {
      ...project.env,
      PORT: String(port),
      DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`, // where Deno serves, which does not read PORT
    },
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  let late: ReturnType<typeof setTimeout> | undefined;
  try {
    await untilListening(port);
    await ask(`http://localhost:${port}`);
  } finally {
    child.kill("SIGTERM");
    late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  }
  const { code } = await child.status; // A server that stops as its page says ends with 0
  clearTimeout(late);
  assertEquals(code, 0, line);
}

async function askServer(
  origin: string,
  requests: Extract<Step, { kind: "server" }>["requests"],
): Promise<void> {
  for (const [url, method, expected] of requests) {
    const response = await fetch(origin + url.pathname + url.search, { method });
    const body = await response.text();
    assertEquals(
      method === "HEAD" ? `HTTP/1.1 ${response.status} ${response.statusText}` : body.trim(),
      expected,
      url.href,
    );
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function untilListening(port: number): Promise<void> {
  const end = Date.now() + START_MS;
  while (true) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
