import { assert, assertEquals, assertFalse } from "@std/assert";
import type { OAuthClient, OAuthTokens } from "../../../auth/mod.ts";
import { oauthError } from "../../../auth/oauth/_failure.ts";
import { type Accounts, accounts, resultOf, SECRET } from "./_identities.ts";
import { failure, NOW, site } from "./_sign_in.ts";

/** A client whose refreshes are counted. */
function clientOf(
  refresh: (token: string, count: number) => Promise<OAuthTokens>,
): { client: OAuthClient; refreshed: string[] } {
  const refreshed: string[] = [];
  const { client } = site();
  return {
    refreshed,
    client: {
      ...client,
      provider: { ...client.provider, name: "google" },
      refresh(token) {
        refreshed.push(token);
        return refresh(token, refreshed.length);
      },
    },
  };
}

const fresh = (_: string, count: number): Promise<OAuthTokens> =>
  Promise.resolve({
    accessToken: `fresh-${count}`,
    expiresAt: NOW + 7_200,
    refreshToken: `r-${count + 1}`,
    scope: [],
  });

async function signIn(own: Accounts): Promise<string> {
  return (await own.service.resolve(resultOf())).user.sub;
}

Deno.test("tokens() returns what the sign-in brought, and the store has it encrypted", async () => {
  const own = accounts({ keepTokens: true });
  const sub = await signIn(own);
  const { client, refreshed } = clientOf(fresh);
  assertEquals(await own.service.tokens(client, sub), { ...resultOf().tokens });
  assertEquals(refreshed, []);
  const [identity] = await own.stores.identities.list(sub);
  assertFalse(/[ar]-1\\*"/.test(JSON.stringify(identity)));
});

Deno.test("tokens() returns nothing without keepTokens, and nothing of another user or provider", async () => {
  const { client } = clientOf(fresh);
  const without = accounts();
  assertEquals(await without.service.tokens(client, await signIn(without)), undefined);
  const own = accounts({ keepTokens: true });
  const sub = await signIn(own);
  assertEquals(await own.service.tokens(client, "other"), undefined);
  const github = { ...client, provider: { ...client.provider, name: "github" } };
  assertEquals(await own.service.tokens(github, sub), undefined);
});

Deno.test("tokens() refreshes what expires within a minute, and keeps the new tokens", async () => {
  const own = accounts({ keepTokens: true });
  const sub = await signIn(own);
  const { client, refreshed } = clientOf(fresh);
  own.clock.now = NOW + 3_539;
  assertEquals((await own.service.tokens(client, sub))?.accessToken, "a-1");
  own.clock.now = NOW + 3_540;
  assertEquals((await own.service.tokens(client, sub))?.accessToken, "fresh-1");
  const again = await own.service.tokens(client, sub);
  assertEquals([again?.accessToken, again?.refreshToken, again?.scope], ["fresh-1", "r-2", [
    "openid",
  ]]);
  assertEquals(refreshed, ["r-1"]);
});

Deno.test("tokens() keeps the refresh token if no other comes", async () => {
  const own = accounts({ keepTokens: true });
  const sub = await signIn(own);
  const { client, refreshed } = clientOf(() =>
    Promise.resolve({ accessToken: "fresh", expiresAt: own.clock.now + 61, scope: [] })
  );
  own.clock.now += 3_600;
  await own.service.tokens(client, sub);
  own.clock.now += 60;
  await own.service.tokens(client, sub);
  assertEquals(refreshed, ["r-1", "r-1"]);
});

Deno.test("tokens() of many callers in two processes refreshes once", async () => {
  const first = accounts({ keepTokens: true });
  const second = accounts({ keepTokens: true, over: first.stores });
  const sub = await signIn(first);
  first.clock.now = second.clock.now = NOW + 3_600;
  const { client, refreshed } = clientOf(async (token, count) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return await fresh(token, count);
  });
  const calls = Array.from(
    { length: 20 },
    (_, i) => (i % 2 ? first : second).service.tokens(client, sub),
  );
  const found = await Promise.all(calls);
  assertEquals(refreshed, ["r-1"]);
  assertEquals(new Set(found.map((tokens) => tokens?.accessToken)), new Set(["fresh-1"]));
});

Deno.test("tokens() takes over from a process that stopped while it refreshed", async () => {
  const own = accounts({ keepTokens: true });
  const sub = await signIn(own);
  own.clock.now = NOW + 3_600;
  const [identity] = await own.stores.identities.list(sub);
  const { id = "", version = "" } = identity ?? {};
  await own.stores.identities.update(id, version, { refreshingUntil: NOW + 3_600 });
  const { client } = clientOf(fresh);
  assertEquals((await own.service.tokens(client, sub))?.accessToken, "fresh-1");
  assertEquals((await own.stores.identities.find(id))?.refreshingUntil, undefined);
});

Deno.test("tokens() forgets tokens whose refresh the provider refuses", async () => {
  const own = accounts({ keepTokens: true });
  const sub = await signIn(own);
  own.clock.now = NOW + 3_600;
  const { client, refreshed } = clientOf(() => Promise.reject(oauthError("token_refused")));
  assertEquals(await own.service.tokens(client, sub), undefined);
  assertEquals(await own.service.tokens(client, sub), undefined);
  assertEquals(refreshed.length, 1);
});

Deno.test("tokens() keeps the tokens while the provider does not answer", async () => {
  const own = accounts({ keepTokens: true });
  const sub = await signIn(own);
  own.clock.now = NOW + 3_600;
  const { client } = clientOf((token, count) =>
    count === 1 ? Promise.reject(oauthError("provider_unreachable")) : fresh(token, count)
  );
  const down = ["service_unavailable", "provider_unreachable"];
  assertEquals(await failure(() => own.service.tokens(client, sub)), down);
  assertEquals((await own.service.tokens(client, sub))?.accessToken, "fresh-2");
});

/** Answers to a refresh that say nothing of the refresh token. */
const UNRELATED: readonly (readonly [why: string, reason: string, response: () => Response])[] = [
  [
    "answers with a page, such as of its maintenance",
    "token_response_malformed",
    () => new Response("<p>", { headers: { "Content-Type": "text/html" } }),
  ],
  ["does not accept the client secret", "token_refused", () => new Response("{}", { status: 401 })],
  ["forbids the request", "token_refused", () => new Response("{}", { status: 403 })],
];

for (const [why, reason, response] of UNRELATED) {
  Deno.test(`tokens() keeps the tokens when the provider ${why}`, async () => {
    const own = accounts({ keepTokens: true });
    const sub = await signIn(own);
    own.clock.now = NOW + 3_600;
    const { client: real, fake } = site();
    fake.change({ responses: { "/token": response } });
    const { client } = clientOf((token, count) =>
      count === 1 ? real.refresh(token) : fresh(token, count)
    );
    assertEquals(await failure(() => own.service.tokens(client, sub)), ["oauth_failed", reason]);
    assertEquals((await own.service.tokens(client, sub))?.accessToken, "fresh-2");
  });
}

Deno.test("tokens() does not overwrite those of a sign-in that happened meanwhile", async () => {
  const own = accounts({ keepTokens: true });
  const sub = await signIn(own);
  own.clock.now = NOW + 3_600;
  const newer = { accessToken: "a-2", expiresAt: NOW + 9_000, refreshToken: "r-9", scope: [] };
  const { client } = clientOf(async (token, count) => {
    await own.service.resolve(resultOf({ tokens: newer }));
    return await fresh(token, count);
  });
  assertEquals((await own.service.tokens(client, sub))?.accessToken, "fresh-1");
  assertEquals((await own.service.tokens(client, sub))?.accessToken, "a-2");
});

Deno.test("tokens() ends with the identity", async () => {
  const own = accounts({ keepTokens: true });
  const sub = await signIn(own);
  const { version = "" } = await own.stores.users.findBySub(sub) ?? {};
  await own.stores.users.update(sub, version, { passwordHash: "hash" });
  const [identity] = await own.service.list(sub);
  assert(await own.service.unlink(sub, identity?.id ?? ""));
  assertEquals(await own.service.tokens(clientOf(fresh).client, sub), undefined);
});

Deno.test("tokens() reads what an older secret encrypted, and nothing of a foreign one", async () => {
  const own = accounts({ keepTokens: true });
  const sub = await signIn(own);
  const { client } = clientOf(fresh);
  const other = "ZYXWVUTSRQPONMLKJIHGFEDCBA9876543210zyxw";
  const rotated = accounts({ keepTokens: true, over: own.stores, secret: [other, SECRET] });
  assertEquals((await rotated.service.tokens(client, sub))?.accessToken, "a-1");
  const foreign = accounts({ keepTokens: true, over: own.stores, secret: other });
  assertEquals(await foreign.service.tokens(client, sub), undefined);
});

Deno.test("tokens() of one identity are not readable as those of another", async () => {
  const own = accounts({ keepTokens: true });
  const sub = await signIn(own);
  const profile = { subject: "g-2", emailVerified: false };
  const eve = await own.service.resolve(resultOf({ profile }));
  const [[ada], [other]] = [
    await own.stores.identities.list(sub),
    await own.stores.identities.list(eve.user.sub),
  ];
  await own.stores.identities.update(other?.id ?? "", other?.version ?? "", {
    tokens: ada?.tokens,
  });
  assertEquals(await own.service.tokens(clientOf(fresh).client, eve.user.sub), undefined);
});

Deno.test("resolve() does not keep tokens that are too long, and still signs in", async () => {
  const own = accounts({ keepTokens: true });
  const tokens = { accessToken: "a".repeat(50_000), scope: [] };
  const { user } = await own.service.resolve(resultOf({ tokens }));
  assertEquals(await own.service.tokens(clientOf(fresh).client, user.sub), undefined);
});
