/**
 * The grant `authorization_code`, RFC 6749 §4.1.3 and RFC 7636 §4.6: one list of steps.
 *
 * @module
 */

import { equalText } from "../../_bytes.ts";
import { digestText } from "../../_kdf.ts";
import type { ClientRequest } from "../core/client_request.ts";
import type { ServerContext } from "../core/context.ts";
import type { GrantResponse } from "../core/issue.ts";
import { matchRedirectUri } from "../clients/redirect_uri.ts";
import { refuseToken } from "../core/refusal.ts";
import { redeem, replayed } from "./_redeem.ts";

/** Id and secret of a code. */
const CODE_REGEXP = /^([\w-]{22})\.([\w-]{43})$/;

/** RFC 7636 §4.1. */
const VERIFIER_REGEXP = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Exchanges a code for tokens. @throws {ServerRefusal} */
export async function redeemCode(
  context: ServerContext,
  clientRequest: ClientRequest,
): Promise<GrantResponse> {
  const { client, form, jkt } = clientRequest;
  const { clientId } = client;
  const refuse = (reason: Parameters<typeof refuseToken>[0]) => refuseToken(reason, { clientId });

  // 1. The parameters
  const [code, redirectUri, verifier] = [
    form.get("code"),
    form.get("redirect_uri"),
    form.get("code_verifier"),
  ];
  if (code === undefined || redirectUri === undefined || verifier === undefined) {
    throw refuse("parameter_missing");
  }

  // 2. The record, and the secret: who only knows or guesses the id changes nothing
  const [, id = "", secret = ""] = CODE_REGEXP.exec(code) ?? [];
  const found = id === "" ? null : await context.codes.find(id);
  const { authorization, version = "" } = found ?? {};
  const [codeHash, challenge] = await Promise.all([digestText(secret), digestText(verifier)]);
  if (authorization?.issuer !== context.issuer) throw refuse("code_unknown");
  const isIssued = authorization.state === "issued" || authorization.state === "redeemed";
  if (!isIssued || !equalText(codeHash, authorization.codeHash)) {
    throw refuse("code_unknown");
  }

  // 3. A second use ends the grant, §4.1.2
  if (authorization.state === "redeemed") throw await replayed(context, authorization);

  // 4. Time, client and redirect URI, §4.1.3. The client may have changed since the request
  if (context.now() >= authorization.expiresAt) throw refuse("code_unknown");
  if (authorization.clientId !== clientId) throw refuse("client_mismatch");
  const { request } = authorization;
  const isRegistered = matchRedirectUri(client, redirectUri, context) !== undefined;
  if (redirectUri !== request.redirectUri || !isRegistered) throw refuse("redirect_uri_mismatch");

  // 5. The verifier, RFC 7636 §4.6
  const isVerified = VERIFIER_REGEXP.test(verifier) && equalText(challenge, request.codeChallenge);
  if (!isVerified) throw refuse("verifier_wrong");

  // 6. The key that the code is bound to, RFC 9449 §10
  if ((request.dpopJkt ?? jkt) !== jkt) throw refuse("dpop_key_mismatch");

  // 7. The tokens, once
  return await redeem(context, clientRequest, { authorization, version });
}
