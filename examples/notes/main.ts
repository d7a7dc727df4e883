/**
 * Starts the notes service: `deno task start`, or
 *
 * ```sh
 * deno run --allow-net "--allow-env=PORT,SECRET,ORIGIN,DATABASE_URL,REDIS_URL,PG*,GOOGLE_*,GITHUB_*,OIDC_*,NODE_ENV,DEBUG" \
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
 * | `OIDC_PORT` | The port of Notes ID instead of the one after `PORT`; `off` leaves it out. With `ORIGIN` it is left out, too. |
 * | `NODE_ENV`, `DEBUG` | Read by GraphQL Yoga. |
 * | `PG…` | Settings of PostgreSQL's client that are not in `DATABASE_URL`, such as `PGPASSWORD`. |
 *
 * Notes ID is an OpenID provider at another port, with users to try it out: see `identity/`. Its data is in memory.
 *
 * Several processes can share the work: on one folder, or on one PostgreSQL or Redis with the same `SECRET`. They share
 * all data. Behind one load balancer they all have its address as their `ORIGIN`.
 *
 * What the service would mail is shown at `/outbox`. At a public origin there is no such page, and nothing that needs mail:
 * this example has no mail service.
 *
 * The folder, which also holds the package of static assets, is `.data` beside this file unless an argument names another.
 * `--watch` serves the static assets as they are in their folder; `--open` opens the browser, after Deno has asked whether it
 * may.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { type AuthEvent, authStores, generateSecret, logDenials } from "@gatehouse/http/native";
import { createApp } from "./app.ts";
import { LIVE_ASSETS, packagedAssets } from "./assets.ts";
import { openEngine } from "./engine.ts";
import { eventLine } from "./event_line.ts";
import { demoStores } from "./identity/demo.ts";
import { createIdentity, type IdentityOptions } from "./identity/identity.ts";
import { firstLine, listen, type Listener } from "./listener.ts";
import { openBrowser } from "./open_browser.ts";
import { createOutbox } from "./outbox.ts";
import { type NotesId, readProviders } from "./providers.ts";
import { readSecret } from "./secret.ts";
import { withSeeds } from "./seed.ts";
import { readIdentityPort, readOrigin, readPort } from "./settings.ts";
import { StartError } from "./start_error.ts";
import { type RecordNoteStore, recordNoteStore } from "./store_records.ts";

/** The argument for development of the static assets. */
const WATCH = "--watch";
/** The argument that opens the browser. */
const OPEN = "--open";
/** How long requests may continue after a stop signal. */
const SHUTDOWN_MS = 10_000;
/** How often the service looks for what other processes left half done. */
const SWEEP_MS = 3_600_000;

async function main(): Promise<void> {
  const port = readPort(Deno.env.get("PORT"));
  const givenOrigin = readOrigin(Deno.env.get("ORIGIN"));
  const idPort = readIdentityPort(Deno.env.get("OIDC_PORT"), { port, origin: givenOrigin });
  const [folder = `${import.meta.dirname}/.data`] = Deno.args.filter((arg) =>
    arg !== WATCH && arg !== OPEN
  );
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
    const idStores = idPort === undefined ? undefined : await demoStores();

    using stop = stopSignal(); // before an address is printed
    const stopping = new AbortController();
    const listener = listen(port, "set PORT to another one");
    const origin = givenOrigin ?? listener.origin;
    const notesId = idPort === undefined || idStores === undefined
      ? undefined
      : serveIdentity(idPort, { notesOrigin: origin, stores: idStores, assets });
    const outbox = createOutbox(origin, () => Math.floor(Date.now() / 1000));
    listener.serve(
      createApp({
        store: withSeeds(store),
        stores,
        origin,
        secret,
        assets,
        providers: readProviders({ env: Deno.env.get, origin, states: stores.states, notesId }),
        outbox,
        events: log,
        onRequest: logDenials,
        signal: stopping.signal,
      }).fetch,
    );
    console.log(`Notes are served at ${listener.origin}/ (Ctrl-C stops)`);
    console.log(`Register there, then try the API at ${origin}/docs`);
    console.log(`Everything is kept in ${name}`);
    if (outbox !== undefined) {
      console.log(`Its mail is shown at ${origin}/outbox, and sent nowhere`);
    }
    if (notesId !== undefined) console.log(`Notes ID is served at ${notesId.issuer}/`);
    if (Deno.args.includes(OPEN)) openLater(`${origin}/`);
    await stop.received;
    stopping.abort();
    await stopAll(notesId === undefined ? [listener] : [listener, notesId]);
  } finally {
    await close();
  }
}

/** Serves Notes ID, and says what the notes service has to know of it. */
function serveIdentity(
  port: number,
  options: Pick<IdentityOptions, "notesOrigin" | "stores" | "assets">,
): Listener & NotesId {
  const listener = listen(port, "set OIDC_PORT to another one, or to off");
  const notesId = { issuer: listener.origin, clientSecret: generateSecret() };
  listener.serve(createIdentity({ ...options, ...notesId, events: log }).fetch);
  return { ...listener, ...notesId };
}

function log(event: AuthEvent): void {
  const line = eventLine(event);
  if (line !== undefined) console.error(line);
}

/** The program may run as long as the browser does, and nothing waits for it. */
function openLater(url: string): void {
  openBrowser(url).then((why) => {
    if (why !== undefined) console.error(`Cannot open a browser: ${why}`);
  });
}

/** Repairs from time to time what other processes left incomplete when they were killed. */
function sweepLater(store: RecordNoteStore): void {
  const timer = setInterval(() => {
    store.sweep().catch(() => console.error("Cannot sweep: the database failed"));
  }, SWEEP_MS);
  Deno.unrefTimer(timer);
}

/** Ctrl-C or SIGTERM, from now on. */
function stopSignal(): Disposable & { readonly received: Promise<void> } {
  const { promise: received, resolve: stop } = Promise.withResolvers<void>();
  const signals: readonly Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT"]
    : ["SIGINT", "SIGTERM"];
  for (const signal of signals) Deno.addSignalListener(signal, stop);
  return {
    received,
    [Symbol.dispose]() {
      for (const signal of signals) Deno.removeSignalListener(signal, stop);
    },
  };
}

/** Waits for running requests: of the notes first, which may need those of Notes ID. */
async function stopAll(listeners: readonly Listener[]): Promise<void> {
  const deadline = setTimeout(() => {
    console.error("Stopped before all requests were finished");
    Deno.exit(1);
  }, SHUTDOWN_MS);
  for (const listener of listeners) await listener.stop();
  clearTimeout(deadline);
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new StartError(`cannot create folder ${folder}: ${firstLine(cause)}`, { cause });
  }
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
