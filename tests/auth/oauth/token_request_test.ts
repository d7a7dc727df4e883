/** Requests to the token endpoint and the revocation endpoint: what is sent, and which answers are accepted. */

import { assertEquals, assertFalse } from "@std/assert";
import { requestTokens, revokeToken } from "../../../auth/oauth/_token_request.ts";
import type { OAuthTokens } from "../../../auth/oauth/mod.ts";
import {
  METADATA,
  OUTAGE_STATUSES,
  refusalOf,
  REFUSED_STATUSES,
  scripted,
  statusOf,
  UNREADABLE,
} from "./_requests.ts";
import { NOW } from "./_sign_in.ts";

const GRANT = { grant_type: "authorization_code", code: "a+b &=é", code_verifier: "v" };

/** RFC 6749 §5.1. */
const TOKENS = { access_token: "2YotnFZFEjr1zCsicMWpAA", token_type: "Bearer" };

Deno.test("requestTokens() sends the grant as a form, with client authentication and the provider's headers", async () => {
  const { context, requests, forms } = scripted(() => Response.json(TOKENS), {
    tokenHeaders: { "User-Agent": "gatehouse" },
  });
  await requestTokens(context, GRANT);
  assertEquals(requests.map(({ method, url }) => [method, url]), [[
    "POST",
    METADATA.token_endpoint,
  ]]);
  assertEquals(forms.map((form) => Object.fromEntries(form)), [GRANT]);
  const seen = ["content-type", "accept", "user-agent", "authorization"];
  assertEquals(requests.flatMap(({ headers }) => seen.map((name) => headers.get(name))), [
    "application/x-www-form-urlencoded;charset=UTF-8",
    "application/json",
    "gatehouse",
    `Basic ${btoa("client:s3cret")}`,
  ]);
  assertEquals(requests[0]?.redirect, "manual");
});

Deno.test("requestTokens() does not let a grant replace the client's credentials", async () => {
  const { context, forms } = scripted(() => Response.json(TOKENS), {
    authentication: { method: "client_secret_post", secret: "s3cret" },
  });
  await requestTokens(context, { ...GRANT, client_id: "other", client_secret: "other" });
  assertEquals(forms.map((form) => form.getAll("client_id")), [["client"]]);
  assertEquals(forms.map((form) => form.getAll("client_secret")), [["s3cret"]]);
});

/** Members besides {@linkcode TOKENS}, and what is read. */
const READ: readonly (readonly [
  why: string,
  members: Record<string, unknown>,
  tokens: Partial<OAuthTokens>,
])[] = [
  ["only what is required", {}, {}],
  ["a type in lower case, as GitHub's", { token_type: "bearer" }, {}],
  ["a type in upper case", { token_type: "BEARER" }, {}],
  ["unknown members, which §5.1 ignores", { user: { id: 1 }, ok: true }, {}],
  ["a lifetime", { expires_in: 3600 }, { expiresAt: NOW + 3600 }],
  ["a lifetime as a string", { expires_in: "3600" }, { expiresAt: NOW + 3600 }],
  ["a lifetime with a fraction", { expires_in: 59.9 }, { expiresAt: NOW + 59 }],
  ["a lifetime of 0, Slack's for no expiry", { expires_in: 0 }, {}],
  ["a negative lifetime", { expires_in: -1 }, {}],
  ["a lifetime of null", { expires_in: null }, {}],
  ["an empty lifetime", { expires_in: "" }, {}],
  ["a lifetime as a hexadecimal string", { expires_in: "0x10" }, {}],
  ["a lifetime with an exponent", { expires_in: "1e3" }, {}],
  ["a lifetime of 10^300 seconds", { expires_in: 1e300 }, {}],
  ["a refresh token", { refresh_token: "r" }, { refreshToken: "r" }],
  ["an ID token", { id_token: "a.b.c" }, { idToken: "a.b.c" }],
  ["scopes, §3.3", { scope: "openid email" }, { scope: ["openid", "email"] }],
  ["scopes with commas, GitHub's", { scope: "repo,gist" }, { scope: ["repo", "gist"] }],
  ["scopes as an array, Twitch's", { scope: ["a:b", "c"] }, { scope: ["a:b", "c"] }],
  ["an empty scope", { scope: "" }, { scope: [] }],
  ["a scope that is a number", { scope: 7 }, { scope: [] }],
  ["an access token of 16 KiB", { access_token: "a".repeat(16_384) }, {
    accessToken: "a".repeat(16_384),
  }],
];
for (const [why, members, tokens] of READ) {
  Deno.test(`requestTokens() reads ${why}`, async () => {
    const { context } = scripted(() => Response.json({ ...TOKENS, ...members }));
    assertEquals(await requestTokens(context, GRANT), {
      accessToken: TOKENS.access_token,
      scope: [],
      ...tokens,
    });
  });
}

/** Answers with status 200 that are no tokens. */
const REFUSED: readonly (readonly [why: string, reason: string, answer: unknown])[] = [
  ["error, as GitHub's (RP19)", "token_refused", { error: "bad_verification_code" }],
  ["error beside tokens (RP19)", "token_refused", { ...TOKENS, error: "s3cret" }],
  ["ok: false, as Slack's (RP19)", "token_refused", { ok: false, ...TOKENS }],
  ["an array", "token_response_malformed", [TOKENS]],
  ["a string", "token_response_malformed", "s3cret"],
  ["null", "token_response_malformed", null],
  ["no access token", "token_response_malformed", { token_type: "Bearer" }],
  ["an empty access token", "token_response_malformed", { ...TOKENS, access_token: "" }],
  ["an access token that is a number", "token_response_malformed", { ...TOKENS, access_token: 7 }],
  ["a line break", "token_response_malformed", { ...TOKENS, access_token: "s3cret\r\nX: y" }],
  ["a line break at the end", "token_response_malformed", { ...TOKENS, access_token: "s3cret\n" }],
  ["NUL", "token_response_malformed", { ...TOKENS, access_token: "s3cret\0" }],
  ["a letter that no header field holds", "token_response_malformed", {
    ...TOKENS,
    access_token: "é",
  }],
  ["an access token of more than 16 KiB", "token_response_malformed", {
    ...TOKENS,
    access_token: "a".repeat(16_385),
  }],
  ["no token type", "token_response_malformed", { access_token: "s3cret" }],
  ["a token type of null", "token_response_malformed", { ...TOKENS, token_type: null }],
  ["another token type", "token_response_malformed", { ...TOKENS, token_type: "DPoP" }],
  ["a token type in two words", "token_response_malformed", { ...TOKENS, token_type: "Bearer x" }],
  ["a refresh token that is a number", "token_response_malformed", { ...TOKENS, refresh_token: 7 }],
  ["an ID token that is an object", "token_response_malformed", { ...TOKENS, id_token: {} }],
];
for (const [why, reason, answer] of REFUSED) {
  Deno.test(`requestTokens() rejects ${why}`, async () => {
    const { context } = scripted(() => Response.json(answer));
    assertEquals(await refusalOf(() => requestTokens(context, GRANT)), ["oauth_failed", reason]);
  });
}

for (const [why, answer] of UNREADABLE) {
  Deno.test(`requestTokens() rejects ${why} as malformed, so that no kept token is deleted (RP21)`, async () => {
    const { context } = scripted(answer);
    assertEquals(await refusalOf(() => requestTokens(context, GRANT)), [
      "oauth_failed",
      "token_response_malformed",
    ]);
  });
}

for (const status of REFUSED_STATUSES) {
  Deno.test(`requestTokens() rejects the status ${status}, and follows nothing (RP20, RP21)`, async () => {
    const { context, requests } = scripted(() => statusOf(status));
    assertEquals(await refusalOf(() => requestTokens(context, GRANT)), [
      "oauth_failed",
      "token_refused",
    ]);
    assertEquals(requests.length, 1);
  });
}

for (const status of OUTAGE_STATUSES) {
  Deno.test(`requestTokens() takes the status ${status} as an outage`, async () => {
    const { context } = scripted(() => statusOf(status));
    assertEquals(await refusalOf(() => requestTokens(context, GRANT)), [
      "service_unavailable",
      "provider_unreachable",
    ]);
  });
}

Deno.test("requestTokens() takes a failed connection as an outage", async () => {
  const { context } = scripted(() => Promise.reject(new TypeError("reset")));
  assertEquals(await refusalOf(() => requestTokens(context, GRANT)), [
    "service_unavailable",
    "provider_unreachable",
  ]);
});

Deno.test("revokeToken() sends the token as a form with client authentication", async () => {
  const { context, requests, forms } = scripted(() => new Response(null));
  assertEquals(await revokeToken(context, "45ghiukldjahdnhzdauz"), true);
  assertEquals(
    requests.map(({ method, url, headers }) => [method, url, headers.get("authorization")]),
    [
      ["POST", "https://id.example/revoke", `Basic ${btoa("client:s3cret")}`],
    ],
  );
  assertEquals(forms.map((form) => form.toString()), ["token=45ghiukldjahdnhzdauz"]);
});

for (const [why, answer] of UNREADABLE) {
  Deno.test(`revokeToken() ignores a body, RFC 7009 §2.2: ${why}`, async () => {
    assertEquals(await revokeToken(scripted(answer).context, "token"), true);
  });
}

Deno.test("revokeToken() returns false without an endpoint", async () => {
  const server = { ...METADATA, revocation_endpoint: undefined };
  const { context, requests } = scripted(() => new Response(null), { server });
  assertFalse(await revokeToken(context, "token"));
  assertEquals(requests.length, 0);
});

for (
  const [status, refusal] of [
    [400, ["oauth_failed", "token_refused"]],
    [307, ["oauth_failed", "token_refused"]],
    [503, ["service_unavailable", "provider_unreachable"]], // RFC 7009 §2.2.1
  ] as const
) {
  Deno.test(`revokeToken() rejects the status ${status}`, async () => {
    const { context } = scripted(() => statusOf(status));
    assertEquals(await refusalOf(() => revokeToken(context, "token")), refusal);
  });
}
