/**
 * Processes of Deno that respond to lines, for tests of concurrent processes.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- the processes communicate by their output

/** Processes that wait for lines. They are terminated at the end of the block. */
export interface Processes extends AsyncDisposable {
  /** Sends a line to each process concurrently. @returns The responses, in the order of the processes. */
  ask(lineOf: (index: number) => string): Promise<readonly string[]>;
  /** Kills all processes; pending calls are rejected. */
  kill(): void;
}

/**
 * Starts several processes of a program, and waits until all of them are ready.
 *
 * @param args Arguments of `deno run`: permissions, the program, and its arguments. Its types are already checked.
 */
export async function startProcesses(count: number, args: readonly string[]): Promise<Processes> {
  const all = Array.from({ length: count }, () => startProcess(args));
  const processes: Processes = {
    ask: (lineOf) => Promise.all(all.map((each, index) => each.ask(lineOf(index)))),
    kill: () => all.forEach((each) => each.kill()),
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((each) => each.end()));
    },
  };
  try {
    await Promise.all(all.map((each) => each.ready()));
    return processes;
  } catch (error) {
    await processes[Symbol.asyncDispose]();
    throw error;
  }
}

/** Arguments of `deno run` for a program with access to the files of one folder and to Deno KV only. */
export function confinedTo(folder: string): readonly string[] {
  return [
    "--no-config",
    "--no-lock",
    "--unstable-kv",
    `--allow-read=${folder}`,
    `--allow-write=${folder}`,
  ];
}

/** The main loop of a program: prints that it is ready, and responds to lines until the input ends. */
export async function answerLines(answer: (line: string) => Promise<string>): Promise<void> {
  console.log("ready");
  for await (const line of readLines(Deno.stdin.readable)) console.log(await answer(line));
}

interface Process {
  ready(): Promise<void>;
  ask(line: string): Promise<string>;
  kill(): void;
  end(): Promise<void>;
}

function startProcess(args: readonly string[]): Process {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-check", ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const input = child.stdin.getWriter();
  const output = readLines(child.stdout);
  const next = async (): Promise<string> => {
    const { value, done } = await output.next();
    if (done === true) throw new Error("Cannot ask process: it has exited");
    return value;
  };
  return {
    ready: async () => void await next(),
    async ask(line) {
      await input.write(new TextEncoder().encode(`${line}\n`));
      return await next();
    },
    kill: () => child.kill("SIGKILL"),
    async end() {
      await input.close().catch(() => {}); // it may have exited
      await output.return(undefined);
      await child.status;
    },
  };
}

async function* readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string, void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
