/**
 * An application with an authorization server, browsers that use it, and a client's requests.
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
} from "../../../auth/server/mod.ts";
import { digestText } from "../../../auth/_kdf.ts";
import { decodeBase64Url } from "../../../auth/_base64url.ts";
import type { TokenRuntime } from "../../../auth/http/types.ts";
import type { TestApp, TestAppOptions, TestBrowser } from "../http/_app.ts";
import { enterApp } from "../http/_sign_in.ts";

export const ISSUER = "https://example.com";
export const API = "https://api.example";
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"; // RFC 7636 Appendix B
export const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
export const SECRET = "k3-Zq8vT1xW5rY7uP9sD2fG4hJ6kL0mN";

/** One client of each kind. */
export const CLIENTS: readonly ClientInit[] = [
  { clientId: "spa", name: "Notes on the web", redirectUris: ["https://app.example/cb"] },
  {
    clientId: "web",
    name: "Notes server",
    redirectUris: ["https://web.example/cb", "https://web.example/cb?kind=2"],
    secret: SECRET,
  },
  {
    clientId: "post",
    name: "Posting server",
    redirectUris: ["https://post.example/cb"],
    secret: SECRET,
    authentication: "client_secret_post",
  },
  {
    clientId: "cli",
    name: "Notes on the command line",
    type: "native",
    redirectUris: ["http://127.0.0.1/cb", "http://localhost/cb", "com.example.notes:/cb"],
  },
  {
    clientId: "own",
    name: "Our own",
    redirectUris: ["https://own.example/cb"],
    firstParty: true,
  },
  {
    clientId: "narrow",
    name: "Only reads",
    redirectUris: ["https://narrow.example/cb"],
    scope: ["notes:read"],
    grants: ["authorization_code"],
  },
];

/** The first redirect URI of each client. */
export const REDIRECTS: Readonly<Record<string, string>> = Object.fromEntries(
  CLIENTS.map(({ clientId, redirectUris = [] }) => [clientId, redirectUris[0] ?? ""]),
);

/** Parameters of a request; `undefined` omits a default one. */
export type Params = Readonly<Record<string, string | undefined>>;

/** Options of {@linkcode serverSite}. */
export interface SiteOptions {
  readonly server?: Partial<AuthorizationServerOptions>;
  readonly clients?: readonly ClientInit[];
  readonly app?: TestAppOptions;
}

export interface ServerSite {
  readonly app: TestApp;
  readonly server: AuthorizationServer;
  readonly options: AuthorizationServerOptions;
  /** A browser in which Ada, `u1`, is signed in. */
  signedIn(): Promise<TestBrowser>;
  /** Signs Ada in again, in the same browser. */
  signIn(browser: TestBrowser): Promise<void>;
  /** The path of an authorization request. */
  authorizePath(params?: Params): string;
  /** Sends an authorization request. */
  authorize(browser: TestBrowser, params?: Params): Promise<Response>;
  /** Sends the form of a consent page. */
  decide(browser: TestBrowser, page: Response | string, changes?: FormChanges): Promise<Response>;
  /** A code for the client, whose request the user allows. */
  code(browser: TestBrowser, params?: Params): Promise<string>;
  /** Sends a token request of a client that is public, or whose secret is in `authorization`. */
  token(form: Params, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Exchanges a code. */
  redeem(
    code: string,
    changes?: Params,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** Sends any request to the server. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** Changes of the consent form. */
export interface FormChanges {
  readonly decision?: string;
  /** Scopes that stay ticked. @default all */
  readonly scope?: readonly string[];
  readonly fields?: Params;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export function serverSite(given: SiteOptions = {}): ServerSite {
  const jwt = { issuer: ISSUER, audience: API, algorithms: ["ES256"] } as const;
  const app = enterApp({ jwt, ...given.app });
  const runtime = app.runtime as TokenRuntime;
  const options: AuthorizationServerOptions = {
    issuer: ISSUER,
    clients: staticClients(given.clients ?? CLIENTS),
    codes: app.stores.authorizations,
    tokens: app.stores.refreshTokens,
    keyService: runtime.tokens.keys,
    idTokenAlgorithm: "ES256",
    resources: [API],
    scopes: {
      "notes:read": { description: "Read your notes" },
      "notes:write": { description: "Change your notes" },
    },
    claims: (sub) => ({
      name: "Ada Lovelace",
      email: "ada@example.com",
      email_verified: true,
      role: sub,
    }),
    ...runtimeOptions(runtime),
    ...given.server,
  };
  const server = new AuthorizationServer(options);
  const router = mountOAuthServer(app.router, server);
  const send = async (path: string, init?: RequestInit) =>
    await router.fetch(new Request(new URL(path, ISSUER), init));

  async function signIn(browser: TestBrowser): Promise<void> {
    const response = await browser.send("/enter", { method: "POST", json: {} });
    assertEquals(response.status, 200);
  }

  function authorizePath(params: Params = {}): string {
    const clientId = params["client_id"] ?? "spa";
    const query = new URLSearchParams(defined({
      response_type: "code",
      client_id: clientId,
      redirect_uri: REDIRECTS[clientId] ?? "https://app.example/cb",
      scope: "openid notes:read",
      state: "s-1",
      nonce: "n-1",
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
      ...params,
    }));
    return `/oauth/authorize?${query}`;
  }

  const authorize: ServerSite["authorize"] = async (browser, params) =>
    await browser.send(authorizePath(params), { headers: { "Sec-Fetch-Site": "cross-site" } });

  const decide: ServerSite["decide"] = async (browser, page, changes = {}) => {
    const form = formOf(typeof page === "string" ? page : await page.text());
    const { decision = "allow", scope, fields, headers = {} } = changes;
    const all = new URLSearchParams(form.fields);
    for (const name of scope ?? form.scope) all.append("scope", name);
    all.append("decision", decision);
    for (const [name, value] of Object.entries(fields ?? {})) {
      if (value === undefined) all.delete(name);
      else all.set(name, value);
    }
    return await browser.send(form.action, {
      method: "POST",
      body: all.toString(),
      headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
    });
  };

  const token: ServerSite["token"] = async (form, headers = {}) =>
    await send("/oauth/token", {
      method: "POST",
      headers,
      body: new URLSearchParams(defined(form)),
    });

  return {
    app,
    server,
    options,
    send,
    signIn,
    authorizePath,
    authorize,
    decide,
    token,
    async signedIn() {
      const browser = app.browser();
      await signIn(browser);
      return browser;
    },
    async code(browser, params) {
      const page = await authorize(browser, params);
      const response = page.status === 200 ? await decide(browser, page) : page;
      return responseParameters(response).get("code") ?? "";
    },
    redeem: (code, changes = {}, headers = {}) => {
      const clientId = changes["client_id"] ?? "spa";
      return token({
        grant_type: "authorization_code",
        code,
        redirect_uri: REDIRECTS[clientId],
        code_verifier: VERIFIER,
        client_id: clientId,
        ...changes,
      }, headers);
    },
  };
}

/** The header field of HTTP Basic authentication. */
export function basic(clientId: string, secret: string): { readonly Authorization: string } {
  const pair = [clientId, secret].map(encodeURIComponent).join(":");
  return { Authorization: `Basic ${btoa(pair)}` };
}

/** The parameters of a response that a redirect carries. */
export function responseParameters(response: Response): URLSearchParams {
  assertEquals(response.status, 303);
  return new URL(response.headers.get("Location") ?? "", ISSUER).searchParams;
}

/** Asserts a redirect to the client with an error. */
export function assertRedirectError(response: Response, error: string, to?: string): void {
  const location = response.headers.get("Location") ?? "";
  if (to !== undefined) assert(location.startsWith(to), location);
  const parameters = responseParameters(response);
  assertEquals([parameters.get("error"), parameters.get("iss")], [error, ISSUER]);
}

/** Asserts an error page, from which nothing leads away. */
export async function assertErrorPage(
  response: Response,
  status: number,
  reason: string,
): Promise<void> {
  assertEquals([response.status, response.headers.get("Location")], [status, null]);
  const text = await response.text();
  assert(text.includes(reason), `The page does not contain ${reason}`);
}

/** Asserts an error of the token endpoint, RFC 6749 §5.2. */
export async function assertTokenError(
  response: Response,
  error: string,
  status = 400,
): Promise<void> {
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals([response.status, await response.json()], [status, { error }]);
}

/** The claims of a token, not verified. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(decodeBase64Url(token.split(".")[1] ?? "")));
}

/** The header of a token. */
export function headerOf(token: string): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(decodeBase64Url(token.split(".")[0] ?? "")));
}

/** PKCE's challenge of a verifier. */
export const challengeOf: (verifier: string) => Promise<string> = digestText;

/** The form of a page: its action, hidden fields, and scopes. */
export function formOf(html: string): {
  readonly action: string;
  readonly fields: Record<string, string>;
  readonly scope: readonly string[];
} {
  const fields: Record<string, string> = {};
  const scope: string[] = [];
  for (const [tag] of html.matchAll(/<input\b[^>]*>/g)) {
    const name = attribute(tag, "name") ?? "";
    const value = attribute(tag, "value") ?? "";
    if (name === "scope") scope.push(value);
    else if (name !== "") fields[name] = value;
  }
  return {
    action: attribute(/<form\b[^>]*>/.exec(html)?.[0] ?? "", "action") ?? "",
    fields,
    scope,
  };
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  return value?.replace(/&(?:quot|#34);/g, '"').replace(/&(?:#39|#x27);/g, "'")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function defined(params: Params): Record<string, string> {
  const entries = Object.entries(params).filter((entry): entry is [string, string] =>
    entry[1] !== undefined
  );
  return Object.fromEntries(entries);
}
