/**
 * Starts a server in a folder of its own, waits until it responds, and deletes the folder at the end.
 *
 * @module
 */

/** A running server. */
export interface RunningServer extends AsyncDisposable {
  /** Its URL with the password. */
  readonly url: string;
}

/** How a server is started. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly url: string;
  /** Readiness check: the request, and the start of its response. */
  readonly hello: { readonly request: Uint8Array<ArrayBuffer>; readonly answer: RegExp };
  /** The signal that stops it. */
  readonly stop: Deno.Signal;
}

/** The folder and port of a server. */
export interface Place {
  readonly folder: string;
  /** A port that was free a moment ago. */
  readonly port: number;
}

/** Owner of the server and its folder. @default the current user */
export interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

const ATTEMPTS = 3;
const START_LIMIT_MS = 30_000;
const PAUSE_MS = 50;

/** Starts a server, with a few attempts because another process may take the port first. */
export async function launch(
  owner: Owner,
  prepare: (place: Place) => Promise<Launch> | Launch,
): Promise<RunningServer> {
  for (let attempt = 1;; attempt++) {
    const folder = await Deno.makeTempDir({ prefix: "gatehouse_engine_" });
    let server: Started | undefined;
    try {
      await Deno.chown(folder, owner.uid ?? null, owner.gid ?? null);
      const port = freePort();
      const made = await prepare({ folder, port });
      server = start(made, owner);
      await untilReady(server, { made, port });
      const running = server;
      return { url: made.url, [Symbol.asyncDispose]: async () => await end(running, folder) };
    } catch (error) {
      await end(server, folder);
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

interface Started {
  readonly process: Deno.ChildProcess;
  readonly stop: Deno.Signal;
  /** Exit status. */
  ended?: Deno.CommandStatus;
  /** The end of its output. */
  log: string;
}

function start({ command, args, stop }: Launch, owner: Owner): Started {
  const process = new Deno.Command(command, {
    args: [...args],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    ...owner,
  }).spawn();
  const server: Started = { process, stop, log: "" };
  process.status.then((status) => server.ended = status);
  keepLog(server);
  return server;
}

async function keepLog(server: Started): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of server.process.stderr) {
    server.log = (server.log + decoder.decode(chunk, { stream: true })).slice(-4_000);
  }
}

async function untilReady(
  server: Started,
  { made, port }: { made: Launch; port: number },
): Promise<void> {
  for (let waited = 0; waited < START_LIMIT_MS; waited += PAUSE_MS) {
    if (server.ended !== undefined) break;
    if (await answers(port, made.hello)) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`Cannot start ${made.command}: it does not respond\n${server.log}`);
}

async function answers(port: number, { request, answer }: Launch["hello"]): Promise<boolean> {
  try {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(request);
    const buffer = new Uint8Array(64);
    const length = await connection.read(buffer) ?? 0;
    return answer.test(new TextDecoder().decode(buffer.subarray(0, length)));
  } catch {
    return false;
  }
}

/** Stops the server, by force if necessary, and deletes its folder. */
async function end(server: Started | undefined, folder: string): Promise<void> {
  if (server !== undefined) {
    const { process, stop } = server;
    const timers = [[stop, 0], ["SIGQUIT", 5_000], ["SIGKILL", 10_000]] as const;
    const pending = timers.map(([signal, after]) => setTimeout(() => kill(process, signal), after));
    await process.status;
    pending.forEach(clearTimeout);
  }
  await Deno.remove(folder, { recursive: true });
}

function kill(process: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    process.kill(signal);
  } catch {
    // it has exited
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
