/**
 * Where clients come from: the application, documents that they publish, and their own registration.
 *
 * @module
 */

import { checkedClients } from "../stores/checked_server.ts";
import type { ServerContext } from "./core/context.ts";
import { clientDocuments } from "./clients/documents.ts";
import { clientRegistration } from "./clients/registration.ts";
import type { AuthorizationServerOptions } from "./core/types.ts";

/** Reads the options about clients. @throws {TypeError | RangeError} If one is of a wrong shape. */
export function readClientSources(
  action: string,
  options: AuthorizationServerOptions,
  now: () => number,
): Pick<ServerContext, "clients" | "hasDocuments" | "registration"> {
  const { clientIdMetadata = false, registration, throttle } = options;
  const stored = checkedClients(options.clients);
  const documents = clientIdMetadata === false
    ? undefined
    : clientDocuments(clientIdMetadata === true ? {} : clientIdMetadata, { now, action });
  if (registration?.insecureOpen !== undefined && typeof throttle?.registration !== "function") {
    throw new TypeError(`${action}: registration by everybody needs the option throttle`);
  }
  return {
    clients: {
      async find(clientId) {
        const client = await stored.find(clientId);
        // Compared here too: a store may keep it for longer, and `null` for an absent time
        if (client !== null) return now() < (client.expiresAt ?? Infinity) ? client : null;
        return await documents?.find(clientId) ?? null;
      },
    },
    hasDocuments: documents !== undefined,
    registration: registration &&
      clientRegistration(registration, { action, clients: options.clients, now }),
  };
}
