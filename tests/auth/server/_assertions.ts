/**
 * Client assertions, and the key of the client that signs them.
 *
 * @module
 */

import { generateJwk, publicJwk } from "../../../auth/jwt/jwk.ts";
import { signJws } from "../../../auth/jwt/jws.ts";
import type { JwaAlgorithm } from "../../../auth/jwt/jwa.ts";
import type { Jwk } from "../../../auth/jwt/types.ts";
import { RSA } from "../jwt/_jws.ts";
import {
  type ClientAssertions,
  clientAssertions,
} from "../../../auth/server/clients/assertions.ts";
import { authenticateClient } from "../../../auth/server/clients/authentication.ts";
import { checkedClients } from "../../../auth/stores/checked_server.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { NewClient, RegisteredClient } from "../../../auth/stores/server_types.ts";
import type { StateStore } from "../../../auth/stores/types.ts";
import { testClients } from "./_clients.ts";
import { ISSUER } from "./_site.ts";

export const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** The key of most tests. */
export const KEY: Jwk = await generateJwk("ES256");

/** What an assertion differs in from a good one. */
export interface AssertionChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: Jwk;
  readonly alg?: JwaAlgorithm;
}

/** A private key of an algorithm. */
export async function keyOf(alg: JwaAlgorithm): Promise<Jwk> {
  return /^[RP]S/.test(alg) ? { ...RSA, kid: "rsa" } : await generateJwk(alg);
}

/** Signs an assertion of a client: valid for a minute, for the server of the tests. `undefined` omits a claim. */
export async function signAssertion(
  clientId: string,
  now: number,
  { claims = {}, header = {}, key = KEY, alg = "ES256" }: AssertionChanges = {},
): Promise<string> {
  const payload = {
    iss: clientId,
    sub: clientId,
    aud: ISSUER,
    exp: now + 60,
    iat: now,
    jti: crypto.randomUUID(),
    ...claims,
  };
  return await signJws(JSON.stringify(payload), { algorithms: [alg], key, header });
}

/** The fields of a form with an assertion, RFC 7523 §2.2. */
export function assertionFields(assertion: string): Record<string, string> {
  return { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion };
}

export const NOW = 1_700_000_000;
export const ID = "reports";
/** The key of another client. */
export const OTHER_KEY: Jwk = await generateJwk("ES256");

/** A client whose keys are published. */
export const PUBLISHER: RegisteredClient = {
  clientId: ID,
  name: "Reports",
  type: "web",
  redirectUris: [],
  authentication: "private_key_jwt",
  jwksUri: "https://keys.example/jwks.json",
  grants: ["authorization_code"],
  registeredAt: 0,
  version: "1",
};

const { jwksUri: _, ...KEYLESS } = PUBLISHER;

/** A client whose record has its key, that of most tests. */
export const RECORD: RegisteredClient = { ...KEYLESS, jwks: { keys: [publicJwk(KEY)] } };

/** What authenticates clients in a test. */
export interface Setup {
  /** Changes of the client `reports`. */
  readonly client?: Partial<NewClient>;
  readonly states?: Pick<StateStore, "claim">;
  readonly now?: () => number;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  readonly insecureLoopback?: boolean;
  readonly warn?: (message: string) => void;
}

/** What verifies assertions for the server of the tests. */
export function assertionsOf(
  { states, now = () => NOW, fetch, insecureLoopback = false, warn = () => {} }: Setup = {},
): ClientAssertions {
  states ??= inMemoryAuthStores({ now }).states;
  return clientAssertions({ issuer: ISSUER, states, fetch, insecureLoopback, now, warn });
}

/** What authenticates the clients of a server, with `reports` among them: the id, or why not. */
export function setup(
  { client, ...more }: Setup = {},
): (form: Record<string, string>, authorization?: string | null) => Promise<string> {
  const context = {
    clients: checkedClients(testClients(
      { ...(client?.jwksUri === undefined ? RECORD : PUBLISHER), ...client },
      { ...RECORD, clientId: "other", jwks: { keys: [publicJwk(OTHER_KEY)] } },
      { ...RECORD, clientId: "public", authentication: "none" },
      { ...RECORD, clientId: "disabled", disabled: true },
    )),
    assertions: assertionsOf(more),
  };
  return async (form, authorization = null) => {
    const request = { authorization, form: new Map(Object.entries(form)) };
    const outcome = await authenticateClient(context, request);
    return outcome.kind === "client" ? outcome.client.clientId : outcome.reason;
  };
}
