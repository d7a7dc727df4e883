/**
 * DPoP proofs of requests to the authorization server, RFC 9449 §5: one place reads them, before anything of a request is used up.
 *
 * @module
 */

import type { ProofQuery } from "../../dpop/proof.ts";
import type { ServerContext } from "./context.ts";
import { refuseToken } from "./refusal.ts";

/** The key that a client has shown. */
export interface ClientProof {
  /** Its thumbprint, RFC 7638. */
  readonly jkt: string;
  /** A newer nonce, for the response. */
  readonly nonce: string | undefined;
}

/**
 * Reads the proof of a request, if it has one. A server that does not support DPoP ignores it, as an unknown header field.
 *
 * @throws {ServerRefusal} If it is not valid.
 */
export async function readProof(
  context: Pick<ServerContext, "dpop" | "issuer">,
  request: Request,
  { path, clientId }: { readonly path: string; readonly clientId: string },
): Promise<ClientProof | undefined> {
  const { dpop } = context;
  if (dpop === undefined || !request.headers.has("DPoP")) return undefined;
  const outcome = await dpop(proofQuery(context, request, path));
  if (outcome.kind === "verified") return { jkt: outcome.jkt, nonce: outcome.nonce };
  throw refuseToken(outcome.reason, { clientId, nonce: outcome.nonce });
}

/**
 * What the proof of a request must be for.
 *
 * @param path Path of the endpoint below the issuer: no address is made of the request.
 */
export function proofQuery(
  { issuer }: Pick<ServerContext, "issuer">,
  { method, headers }: Request,
  path: string,
): ProofQuery {
  return { proof: headers.get("DPoP"), method, url: issuer + path };
}

/** The field with the nonce that the client's next proof needs, §8. */
export function nonceHeader(nonce: string | undefined): Readonly<Record<string, string>> {
  return nonce === undefined ? {} : { "DPoP-Nonce": nonce };
}
