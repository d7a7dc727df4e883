/** The CSRF check as middleware of a router. */

import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import { createRouter, json } from "../../../mod.ts";
import { cookiePolicy } from "../../../auth/session/cookie_policy.ts";
import { csrfService } from "../../../auth/session/csrf.ts";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import { csrfGuard, type CsrfGuardOptions } from "../../../auth/http/csrf_guard.ts";

const csrf = csrfService({
  keys: deriveKeys("a secret of at least 32 bytes, kept"),
  cookies: cookiePolicy(),
});
const guard = csrfGuard({ csrf });
const SESSION = "__Host-sid=s";

/** A router under the guard, and the requests that came through it. */
function guarded() {
  const handled: string[] = [];
  const router = createRouter({ before: [guard], onError: () => {} })
    .get("/", () => json({ read: true }))
    .post("/", (req) => {
      handled.push(req.raw.method);
      return json({ done: true });
    })
    .put("/", () => json({ done: handled.push("PUT") }))
    .delete("/", () => json({ done: handled.push("DELETE") }));
  return { router, handled };
}

const JSON_TYPE = { "Content-Type": "application/json" };

/** Header fields of a good request. */
async function goodHeaders(): Promise<Record<string, string>> {
  const { token, cookies } = await csrf.issue(
    new Request("https://example.com/", { headers: { Cookie: SESSION } }),
  );
  const cookie = cookies.map((cookie) => cookie.split(";")[0]).join("; ");
  return {
    ...JSON_TYPE,
    Cookie: `${SESSION}; ${cookie}`,
    "X-CSRF-Token": token,
    "Sec-Fetch-Site": "same-origin",
  };
}

/** What is changed of a good request, and what it is refused for. */
const FORGED: readonly [why: string, change: Readonly<Record<string, string>>][] = [
  ["from another site", { "Sec-Fetch-Site": "cross-site" }],
  ["from a sibling domain", { "Sec-Fetch-Site": "same-site" }],
  ["with an unknown Sec-Fetch-Site", { "Sec-Fetch-Site": "same-planet" }],
  ["without a token", { "X-CSRF-Token": "" }],
  ["with a malformed token", { "X-CSRF-Token": "x" }],
  ["without cookies", { Cookie: "" }],
  ["in another session", { Cookie: "__Host-sid=other" }],
];

for (const [why, change] of FORGED) {
  for (const method of ["POST", "PUT", "DELETE"]) {
    Deno.test(`csrfGuard() refuses ${method} ${why} by a 403 csrf_failed, before the handler`, async () => {
      const { router, handled } = guarded();
      const headers = { ...await goodHeaders(), ...change };
      const response = await router.request("/", { method, headers, body: "{}" });
      assertEquals(response.status, 403);
      assertEquals(response.headers.get("Content-Type"), "application/problem+json");
      const body = await response.json();
      assertEquals(Object.keys(body).sort(), ["code", "detail", "status", "title", "type"]);
      assertEquals(body.code, "csrf_failed");
      assertEquals(handled, []);
    });
  }
}

Deno.test("csrfGuard() answers every forgery with the same bytes: why it was refused is for the log", async () => {
  const { router } = guarded();
  const bodies = new Set<string>();
  for (const [, change] of FORGED) {
    const headers = { ...await goodHeaders(), ...change };
    const response = await router.request("/", { method: "POST", headers, body: "{}" });
    bodies.add(JSON.stringify([response.status, [...response.headers], await response.text()]));
  }
  assertEquals(bodies.size, 1);
});

Deno.test("csrfGuard() lets a good request pass, and leaves its body to the handler", async () => {
  const router = createRouter({ before: [guard] })
    .post("/", (req) => json({ got: req.content as unknown }));
  const headers = await goodHeaders();
  const response = await router.request("/", { method: "POST", headers, body: '{"a":1}' });
  assertEquals(response.status, 200);
  assertEquals(await response.json(), { got: { a: 1 } });
});

for (const method of ["GET", "HEAD"]) {
  Deno.test(`csrfGuard() lets ${method} pass, even from another site`, async () => {
    const { router } = guarded();
    const headers = { "Sec-Fetch-Site": "cross-site", Cookie: SESSION };
    const response = await router.request("/", { method, headers });
    assertEquals(response.status, 200);
    await response.body?.cancel();
  });
}

Deno.test("csrfGuard() refuses a form's multipart, plain and urlencoded POST from another site alike", async () => {
  const { router, handled } = guarded();
  for (
    const type of [
      "multipart/form-data; boundary=x",
      "text/plain",
      "application/x-www-form-urlencoded",
    ]
  ) {
    const headers = { Cookie: SESSION, "Content-Type": type, "Sec-Fetch-Site": "cross-site" };
    const response = await router.request("/", { method: "POST", headers, body: "a=b" });
    assert(response.status === 403 || response.status === 415, String(response.status));
    await response.body?.cancel();
  }
  assertEquals(handled, []);
});

Deno.test("csrfGuard() guards a path by under(), and no other", async () => {
  const router = createRouter({ onError: () => {} })
    .under("/account", guard)
    .post("/account/name", () => json({ done: true }))
    .post("/webhook", () => json({ done: true }));
  const init = {
    method: "POST",
    headers: { ...JSON_TYPE, "Sec-Fetch-Site": "cross-site" },
    body: "{}",
  };
  const [account, webhook] = [
    await router.request("/account/name", init),
    await router.request("/webhook", init),
  ];
  assertEquals([account.status, webhook.status], [403, 200]);
  await account.body?.cancel();
  await webhook.body?.cancel();
});

Deno.test("csrfGuard() answers with a 500 where the check itself fails, and lets nothing pass", async () => {
  const broken = { ...csrf, check: () => Promise.reject(new Error("no keys")) };
  const handled: string[] = [];
  const router = createRouter({ before: [csrfGuard({ csrf: broken })], onError: () => {} })
    .post("/", () => json({ done: handled.push("POST") }));
  const response = await router.request("/", {
    method: "POST",
    headers: await goodHeaders(),
    body: "{}",
  });
  assertEquals(response.status, 500);
  assertFalse((await response.text()).includes("keys"));
  assertEquals(handled, []);
});

/** Good requests and others, and the status that each mode answers with. */
const MODES: readonly [
  why: string,
  change: Readonly<Record<string, string>>,
  token: number,
  source: number,
][] = [
  ["with a token, from its own page", {}, 200, 200],
  ["without a token, from its own page", { "X-CSRF-Token": "" }, 403, 200],
  ["with a token of another session, from its own page", { Cookie: "__Host-sid=other" }, 403, 200],
  ["with a token, from another site", { "Sec-Fetch-Site": "cross-site" }, 403, 403],
  ["with a token, from a sibling domain", { "Sec-Fetch-Site": "same-site" }, 403, 403],
];

for (const [why, change, token, source] of MODES) {
  Deno.test(`csrfGuard() answers ${token} asking for a token, ${source} asking for the source: ${why}`, async () => {
    const modes: readonly [Partial<CsrfGuardOptions>, number][] = [
      [{}, token], // the default is the strict one
      [{ mode: "token" }, token],
      [{ mode: "origin" }, source],
    ];
    for (const [options, status] of modes) {
      const handled: string[] = [];
      const router = createRouter({ before: [csrfGuard({ csrf, ...options })], onError: () => {} })
        .post("/", () => json({ done: handled.push("POST") }));
      const headers = { ...await goodHeaders(), ...change };
      const response = await router.request("/", { method: "POST", headers, body: "{}" });
      assertEquals(response.status, status);
      assertEquals(handled.length, status === 200 ? 1 : 0);
      await response.body?.cancel();
    }
  });
}

Deno.test("csrfGuard() asks for a token where no browser says the source", async () => {
  const router = createRouter({ before: [csrfGuard({ csrf, mode: "origin" })], onError: () => {} })
    .post("/", () => json({ done: true }));
  const { "Sec-Fetch-Site": _site, ...headers } = await goodHeaders();
  const { "X-CSRF-Token": _token, ...without } = headers;
  const statuses: number[] = [];
  for (const fields of [headers, without]) {
    const response = await router.request("/", { method: "POST", headers: fields, body: "{}" });
    statuses.push(response.status);
    await response.body?.cancel();
  }
  assertEquals(statuses, [200, 403]);
});

for (const ask of ["", "Token", "source", "toString", null, true, false, ["token"]]) {
  Deno.test(`csrfGuard() refuses to ask for ${JSON.stringify(ask)}`, () => {
    const options = { csrf, mode: ask } as CsrfGuardOptions;
    assertThrows(() => csrfGuard(options), TypeError, "Cannot create CSRF guard: mode");
  });
}

Deno.test("csrfGuard() refuses the handshake of a WebSocket from another site", async () => {
  for (const mode of ["token", "origin"] as const) {
    const router = createRouter({ before: [csrfGuard({ csrf, mode })], onError: () => {} })
      .get("/", () => json({ done: true }));
    const statuses: number[] = [];
    for (const site of ["cross-site", "same-site", "same-origin"]) {
      const headers = { Cookie: SESSION, Upgrade: "websocket", "Sec-Fetch-Site": site };
      const response = await router.request("/", { headers });
      statuses.push(response.status);
      await response.body?.cancel();
    }
    assertEquals(statuses, [403, 403, 200], mode);
  }
});
