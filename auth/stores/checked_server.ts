/**
 * Stores of the authorization server whose records are checked as they are read, as those of {@linkcode checkedUsers} are.
 *
 * @module
 */

import type {
  Authorization,
  AuthorizationStore,
  ClientStore,
  RegisteredClient,
  StoredAuthorization,
} from "./server_types.ts";

/** An authorization store that rejects with a `TypeError` where a member that decides has another type. */
export function checkedAuthorizations(store: AuthorizationStore): AuthorizationStore {
  return {
    create: (authorization) => store.create(authorization),
    find: async (id) => checkStored(await store.find(id)),
    update: (next, version) => store.update(next, version),
  };
}

/** A client store that rejects with a `TypeError` where a member that decides about a client has another type. */
export function checkedClients(store: Pick<ClientStore, "find">): Pick<ClientStore, "find"> {
  return { find: async (clientId) => checkClient(await store.find(clientId)) };
}

/** Whether a client is disabled: any stored value is taken for `true`, except absent, `null`, `false` and 0. */
export function isClientDisabled(client: RegisteredClient): boolean {
  return Boolean(client.disabled);
}

function checkStored(found: StoredAuthorization | null): StoredAuthorization | null {
  if (found === null) return null;
  const { authorization, version } = found;
  const isValid = isString(version) && isString(authorization?.id) &&
    isString(authorization.issuer) && isString(authorization.clientId) &&
    Number.isFinite(authorization.createdAt) && Number.isFinite(authorization.expiresAt) &&
    hasState(authorization);
  if (!isValid) throw malformed("authorization");
  return found;
}

/** An unknown state must not count as one of the others. */
function hasState(authorization: Authorization): boolean {
  switch (authorization.state) {
    case "pending":
      return isString(authorization.browser) && hasRequest(authorization.request);
    case "issued": {
      const { codeHash, subject, scope, request } = authorization;
      return isString(codeHash) && isStrings(scope) && hasRequest(request) &&
        isString(subject?.sub) && isString(subject.securityStamp) &&
        Number.isFinite(subject.authTime) && isStrings(subject.amr);
    }
    case "redeemed":
      return isString(authorization.codeHash) && isString(authorization.grantId);
    case "denied":
      return true;
  }
  authorization satisfies never;
  return false;
}

type Request = Extract<Authorization, { readonly state: "pending" }>["request"];

function hasRequest({ redirectUri, codeChallenge, scope, prompt, acrValues }: Request): boolean {
  return isString(redirectUri) && isString(codeChallenge) && isStrings(scope) &&
    isStrings(prompt) && isStrings(acrValues);
}

const METHODS: readonly unknown[] = ["none", "client_secret_basic", "client_secret_post"];
const TYPES: readonly unknown[] = ["web", "native"];

function checkClient(client: RegisteredClient | null): RegisteredClient | null {
  if (client === null) return null;
  const { clientId, name, type, redirectUris, authentication, secretHashes, grants, scope } =
    client;
  const isValid = isString(clientId) && isString(name) && TYPES.includes(type) &&
    METHODS.includes(authentication) && isStrings(redirectUris) && isStrings(grants) &&
    isStrings(secretHashes ?? []) && isStrings(scope ?? []);
  if (!isValid) throw malformed("client");
  return client;
}

function isString(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every(isString);
}

function malformed(record: string): TypeError {
  return new TypeError(`Cannot read ${record}: a member has the wrong type; check the store`);
}
