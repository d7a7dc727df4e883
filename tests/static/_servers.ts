/**
 * Servers in separate processes.
 *
 * @module
 */

import { ROOT } from "../../dev/_project.ts";
import { scriptPath } from "./_fixture.ts";

/** Settings of a server. */
export interface ServerSettings {
  /** The folder, under `/assets`. */
  readonly directory: string;
  /** Paths that are answered with 401. */
  readonly guarded?: readonly string[];
}

/** What a server prints. */
export interface ServerBanner {
  readonly pid: number;
  readonly port: number;
  /** The prefix under which unserved paths fall through to a later route. */
  readonly fallthroughPort: number;
  /** Whether it may read files without read permission, as root. */
  readonly bypassesRights: boolean;
}

/** How a server's process is started. */
export interface ServerStart extends ServerSettings {
  /** Deno's permissions. */
  readonly permissions: readonly string[];
  /** Whether root's right to read every file is dropped. */
  readonly unprivileged?: boolean;
}

/** Timeout for a line, and for the exit of a process. */
const LINE_MS = 10_000;

/** All permissions. */
export const ALL: readonly string[] = ["-A"];

/** Only permission to listen, and to read some folders. */
export function reading(...folders: readonly string[]): readonly string[] {
  return ["--no-prompt", `--allow-read=${folders.join()}`, "--allow-net=127.0.0.1"];
}

/** Runs a server while `use` runs. */
export async function withServerProcess(
  { permissions, unprivileged = false, ...settings }: ServerStart,
  use: (server: ServerBanner) => Promise<void>,
): Promise<void> {
  const command = [
    "run",
    ...permissions,
    scriptPath("server_main.ts"),
    JSON.stringify(settings),
  ];
  await withProcess(
    unprivileged
      ? ["run", "-A", scriptPath("launch_main.ts"), Deno.execPath(), ...command]
      : command,
    async ({ line }) => use(JSON.parse(await line()) as ServerBanner),
  );
}

/** A process with a line protocol. */
export interface LineProcess {
  /** Reads the next line. */
  readonly line: () => Promise<string>;
  /** Writes a line. */
  readonly say: (text: string) => Promise<void>;
  /** Ends its input. */
  readonly end: () => Promise<void>;
}

/** Runs Deno while `use` runs. A script must end when its input does. */
export async function withProcess(
  args: readonly string[],
  use: (lines: LineProcess) => Promise<void>,
): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const lines = readLines(child.stdout);
  const writer = child.stdin.getWriter();
  try {
    await use({
      async line() {
        const { value } = await inTime(lines.next());
        if (value === undefined) throw new Error("Cannot read from a process: it has ended");
        return value;
      },
      say: (text) => writer.write(new TextEncoder().encode(text + "\n")),
      end: () => writer.close(),
    });
  } finally {
    await writer.close().catch(() => {});
    // A process that hangs would block the test.
    const timer = setTimeout(() => child.kill("SIGKILL"), LINE_MS);
    await child.status;
    clearTimeout(timer);
    for await (const _line of lines);
  }
}

/** Fails if a process hangs. */
async function inTime<T>(line: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("A process says nothing: it hangs")), LINE_MS);
  });
  try {
    return await Promise.race([line, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function* readLines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
}
