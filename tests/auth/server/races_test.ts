/**
 * Requests at once, and stores that fail, lose the answer or the process at each single call: nothing is usable twice, and a retry
 * either works or is refused as RFC 6749 says.
 */

import { assert, assertEquals } from "@std/assert";
import { type AuthStores, inMemoryAuthStores } from "../../../auth/mod.ts";
import type { AuthorizationStore } from "../../../auth/stores/server_types.ts";
import { assertTokenError, responseParameters, type ServerSite, serverSite } from "./_site.ts";
import {
  granted,
  isAlive,
  refreshAs,
  revokeAs,
  type Tokens,
  tokensOf,
  userinfo,
} from "./_tokens.ts";

const OFFLINE = { scope: "openid offline_access notes:read" } as const;
const MANY = 200;

/** Servers as of several processes, on the same stores. */
function sites(count: number): readonly [ServerSite, ...ServerSite[]] {
  const first = serverSite();
  const { stores, clock } = first.app;
  const others = Array.from({ length: count - 1 }, () => serverSite({ app: { stores, clock } }));
  return [first, ...others];
}

/** Sends a request to each server in turn, all at once, and sorts the answers. */
async function atOnce(
  servers: readonly ServerSite[],
  send: (site: ServerSite) => Promise<Response>,
): Promise<{ readonly won: readonly Tokens[]; readonly refused: readonly string[] }> {
  const responses = await Promise.all(
    Array.from({ length: MANY / servers.length }, () => servers.map(send)).flat(),
  );
  const bodies = await Promise.all(responses.map(async (response) => await response.json()));
  return {
    won: bodies.filter(({ access_token }) => access_token !== undefined),
    refused: [...new Set(bodies.flatMap(({ error }) => error ?? []))],
  };
}

for (const processes of [1, 4]) {
  Deno.test(`exchangeTokens() redeems one of ${MANY} codes at once in ${processes} processes, and ends the grant, AS9, 21-7`, async () => {
    const [site, ...others] = sites(processes);
    const code = await site.code(await site.signedIn(), OFFLINE);
    const { won, refused } = await atOnce([site, ...others], ({ redeem }) => redeem(code));
    assertEquals([won.length, refused], [1, ["invalid_grant"]]);
    for (const tokens of won) assertEquals(await isAlive(site, tokens), [false, false]);
    assertEquals(await site.app.stores.refreshTokens.list("u1"), [], "no grant of it lives");
    assertEquals(await site.server.listGrants("u1"), []);
  });

  Deno.test(`exchangeTokens() rotates one of ${MANY} refresh tokens at once in ${processes} processes, and ends the grant, AS15, BCP-4.14-a`, async () => {
    const [site, ...others] = sites(processes);
    const { refresh_token, access_token } = await granted(site, OFFLINE);
    const { won, refused } = await atOnce(
      [site, ...others],
      (one) => refreshAs(one, "spa", refresh_token),
    );
    assertEquals([won.length, refused], [1, ["invalid_grant"]]);
    for (const tokens of won) assertEquals(await isAlive(site, tokens), [false, false]);
    assertEquals((await userinfo(site, access_token)).status, 401);
    assertEquals(await site.server.listGrants("u1"), []);
  });
}

/** Pairs of requests at once, after which nothing of the grant may live. */
const PAIRS: readonly (readonly [
  why: string,
  send: (site: ServerSite, code: string, tokens: Tokens) => readonly Promise<Response>[],
])[] = [
  ["a refresh and a revocation", (site, _, { refresh_token }) => [
    refreshAs(site, "spa", refresh_token),
    revokeAs(site, "spa", refresh_token),
  ]],
  ["a revocation and a refresh", (site, _, { refresh_token }) => [
    revokeAs(site, "spa", refresh_token),
    refreshAs(site, "spa", refresh_token),
  ]],
  ["a refresh and a used code", (site, code, { refresh_token }) => [
    refreshAs(site, "spa", refresh_token),
    site.redeem(code),
  ]],
  ["two used codes", (site, code) => [site.redeem(code), site.redeem(code)]],
];
for (const [why, send] of PAIRS) {
  Deno.test(`exchangeTokens() ends the grant by ${why} at once`, async () => {
    const site = serverSite();
    const code = await site.code(await site.signedIn(), OFFLINE);
    const tokens = await tokensOf(await site.redeem(code));
    const responses = await Promise.all(send(site, code, tokens));
    for (const response of responses) {
      const body = await response.json();
      if (body.access_token !== undefined) {
        assertEquals(await isAlive(site, body), [false, false]);
      }
    }
    assertEquals(await isAlive(site, tokens), [false, false]);
  });
}

/** Decisions at once, of one consent page. */
const DECISIONS: readonly (readonly [why: string, decisions: readonly string[]])[] = [
  ["20 times allow", Array.from({ length: 20 }, () => "allow")],
  ["allow and deny", ["allow", "deny"]],
  ["deny and allow", ["deny", "allow"]],
];
for (const [why, decisions] of DECISIONS) {
  Deno.test(`authorize() takes one decision of ${why} at once`, async () => {
    const site = serverSite();
    const browser = await site.signedIn();
    const page = await (await site.authorize(browser)).text();
    const responses = await Promise.all(
      decisions.map((decision) => site.decide(browser, page, { decision })),
    );
    const decided = responses.filter(({ status }) => status === 303);
    assertEquals(decided.length, 1);
    assert(responses.every(({ status }) => status === 303 || status === 404));
    await Promise.all(responses.map(({ body }) => body?.cancel()));
  });
}

/** How a call fails: before it does anything, or after it; and whether the process goes on. */
const MODES = [
  "fails",
  "loses the answer",
  "loses the process before",
  "loses the process after",
] as const;

type Mode = (typeof MODES)[number];

/** Stores that fail at one call, while they are armed. */
interface Faults {
  readonly wrap: (stores: AuthStores) => Partial<AuthStores>;
  /** Fails at a call from now on. */
  arm(call: number, mode: Mode): void;
  /** The store is there again. @returns How many calls there were since. */
  disarm(): number;
}

function faults(): Faults {
  let [calls, armed, mode]: [number, number, Mode] = [0, Infinity, "fails"];
  const guard = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...args: unknown[]) => {
          const call = ++calls;
          const isLate = call > armed && mode.startsWith("loses the process");
          const isHit = call === armed;
          const isDone = mode === "loses the answer" || mode === "loses the process after";
          if (isLate || (isHit && !isDone)) throw new Error("store is down: password=hunter2");
          const result = await method.apply(target, args);
          if (isHit) throw new Error("store is down: password=hunter2");
          return result;
        };
      },
    });
  return {
    wrap: (stores) => ({
      authorizations: guard(stores.authorizations),
      refreshTokens: guard(stores.refreshTokens),
      users: guard(stores.users),
    }),
    arm: (call, next) => void ([calls, armed, mode] = [0, call, next]),
    disarm() {
      armed = Infinity;
      return calls;
    },
  };
}

/** A step that is interrupted at each of its calls, in each way. */
async function eachFault(
  least: number,
  step: (faults: Faults, fault: () => void, label: string) => Promise<number>,
): Promise<void> {
  const none = faults();
  const calls = await step(none, () => none.arm(Infinity, "fails"), "no fault");
  assert(calls >= least, `${calls} calls`);
  for (const mode of MODES) {
    for (let call = 1; call <= calls; call++) {
      const own = faults();
      await step(own, () => own.arm(call, mode), `${mode} at call ${call}`);
    }
  }
}

/** The tokens of a response, or `undefined` for an error that says nothing. */
async function outcome(response: Response, label: string): Promise<Tokens | undefined> {
  const text = await response.text();
  assert(!text.includes("hunter2") && !text.includes("down"), label);
  const body = JSON.parse(text);
  if (response.status === 200) return body;
  const expected = response.status === 500 ? "server_error" : "invalid_grant";
  assertEquals([response.status === 500 || response.status === 400, body], [true, {
    error: expected,
  }], label);
  return undefined;
}

Deno.test("exchangeTokens() of a code that is interrupted at any call redeems it once at most", async () => {
  await eachFault(4, async (own, fault, label) => {
    const site = serverSite({ app: { wrap: own.wrap } });
    const code = await site.code(await site.signedIn(), OFFLINE);
    fault();
    const first = await outcome(await site.redeem(code), label);
    const calls = own.disarm();
    const retry = await site.redeem(code);
    assert(retry.status === 200 || retry.status === 400, label);
    const second = await outcome(retry, label);
    assert(first === undefined || second === undefined, `${label}: redeemed twice`);
    if (second !== undefined) {
      const again = await userinfo(site, second.access_token);
      assertEquals(again.status, 200, `${label}: the retry works`);
    }
    await assertTokenError(await site.redeem(code), "invalid_grant");
    for (const tokens of [first, second]) {
      if (tokens !== undefined) assertEquals(await isAlive(site, tokens), [false, false], label);
    }
    return calls;
  });
});

Deno.test("exchangeTokens() of a refresh token that is interrupted at any call rotates it once at most", async () => {
  await eachFault(3, async (own, fault, label) => {
    const site = serverSite({ app: { wrap: own.wrap } });
    const { refresh_token } = await granted(site, OFFLINE);
    fault();
    const first = await outcome(await refreshAs(site, "spa", refresh_token), label);
    const calls = own.disarm();
    const retry = await refreshAs(site, "spa", refresh_token);
    assert(retry.status === 200 || retry.status === 400, label);
    const second = await outcome(retry, label);
    assert(first === undefined || second === undefined, `${label}: rotated twice`);
    if (first !== undefined) assertEquals(await isAlive(site, first), [false, false], label);
    if (second !== undefined) assertEquals(await isAlive(site, second), [true, true], label);
    return calls;
  });
});

Deno.test("exchangeTokens() of a used code that is interrupted at any call ends the grant at last", async () => {
  await eachFault(2, async (own, fault, label) => {
    const site = serverSite({ app: { wrap: own.wrap } });
    const code = await site.code(await site.signedIn(), OFFLINE);
    const tokens = await tokensOf(await site.redeem(code));
    fault();
    assertEquals(await outcome(await site.redeem(code), label), undefined);
    const calls = own.disarm();
    await assertTokenError(await site.redeem(code), "invalid_grant");
    assertEquals(await isAlive(site, tokens), [false, false], label);
    return calls;
  });
});

Deno.test("authorize() whose decision is interrupted at any call gives one code at most", async () => {
  await eachFault(3, async (own, fault, label) => {
    const site = serverSite({ app: { wrap: own.wrap } });
    const browser = await site.signedIn();
    const page = await (await site.authorize(browser)).text();
    fault();
    const first = await site.decide(browser, page);
    const calls = own.disarm();
    const second = await site.decide(browser, page);
    const codes: string[] = [];
    for (const response of [first, second]) {
      assert([303, 404, 500].includes(response.status), `${label}: ${response.status}`);
      if (response.status === 303) codes.push(responseParameters(response).get("code") ?? "");
      else assert(!(await response.text()).includes("hunter2"), label);
    }
    assert(second.status !== 500, label);
    assert(codes.length <= 1, `${label}: two codes`);
    for (const code of codes) await tokensOf(await site.redeem(code));
    if (codes.length === 0) await granted(site, {}, { browser }); // the user begins again
    return calls;
  });
});

Deno.test("authorize() whose request is interrupted at any call can be repeated", async () => {
  await eachFault(1, async (own, fault, label) => {
    const site = serverSite({ app: { wrap: own.wrap } });
    const browser = await site.signedIn();
    fault();
    const first = await site.authorize(browser);
    assert([200, 500].includes(first.status), label);
    assert(!(await first.text()).includes("hunter2"), label);
    const calls = own.disarm();
    await granted(site, {}, { browser });
    return calls;
  });
});

/** Reads of authorizations that are behind, as from a replica. */
function staleSite(stale: { reads: number }): ServerSite {
  const seen = new Map<string, Awaited<ReturnType<AuthorizationStore["find"]>>>();
  return serverSite({
    app: {
      wrap: ({ authorizations }) => ({
        authorizations: {
          ...authorizations,
          async find(id) {
            const old = seen.get(id);
            if (stale.reads > 0 && old !== undefined) {
              stale.reads--;
              return old;
            }
            const found = await authorizations.find(id);
            seen.set(id, found);
            return found;
          },
        },
      }),
    },
  });
}

for (const reads of [1, Infinity]) {
  Deno.test(`exchangeTokens() of a used code that ${reads} reads do not know to be used refuses it`, async () => {
    const stale = { reads: 0 };
    const site = staleSite(stale);
    const code = await site.code(await site.signedIn(), OFFLINE);
    await site.app.stores.authorizations.find(code.split(".")[0] ?? "");
    const tokens = await tokensOf(await site.redeem(code));
    stale.reads = reads;
    await assertTokenError(await site.redeem(code), "invalid_grant");
    stale.reads = 0;
    assertEquals((await site.app.stores.refreshTokens.list("u1")).length, reads === 1 ? 0 : 1);
    await assertTokenError(await site.redeem(code), "invalid_grant");
    assertEquals(await isAlive(site, tokens), [false, false]);
  });
}

Deno.test("authorize() of a decision that a stale read does not know of is refused", async () => {
  const stale = { reads: 0 };
  const site = staleSite(stale);
  const browser = await site.signedIn();
  const page = await (await site.authorize(browser)).text();
  assertEquals((await site.decide(browser, page)).status, 303);
  stale.reads = Infinity;
  assertEquals((await site.decide(browser, page)).status, 404);
});

/** Stores whose records are not what they should be: an error, never tokens. */
const MALFORMED: readonly (readonly [why: string, change: object])[] = [
  ["another id", { id: "A".repeat(22) }],
  ["another issuer", { issuer: "https://other.example" }],
  ["an unknown state", { state: "done" }],
  ["no digest", { codeHash: undefined }],
  ["an empty digest", { codeHash: "" }],
  ["no subject", { subject: undefined }],
  ["an expiry that is text", { expiresAt: "never" }],
  ["an expiry in the past", { expiresAt: 1 }],
  ["no request", { request: undefined }],
  ["a request without a challenge, BCP-2.1.1-d", {
    request: {
      redirectUri: "https://app.example/cb",
      responseMode: "query",
      scope: ["openid"],
      prompt: [],
      acrValues: [],
    },
  }],
  ["a scope that is text", { scope: "openid" }],
  ["a pending state", { state: "pending", browser: "x" }],
  ["a denied state", { state: "denied" }],
];
for (const [why, change] of MALFORMED) {
  Deno.test(`exchangeTokens() gives no tokens for a record with ${why}`, async () => {
    const kept = inMemoryAuthStores().authorizations;
    const current = { change: {} };
    const site = serverSite({
      app: {
        wrap: () => ({
          authorizations: {
            ...kept,
            async find(id) {
              const found = await kept.find(id);
              return found &&
                { ...found, authorization: { ...found.authorization, ...current.change } };
            },
          },
        }),
      },
    });
    site.app.clock.now = Math.floor(Date.now() / 1_000);
    const code = await site.code(await site.signedIn());
    current.change = change;
    assertEquals(await outcome(await site.redeem(code), why), undefined);
    assertEquals(await site.app.stores.refreshTokens.list("u1"), []);
    current.change = {};
    await tokensOf(await site.redeem(code));
  });
}
