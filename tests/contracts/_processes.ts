/**
 * Processes of Deno that answer lines, for tests of what several of them do at once.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- they talk to the test by their output

/** Processes that wait for what they are asked. At the end of the block they are over. */
export interface Processes extends AsyncDisposable {
  /** Sends a line to each of them, all at once. @returns What they answered, in the order of the processes. */
  ask(lineOf: (index: number) => string): Promise<readonly string[]>;
  /** Ends all of them in the middle of what they do; who waits for an answer gets an error. */
  kill(): void;
}

/**
 * Starts a program some times, and waits until all of them are ready.
 *
 * @param args What `deno run` is given: permissions, the program, and what that is given. The test has checked its types.
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

/** What `deno run` is given for a program that may use files of one folder, Deno KV, and nothing else. */
export function confinedTo(folder: string): readonly string[] {
  return [
    "--no-config",
    "--no-lock",
    "--unstable-kv",
    `--allow-read=${folder}`,
    `--allow-write=${folder}`,
  ];
}

/** What such a program does: it says that it is ready, and answers lines until there are no more. */
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
    if (done === true) throw new Error("Cannot ask process: it has ended");
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

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
