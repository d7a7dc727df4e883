/** What of a sign-in is undone before its answer says so, and which bodies of a sign-out are none. */

import { assertEquals } from "@std/assert";
import { sendBody } from "./_routes.ts";
import { ADA } from "../_services.ts";
import { createTokenApp } from "./_token_routes.ts";

const down = () => Promise.reject(new Error("down"));

Deno.test("POST /auth/login has taken the session back when it says that nobody is signed in", async () => {
  const app = createTokenApp({
    wrap: ({ sessions, refreshTokens }) => ({
      refreshTokens: { ...refreshTokens, create: down },
      sessions: {
        ...sessions,
        async revoke(id) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          await sessions.revoke(id);
        },
      },
    }),
  });
  await app.signedIn();
  const before = await app.stores.sessions.list("u1");
  assertEquals((await app.browser().login(ADA)).status, 500);
  assertEquals(await app.stores.sessions.list("u1"), before);
});

/** Nothing at all may be left out; what is there has to be JSON. */
const BODIES: readonly (readonly [body: string, status: number])[] = [
  ["", 204],
  ["{}", 204],
  ["null", 204],
  [" ", 400],
  ["\n", 400],
  ["refreshToken=x", 400],
];

for (const [body, status] of BODIES) {
  Deno.test(`POST /auth/logout answers ${status} to the body ${JSON.stringify(body)}, and ends the session`, async () => {
    const app = createTokenApp();
    const page = await app.signedIn();
    assertEquals((await sendBody(page, "/auth/logout", body)).status, status);
    assertEquals((await page.send("/me")).status, 401);
  });
}
