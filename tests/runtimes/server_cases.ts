/**
 * Requests to an authorization server, which has to answer the same way on every runtime.
 *
 * @module
 */

import { AuthError, deriveKeys, inMemoryAuthStores, throttleService } from "../../auth/mod.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import {
  authorizePath,
  createServerSite,
  type Fields,
  formOf,
  ISSUER,
  outcome,
  REDIRECT_URI,
  SECRET,
  signedIn,
  START,
  VERIFIER,
} from "./server_site.ts";

const BASIC = { Authorization: `Basic ${btoa(`web:${SECRET}`)}` };
const WRONG = { Authorization: `Basic ${btoa(`web:${"x".repeat(32)}`)}` };

/** Base64 of the SHA-256 digest of the one element of a kind, as in a policy. */
async function sourceHash(page: string, element: string): Promise<string> {
  const [, text = ""] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(page) ?? [];
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

/** Requests of a client for tokens of a new code, and how each is refused. */
const REFUSED: readonly (readonly [why: string, changes: Fields, error: string])[] = [
  ["another verifier", { code_verifier: "x".repeat(43) }, "400 invalid_grant"],
  ["no verifier", { code_verifier: undefined }, "400 invalid_request"],
  ["another redirect URI", { redirect_uri: `${REDIRECT_URI}/` }, "400 invalid_grant"],
  ["a client with a secret that it does not send", { client_id: "web" }, "400 invalid_client"],
  ["an unknown client", { client_id: "x" }, "400 invalid_client"],
  ["an unknown code", { code: `${"A".repeat(22)}.${"A".repeat(43)}` }, "400 invalid_grant"],
  ["an unknown grant type", { grant_type: "password" }, "400 unsupported_grant_type"],
];

/** Authorization requests whose errors must not go anywhere, and their reasons. */
const PAGES: readonly (readonly [why: string, changes: Fields, reason: string])[] = [
  ["an unknown client", { client_id: "x" }, "client_unknown"],
  ["another redirect URI", { redirect_uri: "https://evil.example/cb" }, "redirect_uri_mismatch"],
  ["no redirect URI", { redirect_uri: undefined }, "redirect_uri_missing"],
];

/** The cases, in the order in which they run. */
export const serverCases: readonly RuntimeCase[] = [
  ...REFUSED.map(([why, changes, error]) => ({
    name: `server: a token request is refused for ${why}`,
    async run() {
      const site = createServerSite();
      assertSame(await outcome(site.redeem(await site.code(), changes)), error);
    },
  })),
  {
    name: "server: a client with a secret sends it by HTTP Basic",
    async run() {
      const site = createServerSite();
      const form = {
        grant_type: "authorization_code",
        code: await site.code({ client_id: "web" }),
        redirect_uri: REDIRECT_URI,
        code_verifier: VERIFIER,
        client_id: undefined,
      };
      const wrong = await site.post("token", form, WRONG);
      assertSame([wrong.status, wrong.headers.get("WWW-Authenticate")], [
        401,
        `Basic realm="${ISSUER}"`,
      ]);
      assertSame(await wrong.json(), { error: "invalid_client" });
      assertSame(await outcome(site.post("token", form, BASIC)), "200");
    },
  },
  {
    name: "server: UserInfo says what a grant permits, and without a token how to send one",
    async run() {
      const site = createServerSite();
      const { access_token } = await site.granted();
      const claims = await (await site.userinfo(access_token)).json();
      assertSame(claims, { email: "ada@example.org", sub: "u1" });
      const without = await site.send("/oauth/userinfo");
      const wrong = await site.userinfo(`${access_token}x`);
      assertSame(
        [without, wrong].map(({ status, headers }) => [status, headers.get("WWW-Authenticate")]),
        [
          [401, `Bearer realm="${ISSUER}"`],
          [401, `Bearer realm="${ISSUER}", error="invalid_token"`],
        ],
      );
    },
  },
  {
    name: "server: metadata",
    async run() {
      const { server, send } = createServerSite();
      const response = await send("/.well-known/openid-configuration");
      assertSame(response.headers.get("Content-Type"), "application/json");
      const metadata = await response.json();
      assertSame(metadata, server.metadata());
      assertSame([metadata.issuer, metadata.token_endpoint, metadata.scopes_supported], [
        ISSUER,
        `${ISSUER}/oauth/token`,
        ["openid", "profile", "email", "address", "phone", "offline_access", "notes:read"],
      ]);
      const head = await send("/.well-known/openid-configuration", { method: "HEAD" });
      assertSame([head.status, await head.text()], [200, ""]);
    },
  },
  {
    name: "server: an issuer with a path has its metadata at RFC 8414's address, too",
    async run() {
      const issuer = "https://id.example/tenants/a";
      const { send } = createServerSite({ issuer });
      const well = "/.well-known/oauth-authorization-server/tenants/a";
      const metadata = await (await send(well)).json();
      assertSame([metadata.issuer, metadata.token_endpoint], [issuer, `${issuer}/oauth/token`]);
      const other = "/tenants/a/.well-known/openid-configuration";
      assertSame(await (await send(other)).json(), metadata);
      assertSame(await outcome(send("/.well-known/oauth-authorization-server")), "404");
      const token = await send("/tenants/a/oauth/token", { method: "POST" });
      assertSame([token.status, await token.json()], [400, { error: "invalid_request" }]);
      assertSame(await outcome(send("/oauth/token", { method: "POST" })), "404");
    },
  },
  {
    name: "server: public keys, with a tag",
    async run() {
      const { send } = createServerSite();
      const response = await send("/.well-known/jwks.json");
      assertSame(response.headers.get("Content-Type"), "application/jwk-set+json");
      const { keys: [key, ...others] } = await response.json();
      assertSame([others, key.kty, key.alg, "d" in key], [[], "EC", "ES256", false]);
      const tag = { "If-None-Match": response.headers.get("ETag") ?? "" };
      assertSame(await outcome(send("/.well-known/jwks.json", {}, tag)), "304");
    },
  },
  {
    name: "server: pages of other origins may ask for tokens, but not for codes",
    async run() {
      const { send } = createServerSite();
      const fields = { Origin: "https://app.example", "Access-Control-Request-Method": "POST" };
      const init = { method: "OPTIONS" };
      const [token, page] = [
        await send("/oauth/token", init, fields),
        await send("/oauth/authorize", init, fields),
      ];
      const names = [
        "Access-Control-Allow-Origin",
        "Access-Control-Allow-Methods",
        "Access-Control-Allow-Headers",
      ];
      assertSame([token.status, token.body, ...names.map((name) => token.headers.get(name))], [
        204,
        null,
        "*",
        "POST, OPTIONS",
        "*, Authorization",
      ]);
      assertSame([page.status, ...names.map((name) => page.headers.get(name))], [
        405,
        null,
        null,
        null,
      ]);
    },
  },
  ...PAGES.map(([why, changes, reason]) => ({
    name: `server: the error of ${why} is a page, and leads nowhere`,
    async run() {
      const { open } = createServerSite();
      const response = await open(signedIn(), authorizePath(changes));
      const text = await response.text();
      assertSame([response.status, response.headers.get("Location")], [400, null]);
      assert(text.includes(`<code>${reason}</code>`), `The page does not say ${reason}`);
      assert(!/href|evil/.test(text), "The page leads away");
    },
  })),
  {
    name: "server: a response as a form, whose one script the policy names by its hash",
    async run() {
      const site = createServerSite();
      const jar = signedIn();
      const path = authorizePath({ response_mode: "form_post" });
      const consent = await (await site.open(jar, path)).text();
      const response = await site.decide(jar, consent);
      const page = await response.text();
      const [script, style] = [await sourceHash(page, "script"), await sourceHash(page, "style")];
      assertSame([response.status, response.headers.get("Content-Security-Policy")], [
        200,
        `default-src 'none'; style-src 'sha256-${style}'; frame-ancestors 'none'; ` +
        `base-uri 'none'; script-src 'sha256-${script}'`,
      ]);
      const { action, fields } = formOf(page);
      assertSame([action, fields.get("state"), fields.get("iss")], [REDIRECT_URI, "s-1", ISSUER]);
      assertSame(await outcome(site.redeem(fields.get("code") ?? "")), "200");
    },
  },
  {
    name: "server: an address with too many refused requests has to wait",
    async run() {
      const now = () => START;
      const rule = { kind: "window", limit: 3, seconds: 60 } as const;
      const throttle = throttleService({
        store: inMemoryAuthStores({ now }).throttle,
        keys: deriveKeys("a secret that only the tests know, kept"),
        rules: { token: rule },
        now,
      });
      const site = createServerSite({ throttle, clientAddress: () => "192.0.2.1" });
      const tokens = await site.granted();
      for (let i = 0; i < 3; i++) {
        assertSame(await outcome(site.redeem("guessed")), "400 invalid_grant");
      }
      const response = await site.refresh(tokens.refresh_token);
      assertSame([response.status, response.headers.get("Retry-After")], [429, "60"]);
      assertSame(await response.json(), { error: "temporarily_unavailable" });
      assertSame(await outcome(site.userinfo(tokens.access_token)), "200");
    },
  },
  {
    name: "server: what fails unexpectedly is reported, and says nothing",
    async run() {
      const reported: unknown[] = [];
      const down = () => Promise.reject(new Error("password=hunter2"));
      const site = createServerSite({
        clients: { find: down },
        warn: (_message, error) => void reported.push(String(error)),
      });
      const response = await site.redeem("any");
      assertSame([response.status, await response.text()], [500, '{"error":"server_error"}']);
      const page = await site.open(signedIn(), authorizePath());
      assertSame([page.status, (await page.text()).includes("hunter2")], [500, false]);
      assertSame(reported, Array(2).fill("Error: password=hunter2"));
    },
  },
  {
    name: "server: a store that is overloaded is a 503",
    async run() {
      const overloaded = new AuthError("service_unavailable");
      const find = () => Promise.reject(overloaded);
      const site = createServerSite({ clients: { find }, warn() {} });
      assertSame(await outcome(site.redeem("any")), "503 temporarily_unavailable");
    },
  },
];
