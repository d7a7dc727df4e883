/**
 * An authorization server, browsers that use it, and requests of clients.
 *
 * @module
 */

import { inMemoryAuthStores, keyService } from "../../auth/mod.ts";
import {
  AuthorizationServer,
  type AuthorizationServerOptions,
  handleOAuthServerRequest,
  staticClients,
} from "../../auth/server/mod.ts";
import { assert } from "./harness.ts";

export const ISSUER = "https://id.example";
export const START = 1_700_000_000;
export const REDIRECT_URI = "https://app.example/cb";
export const SECRET = "k3-Zq8vT1xW5rY7uP9sD2fG4hJ6kL0mN";
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"; // RFC 7636 Appendix B
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** Fields of a form or a query; `undefined` omits a default one. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** A token response, RFC 6749 §5.1. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly scope: string;
  readonly expires_in: number;
}

/** A browser: its cookies, by their names. */
export type Jar = Map<string, string>;

/** Options of {@linkcode createServerSite}. */
export interface SiteOptions extends Partial<Omit<AuthorizationServerOptions, "fetch">> {
  /** Answers the requests, as an application with a server of its own does. @default the server */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
}

/** A server, and what its users and clients do. */
export interface ServerSite {
  readonly server: AuthorizationServer;
  readonly clock: { now: number };
  /** Sends any request. */
  send(
    path: string,
    init?: RequestInit,
    fields?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** Opens an address in a browser. */
  open(jar: Jar, path: string): Promise<Response>;
  /** Sends the form of a consent page. */
  decide(jar: Jar, page: string, changes?: Fields): Promise<Response>;
  /** A code, for whose request a user has allowed everything. */
  code(changes?: Fields): Promise<string>;
  /** Sends a form to an endpoint, as the public client. */
  post(
    endpoint: string,
    form: Fields,
    fields?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** Exchanges a code. */
  redeem(code: string, changes?: Fields): Promise<Response>;
  /** Exchanges a refresh token. */
  refresh(token: string, changes?: Fields): Promise<Response>;
  /** Tokens that a user has granted. */
  granted(changes?: Fields): Promise<Tokens>;
  /** Asks UserInfo. */
  userinfo(token: string): Promise<Response>;
}

/** A browser in which Ada is signed in. */
export function signedIn(): Jar {
  return new Map([["__Host-user", "u1"]]);
}

/** Creates a server whose users are who the cookie `__Host-user` says, on in-memory stores. */
export function createServerSite({ fetch, ...given }: SiteOptions = {}): ServerSite {
  const clock = { now: START };
  const now = () => clock.now;
  const stores = inMemoryAuthStores({ now });
  const { issuer = ISSUER, idTokenAlgorithm = "ES256" } = given;
  const server = new AuthorizationServer({
    issuer,
    clients: staticClients([
      { clientId: "spa", name: "Notes on the web", redirectUris: [REDIRECT_URI] },
      { clientId: "web", name: "Notes", redirectUris: [REDIRECT_URI], secret: SECRET },
    ]),
    codes: stores.authorizations,
    tokens: stores.refreshTokens,
    keyService: keyService({ store: stores.keys, algorithms: [idTokenAlgorithm], now }),
    idTokenAlgorithm,
    scopes: { "notes:read": { description: "Read your notes" } },
    claims: () => ({ name: "Ada Lovelace", email: "ada@example.org" }),
    async authenticate(request) {
      const sub = /__Host-user=(\w+)/.exec(request.headers.get("Cookie") ?? "")?.[1];
      if (sub === undefined) return undefined;
      return await Promise.resolve({ sub, securityStamp: "s1", authTime: START - 5, amr: ["pwd"] });
    },
    now,
    ...given,
  });

  const send: ServerSite["send"] = async (path, init = {}, fields = {}) => {
    const request = new Request(new URL(path, issuer), init);
    // Node and Bun leave out what pages may not set; servers' requests have it
    Object.defineProperty(request, "headers", { value: new Headers(fields) });
    return await (fetch?.(request) ?? handleOAuthServerRequest(server, request));
  };

  async function browse(
    jar: Jar,
    path: string,
    init: RequestInit,
    fields: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const response = await send(path, init, { ...fields, ...cookieOf(jar) });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split("; ")[0] ?? "").split("=");
      jar.set(name, value);
    }
    return response;
  }

  const open: ServerSite["open"] = async (jar, path) =>
    await browse(jar, path, { method: "GET" }, { "Sec-Fetch-Site": "cross-site" });

  const decide: ServerSite["decide"] = async (jar, page, changes = {}) => {
    const { action, fields } = formOf(page);
    fields.set("decision", "allow");
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) fields.delete(name);
      else fields.set(name, value);
    }
    const headers = { ...FORM, "Sec-Fetch-Site": "same-origin" };
    return await browse(jar, action, { method: "POST", body: `${fields}` }, headers);
  };

  const post: ServerSite["post"] = async (endpoint, form, fields = {}) => {
    const body = `${new URLSearchParams(defined({ client_id: "spa", ...form }))}`;
    return await send(`/oauth/${endpoint}`, { method: "POST", body }, { ...FORM, ...fields });
  };

  const code: ServerSite["code"] = async (changes) => {
    const jar = signedIn();
    const page = await open(jar, authorizePath(changes));
    const response = await decide(jar, await page.text());
    return parametersOf(response).get("code") ?? "";
  };

  const redeem: ServerSite["redeem"] = (secret, changes = {}) =>
    post("token", {
      grant_type: "authorization_code",
      code: secret,
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
      ...changes,
    });

  return {
    server,
    clock,
    send,
    open,
    decide,
    code,
    post,
    redeem,
    refresh: (token, changes = {}) =>
      post("token", { grant_type: "refresh_token", refresh_token: token, ...changes }),
    granted: async (changes) => await (await redeem(await code(changes))).json(),
    userinfo: (token) =>
      send("/oauth/userinfo", { method: "GET" }, { Authorization: `Bearer ${token}` }),
  };
}

/** The path of an authorization request. */
export function authorizePath(changes: Fields = {}): string {
  const query = new URLSearchParams(defined({
    response_type: "code",
    client_id: "spa",
    redirect_uri: REDIRECT_URI,
    scope: "openid offline_access email notes:read",
    state: "s-1",
    nonce: "n-1",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...changes,
  }));
  return `/oauth/authorize?${query}`;
}

/** The form of a page: its action, and all fields but the buttons. Its values need no decoding. */
export function formOf(
  page: string,
): { readonly action: string; readonly fields: URLSearchParams } {
  const fields = new URLSearchParams();
  for (const [tag] of page.matchAll(/<input\b[^>]*>/g)) {
    fields.append(attributeOf(tag, "name"), attributeOf(tag, "value"));
  }
  return { action: attributeOf(/<form\b[^>]*>/.exec(page)?.[0] ?? "", "action"), fields };
}

function attributeOf(tag: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
}

/** Parameters of a redirect to a client. */
export function parametersOf(response: Response): URLSearchParams {
  const location = response.headers.get("Location") ?? "";
  assert(response.status === 303, `${response.status} is not a redirect`);
  return new URL(location, ISSUER).searchParams;
}

/** Value of the header `Cookie`. */
export function cookieOf(jar: Jar): Readonly<Record<string, string>> {
  return jar.size === 0 ? {} : { Cookie: [...jar].map((pair) => pair.join("=")).join("; ") };
}

function defined(fields: Fields): Record<string, string> {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.filter((field): field is [string, string] => !!field[1]));
}

/** Status of a response, and its error. */
export async function outcome(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  const text = await response.text();
  const { error = "" } = text.startsWith("{") ? JSON.parse(text) : {};
  return `${response.status} ${error}`.trim();
}
