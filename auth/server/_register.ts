/**
 * The registration endpoint, RFC 7591 §3.
 *
 * @module
 */

import { readBearer } from "../tokens/bearer_strategy.ts";
import type { Exchange, ServerContext } from "./core/context.ts";
import { privateJson } from "./core/responses.ts";
import type { MetadataFailure } from "./clients/metadata.ts";
import {
  readMetadataBody,
  type Registration,
  registrationResponse,
} from "./clients/registration.ts";

/** Registers the client that asks for it. */
export async function registerClientOf(
  context: ServerContext,
  { request, address }: Exchange,
): Promise<Response> {
  const { registration, emit, scopes } = context;
  if (registration === undefined) throw new TypeError("Cannot register client: it is not enabled");

  // 1. Who may register
  const isAllowed = await mayRegister(context, registration, { request, address });
  if (!isAllowed) {
    emit("client.refused", { reason: "initial_access_token_wrong", address });
    return unauthorized(context, request);
  }

  // 2. The metadata
  const metadata = await readMetadataBody(request);
  const outcome: Awaited<ReturnType<Registration["register"]>> = metadata === undefined
    ? NOT_JSON
    : await registration.register(metadata);
  if ("error" in outcome) {
    const { error, description } = outcome;
    emit("client.refused", { reason: error, address });
    return privateJson({ error, error_description: description }, { status: 400 });
  }

  // 3. What was registered, which may be less than was asked for
  emit("client.registered", { clientId: outcome.client.clientId, address });
  return privateJson(registrationResponse(outcome, [...scopes.keys()]), { status: 201 });
}

const NOT_JSON: MetadataFailure = {
  error: "invalid_client_metadata",
  description: "the body must be a JSON object of at most 16 KiB, as application/json",
};

/** Counts what everybody may do, and wrong tokens. @throws {AuthError} `throttled` */
async function mayRegister(
  { throttle }: ServerContext,
  { isOpen, isAllowed }: Registration,
  { request, address }: Exchange,
): Promise<boolean> {
  if (isOpen) {
    await throttle?.registration?.({ address });
    return true;
  }
  const attempt = await throttle?.token({ address });
  const presented = readBearer(request.headers.get("Authorization"))?.token ?? "";
  if (await isAllowed(presented)) return true;
  await attempt?.fail();
  return false;
}

/** RFC 6750 §3: no error without a credential. */
function unauthorized({ issuer }: ServerContext, { headers }: Request): Response {
  const error = headers.has("Authorization") ? ', error="invalid_token"' : "";
  const challenge = `Bearer realm="${issuer}"${error}`;
  return privateJson({ error: "invalid_token" }, {
    status: 401,
    headers: { "WWW-Authenticate": challenge },
  });
}
