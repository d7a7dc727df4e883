/** Errors of our authorization server as openid-client and oauth4webapi see them, and responses that both must reject. */

import { assert, assertEquals } from "@std/assert";
import { accessTokenClaims, withOauth4webapi } from "./_oauth4webapi.ts";
import { withOpenidClient } from "./_openid_client.ts";
import {
  type Begun,
  type Checks,
  type Parameters,
  rejectionOf,
  type RelyingParty,
  type RelyingPartyOptions,
} from "./_relying_party.ts";
import {
  API,
  CLIENT_SECRET,
  REDIRECT_URI,
  type ServerBrowser,
  type ServerSite,
  startServerSite,
} from "./_server_site.ts";

const PEERS = [["openid-client", withOpenidClient], ["oauth4webapi", withOauth4webapi]] as const;
const SPA = { clientId: "spa", redirectUri: REDIRECT_URI } as const;

/** Requests that are answered by an error: of a user who is signed out, who is signed in, or who has granted the same before. */
const REQUESTS: readonly (readonly [
  why: string,
  error: string,
  parameters: Parameters,
  user?: "signed in" | "denies",
])[] = [
  ["a user who denies", "access_denied", {}, "denies"],
  ["prompt=none without a session", "login_required", { prompt: "none" }],
  ["prompt=none without consent", "consent_required", { prompt: "none" }, "signed in"],
  ["prompt=none and max_age=0", "login_required", { prompt: "none", max_age: "0" }, "signed in"],
  ["an unknown scope", "invalid_scope", { scope: "unknown" }],
  ["a malformed scope", "invalid_scope", { scope: 'openid "email"' }],
  ["an implicit response", "unsupported_response_type", { response_type: "id_token" }],
  ["a request object", "request_not_supported", { request: "e30.e30." }],
  ["plain PKCE", "invalid_request", { code_challenge_method: "plain" }],
  ["no PKCE", "invalid_request", { code_challenge: "" }],
  ["an ID token of another issuer", "invalid_request", { id_token_hint: "e30.e30.x" }],
  ["an essential acr that cannot be reached", "login_required", {
    prompt: "none",
    claims: '{"id_token":{"acr":{"essential":true,"values":["gold"]}}}',
  }, "signed in"],
];

/** Changed responses: the peer rejects them before it sends the code. */
const RESPONSES: readonly (readonly [why: string, change: (url: URL) => void])[] = [
  ["without iss, RFC 9207 §2.4", ({ searchParams }) => searchParams.delete("iss")],
  ["with iss of another", ({ searchParams }) => searchParams.set("iss", "https://evil.example")],
  [
    "with iss and a slash",
    ({ searchParams }) => searchParams.set("iss", `${searchParams.get("iss")}/`),
  ],
  ["with another state", ({ searchParams }) => searchParams.set("state", "x")],
  ["without state", ({ searchParams }) => searchParams.delete("state")],
];

/** What differs between the request and the exchange of its code. */
const EXCHANGES: readonly (readonly [why: string, error: string, changes: Partial<Checks>])[] = [
  ["another verifier", "invalid_grant", { verifier: "x".repeat(43) }],
  ["a verifier that is too short", "invalid_grant", { verifier: "x".repeat(42) }],
  ["another nonce", "OAUTH_JWT_CLAIM_COMPARISON_FAILED", { nonce: "x".repeat(43) }],
];

/** Clients that authenticate as they should not. RFC 6749 §5.2 has a challenge for HTTP Basic alone. */
const CREDENTIALS: readonly (readonly [
  why: string,
  rejection: string,
  client: Omit<RelyingPartyOptions, "issuer" | "redirectUri">,
])[] = [
  ["a wrong secret in the header", "401 basic", {
    clientId: "basic",
    authentication: "client_secret_basic",
    secret: CLIENT_SECRET.toUpperCase(),
  }],
  ["a wrong secret in the body", "invalid_client", {
    clientId: "post",
    authentication: "client_secret_post",
    secret: `${CLIENT_SECRET} `,
  }],
  ["the right secret in the body, not in the header", "invalid_client", {
    clientId: "basic",
    authentication: "client_secret_post",
    secret: CLIENT_SECRET,
  }],
  ["the right secret in the header, not in the body", "401 basic", {
    clientId: "post",
    authentication: "client_secret_basic",
    secret: CLIENT_SECRET,
  }],
  ["no secret", "invalid_client", { clientId: "basic" }],
  ["a secret of a public client", "401 basic", {
    clientId: "spa",
    authentication: "client_secret_basic",
    secret: CLIENT_SECRET,
  }],
];

/** A response with a code, and what it is compared with. */
async function codeFor(
  party: RelyingParty,
  browser: ServerBrowser,
  parameters: Parameters = {},
): Promise<Begun> {
  const { url, checks } = await party.begin(parameters);
  return { url: await browser.visit(url), checks };
}

/** What is left of a grant: why UserInfo and a refresh are rejected. */
async function remains(
  { party, sub }: { readonly party: RelyingParty; readonly sub: string },
  { access_token, refresh_token }: {
    readonly access_token: string;
    readonly refresh_token: string;
  },
): Promise<readonly string[]> {
  return [
    await rejectionOf(() => party.userinfo(access_token, sub)),
    await rejectionOf(() => party.refresh(refresh_token)),
  ];
}

const ENDED = ["401 invalid_token", "invalid_grant"];

for (const [peer, create] of PEERS) {
  const open = async ({ issuer }: ServerSite) => await create({ ...SPA, issuer });

  Deno.test(`AuthorizationServer answers requests of ${peer} by errors that it understands`, async (t) => {
    await using site = await startServerSite();
    const party = await open(site);
    for (const [why, error, parameters, user] of REQUESTS) {
      await t.step(`${why}: ${error}`, async () => {
        const browser = site.browser();
        if (user === "signed in") await browser.signIn();
        const { url, checks } = await party.begin(parameters);
        const response = await browser.visit(url, user === "denies" ? "deny" : "allow");
        assertEquals(response.searchParams.get("iss"), site.issuer);
        assertEquals(await rejectionOf(() => party.finish(response, checks)), error);
      });
    }
    assertEquals(await site.server.listGrants(site.sub), []);
  });

  Deno.test(`AuthorizationServer answers ${peer} by a form with an error`, async () => {
    await using site = await startServerSite();
    const { issuer, receiverUri: redirectUri, received } = site;
    const party = await create({ issuer, redirectUri, clientId: "form" });
    const { url, checks } = await party.begin({ response_mode: "form_post" });
    await site.browser().visit(url, "deny");
    const [request] = received;
    assert(request !== undefined);
    assertEquals(await rejectionOf(() => party.finish(request, checks)), "access_denied");
  });

  for (const [why, change] of RESPONSES) {
    Deno.test(`A response of AuthorizationServer is rejected by ${peer} ${why}`, async () => {
      await using site = await startServerSite();
      const party = await open(site);
      const { url, checks } = await codeFor(party, site.browser());
      const changed = new URL(url);
      change(changed);
      const rejection = await rejectionOf(() => party.finish(changed, checks));
      assertEquals(rejection, "OAUTH_INVALID_RESPONSE");
      assertEquals(await rejectionOf(() => party.finish(url, checks)), "none");
    });
  }

  for (const [why, error, changes] of EXCHANGES) {
    Deno.test(`A code of AuthorizationServer is no use to ${peer} with ${why}`, async () => {
      await using site = await startServerSite();
      const party = await open(site);
      const { url, checks } = await codeFor(party, site.browser());
      const rejection = await rejectionOf(() => party.finish(url, { ...checks, ...changes }));
      assertEquals(rejection, error);
    });
  }

  for (const [why, rejection, client] of CREDENTIALS) {
    Deno.test(`AuthorizationServer refuses ${peer} with ${why}`, async () => {
      await using site = await startServerSite();
      const party = await create({ ...client, issuer: site.issuer, redirectUri: REDIRECT_URI });
      const { url, checks } = await codeFor(party, site.browser());
      assertEquals(await rejectionOf(() => party.finish(url, checks)), rejection);
      assertEquals(await rejectionOf(() => party.refresh("any")), rejection);
      assertEquals(await rejectionOf(() => party.revoke("any")), rejection);
    });
  }

  Deno.test(`AuthorizationServer ends the grant of a code that ${peer} sends again`, async () => {
    await using site = await startServerSite();
    const { sub, server } = site;
    const party = await open(site);
    const { url, checks } = await codeFor(party, site.browser());
    const tokens = await party.finish(url, checks);
    assertEquals(await rejectionOf(() => party.finish(url, checks)), "invalid_grant");
    assertEquals(await remains({ party, sub }, tokens), ENDED);
    assertEquals(await server.listGrants(sub), []);
  });

  Deno.test(`AuthorizationServer ends the grant of a refresh token that ${peer} sends again`, async () => {
    await using site = await startServerSite();
    const { sub } = site;
    const party = await open(site);
    const { url, checks } = await codeFor(party, site.browser());
    const first = await party.finish(url, checks);
    const wider = () => party.refresh(first.refresh_token, { scope: "openid profile" });
    assertEquals(await rejectionOf(wider), "invalid_scope");
    const second = await party.refresh(first.refresh_token);
    assertEquals(await rejectionOf(() => party.refresh(first.refresh_token)), "invalid_grant");
    assertEquals(await remains({ party, sub }, second), ENDED);
  });

  for (const member of ["access_token", "refresh_token"] as const) {
    Deno.test(`AuthorizationServer ends the grant whose ${member} ${peer} revokes`, async () => {
      await using site = await startServerSite();
      const { issuer, sub } = site;
      const party = await open(site);
      const { url, checks } = await codeFor(party, site.browser());
      const tokens = await party.finish(url, checks);
      const other = await create({
        issuer,
        redirectUri: REDIRECT_URI,
        clientId: "post",
        authentication: "client_secret_post",
        secret: CLIENT_SECRET,
      });
      await other.revoke(tokens[member]); // the token of another client is left alone
      await party.userinfo(tokens.access_token, sub);
      await party.revoke(tokens[member]);
      assertEquals(await remains({ party, sub }, tokens), ENDED);
    });
  }

  Deno.test(`AuthorizationServer tells ${peer} that a token without openid does not open UserInfo`, async () => {
    await using site = await startServerSite();
    const { sub } = site;
    const party = await open(site);
    const { url, checks } = await codeFor(party, site.browser());
    const tokens = await party.finish(url, checks);
    const { access_token } = await party.refresh(tokens.refresh_token, { scope: "notes:read" });
    assertEquals(
      await rejectionOf(() => party.userinfo(access_token, sub)),
      "403 insufficient_scope",
    );
    assertEquals(
      await rejectionOf(() => party.userinfo(tokens.access_token, "another")),
      "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
    );
    const { scope } = await accessTokenClaims(party, access_token, API);
    assertEquals(scope, "notes:read");
    const refused = [
      ["an ID token", tokens.id_token, API],
      ["an access token for another API", tokens.access_token, "https://other.example"],
      ["a changed access token", `${tokens.access_token.slice(0, -8)}AAAAAAAA`, API],
    ] as const;
    for (const [why, token, audience] of refused) {
      const rejection = await rejectionOf(() => accessTokenClaims(party, token, audience));
      assertEquals(/^OAUTH_/.test(rejection), true, `${why}: ${rejection}`);
    }
  });
}
