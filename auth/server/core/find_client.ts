/**
 * The client that a browser brings a request of.
 *
 * @module
 */

import { AuthError } from "../../error.ts";
import { isClientDisabled } from "../../stores/checked_server.ts";
import type { RegisteredClient } from "../../stores/server_types.ts";
import { isDocumentId, UNREACHABLE } from "../clients/documents.ts";
import type { ServerContext } from "./context.ts";
import { refusePage } from "./refusal.ts";

/** Finds the client, which is not disabled. @throws {ServerRefusal} A page. */
export async function findClient(
  { clients, hasDocuments }: Pick<ServerContext, "clients" | "hasDocuments">,
  clientId: string,
): Promise<RegisteredClient> {
  const client = await clients.find(clientId).catch((error) => {
    if (!(error instanceof AuthError) || error.reason !== UNREACHABLE) throw error;
    throw refusePage("client_document_unreachable");
  });
  if (client === null && hasDocuments && isDocumentId(clientId)) {
    throw refusePage("client_document_invalid");
  }
  if (client === null) throw refusePage("client_unknown");
  if (isClientDisabled(client)) throw refusePage("client_disabled", clientId);
  return client;
}
