/** GET /auth/csrf: a token for whoever asks, and a new one only where the old one does not hold. */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { createTestApp } from "./_app.ts";
import { assertRefused, cookiesOf, FORGED, seen } from "./_routes.ts";

const BARE = "Path=/; Secure; HttpOnly; SameSite=Lax";
const TOKEN_REGEXP = /^[0-9a-f]{64}\.[0-9a-f]{64}$/;

Deno.test("GET /auth/csrf answers token and header field, and sets the two cookies that it is bound to", async () => {
  const page = createTestApp().browser();
  const response = await page.send("/auth/csrf");
  const { "__Host-presid": presid, "__Host-csrf": csrf = "" } = cookiesOf(response);
  assertMatch(csrf, TOKEN_REGEXP);
  assertEquals(await seen(response), {
    status: 200,
    headers: [
      ["cache-control", "no-store"],
      ["content-type", "application/json"],
      ["set-cookie", `__Host-presid=${presid}; ${BARE}`],
      ["set-cookie", `__Host-csrf=${csrf}; ${BARE}`],
      ["vary", "Cookie"],
    ],
    body: JSON.stringify({ csrfToken: csrf, header: "X-CSRF-Token" }),
  });
});

Deno.test("GET /auth/csrf gives two pages of a browser the same token, and sets it once", async () => {
  for (const signedIn of [false, true]) {
    const app = createTestApp();
    const page = signedIn ? await app.signedIn() : app.browser();
    const first = await page.send("/auth/csrf");
    const second = await page.send("/auth/csrf");
    const names = Object.keys(cookiesOf(first));
    assertEquals(names, signedIn ? ["__Host-csrf"] : ["__Host-presid", "__Host-csrf"]);
    assertEquals(second.headers.getSetCookie(), []);
    assertEquals(await first.json(), await second.json());
  }
});

Deno.test("GET /auth/csrf gives two browsers two tokens", async () => {
  const { browser, signedIn } = createTestApp();
  const tokens = [
    await browser().token(),
    await browser().token(),
    await (await signedIn()).token(),
    await (await signedIn()).token(),
  ];
  assertEquals(new Set(tokens).size, 4);
});

Deno.test("GET /auth/csrf gives the token that the login gave, and another than before it and after", async () => {
  const { browser } = createTestApp();
  const page = browser();
  const before = await page.token();
  const { csrfToken } = await (await page.register()).json();
  const during = (await (await page.send("/auth/csrf")).json()).csrfToken;
  assertEquals(during, csrfToken);
  await page.logout();
  const after = (await (await page.send("/auth/csrf")).json()).csrfToken;
  assertEquals(new Set([before, during, after]).size, 3);
});

Deno.test("GET /auth/csrf after a logout gives the token whose cookie the logout set", async () => {
  const page = await createTestApp().signedIn();
  const { "__Host-csrf": set } = cookiesOf(await page.logout());
  const response = await page.send("/auth/csrf");
  assertEquals((await response.json()).csrfToken, set);
  assertEquals(response.headers.getSetCookie(), []);
});

Deno.test("GET /auth/csrf answers for a dead session too, and the token is good for a login", async () => {
  for (const sid of ["A".repeat(43), "planted", ""]) {
    const app = createTestApp();
    await app.signedIn();
    const page = app.browser();
    page.jar.set("__Host-sid", sid);
    assertEquals((await page.send("/auth/csrf")).status, 200);
    assertEquals((await page.login()).status, 200);
    assertEquals((await page.send("/me")).status, 200);
  }
});

/** What stands in the browser's jar in the token's place. */
const CSRF_COOKIES: readonly string[] = [
  "",
  "x",
  `${"0".repeat(64)}.${"0".repeat(64)}`,
  `${"A".repeat(64)}.${"A".repeat(64)}`,
];

for (const cookie of CSRF_COOKIES) {
  Deno.test(`GET /auth/csrf replaces the cookie "${cookie.slice(0, 8)}", which it has not made`, async () => {
    const page = createTestApp().browser();
    page.jar.set("__Host-csrf", cookie);
    const response = await page.send("/auth/csrf");
    const { csrfToken } = await response.json();
    assertMatch(csrfToken, TOKEN_REGEXP);
    assertNotEquals(csrfToken, cookie);
    assertEquals(cookiesOf(response)["__Host-csrf"], csrfToken);
  });
}

Deno.test("GET /auth/csrf replaces the token of another session", async () => {
  const app = createTestApp();
  const [one, two] = [await app.signedIn(), await app.signedIn()];
  const token = await one.token();
  two.jar.set("__Host-csrf", token);
  assertNotEquals((await (await two.send("/auth/csrf")).json()).csrfToken, token);
});

Deno.test("GET /auth/csrf answers HEAD without the token, whose cookies it sets", async () => {
  const page = createTestApp().browser();
  const response = await page.send("/auth/csrf", { method: "HEAD" });
  assertEquals([response.status, await response.text()], [200, ""]);
  const csrf = cookiesOf(response)["__Host-csrf"];
  assertEquals((await (await page.send("/auth/csrf")).json()).csrfToken, csrf);
});

Deno.test("GET /auth/csrf with two session cookies is a 403", async () => {
  const page = createTestApp().browser();
  for (const name of ["__Host-sid", "__Host-presid"]) {
    const headers = { Cookie: `${name}=a; ${name}=b` };
    await assertRefused(await page.send("/auth/csrf", { headers }), FORGED);
  }
});

Deno.test("GET /auth/csrf names the application's own header field, and the routes read it", async () => {
  const app = createTestApp({ csrfHeader: "X-Own" });
  await app.signedIn();
  const page = app.browser();
  const { csrfToken, header } = await (await page.send("/auth/csrf")).json();
  assertEquals(header, "X-Own");
  await assertRefused(await page.post("/auth/logout"), FORGED);
  const headers = { "X-Own": csrfToken };
  assertEquals((await page.post("/auth/logout", undefined, { headers })).status, 204);
});

Deno.test("GET /auth/csrf lets no other site read what it answers", async () => {
  const headers = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
  const response = await createTestApp().browser().send("/auth/csrf", { headers });
  const names = [...response.headers.keys()];
  assert(!names.some((name) => name.startsWith("access-control-")), names.join());
  assertEquals(response.status, 200);
  await response.body?.cancel();
});
