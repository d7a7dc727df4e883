/**
 * Authentication of clients at the token endpoint, RFC 6749 §2.3: one row for each method. A client has one method, and any other
 * is refused, also if its secret or assertion is right.
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
import { type ClientAssertions, readAssertionSubject } from "./assertions.ts";

/** What authenticates the clients of a server. */
export interface AuthenticationContext {
  readonly clients: Pick<ClientStore, "find">;
  /** Verifies client assertions, if the server can keep their identifiers. */
  readonly assertions?: ClientAssertions | undefined;
  /** How clients may authenticate. @default in every way */
  readonly allowedMethods?: readonly ClientAuthenticationMethod[] | undefined;
}

/** What a client sent. */
export interface ClientRequest {
  /** The header `Authorization`. */
  readonly authorization: string | null;
  /** The fields of the body, none of them repeated. */
  readonly form: ReadonlyMap<string, string>;
}

/** Why a client is not authenticated. */
export type ClientRefusal =
  | "assertion_refused"
  | "assertion_reused"
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

/** Id of a client, and its secret or assertion; without one it only says who it is. */
interface Credentials {
  readonly clientId: string;
  readonly proof: string;
}

/** A way to authenticate. */
interface Method {
  /** Whether the server has it. @default it always has */
  readonly isOn?: (context: AuthenticationContext) => boolean;
  /** Reads the credentials: `undefined` if the request has none of this method, `malformed` if they cannot be read. */
  readonly read: (request: ClientRequest) => Credentials | "malformed" | undefined;
  /**
   * Why the secret or assertion is refused; `undefined` if it is right. Without a client, because there is none of this id and
   * method, the work is the same.
   */
  readonly refusalOf: (
    proof: string,
    client: RegisteredClient | undefined,
    context: AuthenticationContext,
  ) => Promise<ClientRefusal | undefined>;
}

/** Fields that authenticate a client, in whatever method; one that is not supported is not ignored either. */
const SECRET_FIELDS = ["client_secret", "client_assertion", "client_assertion_type"] as const;

/** RFC 7523 §2.2. */
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** One row for each method. No request without repeated credentials is read by two of them. */
const METHODS: Readonly<Record<ClientAuthenticationMethod, Method>> = {
  client_secret_basic: {
    read: ({ authorization }) => authorization === null ? undefined : parseBasic(authorization),
    refusalOf: checkSecret,
  },
  client_secret_post: {
    read({ form }) {
      const clientId = form.get("client_id") ?? "";
      const proof = form.get("client_secret") ?? "";
      if (proof === "") return undefined; // §2.3.1: an empty secret is an omitted one
      return clientId === "" ? "malformed" : { clientId, proof };
    },
    refusalOf: checkSecret,
  },
  private_key_jwt: {
    isOn: ({ assertions }) => assertions !== undefined,
    read({ form }) {
      const proof = form.get("client_assertion") ?? "";
      const type = form.get("client_assertion_type") ?? "";
      if (proof === "" && type === "") return undefined;
      const clientId = readAssertionSubject(proof);
      return clientId === undefined || type !== ASSERTION_TYPE ? "malformed" : { clientId, proof };
    },
    refusalOf: (proof, client, { assertions }) =>
      assertions?.refusalOf(proof, client) ?? Promise.resolve("assertion_refused"),
  },
  none: {
    read({ authorization, form }) {
      const isAlone = authorization === null && !SECRET_FIELDS.some((name) => form.get(name));
      return isAlone ? { clientId: form.get("client_id") ?? "", proof: "" } : undefined;
    },
    refusalOf: () => Promise.resolve(undefined),
  },
};

/** Names of all methods. */
export const CLIENT_AUTHENTICATION_METHODS = Object.keys(
  METHODS,
) as readonly ClientAuthenticationMethod[];

/** Names of the methods of a server. The metadata lists them. */
export function authenticationMethods(
  context: AuthenticationContext,
): readonly ClientAuthenticationMethod[] {
  const { allowedMethods = CLIENT_AUTHENTICATION_METHODS } = context;
  return methodsOn(context).filter((name) => allowedMethods.includes(name));
}

/** Those that the server could read: one that is not allowed is read and refused, not ignored. */
function methodsOn(context: AuthenticationContext): readonly ClientAuthenticationMethod[] {
  return CLIENT_AUTHENTICATION_METHODS.filter((name) => METHODS[name].isOn?.(context) ?? true);
}

/** Whether clients of a method have a secret, whose digest the server knows. */
export function usesSecret(method: ClientAuthenticationMethod): boolean {
  return method.startsWith("client_secret_");
}

/** Stands for the secrets of a client that does not exist, so that its request takes as long. No secret has this digest. */
const NO_HASHES: readonly string[] = ["-".repeat(43)];

/** Authenticates the client of a request. */
export async function authenticateClient(
  context: AuthenticationContext,
  request: ClientRequest,
): Promise<ClientAuthentication> {
  const refused = (reason: ClientRefusal) =>
    ({ kind: "refused", reason, basic: request.authorization !== null }) as const;

  // The credentials, by one method
  const [presented, ...others] = methodsOn(context).flatMap((method) => {
    const credentials = METHODS[method].read(request);
    return credentials === undefined ? [] : [{ method, credentials }];
  });
  if (others.length > 0) return refused("credentials_repeated");
  if (presented === undefined || presented.credentials === "malformed") {
    return refused("credentials_malformed");
  }
  const { method, credentials: { clientId, proof } } = presented;
  if (!authenticationMethods(context).includes(method)) return refused("method_mismatch");
  if ((request.form.get("client_id") || clientId) !== clientId) {
    return refused("credentials_repeated");
  }

  // The client
  const client = await context.clients.find(clientId);
  const isOwn = client?.authentication === method && !isClientDisabled(client);
  const refusal = await METHODS[method].refusalOf(proof, isOwn ? client : undefined, context);
  if (client === null) return refused("client_unknown");
  if (isClientDisabled(client)) return refused("client_disabled");
  if (client.authentication !== method) return refused("method_mismatch");
  return refusal === undefined ? { kind: "client", client } : refused(refusal);
}

/** Compares with all of the valid secrets, whichever fits. */
async function checkSecret(
  secret: string,
  client: RegisteredClient | undefined,
): Promise<ClientRefusal | undefined> {
  const digest = await digestText(secret);
  const hashes = client?.secretHashes ?? NO_HASHES;
  return hashes.filter((hash) => equalText(hash, digest)).length > 0 ? undefined : "secret_wrong";
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
    return { clientId, proof: formDecode(pair.slice(colon + 1)) };
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
