/** Sign-in as a browser does it: what its jar holds then, and what its scripts see of it. */

import { assert, assertAlmostEquals, assertEquals, assertNotEquals } from "@std/assert";
import { PERSISTENT_SESSION } from "../../mod.ts";
import { APP_HOST, browserTest, PASSWORD } from "./_harness.ts";
import type { JarCookie } from "./_playwright.ts";
import { jarOf, openAs, register, send, sendWithToken } from "./_steps.ts";

const ALICE = "alice@example.com";
const CREDENTIALS = { identifier: ALICE, password: PASSWORD };
const MAX_COOKIE_AGE = 400 * 86_400;

/** Attributes of a cookie that no script reads, no other host gets and no other site sends along. */
const GUARDED = {
  domain: APP_HOST, // without a dot: this host alone
  path: "/",
  httpOnly: true,
  secure: true,
  sameSite: "Lax",
} as const;

function attributesOf({ domain, path, httpOnly, secure, sameSite }: JarCookie): typeof GUARDED {
  return { domain, path, httpOnly, secure, sameSite } as typeof GUARDED;
}

browserTest("registerAuth() gives the browser cookies that go with it", async (scene) => {
  const page = await openAs(scene, ALICE);
  const jar = await jarOf(scene.context, APP_HOST);
  assertEquals(Object.keys(jar).sort(), [
    "__Host-csrf",
    "__Host-dev",
    "__Host-presid",
    "__Host-sid",
  ]);
  for (const [name, cookie] of Object.entries(jar)) {
    assertEquals(attributesOf(cookie), GUARDED, name);
    if (name !== "__Host-dev") assertEquals(cookie.expires, -1, name);
  }
  assertAlmostEquals(
    jar["__Host-dev"]?.expires ?? 0,
    Date.now() / 1000 + MAX_COOKIE_AGE,
    60,
  );
  assertEquals(await page.evaluate("document.cookie"), "", "a script reads cookies");
  assertEquals((await send(page, "GET", "/auth/session")).body?.user?.identifier, ALICE);
});

browserTest("registerAuth() keeps who wants to be remembered past the window", async (scene) => {
  const page = await openAs(scene, ALICE);
  await sendWithToken(page, "POST", "/auth/logout");
  const answer = await sendWithToken(page, "POST", "/auth/login", {
    ...CREDENTIALS,
    remember: true,
  });
  assertEquals(answer.status, 200);
  const { "__Host-sid": sid, "__Host-csrf": csrf } = await jarOf(scene.context, APP_HOST);
  assert(sid !== undefined && csrf !== undefined);
  assertEquals(attributesOf(sid), GUARDED);
  assertAlmostEquals(sid.expires, Date.now() / 1000 + PERSISTENT_SESSION.absolute, 60);
  assertEquals(await page.evaluate("document.cookie"), "");
});

browserTest("registerAuth() signs out: the jar and the server forget", async (scene) => {
  const page = await openAs(scene, ALICE);
  const { "__Host-sid": before } = await jarOf(scene.context, APP_HOST);
  assert(before !== undefined);
  assertEquals((await sendWithToken(page, "POST", "/auth/logout")).status, 204);
  const { "__Host-sid": after, "__Host-dev": dev } = await jarOf(scene.context, APP_HOST);
  assertEquals(after, undefined);
  assert(dev !== undefined, "a browser known from before stays known");

  await scene.context.addCookies([before]); // somebody kept the cookie
  assertEquals((await send(page, "GET", "/private")).status, 401);
}, { errors: [/status of 401/] });

browserTest("registerAuth() replaces a session that somebody planted", async (scene) => {
  const attacker = await scene.another();
  const theirs = await attacker.newPage();
  await theirs.goto(scene.origin());
  await register(theirs, "mallory@example.com");
  const { "__Host-sid": planted } = await jarOf(attacker, APP_HOST);
  assert(planted !== undefined);

  await scene.context.addCookies([planted]);
  const page = await openAs(scene, ALICE);
  const { "__Host-sid": own } = await jarOf(scene.context, APP_HOST);
  assertNotEquals(own?.value, planted.value);
  assertEquals((await send(page, "GET", "/auth/session")).body?.user?.identifier, ALICE);
  assertEquals((await send(theirs, "GET", "/auth/session")).status, 401, "the planted one lives");
}, { errors: [/status of 401/] });

browserTest("registerAuth() does not leave a browser with a dead session", async (scene) => {
  const page = await openAs(scene, ALICE);
  const [created] = scene.events.filter(({ type }) => type === "user.created");
  assert(created?.type === "user.created");
  await scene.runtime.sessions.revokeAll(created.sub);

  const refused = await send(page, "GET", "/private");
  assertEquals([refused.status, refused.body?.code], [401, "session_expired"]);
  assertEquals((await jarOf(scene.context, APP_HOST))["__Host-sid"], undefined);
  assertEquals((await send(page, "GET", "/private")).body?.code, "unauthenticated");
  assertEquals((await sendWithToken(page, "POST", "/auth/login", CREDENTIALS)).status, 200);
}, { errors: [/status of 401/] });

browserTest("withAuth() leads a browser without a session to the sign-in page", async (scene) => {
  const page = await scene.open("/private");
  assertEquals(page.url(), `${scene.origin()}/sign-in`);
  await register(page, ALICE);
  await page.goto(`${scene.origin()}/private`);
  assertEquals(await page.locator("h1").innerText(), `Secret of ${ALICE}`);
});

/** The ways in which the application's own pages change something: each of them is let through. */
const OWN_REQUESTS: readonly [why: string, script: string, change: string][] = [
  ["JSON", `send("POST", "/json", { to: "bob" })`, "json"],
  ["a form by script", `send("POST", "/form", new FormData())`, "form"],
  ["raw content", `send("POST", "/raw", new Blob(["x"]))`, "raw"],
  ["DELETE", `send("DELETE", "/item")`, "item"],
  [
    "a form that leads to another page",
    `document.body.innerHTML = '<form method="post" action="/form" enctype="multipart/form-data">';
     document.forms[0].submit()`,
    "form",
  ],
];

for (const [why, script, change] of OWN_REQUESTS) {
  browserTest(`withAuth() lets the application's own pages send ${why}`, async (scene) => {
    const page = await openAs(scene, ALICE);
    await page.evaluate(script);
    const path = `/${change}`;
    const { status } = await scene.until(change === "item" ? "DELETE" : "POST", path);
    assertEquals([status, scene.changes], [200, [`${ALICE}: ${change}`]]);
  });
}
