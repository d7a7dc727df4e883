import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  API,
  assertTokenError,
  claimsOf,
  headerOf,
  ISSUER,
  responseParameters,
  serverSite,
} from "./_site.ts";

Deno.test("AuthorizationServer signs in, asks for consent, and issues tokens", async () => {
  const site = serverSite();
  const browser = site.app.browser();
  const first = await site.authorize(browser);
  assertEquals(first.status, 303);
  const signIn = new URL(first.headers.get("Location") ?? "", ISSUER);
  assertEquals([signIn.pathname, signIn.searchParams.get("reason")], ["/sign-in", "signed_out"]);
  const next = signIn.searchParams.get("next") ?? "";
  assertMatch(next, /^\/oauth\/authorize\?id=[\w-]{22}$/);

  site.app.clock.now += 5;
  await site.signIn(browser);
  const page = await browser.send(next);
  assertEquals(page.status, 200);
  const text = await page.text();
  assertStringIncludes(text, "You are signed in as <strong><bdi>ada@example.org</bdi></strong>");
  const response = await site.decide(browser, text);
  const parameters = responseParameters(response);
  assertEquals([parameters.get("state"), parameters.get("iss")], ["s-1", ISSUER]);
  const code = parameters.get("code") ?? "";

  const answer = await site.redeem(code);
  assertEquals(answer.status, 200);
  const tokens = await answer.json();
  assertEquals(Object.keys(tokens).sort(), [
    "access_token",
    "expires_in",
    "id_token",
    "refresh_token",
    "scope",
    "token_type",
  ]);
  assertEquals([headerOf(tokens.access_token)["typ"], headerOf(tokens.id_token)["typ"]], [
    "at+jwt",
    "JWT",
  ]);
  const access = claimsOf(tokens.access_token);
  assertEquals([access["sub"], access["aud"], access["client_id"], access["scope"]], [
    "u1",
    [API, ISSUER],
    "spa",
    "openid notes:read",
  ]);
  const id = claimsOf(tokens.id_token);
  assertEquals([id["sub"], id["aud"], id["nonce"], id["iss"]], ["u1", "spa", "n-1", ISSUER]);
  assert(typeof id["at_hash"] === "string" && typeof id["sid"] === "string");

  const userinfo = await site.send("/oauth/userinfo", {
    headers: { Authorization: `Bearer ${tokens.access_token}` },
  });
  assertEquals(await userinfo.json(), { sub: "u1", role: "u1" });

  const next2 = await site.token({
    grant_type: "refresh_token",
    refresh_token: tokens.refresh_token,
    client_id: "spa",
  });
  assertEquals(next2.status, 200);
  const grants = await site.server.listGrants("u1");
  assertEquals(grants.map(({ clientId, scope }) => [clientId, scope]), [
    ["spa", ["openid", "notes:read"]],
  ]);

  // A second use of the code ends the grant
  await assertTokenError(await site.redeem(code), "invalid_grant");
  const after = await site.token({
    grant_type: "refresh_token",
    refresh_token: (await next2.json()).refresh_token,
    client_id: "spa",
  });
  await assertTokenError(after, "invalid_grant");
  assertEquals(await site.server.listGrants("u1"), []);
});
