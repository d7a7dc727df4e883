import { assertEquals } from "@std/assert";
import type { Json } from "./_fake_provider.ts";
import { failure, NOW, signIn, site } from "./_sign_in.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** Claims of Back-Channel Logout §2.4. */
const CLAIMS: Json = {
  iss: "https://id.example",
  aud: "client",
  sub: "u-1",
  sid: "s-1",
  jti: "j-1",
  events: { [EVENT]: {} },
};
const HEADER = { typ: "logout+jwt" };

Deno.test("verifyLogoutToken() returns issuer, subject and session", async () => {
  const { client, fake } = site();
  const token = await fake.sign(CLAIMS, HEADER);
  assertEquals(await client.verifyLogoutToken(token), {
    issuer: "https://id.example",
    subject: "u-1",
    sid: "s-1",
  });
});

for (const typ of ["logout+jwt", "Logout+JWT", "application/logout+jwt", "JWT", undefined]) {
  Deno.test(`verifyLogoutToken() accepts typ ${typ}`, async () => {
    const { client, fake } = site();
    const { subject } = await client.verifyLogoutToken(await fake.sign(CLAIMS, { typ }));
    assertEquals(subject, "u-1");
  });
}

Deno.test("verifyLogoutToken() accepts a subject or a session alone", async () => {
  const { client, fake } = site();
  const issuer = "https://id.example";
  const bySession = await fake.sign({ ...CLAIMS, sub: undefined }, HEADER);
  assertEquals(await client.verifyLogoutToken(bySession), { issuer, sid: "s-1" });
  const bySubject = await fake.sign({ ...CLAIMS, jti: "j-2", sid: undefined }, HEADER);
  assertEquals(await client.verifyLogoutToken(bySubject), { issuer, subject: "u-1" });
});

/** What §2.6 refuses. */
const REFUSED:
  readonly (readonly [why: string, detail: string | undefined, claims: Json, header?: Json])[] = [
    ["another type", "typ_mismatch", {}, { typ: "at+jwt" }],
    ["alg none", "token_malformed", {}, { typ: "logout+jwt", alg: "none" }],
    ["another issuer", "iss_mismatch", { iss: "https://evil.example" }],
    ["another audience", "aud_mismatch", { aud: "other" }],
    ["an old iat", "max_age_exceeded", { iat: NOW - 331 }],
    ["iat in the future", "issued_in_future", { iat: NOW + 31 }],
    ["no iat", "iat_missing", { iat: undefined }],
    ["no exp", "exp_missing", { exp: undefined }],
    ["an expired one", "expired", { exp: NOW - 30 }],
    ["neither sub nor sid", "sub_missing", { sub: undefined, sid: undefined }],
    ["an empty sub", "sub_malformed", { sub: "" }],
    ["a sid that is no string", "sid_malformed", { sid: 7 }],
    ["no events", "events_missing", { events: undefined }],
    ["other events", "events_missing", { events: { "http://example.org/event": {} } }],
    ["events as an array", "events_missing", { events: [EVENT] }],
    ["an event that is no object", "events_missing", { events: { [EVENT]: true } }],
    ["a nonce, as ID tokens have", "nonce_present", { nonce: "n" }],
    ["no jti", "jti_missing", { jti: undefined }],
  ];

for (const [why, detail, claims, header = HEADER] of REFUSED) {
  Deno.test(`verifyLogoutToken() rejects ${why}`, async () => {
    const own = site();
    const token = await own.fake.sign({ ...CLAIMS, ...claims }, header);
    const expected = ["oauth_failed", "logout_token_refused"];
    assertEquals(await failure(() => own.client.verifyLogoutToken(token)), expected);
    const [event] = own.events;
    const known = event?.type === "oauth.failed" ? event.detail : undefined;
    if (why !== "alg none") assertEquals(known, detail);
  });
}

Deno.test("verifyLogoutToken() accepts a token once, also of 50 concurrent deliveries", async () => {
  const own = site();
  const token = await own.fake.sign(CLAIMS, HEADER);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, () => own.client.verifyLogoutToken(token)),
  );
  assertEquals(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
});

Deno.test("verifyLogoutToken() rejects an ID token, and callback() a logout token", async () => {
  const own = site();
  const { tokens } = await signIn(own);
  const expected = ["oauth_failed", "logout_token_refused"];
  assertEquals(await failure(() => own.client.verifyLogoutToken(tokens.idToken ?? "")), expected);
  const idToken = () => own.fake.sign(CLAIMS, HEADER);
  assertEquals(await failure(() => signIn(own, { idToken })), ["oauth_failed", "id_token_refused"]);
});

Deno.test("verifyLogoutToken() rejects what is no token", async () => {
  const expected = ["oauth_failed", "logout_token_refused"];
  for (const token of ["", "a", "a.b.c", "é".repeat(100), ".".repeat(20_000)]) {
    assertEquals(await failure(() => site().client.verifyLogoutToken(token)), expected);
  }
});
