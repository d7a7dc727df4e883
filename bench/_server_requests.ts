/**
 * An authorization server with one client and one user, and requests to its token endpoint, for the benchmarks of it.
 *
 * @module
 */

import { type AuthStores, keyService } from "../auth/mod.ts";
import { AuthorizationServer, staticClients } from "../auth/server/mod.ts";

export const ISSUER = "https://id.example";
export const REDIRECT_URI = "https://app.example/callback";
export const CLIENT_ID = "app";
export const SUB = "u1";

/** RFC 7636 Appendix B. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
export const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const STAMP = "s1";

/** A server, and codes for it. */
export interface BenchServer {
  readonly server: AuthorizationServer;
  /** A code that the user has just permitted. */
  issueCode(): Promise<string>;
}

/** Options of {@linkcode benchServer}. */
export interface BenchServerOptions {
  readonly stores: AuthStores;
  readonly issuer?: string;
  readonly now?: () => number;
}

/** Creates a server over stores; its user is created if there is none. Tokens are signed by ES256. */
export async function benchServer(
  { stores, issuer = ISSUER, now = () => Math.floor(Date.now() / 1000) }: BenchServerOptions,
): Promise<BenchServer> {
  if (await stores.users.findBySub(SUB) === null) {
    const user = { sub: SUB, identifier: "ada@example.com", securityStamp: STAMP, createdAt: 0 };
    await stores.users.create(user);
  }
  const server = new AuthorizationServer({
    issuer,
    clients: staticClients([{ clientId: CLIENT_ID, name: "App", redirectUris: [REDIRECT_URI] }]),
    codes: stores.authorizations,
    tokens: stores.refreshTokens,
    users: stores.users,
    keyService: keyService({ store: { ...stores.keys, persistent: false }, now }),
    idTokenAlgorithm: "ES256",
    insecureLoopback: true,
    now,
  });
  return {
    server,
    async issueCode() {
      const [id, secret] = [randomText(16), randomText(32)];
      const at = now();
      await stores.authorizations.create({
        state: "issued",
        id,
        issuer,
        clientId: CLIENT_ID,
        request: {
          redirectUri: REDIRECT_URI,
          responseMode: "query",
          scope: ["openid"],
          codeChallenge: CHALLENGE,
          nonce: "n-0S6_WzA2Mj",
          prompt: [],
          acrValues: [],
        },
        codeHash: await digest(secret),
        subject: { sub: SUB, securityStamp: STAMP, authTime: at - 10, amr: ["pwd"] },
        scope: ["openid"],
        createdAt: at,
        expiresAt: at + 3_600,
      });
      return `${id}.${secret}`;
    },
  };
}

/** The form of a code grant. */
export function codeForm(code: string): string {
  return new URLSearchParams({
    grant_type: "authorization_code",
    client_id: CLIENT_ID,
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  }).toString();
}

/** The form of a refresh. */
export function refreshForm(refreshToken: string): string {
  return new URLSearchParams({
    grant_type: "refresh_token",
    client_id: CLIENT_ID,
    refresh_token: refreshToken,
  }).toString();
}

/** A request to the token endpoint. */
export function tokenRequest(form: string, issuer: string = ISSUER): Request {
  return new Request(`${issuer}/oauth/token`, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: form,
  });
}

function randomText(bytes: number): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return base64Url(new Uint8Array(bytes));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
