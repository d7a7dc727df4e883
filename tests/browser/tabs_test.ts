/** One browser with several tabs and a history: what is left of a session that has ended. */

import { assert, assertEquals } from "@std/assert";
import { browserTest } from "./_harness.ts";
import { goBack, openAs, send, sendWithToken } from "./_steps.ts";

const ALICE = "alice@example.com";

browserTest("registerAuth() signs out all tabs", async (scene) => {
  const first = await openAs(scene, ALICE);
  const second = await scene.open("/private");
  assertEquals(await second.locator("h1").innerText(), `Secret of ${ALICE}`);
  assertEquals((await sendWithToken(first, "POST", "/auth/logout")).status, 204);

  assertEquals((await send(second, "POST", "/json", {})).status, 401);
  await second.reload();
  assertEquals(second.url(), `${scene.origin()}/sign-in`);
  assertEquals(scene.changes, []);
}, { errors: [/status of 401/] });

browserTest("registerAuth() gives all tabs the session of a new sign-in", async (scene) => {
  const first = await scene.open();
  const second = await openAs(scene, ALICE);
  assertEquals((await send(first, "POST", "/json", {})).status, 200);
  assertEquals((await sendWithToken(first, "POST", "/auth/logout")).status, 204);
  assertEquals((await send(second, "GET", "/auth/session")).status, 401);
}, { errors: [/status of 401/] });

/** With pages in memory, as users have it, and without, as it is when memory is short. */
for (const cachesPages of [true, false]) {
  const where = cachesPages ? "memory" : "the cache";
  browserTest(
    `withAuth() leaves no private page in ${where} behind the back button`,
    async (scene) => {
      const page = await openAs(scene, ALICE);
      await page.goto(`${scene.origin()}/private`);
      const { headers } = await scene.until("GET", "/private");
      assertEquals(headers.get("Cache-Control"), "no-store");
      assertEquals((await sendWithToken(page, "POST", "/auth/logout")).status, 204);
      await page.goto(`${scene.origin()}/sign-in`);

      const from = scene.exchanges.length;
      const asked = scene.until("GET", /^\/(?:private|restored)$/, from);
      await goBack(page);
      const { path, status } = await asked;
      assertEquals([path, status], ["/private", 303], "the page is asked for again, and refused");
      await page.waitForURL(/sign-in/);
      assert(!(await page.locator("body").innerText()).includes("Secret"));
    },
    { cachesPages },
  );
}

browserTest("The back button shows what may be kept from memory", async (scene) => {
  // Shows that the test above would see a page that was kept
  const page = await scene.open("/sign-in");
  await page.goto(`${scene.origin()}/`);
  const from = scene.exchanges.length;
  const restored = scene.until("GET", "/restored", from);
  await goBack(page);
  assertEquals((await restored).status, 204);
}, { cachesPages: true });
