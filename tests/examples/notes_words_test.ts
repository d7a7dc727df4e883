import { assertEquals, assertMatch } from "@std/assert";
import type { AuthErrorCode, AuthEvent } from "@gatehouse/http/auth";
import { describeRefusal } from "../../examples/notes/assets/messages.js";
import { browserName } from "../../examples/notes/pages/browser_name.ts";
import { eventLine } from "../../examples/notes/event_line.ts";

/** Where the message of each code is shown: in the form or at a field. A new code must be added. */
const PLACES: Readonly<Record<AuthErrorCode, "form" | "identifier" | "password" | "code">> = {
  access_denied: "form",
  credential_unknown: "form",
  csrf_failed: "form",
  email_missing: "form",
  email_taken: "form",
  email_unverified: "form",
  identifier_unavailable: "identifier",
  insufficient_authentication: "form",
  insufficient_scope: "form",
  invalid_challenge: "form",
  invalid_code: "code",
  invalid_credentials: "form",
  invalid_identifier: "identifier",
  invalid_link: "form",
  invalid_refresh_token: "form",
  invalid_second_factor: "code",
  invalid_token: "form",
  identity_taken: "form",
  identity_unknown: "form",
  oauth_failed: "form",
  last_way_in: "form",
  mfa_expired: "form",
  mfa_required: "form",
  service_unavailable: "form",
  session_ambiguous: "form",
  session_expired: "form",
  throttled: "form",
  token_expired: "form",
  too_many_credentials: "form",
  too_many_keys: "form",
  unauthenticated: "form",
  weak_password: "password",
  webauthn_failed: "form",
  wrong_password: "form",
};
const UNKNOWN = describeRefusal({ status: 500, code: "unknown" }).text;

for (const [code, place] of Object.entries(PLACES)) {
  Deno.test(`describeRefusal() has a specific message for ${code}`, () => {
    const { text, fields } = describeRefusal({ status: 400, code });
    const said = place === "form" ? text : fields.get(place) ?? "";
    assertMatch(said, /^[A-Z][^]*\.$/);
    assertEquals([said === UNKNOWN, said.includes(code), text === ""], [
      false,
      false,
      place !== "form",
    ]);
  });
}

/** Codes of the service. */
const OWN = [
  "no_such_api_key",
  "no_such_note",
  "no_such_program",
  "no_such_session",
  "offline",
  "passkey_exists",
  "passkeys_unavailable",
  "payload_too_large",
];
for (const code of OWN) {
  Deno.test(`describeRefusal() has a specific message for the service's code ${code}`, () => {
    const { text } = describeRefusal({ status: 0, code });
    assertEquals([text === "", text === UNKNOWN], [false, false]);
  });
}

for (
  const code of [
    "unauthenticated",
    "session_expired",
    "token_expired",
    "invalid_token",
    "invalid_refresh_token",
    "mfa_expired",
  ]
) {
  Deno.test(`describeRefusal() offers to sign in after ${code}`, () => {
    assertEquals(describeRefusal({ status: 401, code }).signIn, true);
  });
}

Deno.test("describeRefusal() offers to sign in again after insufficient_authentication", () => {
  const refusal = { status: 401, code: "insufficient_authentication" };
  assertEquals(describeRefusal(refusal).signIn, "again");
});

for (const code of ["internal_error", "unknown", "", "__proto__", "constructor", "<b>"]) {
  Deno.test(`describeRefusal() has the message for unknown errors for ${JSON.stringify(code)}`, () => {
    assertEquals(describeRefusal({ status: 500, code }), {
      text: UNKNOWN,
      fields: new Map(),
      signIn: false,
    });
  });
}

Deno.test("describeRefusal() returns all violations by field, each a sentence", () => {
  const violations = [
    { pointer: "/password", message: "Use at least 15 characters" },
    { pointer: "/password", message: "Add words" },
    { pointer: "/title", message: "Is it one?" },
  ];
  assertEquals(describeRefusal({ status: 422, code: "weak_password", violations }), {
    text: "",
    fields: new Map([
      ["password", "Use at least 15 characters.\nAdd words."],
      ["title", "Is it one?"],
    ]),
    signIn: false,
  });
});

/** `Retry-After`, and the shown delay. */
const WAITS: readonly (readonly [seconds: number | undefined, text: string])[] = [
  [1, "in a second"],
  [30, "in 30 seconds"],
  [119, "in 119 seconds"],
  [120, "in 2 minutes"],
  [121, "in 3 minutes"],
  [3600, "in 60 minutes"],
  [7201, "in 3 hours"],
  [0, "later"],
  [-1, "later"],
  [NaN, "later"],
  [undefined, "later"],
];
for (const [retryAfter, text] of WAITS) {
  Deno.test(`describeRefusal() shows "${text}" for Retry-After ${retryAfter}`, () => {
    const refusal = { status: 429, code: "throttled" };
    const said = describeRefusal(retryAfter === undefined ? refusal : { ...refusal, retryAfter });
    assertEquals(said.text, `Too many attempts. Try again ${text}.`);
  });
}

const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/";
const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ";
const PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 ";
const ANDROID = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) ";

/** User agents and their names. */
const BROWSERS: readonly (readonly [userAgent: string | undefined, name: string])[] = [
  [`${WINDOWS}Chrome/126.0.0.0 Safari/537.36`, "Chrome on Windows"],
  [`${WINDOWS}Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0`, "Edge on Windows"],
  [`${WINDOWS}Chrome/126.0.0.0 Safari/537.36 OPR/112.0.0.0`, "Opera on Windows"],
  [`${MAC}605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15`, "Safari on a Mac"],
  [`${PHONE}(KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1`, "Safari on an iPhone"],
  [`${PHONE}(KHTML, like Gecko) CriOS/126.0 Mobile/15E148 Safari/604.1`, "Chrome on an iPhone"],
  [`${PHONE}(KHTML, like Gecko) FxiOS/128.0 Mobile/15E148 Safari/605.1.15`, "Firefox on an iPhone"],
  [`${ANDROID}Chrome/126.0.0.0 Mobile Safari/537.36`, "Chrome on Android"],
  [
    `${ANDROID}SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`,
    "Samsung Internet on Android",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox on Linux"],
  ["Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) Chrome/126.0.0.0 Safari/537.36", "Chrome on ChromeOS"],
  ["curl/8.9.1", "A program that calls itself “curl/8.9.1”"],
  ["x".repeat(61), `A program that calls itself “${"x".repeat(60)}…”`],
  ["x".repeat(59) + "\u{1F422}", `A program that calls itself “${"x".repeat(59)}\ufffd…”`],
  [" ", "An unknown browser"],
  ["", "An unknown browser"],
  [undefined, "An unknown browser"],
];
for (const [userAgent, name] of BROWSERS) {
  Deno.test(`browserName() returns “${name}” for ${userAgent}`, () => {
    assertEquals(browserName(userAgent), name);
  });
}

/** An event, and its log line, if any. */
const EVENTS: readonly (readonly [event: AuthEvent, line: string | undefined])[] = [
  [
    { type: "login.throttled", at: 1, attempt: "login", retryAfter: 30, address: "127.0.0.1" },
    'login.throttled attempt="login" address="127.0.0.1" seconds=30',
  ],
  [
    { type: "login.throttled", at: 1, attempt: "registration", retryAfter: 3600 },
    'login.throttled attempt="registration" seconds=3600',
  ],
  [
    { type: "csrf.failed", at: 1, reason: "cross_origin" },
    'csrf.failed reason="cross_origin"',
  ],
  [
    { type: "authz.denied", at: 1, sub: "u1", route: "/notes/:id", reason: "not\nhers" },
    'authz.denied sub="u1" route="/notes/:id" reason="not\\nhers"',
  ],
  [
    { type: "refresh.reuse_detected", at: 1, sub: "u1", familyId: "f1", sessionId: "s1" },
    'refresh.reuse_detected sub="u1"',
  ],
  [
    { type: "webauthn.counter_regressed", at: 1, sub: "u1", credentialId: "AQ" },
    'webauthn.counter_regressed sub="u1" credentialId="AQ"',
  ],
  [
    { type: "webauthn.failed", at: 1, ceremony: "registration", reason: "rp_id_mismatch" },
    undefined,
  ],
  [{ type: "api_key.created", at: 1, sub: "u1", apiKeyId: "k1" }, undefined],
  [{ type: "login.failed", at: 1, reason: "password_wrong" }, undefined],
  [{ type: "login.succeeded", at: 1, sub: "u1" }, undefined],
  [{ type: "session.created", at: 1, sub: "u1", sessionId: "s1" }, undefined],
];
for (const [event, line] of EVENTS) {
  Deno.test(`eventLine() returns ${line === undefined ? "no line" : "a line"} for ${event.type} (${line})`, () => {
    assertEquals(eventLine(event), line);
  });
}
