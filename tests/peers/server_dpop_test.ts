/** DPoP of openid-client, oauth4webapi and jose at our authorization server and at an API, over the network of this machine. */

import { assert, assertEquals } from "@std/assert";
import { dpopTokenStrategy } from "../../auth/tokens/dpop_strategy.ts";
import {
  createRouter,
  deriveKeys,
  generateSecret,
  inMemoryAuthStores,
  json,
  jwkThumbprint,
  remoteJwks,
  resourceServer,
  withAuthRoutes,
} from "../../mod.ts";
import { claimsOf } from "../auth/server/_site.ts";
import { fetchWhole } from "./_openid_client.ts";
import { API, REDIRECT_URI, type ServerSite, startServerSite } from "./_server_site.ts";
import { JOSE, OAUTH4WEBAPI, OPENID_CLIENT } from "./versions.ts";

/** Functions of a peer, which nothing imports by a literal specifier, so that their types are not there. */
// deno-lint-ignore no-explicit-any
type Peer = Readonly<Record<string, any>>;

const OPENID: Peer = await import(OPENID_CLIENT);
const OAUTH: Peer = await import(OAUTH4WEBAPI);
const JOSE_LIBRARY: Peer = await import(JOSE);

/** Tokens of a client, and what it does with them. */
interface BoundClient {
  readonly accessToken: string;
  readonly tokenType: string;
  userinfo(): Promise<{ readonly sub: string }>;
  refresh(): Promise<string>;
  /** Calls an API. */
  call(url: URL): Promise<Response>;
}

type Connect = (site: ServerSite, alg: string) => Promise<BoundClient>;

const withOpenidClient: Connect = async (site, alg) => {
  const { issuer, sub } = site;
  const execute = [OPENID["allowInsecureRequests"]];
  const configuration = await OPENID["discovery"](
    new URL(issuer),
    "spa",
    undefined,
    OPENID["None"](),
    { execute, [OPENID["customFetch"]]: fetchWhole },
  );
  const DPoP = OPENID["getDPoPHandle"](configuration, await OPENID["randomDPoPKeyPair"](alg));
  const pkceCodeVerifier = OPENID["randomPKCECodeVerifier"]();
  const expectedState = OPENID["randomState"]();
  const expectedNonce = OPENID["randomNonce"]();
  const url = OPENID["buildAuthorizationUrl"](configuration, {
    redirect_uri: REDIRECT_URI,
    scope: "openid notes:read",
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await OPENID["calculatePKCECodeChallenge"](pkceCodeVerifier),
    code_challenge_method: "S256",
    dpop_jkt: await DPoP.calculateThumbprint(),
  });
  const checks = { pkceCodeVerifier, expectedState, expectedNonce };
  const response = await site.browser().visit(url);
  const tokens = await OPENID["authorizationCodeGrant"](
    configuration,
    response,
    checks,
    undefined,
    { DPoP },
  );
  const { access_token: accessToken, token_type: tokenType, refresh_token } = tokens;
  return {
    accessToken,
    tokenType,
    userinfo: () => OPENID["fetchUserInfo"](configuration, accessToken, sub, { DPoP }),
    async refresh() {
      const next = await OPENID["refreshTokenGrant"](configuration, refresh_token, {}, { DPoP });
      return next.access_token;
    },
    call: (url) =>
      OPENID["fetchProtectedResource"](
        configuration,
        accessToken,
        url,
        "GET",
        undefined,
        undefined,
        { DPoP },
      ),
  };
};

const withOauth4webapi: Connect = async (site, alg) => {
  const insecure = {
    [OAUTH["allowInsecureRequests"]]: true,
    [OAUTH["customFetch"]]: fetchWhole,
  };
  const issuer = new URL(site.issuer);
  const server = await OAUTH["processDiscoveryResponse"](
    issuer,
    await OAUTH["discoveryRequest"](issuer, insecure),
  );
  const client = { client_id: "spa" };
  const DPoP = OAUTH["DPoP"](client, await OAUTH["generateKeyPair"](alg));
  const options = { ...insecure, DPoP };
  const verifier = OAUTH["generateRandomCodeVerifier"]();
  const [state, nonce] = [OAUTH["generateRandomState"](), OAUTH["generateRandomNonce"]()];
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    client_id: "spa",
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: "openid notes:read",
    state,
    nonce,
    code_challenge: await OAUTH["calculatePKCECodeChallenge"](verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const visited = await site.browser().visit(url);
  const response = OAUTH["validateAuthResponse"](server, client, visited.searchParams, state);

  /** Sends a request, again if the server has told a nonce. */
  async function withNonce<Result>(send: () => Promise<Result>): Promise<Result> {
    try {
      return await send();
    } catch (error) {
      if (!OAUTH["isDPoPNonceError"](error)) throw error;
      return await send();
    }
  }
  const tokens = await withNonce(async () =>
    await OAUTH["processAuthorizationCodeResponse"](
      server,
      client,
      await OAUTH["authorizationCodeGrantRequest"](
        server,
        client,
        OAUTH["None"](),
        response,
        REDIRECT_URI,
        verifier,
        options,
      ),
      { expectedNonce: nonce },
    )
  );
  const { access_token: accessToken, token_type: tokenType, refresh_token } = tokens;
  return {
    accessToken,
    tokenType,
    userinfo: () =>
      withNonce(async () =>
        await OAUTH["processUserInfoResponse"](
          server,
          client,
          site.sub,
          await OAUTH["userInfoRequest"](server, client, accessToken, options),
        )
      ),
    refresh: () =>
      withNonce(async () => {
        const answer = await OAUTH["refreshTokenGrantRequest"](
          server,
          client,
          OAUTH["None"](),
          refresh_token,
          options,
        );
        return (await OAUTH["processRefreshTokenResponse"](server, client, answer)).access_token;
      }),
    call: (url) =>
      withNonce(() =>
        OAUTH["protectedResourceRequest"](accessToken, "GET", url, undefined, undefined, options)
      ),
  };
};

/** An API of the server's clients on a port of its own. */
function startApi({ issuer }: ServerSite, keys: ReturnType<typeof deriveKeys> | undefined) {
  const { states } = inMemoryAuthStores();
  let handler: Deno.ServeHandler = () => new Response(null, { status: 503 });
  const http = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request, info) => handler(request, info),
  );
  const origin = `http://127.0.0.1:${http.addr.port}`;
  const jwks = remoteJwks(`${issuer}/.well-known/jwks.json`, { insecureLoopback: true });
  const strategy = dpopTokenStrategy({
    algorithms: ["ES256"],
    keys: jwks,
    issuer,
    audience: API,
    baseUrl: origin,
    insecureLoopback: true,
    states,
    nonceKeys: keys,
  });
  const runtime = resourceServer({ strategies: [strategy], deployment: "direct" });
  const router = withAuthRoutes(createRouter(), { runtime })
    .get("/notes", (req) => json(req.principal.sub), { scope: ["notes:read"] });
  handler = (request) => router.fetch(request);
  return {
    url: new URL("/notes?page=2", origin),
    [Symbol.asyncDispose]: () => http.shutdown(),
  };
}

const PEERS = [["openid-client", withOpenidClient], ["oauth4webapi", withOauth4webapi]] as const;

for (const [peer, connect] of PEERS) {
  for (
    const [alg, hasNonces] of [["ES256", false], ["ES256", true], ["Ed25519", true], [
      "PS256",
      false,
    ]] as const
  ) {
    const nonces = hasNonces ? "with nonces" : "without nonces";
    Deno.test(`AuthorizationServer and dpopTokenStrategy() accept DPoP of ${peer} by ${alg}, ${nonces}, 9449-5, 9449-7, 9449-8`, async () => {
      const keys = hasNonces ? deriveKeys(generateSecret()) : undefined;
      const { states } = inMemoryAuthStores();
      await using site = await startServerSite({
        server: { states, dpop: keys === undefined ? true : { nonceKeys: keys } },
      });
      await using api = startApi(site, keys);
      const client = await connect(site, alg);
      assertEquals(client.tokenType.toLowerCase(), "dpop");
      assert("jkt" in (claimsOf(client.accessToken)["cnf"] as object));
      assertEquals((await client.userinfo()).sub, site.sub);
      const response = await client.call(api.url);
      assertEquals([response.status, await response.json()], [200, site.sub]);
      const next = await client.refresh();
      assertEquals(claimsOf(next)["cnf"], claimsOf(client.accessToken)["cnf"]);

      const headers = { Authorization: `Bearer ${client.accessToken}` };
      const stolen = await fetch(api.url, { headers });
      await stolen.body?.cancel();
      assertEquals(stolen.status, 401);
    });
  }
}

Deno.test("AuthorizationServer accepts proofs that jose signs, and dpopTokenStrategy() its thumbprint", async () => {
  const { states } = inMemoryAuthStores();
  await using site = await startServerSite({ server: { states, dpop: true } });
  await using api = startApi(site, undefined);
  const { accessToken } = await withOauth4webapi(site, "ES256");
  const { publicKey, privateKey } = await JOSE_LIBRARY["generateKeyPair"]("ES256");
  const jwk = await JOSE_LIBRARY["exportJWK"](publicKey);
  const prove = async (htm: string, htu: string, claims: object = {}): Promise<string> =>
    await new JOSE_LIBRARY["SignJWT"]({ htm, htu, jti: crypto.randomUUID(), ...claims })
      .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk }).setIssuedAt().sign(privateKey);

  const endpoint = `${site.issuer}/oauth/token`;
  const body = new URLSearchParams({ grant_type: "refresh_token", client_id: "spa" });
  const headers = { DPoP: await prove("POST", endpoint) };
  const response = await fetch(endpoint, { method: "POST", headers, body });
  assertEquals((await response.json()).error, "invalid_request"); // the proof is valid, a token is missing

  // The access token is bound to another key
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(accessToken));
  const ath = JOSE_LIBRARY["base64url"].encode(new Uint8Array(digest));
  const DPoP = await prove("GET", api.url.origin + api.url.pathname, { ath });
  const refused = await fetch(api.url, {
    headers: { Authorization: `DPoP ${accessToken}`, DPoP },
  });
  await refused.body?.cancel();
  const challenge = refused.headers.get("WWW-Authenticate");
  assertEquals([refused.status, challenge?.includes('error="invalid_token"')], [401, true]);
  assertEquals(await JOSE_LIBRARY["calculateJwkThumbprint"](jwk), await jwkThumbprint(jwk));
});
