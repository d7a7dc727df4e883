/**
 * Stores of the authorization server whose records are checked as they are read, as those of {@linkcode checkedUsers} are.
 *
 * @module
 */

import { invalid, isAbsent, requireStringArray, requireStrings, requireTimes } from "./checked.ts";
import type {
  Authorization,
  AuthorizationRequest,
  AuthorizationStore,
  AuthorizationSubject,
  ClientAuthenticationMethod,
  ClientStore,
  DeviceRequest,
  PendingAuthorization,
  RegisteredClient,
  StoredAuthorization,
  UserSignIns,
} from "./server_types.ts";

/**
 * An authorization store that rejects with a `TypeError` where a member that decides has another type, and finds nothing if the
 * store returns another authorization.
 */
export function checkedAuthorizations(store: AuthorizationStore): AuthorizationStore {
  return {
    create: (authorization) => store.create(authorization),
    async find(id) {
      const found = checkStored(await store.find(id));
      return found?.authorization.id === id ? found : null; // a store may compare inexactly
    },
    update: (next, version) => store.update(next, version),
  };
}

/**
 * A client store that rejects with a `TypeError` where a member that decides about a client has another type. It finds nothing
 * for an id that no client can have, and if the store returns another client. `firstParty` is for its reader to compare with
 * `true`, and `disabled` for {@linkcode isClientDisabled} to judge.
 */
export function checkedClients(store: Pick<ClientStore, "find">): Pick<ClientStore, "find"> {
  return {
    async find(clientId) {
      const client = CLIENT_ID_REGEXP.test(clientId) ? await store.find(clientId) : null;
      return checkClient(client)?.clientId === clientId ? client : null;
    },
  };
}

/** RFC 6749 Appendix A.1, without the space. */
const CLIENT_ID_REGEXP = /^[\x21-\x7e]{1,200}$/;

/** Whether a client is disabled: any stored value is taken for `true`, except absent, `null`, `false` and 0. */
export function isClientDisabled(client: RegisteredClient): boolean {
  return Boolean(client.disabled);
}

const AUTHORIZATION = "authorization";

function checkStored(found: StoredAuthorization | null): StoredAuthorization | null {
  if (found === null) return null;
  const { authorization } = found;
  requireStrings(AUTHORIZATION, found, ["version"]);
  requireObject("record", authorization);
  requireStrings(AUTHORIZATION, authorization, ["id", "issuer"]);
  requireTimes(AUTHORIZATION, authorization, ["createdAt", "expiresAt"]);
  checkState(authorization);
  return found;
}

/** An unknown state must not count as one of the others. */
function checkState(authorization: Authorization): void {
  if (authorization.state === "sign_ins") return checkSignIns(authorization);
  requireStrings(AUTHORIZATION, authorization, ["clientId"]);
  switch (authorization.state) {
    case "pushed":
      requireStrings(AUTHORIZATION, authorization, ["uriHash"]);
      return checkRequest(authorization.request);
    case "pending":
      requireStrings(AUTHORIZATION, authorization, ["browser"]);
      checkRequest(authorization.request);
      return checkSeen(authorization.seen);
    case "issued":
      requireStrings(AUTHORIZATION, authorization, ["codeHash"]);
      requireStringArray(AUTHORIZATION, authorization, "scope");
      checkRequest(authorization.request);
      return checkSubject(authorization.subject);
    case "device_pending":
      requireStrings(AUTHORIZATION, authorization, ["codeHash"]);
      if (!isAbsent(authorization.browser)) {
        requireStrings(AUTHORIZATION, authorization, ["browser"]);
      }
      return checkScopes(authorization.request);
    case "device_issued":
      requireStrings(AUTHORIZATION, authorization, ["codeHash"]);
      requireStringArray(AUTHORIZATION, authorization, "scope");
      checkScopes(authorization.request);
      return checkSubject(authorization.subject);
    case "redeemed":
      return requireStrings(AUTHORIZATION, authorization, ["codeHash", "grantId"]);
    case "denied":
      if (!isAbsent(authorization.codeHash)) {
        requireStrings(AUTHORIZATION, authorization, ["codeHash"]);
      }
      return;
  }
  authorization satisfies never;
  throw invalid(AUTHORIZATION, "state", "one of its states");
}

function checkSignIns(record: UserSignIns): void {
  requireStrings("sign-ins", record, ["sub"]);
  if (!Array.isArray(record.signIns)) throw invalid("sign-ins", "signIns", "an array");
  for (const signIn of record.signIns) {
    requireStrings("sign-in", signIn ?? {}, ["clientId", "sessionId"]);
  }
}

const REQUEST = "authorization request";

function checkRequest(request: AuthorizationRequest): void {
  checkScopes(request);
  requireStrings(REQUEST, request, ["redirectUri", "codeChallenge"]);
  for (const member of ["prompt", "acrValues"] as const) {
    requireStringArray(REQUEST, request, member);
  }
  if (!isAbsent(request.maxAge)) requireTimes(REQUEST, request, ["maxAge"]);
  if (!isAbsent(request.dpopJkt)) requireStrings(REQUEST, request, ["dpopJkt"]);
}

function checkScopes(request: DeviceRequest): void {
  requireObject("request", request);
  requireStringArray(REQUEST, request, "scope");
  if (!isAbsent(request.resources)) requireStringArray(REQUEST, request, "resources");
}

/** A sign-in that differs from it counts as a new one, so `null` must not stand for an absent session. */
function checkSeen(seen: PendingAuthorization["seen"]): void {
  if (seen === undefined) return;
  requireObject("seen", seen);
  requireTimes("seen authentication", seen, ["authTime"]);
  if (seen.sessionId !== undefined) requireStrings("seen authentication", seen, ["sessionId"]);
}

function checkSubject(subject: AuthorizationSubject): void {
  const what = "authorization subject";
  requireObject("subject", subject);
  requireStrings(what, subject, ["sub", "securityStamp"]);
  requireTimes(what, subject, ["authTime"]);
  requireStringArray(what, subject, "amr");
}

function requireObject(member: string, value: unknown): void {
  if (typeof value === "object" && value !== null) return;
  throw invalid(AUTHORIZATION, member, "an object");
}

const CLIENT = "client";
const METHODS: readonly ClientAuthenticationMethod[] = [
  "none",
  "client_secret_basic",
  "client_secret_post",
  "private_key_jwt",
];
const TYPES: readonly RegisteredClient["type"][] = ["web", "native"];

function checkClient(client: RegisteredClient | null): RegisteredClient | null {
  if (client === null) return null;
  requireStrings(CLIENT, client, ["clientId", "name"]);
  if (!TYPES.includes(client.type)) throw invalid(CLIENT, "type", "web or native");
  if (!METHODS.includes(client.authentication)) {
    throw invalid(CLIENT, "authentication", "one of its methods");
  }
  for (const member of ["redirectUris", "grants"] as const) {
    requireStringArray(CLIENT, client, member);
  }
  if (!isAbsent(client.expiresAt)) requireTimes(CLIENT, client, ["expiresAt"]);
  if (!isAbsent(client.jwksUri)) requireStrings(CLIENT, client, ["jwksUri"]);
  if (!isAbsent(client.jwks) && !Array.isArray(client.jwks?.keys)) {
    throw invalid(CLIENT, "jwks", "a JWK Set");
  }
  for (
    const member of ["secretHashes", "scope", "postLogoutRedirectUris", "introspects"] as const
  ) {
    if (!isAbsent(client[member])) requireStringArray(CLIENT, client, member);
  }
  return client;
}
