/**
 * The authorization server that every process of a race runs over the same stores, and requests to it.
 *
 * @module
 */

import { decodeBase64Url } from "../../auth/_base64url.ts";
import { deriveKeys } from "../../auth/derived_keys.ts";
import { publicJwk } from "../../auth/jwt/jwk.ts";
import { keyService } from "../../auth/keys/key_service.ts";
import {
  AuthorizationServer,
  handleOAuthServerRequest,
  staticClients,
} from "../../auth/server/mod.ts";
import { throttleService } from "../../auth/throttle/throttle_service.ts";
import type { AuthStores } from "../../auth/stores/types.ts";
import { RACE_TIME } from "./_races.ts";

export const ISSUER = "https://id.example";
export const CLIENT_ID = "shop";
/** A client whose users are not asked. */
export const OWN_ID = "own";
export const SIGNER_ID = "signer";
export const REDIRECT_URI = "https://shop.example/callback";
export const DEVICE_ID = "tv";
export const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
export const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** RFC 8037 Appendix A.1: the key of a client. */
export const KEY = {
  kty: "OKP",
  crv: "Ed25519",
  d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
};

/** A token request. @returns The tokens as JSON, or the error. */
export async function token(
  stores: AuthStores,
  fields: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const body = new URLSearchParams({ client_id: CLIENT_ID, ...fields }).toString();
  const headers = { ...FORM, ...more };
  const response = await send(stores, "/oauth/token", { method: "POST", headers, body });
  const answer = await response.json();
  return response.status === 200 ? JSON.stringify(answer) : `${response.status} ${answer.error}`;
}

/** Sends a request to the server. */
export async function send(stores: AuthStores, path: string, init: RequestInit): Promise<Response> {
  return await handleOAuthServerRequest(serverOver(stores), new Request(ISSUER + path, init));
}

const KEYS = deriveKeys("a secret that all of the processes share");

const SERVERS = new WeakMap<AuthStores, AuthorizationServer>();

/** Counts the logout tokens about a user that all processes have delivered, and this one. @returns How many there are now. */
export async function countDelivery({ states }: AuthStores, sub: string): Promise<number> {
  for (let count = 1;; count++) {
    const claim = await states.claim(`delivery ${count} about ${sub}`, RACE_TIME + 60);
    if (claim === "claimed") return count;
  }
}

/** The user of a logout token. */
function subjectIn(form: URLSearchParams): string {
  const [, payload = ""] = (form.get("logout_token") ?? "").split(".");
  return JSON.parse(new TextDecoder().decode(decodeBase64Url(payload))).sub;
}

/** A process has one server. */
export function serverOver(stores: AuthStores): AuthorizationServer {
  const server = SERVERS.get(stores) ?? createServer(stores);
  SERVERS.set(stores, server);
  return server;
}

function createServer(stores: AuthStores): AuthorizationServer {
  const now = () => RACE_TIME;
  return new AuthorizationServer({
    issuer: ISSUER,
    clients: staticClients([
      { clientId: CLIENT_ID, name: "Shop", redirectUris: [REDIRECT_URI] },
      {
        clientId: OWN_ID,
        name: "Own",
        redirectUris: [REDIRECT_URI],
        firstParty: true,
        backchannelLogoutUri: "https://shop.example/logout",
      },
      {
        clientId: DEVICE_ID,
        name: "TV",
        redirectUris: [],
        grants: [DEVICE_CODE, "refresh_token"],
      },
      {
        clientId: SIGNER_ID,
        name: "Signer",
        redirectUris: [REDIRECT_URI],
        jwks: { keys: [publicJwk(KEY)] },
      },
    ]),
    pushedRequests: true,
    codes: stores.authorizations,
    grants: ["authorization_code", "refresh_token", DEVICE_CODE],
    states: stores.states,
    throttle: throttleService({ store: stores.throttle, keys: KEYS, now }), // addresses are unknown here
    tokens: stores.refreshTokens,
    keyService: keyService({
      store: stores.keys,
      keys: KEYS,
      algorithms: ["ES256"],
      now,
    }),
    idTokenAlgorithm: "ES256",
    users: stores.users,
    dpop: true,
    authenticate(request) {
      const sub = request.headers.get("X-User");
      const subject = { securityStamp: "stamp", authTime: RACE_TIME, amr: ["pwd"] };
      return Promise.resolve(
        sub === null ? undefined : { sub, ...subject, sessionId: `session of ${sub}` },
      );
    },
    signOut: () => Promise.resolve([]),
    logout: {
      async fetch(_url, { body }) {
        await countDelivery(stores, subjectIn(new URLSearchParams(`${body}`)));
        return new Response(null, { status: 200 });
      },
    },
    now,
  });
}
