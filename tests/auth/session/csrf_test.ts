/** CSRF tokens: issuing, checking, handshakes of WebSockets, events and randomness. */

import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { INPUTS } from "../../_effort.ts";
import { decodeHex, encodeHex, joinFields } from "../../../auth/_bytes.ts";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import { AuthError } from "../../../auth/error.ts";
import type { AuthEvent, AuthEventListener, CsrfFailure } from "../../../auth/events.ts";
import { cookiePolicy } from "../../../auth/session/cookie_policy.ts";
import { csrfService } from "../../../auth/session/csrf.ts";
import { randomNumbers } from "../../static/_random.ts";
import {
  cookieField,
  csrf,
  IN_A,
  IN_B,
  issued,
  type Jar,
  OWN,
  refusal,
  request,
  SECRET,
  sent,
  service,
  SESSION_A,
  SESSION_B,
  stored,
  URL_HERE,
} from "./_csrf.ts";
import { createHash, createHmac } from "node:crypto";

Deno.test("csrfService() issues a token that is accepted with its cookie, with and without a session", async () => {
  for (const before of [IN_A, {}]) {
    const { token, jar } = await issued(csrf, before);
    assertEquals(await refusal(csrf, sent(jar, token)), undefined);
    assertEquals(await refusal(csrf, sent(jar, token)), undefined); // may be used repeatedly
    assertEquals(await refusal(csrf, sent(jar, token, {})), undefined); // without Fetch Metadata and Origin
  }
});

Deno.test("csrfService() signs the session's digest and its own random bytes, as node:crypto does", async () => {
  const keys = { purpose: "", message: new Uint8Array() };
  const recording = service({
    keys: {
      sign: (purpose, message) => {
        Object.assign(keys, { purpose, message });
        return Promise.resolve(Uint8Array.from(createHmac("sha256", "k").update(message).digest()));
      },
      verify: () => Promise.resolve(false),
    },
  });
  const { token } = await recording.issue(request({ Cookie: cookieField(IN_A) }));
  const [mac = "", random = ""] = token.split(".");
  const digest = createHash("sha256").update(SESSION_A).digest("base64url");
  const message = joinFields([`sid ${digest}`, decodeHex(random)]);
  assertEquals(keys, { purpose: "csrf", message });
  assertEquals(mac, createHmac("sha256", "k").update(message).digest("hex"));
});

Deno.test("csrfService() issues unique tokens of one form and length", async () => {
  const tokens = await Promise.all(
    Array.from(
      { length: 500 },
      (_, i) => csrf.issue(request({ Cookie: cookieField(i % 2 === 0 ? IN_A : {}) })),
    ),
  );
  for (const { token } of tokens) assertMatch(token, /^[0-9a-f]{64}\.[0-9a-f]{64}$/);
  for (const part of [0, 1]) {
    assertEquals(new Set(tokens.map(({ token }) => token.split(".")[part])).size, 500);
  }
});

Deno.test("csrfService() sets cookies that scripts cannot read and other hosts cannot set", async () => {
  const { token, cookies } = await csrf.issue(request({}, "GET"));
  const [presid = "", second = ""] = cookies;
  assertMatch(presid, /^__Host-presid=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  assertEquals(second, `__Host-csrf=${token}; Path=/; Secure; HttpOnly; SameSite=Lax`);
  assertEquals(cookies.length, 2);
});

/** Cookies that a response sets: a browser with a presid or a session gets no new presid. */
const ISSUED: readonly [
  why: string,
  jar: Jar,
  session: string | null | undefined,
  names: readonly string[],
][] = [
  ["a browser without cookies", {}, undefined, ["__Host-presid", "__Host-csrf"]],
  ["a browser with a presid", { "__Host-presid": "p" }, undefined, ["__Host-csrf"]],
  ["a session", IN_A, undefined, ["__Host-csrf"]],
  ["a new session", { "__Host-presid": "p" }, SESSION_B, ["__Host-csrf"]],
  ["a session that replaces another one", IN_A, SESSION_B, ["__Host-csrf"]],
  ["a session that is revoked", IN_A, null, ["__Host-presid", "__Host-csrf"]],
  [
    "a session that is revoked in a browser with a presid",
    { ...IN_A, "__Host-presid": "p" },
    null,
    [
      "__Host-presid",
      "__Host-csrf",
    ],
  ],
];

for (const [why, jar, session, names] of ISSUED) {
  Deno.test(`issue() sets ${names.join(" and ")} for ${why}`, async () => {
    const { cookies } = await csrf.issue(request({ Cookie: cookieField(jar) }), session);
    assertEquals(cookies.map((cookie) => cookie.split("=")[0] ?? ""), names);
  });
}

Deno.test("issue() binds to the new session, and not to the presented one", async () => {
  const { token, jar } = await issued(csrf, IN_A, SESSION_B);
  assertEquals(await refusal(csrf, sent({ ...jar, ...IN_B }, token)), undefined);
  assertEquals(await refusal(csrf, sent({ ...jar, ...IN_A }, token)), "token_of_another_session");
});

Deno.test("issue() after a logout binds to a new presid", async () => {
  const before = await issued(csrf, {});
  const { token, jar } = await issued(csrf, { ...IN_A, ...before.jar }, null);
  const { "__Host-sid": _sid, ...left } = jar;
  assertFalse(left["__Host-presid"] === before.jar["__Host-presid"]);
  assertEquals(await refusal(csrf, sent(left, token)), undefined);
  assertEquals(await refusal(csrf, sent({ ...left, ...IN_A }, token)), "token_of_another_session");
});

Deno.test("issue() returns the browser's current token, and sets no cookie", async () => {
  for (const before of [IN_A, {}]) {
    const { token, jar } = await issued(csrf, before);
    for (let i = 0; i < 3; i++) {
      const again = await csrf.issue(request({ Cookie: cookieField(jar) }, "GET"));
      assertEquals(again, { token, cookies: [] });
    }
    assertEquals(await refusal(csrf, sent(jar, token)), undefined);
  }
});

/** Cookies of a browser with the session A, and the requested session: none of them is returned as a token. */
const OTHERS: readonly [
  why: string,
  cookie: () => Promise<string>,
  session?: string | null,
][] = [
  ["a token of another session", async () => `__Host-csrf=${(await issued(csrf, IN_B)).token}`],
  ["a token from before the session", async () => `__Host-csrf=${(await issued(csrf, {})).token}`],
  ["a token of another secret", async () => {
    const other = service({ keys: deriveKeys("another secret that only the tests know") });
    return `__Host-csrf=${(await issued(other, IN_A)).token}`;
  }],
  [
    "an unsigned token",
    () => Promise.resolve(`__Host-csrf=${"0".repeat(64)}.${"0".repeat(64)}`),
  ],
  ["a malformed token", () => Promise.resolve("__Host-csrf=x")],
  ["its own token, duplicated", async () => {
    const { token } = await issued(csrf, IN_A);
    return `__Host-csrf=${token}; __Host-csrf=${token}`;
  }],
  ["its own token while the session is created", async () => {
    return `__Host-csrf=${(await issued(csrf, IN_A)).token}`;
  }, SESSION_A],
  ["its own token while the session is revoked", async () => {
    return `__Host-csrf=${(await issued(csrf, IN_A)).token}`;
  }, null],
];

for (const [why, cookie, session] of OTHERS) {
  Deno.test(`issue() issues a new token if the browser has ${why}`, async () => {
    const before = await cookie();
    const attempt = request({ Cookie: `${cookieField(IN_A)}; ${before}` }, "GET");
    const { token, cookies } = await csrf.issue(attempt, session);
    assertFalse(before.includes(token));
    const { "__Host-presid": presid, ...jar } = stored({}, cookies);
    assertEquals(jar, { "__Host-csrf": token });
    const binding = presid === undefined ? IN_A : { "__Host-presid": presid };
    assertEquals(await refusal(csrf, sent({ ...binding, ...jar }, token)), undefined);
  });
}

Deno.test("issue() rejects a request with two session cookies", async () => {
  for (
    const cookies of [
      "__Host-sid=a; __Host-sid=b",
      "__Host-sid=a; __Host-sid=a",
      "__Host-presid=a; __Host-presid=b",
    ]
  ) {
    const error = await assertRejects(() => csrf.issue(request({ Cookie: cookies })), AuthError);
    assertEquals([error.code, error.reason], ["csrf_failed", "cookie_ambiguous"]);
  }
});

Deno.test("check() rejects every other form of a token", async () => {
  const { token } = await issued(csrf, IN_A);
  const [mac = "", random = ""] = token.split(".");
  const forms = [
    token.toUpperCase(),
    `${mac.toUpperCase()}.${random}`,
    `${mac}.${random.toUpperCase()}`,
    mac,
    random,
    `${mac}${random}`,
    `${mac}.`,
    `.${random}`,
    ".",
    `${mac}:${random}`,
    `${mac}..${random}`,
    `${mac}.${random}.`,
    `${token}00`,
    `${token}0`,
    token.slice(0, -1),
    token.slice(0, -2),
    `0${token}`,
    token.slice(1),
    `${mac}00.${random}`,
    `${mac.slice(2)}.${random}`,
    `${mac}.${random.slice(2)}`,
    `"${token}"`,
    `Bearer ${token}`,
    `${token};`,
    `${token}, ${token}`,
    `${token}\u00a0`,
    "null",
    "undefined",
  ];
  for (const form of forms.filter((form) => form !== token)) {
    assertEquals(
      await refusal(
        csrf,
        request({
          ...OWN,
          Cookie: cookieField({ ...IN_A, "__Host-csrf": form }),
          "X-CSRF-Token": form,
        }),
      ),
      "token_malformed",
      form,
    );
  }
});

for (const method of ["GET", "HEAD", "OPTIONS"]) {
  Deno.test(`check() and checkOrigin() accept ${method} from any origin`, async () => {
    const crossSite = request({ "Sec-Fetch-Site": "cross-site", Origin: "null" }, method);
    assertEquals(await refusal(csrf, crossSite), undefined);
    assertEquals(await refusal(csrf, crossSite, "checkOrigin"), undefined);
  });
}

for (const method of ["POST", "PUT", "PATCH", "DELETE", "QUERY", "PROPFIND"]) {
  Deno.test(`check() and checkOrigin() reject ${method} from another site, and without header fields`, async () => {
    for (const by of ["check", "checkOrigin"] as const) {
      assertEquals(
        await refusal(csrf, request({ "Sec-Fetch-Site": "cross-site" }, method), by),
        "cross_origin",
      );
      assertEquals(await refusal(csrf, request({}, method), by), "token_missing");
    }
  });
}

/** Which check decides: with and without a valid token, by the browser's header fields. */
const DECISIONS: readonly [
  why: string,
  headers: Record<string, string>,
  check: readonly [withToken: string | undefined, without: string | undefined],
  checkOrigin: readonly [withToken: string | undefined, without: string | undefined],
][] = [
  ["same-origin", OWN, [undefined, "token_missing"], [undefined, undefined]],
  ["its own Origin", { Origin: "https://example.com" }, [undefined, "token_missing"], [
    undefined,
    undefined,
  ]],
  ["undefined", {}, [undefined, "token_missing"], [undefined, "token_missing"]],
  ["cross-site", { "Sec-Fetch-Site": "cross-site" }, ["cross_origin", "cross_origin"], [
    "cross_origin",
    "cross_origin",
  ]],
  ["same-site", { "Sec-Fetch-Site": "same-site" }, ["cross_origin", "cross_origin"], [
    "cross_origin",
    "cross_origin",
  ]],
  ["none", { "Sec-Fetch-Site": "none" }, ["cross_origin", "cross_origin"], [
    "cross_origin",
    "cross_origin",
  ]],
  ["Origin: null", { Origin: "null" }, ["cross_origin", "cross_origin"], [
    "cross_origin",
    "cross_origin",
  ]],
  ["another Origin", { Origin: "https://evil.example" }, ["cross_origin", "cross_origin"], [
    "cross_origin",
    "cross_origin",
  ]],
];

for (const [why, headers, check, checkOrigin] of DECISIONS) {
  Deno.test(`check() and checkOrigin() decide by the browser's header fields: ${why}`, async () => {
    const { token, jar } = await issued(csrf, IN_A);
    for (
      const [by, [withToken, without]] of [["check", check], ["checkOrigin", checkOrigin]] as const
    ) {
      assertEquals(await refusal(csrf, sent(jar, token, headers), by), withToken, by);
      assertEquals(await refusal(csrf, sent(jar, undefined, headers), by), without, by);
    }
  });
}

Deno.test("csrfService() accepts trusted origins with a token", async () => {
  const open = service({ trustedOrigins: ["https://app.example.org"] });
  const { token, jar } = await issued(open, IN_A);
  const from = { Origin: "https://app.example.org", "Sec-Fetch-Site": "cross-site" };
  assertEquals(await refusal(open, sent(jar, token, from)), undefined);
  assertEquals(await refusal(open, sent(jar, undefined, from)), "token_missing");
  assertEquals(await refusal(open, sent(jar, undefined, from), "checkOrigin"), undefined);
  const other = { ...from, Origin: "https://app.example.net" };
  assertEquals(await refusal(open, sent(jar, token, other)), "cross_origin");
});

Deno.test("csrfService() rotates its secret: old tokens are accepted while the old secret is listed", async () => {
  const [old, next] = [SECRET, "the next secret that only the tests know"];
  const { token, jar } = await issued(service({ keys: deriveKeys(old) }), IN_A);
  const during = service({ keys: deriveKeys([next, old]) });
  assertEquals(await refusal(during, sent(jar, token)), undefined);
  const fresh = await issued(during, IN_A);
  const after = service({ keys: deriveKeys(next) });
  assertEquals(await refusal(after, sent(fresh.jar, fresh.token)), undefined);
  assertEquals(await refusal(after, sent(jar, token)), "token_of_another_session");
});

Deno.test("csrfService() rejects what the same secret signed for another purpose", async () => {
  const keys = deriveKeys(SECRET);
  const random = new Uint8Array(32).fill(7);
  const digest = createHash("sha256").update(SESSION_A).digest("base64url");
  const message = joinFields([`sid ${digest}`, random]);
  for (
    const [purpose, failure] of [["csrf", undefined], ["device", "token_of_another_session"], [
      "throttle",
      "token_of_another_session",
    ]] as const
  ) {
    const token = `${encodeHex(await keys.sign(purpose, message))}.${encodeHex(random)}`;
    assertEquals(
      await refusal(csrf, sent({ ...IN_A, "__Host-csrf": token }, token)),
      failure,
      purpose,
    );
  }
});

Deno.test("check() rejects an HMAC of an empty message, even with its own secret", async () => {
  const random = new Uint8Array(32);
  for (const bound of ["", "sid ", "presid ", "undefined", "null"]) {
    const mac = await deriveKeys(SECRET).sign("csrf", joinFields([bound, random]));
    const token = `${encodeHex(mac)}.${encodeHex(random)}`;
    const attempt = sent({ "__Host-csrf": token }, token);
    assertEquals(await refusal(csrf, attempt), "token_of_another_session", bound);
  }
});

Deno.test("csrfService() reads the token from the configured header field", async () => {
  const own = service({ header: "X-Token" });
  assertEquals([own.header, csrf.header], ["X-Token", "X-CSRF-Token"]);
  const { token, jar } = await issued(own, IN_A);
  assertEquals(
    await refusal(own, request({ ...OWN, Cookie: cookieField(jar), "x-token": token })),
    undefined,
  );
  assertEquals(await refusal(own, sent(jar, token)), "token_missing");
});

Deno.test("csrfService() uses the names of its cookie policy, and no others", async () => {
  const cookies = cookiePolicy({ domain: "example.com", warn: () => {} });
  const shared = service({ cookies });
  const { token, jar } = await issued(shared, { "__Secure-sid": SESSION_A });
  assertEquals(Object.keys(jar), ["__Secure-sid", "__Host-csrf"]);
  assertEquals(await refusal(shared, sent(jar, token)), undefined);
  assertEquals(await refusal(csrf, sent(jar, token)), "token_of_another_session");
});

Deno.test("csrfService() is frozen, and reads no body", async () => {
  assert(Object.isFrozen(csrf));
  const { token, jar } = await issued(csrf, IN_A);
  const attempt = new Request(URL_HERE, {
    method: "POST",
    headers: { ...OWN, Cookie: cookieField(jar), "X-CSRF-Token": token },
    body: "x",
  });
  await csrf.check(attempt);
  assertFalse(attempt.bodyUsed);
  assertEquals(await attempt.text(), "x");
});

for (const header of ["", " ", "X Token", "X-Tökén", "X:Token", "X\nToken", "(X)"]) {
  Deno.test(`csrfService() rejects ${JSON.stringify(header)} as the name of a header field`, () => {
    assertThrows(() => service({ header }), TypeError);
  });
}

for (const trustedOrigins of [["*"], ["https://example.com/"], ["null"], "https://example.com"]) {
  Deno.test(`csrfService() rejects ${JSON.stringify(trustedOrigins)} as trusted origins`, () => {
    assertThrows(
      () => service({ trustedOrigins: trustedOrigins as string[] }),
      TypeError,
    );
  });
}

for (const keys of [undefined, null, {}, SECRET, [SECRET]]) {
  Deno.test(`csrfService() rejects ${JSON.stringify(keys)} as keys`, () => {
    const options = { keys, cookies: cookiePolicy() } as never;
    assertThrows(() => csrfService(options), TypeError, "deriveKeys()");
  });
}

for (const cookies of [undefined, null, {}, "__Host-sid", { domain: "example.com" }]) {
  Deno.test(`csrfService() rejects ${JSON.stringify(cookies)} as cookies: tokens are bound to the session's`, () => {
    const options = { keys: deriveKeys(SECRET), cookies } as never;
    assertThrows(() => csrfService(options), TypeError, "cookiePolicy()");
  });
}

Deno.test("csrfService() binds to the session of a policy with a domain, as to any other", async () => {
  const shared = service({ cookies: cookiePolicy({ domain: "example.com", warn: () => {} }) });
  const { token, jar } = await issued(shared, { "__Secure-sid": SESSION_A });
  const other = { ...jar, "__Secure-sid": SESSION_B };
  assertEquals(await refusal(shared, sent(other, token)), "token_of_another_session");
  const before = await issued(shared, {});
  const after = { ...before.jar, "__Secure-sid": SESSION_A };
  assertEquals(await refusal(shared, sent(after, before.token)), "token_of_another_session");
});

/** WebSocket handshakes by origin, and the reason of a rejection. */
const HANDSHAKES: readonly [
  why: string,
  headers: Readonly<Record<string, string>>,
  reason: string | undefined,
][] = [
  ["another site", { "Sec-Fetch-Site": "cross-site" }, "cross_origin"],
  ["a sibling domain", { "Sec-Fetch-Site": "same-site" }, "cross_origin"],
  ["another Origin", { Origin: "https://evil.example" }, "cross_origin"],
  ["Origin: null", { Origin: "null" }, "cross_origin"],
  ["the application's own page", { "Sec-Fetch-Site": "same-origin" }, undefined],
  ["its own Origin", { Origin: "https://example.com" }, undefined],
  ["unknown", {}, "token_missing"],
];

for (const [why, headers, reason] of HANDSHAKES) {
  Deno.test(`check() and checkOrigin() ${reason === undefined ? "accept" : "reject"} the handshake of a WebSocket: ${why}`, async () => {
    for (const by of ["check", "checkOrigin"] as const) {
      for (const mark of [{ Upgrade: "websocket" }, { "Sec-Fetch-Mode": "websocket" }]) {
        const cookies = { Cookie: cookieField(IN_A) };
        const attempt = request({ ...cookies, ...headers, ...mark }, "GET");
        assertEquals(await refusal(csrf, attempt, by), reason, by);
      }
    }
  });
}

Deno.test("check() and checkOrigin() accept a handshake with a token and an unknown origin", async () => {
  const { token, jar } = await issued(csrf, IN_A);
  const headers = { Cookie: cookieField(jar), "X-CSRF-Token": token, Upgrade: "websocket" };
  for (const by of ["check", "checkOrigin"] as const) {
    assertEquals(await refusal(csrf, request(headers, "GET"), by), undefined);
    const other = { ...headers, "X-CSRF-Token": `${"0".repeat(64)}.${"0".repeat(64)}` };
    assertEquals(await refusal(csrf, request(other, "GET"), by), "token_differs_from_cookie");
  }
});

Deno.test("check() requires a token for every POST, even with Upgrade: websocket", async () => {
  for (const mark of [{ Upgrade: "websocket" }, { "Sec-Fetch-Mode": "websocket" }]) {
    const post = request({ ...OWN, ...mark, Cookie: cookieField(IN_A) });
    assertEquals(await refusal(csrf, post), "token_missing");
  }
});

Deno.test("check() and checkOrigin() accept a GET that upgrades to another protocol, from any origin", async () => {
  const headers = { Upgrade: "h2c", "Sec-Fetch-Site": "cross-site", Cookie: cookieField(IN_A) };
  for (const by of ["check", "checkOrigin"] as const) {
    assertEquals(await refusal(csrf, request(headers, "GET"), by), undefined);
  }
});

const NOW = 1_700_000_000;

/** A service with a listener, and its events. */
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

/** A request for each reason: a new reason does not compile until it is added here. */
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
  Deno.test(`check() and checkOrigin() emit ${reason} once, with the time and no other members`, async () => {
    for (const by of ["check", "checkOrigin"] as const) {
      const { csrf, told, warnings } = listened();
      assertEquals(await refusal(csrf, await attack(), by), reason);
      assertEquals(told, [{ type: "csrf.failed", at: NOW, reason: reason as CsrfFailure }]);
      assert(Object.isFrozen(told[0]));
      assertEquals(warnings, []);
    }
  });
}

Deno.test("check() emits no token, cookie or session", async () => {
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

Deno.test("issue() emits an event for two sessions in one request", async () => {
  const { csrf, told } = listened();
  const attempt = request({ Cookie: "__Host-sid=a; __Host-sid=b" }, "GET");
  await assertRejects(() => csrf.issue(attempt), AuthError);
  assertEquals(told, [{ type: "csrf.failed", at: NOW, reason: "cookie_ambiguous" }]);
});

Deno.test("csrfService() does not emit accepted requests", async () => {
  const { csrf, told } = listened();
  const { token, jar } = await issued(csrf, IN_A);
  await csrf.check(sent(jar, token));
  await csrf.checkOrigin(sent(jar, undefined));
  await csrf.check(request({ "Sec-Fetch-Site": "cross-site" }, "GET"));
  await csrf.check(request({ ...OWN, Upgrade: "websocket" }, "GET"));
  assertEquals(told, []);
});

Deno.test("csrfService() still rejects if its listener fails, and warns", async () => {
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

Deno.test("csrfService() does not await the listener", async () => {
  const { csrf } = listened(() => new Promise(() => {}));
  assertEquals(await refusal(csrf, request({})), "token_missing");
});

Deno.test("csrfService() emits whole seconds, not milliseconds", async () => {
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

Deno.test("check() emits the origin of another site's page, and no invalid origin", async () => {
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
    ["an arbitrary string", undefined],
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

/** The seeds are fixed: every run has the same inputs. */
Deno.test("check() rejects mutants of valid tokens", async () => {
  const random = randomNumbers(42);
  const good = [await issued(csrf, IN_A), await issued(csrf, {}), await issued(csrf, IN_B)];
  const swap = (text: string, i: number, j: number) => {
    const letters = [...text];
    [letters[i], letters[j]] = [letters[j] ?? "", letters[i] ?? ""];
    return letters.join("");
  };
  const mutations: ((token: string) => string)[] = [
    (token) => { // one bit
      const at = random(token.length);
      return token.slice(0, at) + String.fromCharCode(token.charCodeAt(at) ^ (1 << random(7))) +
        token.slice(at + 1);
    },
    (token) => { // another digit
      const at = random(token.length);
      return token.slice(0, at) + "0123456789abcdef".charAt(random(16)) + token.slice(at + 1);
    },
    (token) => token.slice(0, random(token.length)),
    (token) => token.slice(1 + random(token.length - 1)),
    (token) => token + "0123456789abcdef.".charAt(random(17)).repeat(1 + random(4)),
    (token) => swap(token, random(token.length), random(token.length)),
    (token) => { // a duplicate part
      const at = random(token.length);
      return token.slice(0, at) + token.slice(random(token.length));
    },
    (token) => token.slice(0, random(65)) + (good[random(3)]?.token ?? "").slice(random(65)),
  ];
  let mutants = 0;
  while (mutants < INPUTS) {
    const { token, jar } = good[random(3)] ?? { token: "", jar: {} };
    const mutant = (mutations[random(mutations.length)] ?? String)(token);
    if (good.some(({ token }) => token === mutant) || /[\0\r\n]/.test(mutant)) continue;
    mutants++;
    // Two in three have the cookie that an attacker would set
    const cookies = random(3) === 0 ? jar : { ...jar, "__Host-csrf": mutant };
    const reason = await refusal(csrf, sent(cookies, mutant));
    assert(reason !== undefined, `accepted: ${mutant} for ${token}`);
  }
});

Deno.test("check(), checkOrigin() and issue() throw only AuthError for random header fields", async () => {
  const random = randomNumbers(7);
  const pick = <T>(list: readonly T[]) => list[random(list.length)] as T;
  const { token } = await issued(csrf, IN_A);
  const pieces = [
    "",
    " ",
    ";",
    "=",
    ",",
    ".",
    '"',
    "%00",
    "\u00a0",
    "\u00ff",
    "null",
    "__Host-sid",
    "__Host-csrf",
    "__Host-presid",
    "__proto__",
    token,
    "https://example.com",
    "https://",
    "[",
    "]",
    "@",
    ":99999",
    "://",
    "same-origin",
    "A".repeat(5_000),
  ];
  const text = () => Array.from({ length: random(8) }, () => pick(pieces)).join("");
  for (let i = 0; i < INPUTS / 4; i++) {
    const headers = new Headers();
    for (const name of ["Cookie", "X-CSRF-Token", "Origin", "Sec-Fetch-Site"]) {
      if (random(3) > 0) headers.set(name, text());
    }
    const url = pick([
      URL_HERE,
      "http://[::1]:8000/",
      "http://example.com:443/x",
      "https://b\u00fccher.example/",
    ]);
    const attempt = request(headers, pick(["POST", "PUT", "DELETE"]), url);
    assert(await refusal(csrf, attempt) !== undefined);
    await refusal(csrf, attempt, "checkOrigin");
    await csrf.issue(attempt).catch((error) => assert(error instanceof AuthError, String(error)));
  }
});
