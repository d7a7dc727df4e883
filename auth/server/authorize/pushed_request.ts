/**
 * Pushed authorization requests, RFC 9126: the client sends the parameters itself, authenticated, and the browser carries a reference
 * to them.
 *
 * @module
 */

import { equalText } from "../../_bytes.ts";
import { digestText } from "../../_kdf.ts";
import { randomId, randomToken } from "../../_random.ts";
import type { AuthorizationSubject } from "../../stores/server_types.ts";
import { asClient } from "../core/client_request.ts";
import type { Exchange, ServerContext } from "../core/context.ts";
import { soleValue } from "../core/parameters.ts";
import { nonceHeader, readProof } from "../core/proof.ts";
import { refusePage, refuseRedirect } from "../core/refusal.ts";
import { privateJson } from "../core/responses.ts";
import { checkPermission, readAuthorizationRequest } from "./authorization_request.ts";
import { beginInteraction, type Interaction, resumeInteraction } from "./_interaction.ts";
import { findTarget, findTargetOf } from "./_target.ts";

/** Path of the endpoint, below the issuer. */
export const PUSH_PATH = "/oauth/par";

const URI_PREFIX = "urn:ietf:params:oauth:request_uri:";

/** Id and secret behind the prefix. */
const REFERENCE_REGEXP = /^([\w-]{22})\.([\w-]{43})$/;

/** Stores a request. What an authorization request is refused for, it is refused for here. @throws {ServerRefusal} */
export async function pushRequest(
  context: ServerContext,
  exchange: Exchange,
): Promise<Response> {
  return await asClient(context, exchange, async ({ client, form, request: push }) => {
    const { clientId } = client;
    const parameters = parametersOf(form);
    const target = await findTarget(context, parameters, client);
    if (parameters.has("request_uri")) { // §2.1
      throw refuseRedirect(target, "invalid_request", "request_uri must not be pushed");
    }
    const asked = await readAuthorizationRequest(context, target, parameters);
    const { jkt: dpopJkt = asked.dpopJkt, nonce } =
      await readProof(context, push, { path: PUSH_PATH, clientId }) ?? {};
    if (dpopJkt !== (asked.dpopJkt ?? dpopJkt)) { // RFC 9449 §10.1
      throw refuseRedirect(target, "invalid_request", "dpop_jkt must be the key of the proof");
    }
    // Whoever knows the id of a public client can have requests stored
    if (client.authentication === "none") await context.throttle?.challenge(exchange);
    const { issuer, lifetimes, codes, now } = context;
    const [id, secret, createdAt] = [randomId(), randomToken(), now()];
    await codes.create({
      state: "pushed",
      id,
      issuer,
      clientId,
      request: dpopJkt === undefined ? asked : { ...asked, dpopJkt },
      uriHash: await digestText(secret),
      createdAt,
      expiresAt: createdAt + lifetimes.pushedRequest,
    });
    const answer = {
      request_uri: `${URI_PREFIX}${id}.${secret}`,
      expires_in: lifetimes.pushedRequest,
    };
    return privateJson(answer, { status: 201, headers: nonceHeader(nonce) });
  });
}

/** The fields of a form as those of a query: several values of `resource` were joined. */
function parametersOf(form: ReadonlyMap<string, string>): URLSearchParams {
  const parameters = new URLSearchParams([...form]);
  parameters.delete("resource");
  for (const resource of form.get("resource")?.split(" ") ?? []) {
    parameters.append("resource", resource);
  }
  return parameters;
}

/** Whether an authorization request refers to a pushed one. Other values of `request_uri` are not supported. */
export function isPushedRequest(
  { pushedRequests }: ServerContext,
  parameters: URLSearchParams,
): boolean {
  const uri = soleValue(parameters, "request_uri");
  return pushedRequests !== false && uri?.startsWith(URI_PREFIX) === true;
}

/**
 * The interaction of a pushed request. A reference is for its client, and for one browser: its page may be reloaded there, §4.
 *
 * @throws {ServerRefusal}
 */
export async function usePushedRequest(
  context: ServerContext,
  request: Request,
  { parameters, subject }: {
    readonly parameters: URLSearchParams;
    readonly subject: AuthorizationSubject | undefined;
  },
): Promise<Interaction> {
  const reference = soleValue(parameters, "request_uri")?.slice(URI_PREFIX.length) ?? "";
  const [, id = "", secret = ""] = REFERENCE_REGEXP.exec(reference) ?? [];
  const found = id === "" ? null : await context.codes.find(id);
  const { authorization, version = "" } = found ?? {};
  const isOurs = (authorization?.state === "pushed" || authorization?.state === "pending") &&
    authorization.issuer === context.issuer &&
    authorization.clientId === soleValue(parameters, "client_id");
  if (!isOurs) throw refusePage("request_uri_unknown");
  if (authorization.state === "pending") return await resumeInteraction(context, request, id);
  const isInTime = context.now() < authorization.expiresAt;
  if (!isInTime || !equalText(await digestText(secret), authorization.uriHash)) {
    throw refusePage("request_uri_unknown", authorization.clientId);
  }
  // The client may have changed since
  const target = await findTargetOf(context, authorization);
  checkPermission(target, authorization.request.scope);
  const pushed = { id, version };
  return await beginInteraction(context, request, {
    target,
    asked: authorization.request,
    subject,
    pushed,
  });
}
