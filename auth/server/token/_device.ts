/**
 * The grant `urn:ietf:params:oauth:grant-type:device_code`, RFC 8628 §3.4 and §3.5: one list of steps.
 *
 * @module
 */

import { equalText } from "../../_bytes.ts";
import { digestText } from "../../_kdf.ts";
import { POLL_INTERVAL } from "../clients/grant_types.ts";
import type { ClientRequest } from "../core/client_request.ts";
import type { ServerContext } from "../core/context.ts";
import type { GrantResponse } from "../core/issue.ts";
import { refuseToken, ServerRefusal } from "../core/refusal.ts";
import { redeem, replayed } from "./_redeem.ts";

/** Id and secret of a device code. */
const CODE_REGEXP = /^([\w-]{22})\.([\w-]{43})$/;

/** Exchanges a device code for tokens, once the user has decided. @throws {ServerRefusal} */
export async function redeemDeviceCode(
  context: ServerContext,
  clientRequest: ClientRequest,
): Promise<GrantResponse> {
  const { client: { clientId }, form } = clientRequest;
  const refuse = (reason: Parameters<typeof refuseToken>[0]) => refuseToken(reason, { clientId });

  // 1. The parameter
  const code = form.get("device_code");
  if (code === undefined) throw refuse("parameter_missing");
  const [, id = "", secret = ""] = CODE_REGEXP.exec(code) ?? [];
  if (id === "") throw refuse("code_unknown");

  // 2. The record, which stores delete when it expires. The id follows from the user code: whoever guesses one without having the
  //    secret gets the same answer, so that nothing says whether there is such a code
  const { authorization, version = "" } = await context.codes.find(id) ?? {};
  const hash = await digestText(secret);
  const isRight = authorization?.issuer === context.issuer && "codeHash" in authorization &&
    equalText(hash, authorization.codeHash ?? "");
  if (!isRight) throw refuse("device_code_expired");

  // 3. A second use ends the grant, as with codes
  if (authorization.state === "redeemed") throw await replayed(context, authorization);

  // 4. Client and time
  if (authorization.clientId !== clientId) throw refuse("client_mismatch");
  if (context.now() >= authorization.expiresAt) throw refuse("device_code_expired");

  // 5. The user's decision. An authorization code is none, which would have neither redirect URI nor verifier here
  switch (authorization.state) {
    case "issued":
      throw refuse("code_unknown");
    case "denied":
      throw refuse("device_denied");
    case "device_issued":
      return await redeem(context, clientRequest, { authorization, version });
    case "device_pending": {
      // One request in each interval gets through, on however many processes
      const until = context.now() + POLL_INTERVAL;
      const isEarly = await context.states?.claim(`device:${id}`, until) !== "claimed";
      throw isEarly ? refuse("slow_down") : new ServerRefusal({ kind: "waiting" });
    }
  }
}
