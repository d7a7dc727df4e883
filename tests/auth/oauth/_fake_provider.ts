/**
 * An OpenID provider as a `fetch` function: strict about what it gets, and every answer can be changed.
 *
 * @module
 */

import { encodeBase64Url } from "../../../auth/_base64url.ts";
import { type AsymmetricAlgorithm, createSignature } from "../../../auth/jwt/jwa.ts";
import { generateJwk, importJwk, type Jwk, publicJwk } from "../../../auth/mod.ts";

/** A JSON object. */
export type Json = Record<string, unknown>;

/** How a test changes what the provider answers. */
export interface Changes {
  /** Claims of the ID token; `undefined` removes one. */
  readonly claims?: Json;
  /** Header of the ID token. */
  readonly header?: Json;
  /** Replaces the ID token. */
  readonly idToken?: (token: string) => string | undefined | Promise<string | undefined>;
  /** Members of the token response; `undefined` removes one. */
  readonly token?: Json;
  /** Replaces the whole response of an endpoint, by its path. */
  readonly responses?: Readonly<Record<string, (request: Request) => Response | Promise<Response>>>;
  /** Members of UserInfo. */
  readonly userinfo?: Json;
  /** Members of the metadata. */
  readonly metadata?: Json;
  /** Parameters of the authorization response; `undefined` removes one. */
  readonly parameters?: Readonly<Record<string, string | undefined>>;
}

/** Options of {@linkcode fakeProvider}. */
export interface FakeProviderOptions {
  readonly issuer?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly alg?: AsymmetricAlgorithm;
  readonly now?: () => number;
  /** Whether PKCE is demanded. @default {true} */
  readonly pkce?: boolean;
  /** Paths and documents besides the standard's: a provider's own API. */
  readonly documents?: Readonly<Record<string, unknown>>;
  /** Claims of the user. */
  readonly user?: Json;
}

/** What the browser brings back. */
export interface Authorized {
  /** Callback with its parameters in the query. */
  readonly url: string;
  readonly parameters: URLSearchParams;
}

/** A provider. */
export interface FakeProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Requests that arrived, as method and URL. */
  readonly requests: string[];
  /** Forms that arrived at the token endpoint. */
  readonly forms: URLSearchParams[];
  /** The user agrees: parses the URL of a start. */
  authorize(url: string): Authorized;
  /** Changes answers from now on. */
  change(changes: Changes): void;
  /** Signs with a new key from now on; only that one is published. */
  rotateKey(): Promise<void>;
  /** Signs claims with the current key. */
  sign(claims: Json, header?: Json): Promise<string>;
}

interface Code {
  readonly challenge: string | null;
  readonly nonce: string | null;
  readonly redirectUri: string | null;
}

const KEYS = new Map<string, Promise<Jwk>>();

/** One key for each algorithm and number in this process: RSA keys take long to generate. */
function keyOf(alg: AsymmetricAlgorithm, index: number): Promise<Jwk> {
  const name = `${alg} ${index}`;
  const key = KEYS.get(name) ?? generateJwk(alg);
  KEYS.set(name, key);
  return key;
}

/** The provider's endpoints below an issuer. */
export function endpointsOf(issuer: string): Record<string, string> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    end_session_endpoint: `${issuer}/logout`,
    revocation_endpoint: `${issuer}/revoke`,
  };
}

/** Creates a provider. */
export function fakeProvider(options: FakeProviderOptions = {}): FakeProvider {
  const { issuer = "https://id.example", clientId = "client", clientSecret = "s:cr%t +é" } =
    options;
  const { alg = "ES256", now = () => Date.now() / 1000, pkce = true, documents = {} } = options;
  const { user = { sub: "u-1", email: "ada@example.org", email_verified: true, name: "Ada" } } =
    options;
  const codes = new Map<string, Code>();
  const requests: string[] = [];
  const forms: URLSearchParams[] = [];
  let changes: Changes = {};
  let keyIndex = 0;
  let serial = 0;

  /** As it is told: signJwt() would refuse what verifiers must refuse. */
  async function sign(claims: Json, header: Json = {}): Promise<string> {
    const jwk = await keyOf(alg, keyIndex);
    const at = Math.floor(now());
    const head = defined({ alg, typ: "JWT", kid: jwk.kid, ...header });
    const payload = defined({ iat: at, exp: at + 300, ...claims });
    const input = [head, payload].map((part) => encodeBase64Url(bytesOf(JSON.stringify(part))))
      .join(".");
    const key = await importJwk(jwk, { alg });
    const signature = await createSignature(alg, key, bytesOf(input));
    return `${input}.${encodeBase64Url(signature)}`;
  }

  async function idToken(nonce: string | null, accessToken: string): Promise<string | undefined> {
    const claims = {
      iss: issuer,
      aud: clientId,
      iat: Math.floor(now()),
      at_hash: await atHash(alg, accessToken),
      ...(nonce === null ? {} : { nonce }),
      ...user,
      ...changes.claims,
    };
    const token = await sign(claims, changes.header);
    return changes.idToken === undefined ? token : await changes.idToken(token);
  }

  async function tokenResponse(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    forms.push(form);
    const refused = (error: string) => Response.json({ error }, { status: 400 });
    if (!isAuthenticated(request, form)) return refused("invalid_client");
    const grant = form.get("grant_type");
    if (grant === "refresh_token" && !form.get("refresh_token")?.startsWith("refresh-")) {
      return refused("invalid_grant");
    }
    let nonce: string | null = null;
    if (grant === "authorization_code") {
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      if (code === undefined || code.redirectUri !== form.get("redirect_uri")) {
        return refused("invalid_grant");
      }
      const verifier = form.get("code_verifier");
      if (pkce ? await s256(verifier ?? "") !== code.challenge : verifier !== null) {
        return refused("invalid_grant");
      }
      nonce = code.nonce;
    }
    const access = `access-${++serial}`;
    return Response.json(defined({
      access_token: access,
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: `refresh-${serial}`,
      id_token: await idToken(nonce, access),
      scope: "openid email profile",
      ...changes.token,
    }));
  }

  function isAuthenticated({ headers }: Request, form: URLSearchParams): boolean {
    const basic = headers.get("Authorization");
    if (basic === null) {
      return form.get("client_id") === clientId &&
        (form.get("client_secret") === clientSecret || form.has("client_assertion"));
    }
    const [id = "", secret = ""] = atob(basic.replace("Basic ", "")).split(":").map((part) =>
      decodeURIComponent(part.replaceAll("+", "%20"))
    );
    return id === clientId && secret === clientSecret;
  }

  return {
    issuer,
    clientId,
    clientSecret,
    requests,
    forms,
    sign,
    change: (next) => void (changes = next),
    rotateKey() {
      keyIndex++;
      return Promise.resolve();
    },
    authorize(url) {
      const { searchParams } = new URL(url);
      const redirectUri = searchParams.get("redirect_uri");
      const code = `code-${++serial}`;
      codes.set(code, {
        challenge: searchParams.get("code_challenge"),
        nonce: searchParams.get("nonce"),
        redirectUri,
      });
      const parameters = new URLSearchParams(defined({
        code,
        state: searchParams.get("state"),
        iss: issuer,
        ...changes.parameters,
      }) as Record<string, string>);
      return { url: `${redirectUri}?${parameters}`, parameters };
    },
    async fetch(url, init) {
      const request = new Request(url, init);
      const { pathname } = new URL(url);
      requests.push(`${request.method} ${url}`);
      const changed = changes.responses?.[pathname];
      if (changed !== undefined) return await changed(request);
      if (Object.hasOwn(documents, url)) return Response.json(documents[url]);
      switch (url) {
        case `${issuer}/.well-known/openid-configuration`:
          return Response.json(defined({ ...endpointsOf(issuer), ...changes.metadata }));
        case `${issuer}/jwks`:
          return Response.json({ keys: [publicJwk(await keyOf(alg, keyIndex))] });
        case `${issuer}/token`:
          return await tokenResponse(request);
        case `${issuer}/userinfo`:
          return Response.json(defined({ ...user, ...changes.userinfo }));
        case `${issuer}/revoke`:
          return new Response(null, { status: 200 });
        default:
          return new Response("not found", { status: 404 });
      }
    },
  };
}

function defined(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

async function s256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytesOf(text));
  return encodeBase64Url(new Uint8Array(digest));
}

async function atHash(alg: string, token: string): Promise<string> {
  const bits = alg.endsWith("512") || alg.startsWith("Ed") ? 512 : Number(alg.slice(2));
  const digest = await crypto.subtle.digest(`SHA-${bits}`, bytesOf(token));
  return encodeBase64Url(new Uint8Array(digest, 0, bits / 16));
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
