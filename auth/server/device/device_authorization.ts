/**
 * The device authorization endpoint, RFC 8628 §3.1 and §3.2.
 *
 * @module
 */

import { digestText } from "../../_kdf.ts";
import { randomToken } from "../../_random.ts";
import type { RegisteredClient } from "../../stores/server_types.ts";
import { DEVICE_CODE, mayUseGrant, POLL_INTERVAL } from "../clients/grant_types.ts";
import { asClient } from "../core/client_request.ts";
import type { Exchange, ServerContext } from "../core/context.ts";
import { refuseToken } from "../core/refusal.ts";
import { requestedAccess } from "../core/resources.ts";
import { mayHaveScope } from "../core/scopes.ts";
import { randomUserCode, showUserCode, userCodeId } from "./user_code.ts";

/** A device authorization response, RFC 8628 §3.2. */
export interface DeviceAuthorizationResponse {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** Path of the user's page, below the issuer. */
export const DEVICE_PATH = "/oauth/device";

/** Answers a device authorization request. @throws {ServerRefusal} */
export async function authorizeDevice(
  context: ServerContext,
  exchange: Exchange,
): Promise<DeviceAuthorizationResponse> {
  return await asClient(context, exchange, async ({ client, form }) => {
    const { clientId } = client;
    if (!mayUseGrant(context, client, DEVICE_CODE)) {
      throw refuseToken("grant_type_not_allowed", { clientId });
    }
    const access = requestedAccess(context, client, {
      scope: form.get("scope"),
      resources: (form.get("resource") ?? "").split(" "),
    });
    if (access === "invalid_target") throw refuseToken("resource_refused", { clientId });
    if (access === "invalid_scope" || !access.scope.every((name) => mayHaveScope(client, name))) {
      throw refuseToken("scope_too_wide", { clientId });
    }
    await context.throttle?.challenge({ address: exchange.address });
    const create = () => createDeviceCode(context, client, access);
    return await create().catch(create); // a user code that is taken: the next one is not
  });
}

async function createDeviceCode(
  { issuer, codes, lifetimes, now }: ServerContext,
  { clientId }: RegisteredClient,
  { scope, resources }: {
    readonly scope: readonly string[];
    readonly resources: readonly string[];
  },
): Promise<DeviceAuthorizationResponse> {
  const [letters, secret] = [randomUserCode(), randomToken()];
  const id = await userCodeId(issuer, letters);
  const at = now();
  await codes.create({
    state: "device_pending",
    id,
    issuer,
    clientId,
    request: { scope, ...(resources.length === 0 ? {} : { resources }) },
    codeHash: await digestText(secret),
    createdAt: at,
    expiresAt: at + lifetimes.deviceCode,
  });
  const userCode = showUserCode(letters);
  return {
    device_code: `${id}.${secret}`,
    user_code: userCode,
    verification_uri: issuer + DEVICE_PATH,
    verification_uri_complete: `${issuer}${DEVICE_PATH}?user_code=${userCode}`,
    expires_in: lifetimes.deviceCode,
    interval: POLL_INTERVAL,
  };
}
