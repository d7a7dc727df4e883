/** Our own relying party, whose sessions end with those at our own server: both are whole applications. */

import { assert, assertEquals } from "@std/assert";
import { oauthClient, oidcProvider } from "../../../auth/oauth/mod.ts";
import { handleOAuthServerRequest } from "../../../auth/server/mod.ts";
import { createTestApp, type TestApp, type TestBrowser } from "../http/_app.ts";
import { answerLogout, type LogoutSite, logoutSite, visitLogout } from "./_logout.ts";
import { ISSUER, SECRET } from "./_site.ts";

const SHOP = "https://shop.example";
const BASE = `${SHOP}/auth/oauth/id`;

interface Shop {
  readonly site: LogoutSite;
  readonly app: TestApp;
  /** Signs Ada in at the shop, by her session at the server. */
  signIn(user: TestBrowser): Promise<TestBrowser>;
}

function shop(): Shop {
  const site = logoutSite({
    clients: [{
      clientId: "shop",
      name: "Shop",
      redirectUris: [`${BASE}/callback`],
      postLogoutRedirectUris: [`${SHOP}/`],
      backchannelLogoutUri: `${BASE}/backchannel-logout`,
      secret: SECRET,
      firstParty: true,
    }],
  });
  const { clock } = site.app;
  const provider = oidcProvider({
    issuer: ISSUER,
    clientId: "shop",
    clientSecret: SECRET,
    scope: ["openid"],
    idTokenAlgorithms: ["ES256"],
  });
  const stores = createTestApp({ clock }).stores;
  const client = oauthClient(provider, {
    states: stores.states,
    redirectUri: `${BASE}/callback`,
    fetch: async (url, init) => await handleOAuthServerRequest(site.server, new Request(url, init)),
    now: () => clock.now,
    warn: () => {},
  });
  const app = createTestApp({
    clock,
    stores,
    integration: { routes: { registration: "open", oauth: { id: client } } },
  });
  site.answer = async (url, init) => {
    const { pathname } = new URL(url);
    return await app.router.fetch(new Request(`https://example.com${pathname}`, init));
  };

  async function signIn(user: TestBrowser): Promise<TestBrowser> {
    const browser = app.browser();
    const start = await browser.send("/auth/oauth/id/start");
    const asked = new URL(start.headers.get("Location") ?? "");
    const answered = await user.send(asked.pathname + asked.search);
    const back = new URL(answered.headers.get("Location") ?? "");
    assertEquals(back.origin + back.pathname, `${BASE}/callback`);
    await browser.send(back.pathname + back.search, {
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    assert(await isSignedIn(browser));
    return browser;
  }
  return { site, app, signIn };
}

async function isSignedIn(browser: TestBrowser): Promise<boolean> {
  return (await browser.send("/auth/session")).status === 200;
}

Deno.test("A sign-out at our server ends the session at our relying party, and no other, BCL-2.4", async () => {
  const { site, signIn } = shop();
  const [phone, laptop] = [await site.signedIn(), await site.signedIn()];
  const [atPhone, atLaptop] = [await signIn(phone), await signIn(laptop)];
  const params = { client_id: "shop", post_logout_redirect_uri: `${SHOP}/` };
  const response = await answerLogout(site, phone, await visitLogout(phone, params));
  assertEquals(response.headers.get("Location"), `${SHOP}/`);
  assertEquals(site.sent.length, 1);
  assertEquals(site.log.filter(({ type }) => type === "logout.delivered").length, 1);
  assertEquals([await isSignedIn(atPhone), await isSignedIn(atLaptop)], [false, true]);
});

Deno.test("A user who is disabled at our server is signed out everywhere at our relying party", async () => {
  const { site, signIn } = shop();
  const browsers = [await signIn(await site.signedIn()), await signIn(await site.signedIn())];
  await site.app.runtime.users.disable("u1");
  await site.settled();
  assertEquals(await Promise.all(browsers.map(isSignedIn)), [false, false]);
});

Deno.test("Our relying party refuses a logout token that it has got before", async () => {
  const { site, app, signIn } = shop();
  const user = await site.signedIn();
  await signIn(user);
  await answerLogout(site, user, await visitLogout(user, {}));
  const [{ url, init, token } = { url: "", init: {}, token: "" }] = site.sent;
  assert(token !== "");
  const again = await app.router.fetch(
    new Request(`https://example.com${new URL(url).pathname}`, init),
  );
  assertEquals(again.status, 400);
});
