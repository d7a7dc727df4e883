/**
 * Starts the notes service: `deno task start`, or
 *
 * ```sh
 * deno run --allow-net "--allow-env=PORT,SECRET,ORIGIN,DATABASE_URL,REDIS_URL,PG*,GOOGLE_*,GITHUB_*,OIDC_*" \
 *   --allow-read=examples/notes,<folder> --allow-write=<folder> examples/notes/main.ts <folder>
 * ```
 *
 * | variable | |
 * |---|---|
 * | `PORT` | The port instead of 8000; 0 selects a free one. |
 * | `DATABASE_URL` | `postgres://…`: data is stored in PostgreSQL instead of Deno KV in the folder. |
 * | `REDIS_URL` | `redis://…`: data is stored in Redis. |
 * | `SECRET` | Signs cookies and tokens, instead of one that is generated once and stored in the folder. |
 * | `ORIGIN` | The public origin, if it is not the service's own port: `http://localhost:8000`. |
 * | `GOOGLE_CLIENT_ID`, `GOOGLE_CLIENT_SECRET` | Sign in with Google; `GITHUB_…` likewise. |
 * | `OIDC_ISSUER`, `OIDC_CLIENT_ID`, `OIDC_CLIENT_SECRET` | Sign in with any OpenID provider. |
 * | `PG…` | Settings of PostgreSQL's client that are not in `DATABASE_URL`, such as `PGPASSWORD`. |
 *
 * Several processes can share the work: on one folder, or on one PostgreSQL or Redis with the same `SECRET`. They share
 * all data. Behind one load balancer they all have its address as their `ORIGIN`.
 *
 * The folder, which also holds the package of static assets, is `.data` beside this file unless an argument names another.
 * `--watch` serves the static assets as they are in their folder.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { authStores } from "@gatehouse/http/native";
import { createApp } from "./app.ts";
import { LIVE_ASSETS, packagedAssets } from "./assets.ts";
import { createDrain } from "./drain.ts";
import { openEngine } from "./engine.ts";
import { eventLine } from "./event_line.ts";
import { readProviders } from "./providers.ts";
import { readSecret } from "./secret.ts";
import { withSeeds } from "./seed.ts";
import { readOrigin, readPort } from "./settings.ts";
import { StartError } from "./start_error.ts";
import { type RecordNoteStore, recordNoteStore } from "./store_records.ts";

/** There is no TLS here, so only this machine can connect; for localhost browsers store `Secure` cookies without TLS. */
const HOSTNAME = "127.0.0.1";
/** The argument for development of the static assets. */
const WATCH = "--watch";
/** How long requests may continue after a stop signal. */
const SHUTDOWN_MS = 10_000;
/** How often the service looks for what other processes left half done. */
const SWEEP_MS = 3_600_000;

async function main(): Promise<void> {
  const port = readPort(Deno.env.get("PORT"));
  const givenOrigin = readOrigin(Deno.env.get("ORIGIN"));
  const [folder = `${import.meta.dirname}/.data`] = Deno.args.filter((arg) => arg !== WATCH);
  await makeFolder(folder);
  const { adapter, name, isShared, close } = await openEngine({
    databaseUrl: Deno.env.get("DATABASE_URL"),
    redisUrl: Deno.env.get("REDIS_URL"),
    folder,
  });
  try {
    const secret = await readSecret({
      given: Deno.env.get("SECRET"),
      folder: isShared ? undefined : folder,
    });
    const store = recordNoteStore(adapter);
    const stores = authStores(adapter);
    await store.sweep();
    sweepLater(store);
    const assets = Deno.args.includes(WATCH) ? LIVE_ASSETS : await packagedAssets(folder);
    await serveUntilSignal({ port, givenOrigin, kept: name }, (origin) => {
      return createApp({
        store: withSeeds(store),
        stores,
        origin,
        secret,
        assets,
        providers: readProviders({ env: Deno.env.get, origin, states: stores.states }),
        events: (event) => {
          const line = eventLine(event);
          if (line !== undefined) console.error(line);
        },
      }).fetch;
    });
  } finally {
    await close();
  }
}

/** Repairs from time to time what other processes left incomplete when they were killed. */
function sweepLater(store: RecordNoteStore): void {
  const timer = setInterval(() => {
    store.sweep().catch(() => console.error("Cannot sweep: the database failed"));
  }, SWEEP_MS);
  Deno.unrefTimer(timer);
}

/** Where the service listens, and what it prints. */
interface Place {
  readonly port: number;
  /** The public origin, if it is not the service's own port. */
  readonly givenOrigin: string | undefined;
  /** Where data is stored. */
  readonly kept: string;
}

/** Serves until Ctrl-C or SIGTERM, then waits for running requests. */
async function serveUntilSignal(
  { port, givenOrigin, kept }: Place,
  createFetch: (origin: string) => Deno.ServeHandler,
): Promise<void> {
  const { promise: signalled, resolve: stop } = Promise.withResolvers<void>();
  const signals: readonly Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT"]
    : ["SIGINT", "SIGTERM"];
  for (const signal of signals) Deno.addSignalListener(signal, stop);
  try {
    const server = listen(port, (request, info) => drain.fetch(request, info));
    const own = `http://localhost:${server.addr.port}`;
    const origin = givenOrigin ?? own;
    const drain = createDrain(createFetch(origin)); // set before the first request is handled
    console.log(`Notes are served at ${own}/ (Ctrl-C stops)`);
    console.log(`Register there, then try the API at ${origin}/docs`);
    console.log(`Everything is kept in ${kept}`);
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

async function makeFolder(folder: string): Promise<void> {
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new StartError(`cannot create folder ${folder}: ${firstLine(cause)}`, { cause });
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
