/**
 * Examples that `deno serve` runs, in a separate process, and a client of them.
 *
 * @module
 */

import { type TestClient, testClient } from "@gatehouse/http/testing";

/** How long a server may take to stop. */
const STOP_MS = 5_000;

/** A client that keeps cookies and records the routes that it called. */
export interface Client extends Pick<TestClient, "get" | "post"> {
  readonly called: ReadonlySet<string>;
}

/** Creates a client without cookies. Given a client of Deno's, it sends with that. */
export function createClient(origin: string, client?: Deno.HttpClient): Client {
  const called = new Set<string>();
  const app = {
    fetch(request: Request) {
      called.add(`${request.method} ${new URL(request.url).pathname}`);
      return fetch(request, { ...(client && { client }) });
    },
  };
  const { get, post } = testClient(app, { origin, csrf: "/auth/csrf" });
  return { called, get, post: (path, body = {}) => post(path, body) };
}

/** How an example is started. */
export interface ServedOptions {
  /** Flags of `deno serve`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** @default {0}, one that is free */
  readonly port?: number;
  /** `run` starts a program that calls `Deno.serve()`. @default {"serve"} */
  readonly command?: "serve" | "run";
}

/** Starts an example, waits for the address that Deno prints, and stops it after the test. */
export async function withServed(
  main: string,
  { flags = [], env = {}, port = 0, command = "serve" }: ServedOptions,
  test: (origin: string) => Promise<void>,
): Promise<void> {
  const address = `127.0.0.1:${port}`;
  const own = command === "run"
    ? [`--allow-net=${address}`]
    : ["--host=127.0.0.1", `--port=${port}`];
  const child = new Deno.Command(Deno.execPath(), {
    args: [command, "--no-prompt", ...own, ...flags, main],
    env: {
      NO_COLOR: "1",
      ...(command === "run" && { DENO_SERVE_ADDRESS: `tcp:${address}` }),
      ...env,
    },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let printed = "";
    let origin: string | undefined;
    while (origin === undefined) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`The example did not start: ${printed}`);
      printed += value;
      origin = /Listening on (http:\/\/127\.0\.0\.1:\d+)\//.exec(printed)?.[1];
    }
    await test(origin);
  } finally {
    child.kill("SIGINT");
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS); // Deno may miss a signal while threads start
    await child.status;
    clearTimeout(late);
    await reader.cancel();
  }
}

/** The status of a response. */
export async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

/** The body of a response. */
export async function jsonOf(response: Promise<Response>): Promise<unknown> {
  return await (await response).json();
}
