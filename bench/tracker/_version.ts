/**
 * The versions of the tracker: how each is installed, started and counted.
 *
 * @module
 */

import { output } from "../_command.ts";

/** A version that can be started. */
export interface Installed {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** Packages that were installed for it, and their bytes; absent if the working tree has all. */
  readonly packages?: { readonly count: number; readonly bytes: number };
}

/** A server that runs. */
export interface Running {
  readonly origin: string;
  /** What it printed so far. */
  log(): string;
  /** How many sockets it has open; `undefined` where `/proc` is missing. */
  sockets(): number | undefined;
  stop(): Promise<void>;
}

const HERE = new URL("./", import.meta.url);

/** The versions, in the order of the table. */
export const INSTALLERS: Readonly<Record<string, (temporary: string) => Promise<Installed>>> = {
  hono: installHono,
  gatehouse: () =>
    Promise.resolve({
      command: [Deno.execPath(), "run", "-A", "bench/tracker/gatehouse/main.ts"],
      cwd: decodeURIComponent(new URL("../../", HERE).pathname),
    }),
};

/** Its folder. */
export function folderOf(version: string): URL {
  return new URL(`${version}/`, HERE);
}

/** Starts a version. @throws {Error} If it ends, or prints something else first. */
export async function start({ command: [program, ...args], cwd }: Installed): Promise<Running> {
  const port = freePort();
  const origin = `http://localhost:${port}`;
  const process = new Deno.Command(program, {
    args,
    cwd,
    env: { PORT: String(port), ORIGIN: origin, SECRET: secret(), NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let [printed, errors] = ["", ""];
  const reading = Promise.all([
    read(process.stdout, (text) => printed += text),
    read(process.stderr, (text) => errors += text),
  ]);
  let ended = false;
  process.status.then(() => ended = true);
  while (!printed.includes("\n")) {
    if (ended) throw new Error(`Cannot start: ${errors.trim()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    origin,
    log: () => printed,
    sockets: () => socketsOf(process.pid),
    async stop() {
      if (!ended) process.kill();
      await process.status;
      await reading;
    },
  };
}

/** The version runs outside the working tree: its packages are in no lock file and no folder of ours. */
async function installHono(temporary: string): Promise<Installed> {
  const cwd = `${temporary}/hono`;
  await copy(folderOf("hono"), cwd);
  await copy(new URL("page/", HERE), `${temporary}/page`);
  const flags = ["--omit=dev", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
  await output(["npm", "install", ...flags], { cwd });
  const lock = JSON.parse(await Deno.readTextFile(`${cwd}/node_modules/.package-lock.json`));
  return {
    command: ["node", "--import", "tsx", "main.ts"],
    cwd,
    packages: {
      count: Object.keys(lock.packages).length,
      bytes: await bytesOf(`${cwd}/node_modules`),
    },
  };
}

async function copy(from: URL, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (name === "node_modules") continue;
    if (isDirectory) await copy(new URL(`${name}/`, from), `${to}/${name}`);
    else await Deno.copyFile(new URL(name, from), `${to}/${name}`);
  }
}

async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) bytes += await bytesOf(path);
    else if (isFile) bytes += (await Deno.stat(path)).size;
  }
  return bytes;
}

async function read(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  keep: (text: string) => void,
): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) keep(text);
}

function freePort(): number {
  const listener = Deno.listen({ port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

function secret(): string {
  return crypto.randomUUID() + crypto.randomUUID();
}

function socketsOf(pid: number): number | undefined {
  try {
    const folder = `/proc/${pid}/fd`;
    return [...Deno.readDirSync(folder)].filter(({ name }) => isSocket(`${folder}/${name}`)).length;
  } catch {
    return undefined;
  }
}

function isSocket(path: string): boolean {
  try {
    return Deno.readLinkSync(path).startsWith("socket:");
  } catch {
    return false;
  }
}
