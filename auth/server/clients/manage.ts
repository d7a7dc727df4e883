/**
 * Clients of an authorization server: in code or in a store.
 *
 * @module
 */

import { readClock } from "../../_clock.ts";
import { digestText } from "../../_kdf.ts";
import { type OptionNames, rejectUnknownOptions } from "../../_options.ts";
import { randomId, randomToken } from "../../_random.ts";
import { AuthError } from "../../error.ts";
import type { ClientStore, NewClient, RegisteredClient } from "../../stores/server_types.ts";
import { usesSecret } from "./authentication.ts";
import {
  CANNOT_REGISTER,
  checkClientId,
  checkSecretUse,
  describeClient,
  readSecrets,
} from "./_rules.ts";
import type {
  ClientInit,
  ClientRegistration,
  RegisterClientInit,
  RegisterClientOptions,
} from "./types.ts";

export type {
  ClientInit,
  ClientRegistration,
  RegisterClientInit,
  RegisterClientOptions,
} from "./types.ts";

const REGISTER_NAMES: OptionNames<RegisterClientInit> = {
  name: true,
  redirectUris: true,
  postLogoutRedirectUris: true,
  backchannelLogoutUri: true,
  type: true,
  jwks: true,
  jwksUri: true,
  authentication: true,
  grants: true,
  scope: true,
  firstParty: true,
  clientUri: true,
  dpopBound: true,
  introspects: true,
  requirePushedRequests: true,
};

const NAMES: OptionNames<ClientInit> = { ...REGISTER_NAMES, clientId: true, secret: true };

/** Registration of clients in code: they have always been registered. */
const STATIC = { registeredAt: 0, version: "static" } as const;

/** How often an update is attempted on conflict. */
const ATTEMPTS = 5;

/**
 * Clients that are known in code, for the option `clients` of an authorization server. Secrets are digested when the client is
 * first looked up, and only their digests are kept from then on.
 *
 * @throws {TypeError} If a client has an unknown option, or one of a wrong type, as a `secret` that is `undefined`.
 * @throws {RangeError} If a client breaks a rule of {@linkcode ClientInit}, or two have the same id.
 *
 * @example
 * ```ts
 * import { generateSecret } from "@gatehouse/http/auth";
 * import { staticClients } from "@gatehouse/http/auth/server";
 * import { assertEquals } from "@std/assert";
 *
 * const clients = staticClients([
 *   { clientId: "spa", name: "Notes", redirectUris: ["https://notes.example/callback"] },
 *   { clientId: "cli", name: "Notes CLI", type: "native", redirectUris: ["http://127.0.0.1/callback"] },
 *   {
 *     clientId: "shop",
 *     name: "Shop",
 *     redirectUris: ["https://shop.example/callback"],
 *     secret: generateSecret(), // one that is stored outside of the code
 *   },
 * ]);
 *
 * assertEquals((await clients.find("shop"))?.authentication, "client_secret_basic");
 * assertEquals((await clients.find("spa"))?.authentication, "none");
 * ```
 */
export function staticClients(clients: readonly ClientInit[]): Pick<ClientStore, "find"> {
  if (!Array.isArray(clients)) throw new TypeError(`${CANNOT_REGISTER}: clients must be an array`);
  const entries = new Map<string, StaticClient>();
  for (const entry of clients.map(readStaticClient)) {
    const { clientId } = entry.client;
    if (entries.has(clientId)) throw new RangeError(`${CANNOT_REGISTER}: duplicate clientId`);
    entries.set(clientId, entry);
  }
  const store: Pick<ClientStore, "find"> = Object.freeze({
    async find(clientId: string) {
      const entry = entries.get(clientId);
      if (entry === undefined || entry.secrets.length === 0) return entry?.client ?? null;
      const secretHashes = await digestAll(entry.secrets);
      const client = Object.freeze({ ...entry.client, secretHashes });
      entries.set(clientId, { client, secrets: [] });
      return client;
    },
  });
  STATIC_CLIENTS.set(store, [...entries.values()].map(({ client }) => client));
  return store;
}

const STATIC_CLIENTS = new WeakMap<object, readonly RegisteredClient[]>();

/** The clients of {@linkcode staticClients}, without their secrets; none of a store. A server can check them when it starts. */
export function staticClientsIn(clients: object): readonly RegisteredClient[] {
  return STATIC_CLIENTS.get(clients) ?? [];
}

/**
 * Registers a client: generates its id and, if it authenticates by one, its secret. Show the secret to the client's developer now;
 * only its digest is stored.
 *
 * @throws {TypeError} If there is an unknown option, or one of a wrong type.
 * @throws {RangeError} If the client breaks a rule of {@linkcode ClientInit}.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores } from "@gatehouse/http/auth";
 * import { registerClient } from "@gatehouse/http/auth/server";
 * import { assertEquals, assertMatch } from "@std/assert";
 *
 * const { clients } = inMemoryAuthStores();
 * const { client, secret } = await registerClient(clients, {
 *   name: "Shop",
 *   redirectUris: ["https://shop.example/callback"],
 * });
 * assertMatch(secret ?? "", /^[\w-]{43}$/);
 * assertEquals((await clients.find(client.clientId))?.name, "Shop");
 * ```
 */
export async function registerClient(
  store: Pick<ClientStore, "create">,
  init: RegisterClientInit,
  options: RegisterClientOptions = {},
): Promise<ClientRegistration> {
  rejectUnknownOptions<RegisterClientInit>(CANNOT_REGISTER, init, REGISTER_NAMES);
  rejectUnknownOptions<RegisterClientOptions>(CANNOT_REGISTER, options, { now: true });
  const description = describeClient(
    init,
    init.type === "native" ? "none" : hasKeys(init) ? "private_key_jwt" : "client_secret_basic",
  );
  const secret = usesSecret(description.authentication) ? randomToken() : undefined;
  const client: NewClient = Object.freeze({
    clientId: randomId(),
    ...description,
    ...(secret === undefined ? {} : { secretHashes: await digestAll([secret]) }),
    registeredAt: readClock(options.now),
  });
  if (await store.create(client) !== "created") {
    throw new AuthError("service_unavailable", { reason: "client_id_taken" }); // 128 random bits
  }
  return Object.freeze({ client, ...(secret === undefined ? {} : { secret }) });
}

/**
 * Gives a client a new secret. The previous one stays valid beside it, an older one does not: deploy the new one, then call
 * {@linkcode revokeOldClientSecret}.
 *
 * @returns The new secret, 43 characters. Only its digest is stored.
 * @throws {TypeError} If the client does not exist, or has no secret.
 * @throws {AuthError} `service_unavailable` after repeated conflicts.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores } from "@gatehouse/http/auth";
 * import { registerClient, rotateClientSecret } from "@gatehouse/http/auth/server";
 * import { assertEquals, assertNotEquals } from "@std/assert";
 *
 * const { clients } = inMemoryAuthStores();
 * const { client, secret } = await registerClient(clients, {
 *   name: "Shop",
 *   redirectUris: ["https://shop.example/callback"],
 * });
 * assertNotEquals(await rotateClientSecret(clients, client.clientId), secret);
 * assertEquals((await clients.find(client.clientId))?.secretHashes?.length, 2);
 * ```
 */
export async function rotateClientSecret(
  store: Pick<ClientStore, "find" | "update">,
  clientId: string,
): Promise<string> {
  const secret = randomToken();
  const hash = await digestText(secret);
  const action = "Cannot rotate client secret";
  // An update that was reported as lost may have been written
  const change = (hashes: readonly string[]) =>
    [hash, ...hashes.filter((other) => other !== hash)].slice(0, 2);
  await updateSecrets(store, clientId, { action, change });
  return secret;
}

/**
 * Revokes all secrets of a client but the newest. Call it when the client uses the secret that {@linkcode rotateClientSecret}
 * returned; at once if the previous one was disclosed.
 *
 * @throws {TypeError} If the client does not exist, or has no secret.
 * @throws {AuthError} `service_unavailable` after repeated conflicts.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores } from "@gatehouse/http/auth";
 * import { registerClient, revokeOldClientSecret, rotateClientSecret } from "@gatehouse/http/auth/server";
 * import { assertEquals } from "@std/assert";
 *
 * const { clients } = inMemoryAuthStores();
 * const { client: { clientId } } = await registerClient(clients, {
 *   name: "Shop",
 *   redirectUris: ["https://shop.example/callback"],
 * });
 * await rotateClientSecret(clients, clientId);
 * await revokeOldClientSecret(clients, clientId);
 * assertEquals((await clients.find(clientId))?.secretHashes?.length, 1);
 * ```
 */
export async function revokeOldClientSecret(
  store: Pick<ClientStore, "find" | "update">,
  clientId: string,
): Promise<void> {
  const action = "Cannot revoke old client secret";
  await updateSecrets(store, clientId, { action, change: (hashes) => hashes.slice(0, 1) });
}

/** A client, and those of its secrets that are not digested yet. */
interface StaticClient {
  readonly client: RegisteredClient;
  readonly secrets: readonly string[];
}

function readStaticClient(init: ClientInit): StaticClient {
  rejectUnknownOptions<ClientInit>(CANNOT_REGISTER, init, NAMES);
  const secrets = readSecrets(init);
  const description = describeClient(
    init,
    secrets.length > 0 ? "client_secret_basic" : hasKeys(init) ? "private_key_jwt" : "none",
  );
  checkClientId(init.clientId, description.authentication);
  checkSecretUse(description, secrets);
  const client = Object.freeze({ clientId: init.clientId, ...description, ...STATIC });
  return { client, secrets };
}

function hasKeys({ jwks, jwksUri }: RegisterClientInit): boolean {
  return jwks !== undefined || jwksUri !== undefined;
}

async function digestAll(secrets: readonly string[]): Promise<readonly string[]> {
  return Object.freeze(await Promise.all(secrets.map((secret) => digestText(secret))));
}

/** A change of the digests of a client's secrets, of which there is at least one. */
interface SecretChange {
  readonly action: string;
  readonly change: (hashes: readonly string[]) => readonly string[];
}

async function updateSecrets(
  store: Pick<ClientStore, "find" | "update">,
  clientId: string,
  { action, change }: SecretChange,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const client = await store.find(clientId);
    if (client === null) throw new TypeError(`${action}: the client does not exist`);
    const { secretHashes = [] } = client;
    if (secretHashes.length === 0) throw new TypeError(`${action}: the client has no secret`);
    const outcome = await store.update({ ...client, secretHashes: change(secretHashes) });
    if (outcome === "updated") return;
    if (outcome === "not_found") throw new TypeError(`${action}: the client does not exist`);
  }
  throw new AuthError("service_unavailable", { reason: "update_conflict" });
}
