/**
 * A TCP proxy to a server that can fail: it drops connections between a request and its response, hangs, or rejects
 * connections.
 *
 * @module
 */

/** What happens to existing and new connections. */
type Mode = "open" | "hanging" | "closed";

/** When a connection drops: before the server gets the request, or before the client gets the response. */
export type DropMoment = "before the request" | "after the request";

/** A proxy in front of a server. */
export interface FaultyProxy extends AsyncDisposable {
  /** The server's URL through the proxy. */
  readonly url: string;
  /** Connections dropped by {@linkcode FaultyProxy.dropAt}. */
  readonly drops: number;
  /** Drops the next connection that sends a string; "after the request" once the server has responded. */
  dropAt(text: string, moment: DropMoment): void;
  /** Drops all connections and rejects new ones. */
  close(): void;
  /** Forwards nothing and drops nothing. What is sent in this state is lost. */
  hang(): void;
  /** Forwards again. Connections that hung are dropped. */
  open(): void;
}

/** Starts a proxy in front of a server. */
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

  /** Forwards one client's connection until one side or a failure ends it. */
  async function serve(client: Deno.TcpConn): Promise<void> {
    const link = await connect(client, server);
    if (link === undefined) return;
    if (mode === "closed") return link.drop();
    links.add(link);
    let dropsResponse = false; // the next response must not arrive
    const sent = new Tail();
    await Promise.all([
      pump(link, "client", async (chunk) => {
        if (mode === "hanging") return;
        if (armed !== undefined && sent.add(chunk).includes(armed.text)) {
          dropsResponse = armed.moment === "after the request";
          armed = undefined;
          drops++;
          if (!dropsResponse) return link.drop();
        }
        await writeAll(link.server, chunk);
      }),
      pump(link, "server", async (chunk) => {
        if (dropsResponse) return link.drop();
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
    // dropped by either side
  }
  link.drop();
}

async function writeAll(connection: Deno.TcpConn, chunk: Uint8Array<ArrayBuffer>): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    written += await connection.write(chunk.subarray(written));
  }
}

/** The end of what was sent: a string may be split over two chunks. */
class Tail {
  #text = "";

  add(chunk: Uint8Array<ArrayBuffer>): string {
    this.#text = (this.#text + new TextDecoder("latin1").decode(chunk)).slice(-200_000);
    return this.#text;
  }
}
