/** The catalogue "Passwords and throttle" against POST /auth/login and /auth/register: which attempts are counted together. */

import { createRouter, mountAuthRoutes } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { createTestApp, ORIGIN, type TestApp, type TestBrowser } from "../auth/http/_app.ts";
import { createBrowser } from "../auth/_browser.ts";
import { assertRefused, CREDENTIALS_REFUSED, throttledFor } from "../auth/http/_routes.ts";
import {
  ADA,
  CLIENT,
  EVE_PASSWORD,
  OTHER_PASSWORD,
  PASSWORD,
  repeat,
  types,
} from "../auth/_services.ts";

const WRONG = { ...ADA, password: EVE_PASSWORD };
const XFF = "X-Forwarded-For";

/** Status of a login with additional header fields. */
async function tryLogin(
  page: TestBrowser,
  json: object = WRONG,
  headers: Record<string, string> = {},
): Promise<number> {
  const response = await page.post("/auth/login", json, { headers });
  await response.body?.cancel();
  return response.status;
}

/** Statuses of sequential attempts. */
async function inTurn(count: number, attempt: (i: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push(await attempt(i));
  return statuses;
}

const FIVE_OF_SEVEN = [...repeat(5, () => 401), 429, 429];

/** Ada has an account; no browser is known. */
async function withAccount(options: Parameters<typeof createTestApp>[0] = {}): Promise<TestApp> {
  const app = createTestApp(options);
  await app.signedIn();
  return app;
}

Deno.test("POST /auth/login allows five guesses of an account from an address, then throttles for 30 s, doubling", async () => {
  const app = await withAccount();
  const page = app.browser();
  for (const wait of [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]) {
    const free = wait === 30 ? 5 : 1;
    for (let i = 0; i < free; i++) {
      await assertRefused(await page.login(WRONG), CREDENTIALS_REFUSED);
    }
    const before = app.hasher.calls.length;
    await assertRefused(await page.login(WRONG), throttledFor(wait));
    await assertRefused(await page.login(), throttledFor(wait));
    assertEquals(app.hasher.calls.length, before, "no hash");
    app.clock.now += wait - 1;
    await assertRefused(await page.login(), throttledFor(1));
    app.clock.now += 1;
  }
  assertEquals((await page.login()).status, 200, "the right password, at the right time");
  assertEquals(await inTurn(7, () => tryLogin(app.browser())), FIVE_OF_SEVEN);
});

Deno.test("POST /auth/login emits each refusal, with the address and without the account", async () => {
  const app = await withAccount();
  const page = app.browser();
  await inTurn(6, () => tryLogin(page));
  const { now: at } = app.clock;
  const { address } = CLIENT;
  const failed = { type: "login.failed", at, reason: "password_wrong", sub: "u1", address };
  const throttled = { type: "login.throttled", at, attempt: "login", retryAfter: 30, address };
  assertEquals(app.events, [...repeat(5, () => failed), throttled] as unknown[]);
});

/** Differences between 7 requests of one client. */
const ONE_CLIENT: readonly (readonly [
  why: string,
  attempt: (app: TestApp, i: number) => Promise<number>,
])[] = [
  ["another browser each time", ({ browser }) => tryLogin(browser())],
  ["another X-Forwarded-For each time", ({ browser }, i) =>
    tryLogin(browser(), WRONG, {
      [XFF]: `198.51.100.${i}`,
      Forwarded: `for=198.51.100.${i}`,
      "X-Real-IP": `198.51.100.${i}`,
      "CF-Connecting-IP": `198.51.100.${i}`,
      "True-Client-IP": `198.51.100.${i}`,
    })],
  ["another spelling of the identifier each time", ({ browser }, i) => {
    const spellings = [
      "ada@example.org",
      "ADA@example.org",
      " ada@example.org",
      "ada＠example.org",
      "ａda@example.org",
      "Ada@Example.Org\t",
      "𝐚da@example.org",
    ];
    return tryLogin(browser(), { ...WRONG, identifier: spellings[i] });
  }],
  [
    "another address of one IPv6 network each time",
    ({ browser }, i) => tryLogin(browser({ address: `2001:db8:1:2:${i}::${i}` })),
  ],
  [
    "one address in two spellings",
    ({ browser }, i) =>
      tryLogin(browser({ address: i % 2 === 0 ? "::ffff:192.0.2.9" : "192.0.2.9" })),
  ],
  ["a forged device cookie each time", ({ browser }, i) => {
    const page = browser();
    page.jar.set("__Host-dev", `${"A".repeat(22)}.${"B".repeat(43)}.${"C".repeat(42)}${i}`);
    return tryLogin(page);
  }],
  [
    "another User-Agent each time",
    ({ browser }, i) => tryLogin(browser(), WRONG, { "User-Agent": `${i}` }),
  ],
];

for (const [why, attempt] of ONE_CLIENT) {
  Deno.test(`POST /auth/login counts as one client: ${why}`, async () => {
    const app = await withAccount();
    assertEquals(await inTurn(7, (i) => attempt(app, i)), FIVE_OF_SEVEN);
  });
}

Deno.test("POST /auth/login counts 100 spoofed X-Forwarded-For values as one client, with a trusted proxy or not", async () => {
  for (const deployment of ["direct", { proxies: ["192.0.2.0/24"] }] as const) {
    const app = await withAccount({ deployment });
    const statuses = await inTurn(
      100,
      (i) => tryLogin(app.browser(), WRONG, { [XFF]: `198.51.100.${i}, 203.0.113.9` }),
    );
    assertEquals(statuses, [...repeat(5, () => 401), ...repeat(95, () => 429)]);
    const spoofed = await tryLogin(app.browser(), ADA, { [XFF]: "203.0.113.9, 198.51.100.7" });
    assertEquals(spoofed, deployment === "direct" ? 429 : 200);
  }
});

Deno.test("POST /auth/login counts the clients of a trusted proxy separately", async () => {
  const app = await withAccount({ deployment: { proxies: ["192.0.2.0/24"] } });
  const one = { [XFF]: "203.0.113.1" };
  assertEquals(await inTurn(7, () => tryLogin(app.browser(), WRONG, one)), FIVE_OF_SEVEN);
  assertEquals(await tryLogin(app.browser(), ADA, { [XFF]: "203.0.113.2" }), 200);
  assertEquals(app.warnings, []);
});

Deno.test("POST /auth/login warns once that a proxy is not trusted", async () => {
  const app = await withAccount({ deployment: { proxies: ["10.0.0.0/8"] } });
  await inTurn(3, (i) => tryLogin(app.browser(), WRONG, { [XFF]: `203.0.113.${i}` }));
  assertEquals(app.warnings.length, 1);
  assert(app.warnings[0]?.startsWith("X-Forwarded-For is ignored"));
});

Deno.test("POST /auth/login allows 50 guesses from an address in 15 minutes, for all accounts together", async () => {
  const app = await withAccount();
  const guess = (i: number) =>
    tryLogin(app.browser(), { ...WRONG, identifier: `user${i}@example.org` });
  assertEquals(await inTurn(52, guess), [...repeat(50, () => 401), 429, 429]);
  assertEquals(await tryLogin(app.browser(), ADA), 429);
  assertEquals(await tryLogin(app.browser({ address: "192.0.2.2" }), ADA), 200);
  app.clock.now += 900;
  assertEquals(await tryLogin(app.browser(), ADA), 200);
});

Deno.test("POST /auth/login allows 100 guesses of an account in an hour, from all addresses together", async () => {
  const app = await withAccount();
  const address = (i: number) => `198.51.${100 + Math.floor(i / 200)}.${i % 200}`;
  const statuses = await inTurn(102, (i) => tryLogin(app.browser({ address: address(i) })));
  assertEquals(statuses, [...repeat(100, () => 401), 429, 429]);
  await assertRefused(await app.browser({ address: address(300) }).login(), throttledFor(3_600));
  app.clock.now += 3_600;
  assertEquals((await app.browser({ address: address(300) }).login()).status, 200);
});

Deno.test("POST /auth/login reveals one of 17 concurrent guesses of an account in the hour after 100 failures", async () => {
  const app = await withAccount();
  const guess = (i: number, json = WRONG) =>
    tryLogin(app.browser({ address: `198.51.100.${i}` }), json);
  await inTurn(100, (i) => guess(i));
  for (const hour of [1, 2]) {
    app.clock.now += 3_600;
    const pages = await Promise.all(repeat(17, async (i) => {
      const page = app.browser({ address: `203.0.${hour}.${i}` });
      await page.token();
      return page;
    }));
    const wrong = pages.slice(1).map((page) => tryLogin(page, WRONG));
    await Promise.race(wrong); // the first one that is counted is not the right guess, which would start anew
    // This one guesses right, which must look like the others
    const right = tryLogin(pages[0] ?? app.browser(), ADA);
    const statuses = await Promise.all([...wrong, right]);
    assertEquals(statuses.toSorted(), [401, ...repeat(16, () => 429)]);
  }
});

Deno.test("POST /auth/login lets the owner in after a reset of the password of an account that strangers have locked", async () => {
  const app = await withAccount();
  const known = app.browser({ address: "203.0.113.1" });
  assertEquals((await known.login()).status, 200);
  await known.logout();
  const stranger = (i: number) => tryLogin(app.browser({ address: `198.51.100.${i % 20}` }));
  assertEquals(await inTurn(101, stranger), [...repeat(100, () => 401), 429]);
  await app.runtime.passwords.reset("u1", OTHER_PASSWORD);
  const json = { ...ADA, password: OTHER_PASSWORD };
  assertEquals(await inTurn(20, stranger), repeat(20, () => 429), "their own waits are not over");
  assertEquals(await tryLogin(known, json), 200, "unknown since the reset");
  assertEquals(await tryLogin(app.browser({ address: "203.0.113.2" }), json), 200);
});

Deno.test("POST /auth/login does not lock a known browser out because of 100 addresses", async () => {
  const app = await withAccount();
  const known = app.browser();
  assertEquals((await known.login()).status, 200);
  await known.logout();
  const stranger = app.browser();
  await inTurn(150, (i) => tryLogin(app.browser({ address: `198.51.100.${i}` })));
  await inTurn(10, () => tryLogin(app.browser()));
  assertEquals((await stranger.login()).status, 429);
  assertEquals((await known.login()).status, 200);
});

Deno.test("POST /auth/login allows a known browser five guesses, and none for other accounts", async () => {
  const app = await withAccount();
  const known = app.browser();
  await known.login();
  await known.logout();
  assertEquals(await inTurn(7, () => tryLogin(known)), FIVE_OF_SEVEN);
  const other = app.browser();
  other.jar.set("__Host-dev", known.jar.get("__Host-dev") ?? "");
  const eve = { identifier: "eve@example.org", password: PASSWORD };
  assertEquals(await inTurn(7, () => tryLogin(other, eve)), FIVE_OF_SEVEN);
});

Deno.test("POST /auth/login of one browser keeps one device, and its count of guesses", async () => {
  const app = await withAccount();
  const page = app.browser();
  await page.login();
  const device = page.jar.get("__Host-dev");
  for (let i = 0; i < 3; i++) {
    await page.logout();
    assertEquals((await page.login()).status, 200);
    assertEquals(page.jar.get("__Host-dev"), device);
  }
  await app.runtime.passwords.reset("u1", PASSWORD);
  assertEquals((await page.login()).status, 200);
  assert(page.jar.get("__Host-dev") !== device, "the old one is not known any more");
});

Deno.test("POST /auth/login without a place is a 503 that counts nothing", async () => {
  const app = await withAccount();
  const pages = await Promise.all(repeat(60, async (i) => {
    const page = app.browser();
    await page.token();
    return { page, identifier: `user-${i}` };
  }));
  const statuses = await Promise.all(
    pages.map(({ page, identifier }) => tryLogin(page, { ...WRONG, identifier })),
  );
  const failed = statuses.filter((status) => status === 401).length;
  assertEquals(statuses.filter((status) => status === 503).length, 60 - failed);
  assert(6 <= failed && failed < 50, `${failed} had a place`);
  const left = 50 - failed;
  const guess = (i: number) => tryLogin(app.browser(), { ...WRONG, identifier: `more-${i}` });
  assertEquals(await inTurn(left + 1, guess), [...repeat(left, () => 401), 429]);
});

Deno.test("POST /auth/login verifies five passwords of 200 concurrent requests", async () => {
  const app = await withAccount({ hashing: { waiting: 4_000 } });
  const pages = await Promise.all(repeat(200, async () => {
    const page = app.browser();
    await page.token();
    return page;
  }));
  const statuses = await Promise.all(pages.map((page) => tryLogin(page)));
  assertEquals(statuses.filter((status) => status === 401).length, 5);
  assertEquals(statuses.filter((status) => status === 429).length, 195);
  assertEquals(app.hasher.calls.length, 5);
  assertEquals(types(app.events).filter((type) => type === "login.failed").length, 5);
});

Deno.test("POST /auth/login without a known address counts by account only, warns once, and locks out no other account", async () => {
  const app = await withAccount();
  const { router, clock, warnings } = app;
  const fetch = async (request: Request) => await router.fetch(request);
  const open = () => createBrowser({ origin: ORIGIN, now: () => clock.now, fetch });
  assertEquals(await inTurn(102, () => tryLogin(open())), [...repeat(100, () => 401), 429, 429]);
  const made = await open().register({ identifier: "eve@example.org", password: PASSWORD });
  assertEquals(made.status, 201);
  for (let i = 0; i < 30; i++) {
    const credentials = { identifier: `user${i}`, password: PASSWORD };
    assertEquals((await open().register(credentials)).status, 201);
  }
  assertEquals(warnings.length, 1);
  assert(warnings[0]?.includes("the client's address is unknown"));
});

Deno.test("POST /auth/login, if a trusted proxy sends no client address, does not count all clients together", async () => {
  const app = await withAccount({ deployment: { proxies: ["192.0.2.0/24"] } });
  await inTurn(8, () => tryLogin(app.browser(), WRONG));
  assertEquals(await tryLogin(app.browser(), ADA), 200);
  await inTurn(3, () => tryLogin(app.browser(), WRONG, { [XFF]: "unknown" }));
  assertEquals(app.warnings.length, 1);
});

/** What hosts pass to `fetch` after the request: Bun accepts only its own request object. */
const HOSTS: readonly (readonly [host: string, info: (request: Request) => unknown])[] = [
  ["Deno.serve", () => ({ remoteAddr: { transport: "tcp", hostname: "192.0.2.1" } })],
  ["Bun.serve", (own) => ({
    requestIP: (request: Request) => request === own ? { address: "192.0.2.1" } : null,
  })],
];

for (const [host, info] of HOSTS) {
  for (const mounted of [false, true]) {
    Deno.test(`POST /auth/login counts by the address that ${host} passes to ${mounted ? "a mounted" : "the"} router`, async () => {
      const app = await withAccount();
      const inner = mountAuthRoutes(createRouter<unknown[]>(), app.runtime.routes());
      const router = mounted
        ? createRouter<unknown[]>().mount("/", createRouter<unknown[]>().mount("/", inner))
        : inner;
      const fetch = async (request: Request) => await router.fetch(request, info(request));
      const open = () => createBrowser({ origin: ORIGIN, now: () => app.clock.now, fetch });
      assertEquals(await inTurn(7, () => tryLogin(open())), FIVE_OF_SEVEN);
      const statuses = await inTurn(21, async (i) => {
        const response = await open().register({ identifier: `user${i}`, password: PASSWORD });
        await response.body?.cancel();
        return response.status;
      });
      assertEquals(statuses, [...repeat(20, () => 201), 429]);
      assertEquals(app.warnings, []);
    });
  }
}
