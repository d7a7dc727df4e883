/** Our authorization server as openid-client and oauth4webapi use it, over the network of this machine. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { claimsOf, headerOf } from "../auth/server/_site.ts";
import { accessTokenClaims, withOauth4webapi } from "./_oauth4webapi.ts";
import { withOpenidClient } from "./_openid_client.ts";
import type {
  Authentication,
  RelyingParty,
  RelyingPartyOptions,
  SignIn,
} from "./_relying_party.ts";
import { importJwk, type Jwk } from "../../auth/mod.ts";
import { oauthClient, oidcProvider } from "../../auth/oauth/mod.ts";
import { inMemoryAuthStores } from "../../auth/stores/memory.ts";
import {
  API,
  CLIENT_KEY,
  CLIENT_SECRET,
  PUBLISHER_KEY,
  REDIRECT_URI,
  type ServerSite,
  startServerSite,
} from "./_server_site.ts";

const PEERS = [["openid-client", withOpenidClient], ["oauth4webapi", withOauth4webapi]] as const;
const SPA = { clientId: "spa", redirectUri: REDIRECT_URI } as const;

/** Each client authentication, with the client that has it. */
const CLIENTS: readonly (
  & Pick<RelyingPartyOptions, "clientId" | "secret" | "key">
  & { readonly authentication: Authentication }
)[] = [
  { authentication: "none", clientId: "spa" },
  { authentication: "client_secret_basic", clientId: "basic", secret: CLIENT_SECRET },
  { authentication: "client_secret_post", clientId: "post", secret: CLIENT_SECRET },
  { authentication: "private_key_jwt", clientId: "signer", key: await peerKey(CLIENT_KEY) },
  { authentication: "private_key_jwt", clientId: "publisher", key: await peerKey(PUBLISHER_KEY) },
];

async function peerKey(jwk: Jwk): Promise<NonNullable<RelyingPartyOptions["key"]>> {
  const { kid } = jwk;
  return { key: await importJwk(jwk), ...(kid === undefined ? {} : { kid }) };
}

async function signIn(
  site: ServerSite,
  party: RelyingParty,
  parameters: Readonly<Record<string, string>> = {},
): Promise<SignIn> {
  const { url, checks } = await party.begin(parameters);
  return await party.finish(await site.browser().visit(url), checks);
}

for (const [peer, create] of PEERS) {
  for (const alg of ["RS256", "PS256", "ES256", "EdDSA"] as const) {
    Deno.test(`AuthorizationServer completes a sign-in of ${peer} with tokens of ${alg}`, async () => {
      await using site = await startServerSite({ alg });
      const { issuer, sub } = site;
      const party = await create({ ...SPA, issuer });
      const { url, checks } = await party.begin();
      const tokens = await party.finish(await site.browser().visit(url), checks);
      const { claims } = tokens;
      assertEquals([claims.sub, claims["aud"], claims["iss"], claims["nonce"]], [
        sub,
        "spa",
        issuer,
        checks.nonce,
      ]);
      assertEquals([tokens.token_type, tokens.expires_in, tokens.scope], [
        "bearer", // both peers write it so
        600,
        "openid email notes:read",
      ]);
      assertEquals(await party.userinfo(tokens.access_token, sub), {
        sub,
        email: "ada@example.org",
        email_verified: true,
      });
      const access = await accessTokenClaims(party, tokens.access_token, API);
      assertEquals([access["sub"], access["client_id"], access["scope"], access["aud"]], [
        sub,
        "spa",
        "openid email notes:read",
        [API, issuer],
      ]);
    });
  }

  Deno.test(`AuthorizationServer signs the tokens of ${peer} by keys of two algorithms`, async () => {
    await using site = await startServerSite({ alg: "RS256", accessTokenAlg: "EdDSA" });
    const { issuer, sub } = site;
    const party = await create({ ...SPA, issuer });
    const { access_token, id_token, claims } = await signIn(site, party);
    assertEquals([headerOf(access_token)["alg"], headerOf(id_token)["alg"]], ["EdDSA", "RS256"]);
    const access = await accessTokenClaims(party, access_token, API);
    assertEquals([claims.sub, access["sub"]], [sub, sub]);
  });

  for (const [algorithm, kind] of [["oidc", "OpenID Connect"], ["oauth2", "RFC 8414"]] as const) {
    for (const path of ["", "/tenants/a"]) {
      const where = path === "" ? "without" : "with";
      Deno.test(`AuthorizationServer is discovered by ${peer} by ${kind}, ${where} a path`, async () => {
        await using site = await startServerSite({ path });
        const { issuer, server } = site;
        const party = await create({ ...SPA, issuer, algorithm });
        assertEquals({ ...party.metadata }, { ...server.metadata() });
        assertEquals((await signIn(site, party)).claims.sub, site.sub);
      });
    }
  }

  for (const client of CLIENTS) {
    Deno.test(`AuthorizationServer authenticates ${peer} by ${client.authentication} as ${client.clientId}, also to refresh and revoke`, async () => {
      await using site = await startServerSite();
      const { issuer, sub, server } = site;
      const party = await create({ ...client, issuer, redirectUri: REDIRECT_URI });
      const first = await signIn(site, party);
      const second = await party.refresh(first.refresh_token);
      assertNotEquals(second.refresh_token, first.refresh_token);
      const narrow = await party.refresh(second.refresh_token, { scope: "openid" });
      assertEquals([second.scope, narrow.scope], ["openid email notes:read", "openid"]);
      const { sub: same, auth_time, nonce } = claimsOf(narrow.id_token ?? ""); // the peer has verified it
      assertEquals([same, auth_time, nonce], [sub, first.claims["auth_time"], undefined]);
      assertEquals(await party.userinfo(narrow.access_token, sub), { sub });
      assertEquals((await server.listGrants(sub)).length, 1);
      const tokens = [narrow.access_token, narrow.refresh_token];
      if (client.authentication !== "none") { // RFC 7662 §2.1
        for (const token of tokens) {
          const { active, client_id } = await party.introspect(token);
          assertEquals([active, client_id], [true, client.clientId]);
        }
      }
      await party.revoke(narrow.refresh_token);
      assertEquals(await server.listGrants(sub), []);
      if (client.authentication !== "none") {
        for (const token of tokens) assertEquals((await party.introspect(token)).active, false);
      }
      await party.revoke(narrow.refresh_token); // RFC 7009 §2.2: the response is the same
    });
  }

  Deno.test(`AuthorizationServer answers a native client with ${peer} on a port of its own`, async () => {
    await using site = await startServerSite();
    const { issuer, receiverUri: redirectUri, received, sub } = site;
    const party = await create({ issuer, redirectUri, clientId: "native" });
    const { url, checks } = await party.begin();
    await (await fetch(await site.browser().visit(url))).body?.cancel();
    const [request] = received;
    assert(request !== undefined);
    assertEquals((await party.finish(request, checks)).claims.sub, sub);
  });

  Deno.test(`AuthorizationServer answers ${peer} by a form`, async () => {
    await using site = await startServerSite();
    const { issuer, receiverUri: redirectUri, received, sub } = site;
    const party = await create({ issuer, redirectUri, clientId: "form" });
    const { url, checks } = await party.begin({ response_mode: "form_post" });
    assertEquals((await site.browser().visit(url)).href, redirectUri);
    const [request] = received;
    assert(request !== undefined);
    assertEquals([request.method, new URL(request.url).search], ["POST", ""]);
    assertEquals((await party.finish(request, checks)).claims.sub, sub);
  });

  Deno.test(`AuthorizationServer signs the user in again for max_age and prompt of ${peer}`, async () => {
    await using site = await startServerSite();
    const party = await create({ ...SPA, issuer: site.issuer });
    const browser = site.browser();
    const rows: readonly (readonly [parameters: Readonly<Record<string, string>>, more: number])[] =
      [
        [{}, 1],
        [{ max_age: "600" }, 0],
        [{ max_age: "0" }, 1],
        [{ prompt: "login" }, 1],
        [{ prompt: "none", max_age: "600" }, 0],
        [{ prompt: "consent" }, 0],
      ];
    for (const [parameters, more] of rows) {
      const before = browser.signIns;
      const { url, checks } = await party.begin(parameters);
      const { claims } = await party.finish(await browser.visit(url), checks);
      assertEquals(browser.signIns - before, more, JSON.stringify(parameters));
      assertEquals([typeof claims["auth_time"], claims["amr"]], ["number", ["pwd"]]);
    }
  });

  Deno.test(`AuthorizationServer puts requested claims into the ID token that ${peer} verifies`, async () => {
    await using site = await startServerSite();
    const party = await create({ ...SPA, issuer: site.issuer });
    const claims = JSON.stringify({ id_token: { email: null, name: null } });
    const tokens = await signIn(site, party, { claims });
    assertEquals([tokens.claims["email"], tokens.claims["name"]], ["ada@example.org", undefined]);
  });

  Deno.test(`AuthorizationServer answers ${peer}, which knows the user by its ID token`, async () => {
    await using site = await startServerSite();
    const party = await create({ ...SPA, issuer: site.issuer });
    const browser = site.browser();
    const first = await party.begin();
    const { id_token } = await party.finish(await browser.visit(first.url), first.checks);
    const { url, checks } = await party.begin({ prompt: "none", id_token_hint: id_token });
    assertEquals((await party.finish(await browser.visit(url), checks)).claims.sub, site.sub);
  });
}

for (
  const [clientId, key, alg] of [
    ["signer", CLIENT_KEY, "ES256"],
    ["publisher", PUBLISHER_KEY, "PS256"],
  ] as const
) {
  Deno.test(`AuthorizationServer authenticates oauthClient() by private_key_jwt as ${clientId}, also to refresh and revoke`, async () => {
    await using site = await startServerSite();
    const { issuer, sub, server } = site;
    const client = oauthClient(
      oidcProvider({
        issuer,
        clientId,
        authentication: { method: "private_key_jwt", key, alg },
        idTokenAlgorithms: ["ES256"],
        scope: ["openid", "notes:read"],
      }),
      { states: inMemoryAuthStores().states, redirectUri: REDIRECT_URI, insecureLoopback: true },
    );
    const { url, cookies } = await client.start(new Request("https://app.example/start"));
    const back = await site.browser().visit(new URL(url));
    const Cookie = cookies.map((cookie) => cookie.split(";")[0]).join("; ");
    const { profile, tokens } = await client.callback(new Request(back, { headers: { Cookie } }));
    assertEquals(profile.subject, sub);
    const next = await client.refresh(tokens.refreshToken ?? "", tokens);
    assertEquals((await server.listGrants(sub)).length, 1);
    assertEquals(await client.revoke(next.refreshToken ?? ""), true);
    assertEquals(await server.listGrants(sub), []);
  });
}
