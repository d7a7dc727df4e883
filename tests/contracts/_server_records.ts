/**
 * Authorizations and clients for the cases of their stores.
 *
 * @module
 */

import type {
  AuthorizationBase,
  AuthorizationRequest,
  AuthorizationStore,
  ClientStore,
  DeviceIssuedAuthorization,
  DevicePendingAuthorization,
  IssuedAuthorization,
  NewClient,
  PendingAuthorization,
  PushedAuthorization,
  RedeemedAuthorization,
  RegisteredClient,
  StoredAuthorization,
  UserSignIns,
} from "../../auth/stores/types.ts";

/** When the requests came. */
export const CREATED = 1_700_000_000;
/** When the authorizations expire. */
export const EXPIRES: number = CREATED + 600;

/** A request with its required members only. */
const REQUEST: AuthorizationRequest = {
  redirectUri: "https://shop.example/callback",
  responseMode: "query",
  scope: ["openid"],
  codeChallenge: "challenge",
  prompt: [],
  acrValues: [],
};

/** A request with every member. */
export const WHOLE_REQUEST: AuthorizationRequest = {
  ...REQUEST,
  responseMode: "form_post",
  scope: ["openid", "notes:read"],
  state: "the client's, outside the BMP: 🔑",
  nonce: "n-1",
  dpopJkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
  prompt: ["login", "consent"],
  maxAge: 0,
  acrValues: ["urn:example:gold", "urn:example:silver"],
  resources: ["https://api.example", "https://mcp.example/a"],
  isAcrEssential: false,
  idTokenClaims: ["email"],
  hintedSub: "u1",
  loginHint: "ada@example.org",
  uiLocales: "de en",
};

function baseOf(id: string): AuthorizationBase {
  return {
    id,
    issuer: "https://id.example",
    clientId: "shop",
    createdAt: CREATED,
    expiresAt: EXPIRES,
  };
}

/** An authorization that its client has pushed. */
export function pushedOf(id: string): PushedAuthorization {
  return { state: "pushed", ...baseOf(id), request: REQUEST, uriHash: "digest of a reference" };
}

/** An authorization that waits for the user. */
export function pendingOf(id: string): PendingAuthorization {
  return { state: "pending", ...baseOf(id), request: REQUEST, browser: "digest of a cookie" };
}

/** An authorization whose code was sent. */
export function issuedOf(id: string): IssuedAuthorization {
  return {
    state: "issued",
    ...baseOf(id),
    request: REQUEST,
    codeHash: "digest of a code",
    subject: { sub: "u1", securityStamp: "stamp", authTime: CREATED, amr: ["pwd"] },
    scope: ["openid"],
  };
}

/** The sign-ins of a user. */
export function signInsOf(id: string): UserSignIns {
  const { clientId, ...base } = baseOf(id);
  const signIns = [{ clientId, sessionId: "s1" }, { clientId: "web", sessionId: "s1" }];
  return { state: "sign_ins", ...base, sub: "u1", signIns };
}

/** A device whose user has not decided. */
export function devicePendingOf(id: string): DevicePendingAuthorization {
  return {
    state: "device_pending",
    ...baseOf(id),
    request: { scope: ["openid"] },
    codeHash: "digest of a device code",
  };
}

/** A device whose user has given it access. */
export function deviceIssuedOf(id: string): DeviceIssuedAuthorization {
  const { subject, scope } = issuedOf(id);
  return { ...devicePendingOf(id), state: "device_issued", subject, scope };
}

/** An authorization whose code was exchanged for a grant. */
export function redeemedOf(id: string, grantId: string): RedeemedAuthorization {
  return { state: "redeemed", ...baseOf(id), codeHash: "digest of a code", grantId };
}

/** A public client. */
export function clientOf(clientId: string): NewClient {
  return {
    clientId,
    name: "Shop",
    type: "web",
    redirectUris: ["https://shop.example/callback"],
    authentication: "none",
    grants: ["authorization_code"],
    registeredAt: CREATED,
  };
}

/** Finds an authorization that exists. */
export async function findAuthorization(
  store: AuthorizationStore,
  id: string,
): Promise<StoredAuthorization> {
  const found = await store.find(id);
  if (found === null) throw new Error(`There is no authorization ${id}`);
  return found;
}

/** Finds a client that exists. */
export async function findClient(store: ClientStore, clientId: string): Promise<RegisteredClient> {
  const found = await store.find(clientId);
  if (found === null) throw new Error(`There is no client ${clientId}`);
  return found;
}
