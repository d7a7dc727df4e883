import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { type Client, PASSWORD, withNotes } from "../examples/_notes_service.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

/** Ids of the sessions on the page, and whether each is the current one. */
async function sessionsOf({ page }: Client): Promise<Map<string, boolean>> {
  const text = await (await page("/sessions")).text();
  const items = [...text.matchAll(/<li class="card" data-id="([^"]+)">([^]*?)<\/li>/g)];
  return new Map(items.map(([, id = "", item = ""]) => [id, item.includes("This browser")]));
}

async function isSignedIn({ call }: Client): Promise<boolean> {
  const { status, body } = await call("/auth/session");
  await body?.cancel();
  return status === 200;
}

/** Signs `ada` in again. */
async function another(
  { stranger }: { readonly stranger: () => Client },
  userAgent: string,
): Promise<Client> {
  const client = stranger();
  const { status, body } = await client.enter("login", "ada", { "User-Agent": userAgent });
  await body?.cancel();
  assertEquals(status, 200);
  return client;
}

Deno.test("/auth supports an account from registration to sign-out and another sign-in", async () => {
  await withNotes(async ({ stranger }) => {
    const client = stranger();
    const registered = await client.enter("register", " Grace＠Example.org ");
    const { user, principal } = await registered.json();
    assertEquals([registered.status, user.identifier], [201, "grace@example.org"]);
    const { id } = await client.create({ title: "kept" });
    const before = client.cookies.get("__Host-sid");

    const out = await client.call("/auth/logout", { method: "POST" });
    assertEquals([out.status, await out.text()], [204, ""]);
    assertEquals([client.cookies.has("__Host-sid"), await isSignedIn(client)], [false, false]);

    const back = await client.enter("login", "GRACE@example.org");
    assertEquals((await back.json()).principal.sub, principal.sub);
    assertNotEquals(client.cookies.get("__Host-sid"), before);
    assertEquals((await (await client.call(`/notes/${id}`)).json()).title, "kept");
  });
});

/** Why a registration is rejected, its body, and the status and code of the response. */
const REFUSED: readonly (readonly [
  why: string,
  body: unknown,
  status: number,
  code: string,
  pointer?: string,
])[] = [
  [
    "a taken name in another spelling",
    { identifier: "ＡDA", password: PASSWORD },
    409,
    "identifier_unavailable",
  ],
  [
    "two names",
    { identifier: "a b", password: PASSWORD },
    400,
    "invalid_identifier",
  ],
  [
    "a short password",
    { identifier: "bob", password: "heron" },
    422,
    "weak_password",
    "/password",
  ],
  [
    "a password made of the service's name",
    { identifier: "bob", password: "gatehousegatehouse" },
    422,
    "weak_password",
    "/password",
  ],
  ["a string", "bob", 422, "validation_failed", ""],
];
for (const [why, body, status, code, pointer] of REFUSED) {
  Deno.test(`/auth/register rejects ${why}`, async () => {
    await withNotes(async ({ send, cookies }) => {
      const session = cookies.get("__Host-sid");
      const response = await send("POST", "/auth/register", body);
      const problem = await response.json();
      assertEquals([response.status, problem.code], [status, code]);
      assertEquals(problem.violations?.[0]?.pointer, pointer);
      assertEquals(cookies.get("__Host-sid"), session); // the session is unchanged
    });
  });
}

Deno.test("/auth/login does not reveal accounts, and sends the time to wait", async () => {
  await withNotes(async ({ stranger, events }) => {
    for (const identifier of ["ada", "nobody"]) {
      const client = stranger();
      const answers = new Set<string>();
      await (await client.enter("login", "nobody-else")).body?.cancel(); // fetches a token
      for (let i = 0; i < 5; i++) {
        const refused = await client.send("POST", "/auth/login", { identifier, password: "wrong" });
        answers.add(`${refused.status} ${await refused.text()}`);
      }
      assertEquals([...answers].map((one) => one.slice(0, 3)), ["401"]);
      const throttled = await client.enter("login", identifier);
      assertEquals([throttled.status, (await throttled.json()).code], [429, "throttled"]);
      assertMatch(throttled.headers.get("retry-after") ?? "", /^\d+$/);
    }
    assertEquals(events.filter(({ type }) => type === "login.throttled").length, 2);
  });
});

Deno.test("/sessions lists sessions, this browser first, with readable names", async () => {
  let now = Date.UTC(2030, 5, 14, 12, 3);
  await withNotes(async (service) => {
    now += 3_600_000 - 1_000;
    await (await service.call("/auth/session")).body?.cancel();
    await another(service, FIREFOX);
    await service.user("bob", "bob's browser");
    const text = await (await service.page("/sessions")).text();
    assertEquals([...(await sessionsOf(service)).values()], [true, false]);
    assertStringIncludes(text, "Firefox on Linux");
    assertStringIncludes(
      text,
      '<time datetime="2030-06-14T12:03:00.000Z">2030-06-14 12:03 UTC</time>',
    );
    assertMatch(
      text,
      /last used\s*<time datetime="2030-06-14T13:02:59.000Z">2030-06-14 13:02 UTC</,
    );
    assertEquals(text.includes("bob"), false);
    // The page contains no credential: neither the session token nor its digest
    for (const value of service.cookies.values()) assertEquals(text.includes(value), false);
  }, { nowMs: () => now });
});

/** A user agent, and its name in the page. */
const AGENTS: readonly (readonly [userAgent: string, shown: string])[] = [
  [
    `<script>alert(1)</script>`,
    "A program that calls itself “&lt;script&gt;alert(1)&lt;/script&gt;”",
  ],
  [`"><img src=x onerror='x'>`, "“&quot;&gt;&lt;img src=x onerror=&#39;x&#39;&gt;”"],
  [`Firefox/1 <b>`, "Firefox</h3>"],
];
for (const [userAgent, shown] of AGENTS) {
  Deno.test(`/sessions shows ${JSON.stringify(userAgent)} as text`, async () => {
    await withNotes(async (service) => {
      await another(service, userAgent);
      const text = await (await service.page("/sessions")).text();
      assertStringIncludes(text, shown);
      assertEquals(text.includes(userAgent), false);
    });
  });
}

Deno.test("DELETE /sessions/:id revokes one of the user's sessions immediately", async () => {
  await withNotes(async (service) => {
    const [lost, kept] = [await another(service, FIREFOX), await another(service, FIREFOX)];
    const [id = ""] = [...await sessionsOf(lost)].find(([, isCurrent]) => isCurrent) ?? [];
    const ended = await service.call(`/sessions/${id}`, { method: "DELETE" });
    assertEquals([ended.status, await ended.text()], [204, ""]);
    assertEquals(
      [await isSignedIn(lost), await isSignedIn(kept), await isSignedIn(service)],
      [false, true, true],
    );
    const again = await service.call(`/sessions/${id}`, { method: "DELETE" });
    assertEquals([again.status, (await again.json()).code], [404, "no_such_session"]);
  });
});

Deno.test("DELETE /sessions/:id does not find sessions of other users", async () => {
  await withNotes(async (service) => {
    const eve = await service.user("eve");
    for (const id of (await sessionsOf(service)).keys()) {
      const refused = await eve.call(`/sessions/${id}`, { method: "DELETE" });
      assertEquals([refused.status, (await refused.json()).code], [404, "no_such_session"]);
    }
    assertEquals(await isSignedIn(service), true);
  });
});

Deno.test("DELETE /sessions revokes all other sessions of the user, and none of other users", async () => {
  await withNotes(async (service) => {
    const lost = [await another(service, FIREFOX), await another(service, "curl/8")];
    const bob = await service.user("bob");
    const ended = await service.call("/sessions", { method: "DELETE" });
    assertEquals([ended.status, await ended.text()], [204, ""]);
    assertEquals(await Promise.all([...lost, service, bob].map(isSignedIn)), [
      false,
      false,
      true,
      true,
    ]);
    assertEquals([...(await sessionsOf(service)).values()], [true]);
    assertStringIncludes(
      await (await service.page("/sessions")).text(),
      "No other browser is signed in.",
    );
  });
});

/** Requests that revoke sessions, which other sites must not send. */
for (const path of ["/sessions", "/sessions/x"]) {
  Deno.test(`DELETE ${path} rejects a page of another site`, async () => {
    await withNotes(async (service) => {
      const other = await another(service, FIREFOX);
      for (const headers of [{ "Sec-Fetch-Site": "cross-site" }, { "X-CSRF-Token": "" }]) {
        const refused = await service.call(path, { method: "DELETE", headers });
        assertEquals([refused.status, (await refused.json()).code], [403, "csrf_failed"]);
      }
      const anonymous = await service.stranger().call(path, { method: "DELETE" });
      assertEquals([anonymous.status, (await anonymous.json()).code], [401, "unauthenticated"]);
      assertEquals(await isSignedIn(other), true);
    });
  });
}

Deno.test("/docs, its document and the assets are public", async () => {
  await withNotes(async ({ stranger }) => {
    for (
      const path of ["/docs", "/docs/openapi.json", "/docs/swagger-ui.css", "/assets/style.css"]
    ) {
      const { status, headers, body } = await stranger().call(path);
      await body?.cancel();
      assertEquals([status, headers.get("set-cookie")], [200, null], path);
    }
  });
});
