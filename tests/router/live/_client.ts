/**
 * A WebSocket client, RFC 6455, frame by frame: it may do what a browser's would not.
 *
 * @module
 */

/** What a server answered to a handshake. */
export interface Handshake {
  readonly status: number;
  readonly headers: Headers;
  /** The body of a refusal; the empty string of a 101. */
  readonly body: string;
  /** The connection, open if the status is 101. */
  readonly client: SocketClient;
}

/** How a handshake differs from the usual one. */
export interface HandshakeOptions {
  readonly method?: string;
  /** Fields besides the usual ones; `undefined` leaves out one of those. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** What follows the head at once. */
  readonly content?: string;
}

/** One frame. */
export interface Frame {
  readonly opcode: number;
  readonly payload: Uint8Array<ArrayBuffer>;
}

/** Opcodes, §11.8. */
export const TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const TIMEOUT_MS = 10_000;

/** Sends a handshake, and reads the answer. */
export async function handshake(
  port: number,
  path: string,
  { method = "GET", headers = {}, content = "" }: HandshakeOptions = {},
): Promise<Handshake> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const fields = {
    Host: `127.0.0.1:${port}`,
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", // of §1.3
    ...headers,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`]
  );
  const head = [`${method} ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n");
  const client = new SocketClient(connection);
  await client.write(encoder.encode(head + content));
  const [first = "", ...rest] = (await client.readHead()).split("\r\n");
  const status = Number(first.split(" ")[1]);
  const received = new Headers(
    rest.filter((line) => line !== "").map((line): [string, string] => {
      const at = line.indexOf(":");
      return [line.slice(0, at), line.slice(at + 1).trim()];
    }),
  );
  if (status === 101) return { status, headers: received, body: "", client };
  const length = Number(received.get("Content-Length") ?? 0);
  const isWhole = method === "HEAD" || received.has("Transfer-Encoding");
  const body = isWhole ? "" : decoder.decode(await client.readBytes(length));
  client.end();
  return { status, headers: received, body, client };
}

/** Opens a connection. @throws {Error} If the server refuses. */
export async function open(
  port: number,
  path: string,
  options?: HandshakeOptions,
): Promise<SocketClient> {
  const { status, client } = await handshake(port, path, options);
  if (status !== 101) throw new Error(`The server refused with ${status}`);
  return client;
}

/** The client's end of a connection. */
export class SocketClient {
  readonly connection: Deno.TcpConn;
  #received = new Uint8Array(0);
  #isClosing = false;

  constructor(connection: Deno.TcpConn) {
    this.connection = connection;
  }

  /** Sends a text or bytes. */
  async send(message: string | Uint8Array): Promise<void> {
    if (typeof message === "string") await this.frame(TEXT, encoder.encode(message));
    else await this.frame(BINARY, message);
  }

  /** Sends a masked frame, §5.2. */
  async frame(
    opcode: number,
    payload: Uint8Array = new Uint8Array(0),
    final = true,
  ): Promise<void> {
    await this.write(encodeFrame(opcode, payload, final));
  }

  /** Sends a close frame. */
  async close(code: number, reason = ""): Promise<void> {
    this.#isClosing = true;
    await this.frame(CLOSE, new Uint8Array([code >> 8, code & 255, ...encoder.encode(reason)]));
  }

  /** Closes the connection as both ends should, §7.1. */
  async leave(): Promise<void> {
    await this.close(1000);
    while (await this.next() !== "end");
    this.end();
  }

  /** The next frame but pings; `undefined` at the end of the connection. */
  async read(): Promise<Frame | undefined> {
    for (;;) {
      const frame = await this.#readFrame();
      if (frame?.opcode !== PING) return frame;
    }
  }

  /** The next message as text, `close <code> <reason>`, which is answered, or `end`. */
  async next(): Promise<string> {
    const frame = await this.read();
    if (frame === undefined) return "end";
    const { opcode, payload } = frame;
    if (opcode === BINARY) return `bytes ${payload.join()}`;
    if (opcode !== CLOSE) return decoder.decode(payload);
    if (!this.#isClosing) await this.frame(CLOSE, payload.slice(0, 2)); // §5.5.1
    const [high = 0, low = 0] = payload;
    return `close ${payload.length === 0 ? "" : high * 256 + low} ${
      decoder.decode(payload.slice(2))
    }`
      .trim();
  }

  async #readFrame(): Promise<Frame | undefined> {
    const head = await this.#take(2);
    if (head === undefined) return undefined;
    const [first = 0, second = 0] = head;
    let length = second & 127;
    if (length > 125) {
      const bytes = await this.#take(length === 126 ? 2 : 8);
      if (bytes === undefined) return undefined;
      length = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
    }
    const payload = await this.#take(length);
    return payload && { opcode: first & 15, payload };
  }

  /** The head of an HTTP response. */
  async readHead(): Promise<string> {
    for (;;) {
      const text = new TextDecoder("latin1").decode(this.#received);
      const end = text.indexOf("\r\n\r\n");
      if (end >= 0) {
        this.#received = this.#received.slice(end + 4);
        return text.slice(0, end);
      }
      if (!await this.#receive()) return text;
    }
  }

  /** So many bytes, or what there is. */
  async readBytes(length: number): Promise<Uint8Array<ArrayBuffer>> {
    return await this.#take(length) ?? this.#received;
  }

  /** Sends bytes. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let sent = 0; sent < bytes.length;) {
      sent += await this.connection.write(bytes.subarray(sent));
    }
  }

  /** Ends the connection, without a close frame. */
  end(): void {
    try {
      this.connection.close();
    } catch {
      // It has ended
    }
  }

  [Symbol.dispose](): void {
    this.end();
  }

  async #take(length: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    while (this.#received.length < length) {
      if (!await this.#receive()) return undefined;
    }
    const taken = this.#received.slice(0, length);
    this.#received = this.#received.slice(length);
    return taken;
  }

  /** @returns Whether there was something. */
  async #receive(): Promise<boolean> {
    const buffer = new Uint8Array(65_536);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("The server sends nothing")), TIMEOUT_MS);
    });
    try {
      const count = await Promise.race([this.connection.read(buffer), late]);
      if (count === null) return false;
      const joined = new Uint8Array(this.#received.length + count);
      joined.set(this.#received);
      joined.set(buffer.subarray(0, count), this.#received.length);
      this.#received = joined;
      return true;
    } catch (error) {
      if (error instanceof Error && error.message === "The server sends nothing") throw error;
      return false; // reset
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A masked frame, §5.2; the mask is zero, which leaves the payload readable. */
export function encodeFrame(
  opcode: number,
  payload: Uint8Array,
  final = true,
): Uint8Array<ArrayBuffer> {
  const { length } = payload;
  const size = length < 126
    ? [length]
    : length < 65_536
    ? [126, length >> 8, length & 255]
    : [127, 0, 0, 0, 0, length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255];
  const [first = 0, ...rest] = size;
  return new Uint8Array([opcode | (final ? 128 : 0), first | 128, ...rest, 0, 0, 0, 0, ...payload]);
}
