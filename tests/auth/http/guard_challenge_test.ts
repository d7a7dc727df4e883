/** What a refused credential's answer says of the ways in, RFC 9110 §11.6.1 and RFC 6750 §3. */

import { authFailed, json, requireAuth } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { createTestApp } from "./_app.ts";
import { createIssuer } from "../tokens/_bearer.ts";
import { keyStrategy, strategyOf } from "../_strategies.ts";

const HEADER = { type: "header", name: "X-Made" } as const;

/** What a strategy's refusal says, its own challenge, and what the client reads. */
const CHALLENGES: readonly (readonly [
  why: string,
  said: string | undefined,
  own: string | undefined,
  expected: string,
])[] = [
  ["what the refusal says", 'Made error="old"', 'Made realm="a"', 'Made error="old"'],
  ["what the refusal says, where it has none of its own", "Made later", undefined, "Made later"],
  ["its own where the refusal says nothing", undefined, 'Made realm="a"', 'Made realm="a"'],
  ["that of its kind where nobody says anything", undefined, undefined, "ApiKey"],
];

for (const [why, said, own, expected] of CHALLENGES) {
  Deno.test(`createGuard() answers a wrong credential with one challenge: ${why}`, async () => {
    const made = strategyOf(() => authFailed("invalid_made", "no", said), {
      scheme: HEADER,
      ...(own === undefined ? {} : { challenge: own }),
    });
    const app = createTestApp({ strategies: [made, keyStrategy()] });
    const { runtime } = app;
    app.router.get("/used", () => json(1), { auth: false, use: [requireAuth({ runtime })] });
    for (const path of ["/me", "/maybe", "/used"]) {
      const response = await app.router.request(path);
      assertEquals(response.status, 401);
      assertEquals(response.headers.get("WWW-Authenticate"), expected, path);
    }
  });
}

const TOKENS: readonly (readonly [
  why: string,
  token: "none" | "made-up" | "old",
  code: string,
  challenge: string,
])[] = [
  ["no token", "none", "unauthenticated", 'Bearer realm="api", Session'],
  [
    "a token that is none",
    "made-up",
    "invalid_token",
    'Bearer realm="api", error="invalid_token", error_description="The token is not valid"',
  ],
  [
    "a token that has ended",
    "old",
    "token_expired",
    'Bearer realm="api", error="invalid_token", error_description="The token has expired"',
  ],
];

for (const [why, which, code, challenge] of TOKENS) {
  Deno.test(`createGuard() says to a client with ${why} what RFC 6750 §3 has`, async () => {
    const issuer = await createIssuer();
    const app = createTestApp({ strategies: [issuer.strategy] });
    const token = which === "old" ? await issuer.token() : which;
    issuer.clock.now += 10_000;
    const headers = which === "none" ? new Headers() : { Authorization: `Bearer ${token}` };
    const response = await app.router.request("/me", { headers });
    assertEquals(response.headers.get("WWW-Authenticate"), challenge);
    assertEquals([response.status, (await response.json()).code], [401, code]);
  });
}
