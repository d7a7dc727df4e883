/**
 * Where clients come from: the application, documents that they publish, and their own registration.
 *
 * @module
 */

import { checkedClients } from "../stores/checked_server.ts";
import type { ProfileLimits } from "./_profile.ts";
import type { ServerContext } from "./core/context.ts";
import { clientAssertions } from "./clients/assertions.ts";
import { authenticationMethods } from "./clients/authentication.ts";
import { clientDocuments } from "./clients/documents.ts";
import { staticClientsIn } from "./clients/manage.ts";
import { clientRegistration } from "./clients/registration.ts";
import { usesSecret } from "./clients/authentication.ts";
import type { AuthorizationServerOptions } from "./core/types.ts";

/** Reads the options about clients. @throws {TypeError | RangeError} If one is of a wrong shape. */
export function readClientSources(
  action: string,
  options: AuthorizationServerOptions,
  { now, warn, limits }: Pick<ServerContext, "now" | "warn"> & { readonly limits: ProfileLimits },
): Pick<
  ServerContext,
  "clients" | "assertions" | "allowedMethods" | "hasDocuments" | "registration"
> {
  const { clientIdMetadata = false, registration, throttle } = options;
  const { issuer, states, insecureLoopback = false } = options;
  const fromDocuments = clientIdMetadata === true || clientIdMetadata === false
    ? {}
    : clientIdMetadata;
  const { fetch = fromDocuments.fetch } = options;
  const stored = checkedClients(options.clients);
  const { allowedMethods, assertionAlgorithms: algorithms } = limits;
  const assertions = states &&
    clientAssertions({ issuer, states, algorithms, fetch, insecureLoopback, now, warn });
  const methods = authenticationMethods({ clients: stored, assertions, allowedMethods });
  const documents = clientIdMetadata === false ? undefined : clientDocuments(fromDocuments, {
    now,
    action,
    fetch,
    methods: methods.filter((method) => !usesSecret(method)),
  });
  const unsupported = staticClientsIn(options.clients)
    .find(({ authentication }) => !methods.includes(authentication));
  if (unsupported !== undefined) {
    const { authentication } = unsupported;
    throw new TypeError(
      allowedMethods === undefined
        ? `${action}: clients with ${authentication} need the option states`
        : `${action}: the profile does not allow clients with ${authentication}`,
    );
  }
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
    assertions,
    allowedMethods,
    hasDocuments: documents !== undefined,
    registration: registration &&
      clientRegistration(registration, { action, clients: options.clients, now, methods }),
  };
}
