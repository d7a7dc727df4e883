/**
 * Authorizations and clients of an authorization server over an adapter.
 *
 * @module
 */

import { readAtomicAdapter, type RepoStoreOptions } from "./_repo.ts";
import type { StoredRecord, Versioned } from "./adapter.ts";
import type {
  Authorization,
  AuthorizationRequest,
  AuthorizationStore,
  AuthorizationSubject,
  ClientStore,
  DeniedAuthorization,
  IssuedAuthorization,
  NewClient,
  PendingAuthorization,
  RedeemedAuthorization,
  RegisteredClient,
  UserSignIns,
} from "./server_types.ts";

const AUTHORIZATIONS = "authorizations";
const CLIENTS = "oauth_clients";

/** The indexed value of every client, by which they are listed. */
const ALL = "all";

/**
 * Persists authorizations. Creating a duplicate id rejects with an `Error`.
 *
 * @throws {TypeError} If the adapter is missing or has no `atomic` hook: one code could be exchanged several times.
 */
export function repoAuthorizationStore(options: RepoStoreOptions): AuthorizationStore {
  const adapter = readAtomicAdapter({
    store: "authorization store",
    why: "update() lets several requests exchange one code",
  }, options);
  const { atomic } = adapter;

  return {
    async create(authorization) {
      const record = authorizationRecord(authorization);
      const { status } = await atomic.cas(AUTHORIZATIONS, authorization.id, null, record);
      if (status !== "ok") throw new Error("Cannot create authorization: its id is taken");
    },
    async find(id) {
      const found = await adapter.get(AUTHORIZATIONS, id);
      if (found === null) return null;
      return { authorization: found.value as Authorization, version: found.version };
    },
    async update(next, version) {
      const record = authorizationRecord(next);
      const { status } = await atomic.cas(AUTHORIZATIONS, next.id, version, record);
      return status === "ok" ? "updated" : "lost";
    },
  };
}

/**
 * Persists clients.
 *
 * @throws {TypeError} If the adapter is missing or has no `atomic` hook: a revoked secret could come back.
 */
export function repoClientStore(options: RepoStoreOptions): ClientStore {
  const adapter = readAtomicAdapter({
    store: "client store",
    why: "update() restores a secret that another one has revoked",
  }, options);
  const { atomic } = adapter;

  return {
    async find(clientId) {
      const found = await adapter.get(CLIENTS, clientId);
      return found === null ? null : readClient(found);
    },
    async create(client) {
      const { status } = await atomic.cas(CLIENTS, client.clientId, null, clientRecord(client));
      return status === "ok" ? "created" : "taken";
    },
    async update(client) {
      const { clientId, version } = client;
      const { status } = await atomic.cas(CLIENTS, clientId, version, clientRecord(client));
      if (status === "ok") return "updated";
      return await adapter.get(CLIENTS, clientId) === null ? "not_found" : "lost";
    },
    delete: (clientId) => adapter.delete(CLIENTS, clientId),
    async list({ limit, after }) {
      return (await adapter.list(CLIENTS, 0, ALL, { limit, after })).map(readClient);
    },
  };
}

function authorizationRecord(authorization: Authorization): StoredRecord {
  return { value: authorizationValue(authorization), expiresAt: authorization.expiresAt };
}

/** Every member of a record, so that a new one does not compile until it is listed. */
type Members<Of> = { readonly [Member in keyof Required<Of>]: unknown };

/** Members are listed: an object of the caller may have more, such as the code itself. */
function authorizationValue(authorization: Authorization): unknown {
  if (authorization.state === "sign_ins") return signInsValue(authorization);
  const { id, issuer, clientId, createdAt, expiresAt } = authorization;
  const base = { id, issuer, clientId, createdAt, expiresAt };
  switch (authorization.state) {
    case "pending": {
      const { state, request, browser, seen } = authorization;
      return {
        state,
        ...base,
        request: requestValue(request),
        browser,
        seen: seen && { authTime: seen.authTime, sessionId: seen.sessionId },
      } satisfies Members<PendingAuthorization>;
    }
    case "issued": {
      const { state, request, codeHash, subject, scope } = authorization;
      return {
        state,
        ...base,
        request: requestValue(request),
        codeHash,
        subject: subjectValue(subject),
        scope,
      } satisfies Members<IssuedAuthorization>;
    }
    case "redeemed": {
      const { state, codeHash, grantId } = authorization;
      return { state, ...base, codeHash, grantId } satisfies Members<RedeemedAuthorization>;
    }
    case "denied":
      return { state: authorization.state, ...base } satisfies Members<DeniedAuthorization>;
  }
}

function signInsValue(
  { state, id, issuer, sub, signIns, createdAt, expiresAt }: UserSignIns,
): unknown {
  return {
    state,
    id,
    issuer,
    sub,
    signIns: signIns.map(({ clientId, sessionId }) => ({ clientId, sessionId })),
    createdAt,
    expiresAt,
  } satisfies Members<UserSignIns>;
}

function requestValue(request: AuthorizationRequest): unknown {
  const { redirectUri, responseMode, scope, resources, codeChallenge, state, nonce, prompt } =
    request;
  const { maxAge, acrValues, isAcrEssential, idTokenClaims, hintedSub, loginHint, uiLocales } =
    request;
  const { dpopJkt } = request;
  return {
    redirectUri,
    responseMode,
    scope,
    resources,
    codeChallenge,
    dpopJkt,
    state,
    nonce,
    prompt,
    maxAge,
    acrValues,
    isAcrEssential,
    idTokenClaims,
    hintedSub,
    loginHint,
    uiLocales,
  } satisfies Members<AuthorizationRequest>;
}

function subjectValue(subject: AuthorizationSubject): unknown {
  const { sub, securityStamp, authTime, amr, acr, provider, sessionId } = subject;
  return {
    sub,
    securityStamp,
    authTime,
    amr,
    acr,
    provider: provider && { name: provider.name, issuer: provider.issuer, sid: provider.sid },
    sessionId,
  } satisfies Members<AuthorizationSubject>;
}

function clientRecord(client: NewClient): StoredRecord {
  const { clientId, name, type, redirectUris, authentication, secretHashes, grants, scope } =
    client;
  const { firstParty, clientUri, dpopBound, registeredAt, expiresAt, disabled } = client;
  const { postLogoutRedirectUris, backchannelLogoutUri } = client;
  const value = {
    clientId,
    name,
    type,
    redirectUris,
    postLogoutRedirectUris,
    backchannelLogoutUri,
    authentication,
    secretHashes,
    grants,
    scope,
    firstParty,
    clientUri,
    dpopBound,
    registeredAt,
    expiresAt,
    disabled,
  } satisfies Members<NewClient>;
  return { value, index: [ALL], expiresAt };
}

function readClient({ value, version }: Versioned): RegisteredClient {
  return { ...value as NewClient, version };
}
