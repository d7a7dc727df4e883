/** Step-up authentication, RFC 9470: an API demands another sign-in, and the client gets it from the server. */

import { assertEquals } from "@std/assert";
import { json, type Principal, type TypedRouter } from "@gatehouse/http";
import { authenticate } from "../http/_sign_in.ts";
import type { TestBrowser } from "../http/_app.ts";
import { answerOf, returnPath } from "./_authorize.ts";
import { claimsOf, type Params, responseParameters, type ServerSite, serverSite } from "./_site.ts";
import { bearer, redeemAs, refreshAs, type Tokens, tokensOf } from "./_tokens.ts";

const GOLD = "urn:example:gold";
const SCOPE = { scope: "openid offline_access notes:read" } as const;

/** A server whose sign-in page reaches `gold`, and an API in its application. */
function apiSite(): ServerSite {
  const site = serverSite({ server: { acrValues: [GOLD, "urn:example:silver"] } });
  const router: TypedRouter<unknown[], Principal> = site.app.router;
  router
    .get("/api/notes", () => json([]), { scope: ["notes:read"] })
    .get("/api/pay", () => json("paid"), { scope: ["notes:read"], auth: { maxAge: 300 } })
    .get("/api/transfer", () => json("sent"), { scope: ["notes:read"], auth: { acr: [GOLD] } });
  return site;
}

/** Calls the API. @returns The status, and the parameters of a challenge. */
async function call(
  site: ServerSite,
  path: string,
  { access_token }: Pick<Tokens, "access_token">,
): Promise<readonly [status: number, challenge: Params]> {
  const response = await site.send(path, { headers: bearer(access_token) });
  const challenge = response.headers.get("WWW-Authenticate") ?? "";
  const parameters = [...challenge.matchAll(/(\w+)="([^"]*)"/g)];
  return [response.status, Object.fromEntries(parameters.map(([, name, value]) => [name, value]))];
}

/** Signs Ada in, in a context. */
async function enter(site: ServerSite, browser: TestBrowser, acr?: string): Promise<void> {
  const { runtime, clock } = site.app;
  const { token } = await runtime.sessions.create({
    ...await authenticate(site.app),
    authTime: clock.now,
    ...(acr === undefined ? {} : { acr }),
  });
  browser.keep([runtime.cookies.set("sid", token)]);
}

/** An authorization request with the parameters of a challenge, §4; the user signs in if the server asks. */
async function authorize(
  site: ServerSite,
  browser: TestBrowser,
  challenge: Params,
  acr?: string,
): Promise<{ readonly asked: string; readonly tokens: Tokens }> {
  const { acr_values, max_age } = challenge;
  const asked = await site.authorize(browser, { ...SCOPE, acr_values, max_age });
  const answer = await answerOf(asked.clone());
  let page = asked;
  if (answer.startsWith("sign-in")) {
    await enter(site, browser, acr);
    page = await browser.send(returnPath(asked));
  }
  const response = page.status === 200 ? await site.decide(browser, page) : page;
  const code = responseParameters(response).get("code") ?? "";
  return { asked: answer, tokens: await tokensOf(await redeemAs(site, "spa", code)) };
}

Deno.test("metadata() names the contexts that a client can ask for, RFC 9470 §7", () => {
  assertEquals(apiSite().server.metadata()["acr_values_supported"], [GOLD, "urn:example:silver"]);
});

Deno.test("A route with acr gets a token of a new sign-in in that context, 9470-3, 9470-4", async () => {
  const site = apiSite();
  const browser = site.app.browser();
  await enter(site, browser);
  const first = await authorize(site, browser, {});
  assertEquals((await call(site, "/api/notes", first.tokens))[0], 200);
  const [status, challenge] = await call(site, "/api/transfer", first.tokens);
  assertEquals([status, challenge], [401, {
    error: "insufficient_user_authentication",
    acr_values: GOLD,
  }]);
  site.app.clock.now += 5;
  const second = await authorize(site, browser, challenge, GOLD);
  assertEquals([second.asked, claimsOf(second.tokens.access_token)["acr"]], ["sign-in: acr", GOLD]);
  assertEquals(await call(site, "/api/transfer", second.tokens), [200, {}]);
  const again = await authorize(site, browser, challenge);
  assertEquals(again.asked === "sign-in: acr", false);
  assertEquals(await call(site, "/api/transfer", again.tokens), [200, {}]);
});

Deno.test("A route with maxAge gets a token of a new sign-in, which is too old again later, 9470-3, 9470-4", async () => {
  const site = apiSite();
  const { clock } = site.app;
  const browser = site.app.browser();
  await enter(site, browser);
  const first = await authorize(site, browser, {});
  assertEquals((await call(site, "/api/pay", first.tokens))[0], 200);

  clock.now += 301;
  const [status, challenge] = await call(site, "/api/pay", first.tokens);
  assertEquals([status, challenge], [401, {
    error: "insufficient_user_authentication",
    max_age: "300",
  }]);
  // A refresh is no sign-in
  const refreshed = await tokensOf(await refreshAs(site, "spa", first.tokens.refresh_token));
  assertEquals((await call(site, "/api/pay", refreshed))[0], 401);
  assertEquals((await call(site, "/api/notes", refreshed))[0], 200);

  const second = await authorize(site, browser, challenge);
  assertEquals([second.asked, claimsOf(second.tokens.access_token)["auth_time"]], [
    "sign-in: max_age",
    clock.now,
  ]);
  assertEquals(await call(site, "/api/pay", second.tokens), [200, {}]);
  clock.now += 301;
  assertEquals((await call(site, "/api/pay", second.tokens))[0], 401);
});
