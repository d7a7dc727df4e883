/** The device flow of our authorization server as openid-client and oauth4webapi use it, over the network of this machine. RFC 8628 */

import { assertEquals, assertRejects } from "@std/assert";
import { claimsOf } from "../auth/server/_site.ts";
import { type ServerSite, startServerSite } from "./_server_site.ts";
import { OAUTH4WEBAPI, OPENID_CLIENT } from "./versions.ts";

/** A device authorization response. */
interface DeviceResponse {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri_complete: string;
  readonly interval: number;
}

/** The tokens of a response. */
interface DeviceTokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

/** What of oauth4webapi is used. */
interface Oauth4webapi {
  readonly allowInsecureRequests: symbol;
  None(): unknown;
  discoveryRequest(issuer: URL, options: object): Promise<Response>;
  processDiscoveryResponse(issuer: URL, response: Response): Promise<object>;
  deviceAuthorizationRequest(
    server: object,
    client: object,
    authentication: unknown,
    parameters: Readonly<Record<string, string>>,
    options: object,
  ): Promise<Response>;
  processDeviceAuthorizationResponse(
    server: object,
    client: object,
    response: Response,
  ): Promise<DeviceResponse>;
  deviceCodeGrantRequest(
    server: object,
    client: object,
    authentication: unknown,
    deviceCode: string,
    options: object,
  ): Promise<Response>;
  processDeviceCodeResponse(
    server: object,
    client: object,
    response: Response,
  ): Promise<DeviceTokens>;
}

/** What of openid-client is used. */
interface OpenidClient {
  readonly allowInsecureRequests: unknown;
  readonly enableNonRepudiationChecks: unknown;
  None(): unknown;
  discovery(
    issuer: URL,
    id: string,
    data: unknown,
    how: unknown,
    options: object,
  ): Promise<object>;
  initiateDeviceAuthorization(
    configuration: object,
    parameters: Readonly<Record<string, string>>,
  ): Promise<DeviceResponse>;
  pollDeviceAuthorizationGrant(
    configuration: object,
    response: DeviceResponse,
  ): Promise<DeviceTokens>;
}

const OAUTH = await import(OAUTH4WEBAPI) as Oauth4webapi;
const OPENID = await import(OPENID_CLIENT) as OpenidClient;
const PARAMETERS = { scope: "openid offline_access notes:read" };

async function withOauth4webapi({ issuer }: ServerSite): Promise<{
  begin(): Promise<DeviceResponse>;
  poll(device: DeviceResponse): Promise<DeviceTokens>;
}> {
  const insecure = { [OAUTH.allowInsecureRequests]: true };
  const url = new URL(issuer);
  const server = await OAUTH.processDiscoveryResponse(
    url,
    await OAUTH.discoveryRequest(url, insecure),
  );
  const client = { client_id: "tv" };
  return {
    async begin() {
      const response = await OAUTH.deviceAuthorizationRequest(
        server,
        client,
        OAUTH.None(),
        PARAMETERS,
        insecure,
      );
      return await OAUTH.processDeviceAuthorizationResponse(server, client, response);
    },
    async poll({ device_code }) {
      const response = await OAUTH.deviceCodeGrantRequest(
        server,
        client,
        OAUTH.None(),
        device_code,
        insecure,
      );
      return await OAUTH.processDeviceCodeResponse(server, client, response);
    },
  };
}

Deno.test("AuthorizationServer connects a device of oauth4webapi, which waits and is not too fast, 8628-3.5", async () => {
  await using site = await startServerSite();
  const { begin, poll } = await withOauth4webapi(site);
  const device = await begin();
  const errorOf = async () => {
    const error = await assertRejects(() => poll(device));
    return (error as { readonly error?: string }).error;
  };
  assertEquals([await errorOf(), await errorOf()], ["authorization_pending", "slow_down"]);
  const title = await site.browser().connect(device.verification_uri_complete);
  assertEquals(title, "Device connected");
  const tokens = await poll(device);
  assertEquals(claimsOf(tokens.id_token)["sub"], site.sub);
  assertEquals(tokens.scope, PARAMETERS.scope);
  assertEquals((await site.server.listGrants(site.sub)).map(({ clientId }) => clientId), ["tv"]);
  assertEquals(await errorOf(), "invalid_grant");
  assertEquals(await site.server.listGrants(site.sub), []);
});

Deno.test("AuthorizationServer tells oauth4webapi that the user refused, 8628-3.5", async () => {
  await using site = await startServerSite();
  const { begin, poll } = await withOauth4webapi(site);
  const device = await begin();
  const title = await site.browser().connect(device.verification_uri_complete, "deny");
  assertEquals(title, "Access refused");
  const error = await assertRejects(() => poll(device));
  assertEquals((error as { readonly error?: string }).error, "access_denied");
});

Deno.test("AuthorizationServer connects a device of openid-client, which polls until the user decides, 8628-3.5", async () => {
  await using site = await startServerSite();
  const configuration = await OPENID.discovery(
    new URL(site.issuer),
    "tv",
    undefined,
    OPENID.None(),
    { execute: [OPENID.allowInsecureRequests, OPENID.enableNonRepudiationChecks] },
  );
  const device = await OPENID.initiateDeviceAuthorization(configuration, PARAMETERS);
  assertEquals(device.interval, 5);
  const polled = OPENID.pollDeviceAuthorizationGrant(configuration, device);
  // The first poll finds that the user has not decided
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  await site.browser().connect(device.verification_uri_complete);
  const tokens = await polled;
  assertEquals(claimsOf(tokens.id_token)["sub"], site.sub);
  assertEquals(typeof tokens.refresh_token, "string");
});
