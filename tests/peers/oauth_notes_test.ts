/** The notes example signs in at node-oidc-provider: its buttons, its page of linked accounts, its errors. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { inMemoryAuthStores } from "../../auth/mod.ts";
import { createApp } from "../../examples/notes/app.ts";
import { LIVE_ASSETS } from "../../examples/notes/assets.ts";
import { readProviders } from "../../examples/notes/providers.ts";
import { recordNoteStore } from "../../examples/notes/store_records.ts";
import { memoryAdapter } from "../../auth/stores/memory.ts";
import { createBrowser, type TestBrowser } from "../auth/_browser.ts";
import { SECRET } from "../auth/_services.ts";
import { ProviderBrowser, signingKey, startOidcProvider } from "./_oidc_provider.ts";

const ORIGIN = "http://localhost:8000";
const PAGE = { headers: { Accept: "text/html", "Sec-Fetch-Site": "cross-site" } };

/** The example beside a provider, and a browser of both. */
async function withExample(
  visit: (
    browser: TestBrowser,
    signIn: (url: string, login: string) => Promise<Response>,
  ) => Promise<void>,
): Promise<void> {
  await using op = await startOidcProvider({
    clients: [{
      client_id: "notes",
      client_secret: "a secret of this test",
      redirect_uris: [`${ORIGIN}/auth/oauth/oidc/callback`],
      scope: "openid email profile",
    }],
    keys: [await signingKey("RS256")],
  });
  const stores = inMemoryAuthStores();
  const variables: Record<string, string> = {
    OIDC_ISSUER: op.issuer,
    OIDC_CLIENT_ID: "notes",
    OIDC_CLIENT_SECRET: "a secret of this test",
  };
  const app = createApp({
    store: recordNoteStore(memoryAdapter()),
    stores,
    origin: ORIGIN,
    secret: SECRET,
    assets: LIVE_ASSETS,
    providers: readProviders({
      env: (name) => variables[name],
      origin: ORIGIN,
      states: stores.states,
    }),
  });
  const browser = createBrowser({
    origin: ORIGIN,
    now: () => Date.now() / 1000,
    fetch: async (request) => await app.fetch(request),
  });
  await visit(browser, async (url, login) => {
    const back = new URL(await new ProviderBrowser().signIn(url, login));
    return await browser.send(back.pathname + back.search, PAGE);
  });
}

Deno.test("The notes example signs in with a provider by its button, and lists the linked account", async () => {
  await withExample(async (browser, signIn) => {
    const page = await (await browser.send("/sign-in?next=/developer", PAGE)).text();
    const [, href = ""] = /href="([^"]+)">Sign in with your organization</.exec(page) ?? [];
    const start = await browser.send(href.replaceAll("&amp;", "&"), PAGE);
    assertEquals(start.status, 303);
    const back = await signIn(start.headers.get("Location") ?? "", "ada");
    assertEquals([back.status, back.headers.get("Location")], [303, "/developer"]);

    const linked = await (await browser.send("/linked-accounts", PAGE)).text();
    assertStringIncludes(linked, "<h3>your organization</h3>");
    assertStringIncludes(linked, "ada@example.org");

    const { identities: [identity] } = await (await browser.send("/auth/identities")).json();
    const last = await browser.post("/auth/identities/unlink", { id: identity.id });
    assertEquals((await last.json()).code, "last_way_in");
  });
});

Deno.test("The notes example links a provider to an account with a password, and signs in with it", async () => {
  await withExample(async (browser, signIn) => {
    await browser.register({ identifier: "countess", password: "five quiet herons at dawn" });
    const response = await browser.post("/auth/oauth/oidc/link", {
      redirectTo: "/linked-accounts",
    });
    const back = await signIn((await response.json()).url, "ada");
    assertEquals([back.status, back.headers.get("Location")], [303, "/linked-accounts"]);
    await browser.logout();
    const start = await browser.send("/auth/oauth/oidc/start");
    await signIn(start.headers.get("Location") ?? "", "ada");
    const { user } = await (await browser.send("/auth/session")).json();
    assertEquals(user.identifier, "countess");
  });
});

Deno.test("The notes example says by its own page that a sign-in has failed", async () => {
  await withExample(async (browser) => {
    const failed = await browser.send("/auth/oauth/oidc/callback?error=<b>evil", PAGE);
    assertEquals([failed.status, failed.headers.get("Location")], [
      303,
      "/sign-in?error=oauth_failed",
    ]);
    const page = await (await browser.send("/sign-in?error=<b>evil", PAGE)).text();
    assert(!page.includes("evil"));
  });
});
