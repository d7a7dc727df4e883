/**
 * The authorization endpoint: how, when and as whom the user must have signed in. OpenID Connect Core §3.1.2.1, RFC 9470, and the
 * attacks AS28 to AS30.
 */

import { assertEquals } from "@std/assert";
import type { AuthorizationSubject } from "../../../auth/server/mod.ts";
import { START } from "../_services.ts";
import { answerOf, returnPath, SIGNED_IN_AT, type SubjectSite, subjectSite } from "./_authorize.ts";
import { claimsOf, type Params, responseParameters } from "./_site.ts";

/** Contexts that the sign-in page can reach. */
const ACR_VALUES = ["silver", "gold"] as const;

function acrSite(): SubjectSite {
  return subjectSite({ server: { acrValues: ACR_VALUES } });
}

/** An ID token for the client, of a grant that the user gives now. */
async function idToken(site: SubjectSite, params: Params = {}): Promise<string> {
  const code = await site.code(site.browser, params);
  const answer = await site.redeem(code, { client_id: params["client_id"] ?? "spa" });
  return (await answer.json()).id_token;
}

/** The claim `acr` of the parameter `claims`. */
function acrClaim(acr: unknown): Params {
  return { claims: JSON.stringify({ id_token: { acr } }) };
}

function subClaim(sub: unknown): Params {
  return { claims: JSON.stringify({ id_token: { sub } }) };
}

/** A context behind others that nobody knows. */
function manyContexts(unknown: number): string {
  return [...Array.from({ length: unknown }, (_, i) => `x${i}`), "gold"].join(" ");
}

const OUT: Partial<AuthorizationSubject> | null = null;
const SILVER = { acr: "silver" } as const;
const BRONZE = { acr: "bronze" } as const;

/** Requests of a user who has signed in at {@linkcode SIGNED_IN_AT}, 100 seconds ago, and has given the client nothing. */
const REQUESTS: readonly (readonly [
  source: string,
  why: string,
  Params,
  answer: string,
  subject?: Partial<AuthorizationSubject> | null,
])[] = [
  ["OIDCC-3.1.2.3", "nobody is signed in", {}, "sign-in: signed_out", OUT],
  ["OIDCC-3.1.2.3", "the user is signed in", {}, "consent"],
  ["oidcc-prompt-login", "prompt=login", { prompt: "login" }, "sign-in: prompt"],
  ["OIDCC-3.1.2.1", "prompt=select_account", { prompt: "select_account" }, "sign-in: prompt"],
  ["OIDCC-3.1.2.1", "prompt=consent", { prompt: "consent" }, "consent"],
  ["OIDCC-3.1.2.1", "two prompts", { prompt: "consent login" }, "sign-in: prompt"],
  ["OIDCC-3.1.2.1", "a prompt twice", { prompt: "login login" }, "sign-in: prompt"],
  ["OIDCC-3.1.2.1", "more spaces than one", { prompt: " login  consent " }, "sign-in: prompt"],
  ["oidcc-prompt-none-not-logged-in", "prompt=none", { prompt: "none" }, "login_required", OUT],
  ["AS29", "prompt=none without consent", { prompt: "none" }, "consent_required"],
  ["AS29", "prompt=none of our own client", { prompt: "none", client_id: "own" }, "code"],
  ["OIDCC-3.1.2.1", "prompt=none with login", { prompt: "none login" }, "invalid_request"],
  ["OIDCC-3.1.2.1", "prompt=none after consent", { prompt: "consent none" }, "invalid_request"],
  [
    "OIDCC-3.1.2.1",
    "prompt=none behind many others",
    { prompt: `${"login ".repeat(40)}none` },
    "invalid_request",
  ],
  ["OIDCC-3.1.2.1", "an unknown prompt", { prompt: "create" }, "invalid_request"],
  ["OIDCC-3.1.2.1", "a prompt in upper case", { prompt: "LOGIN" }, "invalid_request"],
  ["OIDCC-3.1.2.1", "a prompt with NUL", { prompt: "login\0" }, "invalid_request"],
  ["OIDCC-3.1.2.1", "a tab between prompts", { prompt: "login\tconsent" }, "invalid_request"],
  ["oidcc-max-age-1", "max_age=1", { max_age: "1" }, "sign-in: max_age"],
  ["oidcc-max-age-10000", "max_age=10000", { max_age: "10000" }, "consent"],
  ["AS30", "max_age that is reached now", { max_age: "100" }, "consent"],
  ["AS30", "max_age that has just passed", { max_age: "99" }, "sign-in: max_age"],
  ["AS30", "max_age=0", { max_age: "0" }, "sign-in: max_age"],
  ["AS30", "max_age=0 in the second of a sign-in", { max_age: "0" }, "sign-in: max_age", {
    authTime: START,
  }],
  ["AS30", "max_age=0 with zeros", { max_age: "000" }, "sign-in: max_age"],
  ["AS30", "max_age=0 and prompt=none", { max_age: "0", prompt: "none" }, "login_required"],
  ["AS30", "max_age=1 and prompt=none", { max_age: "1", prompt: "none" }, "login_required"],
  ["AS30", "max_age=1000000000", { max_age: "1000000000" }, "consent"],
  ["AS30", "max_age of 15 digits", { max_age: "9".repeat(15) }, "consent"],
  ["AS30", "max_age of 16 digits", { max_age: "9".repeat(16) }, "invalid_request"],
  ["AS30", "max_age=-1", { max_age: "-1" }, "invalid_request"],
  ["AS30", "max_age=1e9", { max_age: "1e9" }, "invalid_request"],
  ["AS30", "max_age=1.5", { max_age: "1.5" }, "invalid_request"],
  ["AS30", "max_age that is text", { max_age: "soon" }, "invalid_request"],
  ["AS30", "max_age in Arabic digits", { max_age: "٣" }, "invalid_request"],
  ["AS30", "max_age with a line break", { max_age: "100\n" }, "invalid_request"],
  ["AS30", "max_age with a space", { max_age: " 100" }, "invalid_request"],
  ["9470-4", "a context that the user has", { acr_values: "silver" }, "consent", SILVER],
  ["9470-4", "a list with it", { acr_values: "gold silver" }, "consent", SILVER],
  ["9470-4", "another context", { acr_values: "gold" }, "sign-in: acr", SILVER],
  ["9470-4", "a context of a user without one", { acr_values: "gold" }, "sign-in: acr"],
  ["9470-4", "one that can be reached of two", { acr_values: "x gold" }, "sign-in: acr"],
  ["9470-4", "a context that no sign-in can reach", { acr_values: "platinum" }, "consent"],
  ["9470-4", "one that nobody can reach any more", { acr_values: "bronze" }, "consent", BRONZE],
  ["9470-4", "a context with NUL", { acr_values: "gold\0" }, "consent"],
  [
    "OIDCC-5.5.1.1",
    "prompt=none and a voluntary context",
    { acr_values: "gold", prompt: "none", client_id: "own" },
    "code",
  ],
  ["OIDCC-5.5.1.1", "a voluntary claim acr", acrClaim({ value: "gold" }), "sign-in: acr"],
  ["OIDCC-5.5.1.1", "a voluntary claim that is met", acrClaim({ value: "gold" }), "consent", {
    acr: "gold",
  }],
  [
    "OIDCC-5.5.1.1",
    "an essential claim acr",
    acrClaim({ essential: true, values: ["gold", "platinum"] }),
    "sign-in: acr",
    SILVER,
  ],
  [
    "OIDCC-5.5.1.1",
    "an essential claim that no sign-in can reach",
    acrClaim({ essential: true, value: "platinum" }),
    "sign-in: acr",
    SILVER,
  ],
  [
    "OIDCC-5.5.1.1",
    "an essential claim that is met",
    acrClaim({ essential: true, values: ["gold", "silver"] }),
    "consent",
    SILVER,
  ],
  [
    "OIDCC-5.5.1.1",
    "an essential claim and prompt=none",
    { ...acrClaim({ essential: true, value: "gold" }), prompt: "none", client_id: "own" },
    "login_required",
  ],
  [
    "OIDCC-5.5.1.1",
    "essential that is not true",
    acrClaim({ essential: "yes", value: "platinum" }),
    "consent",
  ],
  [
    "OIDCC-5.5.1.1",
    "an essential claim without a value",
    acrClaim({ essential: true }),
    "consent",
  ],
  [
    "OIDCC-5.5.1.1",
    "an essential claim without a value beside acr_values, which are voluntary",
    { ...acrClaim({ essential: true }), acr_values: "platinum" },
    "consent",
  ],
  ["9470-4", "the 32nd of many contexts", { acr_values: manyContexts(31) }, "sign-in: acr"],
  ["9470-4", "the 33rd, which is not read", { acr_values: manyContexts(32) }, "consent"],
  [
    "OIDCC-5.5.1.1",
    "an essential claim whose value is no string",
    acrClaim({ essential: true, value: 1 }),
    "invalid_request",
  ],
  [
    "OIDCC-5.5.1.1",
    "an essential claim, one of whose values is no string",
    acrClaim({ essential: true, values: ["gold", null] }),
    "invalid_request",
  ],
  [
    "OIDCC-5.5.1.1",
    "an essential claim whose values are no list",
    acrClaim({ essential: true, values: "gold" }),
    "invalid_request",
  ],
  [
    "OIDCC-5.5.1.1",
    "an essential claim with a value that no store can keep",
    acrClaim({ essential: true, value: "gold\0" }),
    "invalid_request",
  ],
  [
    "OIDCC-5.5.1.1",
    "the claim before acr_values",
    { ...acrClaim({ value: "gold" }), acr_values: "silver" },
    "sign-in: acr",
    SILVER,
  ],
  ["OIDCC-3.1.2.2", "the claim sub of this user", subClaim({ value: "u1" }), "consent"],
  ["OIDCC-3.1.2.2", "the claim sub of another", subClaim({ value: "u2" }), "sign-in: other_user"],
  [
    "OIDCC-3.1.2.2",
    "a list with the sub of another",
    subClaim({ values: ["u2"] }),
    "sign-in: other_user",
  ],
  [
    "OIDCC-3.1.2.2",
    "the claim sub of another, and prompt=none",
    { ...subClaim({ value: "u2" }), prompt: "none", client_id: "own" },
    "login_required",
  ],
  ["OIDCC-3.1.2.2", "sub without a value", subClaim({ essential: true }), "consent"],
  ["OIDCC-3.1.2.2", "two subs", subClaim({ values: ["u1", "u2"] }), "invalid_request"],
  ["OIDCC-3.1.2.2", "a sub that is a number", subClaim({ value: 1 }), "invalid_request"],
  ["OIDCC-5.5", "claims that are no JSON", { claims: "{" }, "invalid_request"],
  ["OIDCC-5.5", "claims that are a list", { claims: "[]" }, "invalid_request"],
  ["OIDCC-5.5", "claims that are null", { claims: "null" }, "invalid_request"],
  ["OIDCC-5.5", "id_token that is a list", { claims: '{"id_token":[]}' }, "invalid_request"],
  ["OIDCC-5.5", "id_token that is null", { claims: '{"id_token":null}' }, "invalid_request"],
  ["OIDCC-5.5", "a name twice", { claims: '{"id_token":{},"id_token":{}}' }, "invalid_request"],
  ["OIDCC-5.5", "__proto__", { claims: '{"id_token":{"__proto__":{}}}' }, "invalid_request"],
  ["OIDCC-5.5", "brackets without end", { claims: "[".repeat(5_000) }, "invalid_request"],
  ["oidcc-id-token-hint", "a hint that is no token", { id_token_hint: "x" }, "invalid_request"],
  [
    "oidcc-id-token-hint",
    "a hint without a signature",
    { id_token_hint: "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1MSJ9." },
    "invalid_request",
  ],
];
for (const [source, why, params, answer, changes = {}] of REQUESTS) {
  Deno.test(`AuthorizationServer answers ${answer} to ${why} (${source})`, async () => {
    const site = acrSite();
    site.subject = changes === null || site.subject === undefined
      ? undefined
      : { ...site.subject, ...changes };
    const to = params["client_id"] === "own" ? "https://own.example/cb?" : undefined;
    const options = to === undefined ? {} : { to };
    assertEquals(await answerOf(await site.authorize(site.browser, params), options), answer);
  });
}

/**
 * After a sign-in that the request demands: what the user does before the browser returns, and what it gets then. The clock stands
 * still unless `enter` is later.
 */
const RETURNS: readonly (readonly [
  source: string,
  why: string,
  Params,
  act: (site: SubjectSite) => void,
  answer: string,
])[] = [
  ["oidcc-prompt-login", "a sign-in", { prompt: "login" }, enterLater, "consent"],
  ["AS28", "no sign-in", { prompt: "login" }, () => {}, "sign-in: prompt"],
  ["AS28", "no sign-in, and time", { prompt: "login" }, wait, "sign-in: prompt"],
  [
    "AS28",
    "a new session of the old sign-in",
    { prompt: "login" },
    (site) => site.enter({ authTime: SIGNED_IN_AT }),
    "sign-in: prompt",
  ],
  [
    "AS28",
    "a sign-in one second before the request",
    { prompt: "login" },
    (site) => site.enter({ authTime: START - 1 }),
    "sign-in: prompt",
  ],
  ["AS28", "a sign-in in the same second", { prompt: "login" }, (site) => site.enter(), "consent"],
  [
    "AS28",
    "a sign-in in the same session, later",
    { prompt: "login" },
    (site) => {
      wait(site);
      site.enter({ sessionId: "session-0" });
    },
    "consent",
  ],
  ["AS28", "a sign-out", { prompt: "login" }, leave, "sign-in: signed_out"],
  ["AS28", "another user's sign-in", { prompt: "login" }, (site) => {
    wait(site);
    site.enter({ sub: "u2" });
  }, "consent"],
  ["OIDCC-3.1.2.1", "a choice of account", { prompt: "select_account" }, enterLater, "consent"],
  ["OIDCC-3.1.2.1", "no choice", { prompt: "select_account" }, wait, "sign-in: prompt"],
  ["AS30", "a sign-in for max_age=0", { max_age: "0" }, enterLater, "consent"],
  ["AS30", "none for max_age=0", { max_age: "0" }, wait, "sign-in: max_age"],
  ["oidcc-max-age-1", "a sign-in for max_age=1", { max_age: "1" }, enterLater, "consent"],
  [
    "oidcc-max-age-1",
    "a sign-in for max_age=1, and a long rest",
    { max_age: "1" },
    (site) => {
      enterLater(site);
      wait(site);
    },
    "consent",
  ],
  [
    "9470-4",
    "the context",
    { acr_values: "gold" },
    (site) => site.enter({ acr: "gold" }),
    "consent",
  ],
  ["9470-4", "a voluntary context in vain", { acr_values: "gold" }, enterLater, "consent"],
  [
    "OIDCC-5.5.1.1",
    "an essential context in vain",
    acrClaim({ essential: true, value: "gold" }),
    enterLater,
    "unmet_authentication_requirements",
  ],
  [
    "OIDCC-5.5.1.1",
    "an essential context",
    acrClaim({ essential: true, value: "gold" }),
    (site) => site.enter({ acr: "gold" }),
    "consent",
  ],
  [
    "OIDCC-3.1.2.2",
    "the user",
    subClaim({ value: "u2" }),
    (site) => site.enter({ sub: "u2" }),
    "consent",
  ],
  [
    "OIDCC-3.1.2.2",
    "the wrong user again",
    subClaim({ value: "u2" }),
    enterLater,
    "sign-in: other_user",
  ],
];
for (const [source, why, params, act, answer] of RETURNS) {
  Deno.test(`AuthorizationServer answers ${answer} to who returns after ${why} (${source})`, async () => {
    const site = acrSite();
    const next = returnPath(await site.authorize(site.browser, params));
    act(site);
    assertEquals(await answerOf(await site.browser.send(next)), answer);
  });
}

function wait({ app }: SubjectSite): void {
  app.clock.now += 30;
}

function enterLater(site: SubjectSite): void {
  wait(site);
  site.enter();
}

function leave(site: SubjectSite): void {
  site.subject = undefined;
}

Deno.test("AuthorizationServer tells two sign-ins of the request's second apart by their sessions (AS28)", async () => {
  const site = acrSite();
  site.enter();
  const next = returnPath(await site.authorize(site.browser, { prompt: "login" }));
  assertEquals(await answerOf(await site.browser.send(next)), "sign-in: prompt");
  site.enter();
  assertEquals(await answerOf(await site.browser.send(next)), "consent");
});

Deno.test("AuthorizationServer accepts a first sign-in in the second of the request (AS28)", async () => {
  const site = acrSite();
  site.subject = undefined;
  const next = returnPath(await site.authorize(site.browser, { prompt: "login" }));
  site.enter();
  assertEquals(await answerOf(await site.browser.send(next)), "consent");
});

Deno.test("AuthorizationServer demands a sign-in again for the decision itself (AS28)", async () => {
  const site = acrSite();
  const next = returnPath(await site.authorize(site.browser, { prompt: "login" }));
  const old = site.subject;
  enterLater(site);
  const page = await site.browser.send(next);
  site.subject = old; // the cookie of the old session is back
  assertEquals(await answerOf(await site.decide(site.browser, page)), "sign-in: prompt");
});

Deno.test("AuthorizationServer lets a later auth_time be seen (oidcc-prompt-login)", async () => {
  const site = acrSite();
  assertEquals(claimsOf(await idToken(site))["auth_time"], SIGNED_IN_AT);
  const next = returnPath(await site.authorize(site.browser, { prompt: "login" }));
  enterLater(site);
  const response = await site.browser.send(next); // the consent is remembered
  const tokens = await (await site.redeem(responseParameters(response).get("code") ?? "")).json();
  assertEquals(claimsOf(tokens.id_token)["auth_time"], START + 30);
});

for (
  const [source, params] of [
    ["oidcc-prompt-none-logged-in", { prompt: "none" }],
    ["oidcc-max-age-10000", { max_age: "10000" }],
  ] as const
) {
  Deno.test(`AuthorizationServer shows no page for ${JSON.stringify(params)} after a first time (${source})`, async () => {
    const site = acrSite();
    const first = claimsOf(await idToken(site, { max_age: "15000" }));
    wait(site);
    const response = await site.authorize(site.browser, params);
    assertEquals(await answerOf(response), "code");
    const answer = await site.redeem(responseParameters(response).get("code") ?? "");
    const second = claimsOf((await answer.json()).id_token);
    assertEquals([second["sub"], second["auth_time"]], [first["sub"], first["auth_time"]]);
    assertEquals(first["auth_time"], SIGNED_IN_AT);
  });
}

/** Hints that are ID tokens: of whom and for whom, who is signed in, and the answer to prompt=none. */
const HINTS: readonly (readonly [
  source: string,
  why: string,
  act: (site: SubjectSite) => void,
  answer: string,
])[] = [
  ["oidcc-id-token-hint", "the user's", () => {}, "code"],
  ["oidcc-id-token-hint", "the user's, expired", (site) => {
    site.app.clock.now += 100_000;
  }, "code"],
  ["oidcc-id-token-hint", "another user's", (site) => site.enter({ sub: "u2" }), "login_required"],
  ["oidcc-id-token-hint", "nobody's any more", leave, "login_required"],
];
for (const [source, why, act, answer] of HINTS) {
  Deno.test(`AuthorizationServer answers ${answer} to an id_token_hint: ${why} (${source})`, async () => {
    const site = acrSite();
    const id_token_hint = await idToken(site);
    act(site);
    const response = await site.authorize(site.browser, { prompt: "none", id_token_hint });
    assertEquals(await answerOf(response), answer);
  });
}

Deno.test("AuthorizationServer lets only the hinted user return (oidcc-id-token-hint)", async () => {
  const site = acrSite();
  const id_token_hint = await idToken(site);
  site.enter({ sub: "u2" });
  const response = await site.authorize(site.browser, { id_token_hint });
  assertEquals(await answerOf(response), "sign-in: other_user");
  const next = returnPath(response);
  site.enter({ sub: "u3" });
  assertEquals(await answerOf(await site.browser.send(next)), "sign-in: other_user");
  site.enter();
  assertEquals(await answerOf(await site.browser.send(next)), "code");
});

/** Tokens of this server that are no hint for the client `spa`, and claims that contradict one. */
const NO_HINTS: readonly (readonly [
  source: string,
  why: string,
  params: (site: SubjectSite) => Promise<Params>,
])[] = [
  [
    "oidcc-id-token-hint",
    "of another client",
    async (site) => ({ id_token_hint: await idToken(site, { client_id: "own" }) }),
  ],
  ["AS48", "that is an access token", async (site) => {
    const tokens = await (await site.redeem(await site.code(site.browser))).json();
    return { id_token_hint: tokens.access_token };
  }],
  ["oidcc-id-token-hint", "with another signature", async (site) => {
    const token = await idToken(site);
    const [head, body] = token.split(".");
    return { id_token_hint: `${head}.${body}.${"A".repeat(86)}` };
  }],
  ["AS47", "of another issuer with the same keys", async (site) => {
    const { keyService } = site.options;
    const claims = { iss: "https://other.example", aud: "spa", sub: "u1" };
    return { id_token_hint: await keyService.sign(claims, { alg: "ES256", expiresIn: 600 }) };
  }],
  ["OIDCC-3.1.2.2", "beside the claim sub of another", async (site) => ({
    id_token_hint: await idToken(site),
    ...subClaim({ value: "u2" }),
  })],
];
for (const [source, why, params] of NO_HINTS) {
  Deno.test(`AuthorizationServer refuses an id_token_hint ${why} (${source})`, async () => {
    const site = acrSite();
    const response = await site.authorize(site.browser, await params(site));
    assertEquals(await answerOf(response), "invalid_request");
  });
}

Deno.test("AuthorizationServer shows no page to a frame of another site (AS29)", async () => {
  const site = acrSite();
  await idToken(site);
  site.subject = undefined; // SameSite=Lax: the frame has no cookies
  const response = await site.app.browser().send(site.authorizePath({ prompt: "none" }), {
    headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe" },
  });
  assertEquals(await answerOf(response), "login_required");
  assertEquals(response.headers.getSetCookie(), []);
});

Deno.test("AuthorizationServer stores nothing for a prompt=none that fails (AS29)", async () => {
  const site = acrSite();
  await site.authorize(site.browser, { prompt: "none" });
  site.subject = undefined;
  await site.authorize(site.browser, { prompt: "none" });
  assertEquals(site.codes.calls, []);
});
