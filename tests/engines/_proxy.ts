/**
 * A way to a server that can fail: it drops connections between a request and its answer, lets everybody wait, or lets
 * nobody through.
 *
 * @module
 */

/** What happens to those who are there, and to those who come. */
type Mode = "open" | "hanging" | "closed";

/** At which moment a connection drops: before the server hears of the request, or before the client hears of the answer. */
export type DropMoment = "before the request" | "after the request";

/** A proxy before a server. */
export interface FaultyProxy extends AsyncDisposable {
  /** The server's URL, by way of the proxy. */
  readonly url: string;
  /** How many connections were dropped in the middle of something. */
  readonly drops: number;
  /** Drops the connection on which a text is sent next. After the request means: the server has done it, and has answered. */
  dropAt(text: string, moment: DropMoment): void;
  /** Drops all connections, and lets nobody connect. */
  close(): void;
  /** Passes nothing on, and drops nothing. What is sent meanwhile is lost. */
  hang(): void;
  /** Lets everybody through again. Connections that hung are dropped. */
  open(): void;
}

/** Starts a proxy before a server. */
export function startProxy(target: string): FaultyProxy {
  const server = new URL(target);
  let listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const links = new Set<Link>();
  const running = new Set<Promise<void>>();
  let mode: Mode = "open";
  let armed: { readonly text: string; readonly moment: DropMoment } | undefined;
  let drops = 0;

  function dropAll(): void {
    for (const link of links) link.drop();
  }

  /** Passes one client's connection on until one side ends it, or a fault does. */
  async function serve(client: Deno.TcpConn): Promise<void> {
    const link = await connect(client, server);
    if (link === undefined) return;
    if (mode === "closed") return link.drop();
    links.add(link);
    let isAwaited = false; // the next answer is one that must not arrive
    const sent = new Tail();
    await Promise.all([
      pump(link, "client", async (chunk) => {
        if (mode === "hanging") return;
        if (armed !== undefined && sent.add(chunk).includes(armed.text)) {
          isAwaited = armed.moment === "after the request";
          armed = undefined;
          drops++;
          if (!isAwaited) return link.drop();
        }
        await writeAll(link.server, chunk);
      }),
      pump(link, "server", async (chunk) => {
        if (isAwaited) return link.drop();
        if (mode !== "hanging") await writeAll(link.client, chunk);
      }),
    ]);
    links.delete(link);
  }

  async function accept(clients: AsyncIterable<Deno.TcpConn>): Promise<void> {
    for await (const client of clients) track(serve(client));
  }

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
  }

  track(accept(listener));
  return {
    url: Object.assign(new URL(target), { host: `127.0.0.1:${port}` }).href,
    get drops() {
      return drops;
    },
    dropAt(text, moment) {
      armed = { text, moment };
    },
    close() {
      if (mode !== "closed") listener.close();
      mode = "closed";
      dropAll();
    },
    hang() {
      mode = "hanging";
    },
    open() {
      if (mode === "hanging") dropAll();
      if (mode === "closed") {
        listener = Deno.listen({ hostname: "127.0.0.1", port });
        track(accept(listener));
      }
      mode = "open";
    },
    async [Symbol.asyncDispose]() {
      this.close();
      await Promise.all(running);
    },
  };
}

/** Both halves of a connection. */
interface Link {
  readonly client: Deno.TcpConn;
  readonly server: Deno.TcpConn;
  drop(): void;
}

async function connect(client: Deno.TcpConn, { hostname, port }: URL): Promise<Link | undefined> {
  try {
    const server = await Deno.connect({ hostname, port: Number(port) });
    for (const each of [client, server]) each.setNoDelay(true);
    let isDropped = false;
    const drop = () => {
      if (isDropped) return;
      isDropped = true;
      for (const each of [client, server]) each.close();
    };
    return { client, server, drop };
  } catch {
    client.close();
    return undefined;
  }
}

/** Reads one side to its end. */
async function pump(
  link: Link,
  from: "client" | "server",
  handle: (chunk: Uint8Array<ArrayBuffer>) => Promise<void> | void,
): Promise<void> {
  const buffer = new Uint8Array(65_536);
  try {
    for (;;) {
      const length = await link[from].read(buffer);
      if (length === null) break;
      await handle(buffer.slice(0, length));
    }
  } catch {
    // dropped, by this side or the other one
  }
  link.drop();
}

async function writeAll(connection: Deno.TcpConn, chunk: Uint8Array<ArrayBuffer>): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    written += await connection.write(chunk.subarray(written));
  }
}

/** The end of what was sent: a text may come in two pieces. */
class Tail {
  #text = "";

  add(chunk: Uint8Array<ArrayBuffer>): string {
    this.#text = (this.#text + new TextDecoder("latin1").decode(chunk)).slice(-200_000);
    return this.#text;
  }
}
