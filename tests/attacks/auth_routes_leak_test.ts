/** The catalogue's "No token in a URL, log, error or event", and its responses, which must not distinguish accounts. */

import type { AuthStores } from "@gatehouse/http";
import { assert, assertEquals, assertFalse } from "@std/assert";
import { createTestApp, type TestApp, type TestBrowser } from "../auth/http/_app.ts";
import { cookiesOf, type Seen, seen } from "../auth/http/_routes.ts";
import { ADA, EVE_PASSWORD, PASSWORD, repeat, SECRET, setDisabled } from "../auth/_services.ts";

const WRONG = "babbage did not write this";
const ACCOUNTS: readonly string[] = [
  ADA.identifier,
  "nobody@example.org",
  "unset@example.org",
  "disabled@example.org",
  "__proto__",
  "constructor",
];

/** Ada, a user without a password, and a disabled user. */
async function withAccounts(): Promise<TestApp> {
  const app = createTestApp();
  const { passwords } = app.runtime;
  const { users } = app.stores;
  await app.signedIn();
  await passwords.createUser({ identifier: "disabled@example.org", password: PASSWORD }, {
    sub: "u2",
  });
  await setDisabled(app.stores, "u2");
  const bare = { securityStamp: "s", createdAt: app.clock.now };
  await users.create({ ...bare, sub: "u3", identifier: "unset@example.org" });
  app.events.length = 0;
  app.hasher.calls.length = 0;
  return app;
}

/** A guess, and how many hashes seven attempts cost. */
const GUESSES: readonly (readonly [what: string, password: unknown, hashes: number])[] = [
  ["a wrong password", WRONG, 5],
  ["a password of 2 KiB", "a".repeat(2_048), 0],
  ["a password with NUL", `${PASSWORD}\0`, 0],
  ["a lone surrogate", `${PASSWORD}\ud800`, 0],
  ["no password", undefined, 0],
  ["an array", [PASSWORD], 0],
];

for (const [what, password, hashes] of GUESSES) {
  Deno.test(`POST /auth/login responds to ${what} with the same bytes and number of hashes for every account`, async () => {
    const app = await withAccounts();
    const answers: (readonly Seen[])[] = [];
    for (const [i, identifier] of ACCOUNTS.entries()) {
      const page = app.browser({ address: `198.51.100.${i}` });
      await page.token();
      app.hasher.calls.length = 0;
      const answer: Seen[] = [];
      for (let attempt = 0; attempt < 7; attempt++) {
        answer.push(await seen(await page.post("/auth/login", { identifier, password })));
      }
      answers.push(answer);
      assertEquals(app.hasher.calls.length, hashes, identifier);
    }
    for (const answer of answers) assertEquals(answer, answers[0]);
    const last = answers[0]?.at(-1)?.status;
    assertEquals(last, hashes === 0 ? 401 : 429);
  });
}

Deno.test("POST /auth/login, when throttled, responds to the right password as to a wrong one, for every account", async () => {
  const app = await withAccounts();
  const answers: Seen[] = [];
  for (const [i, identifier] of ACCOUNTS.entries()) {
    const page = app.browser({ address: `198.51.100.${i}` });
    for (const _ of repeat(5, () => 0)) await page.login({ identifier, password: WRONG });
    app.hasher.calls.length = 0;
    for (const password of [PASSWORD, WRONG]) {
      answers.push(await seen(await page.login({ identifier, password })));
    }
    assertEquals(app.hasher.calls, []);
  }
  assertEquals(answers[0]?.status, 429);
  for (const answer of answers) assertEquals(answer, answers[0]);
});

Deno.test("POST /auth/login responds to the right password of a disabled account as to a wrong one", async () => {
  const app = await withAccounts();
  const page = app.browser();
  const closed = await seen(
    await page.login({ identifier: "disabled@example.org", password: PASSWORD }),
  );
  const wrong = await seen(
    await page.login({ identifier: "nobody@example.org", password: PASSWORD }),
  );
  assertEquals(closed, wrong);
  assertEquals(closed.status, 401);
});

/** All arguments and results of the stores. */
function recording(stores: AuthStores, kept: unknown[]): AuthStores {
  const wrap = (store: object) =>
    new Proxy(store, {
      get(target, method) {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]) => {
          kept.push(args);
          return await value.apply(target, args);
        };
      },
    });
  return Object.fromEntries(
    Object.entries(stores).map(([name, store]) => [name, wrap(store)]),
  ) as unknown as AuthStores;
}

interface Observed {
  readonly bodies: string[];
  readonly tokens: Set<string>;
  readonly cookies: Set<string>;
}

/** A journey of a user: registration, sign-in, sign-out, and mistyped input. */
async function journey(app: TestApp, note: (response: Response) => Promise<void>): Promise<void> {
  const page = app.browser();
  const post = async (path: string, body?: unknown, more: object = {}) =>
    await note(await page.post(path, body, more));
  const get = async (path: string, client: TestBrowser = page) =>
    await note(await client.send(path));
  await get("/auth/csrf");
  await post("/auth/register", { ...ADA, password: "short" });
  await post("/auth/register", ADA);
  await post("/auth/register", ADA);
  await get("/auth/session");
  await post("/auth/login", ADA);
  await post("/auth/login", { ...ADA, remember: true });
  await post("/auth/login", { ...ADA, remember: WRONG });
  for (const _ of repeat(7, () => 0)) await post("/auth/login", { ...ADA, password: WRONG });
  await post("/auth/login", { identifier: WRONG, password: PASSWORD });
  await post("/auth/login", `${PASSWORD}${WRONG}`);
  await post("/auth/login", ADA, { token: "forged-token-of-somebody" });
  await post("/auth/login", ADA, { headers: { "Sec-Fetch-Site": "cross-site" } });
  await post("/notes", {}, { token: false });
  const copy = app.browser();
  copy.jar.set("__Host-sid", page.jar.get("__Host-sid") ?? "");
  await post("/auth/logout");
  await get("/auth/session", copy);
  await get("/auth/session");
  app.clock.now += 100_000;
  await get("/me");
}

Deno.test("createAuthRoutes() leaks no password, token, cookie or hash", async () => {
  const kept: unknown[] = [];
  const app = createTestApp({ wrap: (stores) => recording(stores, kept) });
  const observed: Observed = { bodies: [], tokens: new Set(), cookies: new Set() };
  await journey(app, async (response) => {
    for (const [name, value] of Object.entries(cookiesOf(response))) {
      if (value !== "") (name === "__Host-csrf" ? observed.tokens : observed.cookies).add(value);
    }
    const body = await response.text();
    const { csrfToken = "" } = body.startsWith("{") ? JSON.parse(body) : {};
    if (csrfToken !== "") observed.tokens.add(csrfToken);
    const fields = [...response.headers].filter(([name]) => name !== "set-cookie");
    observed.bodies.push(`${JSON.stringify(fields)} ${body.replace(csrfToken, "")}`);
  });
  const user = await app.stores.users.findByIdentifier(ADA.identifier);
  const { passwordHash = "", securityStamp = "" } = user ?? {};
  assert(passwordHash !== "" && securityStamp !== "");
  assert(observed.tokens.size >= 4 && observed.cookies.size >= 6, "the journey was completed");
  const always = [
    PASSWORD,
    WRONG,
    EVE_PASSWORD,
    SECRET,
    "forged-token",
    ...observed.tokens,
    ...observed.cookies,
  ];

  const places = {
    events: JSON.stringify(app.events),
    warnings: JSON.stringify(app.warnings),
    errors: app.errors.map((error) => `${error} ${Deno.inspect(error, { depth: 9 })}`).join(),
    bodies: observed.bodies.join("\n"),
  };
  for (const [place, text] of Object.entries(places)) {
    for (
      const secret of [
        ...always,
        passwordHash,
        securityStamp,
        passwordHash.split("$").at(-1) ?? "-",
      ]
    ) {
      assertFalse(text.includes(secret), `${place}: ${secret}`);
    }
  }
  assertFalse(
    places.events.includes(ADA.identifier),
    "an identifier field may contain a password",
  );
  const stored = JSON.stringify(kept);
  for (const secret of always) assertFalse(stored.includes(secret), `stores: ${secret}`);
  assertEquals(app.errors, []);
});

Deno.test("createAuthRoutes() sends no-store with every response, errors included", async () => {
  const app = createTestApp();
  let count = 0;
  await journey(app, async (response) => {
    count++;
    const { headers, status } = response;
    assertEquals(headers.get("Cache-Control"), "no-store", `${count}: ${status}`);
    assert(headers.get("Vary")?.split(", ").includes("Cookie"), `${count}: ${status}`);
    await response.body?.cancel();
  });
  assert(count > 20);
});
