/**
 * Runs a command and says what it took: `_usage.ts <folder> <program> <arguments>` prints JSON.
 * Linux with glibc.
 *
 * The kernel keeps count of the processes that one has waited for, and of those that they waited
 * for (getrusage(2), RUSAGE_CHILDREN). So this process runs one command and asks afterwards.
 *
 * @module
 */
// deno-lint-ignore-file no-console

/** What a command took. */
export interface Usage {
  /** From its start to its end. */
  readonly wallMs: number;
  /** User and system time of all its processes. */
  readonly cpuMs: number;
  /** The most memory that the largest of its processes had at once. */
  readonly peakBytes: number;
}

const RUSAGE_CHILDREN = -1;
/** `struct rusage` has two times of two words, and 14 numbers more. */
const WORDS = 18;

async function run(cwd: string, [program = "", ...args]: readonly string[]): Promise<Usage> {
  const start = performance.now();
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd,
    stdin: "null",
  }).output();
  const wallMs = performance.now() - start;
  if (!success) {
    const decoder = new TextDecoder();
    throw new Error(`${program} failed: ${decoder.decode(stderr)}${decoder.decode(stdout)}`.trim());
  }
  return { wallMs, ...childUsage() };
}

function childUsage(): Omit<Usage, "wallMs"> {
  const libc = Deno.dlopen("libc.so.6", {
    getrusage: { parameters: ["i32", "buffer"], result: "i32" },
  });
  try {
    const words = new BigInt64Array(WORDS);
    if (libc.symbols.getrusage(RUSAGE_CHILDREN, words) !== 0) {
      throw new Error("Cannot read the usage of processes: getrusage() failed");
    }
    const [userS = 0, userUs = 0, systemS = 0, systemUs = 0, peakKib = 0] = [...words].map(Number);
    return {
      cpuMs: (userS + systemS) * 1e3 + (userUs + systemUs) / 1e3,
      peakBytes: peakKib * 1024,
    };
  } finally {
    libc.close();
  }
}

if (import.meta.main) {
  const [cwd = ".", ...command] = Deno.args;
  console.log(JSON.stringify(await run(cwd, command)));
}
