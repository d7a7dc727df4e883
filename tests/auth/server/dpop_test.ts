/** DPoP at the authorization server, RFC 9449 §5 to §10. */

import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { deriveKeys, generateJwk } from "../../../auth/mod.ts";
import { proofKey } from "../dpop/_proofs.ts";
import { codeOf, dpopSite, redeemWith, refreshWith, tokenProof, userinfoWith } from "./_dpop.ts";
import { assertRedirectError, assertTokenError, claimsOf, ISSUER, serverSite } from "./_site.ts";
import { bearer, granted, isAlive, lastRefusal, tokensOf } from "./_tokens.ts";

const NONCE_KEYS = deriveKeys("k3-Zq8vT1xW5rY7uP9sD2fG4hJ6kL0mN");
const [KEY, OTHER] = [await proofKey(), await proofKey("Ed25519")];

for (const clientId of ["spa", "web", "cli", "bound"]) {
  Deno.test(`exchangeTokens() binds the tokens of ${clientId} to its key, BCP-2.2.1, BCP-4.10`, async () => {
    const site = dpopSite();
    const code = await codeOf(site, clientId);
    const tokens = await tokensOf(
      await redeemWith(site, clientId, code, await tokenProof(site, KEY)),
    );
    assertEquals(tokens.token_type, "DPoP");
    assertEquals(claimsOf(tokens.access_token)["cnf"], { jkt: KEY.jkt });
    assertEquals(claimsOf(tokens.id_token)["cnf"], undefined);

    const proof = await tokenProof(site, KEY);
    const next = await tokensOf(await refreshWith(site, clientId, tokens.refresh_token, proof));
    assertEquals(next.token_type, "DPoP");
    assertEquals(claimsOf(next.access_token)["cnf"], { jkt: KEY.jkt });
  });
}

Deno.test("exchangeTokens() issues bearer tokens to clients without a proof", async () => {
  const tokens = await granted(dpopSite());
  assertEquals([tokens.token_type, claimsOf(tokens.access_token)["cnf"]], ["Bearer", undefined]);
});

Deno.test("exchangeTokens() ignores a proof if the server does not support DPoP", async () => {
  const site = serverSite();
  const response = await redeemWith(site, "spa", await codeOf(site, "spa"), "not even a proof");
  assertEquals((await tokensOf(response)).token_type, "Bearer");
});

Deno.test("exchangeTokens() refuses a client with dpopBound that has no proof, 9449-5.2", async () => {
  for (const site of [dpopSite(), dpopSite({ dpop: false })]) {
    const code = await codeOf(site, "bound");
    await assertTokenError(await redeemWith(site, "bound", code), "invalid_dpop_proof");
    assertEquals(lastRefusal(site), "dpop_proof_missing");
  }
});

Deno.test("exchangeTokens() refuses a bad proof before the code or the refresh token is used up, AS13, AS39", async () => {
  const site = dpopSite();
  const code = await codeOf(site, "spa");
  const used = await tokenProof(site, KEY);
  const bad: readonly (readonly [reason: string, proof: string])[] = [
    ["dpop_proof_malformed", "proof"],
    ["dpop_proof_malformed", `${used}, ${used}`],
    ["dpop_proof_mismatch", await tokenProof(site, KEY, { htm: "GET" })],
    [
      "dpop_proof_mismatch",
      await tokenProof(site, KEY, { htu: "https://example.com/oauth/userinfo" }),
    ],
    [
      "dpop_proof_mismatch",
      await tokenProof(site, KEY, { htu: "https://other.example/oauth/token" }),
    ],
    ["dpop_proof_expired", await tokenProof(site, KEY, { iat: site.app.clock.now - 61 })],
  ];
  const refuses = async (send: (proof: string) => Promise<Response>) => {
    for (const [reason, proof] of bad) {
      await assertTokenError(await send(proof), "invalid_dpop_proof");
      assertEquals(lastRefusal(site), reason);
    }
  };
  await refuses((proof) => redeemWith(site, "spa", code, proof));
  const { refresh_token } = await tokensOf(await redeemWith(site, "spa", code, used));
  await refuses((proof) => refreshWith(site, "spa", refresh_token, proof));

  await assertTokenError(await refreshWith(site, "spa", refresh_token, used), "invalid_dpop_proof");
  assertEquals(lastRefusal(site), "dpop_proof_replayed");
  await tokensOf(await refreshWith(site, "spa", refresh_token, await tokenProof(site, KEY)));
});

Deno.test("refreshTokens() refuses a public client's token with another key, and without one, AS39, 9449-5", async () => {
  const site = dpopSite();
  const proof = await tokenProof(site, KEY);
  const code = await codeOf(site, "spa");
  const { refresh_token } = await tokensOf(await redeemWith(site, "spa", code, proof));
  for (const stolen of [undefined, await tokenProof(site, OTHER)]) {
    await assertTokenError(await refreshWith(site, "spa", refresh_token, stolen), "invalid_grant");
    assertEquals(lastRefusal(site), "dpop_key_mismatch");
  }
  // The thief has not ended the grant
  const next = await refreshWith(site, "spa", refresh_token, await tokenProof(site, KEY));
  assertEquals(claimsOf((await tokensOf(next)).access_token)["cnf"], { jkt: KEY.jkt });
});

Deno.test("refreshTokens() lets a client that authenticates change its key, 9449-5", async () => {
  const site = dpopSite();
  const code = await codeOf(site, "web");
  const first = await redeemWith(site, "web", code, await tokenProof(site, KEY));
  const { refresh_token } = await tokensOf(first);
  const next = await refreshWith(site, "web", refresh_token, await tokenProof(site, OTHER));
  assertEquals(claimsOf((await tokensOf(next)).access_token)["cnf"], { jkt: OTHER.jkt });
});

Deno.test("refreshTokens() repeats an answer for the key only, within refreshReuseSeconds", async () => {
  const site = dpopSite({ refreshReuseSeconds: 10 });
  const code = await codeOf(site, "spa");
  const first = await redeemWith(site, "spa", code, await tokenProof(site, KEY));
  const { refresh_token } = await tokensOf(first);
  const refresh = async (key: typeof KEY) =>
    await refreshWith(site, "spa", refresh_token, await tokenProof(site, key));
  const next = await tokensOf(await refresh(KEY));
  await assertTokenError(await refresh(OTHER), "invalid_grant");
  assertEquals((await tokensOf(await refresh(KEY))).refresh_token, next.refresh_token);
});

Deno.test("redeemCode() refuses a code that is bound to another key by dpop_jkt, 9449-10", async () => {
  const site = dpopSite();
  const code = await codeOf(site, "spa", { dpop_jkt: KEY.jkt });
  for (const proof of [undefined, await tokenProof(site, OTHER)]) {
    await assertTokenError(await redeemWith(site, "spa", code, proof), "invalid_grant");
    assertEquals(lastRefusal(site), "dpop_key_mismatch");
  }
  const response = await redeemWith(site, "spa", code, await tokenProof(site, KEY));
  assertEquals((await tokensOf(response)).token_type, "DPoP");
});

for (const jkt of ["short", `${"A".repeat(42)}B`, "A".repeat(44), `${"A".repeat(42)}=`]) {
  Deno.test(`authorize() refuses dpop_jkt=${jkt}, 9449-10`, async () => {
    const site = dpopSite();
    const response = await site.authorize(await site.signedIn(), { dpop_jkt: jkt });
    assertRedirectError(response, "invalid_request");
  });
}

Deno.test("exchangeTokens() demands nonces with nonceKeys, and renews them, 9449-8", async () => {
  const site = dpopSite({ dpop: { nonceKeys: NONCE_KEYS } });
  const code = await codeOf(site, "spa");
  const refused = await redeemWith(site, "spa", code, await tokenProof(site, KEY));
  const nonce = refused.headers.get("DPoP-Nonce") ?? "";
  assertEquals(refused.headers.get("Access-Control-Expose-Headers")?.includes("DPoP-Nonce"), true);
  await assertTokenError(refused, "use_dpop_nonce");

  const response = await redeemWith(site, "spa", code, await tokenProof(site, KEY, { nonce }));
  assertEquals(response.headers.get("DPoP-Nonce"), null);
  const { refresh_token } = await tokensOf(response);

  site.app.clock.now += 45;
  const proof = await tokenProof(site, KEY, { nonce });
  const renewed = await refreshWith(site, "spa", refresh_token, proof);
  await tokensOf(renewed);
  assertNotEquals(renewed.headers.get("DPoP-Nonce") ?? nonce, nonce);
});

Deno.test("exchangeTokens() lets one of ten concurrent requests with one proof pass, AS39", async () => {
  const site = dpopSite();
  const browser = await site.signedIn();
  const proof = await tokenProof(site, KEY);
  const codes = [];
  for (let n = 0; n < 10; n++) codes.push(await site.code(browser, { client_id: "own" }));
  const responses = await Promise.all(codes.map((code) => redeemWith(site, "own", code, proof)));
  assertEquals(responses.filter(({ status }) => status === 200).length, 1);
});

Deno.test("userinfo() accepts a bound token by DPoP with a proof of its key only, AS24, 9449-7", async () => {
  const site = dpopSite();
  const code = await codeOf(site, "spa");
  const tokens = await tokensOf(await redeemWith(site, "spa", code, await tokenProof(site, KEY)));
  const { access_token: token } = tokens;
  const claims = await (await userinfoWith(site, token, KEY)).json();
  assertEquals(claims.sub, "u1");

  const REALM = `DPoP realm="${ISSUER}", algs="ES256 PS256 Ed25519 EdDSA"`;
  const refused: readonly (readonly [string, string, Response])[] = [
    [
      "as Bearer",
      `Bearer realm="${ISSUER}", error="invalid_token"`,
      await site.send(
        "/oauth/userinfo",
        { headers: bearer(token) },
      ),
    ],
    [
      "as Bearer with a proof",
      `Bearer realm="${ISSUER}", error="invalid_token"`,
      await userinfoWith(
        site,
        token,
        KEY,
        {},
        "Bearer",
      ),
    ],
    [
      "without a proof",
      `${REALM}, error="invalid_dpop_proof"`,
      await site.send(
        "/oauth/userinfo",
        { headers: { Authorization: `DPoP ${token}` } },
      ),
    ],
    ["with another key", `${REALM}, error="invalid_token"`, await userinfoWith(site, token, OTHER)],
    [
      "without ath",
      `${REALM}, error="invalid_dpop_proof"`,
      await userinfoWith(site, token, KEY, { ath: undefined }),
    ],
    [
      "with a proof for the token endpoint",
      `${REALM}, error="invalid_dpop_proof"`,
      await userinfoWith(site, token, KEY, { htu: `${ISSUER}/oauth/token` }),
    ],
  ];
  for (const [why, challenge, response] of refused) {
    assertEquals(
      [response.status, response.headers.get("WWW-Authenticate")],
      [401, challenge],
      why,
    );
  }
});

Deno.test("userinfo() refuses a bearer token by DPoP, and offers both schemes, 9449-7.2", async () => {
  const site = dpopSite();
  const { access_token } = await granted(site);
  const response = await userinfoWith(site, access_token, KEY);
  assertEquals(response.status, 401);
  assertEquals(
    (await site.send("/oauth/userinfo")).headers.get("WWW-Authenticate"),
    `Bearer realm="${ISSUER}", DPoP realm="${ISSUER}", algs="ES256 PS256 Ed25519 EdDSA"`,
  );
});

Deno.test("userinfo() demands nonces too, 9449-9", async () => {
  const site = dpopSite({ dpop: { nonceKeys: NONCE_KEYS } });
  const code = await codeOf(site, "spa");
  const first = await redeemWith(site, "spa", code, await tokenProof(site, KEY));
  const nonce = first.headers.get("DPoP-Nonce") ?? "";
  const proof = await tokenProof(site, KEY, { nonce });
  const { access_token } = await tokensOf(await redeemWith(site, "spa", code, proof));
  const refused = await userinfoWith(site, access_token, KEY);
  assertEquals([refused.status, refused.headers.get("DPoP-Nonce")], [401, nonce]);
  assert(refused.headers.get("WWW-Authenticate")?.includes('error="use_dpop_nonce"'));
  assertEquals((await userinfoWith(site, access_token, KEY, { nonce })).status, 200);

  // Each answer to a valid proof has the next nonce
  site.app.clock.now += 45;
  const { access_token: narrow } = await tokensOf(
    await redeemWith(
      site,
      "spa",
      await codeOf(site, "spa", { scope: "notes:read" }),
      await tokenProof(site, KEY, { nonce }),
    ),
  );
  const answers = [
    await userinfoWith(site, access_token, KEY, { nonce }),
    await userinfoWith(site, narrow, KEY, { nonce }),
  ];
  const body = new URLSearchParams({ token: access_token, client_id: "spa" });
  assertEquals((await site.send("/oauth/revoke", { method: "POST", body })).status, 200);
  answers.push(await userinfoWith(site, access_token, KEY, { nonce }));
  assertEquals(answers.map(({ status }) => status), [200, 403, 401]);
  for (const { headers } of answers) assertNotEquals(headers.get("DPoP-Nonce") ?? nonce, nonce);
});

Deno.test("userinfo() refuses bound tokens if the server does not support DPoP any more", async () => {
  const site = dpopSite();
  const code = await codeOf(site, "spa");
  const { access_token } = await tokensOf(
    await redeemWith(site, "spa", code, await tokenProof(site, KEY)),
  );
  const later = serverSite({ server: { ...site.options, dpop: false } });
  const asBearer = await later.send("/oauth/userinfo", { headers: bearer(access_token) });
  assertEquals(asBearer.status, 401);
});

Deno.test("revokeToken() ends a grant with bound tokens without a proof", async () => {
  const site = dpopSite();
  const code = await codeOf(site, "spa");
  const tokens = await tokensOf(await redeemWith(site, "spa", code, await tokenProof(site, KEY)));
  const body = new URLSearchParams({ token: tokens.refresh_token, client_id: "spa" });
  assertEquals((await site.send("/oauth/revoke", { method: "POST", body })).status, 200);
  assertEquals(await isAlive(site, tokens), [false, false]);
  assertEquals((await userinfoWith(site, tokens.access_token, KEY)).status, 401);
});

Deno.test("serverMetadata() lists the algorithms of proofs if the server supports DPoP, 9449-5.1", () => {
  const { server } = dpopSite();
  assertEquals(server.metadata()["dpop_signing_alg_values_supported"], [
    "ES256",
    "PS256",
    "Ed25519",
    "EdDSA",
  ]);
  assertEquals(serverSite().server.metadata()["dpop_signing_alg_values_supported"], undefined);
});

Deno.test("AuthorizationServer() refuses dpop without states, and malformed options", async () => {
  const cannot = "Cannot create authorization server";
  const untyped = (value: unknown) => value as never;
  const rows: readonly (readonly [options: object, message: string])[] = [
    [{ dpop: true, states: undefined }, `${cannot}: dpop needs states`],
    [{ dpop: { nonces: true } }, `${cannot}: dpop: unknown option nonces`],
    [{ dpop: "yes" }, `${cannot}: dpop: options must be an object`],
    [{ dpop: { nonceKeys: await generateJwk("HS256") } }, `${cannot}: dpop: nonceKeys must have`],
  ];
  for (const [options, message] of rows) {
    assertThrows(() => dpopSite(untyped(options)), TypeError, message);
  }
});
