/** Sign-outs and step-up at our authorization server, as openid-client and oauth4webapi ask for them. */

import { assertEquals } from "@std/assert";
import { withOauth4webapi } from "./_oauth4webapi.ts";
import { withOpenidClient } from "./_openid_client.ts";
import { rejectionOf } from "./_relying_party.ts";
import { MAX_AGE, REDIRECT_URI, SIGNED_OUT_URI, startServerSite } from "./_server_site.ts";

const PEERS = [["openid-client", withOpenidClient], ["oauth4webapi", withOauth4webapi]] as const;
const SPA = { clientId: "spa", redirectUri: REDIRECT_URI } as const;

for (const [peer, create] of PEERS) {
  Deno.test(`AuthorizationServer signs the user of ${peer} out at its end_session_endpoint, oidcc-rp-initiated-logout`, async () => {
    await using site = await startServerSite();
    const party = await create({ ...SPA, issuer: site.issuer });
    const browser = site.browser();
    const { url, checks } = await party.begin();
    const { id_token } = await party.finish(await browser.visit(url), checks);

    const query = { id_token_hint: id_token, post_logout_redirect_uri: SIGNED_OUT_URI, state: "s" };
    const endSession = `${party.metadata["end_session_endpoint"]}?${new URLSearchParams(query)}`;
    const back = await browser.visit(new URL(endSession), "sign_out");
    assertEquals(back.href, `${SIGNED_OUT_URI}?state=s`);

    const silent = await party.begin({ prompt: "none" });
    const answer = await browser.visit(silent.url);
    assertEquals(await rejectionOf(() => party.finish(answer, silent.checks)), "login_required");
  });

  Deno.test(`AuthorizationServer steps up for ${peer} by what a route challenges, 9470-3, 9470-4`, async () => {
    await using site = await startServerSite();
    const party = await create({ ...SPA, issuer: site.issuer });
    const browser = site.browser();
    const pay = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(new URL("/pay", site.issuer), { headers });
      await response.body?.cancel();
      return response;
    };
    const first = await party.begin();
    const tokens = await party.finish(await browser.visit(first.url), first.checks);
    await new Promise((resolve) => setTimeout(resolve, (MAX_AGE + 1.1) * 1_000));

    const refused = await pay(tokens.access_token);
    const challenge = refused.headers.get("WWW-Authenticate") ?? "";
    assertEquals(refused.status, 401);
    assertEquals(
      challenge,
      `Bearer error="insufficient_user_authentication", max_age="${MAX_AGE}"`,
    );
    const [, maxAge = ""] = /max_age="(\d+)"/.exec(challenge) ?? [];
    const second = await party.begin({ max_age: maxAge });
    const fresh = await party.finish(await browser.visit(second.url), second.checks);
    assertEquals(browser.signIns, 2);
    assertEquals((await pay(fresh.access_token)).status, 200);
  });
}
