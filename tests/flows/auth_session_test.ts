/** Journeys of users over the network: registration, sign-in and sign-out on several devices and servers. */

import { getSession, json } from "@gatehouse/http";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { withServer } from "../attacks/_raw.ts";
import {
  createTestApp,
  type TestApp,
  type TestAppOptions,
  type TestBrowser,
} from "../auth/http/_app.ts";
import { createBrowser } from "../auth/_browser.ts";
import { ADA, EVE_PASSWORD, PASSWORD, repeat, SECRET } from "../auth/_services.ts";

const EVE = { identifier: "eve@example.org", password: EVE_PASSWORD };
const DAY = 86_400;

interface Site extends TestApp {
  /** A browser that connects over the network. */
  open(): TestBrowser;
}

/** Runs an application on a local port. */
async function withSite(
  options: TestAppOptions,
  visit: (site: Site) => Promise<void>,
): Promise<void> {
  const app = createTestApp(options);
  app.router
    .get("/sessions", async (req) => json(await app.runtime.sessions.list(req.principal.sub)))
    .delete("/sessions", async (req) => {
      const { sub, sessionId = "" } = req.principal;
      await app.runtime.sessions.revokeOthers(sub, sessionId);
      return json(getSession(req)?.user.identifier);
    })
    .put("/password", async (req, ...args) => {
      const { currentPassword, newPassword } = req.content as Record<string, string>;
      const authentication = await app.runtime.passwords.change(
        req.principal.sub,
        { currentPassword: `${currentPassword}`, newPassword: `${newPassword}` },
        app.runtime.client(req, ...args),
      );
      const { csrfToken } = await app.runtime.signIn(req, authentication);
      return json({ csrfToken });
    });
  await withServer((request, info) => app.router.fetch(request, info), async (port) => {
    const origin = `http://127.0.0.1:${port}`;
    const open = () =>
      createBrowser({ origin, now: () => app.clock.now, fetch: (request) => fetch(request) });
    await visit({ ...app, open });
  });
}

/** The status of a response; the body is read, or the connection would stay open. */
async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

/** Signs in on a page whose session and token have expired: it fetches a new token first. */
async function signInAgain(page: TestBrowser, credentials = ADA): Promise<number> {
  assertEquals(await statusOf(page.send("/auth/csrf")), 200);
  return await statusOf(page.login(credentials));
}

async function whoIs(page: TestBrowser): Promise<string | undefined> {
  const response = await page.send("/auth/session");
  return (await response.json()).user?.identifier;
}

Deno.test("A visitor signs up, works, signs out and comes back", async () => {
  await withSite({}, async ({ open, clock }) => {
    const page = open();
    assertEquals(await statusOf(page.send("/me")), 401);
    assertEquals(await whoIs(page), undefined);
    assertEquals(await statusOf(page.register({ ...ADA, password: "too short" })), 422);
    assertEquals(await statusOf(page.register()), 201);
    assertEquals(await whoIs(page), ADA.identifier);
    assertEquals(await statusOf(page.post("/notes", { text: "hello" })), 201);
    assertEquals(await statusOf(page.logout()), 204);
    assertEquals(await statusOf(page.post("/notes", { text: "hello" })), 401);
    assertEquals(page.jar.names(), ["__Host-csrf", "__Host-dev", "__Host-presid"]);

    assertEquals(await statusOf(page.login({ ...ADA, remember: true })), 200);
    for (let week = 0; week < 4; week++) {
      page.close();
      clock.now += 7 * DAY - 1;
      assertEquals(await whoIs(page), ADA.identifier, `week ${week}`);
    }
    clock.now += 7 * DAY;
    assertEquals(await whoIs(page), undefined, "30 days are over");
    assertEquals(await statusOf(page.login()), 200);
  });
});

Deno.test("A user closes the window and is signed out; the device remains known", async () => {
  await withSite({}, async ({ open }) => {
    const page = open();
    assertEquals(await statusOf(page.register()), 201);
    page.close();
    assertEquals(page.jar.names(), ["__Host-dev"]);
    assertEquals(await whoIs(page), undefined);
    assertEquals(await statusOf(page.login()), 200);
  });
});

Deno.test("A user mistypes a password too often, waits for Retry-After, and signs in", async () => {
  await withSite({}, async ({ open, clock }) => {
    await statusOf(open().register());
    const page = open();
    for (const _ of repeat(5, () => 0)) {
      assertEquals(await statusOf(page.login({ ...ADA, password: EVE_PASSWORD })), 401);
    }
    const refused = await page.login();
    assertEquals([refused.status, (await refused.json()).code], [429, "throttled"]);
    const wait = Number(refused.headers.get("Retry-After"));
    assert(wait > 0);
    clock.now += wait;
    assertEquals(await statusOf(page.login()), 200);
  });
});

Deno.test("A user signs in on two devices, lists both, and revokes the other one", async () => {
  await withSite({}, async ({ open }) => {
    const [laptop, phone] = [open(), open()];
    assertEquals(await statusOf(laptop.register()), 201);
    assertEquals(await statusOf(phone.login()), 200);
    assertEquals((await (await laptop.send("/sessions")).json()).length, 2);
    const ended = await laptop.post("/sessions", undefined, { method: "DELETE" });
    assertEquals(await ended.json(), ADA.identifier);
    assertEquals([await whoIs(laptop), await whoIs(phone)], [ADA.identifier, undefined]);
    assertEquals(phone.jar.names().includes("__Host-sid"), false);
    assertEquals(await signInAgain(phone), 200);
  });
});

Deno.test("A user changes the password, stays signed in, and is signed out elsewhere", async () => {
  await withSite({}, async ({ open }) => {
    const [laptop, phone] = [open(), open()];
    assertEquals(await statusOf(laptop.register()), 201);
    assertEquals(await statusOf(phone.login({ ...ADA, remember: true })), 200);
    const sid = laptop.jar.get("__Host-sid");
    const change = { currentPassword: PASSWORD, newPassword: EVE_PASSWORD };
    assertEquals(await statusOf(laptop.post("/password", change, { method: "PUT" })), 200);
    assertNotEquals(laptop.jar.get("__Host-sid"), sid);
    assertEquals([await whoIs(laptop), await whoIs(phone)], [ADA.identifier, undefined]);
    assertEquals(await statusOf(laptop.logout()), 204, "with the token of the change's response");
    assertEquals(await signInAgain(phone), 401);
    assertEquals(await statusOf(phone.login({ ...ADA, password: EVE_PASSWORD })), 200);
  });
});

Deno.test("Two users share a computer, and an old tab of the first user does not act for the second", async () => {
  await withSite({ csrf: "token" }, async ({ open, stores }) => {
    const page = open();
    assertEquals(await statusOf(page.register()), 201);
    const oldTab = await page.token();
    assertEquals(await statusOf(page.logout()), 204);
    assertEquals(await statusOf(page.register(EVE)), 201);
    assertEquals(await whoIs(page), EVE.identifier);

    assertEquals(await statusOf(page.post("/notes", {}, { token: oldTab })), 403);
    assertEquals(await statusOf(page.post("/auth/logout", undefined, { token: oldTab })), 403);
    assertEquals(await statusOf(page.post("/notes", {})), 201, "with the current token");

    assertEquals(await statusOf(page.login()), 200, "after Eve's session");
    assertEquals(await whoIs(page), ADA.identifier);
    const { sub = "" } = await stores.users.findByIdentifier(EVE.identifier) ?? {};
    assertEquals(await stores.sessions.list(sub), []);
  });
});

Deno.test("Two tabs sign in concurrently, and both continue with the last session", async () => {
  await withSite({ csrf: "token" }, async ({ open }) => {
    const page = open();
    assertEquals(await statusOf(page.register()), 201);
    await statusOf(page.logout());
    await page.token();
    const statuses = await Promise.all([statusOf(page.login()), statusOf(page.login())]);
    assertEquals(statuses, [200, 200]);
    assertEquals(await whoIs(page), ADA.identifier);
    const { csrfToken } = await (await page.send("/auth/csrf")).json();
    assertEquals(await statusOf(page.post("/notes", {}, { token: csrfToken })), 201);
  });
});

Deno.test("A server is restarted, and a second one is started: sessions and pages stay valid", async () => {
  const clock = createTestApp().clock;
  await withSite({ clock, csrf: "token" }, async (first) => {
    const page = first.open();
    assertEquals(await statusOf(page.register()), 201);
    const token = await page.token();
    const again = { clock, csrf: "token", stores: first.stores } as const;
    await withSite(again, async (second) => {
      const moved = second.open();
      for (const name of page.jar.names()) moved.jar.set(name, page.jar.get(name) ?? "");
      assertEquals(await whoIs(moved), ADA.identifier);
      assertEquals(await statusOf(moved.post("/notes", {}, { token })), 201);
      assertEquals(await statusOf(moved.logout()), 204);
    });
    assertEquals(await whoIs(page), undefined, "signed out of both");
  });
});

Deno.test("A secret is replaced: CSRF tokens are valid while the old one verifies, sessions also afterwards", async () => {
  const clock = createTestApp().clock;
  const next = "the next secret that only the tests know";
  await withSite({ clock, csrf: "token" }, async ({ open, stores }) => {
    const page = open();
    assertEquals(await statusOf(page.register()), 201);
    const token = await page.token();
    for (const [secret, status] of [[[next, SECRET], 201], [next, 403]] as const) {
      await withSite({ clock, csrf: "token", stores, secret }, async (site) => {
        const moved = site.open();
        for (const name of page.jar.names()) moved.jar.set(name, page.jar.get(name) ?? "");
        assertEquals(await whoIs(moved), ADA.identifier);
        assertEquals(await statusOf(moved.post("/notes", {}, { token })), status);
        const { csrfToken } = await (await moved.send("/auth/csrf")).json();
        assertEquals(await statusOf(moved.post("/notes", {}, { token: csrfToken })), 201);
      });
    }
  });
});

Deno.test("An account is disabled while its owner is signed in: the next request and the next login fail", async () => {
  await withSite({}, async ({ open, runtime, stores }) => {
    const page = open();
    assertEquals(await statusOf(page.register()), 201);
    const old = open();
    old.jar.set("__Host-sid", page.jar.get("__Host-sid") ?? "");
    const { sub = "" } = await stores.users.findByIdentifier(ADA.identifier) ?? {};
    await runtime.users.disable(sub);
    assertEquals(await statusOf(page.send("/me")), 401);
    assertEquals(await signInAgain(page), 401);
    await runtime.users.enable(sub);
    assertEquals(await statusOf(old.send("/me")), 401, "the old session stays revoked");
    assertEquals(await statusOf(page.login()), 200);
  });
});
