/**
 * Clients that nobody here wrote, of one kind. All of them verify the signatures of ID tokens, which none does unless it is asked to.
 *
 * @module
 */

/** How a client authenticates. */
export type Authentication =
  | "client_secret_basic"
  | "client_secret_post"
  | "none"
  | "private_key_jwt";

/** What a relying party is told. */
export interface RelyingPartyOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly secret?: string;
  /** The private key of `private_key_jwt`. */
  readonly key?: { readonly key: CryptoKey; readonly kid?: string };
  /** @default {"none"} */
  readonly authentication?: Authentication;
  /** Which metadata it asks for: OpenID Connect's or RFC 8414's. @default {"oidc"} */
  readonly algorithm?: "oidc" | "oauth2";
}

/** Parameters of a request, or of a response. */
export type Parameters = Readonly<Record<string, string>>;

/** What a response is compared with. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly maxAge?: number;
}

/** A request that has begun. */
export interface Begun {
  /** Where the browser goes. */
  readonly url: URL;
  readonly checks: Checks;
}

/** The tokens of a response. */
export interface PeerTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token: string;
  /** Only with the scope `openid`. */
  readonly id_token?: string;
}

/** Claims of an ID token that was verified. */
export type PeerClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** The tokens of a sign-in. */
export interface SignIn extends PeerTokens {
  readonly id_token: string;
  readonly claims: PeerClaims;
}

/** A client that nobody here wrote. */
export interface RelyingParty {
  /** The metadata that it has found. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Begins a request, for `openid email notes:read` unless it says otherwise. */
  begin(parameters?: Parameters): Promise<Begun>;
  /** Begins such a request by pushing it, RFC 9126. Rejects as the peer does. */
  push(parameters?: Parameters): Promise<Begun>;
  /** Checks a response and exchanges its code. Rejects as the peer does. */
  finish(response: URL | Request, checks: Checks): Promise<SignIn>;
  refresh(token: string, parameters?: Parameters): Promise<PeerTokens>;
  revoke(token: string): Promise<void>;
  /** What the server says of a token, RFC 7662. */
  introspect(token: string): Promise<Readonly<Record<string, unknown>>>;
  userinfo(token: string, sub: string): Promise<unknown>;
}

/**
 * Why a peer rejects: the error of a response, that of a challenge behind its status, or else the peer's own code. `none` if it
 * does not.
 */
export async function rejectionOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "none";
  } catch (thrown) {
    const { error, code, status, cause, response } = thrown as PeerError;
    if (error !== undefined) return error;
    if (response === undefined || !Array.isArray(cause)) return code ?? String(thrown);
    await response.body?.cancel();
    const [challenge] = cause as readonly Challenge[];
    return `${status} ${challenge?.parameters?.error ?? challenge?.scheme}`;
  }
}

/** The parts of the peers' errors. */
interface PeerError {
  readonly error?: string;
  readonly code?: string;
  readonly status?: number;
  readonly cause?: unknown;
  readonly response?: Response;
}

interface Challenge {
  readonly scheme: string;
  readonly parameters?: { readonly error?: string };
}

/** The client authentications of a peer. */
export interface Authentications {
  ClientSecretBasic(secret: string): unknown;
  ClientSecretPost(secret: string): unknown;
  None(): unknown;
  PrivateKeyJwt(key: { readonly key: CryptoKey; readonly kid?: string }): unknown;
}

/** The peer's function for a client authentication. */
export function authenticationOf(
  peer: Authentications,
  { authentication = "none", secret = "", key }: RelyingPartyOptions,
): unknown {
  switch (authentication) {
    case "client_secret_basic":
      return peer.ClientSecretBasic(secret);
    case "client_secret_post":
      return peer.ClientSecretPost(secret);
    case "none":
      return peer.None();
    case "private_key_jwt":
      if (key === undefined) throw new TypeError("The key is missing");
      return peer.PrivateKeyJwt(key);
  }
}

/** The checks of a request with these parameters. */
export function checksOf({ max_age }: Parameters, checks: Checks): Checks {
  return max_age === undefined ? checks : { ...checks, maxAge: Number(max_age) };
}

/** The parameters of a request for `openid email notes:read`. */
export function requestOf({ state, nonce }: Checks, challenge: string): Parameters {
  return {
    scope: "openid email notes:read",
    state,
    nonce,
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
}
