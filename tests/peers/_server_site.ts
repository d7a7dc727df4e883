/**
 * Our authorization server on this machine, a browser that signs in there, and an address that it sends responses to.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import {
  AuthorizationServer,
  type AuthorizationServerOptions,
  type ClientInit,
  mountOAuthServer,
  runtimeOptions,
  staticClients,
} from "../../auth/server/mod.ts";
import type { AsymmetricAlgorithm } from "../../auth/jwt/jwa.ts";
import {
  createContainer,
  createRouter,
  generateJwk,
  inMemoryAuthStores,
  json,
  type Jwk,
  pbkdf2Hasher,
  publicJwk,
  registerAuth,
} from "../../mod.ts";
import { ADA, SECRET } from "../auth/_services.ts";

export const API = "https://api.example";
export const REDIRECT_URI = "https://app.example/callback";

/** Where clients send the browser after a sign-out. */
export const SIGNED_OUT_URI = "https://app.example/signed-out";

/** Seconds after a sign-in at which `/pay` demands another one. */
export const MAX_AGE = 2;

const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";

/** What a client that does not encode its secret would send with another meaning. */
export const CLIENT_SECRET = `100% "a+b": a secret of tests & more = ~/?`;

/** The private key of the client `signer`, and that of `publisher`. */
export const CLIENT_KEY: Jwk = await generateJwk("ES256");
export const PUBLISHER_KEY: Jwk = await generateJwk("PS256");

/** Where `publisher` has its public keys: no network is there, only the answer of the server's `fetch`. */
const JWKS_URI = "https://publisher.example/jwks.json";

/** A running server. */
export interface ServerSite extends AsyncDisposable {
  readonly issuer: string;
  readonly server: AuthorizationServer;
  /** Subject id of Ada. */
  readonly sub: string;
  /** A redirect URI of the clients `form` and `native`, where something listens. */
  readonly receiverUri: string;
  /** The requests that came to it. */
  readonly received: readonly Request[];
  /** A browser without cookies. */
  browser(): ServerBrowser;
}

/** Options of {@linkcode startServerSite}. */
export interface ServerSiteOptions {
  /** Algorithm of ID tokens. @default {"ES256"} */
  readonly alg?: AsymmetricAlgorithm;
  /** Algorithm of access tokens. @default that of ID tokens */
  readonly accessTokenAlg?: AsymmetricAlgorithm;
  /** Path of the issuer. @default {"/tenants/a"} */
  readonly path?: string;
  /** Other options. */
  readonly server?: Partial<AuthorizationServerOptions>;
}

/** Starts a server, in whose application Ada has an account. */
export async function startServerSite(
  { alg = "ES256", accessTokenAlg = alg, path = "/tenants/a", server: more = {} }:
    ServerSiteOptions = {},
): Promise<ServerSite> {
  const local = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const received: Request[] = [];
  const receiver = Deno.serve(local, async (request) => {
    const { method, url, headers } = request;
    const body = method === "POST" ? { body: await request.arrayBuffer() } : {};
    received.push(new Request(url, { method, headers, ...body }));
    return new Response("You can close this window");
  });
  const receiverUri = `http://127.0.0.1:${receiver.addr.port}/callback`;

  let handler: Deno.ServeHandler<Deno.NetAddr> = () => new Response(null, { status: 503 });
  const http = Deno.serve(local, (request, info) => handler(request, info));
  const origin = `http://127.0.0.1:${http.addr.port}`;
  const issuer = origin + path;
  const stores = inMemoryAuthStores();
  const runtime = registerAuth({
    secret: SECRET,
    stores,
    hasher: pbkdf2Hasher({ iterations: 1_000 }), // fast: the hash is not under test
    deployment: "direct",
    jwt: { issuer, audience: API, algorithms: [...new Set([accessTokenAlg, alg])] },
    container: createContainer(),
  });
  const server = new AuthorizationServer({
    issuer,
    clients: staticClients(clientsOf(receiverUri)),
    codes: stores.authorizations,
    tokens: stores.refreshTokens,
    keyService: runtime.tokens.keys,
    idTokenAlgorithm: alg,
    resources: [API],
    scopes: { "notes:read": { description: "Read your notes" } },
    claims: () => ({ name: "Ada", email: "ada@example.org", email_verified: true }),
    states: stores.states,
    fetch: (url) =>
      Promise.resolve(
        url === JWKS_URI
          ? Response.json({ keys: [publicJwk(PUBLISHER_KEY)] })
          : new Response(null, { status: 404 }),
      ),
    insecureLoopback: true,
    pushedRequests: true,
    introspection: true,
    grants: ["authorization_code", "refresh_token", DEVICE_CODE],
    ...runtimeOptions(runtime),
    logout: true,
    ...more,
  });
  const router = mountOAuthServer(
    createRouter<[Deno.ServeHandlerInfo<Deno.NetAddr>]>()
      .withAuth(runtime.integration({ routes: { registration: "closed" } })),
    server,
  ).get("/pay", () => json("paid"), { scope: ["notes:read"], auth: { maxAge: MAX_AGE } });
  handler = (request, info) => router.fetch(request, info);
  const { sub } = await runtime.passwords.createUser({ ...ADA });
  return {
    issuer,
    server,
    sub,
    receiverUri,
    received,
    browser: () => new ServerBrowser(origin),
    async [Symbol.asyncDispose]() {
      await Promise.all([http.shutdown(), receiver.shutdown()]);
    },
  };
}

function clientsOf(receiverUri: string): readonly ClientInit[] {
  const web = {
    name: "Notes",
    redirectUris: [REDIRECT_URI],
    postLogoutRedirectUris: [SIGNED_OUT_URI],
  };
  return [
    { ...web, clientId: "spa" },
    { ...web, clientId: "basic", secret: CLIENT_SECRET },
    {
      ...web,
      clientId: "post",
      secret: CLIENT_SECRET,
      authentication: "client_secret_post",
    },
    { ...web, clientId: "signer", jwks: { keys: [publicJwk(CLIENT_KEY)] } },
    { ...web, clientId: "publisher", jwksUri: JWKS_URI },
    { ...web, clientId: "form", redirectUris: [receiverUri] },
    {
      ...web,
      clientId: "tv",
      redirectUris: [],
      grants: [DEVICE_CODE, "refresh_token"],
    },
    { ...web, clientId: "native", type: "native", redirectUris: ["http://127.0.0.1/callback"] },
  ];
}

/** A browser in which Ada signs in, and allows what she is asked. It has its cookies, and no scripts. */
export class ServerBrowser {
  /** How often she has signed in. */
  signIns = 0;
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /**
   * Goes to an address, signs in and decides on the way.
   *
   * @returns The first address that is not the server's. A form that goes there is sent.
   */
  async visit(url: URL, decision: "allow" | "deny" | "sign_out" = "allow"): Promise<URL> {
    let response = await this.send(url.href, { headers: { "Sec-Fetch-Site": "cross-site" } });
    for (let step = 0; step < 8; step++) {
      const location = response.headers.get("Location");
      if (location !== null) {
        await response.body?.cancel();
        const next = new URL(location, this.#origin);
        if (next.origin !== this.#origin) return next;
        const back = next.searchParams.get("next");
        if (next.pathname === "/sign-in") await this.signIn(next);
        response = await this.send(next.pathname === "/sign-in" ? back ?? "" : next.href);
        continue;
      }
      const { action, fields } = formOf(await response.text());
      if (new URL(action, this.#origin).origin !== this.#origin) return await post(action, fields);
      fields.append("decision", decision);
      const headers = { "Sec-Fetch-Site": "same-origin" };
      response = await this.send(action, { method: "POST", body: fields, headers });
    }
    throw new Error("The server asks for ever");
  }

  /** Enters the code that is filled in on the page of a device, signs in and decides on the way. @returns The title of the last page. */
  async connect(url: string, decision: "allow" | "deny" = "allow"): Promise<string> {
    let response = await this.send(url);
    for (let step = 0; step < 8; step++) {
      const location = response.headers.get("Location");
      if (location !== null) {
        await response.body?.cancel();
        const next = new URL(location, this.#origin);
        const back = next.searchParams.get("next") ?? "";
        if (next.pathname === "/sign-in") await this.signIn(next);
        response = await this.send(next.pathname === "/sign-in" ? back : next.href);
        continue;
      }
      const page = await response.text();
      if (!page.includes("<form")) return /<h1>([^<]*)/.exec(page)?.[1] ?? "";
      const { action, fields } = formOf(page);
      fields.append("decision", decision);
      const headers = { "Sec-Fetch-Site": "same-origin" };
      response = await this.send(action, { method: "POST", body: fields, headers });
    }
    throw new Error("The server asks for ever");
  }

  /** Signs in, again if necessary: at the page that the server has sent it to. */
  async signIn(_page?: URL): Promise<void> {
    const headers = { "Sec-Fetch-Site": "same-origin" };
    const { csrfToken } = await (await this.send("/auth/csrf", { headers })).json();
    const response = await this.send("/auth/login", {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json", "X-CSRF-Token": csrfToken },
      body: JSON.stringify(ADA),
    });
    await response.body?.cancel();
    assertEquals(response.status, 200);
    this.signIns++;
  }

  /** Sends a request with cookies, without following redirects. */
  async send(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
    const all = new Headers(headers);
    if (this.#cookies.size > 0) {
      all.set("Cookie", [...this.#cookies].map((pair) => pair.join("=")).join("; "));
    }
    const url = new URL(path, this.#origin);
    const response = await fetch(url, { ...init, headers: all, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/; Expires=Thu, 01 Jan 1970 /.test(cookie)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}

/** Sends a form of the response mode `form_post` to a client. */
async function post(action: string, body: URLSearchParams): Promise<URL> {
  const response = await fetch(action, { method: "POST", body });
  await response.body?.cancel();
  assertEquals(response.status, 200);
  return new URL(action);
}

/** The form of a page, with all of its fields. Its values need no decoding. */
function formOf(page: string): { readonly action: string; readonly fields: URLSearchParams } {
  const [, action] = /<form method="post" action="([^"]+)"/.exec(page) ?? [];
  assert(action !== undefined, page.replace(/<style>[^]*<\/style>/, "").slice(0, 2_000));
  const fields = new URLSearchParams();
  for (const [tag] of page.matchAll(/<input\s[^>]*>/g)) {
    fields.append(attributeOf(tag, "name"), attributeOf(tag, "value"));
  }
  return { action, fields };
}

function attributeOf(tag: string, name: string): string {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
}
