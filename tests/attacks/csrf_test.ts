/** Forged requests of a victim's browser or an attacker, and why they are rejected. */

import { assertEquals, assertFalse, assertRejects } from "@std/assert";
import { deriveKeys } from "../../auth/derived_keys.ts";
import { AuthError } from "../../auth/error.ts";
import type { CsrfFailure } from "../../auth/events.ts";
import {
  cookieField,
  csrf,
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
} from "../auth/session/_csrf.ts";

/** ATTACKS, "Sessions, cookies, CSRF": requests of a victim's browser or an attacker, and why they fail. */
const ATTACKS: readonly [
  why: string,
  attack: () => Promise<Request>,
  failure: CsrfFailure,
][] = [
  ["the token of session A in session B", async () => {
    const a = await issued(csrf, IN_A);
    return sent({ ...a.jar, ...IN_B }, a.token);
  }, "token_of_another_session"],
  ["the token of session A in session B, with the cookie of B", async () => {
    const [a, b] = [await issued(csrf, IN_A), await issued(csrf, IN_B)];
    return sent(b.jar, a.token);
  }, "token_differs_from_cookie"],
  ["a token from before the login", async () => {
    const before = await issued(csrf, {});
    return sent({ ...before.jar, ...IN_A }, before.token);
  }, "token_of_another_session"],
  ["a token of the session after its logout", async () => {
    const a = await issued(csrf, IN_A);
    const { "__Host-sid": _sid, ...left } = a.jar;
    return sent(left, a.token);
  }, "token_of_another_session"],
  ["a token of the session, sent with a presid", async () => {
    const a = await issued(csrf, IN_A);
    const { "__Host-sid": _sid, ...left } = a.jar;
    return sent({ ...left, "__Host-presid": SESSION_A }, a.token);
  }, "token_of_another_session"],
  ["a token from before a session whose id equals the presid", async () => {
    const before = await issued(csrf, { "__Host-presid": SESSION_A });
    const { "__Host-presid": _presid, ...left } = before.jar;
    return sent({ ...left, ...IN_A }, before.token);
  }, "token_of_another_session"],
  ["equal but unsigned cookie and header", () => {
    const token = `${"0".repeat(64)}.${"0".repeat(64)}`;
    return Promise.resolve(sent({ ...IN_A, "__Host-csrf": token }, token));
  }, "token_of_another_session"],
  ["equal cookie and header of the attacker's browser", async () => {
    const attacker = await issued(csrf, {});
    return sent({ ...IN_A, "__Host-csrf": attacker.token }, attacker.token);
  }, "token_of_another_session"],
  ["equal cookie and header, signed with another secret", async () => {
    const other = service({ keys: deriveKeys("another secret that only the tests know") });
    const { token, jar } = await issued(other, IN_A);
    return sent(jar, token);
  }, "token_of_another_session"],
  ["a token without a cookie that it is bound to", async () => {
    const { token } = await issued(csrf, IN_A);
    return sent({ "__Host-csrf": token }, token);
  }, "token_of_another_session"],
  [
    "the cookie only, as with a form of another site",
    async () => sent((await issued(csrf, IN_A)).jar, undefined, {}),
    "token_missing",
  ],
  ["an empty header field", async () => sent((await issued(csrf, IN_A)).jar, ""), "token_missing"],
  ["the token in a cookie of another name", async () => {
    const { token } = await issued(csrf, IN_A);
    return sent({ ...IN_A, csrf: token, "__Secure-csrf": token, "__host-csrf": token }, token);
  }, "token_differs_from_cookie"],
  [
    "the token without its cookie",
    async () => sent(IN_A, (await issued(csrf, IN_A)).token),
    "token_differs_from_cookie",
  ],
  ["two tokens of one session", async () => {
    const [one, two] = [await issued(csrf, IN_A), await issued(csrf, IN_A)];
    return sent(one.jar, two.token);
  }, "token_differs_from_cookie"],
  ["the MAC of one token with the nonce of another", async () => {
    const [one, two] = [await issued(csrf, IN_A), await issued(csrf, IN_A)];
    const token = `${one.token.slice(0, 64)}.${two.token.slice(65)}`;
    return sent({ ...IN_A, "__Host-csrf": token }, token);
  }, "token_of_another_session"],
  ["MAC and nonce in the wrong order", async () => {
    const token = (await issued(csrf, IN_A)).token.split(".").reverse().join(".");
    return sent({ ...IN_A, "__Host-csrf": token }, token);
  }, "token_of_another_session"],
  ["the CSRF cookie twice", async () => {
    const { token } = await issued(csrf, IN_A);
    return request({
      ...OWN,
      "X-CSRF-Token": token,
      Cookie: `${cookieField(IN_A)}; __Host-csrf=${token}; __Host-csrf=${token}`,
    });
  }, "cookie_ambiguous"],
  ["the session cookie twice", async () => {
    const { token, jar } = await issued(csrf, IN_A);
    return request({ ...OWN, "X-CSRF-Token": token, Cookie: `__Host-sid=x; ${cookieField(jar)}` });
  }, "cookie_ambiguous"],
  ["the presid twice", async () => {
    const { token, jar } = await issued(csrf, {});
    return request({
      ...OWN,
      "X-CSRF-Token": token,
      Cookie: `${cookieField(jar)}; __Host-presid=x`,
    });
  }, "cookie_ambiguous"],
  ["the header field twice", async () => {
    const { token, jar } = await issued(csrf, IN_A);
    return request([...Object.entries({ ...OWN, Cookie: cookieField(jar) }), [
      "X-CSRF-Token",
      token,
    ], ["X-CSRF-Token", token]]);
  }, "token_malformed"],
  ["a valid token from another site", async () => {
    const { token, jar } = await issued(csrf, IN_A);
    return sent(jar, token, { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" });
  }, "cross_origin"],
  ["a valid token from a sibling domain", async () => {
    const { token, jar } = await issued(csrf, IN_A);
    return sent(jar, token, { "Sec-Fetch-Site": "same-site", Origin: "https://blog.example.com" });
  }, "cross_origin"],
  ["a valid token from a sibling domain, known by Origin only", async () => {
    const { token, jar } = await issued(csrf, IN_A);
    return sent(jar, token, { Origin: "https://blog.example.com" });
  }, "cross_origin"],
  ["a valid token from Origin: null", async () => {
    const { token, jar } = await issued(csrf, IN_A);
    return sent(jar, token, { Origin: "null" });
  }, "cross_origin"],
  ["login CSRF: no session, the attacker's own pair, from another site", async () => {
    const attacker = await issued(csrf, {});
    return sent(attacker.jar, attacker.token, { "Sec-Fetch-Site": "cross-site" });
  }, "cross_origin"],
  [
    "login CSRF by a form: no session, cookies or header fields",
    () => Promise.resolve(request({})),
    "token_missing",
  ],
];

/** Cross-site WebSocket hijacking: a GET with the victim's cookies, to which CORS does not apply. */
const HIJACKS: readonly [why: string, headers: Readonly<Record<string, string>>][] = [
  ["another site", {
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "websocket",
    Origin: "https://evil.example",
  }],
  ["a sibling domain, with SameSite=Lax cookies", {
    "Sec-Fetch-Site": "same-site",
    Origin: "https://blog.example.com",
  }],
  ["another site in a browser without Fetch Metadata", { Origin: "https://evil.example" }],
  ["a sandboxed frame", { Origin: "null" }],
  ["a page over plain HTTP, injected on the network", { Origin: "http://example.com" }],
];

for (const [why, headers] of HIJACKS) {
  Deno.test(`check() and checkOrigin() reject a WebSocket opened by ${why}`, async () => {
    const { jar } = await issued(csrf, IN_A);
    const fields = { Cookie: cookieField(jar), Upgrade: "websocket", ...headers };
    for (const by of ["check", "checkOrigin"] as const) {
      assertEquals(await refusal(csrf, request(fields, "GET"), by), "cross_origin");
    }
  });
}

Deno.test("check() rejects a page over http with a proxy that terminates TLS, even with a valid token", async () => {
  const { token, jar } = await issued(csrf, IN_A);
  const headers = {
    Cookie: cookieField(jar),
    "X-CSRF-Token": token,
    Origin: "http://example.com",
  };
  const inside = "http://example.com/notes";
  assertEquals(await refusal(csrf, request(headers, "POST", inside)), "cross_origin");
  const own = { ...headers, Origin: "https://example.com" };
  assertEquals(await refusal(csrf, request(own, "POST", inside)), undefined);
});

for (const [why, attack, failure] of ATTACKS) {
  Deno.test(`check() rejects ${why}`, async () => {
    assertEquals(await refusal(csrf, await attack()), failure);
  });
}

Deno.test("checkOrigin() checks the token as check() does if the origin is unknown", async () => {
  for (const [why, attack, failure] of ATTACKS) {
    if (failure === "cross_origin") continue;
    const attempt = await attack();
    attempt.headers.delete("Sec-Fetch-Site");
    assertEquals(await refusal(csrf, attempt, "checkOrigin"), failure, why);
  }
});

Deno.test("csrfService() discloses no token, cookie or session in errors", async () => {
  for (const [, attack] of ATTACKS) {
    const attempt = await attack();
    const error = await assertRejects(() => csrf.check(attempt), AuthError);
    const said = [error.message, error.reason, error.stack, JSON.stringify(error)].join();
    for (const secret of [SESSION_A, SESSION_B, attempt.headers.get("X-CSRF-Token") || "—"]) {
      assertFalse(said.includes(secret));
    }
  }
});
