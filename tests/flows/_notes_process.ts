/**
 * The notes service in a separate process, as `deno task start` runs it, for tests.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { type Client, createClient } from "../examples/_notes_service.ts";

/** The folder of the example. */
export const EXAMPLE: string = fromFileUrl(new URL("../../examples/notes", import.meta.url));

/** A service in a separate process. */
export interface Service {
  /** The printed origin. */
  readonly origin: string;
  /** The printed URL of the API documentation. */
  readonly docs: string;
  /** The printed location of the database. */
  readonly kept: string;
  /** Sends a signal and waits for the process to exit. */
  stop(signal: Deno.Signal): Promise<{ code: number; stderr: string }>;
}

/** Options of the process. */
export interface StartOptions {
  /** Additional arguments. */
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
      "--quiet", // downloads would be printed
      "--allow-net",
      "--allow-env=PORT,SECRET,ORIGIN,DATABASE_URL,REDIS_URL,PG*,GOOGLE_*,GITHUB_*,OIDC_*,NODE_ENV,DEBUG",
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
      ORIGIN: "", // overrides the environment of the tests
      DATABASE_URL: "",
      REDIS_URL: "",
      ...env,
    },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Starts the service and reads its output. */
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

/** Starts the service for tests with network permission for the IP address only. */
export async function startAtAddress(folder: string, options: StartOptions): Promise<Service> {
  const service = await start(folder, options);
  return { ...service, origin: service.origin.replace("//localhost:", "//127.0.0.1:") };
}

/** Runs a test with a folder that does not exist yet, and removes it afterwards. */
export async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const parent = await Deno.makeTempDir();
  try {
    await test(join(parent, "new", "notes"));
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

/** Signs a user in, and returns the response. */
export async function enter(
  origin: string,
  route: "register" | "login" = "register",
): Promise<{ client: Client; response: Response }> {
  const client = createClient(origin);
  const response = await client.enter(route, "ada");
  await response.body?.cancel();
  return { client, response };
}

/** Titles of the notes of the signed-in user. */
export async function titles({ call }: Client): Promise<string[]> {
  const { notes } = await (await call("/notes")).json();
  return notes.map(({ title }: { title: string }) => title);
}
