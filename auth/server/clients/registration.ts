/**
 * Dynamic registration, RFC 7591: clients that register themselves. Either they have a token of the server's owner, or everybody may
 * register; then their number is bounded, and who is not used is forgotten.
 *
 * @module
 */

import { equalText } from "../../_bytes.ts";
import { readText } from "../../_fetch_json.ts";
import { digestText } from "../../_kdf.ts";
import { type OptionNames, rejectUnknownOptions, requireSeconds } from "../../_options.ts";
import { randomId, randomToken } from "../../_random.ts";
import { readScope } from "../../_scope.ts";
import { parseStrictObject } from "../../_strict_json.ts";
import { AuthError } from "../../error.ts";
import type {
  ClientAuthenticationMethod,
  ClientStore,
  NewClient,
  RegisteredClient,
} from "../../stores/server_types.ts";
import { usesSecret } from "./authentication.ts";
import { isMetadataFailure, type MetadataFailure, readClientMetadata } from "./metadata.ts";
import type { RegistrationOptions } from "./types.ts";

/** The registration of a server, its options read and checked. */
export interface Registration {
  /** Whether everybody may register. */
  readonly isOpen: boolean;
  /** Whether a token allows to register. */
  readonly isAllowed: (token: string) => Promise<boolean>;
  /** Registers a client. @throws {AuthError} `throttled` if there are too many. */
  readonly register: (
    metadata: Readonly<Record<string, unknown>>,
  ) => Promise<Registered | MetadataFailure>;
  /** A registered client was used: it is kept for longer. */
  readonly keep: (client: RegisteredClient) => Promise<void>;
}

/** A client, and its secret unless it has none. */
export interface Registered {
  readonly client: NewClient;
  readonly secret: string | undefined;
}

/** What a registration needs of the server. */
export interface RegistrationContext {
  /** Start of error messages. */
  readonly action: string;
  readonly clients: Pick<ClientStore, "find"> & Partial<ClientStore>;
  readonly now: () => number;
  /** Supported ways to authenticate. */
  readonly methods: readonly ClientAuthenticationMethod[];
}

const DAY = 86_400;

/** Seconds after which a client that registered openly and got no token is deleted. */
const UNUSED_AGE = DAY;

/** Reads the options. @throws {TypeError | RangeError} If one is missing, unknown, or of a wrong shape. */
export function clientRegistration(
  options: RegistrationOptions,
  { action, clients, now, methods }: RegistrationContext,
): Registration {
  const cannot = `${action}: registration`;
  rejectUnknownOptions(cannot, options, NAMES);
  const { initialAccessToken, insecureOpen, limit = 10_000 } = options;
  const isOpen = insecureOpen === true;
  const tokens = initialAccessToken === undefined ? [] : [initialAccessToken].flat();
  if (isOpen === tokens.length > 0 || (insecureOpen !== undefined && !isOpen)) {
    throw new TypeError(`${cannot}: either initialAccessToken, or insecureOpen: true`);
  }
  if (!tokens.every((token) => typeof token === "string" && TOKEN_REGEXP.test(token))) {
    throw new TypeError(
      `${cannot}: initialAccessToken must have at least 32 characters of RFC 6750 §2.1; generateSecret() makes one`,
    );
  }
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new RangeError(`${cannot}: limit must be an integer from 1`);
  }
  const { expiresIn = isOpen ? 90 * DAY : undefined } = options;
  if (expiresIn !== undefined) requireSeconds(cannot, { expiresIn });
  const scope = readScope(cannot, options.scope);
  const { create, update } = clients;
  if (typeof create !== "function" || typeof update !== "function") {
    throw new TypeError(`${cannot}: clients must be a store, with create() and update()`);
  }
  let window = { since: -Infinity, count: 0 };

  /** Bounds the clients that are not used yet, with their lifetime. @throws {AuthError} `throttled` */
  function countOpen(at: number): void {
    if (at - window.since >= UNUSED_AGE || at < window.since) window = { since: at, count: 0 };
    if (window.count >= limit) {
      const retryAfter = Math.ceil(window.since + UNUSED_AGE - at);
      throw new AuthError("throttled", {
        reason: "registrations",
        headers: { "Retry-After": `${retryAfter}` },
      });
    }
    window.count++;
  }

  return {
    isOpen,
    async isAllowed(token) {
      const digests = await Promise.all([token, ...tokens].map((one) => digestText(one)));
      const [presented = "", ...allowed] = digests;
      return allowed.filter((digest) => equalText(digest, presented)).length > 0;
    },
    async register(metadata) {
      const description = readClientMetadata(metadata, {
        methods,
        defaultMethod: "client_secret_basic", // RFC 7591 §2
        scope,
      });
      if (isMetadataFailure(description)) return description;
      const registeredAt = now();
      if (isOpen) countOpen(registeredAt);
      const secret = usesSecret(description.authentication) ? randomToken() : undefined;
      const lifetime = isOpen ? UNUSED_AGE : expiresIn;
      const client: NewClient = {
        clientId: randomId(),
        ...description,
        ...(secret === undefined ? {} : { secretHashes: [await digestText(secret)] }),
        registeredAt,
        ...(lifetime === undefined ? {} : { expiresAt: registeredAt + lifetime }),
      };
      if (await create.call(clients, client) === "created") return { client, secret };
      throw new AuthError("service_unavailable", { reason: "client_id_taken" }); // 128 random bits
    },
    async keep(client) {
      if (expiresIn === undefined) return;
      const at = now();
      if ((client.expiresAt ?? Infinity) - at > expiresIn / 2) return; // one write in half of its lifetime
      // Lost to a concurrent request: that one has extended it, or the owner has changed the client
      await update.call(clients, { ...client, expiresAt: at + expiresIn });
    },
  };
}

/** RFC 6750 §2.1. */
const TOKEN_REGEXP = /^[A-Za-z0-9\-._~+/]{32,}=*$/;

const NAMES: OptionNames<RegistrationOptions> = {
  initialAccessToken: true,
  insecureOpen: true,
  limit: true,
  expiresIn: true,
  scope: true,
};

const MAX_BYTES = 16_384;

/** The metadata of a request, RFC 7591 §3.1; `undefined` if they are no JSON object, or larger than 16 KiB. */
export async function readMetadataBody(
  { headers, body }: Request,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [type = ""] = (headers.get("Content-Type") ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/json" || body === null) return undefined;
  try {
    return parseStrictObject(await readText(body.getReader(), MAX_BYTES));
  } catch {
    return undefined;
  }
}

/** The response, RFC 7591 §3.2.1: what was registered, whatever was asked for. */
export function registrationResponse(
  { client, secret }: Registered,
  scopes: readonly string[],
): Readonly<Record<string, unknown>> {
  const { clientId, name, type, redirectUris, authentication, grants, registeredAt } = client;
  const { clientUri, jwks, jwksUri, postLogoutRedirectUris, backchannelLogoutUri } = client;
  const { dpopBound = false } = client;
  return {
    client_id: clientId,
    client_id_issued_at: registeredAt,
    ...(secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: name,
    application_type: type,
    redirect_uris: redirectUris,
    ...(postLogoutRedirectUris && { post_logout_redirect_uris: postLogoutRedirectUris }),
    ...(backchannelLogoutUri && { backchannel_logout_uri: backchannelLogoutUri }),
    token_endpoint_auth_method: authentication,
    ...(jwks === undefined ? {} : { jwks }),
    ...(jwksUri === undefined ? {} : { jwks_uri: jwksUri }),
    grant_types: grants,
    response_types: ["code"],
    scope: (client.scope ?? scopes).join(" "),
    ...(clientUri === undefined ? {} : { client_uri: clientUri }),
    ...(dpopBound ? { dpop_bound_access_tokens: dpopBound } : {}),
    ...(client.requirePushedRequests ? { require_pushed_authorization_requests: true } : {}),
  };
}
