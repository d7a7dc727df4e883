/**
 * Races at an authorization server that every process runs over the same stores. Each one is a request, made concurrently, and what
 * it gets.
 *
 * @module
 */

import { generateJwk, publicJwk } from "../../auth/jwt/jwk.ts";
import { signJws } from "../../auth/jwt/jws.ts";
import { signJwt } from "../../auth/jwt/jwt.ts";
import type { AuthStores } from "../../auth/stores/types.ts";
import {
  CLIENT_ID,
  DEVICE_CODE,
  DEVICE_ID,
  FORM,
  ISSUER,
  KEY,
  OWN_ID,
  REDIRECT_URI,
  send,
  serverOver,
  SIGNER_ID,
  token,
} from "./_race_server.ts";
import { RACE_TIME, type Racer, userOf } from "./_races.ts";

/** Name of a race. */
export type ServerRace =
  | "exchangeCode"
  | "refresh"
  | "prove"
  | "consent"
  | "decide"
  | "enterUserCode"
  | "pollDevice"
  | "exchangeDeviceCode"
  | "usePushed"
  | "assertion"
  | "endSession";

/** What `consent` and `decide` submit: a form, and the browser that it was shown in. */
export interface ShownForm {
  readonly cookie: string;
  readonly fields: Readonly<Record<string, string>>;
}

const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"; // RFC 7636 Appendix B
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const DEVICE_PATH = "/oauth/device";

/** The races by their names; the racers' `version` is a code, a refresh token, a DPoP proof, a client assertion, or a form. */
export const SERVER_RACES: { readonly [R in ServerRace]: (racer: Racer) => Promise<string> } = {
  exchangeCode: ({ stores, version }) => exchangeCode(stores, version),
  refresh: ({ stores, version }) => refresh(stores, version),
  prove: ({ stores, version }) => prove(stores, version),
  consent: ({ stores, prize, version }) =>
    decide(stores, { sub: prize, form: JSON.parse(version), decision: "allow" }),
  decide: ({ stores, racer, prize, version }) => {
    const decision = Number(racer) % 2 === 0 ? "allow" : "deny";
    return decide(stores, { sub: prize, form: JSON.parse(version), decision });
  },
  usePushed: ({ stores, prize, version }) => usePushed(stores, prize, version),
  enterUserCode: ({ stores, version }) => enterUserCode(stores, version),
  pollDevice: ({ stores, version }) => exchangeDeviceCode(stores, version),
  exchangeDeviceCode: ({ stores, version }) => exchangeDeviceCode(stores, version),
  assertion: ({ stores, version }) => useAssertion(stores, version),
  async endSession({ stores, prize }) {
    await serverOver(stores).endSession(prize, `session of ${prize}`);
    return "ended";
  },
};

/** The codes of a device. */
export interface DeviceCodes {
  readonly device_code: string;
  readonly user_code: string;
}

/** Begins the authorization of a device, RFC 8628 §3.1. */
export async function beginDevice(stores: AuthStores): Promise<DeviceCodes> {
  const body = new URLSearchParams({ client_id: DEVICE_ID, scope: "openid" }).toString();
  const init = { method: "POST", headers: FORM, body };
  return await (await send(stores, "/oauth/device_authorization", init)).json();
}

/** Enters a user code in a browser of its own. @returns The cookie of the browser, or the status of the page. */
export async function enterUserCode(stores: AuthStores, userCode: string): Promise<string> {
  const response = await send(stores, DEVICE_PATH, {
    method: "POST",
    headers: { ...FORM, "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams({ user_code: userCode }).toString(),
  });
  await response.body?.cancel();
  const [cookie = ""] = (response.headers.get("Set-Cookie") ?? "").split(";");
  return response.status === 303 ? cookie : `${response.status}`;
}

/** Creates a user who enters the code of a device and allows it. @returns The device code. */
export async function allowDevice(stores: AuthStores, sub: string): Promise<string> {
  await stores.users.create(userOf(sub, `identifier of ${sub}`));
  const { device_code, user_code } = await beginDevice(stores);
  const Cookie = await enterUserCode(stores, user_code);
  const headers = { ...FORM, "X-User": sub, Cookie, "Sec-Fetch-Site": "same-origin" };
  const page = await send(stores, `${DEVICE_PATH}?user_code=${user_code}`, { headers });
  const fields = fieldsOf(await page.text());
  const body = new URLSearchParams({ ...fields, decision: "allow" }).toString();
  await (await send(stores, DEVICE_PATH, { method: "POST", headers, body })).body?.cancel();
  return device_code;
}

/** Polls. @returns The tokens as JSON, or the error. */
export async function exchangeDeviceCode(stores: AuthStores, deviceCode: string): Promise<string> {
  return await token(stores, {
    grant_type: DEVICE_CODE,
    device_code: deviceCode,
    client_id: DEVICE_ID,
  });
}

const REQUEST = {
  response_type: "code",
  client_id: CLIENT_ID,
  redirect_uri: REDIRECT_URI,
  scope: "openid",
  code_challenge: CHALLENGE,
  code_challenge_method: "S256",
} as const;

/** Creates a user, and pushes a request of a client that needs no consent. @returns Its reference. */
export async function push(stores: AuthStores, sub: string): Promise<string> {
  await stores.users.create(userOf(sub, `identifier of ${sub}`));
  const body = new URLSearchParams({ ...REQUEST, client_id: OWN_ID }).toString();
  const response = await send(stores, "/oauth/par", { method: "POST", headers: FORM, body });
  return (await response.json()).request_uri;
}

/** Sends a browser of a user with the reference of a pushed request. @returns `code`, or the status and reason of a page. */
export async function usePushed(
  stores: AuthStores,
  sub: string,
  request_uri: string,
): Promise<string> {
  const query = new URLSearchParams({ client_id: OWN_ID, request_uri });
  const init = { headers: { "X-User": sub } };
  return await answerOf(await send(stores, `/oauth/authorize?${query}`, init));
}

/** An assertion of a client, RFC 7523 §3. */
export async function signAssertion(jti: string): Promise<string> {
  const claims = { iss: SIGNER_ID, sub: SIGNER_ID, aud: ISSUER, jti };
  return await signJwt(claims, {
    algorithms: ["Ed25519"],
    key: KEY,
    expiresIn: 60,
    now: () => RACE_TIME,
  });
}

/** Authenticates by an assertion, to revoke a token that is none. @returns `authenticated`, or the error. */
export async function useAssertion(stores: AuthStores, assertion: string): Promise<string> {
  const body = new URLSearchParams({
    token: "x",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  });
  const init = { method: "POST", headers: FORM, body: body.toString() };
  const response = await send(stores, "/oauth/revoke", init);
  const { error } = await response.json();
  return response.status === 200 ? "authenticated" : `${response.status} ${error}`;
}

/** Creates a user, and shows it the consent page of a request. */
export async function showForm(stores: AuthStores, sub: string): Promise<ShownForm> {
  await stores.users.create(userOf(sub, `identifier of ${sub}`));
  const query = new URLSearchParams(REQUEST);
  const response = await send(stores, `/oauth/authorize?${query}`, { headers: { "X-User": sub } });
  const fields = fieldsOf(await response.text());
  const [cookie = ""] = (response.headers.get("Set-Cookie") ?? "").split(";");
  return { cookie, fields };
}

function fieldsOf(page: string): Readonly<Record<string, string>> {
  const fields = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
    .map(([, name = "", value = ""]) => [name, value] as const);
  return Object.fromEntries(fields);
}

/** Submits a form. @returns `code` and the code, the error that the client gets, or the status and reason of an error page. */
export async function decide(
  stores: AuthStores,
  { sub, form: { cookie, fields }, decision }: {
    readonly sub: string;
    readonly form: ShownForm;
    readonly decision: "allow" | "deny";
  },
): Promise<string> {
  const response = await send(stores, "/oauth/authorize", {
    method: "POST",
    headers: { ...FORM, "X-User": sub, Cookie: cookie, "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams({ ...fields, decision }).toString(),
  });
  return await answerOf(response);
}

async function answerOf(response: Response): Promise<string> {
  const location = response.headers.get("Location");
  if (location === null) {
    return `${response.status} ${/<code>(\w+)<\/code>/.exec(await response.text())?.[1]}`;
  }
  const { searchParams } = new URL(location);
  return searchParams.get("error") ?? `code ${searchParams.get("code")}`;
}

/** Exchanges a code. @returns The tokens as JSON, or the error. */
export async function exchangeCode(
  stores: AuthStores,
  code: string,
  client_id: string = CLIENT_ID,
): Promise<string> {
  return await token(stores, {
    client_id,
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  });
}

/** Exchanges a refresh token. @returns The tokens as JSON, or the error. */
export async function refresh(stores: AuthStores, refreshToken: string): Promise<string> {
  return await token(stores, { grant_type: "refresh_token", refresh_token: refreshToken });
}

/** A proof for the token endpoint. */
export async function proofOf(jti: string): Promise<string> {
  const key = await generateJwk("ES256");
  const { kid: _, alg: __, ...jwk } = publicJwk(key);
  const claims = { jti, htm: "POST", htu: `${ISSUER}/oauth/token`, iat: RACE_TIME };
  const header = { typ: "dpop+jwt", jwk };
  return await signJws(JSON.stringify(claims), { algorithms: ["ES256"], key, header });
}

/** Refreshes with a proof, and a token that does not exist. @returns The error. */
async function prove(stores: AuthStores, proof: string): Promise<string> {
  const fields = { grant_type: "refresh_token", refresh_token: "none" };
  return await token(stores, fields, { DPoP: proof });
}

/** Status of UserInfo for an access token. */
export async function userinfoStatus(stores: AuthStores, accessToken: string): Promise<number> {
  const headers = { Authorization: `Bearer ${accessToken}` };
  const response = await send(stores, "/oauth/userinfo", { headers });
  await response.body?.cancel();
  return response.status;
}

/** Number of a user's valid grants. */
export async function countGrants(stores: AuthStores, sub: string): Promise<number> {
  return (await serverOver(stores).listGrants(sub)).length;
}
