/**
 * What the walk speaks with: a client with cookies, and what differs between the versions.
 *
 * @module
 */

/** A request of a {@linkcode Client}. */
export interface RequestOptions {
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** On a connection of its own, which a server may end that does not read the body. */
  readonly alone?: boolean;
}

/** Sends requests as one browser or one program would. */
export interface Client {
  readonly origin: string;
  /** Cookies by name. */
  readonly cookies: Map<string, string>;
  /** Sends a request; cancel or read the body of its response. */
  send(method: string, path: string, options?: RequestOptions): Promise<Response>;
}

/** Access and refresh token of a mobile client. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/** A version's own paths of accounts, tokens and keys. */
export interface Adapter {
  /** Numbers of checks that the version cannot meet, with the reason. */
  readonly notMet: Readonly<Record<string, string>>;
  /** Creates an account and leaves a session in the client's cookies. */
  register(client: Client, email: string, password: string): Promise<Response>;
  signIn(client: Client, email: string, password: string): Promise<Response>;
  signOut(client: Client, headers?: Record<string, string>): Promise<Response>;
  mobileSignIn(client: Client, email: string, password: string): Promise<Response>;
  mobileRefresh(client: Client, refreshToken: string): Promise<Response>;
  mobileRevoke(client: Client, tokens: Tokens): Promise<Response>;
  /** Reads the JSON of a response of `mobileSignIn()` or `mobileRefresh()`. */
  // deno-lint-ignore no-explicit-any -- JSON of either version
  tokensOf(json: any): Tokens;
  createKey(client: Client, name: string, scope: "read" | "write"): Promise<Response>;
  // deno-lint-ignore no-explicit-any -- JSON of either version
  keyOf(json: any): { readonly id: string; readonly key: string };
  listKeys(client: Client): Promise<Response>;
  revokeKey(client: Client, id: string): Promise<Response>;
  /** The header field that carries a key. */
  keyHeader(key: string): Record<string, string>;
}

/** A client without cookies yet; `headers` go with each of its requests. */
export function createClient(
  origin: string,
  headers: Readonly<Record<string, string>> = {},
): Client {
  const cookies = new Map<string, string>();
  return {
    origin,
    cookies,
    async send(method, path, { json, body, headers: own, signal, alone } = {}) {
      const sent = new Headers(headers);
      if (cookies.size > 0) {
        sent.set("Cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
        // As browsers do.
        if (method !== "GET") sent.set("Origin", origin);
      }
      if (json !== undefined) sent.set("Content-Type", "application/json");
      for (const [name, value] of Object.entries(own ?? {})) sent.set(name, value);
      const http = alone ? Deno.createHttpClient({ poolMaxIdlePerHost: 0 }) : undefined;
      const response = await fetch(new URL(path, origin), {
        method,
        headers: sent,
        redirect: "manual",
        body: json === undefined ? body ?? null : JSON.stringify(json),
        signal: signal ?? null,
        ...(http === undefined ? {} : { client: http }),
      });
      for (const cookie of response.headers.getSetCookie()) keep(cookies, cookie);
      return response;
    },
  };
}

/** A client that sends an access token. */
export function bearerClient(origin: string, accessToken: string): Client {
  return createClient(origin, { Authorization: `Bearer ${accessToken}` });
}

/** Sends a request and reads nothing of its response but the status. */
export async function statusOf(...args: [Client, ...Parameters<Client["send"]>]): Promise<number> {
  const [client, ...request] = args;
  const response = await client.send(...request);
  await response.body?.cancel();
  return response.status;
}

function keep(cookies: Map<string, string>, cookie: string): void {
  const [pair = "", ...attributes] = cookie.split(";");
  const [name = "", ...value] = pair.trim().split("=");
  const gone = attributes.some((attribute) => /^\s*max-age=(0|-\d+)\s*$/i.test(attribute));
  if (gone || value.join("=") === "") cookies.delete(name);
  else cookies.set(name, value.join("="));
}
