/**
 * An authorization server that supports DPoP, and requests with proofs.
 *
 * @module
 */

import { inMemoryAuthStores } from "../../../auth/mod.ts";
import type { AuthorizationServerOptions, ClientInit } from "../../../auth/server/mod.ts";
import type { ProofClaims, ProofKey } from "../dpop/_proofs.ts";
import { START } from "../_services.ts";
import { CLIENTS, ISSUER, type Params, REDIRECTS, type ServerSite, serverSite } from "./_site.ts";
import { credentialsOf } from "./_tokens.ts";

/** A client whose tokens must be bound. */
const BOUND: ClientInit = {
  clientId: "bound",
  name: "Only with a key",
  redirectUris: ["https://bound.example/cb"],
  dpopBound: true,
};

/** A server with the option `dpop`. */
export function dpopSite(server: Partial<AuthorizationServerOptions> = {}): ServerSite {
  const clock = { now: START };
  const { states } = inMemoryAuthStores({ now: () => clock.now });
  return serverSite({
    app: { clock },
    clients: [...CLIENTS, BOUND],
    server: { dpop: true, states, ...server },
  });
}

/** A proof for the token endpoint, made now. */
export async function tokenProof(
  site: ServerSite,
  key: ProofKey,
  claims: ProofClaims = {},
): Promise<string> {
  const target = { method: "POST", url: `${ISSUER}/oauth/token` };
  return await key.prove(target, { iat: site.app.clock.now, ...claims });
}

/** A token request of a client, with a proof unless that is absent. */
async function request(
  site: ServerSite,
  clientId: string,
  proof: string | undefined,
  fields: Params,
): Promise<Response> {
  const { form, headers } = credentialsOf(clientId);
  const dpop = proof === undefined ? {} : { DPoP: proof };
  return await site.token({ ...fields, ...form }, { ...headers, ...dpop });
}

/** Exchanges a code. */
export async function redeemWith(
  site: ServerSite,
  clientId: string,
  code: string,
  proof?: string,
): Promise<Response> {
  const redirect = clientId === "bound" ? "https://bound.example/cb" : REDIRECTS[clientId];
  return await request(site, clientId, proof, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirect,
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  });
}

/** Refreshes. */
export async function refreshWith(
  site: ServerSite,
  clientId: string,
  token: string,
  proof?: string,
): Promise<Response> {
  return await request(site, clientId, proof, {
    grant_type: "refresh_token",
    refresh_token: token,
  });
}

/** A code of a client, whose request Ada allows. */
export async function codeOf(
  site: ServerSite,
  clientId: string,
  params: Params = {},
): Promise<string> {
  const redirect = clientId === "bound" ? { redirect_uri: "https://bound.example/cb" } : {};
  return await site.code(await site.signedIn(), { client_id: clientId, ...redirect, ...params });
}

/** Asks UserInfo with a token and a proof. */
export async function userinfoWith(
  site: ServerSite,
  token: string,
  key: ProofKey,
  claims: ProofClaims = {},
  scheme = "DPoP",
): Promise<Response> {
  const target = { method: "GET", url: `${ISSUER}/oauth/userinfo`, token };
  const DPoP = await key.prove(target, { iat: site.app.clock.now, ...claims });
  return await site.send("/oauth/userinfo", {
    headers: { Authorization: `${scheme} ${token}`, DPoP },
  });
}
