/**
 * A site with devices: their requests, and what their users do in a browser.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { inMemoryAuthStores } from "../../../auth/mod.ts";
import type {
  AuthorizationServerOptions,
  ClientInit,
  GrantType,
} from "../../../auth/server/mod.ts";
import type { TestBrowser } from "../http/_app.ts";
import { type RecordedCodes, recordedCodes } from "./_authorize.ts";
import {
  basic,
  CLIENTS,
  type FormChanges,
  formOf,
  ISSUER,
  type Params,
  SECRET,
  type ServerSite,
  serverSite,
  type SiteOptions,
} from "./_site.ts";

export const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
export const GRANTS: readonly GrantType[] = ["authorization_code", "refresh_token", DEVICE_CODE];

/** Clients on devices. */
export const DEVICE_CLIENTS: readonly ClientInit[] = [
  ...CLIENTS,
  {
    clientId: "tv",
    name: "Notes on television",
    type: "native",
    redirectUris: [],
    grants: [DEVICE_CODE, "refresh_token"],
  },
  { clientId: "box", name: "Box", redirectUris: [], secret: SECRET, grants: [DEVICE_CODE] },
  {
    clientId: "kiosk",
    name: "Our kiosk",
    redirectUris: [],
    secret: SECRET,
    firstParty: true,
    scope: ["notes:read"],
    grants: [DEVICE_CODE],
  },
  { clientId: "both", name: "Both", redirectUris: ["https://app.example/cb"], grants: GRANTS },
];

/** A device authorization response, RFC 8628 §3.2. */
export interface DeviceCodes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

export interface DeviceSite extends ServerSite {
  readonly codes: RecordedCodes;
  /** Sends a device authorization request. */
  begin(params?: Params): Promise<Response>;
  /** The codes of a device. */
  device(params?: Params): Promise<DeviceCodes>;
  /** Polls. */
  poll(device: DeviceCodes, changes?: Params): Promise<Response>;
  /** Enters a user code in a browser. */
  enter(
    browser: TestBrowser,
    userCode: string,
    headers?: FormChanges["headers"],
  ): Promise<Response>;
  /** Enters a user code, and shows the page that asks for consent. */
  page(browser: TestBrowser, userCode: string): Promise<string>;
  /** Enters a user code and decides. */
  answer(browser: TestBrowser, userCode: string, changes?: FormChanges): Promise<Response>;
}

export function deviceSite(
  { server, ...given }: SiteOptions = {},
): DeviceSite {
  const clock = { now: () => 0 };
  const codes = recordedCodes();
  const options: Partial<AuthorizationServerOptions> = {
    grants: GRANTS,
    codes: codes.store,
    states: inMemoryAuthStores({ now: () => clock.now() }).states,
    ...server,
  };
  const site = serverSite({ clients: DEVICE_CLIENTS, ...given, server: options });
  clock.now = () => site.app.clock.now;

  const begin: DeviceSite["begin"] = async (params = {}) => {
    const { form, headers } = credentials(params["client_id"] ?? "tv");
    return await site.send("/oauth/device_authorization", {
      method: "POST",
      headers,
      body: new URLSearchParams(
        defined({ scope: "openid notes:read", ...params, ...form }),
      ),
    });
  };
  const enter: DeviceSite["enter"] = async (browser, userCode, headers = {}) =>
    await browser.send("/oauth/device", {
      method: "POST",
      body: new URLSearchParams({ user_code: userCode }).toString(),
      headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
    });
  const page: DeviceSite["page"] = async (browser, userCode) => {
    const entered = await enter(browser, userCode);
    assertEquals(entered.status, 303);
    const shown = await browser.send(entered.headers.get("Location") ?? "");
    assertEquals(shown.status, 200);
    return await shown.text();
  };
  return {
    ...site,
    codes,
    begin,
    enter,
    page,
    async device(params) {
      const response = await begin(params);
      const body = await response.json();
      assertEquals([response.status, body.error], [200, undefined]);
      return body;
    },
    async poll({ device_code }, changes = {}) {
      const { form, headers } = credentials(changes["client_id"] ?? "tv");
      return await site.token(
        { grant_type: DEVICE_CODE, device_code, ...changes, ...form },
        headers,
      );
    },
    answer: async (browser, userCode, changes) =>
      await site.decide(browser, await page(browser, userCode), changes),
  };
}

function credentials(
  clientId: string,
): { readonly form: Params; readonly headers: Record<string, string> } {
  const hasSecret = clientId === "box" || clientId === "kiosk" || clientId === "web";
  return hasSecret
    ? { form: { client_id: undefined }, headers: { ...basic(clientId, SECRET) } }
    : { form: { client_id: clientId }, headers: {} };
}

function defined(params: Params): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** What a page of the device flow is: `code`, `unknown code`, `consent`, `allowed`, `denied`, a redirect, or an error page. */
export async function pageOf(response: Response): Promise<string> {
  const { status, headers } = response;
  assertEquals(headers.get("Cache-Control"), "no-store");
  assertEquals([...headers.keys()].filter((name) => name.startsWith("access-control")), []);
  const location = headers.get("Location");
  if (location !== null) {
    const { pathname, searchParams } = new URL(location, ISSUER);
    assert(location.startsWith("/"), "nothing of the device flow leads to another site");
    return pathname === "/sign-in" ? `sign-in: ${searchParams.get("next")}` : pathname;
  }
  const text = await response.clone().text();
  const reason = /<code>(\w+)<\/code>/.exec(text)?.[1];
  if (reason !== undefined) return `${status} ${reason}`;
  const heading = /<h1>([^<]*)<\/h1>/.exec(text)?.[1];
  const { fields } = formOf(text);
  if ("token" in fields) return "consent";
  if ("user_code" in fields) return status === 200 ? "code" : `${status} code`;
  return heading ?? "";
}
