/** Cookies that a sibling host plants: which ones a browser takes, and what the application makes of them. */

import { assertEquals } from "@std/assert";
import { APP_HOST, browserTest, SIBLING } from "./_harness.ts";
import type { Page } from "./_playwright.ts";
import { jarOf, literal, openAs, register, send, sendWithToken } from "./_steps.ts";

const ALICE = "alice@example.com";
const SHARED = `Domain=${APP_HOST}; Path=/`;

/** Cookies of the application's own names, which only its own host can set. */
const REFUSED: readonly [why: string, cookie: string][] = [
  ["the session's name", `__Host-sid=planted; ${SHARED}; Secure`],
  ["the session's name for one path", `__Host-sid=planted; Domain=${APP_HOST}; Path=/auth; Secure`],
  ["the session's name in other letters", `__HOST-SID=planted; ${SHARED}; Secure`],
  ["the token's name", `__Host-csrf=planted; ${SHARED}; Secure`],
  ["the name before a session", `__Host-presid=planted; ${SHARED}; Secure`],
  ["the known browser's name", `__Host-dev=planted; ${SHARED}; Secure`],
  ["no name, and the session's in the value", `=__Host-sid=planted; ${SHARED}; Secure`],
  ["blanks before the session's name", ` __Host-sid=planted; ${SHARED}; Secure`],
];

/** Cookies that a sibling may set, and that no part of the application reads. */
const TAKEN: readonly [why: string, name: string, cookie: string][] = [
  ["the name without prefix", "sid", `sid=planted; ${SHARED}`],
  ["the token's name without prefix", "csrf", `csrf=planted; ${SHARED}`],
  ["the weaker prefix", "__Secure-sid", `__Secure-sid=planted; ${SHARED}; Secure`],
  ["a blank that is none before the name", "\u00a0__Host-sid", ""],
  ["a name for one path", "sid", `sid=planted; Domain=${APP_HOST}; Path=/auth`],
];

for (const [why, cookie] of REFUSED) {
  browserTest(`cookiePolicy() has names that no sibling can set: ${why}`, async (scene) => {
    const page = await openAs(scene, ALICE);
    const before = await scene.context.cookies();
    const sibling = await scene.openAttacker(SIBLING, [cookie]);
    await plant(sibling, [cookie]);
    assertEquals(await scene.context.cookies(), before);
    assertEquals((await send(page, "GET", "/auth/session")).body?.user?.identifier, ALICE);
  });
}

for (const [why, name, cookie] of TAKEN) {
  browserTest(`registerAuth() is not misled by a planted cookie: ${why}`, async (scene) => {
    const text = cookie === "" ? `${name}=planted; ${SHARED}; Secure` : cookie;
    const sibling = await scene.openAttacker(SIBLING);
    await plant(sibling, [text]);
    const planted = (await jarOf(scene.context, `.${APP_HOST}`))[name];
    assertEquals(planted?.value, "planted", "the browser did not take it");

    const page = await openAs(scene, ALICE);
    assertEquals((await send(page, "GET", "/auth/session")).body?.user?.identifier, ALICE);
    assertEquals((await send(page, "POST", "/json", {})).status, 200);
    assertEquals((await sendWithToken(page, "POST", "/auth/logout")).status, 204);
    assertEquals((await send(page, "GET", "/auth/session")).status, 401);
  }, { errors: [/status of 401/] });
}

browserTest("registerAuth() only loses a session that a sibling pushes out", async (scene) => {
  // A browser keeps some hundred cookies for a site: those of the application go, no others take their place
  const page = await openAs(scene, ALICE);
  const sibling = await scene.openAttacker(SIBLING);
  await plant(sibling, Array.from({ length: 400 }, (_, i) => `c${i}=; ${SHARED}; Secure`));
  assertEquals(await jarOf(scene.context, APP_HOST), {});
  assertEquals((await send(page, "GET", "/auth/session")).status, 401);
  await register(page, "alice.again@example.com");
  const { body } = await send(page, "GET", "/auth/session");
  assertEquals(body?.user?.identifier, "alice.again@example.com");
}, { errors: [/status of 401/] });

/** Sets cookies by a script, and waits until the browser has them: it reads them after it has set them. */
async function plant(page: Page, cookies: readonly string[]): Promise<void> {
  await page.evaluate(
    `for (const cookie of ${literal(cookies)}) document.cookie = cookie; document.cookie`,
  );
}
