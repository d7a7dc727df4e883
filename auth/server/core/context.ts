/**
 * What an authorization server works with: its options, read and checked once.
 *
 * @module
 */

import type { Emit } from "../../_emit.ts";
import type { AsymmetricAlgorithm } from "../../jwt/jwa.ts";
import type { ProofVerifier } from "../../dpop/proof.ts";
import type { KeyService } from "../../keys/key_service.ts";
import type { TransactionCookies } from "../../session/transaction_cookies.ts";
import type {
  AuthorizationStore,
  AuthorizationSubject,
  ClientAuthenticationMethod,
  ClientStore,
  GrantType,
} from "../../stores/server_types.ts";
import type { RefreshTokenStore, StateStore, UserStore } from "../../stores/types.ts";
import type { RefreshService } from "../../tokens/refresh_types.ts";
import type { ClientAssertions } from "../clients/assertions.ts";
import type { Registration } from "../clients/registration.ts";
import type { ConsentStrings } from "./page_strings.ts";
import type {
  AuthorizationServerOptions,
  LogoutOptions,
  ScopeInfo,
  ServerLifetimes,
} from "./types.ts";

/** Lifetimes in seconds, all of them. */
export type EffectiveLifetimes = { readonly [Name in keyof ServerLifetimes]-?: number };

/** The options, with their defaults. */
export interface ServerContext
  extends Pick<AuthorizationServerOptions, "claims" | "accessTokenClaims" | "clientAddress"> {
  readonly issuer: string;
  /** Origin of the issuer: pages of the server are there. */
  readonly origin: string;
  /** Path of the issuer, empty or without a final slash. */
  readonly basePath: string;
  /** Known clients, and those that have a document. */
  readonly clients: Pick<ClientStore, "find">;
  /** Verifies client assertions, if there are `states`. */
  readonly assertions: ClientAssertions | undefined;
  /** Whether the URL of a document is an id. */
  readonly hasDocuments: boolean;
  /** How clients register themselves, if they may. */
  readonly registration: Registration | undefined;
  /** Grant types of the token endpoint. */
  readonly grants: readonly GrantType[];
  /** Whether clients may push authorization requests, or must. */
  readonly pushedRequests: boolean | "required";
  /** How clients may authenticate. @default in every way */
  readonly allowedMethods?: readonly ClientAuthenticationMethod[] | undefined;
  /** Whether all tokens must be bound to a key. */
  readonly isDpopRequired: boolean;
  readonly codes: AuthorizationStore;
  readonly tokens: RefreshTokenStore;
  readonly refresh: RefreshService;
  /** Identifiers that may be used once. */
  readonly states: Pick<StateStore, "claim"> | undefined;
  /** Verifies DPoP proofs, if the server supports them. */
  readonly dpop: ProofVerifier | undefined;
  /** Users; without that option one that has every user. */
  readonly users: Pick<UserStore, "findBySub">;
  readonly keys: KeyService;
  /** Publishes the keys. */
  readonly jwks: (request: Request) => Promise<Response>;
  /** Cookies of authorizations that wait for the user. */
  readonly cookies: TransactionCookies;
  readonly authenticate: (request: Request) => Promise<AuthorizationSubject | undefined>;
  /** Whether APIs may ask about tokens. */
  readonly introspection: boolean;
  /** How sessions end, and clients are told; `undefined` if neither is on. */
  readonly logout:
    | LogoutOptions & Required<Pick<AuthorizationServerOptions, "signOut">>
    | undefined;
  readonly login: NonNullable<AuthorizationServerOptions["login"]>;
  readonly consent: NonNullable<AuthorizationServerOptions["consent"]>;
  readonly device: NonNullable<AuthorizationServerOptions["device"]>;
  readonly strings: (uiLocales?: string) => ConsentStrings;
  /** All scopes that clients may request, in the order of the consent page. */
  readonly scopes: ReadonlyMap<string, ScopeInfo>;
  readonly resources: readonly [string, ...string[]];
  readonly acrValues: readonly string[];
  readonly idTokenAlgorithm: AsymmetricAlgorithm;
  readonly lifetimes: EffectiveLifetimes;
  readonly insecureLoopback: boolean;
  readonly throttle: AuthorizationServerOptions["throttle"];
  readonly emit: Emit;
  readonly warn: (message: string, error?: unknown) => void;
  readonly now: () => number;
}

/** One request, with the address of its client if that is known. */
export interface Exchange {
  readonly request: Request;
  readonly address: string | undefined;
}

/** An endpoint. */
export interface Endpoint {
  /** Its member of the metadata, RFC 8414 §2. */
  readonly member?: string;
  /** Path below the issuer. */
  readonly path: string;
  /** Methods. */
  readonly methods: readonly ("GET" | "POST")[];
  /** Whether pages of all origins may call it: without cookies, so that nobody's session is used. */
  readonly cors: boolean;
  /** Whether the server has it. @default it always has */
  readonly isOn?: (context: ServerContext) => boolean;
  /** Whether errors are pages for the user. */
  readonly isPage?: true;
  /** Answers. @throws {ServerRefusal} */
  readonly handle: (context: ServerContext, exchange: Exchange) => Promise<Response>;
}
