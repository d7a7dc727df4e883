/** What a CSRF service tells of refusals: why, when, and nothing else. */

import { assert, assertEquals, assertFalse, assertRejects } from "@std/assert";
import { AuthError } from "../../../auth/error.ts";
import type { AuthEvent, AuthEventListener, CsrfFailure } from "../../../auth/events.ts";
import {
  cookieField,
  IN_A,
  IN_B,
  issued,
  OWN,
  refusal,
  request,
  sent,
  service,
  SESSION_A,
  SESSION_B,
} from "./_csrf.ts";

const NOW = 1_700_000_000;

/** A service that is listened to, and what was told. */
function listened(listener?: AuthEventListener) {
  const told: AuthEvent[] = [];
  const warnings: string[] = [];
  const csrf = service({
    now: () => NOW,
    events: listener ?? ((event) => void told.push(event)),
    warn: (message) => warnings.push(message),
  });
  return { csrf, told, warnings };
}

/** One request for each reason: a new one does not compile until it stands here. */
const REFUSED: Readonly<Record<CsrfFailure, () => Promise<Request>>> = {
  cross_origin: async () => {
    const { token, jar } = await issued(service(), IN_A);
    return sent(jar, token, { "Sec-Fetch-Site": "cross-site" });
  },
  cookie_ambiguous: async () => {
    const { token, jar } = await issued(service(), IN_A);
    return request({ Cookie: `__Host-sid=x; ${cookieField(jar)}`, "X-CSRF-Token": token });
  },
  token_missing: async () => sent((await issued(service(), IN_A)).jar, undefined, {}),
  token_malformed: async () => sent((await issued(service(), IN_A)).jar, "x", {}),
  token_differs_from_cookie: async () => {
    const [one, two] = [await issued(service(), IN_A), await issued(service(), IN_A)];
    return sent(one.jar, two.token, {});
  },
  token_of_another_session: async () => {
    const { token, jar } = await issued(service(), IN_A);
    return sent({ ...jar, ...IN_B }, token, {});
  },
};

for (const [reason, attack] of Object.entries(REFUSED)) {
  Deno.test(`check() and checkOrigin() tell of ${reason} once, with the time and nothing else`, async () => {
    for (const by of ["check", "checkOrigin"] as const) {
      const { csrf, told, warnings } = listened();
      assertEquals(await refusal(csrf, await attack(), by), reason);
      assertEquals(told, [{ type: "csrf.failed", at: NOW, reason: reason as CsrfFailure }]);
      assert(Object.isFrozen(told[0]));
      assertEquals(warnings, []);
    }
  });
}

Deno.test("check() tells of neither token nor cookie nor session", async () => {
  const { csrf, told } = listened();
  for (const attack of Object.values(REFUSED)) {
    const attempt = await attack();
    await refusal(csrf, attempt);
    const text = JSON.stringify(told);
    for (const secret of [SESSION_A, SESSION_B, attempt.headers.get("X-CSRF-Token") ?? "—"]) {
      assertFalse(secret.length > 1 && text.includes(secret));
    }
  }
  assertEquals(told.length, 6);
});

Deno.test("issue() tells of two sessions in one request", async () => {
  const { csrf, told } = listened();
  const attempt = request({ Cookie: "__Host-sid=a; __Host-sid=b" }, "GET");
  await assertRejects(() => csrf.issue(attempt), AuthError);
  assertEquals(told, [{ type: "csrf.failed", at: NOW, reason: "cookie_ambiguous" }]);
});

Deno.test("csrfService() tells nothing of what passes", async () => {
  const { csrf, told } = listened();
  const { token, jar } = await issued(csrf, IN_A);
  await csrf.check(sent(jar, token));
  await csrf.checkOrigin(sent(jar, undefined));
  await csrf.check(request({ "Sec-Fetch-Site": "cross-site" }, "GET"));
  await csrf.check(request({ ...OWN, Upgrade: "websocket" }, "GET"));
  assertEquals(told, []);
});

Deno.test("csrfService() refuses as ever where its listener fails, and warns", async () => {
  const failing: readonly AuthEventListener[] = [
    () => {
      throw new Error("no log");
    },
    () => Promise.reject(new Error("no log")),
  ];
  for (const listener of failing) {
    const { csrf, warnings } = listened(listener);
    assertEquals(await refusal(csrf, request({})), "token_missing");
    await new Promise((resolve) => setTimeout(resolve, 0));
    assertEquals(warnings, ["Cannot deliver event csrf.failed: the listener failed"]);
  }
});

Deno.test("csrfService() waits for no listener", async () => {
  const { csrf } = listened(() => new Promise(() => {}));
  assertEquals(await refusal(csrf, request({})), "token_missing");
});

Deno.test("csrfService() tells whole seconds, and no milliseconds", async () => {
  const told: AuthEvent[] = [];
  const warnings: string[] = [];
  const events = (event: AuthEvent) => void told.push(event);
  const warn = (message: string) => void warnings.push(message);
  await refusal(service({ events, warn, now: () => NOW + 0.9 }), request({}));
  assertEquals(told.map(({ at }) => at), [NOW]);
  assertEquals(
    await refusal(service({ events, warn, now: () => NOW * 1_000 }), request({})),
    "token_missing",
  );
  assertEquals([told.length, warnings.length], [1, 1]);
});

Deno.test("check() tells the origin of a foreign page, and nothing that is none", async () => {
  const cases: readonly [origin: string, told: string | undefined][] = [
    ["https://evil.example", "https://evil.example"],
    ["https://evil.example:8443", "https://evil.example:8443"],
    [
      `https://${"a".repeat(60)}.${"b".repeat(60)}.example`,
      `https://${"a".repeat(60)}.${"b".repeat(60)}.example`,
    ],
    ["null", undefined],
    ["https://evil.example/path", undefined],
    ["https://EVIL.example", undefined],
    ["a text that somebody made up", undefined],
    [`https://${"a".repeat(300)}.example`, undefined],
  ];
  for (const [Origin, expected] of cases) {
    const { csrf, told } = listened();
    const headers = { Origin, "Sec-Fetch-Site": "cross-site" };
    const request = new Request("https://example.com/", { method: "POST", headers });
    await assertRejects(() => csrf.check(request));
    const [event] = told;
    assertEquals(event?.type === "csrf.failed" ? event.origin : "", expected, Origin);
  }
});
