/**
 * Requests that clients send themselves: with a form, and authenticated.
 *
 * @module
 */

import type { RegisteredClient } from "../../stores/server_types.ts";
import { authenticateClient } from "../clients/authentication.ts";
import type { Exchange, ServerContext } from "./context.ts";
import { readClientForm } from "./parameters.ts";
import { refuseToken, ServerRefusal } from "./refusal.ts";

/** A request of a client. */
export interface ClientRequest {
  /** The client; a public one is not authenticated. */
  readonly client: RegisteredClient;
  /** The fields of its body. */
  readonly form: ReadonlyMap<string, string>;
  /** The HTTP request, whose body was read. */
  readonly request: Request;
  /** Thumbprint of the key that the client has shown, RFC 9449 §5: tokens are bound to it. */
  readonly jkt?: string | undefined;
}

/** Authenticates the client of a request, and counts refusals. */
export async function asClient<Result>(
  context: ServerContext,
  { request, address }: Exchange,
  work: (request: ClientRequest) => Promise<Result>,
): Promise<Result> {
  const attempt = await context.throttle?.token({ address });
  try {
    const form = await readClientForm(request);
    const authorization = request.headers.get("Authorization");
    const outcome = await authenticateClient(context, { authorization, form });
    if (outcome.kind === "refused") {
      throw refuseToken(outcome.reason, { isBasic: outcome.basic });
    }
    return await work({ client: outcome.client, form, request });
  } catch (error) {
    if (error instanceof ServerRefusal && error.failure.kind !== "waiting") await attempt?.fail();
    throw error;
  }
}
