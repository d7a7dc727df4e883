/**
 * What a developer says about a client.
 *
 * @module
 */

import type { JwkSet } from "../../jwt/types.ts";
import type {
  ClientAuthenticationMethod,
  GrantType,
  NewClient,
  RegisteredClient,
} from "../../stores/server_types.ts";

/** A client for {@linkcode staticClients}. */
export interface ClientInit {
  /** Identifies the client: 1 to 200 printable ASCII characters without spaces, quotes and backslashes. Not a secret. */
  readonly clientId: string;
  /** Its name, for the consent page: 1 to 200 characters. */
  readonly name: string;
  /**
   * Where responses may be sent, compared exactly: `https`, or for development `http` to `localhost`, `127.0.0.1` or `[::1]`. For
   * native clients these match with any port, and a private-use scheme with a dot may be used, `com.example.app:/callback`. Empty
   * only if `grants` lacks `authorization_code`.
   */
  readonly redirectUris: readonly string[];
  /** Where the browser may be sent after a sign-out, by the same rules. @default nowhere */
  readonly postLogoutRedirectUris?: readonly string[] | undefined;
  /**
   * Where it is told that a session has ended, Back-Channel Logout §2.2: an `https` URL, or for development `http` to `localhost`,
   * `127.0.0.1` or `[::1]`. Each logout token has both `sub` and `sid`.
   *
   * @default it is not told
   */
  readonly backchannelLogoutUri?: string | undefined;
  /** Whether it is an application on the user's device, RFC 8252: then it has no secret. @default {"web"} */
  readonly type?: RegisteredClient["type"] | undefined;
  /**
   * Its secret from {@linkcode generateSecret}: at least 32 printable ASCII characters, at least 10 of them different. Or two, the
   * newest first, while one is replaced. A client in a browser has none. `undefined` is refused: it would make the client public
   * where an environment variable is missing.
   *
   * @default no secret
   */
  readonly secret?: string | readonly string[];
  /**
   * Its public keys, RFC 7517, of which it has the private ones: then it authenticates by `private_key_jwt`. Up to 16; those that
   * are not for signatures are left out.
   */
  readonly jwks?: JwkSet | undefined;
  /** Where it publishes its public keys, instead of `jwks`: an `https` URL of at most 2,048 characters. */
  readonly jwksUri?: string | undefined;
  /**
   * How it authenticates at the token endpoint. `private_key_jwt` needs the option `states` of the server.
   *
   * @default {"client_secret_basic"} with a secret, `"private_key_jwt"` with keys, `"none"` without both
   */
  readonly authentication?: ClientAuthenticationMethod | undefined;
  /** What it may exchange for tokens. @default {["authorization_code", "refresh_token"]} */
  readonly grants?: readonly GrantType[] | undefined;
  /** Scopes that it may request. @default all scopes of the server */
  readonly scope?: readonly string[] | undefined;
  /** Whether it belongs to the server's owner, so that users are not asked for consent. Not for native clients. @default {false} */
  readonly firstParty?: boolean | undefined;
  /** Its home page, for the consent page: an `https` URL of at most 2,048 characters. */
  readonly clientUri?: string | undefined;
  /** Whether all its access tokens must be bound to a key, RFC 9449 §5.2. The server needs the option `dpop`. @default {false} */
  readonly dpopBound?: boolean | undefined;
  /**
   * The APIs that it is: about their access tokens it may ask the server, RFC 7662. It must authenticate. The server needs the option
   * `introspection`.
   *
   * @default none
   */
  readonly introspects?: readonly string[] | undefined;
  /** Whether it must push its authorization requests, RFC 9126, which the server's option `pushedRequests` permits. @default {false} */
  readonly requirePushedRequests?: boolean | undefined;
}

/** A client for {@linkcode registerClient}, which generates id and secret. */
export interface RegisterClientInit extends Omit<ClientInit, "clientId" | "secret"> {
  /**
   * How it authenticates at the token endpoint.
   *
   * @default {"private_key_jwt"} with keys, `"client_secret_basic"` for other `web` clients, `"none"` for `native` ones
   */
  readonly authentication?: ClientAuthenticationMethod | undefined;
}

/** Options of {@linkcode registerClient}. */
export interface RegisterClientOptions {
  /** The time in seconds since the epoch, for `registeredAt`. @default the system's clock */
  readonly now?: (() => number) | undefined;
}

/** Result of {@linkcode registerClient}. */
export interface ClientRegistration {
  /** The client, as it was stored. */
  readonly client: NewClient;
  /** Its secret, 43 characters, if it authenticates by one. It cannot be shown again: only its digest is stored. */
  readonly secret?: string;
}

/** Option `clientIdMetadata` of an authorization server. */
export interface ClientIdMetadataOptions {
  /** Decides about the URL of a document before it is fetched. @default all are fetched that may be public */
  readonly allow?: ((url: URL) => boolean | Promise<boolean>) | undefined;
  /**
   * Fetches documents, for example through a proxy that reaches public addresses only. Responses after redirects are rejected.
   *
   * @default {fetch of the server}, or else `globalThis.fetch`, read at each request
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Scopes that these clients may request. @default all scopes of the server */
  readonly scope?: readonly string[] | undefined;
}

/** Option `registration` of an authorization server: either `initialAccessToken` or `insecureOpen`. */
export interface RegistrationOptions {
  /**
   * Who has this token may register clients, RFC 7591 §3: from {@linkcode generateSecret}. Several while one is replaced.
   *
   * @default none
   */
  readonly initialAccessToken?: string | readonly string[] | undefined;
  /**
   * Everybody may register clients, at most 20 an hour from one address (rule `registration` of the throttle). Users cannot tell who
   * they are: the name of a client is its own word. A client that gets no token within a day is deleted.
   *
   * @default {false}
   */
  readonly insecureOpen?: true | undefined;
  /** Clients that one process registers in a day, if everybody may. @default {10_000} */
  readonly limit?: number | undefined;
  /**
   * Seconds after its last token at which a client is deleted.
   *
   * @default {7_776_000} 90 days if everybody may register; with an initial access token they stay
   */
  readonly expiresIn?: number | undefined;
  /** Scopes that these clients may request. @default all scopes of the server */
  readonly scope?: readonly string[] | undefined;
}
