/**
 * The notes service in a process of its own, as `deno task start` runs it, for tests.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { type Client, createClient } from "../examples/_notes_service.ts";

/** The folder of the example. */
export const EXAMPLE: string = fromFileUrl(new URL("../../examples/notes", import.meta.url));

/** A service that runs in a process of its own. */
export interface Service {
  /** Origin that it printed. */
  readonly origin: string;
  /** Where it says the API is documented. */
  readonly docs: string;
  /** Where it says that everything is kept. */
  readonly kept: string;
  /** Sends a signal and waits for the end. */
  stop(signal: Deno.Signal): Promise<{ code: number; stderr: string }>;
}

/** How it is started. */
export interface StartOptions {
  /** Further arguments. */
  readonly args?: readonly string[];
  /** Value of `SECRET`. */
  readonly secret?: string;
  /** Values of other variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `main.ts` with the permissions of `deno task start`, and no more. */
export function spawn(
  folder: string,
  port: string,
  { args = [], secret, env = {} }: StartOptions = {},
): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--quiet", // it would tell of what it downloads
      "--allow-net",
      "--allow-env=PORT,SECRET,ORIGIN,DATABASE_URL,REDIS_URL,PG*",
      `--allow-read=${EXAMPLE},${folder}`,
      `--allow-write=${folder}`,
      join(EXAMPLE, "main.ts"),
      folder,
      ...args,
    ],
    env: {
      PORT: port,
      NO_COLOR: "1",
      SECRET: secret ?? "",
      ORIGIN: "", // whatever there is where the tests run
      DATABASE_URL: "",
      REDIS_URL: "",
      ...env,
    },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Starts it and reads what it prints. */
export async function start(folder: string, options: StartOptions = {}): Promise<Service> {
  const child = spawn(folder, "0", options);
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const stderr = new Response(child.stderr).text();
  let printed = "";
  while (printed.split("\n").length < 4) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`The service did not start: ${await stderr}`);
    printed += value;
  }
  const [, origin = ""] = /^Notes are served at (http:\/\/localhost:\d+)\/ /m.exec(printed) ?? [];
  const [, docs = ""] = /^Register there, then try the API at (\S+)$/m.exec(printed) ?? [];
  const [, kept = ""] = /^Everything is kept in (.+)$/m.exec(printed) ?? [];
  return {
    origin,
    docs,
    kept,
    async stop(signal) {
      child.kill(signal);
      const { code } = await child.status;
      await reader.cancel();
      return { code, stderr: await stderr };
    },
  };
}

/** Starts it for tests that may ask an address, but no name. */
export async function startAtAddress(folder: string, options: StartOptions): Promise<Service> {
  const service = await start(folder, options);
  return { ...service, origin: service.origin.replace("//localhost:", "//127.0.0.1:") };
}

/** Runs a test with a folder that is not there yet, and removes it. */
export async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const parent = await Deno.makeTempDir();
  try {
    await test(join(parent, "new", "notes"));
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

/** Signs somebody in, and gives the response of it. */
export async function enter(
  origin: string,
  route: "register" | "login" = "register",
): Promise<{ client: Client; response: Response }> {
  const client = createClient(origin);
  const response = await client.enter(route, "ada");
  await response.body?.cancel();
  return { client, response };
}

/** Titles of the notes of who is signed in. */
export async function titles({ call }: Client): Promise<string[]> {
  const { notes } = await (await call("/notes")).json();
  return notes.map(({ title }: { title: string }) => title);
}
