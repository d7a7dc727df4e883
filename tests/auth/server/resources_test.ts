/** Resource indicators, RFC 8707: what a token is for. Sources: RFC 8707 §2, MCP's "Resource Parameter Implementation", AS13. */

import { assertEquals } from "@std/assert";
import type { AuthorizationServerOptions } from "../../../auth/server/core/types.ts";
import { answerOf, subjectSite } from "./_authorize.ts";
import { assertTokenError, claimsOf, ISSUER, type Params, type ServerSite } from "./_site.ts";
import { lastRefusal, refreshAs, tokensOf, userinfo } from "./_tokens.ts";

const NOTES = "https://api.example/notes";
const MAIL = "https://mail.example";
const OTHER = "https://other.example/mcp";

const SERVER: Partial<AuthorizationServerOptions> = {
  resources: [NOTES, MAIL],
  scopes: {
    "notes:read": { description: "Read your notes" },
    "notes:write": { description: "Change your notes", resource: NOTES },
    "mail:read": { description: "Read your mail", resource: MAIL },
  },
};

const site = () => subjectSite({ server: SERVER });

/** The values of `resource` are repeated parameters. */
function withResources(path: string, resources: readonly string[]): string {
  return path + resources.map((one) => `&resource=${encodeURIComponent(one)}`).join("");
}

/** Whose `aud` and `scope` a token response has. */
async function targetOf(response: Response): Promise<readonly [aud: unknown, scope: unknown]> {
  const { access_token } = await tokensOf(response);
  const { aud, scope } = claimsOf(access_token);
  return [aud, scope];
}

async function codeFor(
  at: ReturnType<typeof site>,
  resources: readonly string[],
  params: Params = {},
): Promise<string> {
  const path = withResources(at.authorizePath(params), resources);
  const page = await at.browser.send(path);
  const answer = page.status === 200 ? await at.decide(at.browser, page) : page;
  return new URL(answer.headers.get("Location") ?? "", ISSUER).searchParams.get("code") ?? "";
}

/** Sends a token request that repeats `resource`. */
async function send(
  at: ServerSite,
  form: Readonly<Record<string, string>>,
  resources: readonly string[],
): Promise<Response> {
  const body = new URLSearchParams({ client_id: "spa", ...form });
  for (const resource of resources) body.append("resource", resource);
  return await at.send("/oauth/token", { method: "POST", body });
}

const ALL = "notes:read notes:write mail:read";

const REQUESTS: readonly (readonly [
  why: string,
  resources: readonly string[],
  scope: string | undefined,
  aud: unknown,
  granted: string,
])[] = [
  ["one API, with the scopes of all", [NOTES], ALL, NOTES, "notes:read notes:write"],
  ["another API", [MAIL], ALL, MAIL, "mail:read"],
  ["two APIs, §2.1", [NOTES, MAIL], ALL, [NOTES, MAIL], ALL],
  ["two APIs in the order of the request", [MAIL, NOTES], ALL, [MAIL, NOTES], ALL],
  ["an API twice", [MAIL, MAIL], ALL, MAIL, "mail:read"],
  ["an API and no scope, as MCP clients", [MAIL], undefined, MAIL, "mail:read"],
  ["an API and openid: aud is exact", [NOTES], "openid notes:read", NOTES, "openid notes:read"],
  [
    "an API and the issuer",
    [NOTES, ISSUER],
    "openid notes:read",
    [NOTES, ISSUER],
    "openid notes:read",
  ],
  ["a URL parser's spelling of an empty path", [`${MAIL}/`], ALL, MAIL, "mail:read"],
  ["an empty value, RFC 6749 §3.1", ["", MAIL], ALL, MAIL, "mail:read"],
  ["no API: those of the scopes", [], ALL, [NOTES, MAIL], ALL],
];

for (const [why, resources, scope, aud, granted] of REQUESTS) {
  Deno.test(`AuthorizationServer issues a token for ${why}`, async () => {
    const at = site();
    const code = await codeFor(at, resources, { scope });
    const redeemed = await tokensOf(await at.redeem(code));
    assertEquals(claimsOf(redeemed.access_token)["aud"], aud);
    assertEquals(redeemed.scope, granted);
    const refreshed = await targetOf(await refreshAs(at, "spa", redeemed.refresh_token));
    assertEquals(refreshed, [aud, granted]);
  });
}

const REFUSED: readonly (readonly [why: string, resources: readonly string[]])[] = [
  ["unknown", [OTHER]],
  ["unknown, beside a known one", [NOTES, OTHER]],
  ["with a fragment, §2", [`${NOTES}#x`]],
  ["with a query", [`${NOTES}?x`]],
  ["with another path", [`${NOTES}/x`]],
  ["with a slash behind its path", [`${NOTES}/`]],
  ["with another case", ["https://API.example/notes"]],
  ["relative", ["/notes"]],
  ["two in one value", [`${NOTES} ${MAIL}`]],
  ["no URI", ["notes"]],
];

for (const [why, resources] of REFUSED) {
  Deno.test(`AuthorizationServer refuses a resource that is ${why}, 8707-2`, async () => {
    const at = site();
    const path = withResources(at.authorizePath({ scope: ALL }), resources);
    assertEquals(await answerOf(await at.browser.send(path)), "invalid_target");
  });
}

Deno.test("AuthorizationServer refuses scopes that are all for another API", async () => {
  const at = site();
  const path = withResources(at.authorizePath({ scope: "mail:read" }), [NOTES]);
  assertEquals(await answerOf(await at.browser.send(path)), "invalid_scope");
});

Deno.test("redeemCode() and refreshTokens() narrow a grant of two APIs to one, 8707-2.2", async () => {
  const at = site();
  const code = await codeFor(at, [NOTES, MAIL], { scope: ALL });
  const redeem = {
    grant_type: "authorization_code",
    code,
    redirect_uri: "https://app.example/cb",
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  };
  const first = await tokensOf(await send(at, redeem, [MAIL]));
  assertEquals([claimsOf(first.access_token)["aud"], first.scope], [MAIL, "mail:read"]);
  // The refresh token is still for both
  const refresh = (refresh_token: string, resources: readonly string[]) =>
    send(at, { grant_type: "refresh_token", refresh_token }, resources);
  const second = await tokensOf(await refresh(first.refresh_token, [NOTES]));
  assertEquals([claimsOf(second.access_token)["aud"], second.scope], [
    NOTES,
    "notes:read notes:write",
  ]);
  const third = await tokensOf(await refresh(second.refresh_token, [NOTES, MAIL]));
  assertEquals([claimsOf(third.access_token)["aud"], third.scope], [[NOTES, MAIL], ALL]);
});

/** Requests to the token endpoint for more than was granted. */
const WIDER:
  readonly (readonly [why: string, granted: readonly string[], asked: readonly string[]])[] = [
    ["an API that was not requested", [NOTES], [MAIL]],
    ["one more than was requested", [NOTES], [NOTES, MAIL]],
    ["the issuer, which was not requested", [NOTES], [ISSUER]],
    ["an API of no granted scope", [], [MAIL]],
    ["an unknown API", [NOTES], [OTHER]],
    ["an unknown API beside a granted one", [NOTES], [NOTES, OTHER]],
  ];

for (const [why, granted, asked] of WIDER) {
  Deno.test(`redeemCode() refuses ${why}, and the code is still valid (AS13, GHSA-p2fr-6hmx-4528)`, async () => {
    const at = site();
    const code = await codeFor(at, granted, { scope: "notes:read" });
    const form = {
      grant_type: "authorization_code",
      code,
      redirect_uri: "https://app.example/cb",
      code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    };
    await assertTokenError(await send(at, form, asked), "invalid_target");
    assertEquals(lastRefusal(at), "resource_refused");
    const { refresh_token } = await tokensOf(await send(at, form, granted));
    const refresh = { grant_type: "refresh_token", refresh_token };
    await assertTokenError(await send(at, refresh, asked), "invalid_target");
    assertEquals(await targetOf(await send(at, refresh, [])), [NOTES, "notes:read"]);
  });
}

Deno.test("AuthorizationServer asks again for an API that the remembered consent lacks", async () => {
  const at = site();
  const scope = "openid";
  const { access_token } = await tokensOf(await at.redeem(await codeFor(at, [NOTES], { scope })));
  assertEquals((await userinfo(at, access_token)).status, 403); // the token is for the API alone
  const answer = async (resources: readonly string[]) =>
    await answerOf(await at.browser.send(withResources(at.authorizePath({ scope }), resources)));
  assertEquals(await answer([NOTES]), "code");
  assertEquals(await answer([MAIL]), "consent");
  assertEquals(await answer([NOTES, ISSUER]), "consent");
  assertEquals(await answer([]), "consent");
  const [grant] = await at.server.listGrants("u1");
  assertEquals(grant?.resources, [NOTES]);
});

Deno.test("refreshTokens() refuses a grant for an API that the server has lost", async () => {
  const at = site();
  const tokens = await tokensOf(await at.redeem(await codeFor(at, [MAIL], { scope: ALL })));
  const smaller = subjectSite({
    server: { ...SERVER, ...at.options, resources: [NOTES], scopes: {} },
  });
  await assertTokenError(await refreshAs(smaller, "spa", tokens.refresh_token), "invalid_scope");
});

Deno.test("refreshTokens() refuses a grant of which only the API was lost", async () => {
  const at = site();
  const params = { scope: "openid offline_access" };
  const tokens = await tokensOf(await at.redeem(await codeFor(at, [MAIL], params)));
  const smaller = subjectSite({
    server: { ...SERVER, ...at.options, resources: [NOTES], scopes: {} },
  });
  await assertTokenError(await refreshAs(smaller, "spa", tokens.refresh_token), "invalid_target");
  assertEquals(lastRefusal(at), "resource_refused"); // both have the events of one application
});

Deno.test("redeemCode() takes empty values of resource for none, RFC 6749 §3.1", async () => {
  const at = site();
  const form = {
    grant_type: "authorization_code",
    code: await codeFor(at, [MAIL], { scope: ALL }),
    redirect_uri: "https://app.example/cb",
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  };
  assertEquals(await targetOf(await send(at, form, ["", ""])), [MAIL, "mail:read"]);
});

Deno.test("AuthorizationServer issues a token without scopes for an API that has none", async () => {
  const at = subjectSite({ server: { resources: [NOTES], scopes: {} } });
  const code = await codeFor(at, [NOTES], { scope: undefined });
  assertEquals(await targetOf(await at.redeem(code)), [NOTES, ""]);
});
