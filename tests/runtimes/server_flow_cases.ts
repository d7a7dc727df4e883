/**
 * Journeys through an authorization server: what users and clients do has to go the same way on every runtime.
 *
 * @module
 */

import { verifyJwt } from "../../mod.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import { createOwnApp } from "./server_app.ts";
import {
  authorizePath,
  createServerSite,
  ISSUER,
  outcome,
  parametersOf,
  REDIRECT_URI,
  type ServerSite,
  signedIn,
  START,
  type Tokens,
} from "./server_site.ts";

/** Whether the tokens of a grant are valid: at UserInfo, then for a refresh. */
async function isAlive(
  { userinfo, refresh }: ServerSite,
  { access_token, refresh_token }: Tokens,
): Promise<readonly string[]> {
  return [await outcome(userinfo(access_token)), await outcome(refresh(refresh_token))];
}

const DEAD = ["401", "400 invalid_grant"];

/** Sends a request 50 times at once. @returns Tokens of those that succeeded, and how often each error came. */
async function atOnce(
  send: () => Promise<Response>,
): Promise<{ readonly won: readonly Tokens[]; readonly errors: Readonly<Record<string, number>> }> {
  const responses = await Promise.all(Array.from({ length: 50 }, send));
  const bodies = await Promise.all(responses.map(async (response) => await response.json()));
  const errors: Record<string, number> = {};
  for (const { error } of bodies) if (error !== undefined) errors[error] = (errors[error] ?? 0) + 1;
  return { won: bodies.filter(({ access_token }) => access_token !== undefined), errors };
}

/** The cases, in the order in which they run. */
export const serverFlowCases: readonly RuntimeCase[] = [
  ...(["ES256", "RS256", "EdDSA"] as const).map((alg) => ({
    name: `server: a user signs in and consents, and the client gets tokens, signed by ${alg}`,
    async run() {
      const site = createServerSite({ idTokenAlgorithm: alg });
      const jar = new Map<string, string>();
      const login = parametersOf(await site.open(jar, authorizePath()));
      const names = [...jar.keys()].map((name) => name.replace(/-[\w-]{8}$/, ""));
      assertSame([login.get("reason"), names], ["signed_out", ["__Host-ax"]]);
      jar.set("__Host-user", "u1");
      const page = await site.open(jar, login.get("next") ?? "");
      assertSame([page.status, page.headers.get("X-Frame-Options")], [200, "DENY"]);
      const response = await site.decide(jar, await page.text());
      assert(response.headers.get("Location")?.startsWith(`${REDIRECT_URI}?code=`), "No code");
      const parameters = parametersOf(response);
      assertSame([parameters.get("state"), parameters.get("iss")], ["s-1", ISSUER]);
      const redeemed = await site.redeem(parameters.get("code") ?? "");
      const fields = ["Cache-Control", "Content-Type"];
      assertSame(fields.map((field) => redeemed.headers.get(field)), [
        "no-store",
        "application/json",
      ]);
      const tokens: Tokens = await redeemed.json();
      assertSame(tokens.scope, "openid email offline_access notes:read");
      const keys = await (await site.send("/.well-known/jwks.json")).json();
      const options = { algorithms: [alg], keys, issuer: ISSUER, now: () => site.clock.now };
      const id = await verifyJwt(tokens.id_token, { ...options, audience: "spa" });
      assertSame([id.claims.sub, id.claims["nonce"], id.claims["auth_time"], id.claims["amr"]], [
        "u1",
        "n-1",
        START - 5,
        ["pwd"],
      ]);
      const access = await verifyJwt(tokens.access_token, {
        ...options,
        audience: ISSUER,
        typ: "at+jwt",
      });
      assertSame([access.header.typ, access.claims["client_id"]], ["at+jwt", "spa"]);
    },
  })),
  {
    name:
      "server: on a router, whoever is signed in gets tokens that its routes accept until they are revoked",
    async run() {
      const { cookie, fetch } = await createOwnApp();
      const site = createServerSite({ fetch });
      const signIn = await site.open(new Map(), authorizePath({ scope: "notes:read" }));
      assertSame(parametersOf(signIn).get("reason"), "signed_out");
      const jar = new Map([cookie]);
      const response = await site.open(jar, authorizePath({ scope: "openid notes:read" }));
      const tokens: Tokens = await (await site.redeem(parametersOf(response).get("code") ?? ""))
        .json();
      const bearer = { Authorization: `Bearer ${tokens.access_token}` };
      const ask = (path: string) => outcome(site.send(path, {}, bearer));
      assertSame([await ask("/notes"), await ask("/admin")], ["200", "403"]);
      assertSame(await outcome(site.post("revoke", { token: tokens.refresh_token })), "200");
      assertSame(await ask("/notes"), "401");
    },
  },
  {
    name: "server: a user denies, and the client learns of it",
    async run() {
      const site = createServerSite();
      const jar = signedIn();
      const page = await (await site.open(jar, authorizePath())).text();
      const parameters = parametersOf(await site.decide(jar, page, { decision: "deny" }));
      assertSame([parameters.get("error"), parameters.get("code")], ["access_denied", null]);
      assertSame(await outcome(site.decide(jar, page)), "404");
    },
  },
  {
    name: "server: the form of a consent page is of one browser and user, and decides once",
    async run() {
      const site = createServerSite();
      const jar = signedIn();
      const page = await (await site.open(jar, authorizePath())).text();
      const forged = { token: "x".repeat(43) };
      assertSame(await outcome(site.decide(signedIn(), page)), "403");
      assertSame(await outcome(site.decide(jar, page, forged)), "403");
      const other = new Map([...jar, ["__Host-user", "u2"]]);
      assertSame(await outcome(site.decide(other, page)), "403");
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async () => await outcome(site.decide(new Map(jar), page))),
      );
      assertSame(statuses.sort(), ["303", ...Array(19).fill("404")]);
    },
  },
  {
    name: "server: a request by POST continues by GET, where the user's cookies are",
    async run() {
      const [path = "", query = ""] = authorizePath().split("?");
      const response = await createServerSite().send(path, { method: "POST", body: query }, {
        "Content-Type": "application/x-www-form-urlencoded",
        "Sec-Fetch-Site": "cross-site",
      });
      assertSame([response.status, response.headers.get("Location")], [303, authorizePath()]);
    },
  },
  {
    name: "server: a refresh token is exchanged for the next, also for less",
    async run() {
      const site = createServerSite();
      const first = await site.granted();
      site.clock.now += 500;
      const second: Tokens = await (await site.refresh(first.refresh_token)).json();
      const narrow: Tokens = await (await site.refresh(second.refresh_token, { scope: "openid" }))
        .json();
      assertSame([second.scope, narrow.scope], [first.scope, "openid"]);
      assertSame(await outcome(site.userinfo(narrow.access_token)), "200");
      site.clock.now += 14 * 86_400;
      assertSame(await isAlive(site, narrow), DEAD);
    },
  },
  {
    name: "server: a code that is used again ends its grant",
    async run() {
      const site = createServerSite();
      const code = await site.code();
      const tokens: Tokens = await (await site.redeem(code)).json();
      assertSame(await outcome(site.userinfo(tokens.access_token)), "200");
      assertSame(await outcome(site.redeem(code)), "400 invalid_grant");
      assertSame(await isAlive(site, tokens), DEAD);
      assertSame(await site.server.listGrants("u1"), []);
    },
  },
  {
    name: "server: a code is valid for a minute",
    async run() {
      const site = createServerSite();
      const [late, timely] = [await site.code(), await site.code()];
      site.clock.now += 59;
      assertSame(await outcome(site.redeem(timely)), "200");
      site.clock.now += 1;
      assertSame(await outcome(site.redeem(late)), "400 invalid_grant");
    },
  },
  {
    name: "server: of 50 redemptions of a code at once one succeeds, and its grant ends",
    async run() {
      const site = createServerSite();
      const code = await site.code();
      const { won, errors } = await atOnce(() => site.redeem(code));
      assertSame([won.length, errors], [1, { invalid_grant: 49 }]);
      for (const tokens of won) assertSame(await isAlive(site, tokens), DEAD);
    },
  },
  {
    name: "server: a refresh token that is used again ends its grant",
    async run() {
      const site = createServerSite();
      const { refresh_token } = await site.granted();
      const next: Tokens = await (await site.refresh(refresh_token)).json();
      assertSame(await outcome(site.refresh(refresh_token)), "400 invalid_grant");
      assertSame(await isAlive(site, next), DEAD);
    },
  },
  {
    name: "server: of 50 refreshes at once one succeeds, and its grant ends",
    async run() {
      const site = createServerSite();
      const { refresh_token } = await site.granted();
      const { won, errors } = await atOnce(() => site.refresh(refresh_token));
      assertSame([won.length, errors], [1, { invalid_grant: 49 }]);
      for (const tokens of won) assertSame(await isAlive(site, tokens), DEAD);
    },
  },
  {
    name: "server: a grant ends by the revocation of either token, and by its user",
    async run() {
      const site = createServerSite();
      for (const member of ["access_token", "refresh_token"] as const) {
        const tokens = await site.granted();
        const response = await site.post("revoke", { token: tokens[member] });
        assertSame([response.status, await response.json()], [200, {}]);
        assertSame(await isAlive(site, tokens), DEAD);
      }
      assertSame(await outcome(site.post("revoke", { token: "unknown" })), "200");
      const tokens = await site.granted();
      const [{ grantId = "" } = {}] = await site.server.listGrants("u1");
      assertSame(await site.server.revokeGrant("u1", grantId), true);
      assertSame(await isAlive(site, tokens), DEAD);
    },
  },
];
