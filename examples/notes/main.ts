/**
 * Starts the notes service: `deno task start`, or
 *
 * ```sh
 * deno run --allow-net --allow-env=PORT,SECRET --allow-read=<folder> --allow-write=<folder> examples/notes/main.ts <folder>
 * ```
 *
 * `PORT` changes the port from 8000; 0 takes a free one. `SECRET` signs cookies and tokens, in place of one that is made
 * once and kept in the folder. The folder of the database, and of the package of static assets, is
 * `.data` beside this file unless an argument names another. `--watch` serves the static assets as they are in their folder.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { createApp } from "./app.ts";
import { LIVE_ASSETS, packagedAssets } from "./assets.ts";
import { createDrain } from "./drain.ts";
import { eventLine } from "./event_line.ts";
import { readSecret } from "./secret.ts";
import { withSeeds } from "./seed.ts";
import { StartError } from "./start_error.ts";
import { type KvNoteStore, kvNoteStore } from "./store_kv.ts";
import { kvApiKeyStore } from "./store_kv_api_keys.ts";
import { kvUserStore } from "./store_kv_users.ts";

/** Nothing is encrypted here, so nothing leaves the machine; browsers keep `Secure` cookies without TLS for it alone. */
const HOSTNAME = "127.0.0.1";
const DEFAULT_PORT = 8000;
/** The argument for whoever works on the static assets. */
const WATCH = "--watch";
/** How long requests may go on once the service is asked to stop. */
const SHUTDOWN_MS = 10_000;

async function main(): Promise<void> {
  const port = readPort(Deno.env.get("PORT"));
  const [folder = `${import.meta.dirname}/.data`] = Deno.args.filter((arg) => arg !== WATCH);
  const kv = await openKv(folder);
  try {
    const secret = await readSecret({ given: Deno.env.get("SECRET"), folder });
    const store = kvNoteStore(kv);
    await store.sweep();
    await warnOfOwnerless(store);
    const assets = Deno.args.includes(WATCH) ? LIVE_ASSETS : await packagedAssets(folder);
    await serveUntilSignal(port, (origin) => {
      return createApp({
        store: withSeeds(store),
        users: kvUserStore(kv),
        apiKeys: kvApiKeyStore(kv),
        origin,
        secret,
        assets,
        events: (event) => {
          const line = eventLine(event);
          if (line !== undefined) console.error(line);
        },
      }).fetch;
    });
  } finally {
    kv.close();
  }
}

/** Notes from before there were accounts could be anybody's, so they are nobody's. */
async function warnOfOwnerless(store: KvNoteStore): Promise<void> {
  const count = await store.countOwnerless();
  if (count === 0) return;
  console.error(
    `Notes without an owner, from before there were accounts: ${count}. Nobody sees them`,
  );
}

/** Serves until Ctrl-C or SIGTERM, then lets the requests that have begun finish. */
async function serveUntilSignal(
  port: number,
  createFetch: (origin: string) => Deno.ServeHandler,
): Promise<void> {
  const { promise: signalled, resolve: stop } = Promise.withResolvers<void>();
  const signals: readonly Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT"]
    : ["SIGINT", "SIGTERM"];
  for (const signal of signals) Deno.addSignalListener(signal, stop);
  try {
    const server = listen(port, (request, info) => drain.fetch(request, info));
    const origin = `http://localhost:${server.addr.port}`;
    const drain = createDrain(createFetch(origin)); // no request comes before it is there
    console.log(`Notes are served at ${origin}/ (Ctrl-C stops)`);
    console.log(`Register there, then try the API at ${origin}/docs`);
    await signalled;
    const deadline = setTimeout(() => {
      console.error("Stopped before all requests were finished");
      Deno.exit(1);
    }, SHUTDOWN_MS);
    await drain.drained();
    await server.shutdown();
    clearTimeout(deadline);
  } finally {
    for (const signal of signals) Deno.removeSignalListener(signal, stop);
  }
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new StartError("PORT is not a whole number from 0 to 65535");
}

async function openKv(folder: string): Promise<Deno.Kv> {
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    return await Deno.openKv(`${folder}/notes.sqlite3`);
  } catch (cause) {
    throw new StartError(`the database in ${folder} does not open: ${firstLine(cause)}`, { cause });
  }
}

function listen(port: number, fetch: Deno.ServeHandler): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve({ hostname: HOSTNAME, port, onListen: () => {} }, fetch);
  } catch (cause) {
    const why = cause instanceof Deno.errors.AddrInUse
      ? `port ${port} is in use; set PORT to another one`
      : `port ${port} can't be used: ${firstLine(cause)}`;
    throw new StartError(why, { cause });
  }
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n", 1)[0] ?? "";
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(`Cannot start: ${error.message}`);
    Deno.exit(1);
  }
}
