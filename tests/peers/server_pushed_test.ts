/** Authorization requests that openid-client and oauth4webapi push to our server, RFC 9126. */

import { assert, assertEquals } from "@std/assert";
import { withOauth4webapi } from "./_oauth4webapi.ts";
import { withOpenidClient } from "./_openid_client.ts";
import { type Parameters, rejectionOf } from "./_relying_party.ts";
import { CLIENT_SECRET, REDIRECT_URI, startServerSite } from "./_server_site.ts";

const PEERS = [["openid-client", withOpenidClient], ["oauth4webapi", withOauth4webapi]] as const;

/** A client of each authentication. */
const CLIENTS = [
  { authentication: "none", clientId: "spa" },
  { authentication: "client_secret_basic", clientId: "basic", secret: CLIENT_SECRET },
  { authentication: "client_secret_post", clientId: "post", secret: CLIENT_SECRET },
] as const;

/** Requests that are refused at the push. */
const REFUSED: readonly (readonly [why: string, error: string, parameters: Parameters])[] = [
  ["an unknown scope", "invalid_scope", { scope: "unknown" }],
  ["a foreign redirect URI (AS33)", "invalid_request", { redirect_uri: "https://evil.example/" }],
  ["an unknown API", "invalid_target", { resource: "https://evil.example/" }],
  ["no PKCE", "invalid_request", { code_challenge: "", code_challenge_method: "" }],
];

for (const [peer, create] of PEERS) {
  for (const client of CLIENTS) {
    Deno.test(`AuthorizationServer completes a sign-in that ${peer} has pushed, by ${client.authentication}, 9126-2.2`, async () => {
      await using site = await startServerSite();
      const { issuer, sub } = site;
      const party = await create({ ...client, issuer, redirectUri: REDIRECT_URI });
      const { url, checks } = await party.push({ claims: '{"id_token":{"email":null}}' });
      assertEquals([...url.searchParams.keys()].sort(), ["client_id", "request_uri"]);
      const tokens = await party.finish(await site.browser().visit(url), checks);
      assertEquals([tokens.claims.sub, tokens.claims["email"], tokens.scope], [
        sub,
        "ada@example.org",
        "openid email notes:read",
      ]);
      const again = await site.browser().send(url.href);
      assert((await again.text()).includes("request_uri_unknown")); // AS33
    });
  }

  for (const [why, error, parameters] of REFUSED) {
    Deno.test(`AuthorizationServer refuses to ${peer} the push of ${why}, 9126-2.3`, async () => {
      await using site = await startServerSite();
      const party = await create({ ...CLIENTS[1], issuer: site.issuer, redirectUri: REDIRECT_URI });
      assertEquals(await rejectionOf(() => party.push(parameters)), error);
    });
  }

  Deno.test(`AuthorizationServer refuses to ${peer} the push of a client with a wrong secret, 9126-2`, async () => {
    await using site = await startServerSite();
    const client = { ...CLIENTS[1], secret: "another" };
    const party = await create({ ...client, issuer: site.issuer, redirectUri: REDIRECT_URI });
    assertEquals(await rejectionOf(() => party.push()), "401 basic");
  });
}
