/**
 * Authentication of clients at the token endpoint, RFC 6749 §2.3: one row for each method. A client has one method, and any other
 * is refused, also if its secret is right.
 *
 * @module
 */

import { decodeBase64Bare } from "../../_base64url.ts";
import { decodeUtf8, equalText } from "../../_bytes.ts";
import { digestText } from "../../_kdf.ts";
import { isClientDisabled } from "../../stores/checked_server.ts";
import type {
  ClientAuthenticationMethod,
  ClientStore,
  RegisteredClient,
} from "../../stores/server_types.ts";

/** What a client sent. */
export interface ClientRequest {
  /** The header `Authorization`. */
  readonly authorization: string | null;
  /** The fields of the body, none of them repeated. */
  readonly form: ReadonlyMap<string, string>;
}

/** Why a client is not authenticated. */
export type ClientRefusal =
  | "client_disabled"
  | "client_unknown"
  | "credentials_malformed"
  | "credentials_repeated"
  | "method_mismatch"
  | "secret_wrong";

/** Result of {@linkcode authenticateClient}. */
export type ClientAuthentication =
  | { readonly kind: "client"; readonly client: RegisteredClient }
  | {
    readonly kind: "refused";
    readonly reason: ClientRefusal;
    /** Whether the header `Authorization` was tried: RFC 6749 §5.2 demands a challenge then. */
    readonly basic: boolean;
  };

/** Id and secret of a client; without a secret it only says who it is. */
interface Credentials {
  readonly clientId: string;
  readonly secret?: string;
}

/** Reads the credentials of one method: `undefined` if the request has none of it, `malformed` if they cannot be read. */
type ReadCredentials = (request: ClientRequest) => Credentials | "malformed" | undefined;

/** Fields that authenticate a client, in whatever method; one that is not supported is not ignored either. */
const SECRET_FIELDS = ["client_secret", "client_assertion"] as const;

/** One row for each method. No request without repeated credentials is read by two of them. */
const METHODS: Readonly<Record<ClientAuthenticationMethod, ReadCredentials>> = {
  client_secret_basic: ({ authorization }) =>
    authorization === null ? undefined : parseBasic(authorization),
  client_secret_post({ form }) {
    const clientId = form.get("client_id") ?? "";
    const secret = form.get("client_secret") ?? "";
    if (secret === "") return undefined; // §2.3.1: an empty secret is an omitted one
    return clientId === "" ? "malformed" : { clientId, secret };
  },
  none({ authorization, form }) {
    const isAlone = authorization === null && !SECRET_FIELDS.some((name) => form.get(name));
    return isAlone ? { clientId: form.get("client_id") ?? "" } : undefined;
  },
};

/** Names of the methods. The metadata lists them. */
export const CLIENT_AUTHENTICATION_METHODS = Object.keys(
  METHODS,
) as readonly ClientAuthenticationMethod[];

/** Stands for the secrets of a client that does not exist, so that its request takes as long. No secret has this digest. */
const NO_HASHES: readonly string[] = ["-".repeat(43)];

/** Authenticates the client of a request. */
export async function authenticateClient(
  { clients }: { readonly clients: Pick<ClientStore, "find"> },
  request: ClientRequest,
): Promise<ClientAuthentication> {
  const refused = (reason: ClientRefusal) =>
    ({ kind: "refused", reason, basic: request.authorization !== null }) as const;

  // The credentials, by one method
  const [presented, ...others] = CLIENT_AUTHENTICATION_METHODS.flatMap((method) => {
    const credentials = METHODS[method](request);
    return credentials === undefined ? [] : [{ method, credentials }];
  });
  if (others.length > 0) return refused("credentials_repeated");
  if (presented === undefined || presented.credentials === "malformed") {
    return refused("credentials_malformed");
  }
  const { method, credentials: { clientId, secret = "" } } = presented;
  if ((request.form.get("client_id") || clientId) !== clientId) {
    return refused("credentials_repeated");
  }

  // The client
  const client = await clients.find(clientId);
  const isSecretRight = method === "none" ||
    await hasSecret(client?.secretHashes ?? NO_HASHES, secret);
  if (client === null) return refused("client_unknown");
  if (isClientDisabled(client)) return refused("client_disabled");
  if (client.authentication !== method) return refused("method_mismatch");
  if (!isSecretRight) return refused("secret_wrong");
  return { kind: "client", client };
}

/** Compares with all of the valid secrets, whichever fits. */
async function hasSecret(hashes: readonly string[], secret: string): Promise<boolean> {
  const digest = await digestText(secret);
  return hashes.filter((hash) => equalText(hash, digest)).length > 0;
}

/** RFC 7617 §2; the scheme is case-insensitive. The token is Base64 with padding, RFC 4648 §4. */
const BASIC_REGEXP = /^basic +(?=(?:.{4})+$)([a-z\d+/]+)={0,2}$/i;

/** Form-encoded characters, RFC 6749 Appendix B. Those that a client should have encoded are read as they are, except `%`. */
const FORM_ENCODED_REGEXP = /^(?:[\x21-\x24\x26-\x7e]|%[\da-f]{2})*$/i;

/** §2.3.1: id and secret are form-encoded, then joined by a colon. */
function parseBasic(authorization: string): Credentials | "malformed" {
  const [, base64] = BASIC_REGEXP.exec(authorization) ?? [];
  if (base64 === undefined) return "malformed";
  try {
    const pair = decodeUtf8(decodeBase64Bare(base64));
    const colon = pair.indexOf(":");
    const clientId = formDecode(pair.slice(0, Math.max(colon, 0)));
    if (clientId === "") return "malformed";
    return { clientId, secret: formDecode(pair.slice(colon + 1)) };
  } catch {
    return "malformed"; // not Base64, not UTF-8, or not form-encoded
  }
}

/** @throws {SyntaxError | URIError} If the string is not form-encoded, or not in UTF-8. */
function formDecode(text: string): string {
  if (!FORM_ENCODED_REGEXP.test(text)) {
    throw new SyntaxError("Cannot decode form: invalid character");
  }
  return decodeURIComponent(text.replaceAll("+", " "));
}
