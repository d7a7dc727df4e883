/**
 * Forged requests in a browser: pages of another site, and of a sibling host whose requests carry the cookies, against
 * somebody who is signed in.
 */

import { assert, assertEquals } from "@std/assert";
import { ASKED_FIRST, blind, CREDENTIALS, form, HARMLESS, SENT } from "./_attacks.ts";
import { APP_HOST, browserTest, OTHER_SITE, type Scene, SIBLING } from "./_harness.ts";
import { jarOf, literal, openAs, signInAs } from "./_steps.ts";

const ALICE = "alice@example.com";
const SESSION_COOKIE = "__Host-sid";

/** What attacks leave in the attacker's console. */
const ERRORS = [/status of 40\d/, /CORS policy/, /net::ERR_FAILED/, /WebSocket connection/];

/** Who attacks, what `Sec-Fetch-Site` says then, and whether the victim's cookies come along. */
const ATTACKERS: readonly [host: string, site: string, carriesCookies: boolean][] = [
  [OTHER_SITE, "cross-site", false],
  [SIBLING, "same-site", true],
];

/** Nothing has changed, and the browser has the session that it had before. */
async function assertUnharmed(scene: Scene, token: string): Promise<void> {
  assertEquals(scene.changes, []);
  assertEquals((await jarOf(scene.context, APP_HOST))[SESSION_COOKIE]?.value, token);
  assertEquals((await scene.runtime.sessions.verify(token))?.user.identifier, ALICE);
}

for (const [host, site, carriesCookies] of ATTACKERS) {
  for (const { why, script, reaches: [method, path] } of SENT) {
    browserTest(`withAuth() refuses ${why}, ${site}`, async (scene) => {
      const token = await signInAs(scene, ALICE);
      const attacker = await scene.openAttacker(host);
      const from = scene.exchanges.length;
      await attacker.evaluate(script(scene.origin()));
      const sent = await scene.until(method, path, from);

      const isFrame = why.includes("frame"); // it belongs to no site at all, and has no cookies
      assertEquals(sent.site, isFrame ? "cross-site" : site);
      const carried = carriesCookies && !isFrame;
      assertEquals(sent.cookies.includes(SESSION_COOKIE), carried, "cookies");
      const refusal = carried || path.startsWith("/auth/")
        ? [403, "csrf_failed"]
        : [401, "unauthenticated"]; // nobody that a forgery could act for
      assertEquals([sent.status, sent.code], refusal);
      assertEquals(sent.headers.getSetCookie(), []);
      await assertUnharmed(scene, token);
    }, { errors: ERRORS });
  }

  for (const { why, script, reaches: [method, path] } of HARMLESS) {
    browserTest(`withAuth() changes nothing by ${why}, ${site}`, async (scene) => {
      const token = await signInAs(scene, ALICE);
      const attacker = await scene.openAttacker(host);
      const from = scene.exchanges.length;
      await attacker.evaluate(script(scene.origin()));
      const sent = await scene.until(method, path, from);

      const isLink = why.includes("link"); // Lax cookies go along when a user is led to the page
      assertEquals(sent.site, site);
      assertEquals(sent.cookies.includes(SESSION_COOKIE), carriesCookies || isLink, "cookies");
      if (path !== "/private") assertEquals(sent.status, 405);
      await assertUnharmed(scene, token);
    }, { errors: ERRORS });
  }

  for (const [why, path, init] of ASKED_FIRST) {
    browserTest(`withAuth() has browsers keep back ${why}, ${site}`, async (scene) => {
      const token = await signInAs(scene, ALICE);
      const attacker = await scene.openAttacker(host);
      const from = scene.exchanges.length;
      const outcome = await attacker.evaluate(
        `fetch(${literal(scene.origin() + path)}, { credentials: "include", ${init} })
          .then(() => "sent", () => "kept back")`,
      );
      assertEquals(outcome, "kept back");
      const asked = await scene.until("OPTIONS", path, from);
      assertEquals(asked.headers.get("Access-Control-Allow-Origin"), null);
      assertEquals(scene.exchanges.slice(from).map(({ method }) => method), ["OPTIONS"]);
      await assertUnharmed(scene, token);
    }, { errors: ERRORS });
  }

  browserTest(`withAuth() shows private pages to no script, ${site}`, async (scene) => {
    await signInAs(scene, ALICE);
    const attacker = await scene.openAttacker(host);
    for (const path of ["/private", "/auth/csrf", "/auth/session"]) {
      const outcome = await attacker.evaluate(
        `fetch(${literal(scene.origin() + path)}, { credentials: "include" })
          .then((response) => response.text(), () => "unreadable")`,
      );
      assertEquals(outcome, "unreadable", path);
    }
  }, { errors: ERRORS });

  browserTest(`registerAuth() signs nobody in as the attacker, ${site}`, async (scene) => {
    await scene.runtime.passwords.createUser(JSON.parse(CREDENTIALS));
    const attacker = await scene.openAttacker(host);
    const from = scene.exchanges.length;
    await attacker.evaluate(
      form(`${scene.origin()}/auth/login`, "text/plain", {
        [`${CREDENTIALS.slice(0, -1)},"ignored":"`]: `"}`,
      }),
    );
    const { status, code, headers } = await scene.until("POST", "/auth/login", from);
    assertEquals([status, code, headers.getSetCookie()], [403, "csrf_failed", []]);
    assertEquals((await jarOf(scene.context, APP_HOST))[SESSION_COOKIE], undefined);
  }, { errors: ERRORS });

  browserTest(`withAuth() lets a forgery act for nobody at most, ${site}`, async (scene) => {
    await signInAs(scene, ALICE);
    const attacker = await scene.openAttacker(host);
    await attacker.evaluate(blind(`${scene.origin()}/open`, `body: "x"`));
    const { status } = await scene.until("POST", "/open");
    // Without cookies it is anybody's request to a route that is for anybody
    assertEquals([status, scene.changes], carriesCookies ? [403, []] : [200, ["nobody: open"]]);
  }, { errors: ERRORS });

  browserTest(`withAuth() opens no WebSocket, ${site}`, async (scene) => {
    const own = await openAs(scene, ALICE);
    const opening = `new Promise((resolve) => {
      const socket = new WebSocket(${literal(`${scene.origin()}/socket`.replace("http", "ws"))});
      socket.onmessage = ({ data }) => (socket.close(), resolve(data));
      socket.onerror = () => resolve("refused");
    })`;
    assertEquals(await own.evaluate(opening), "open");

    const attacker = await scene.openAttacker(host);
    const from = scene.exchanges.length;
    assertEquals(await attacker.evaluate(opening), "refused");
    const { status, cookies } = await scene.until("GET", "/socket", from);
    assertEquals(cookies.includes(SESSION_COOKIE), carriesCookies);
    assertEquals(status, carriesCookies ? 403 : 401);
    assert(scene.exchanges.slice(from).every((one) => one.status !== 101));
  }, { errors: ERRORS });
}
