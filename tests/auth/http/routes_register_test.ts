/** POST /auth/register: taken identifiers, weak passwords, the count of registrations. */

import { assertEquals } from "@std/assert";
import { createTestApp } from "./_app.ts";
import { assertRefused, prepared, type Refusal, throttledFor } from "./_routes.ts";
import { ADA, EVE_PASSWORD, PASSWORD, repeat, types } from "../_services.ts";

const TAKEN: Refusal = {
  status: 409,
  code: "identifier_unavailable",
  detail: "The identifier is taken",
};

/** [why, who has an account, who wants one] */
const SAME: readonly (readonly [why: string, first: string, second: string])[] = [
  ["the same", "ada@example.org", "ada@example.org"],
  ["in capitals", "ada@example.org", "ADA@EXAMPLE.ORG"],
  ["in full width", "ada@example.org", "ａｄａ＠example.org"],
  ["in full-width capitals", "ada@example.org", "ＡＤＡ＠ＥＸＡＭＰＬＥ．ＯＲＧ"],
  ["with blanks around", "ada@example.org", " ada@example.org\t"],
  ["with the accent apart", "rené", "rene\u0301"],
  ["with the accent in one", "rene\u0301", "René"],
  ["with a ligature", "ﬁona", "fiona"],
];

for (const [why, first, second] of SAME) {
  Deno.test(`POST /auth/register refuses an identifier that is taken, ${why}`, async () => {
    const { browser, stores, hasher, events } = createTestApp();
    const made = await browser().register({ identifier: first, password: PASSWORD });
    const { user } = await made.json();
    events.length = 0;
    hasher.calls.length = 0;
    const page = browser();
    const credentials = { identifier: second, password: EVE_PASSWORD };
    await assertRefused(await page.register(credentials), TAKEN);
    assertEquals(page.jar.names(), ["__Host-csrf", "__Host-presid"]);
    assertEquals([hasher.calls, events], [["hash"], []]);
    assertEquals((await stores.sessions.list(user.sub)).length, 1);
    assertEquals((await page.login(credentials)).status, 401);
    assertEquals((await page.login({ identifier: second, password: PASSWORD })).status, 200);
  });
}

Deno.test("POST /auth/register shows the identifier in its one spelling", async () => {
  const response = await createTestApp().browser().register({
    identifier: " ＡＤＡ@Example.org ",
    password: PASSWORD,
  });
  assertEquals((await response.json()).user.identifier, "ada@example.org");
});

Deno.test("POST /auth/register of 20 at once for one identifier creates one account", async () => {
  const { browser, events } = createTestApp();
  const pages = await Promise.all(repeat(20, async () => {
    const page = browser();
    await page.token();
    return page;
  }));
  const statuses = await Promise.all(pages.map(async (page) => {
    const response = await page.register();
    await response.body?.cancel();
    return response.status;
  }));
  assertEquals(statuses.sort(), [201, ...repeat(19, () => 409)]);
  assertEquals(types(events).filter((type) => type === "user.created").length, 1);
  assertEquals(types(events).filter((type) => type === "session.created").length, 1);
});

/** What a password is refused for. */
const WEAK: readonly (readonly [why: string, password: string, codes: readonly string[]])[] = [
  ["too short", "kelp-x9", ["too_short"]],
  ["too long", "ab1".repeat(100), ["too_long"]],
  ["the identifier", "grace@example.org", ["contextual"]],
  ["a repetition", "aaaaaaaaaaaaaaaaaaaa", ["repetitive"]],
];

for (const [why, password, codes] of WEAK) {
  Deno.test(`POST /auth/register refuses a password that is ${why}, and says why`, async () => {
    const app = await prepared();
    const response = await app.page.register({ identifier: "grace@example.org", password });
    const text = await response.text();
    const { violations, ...problem } = JSON.parse(text);
    assertEquals(problem, {
      type: "about:blank",
      title: "Unprocessable Content",
      status: 422,
      code: "weak_password",
      detail: "Choose another password",
    });
    const found = violations.map((violation: { code: string }) => violation.code);
    assertEquals(codes.filter((code) => !found.includes(code)), [], found.join());
    for (const violation of violations) {
      assertEquals(Object.keys(violation), ["in", "pointer", "code", "message"]);
      assertEquals([violation.in, violation.pointer], ["body", "/password"]);
    }
    assertEquals(text.includes(password), false);
    assertEquals(response.headers.getSetCookie(), []);
    assertEquals([app.hasher.calls, app.events], [[], []]);
  });
}

Deno.test("POST /auth/register follows the application's own policy", async () => {
  const { browser } = createTestApp({ passwordPolicy: { minLength: 8 } });
  assertEquals((await browser().register({ ...ADA, password: "x9-kelp!" })).status, 201);
});

Deno.test("POST /auth/register counts what an address registers, before anything is hashed", async () => {
  const { browser, clock, hasher, events } = createTestApp();
  const register = (i: number, address: string) =>
    browser({ address }).register({ identifier: `user${i}`, password: PASSWORD });
  for (let i = 0; i < 20; i++) assertEquals((await register(i, "192.0.2.1")).status, 201);
  hasher.calls.length = 0;
  events.length = 0;
  await assertRefused(await register(20, "192.0.2.1"), throttledFor(3_600));
  await assertRefused(await register(0, "192.0.2.1"), throttledFor(3_600));
  assertEquals(hasher.calls, []);
  const { now: at } = clock;
  const refused = { attempt: "registration", retryAfter: 3_600, address: "192.0.2.1" };
  assertEquals(events, repeat(2, () => ({ type: "login.throttled", at, ...refused })) as unknown[]);
  assertEquals((await register(21, "192.0.2.2")).status, 201);
  clock.now += 3_599;
  await assertRefused(await register(22, "192.0.2.1"), throttledFor(1));
  clock.now += 1;
  assertEquals((await register(22, "192.0.2.1")).status, 201);
});

Deno.test("POST /auth/register by 40 at once from one address creates 20 accounts", async () => {
  const { browser, events } = createTestApp();
  const responses = await Promise.all(repeat(40, async (i) => {
    const page = browser();
    await page.token();
    return await page.register({ identifier: `user${i}`, password: PASSWORD });
  }));
  assertEquals(responses.filter(({ status }) => status === 429).length, 20);
  assertEquals(types(events).filter((type) => type === "user.created").length, 20);
});

Deno.test("POST /auth/register makes a browser known to the new account", async () => {
  const { browser } = createTestApp();
  const page = browser();
  await page.register();
  await page.logout();
  const attacker = browser();
  for (let i = 0; i < 6; i++) await attacker.login({ ...ADA, password: "not hers at all" });
  assertEquals((await attacker.login()).status, 429);
  assertEquals((await page.login()).status, 200);
});

for (const identifier of ["__proto__", "constructor", "tostring", "0", "undefined", "null"]) {
  Deno.test(`POST /auth/register takes ${identifier} for a name as any other`, async () => {
    const page = createTestApp().browser();
    assertEquals((await page.login({ identifier, password: PASSWORD })).status, 401);
    assertEquals((await page.register({ identifier, password: PASSWORD })).status, 201);
    assertEquals((await (await page.send("/auth/session")).json()).user.identifier, identifier);
    assertEquals((await page.register({ identifier, password: PASSWORD })).status, 409);
  });
}
