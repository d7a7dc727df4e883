/** Delivery of events, and clocks. */

import { assert, assertEquals, assertFalse, assertStrictEquals, assertThrows } from "@std/assert";
import { createClock, nowSeconds } from "../../auth/_clock.ts";
import { createEmitter } from "../../auth/_emit.ts";
import type { AuthEvent, AuthEventListener } from "../../auth/events.ts";

const NOW = 1_700_000_000;
const now = () => NOW;

/** One of each type: a new one does not compile until it is added here. */
const EVENTS: { readonly [Type in AuthEvent["type"]]: Extract<AuthEvent, { type: Type }> } = {
  "api_key.created": { type: "api_key.created", at: NOW, sub: "u1", apiKeyId: "k1" },
  "api_key.revoked": { type: "api_key.revoked", at: NOW, sub: "u1", apiKeyId: "k1" },
  "authorization.refused": {
    type: "authorization.refused",
    at: NOW,
    reason: "client_unknown",
    address: "192.0.2.1",
  },
  "email.verified": { type: "email.verified", at: NOW, sub: "u1" },
  "email.changed": { type: "email.changed", at: NOW, sub: "u1" },
  "delivery.failed": { type: "delivery.failed", at: NOW, kind: "reset_password", gaveUp: true },
  "grant.created": { type: "grant.created", at: NOW, sub: "u1", clientId: "spa", grantId: "g1" },
  "logout.delivered": {
    type: "logout.delivered",
    at: NOW,
    sub: "u1",
    clientId: "web",
    sessionId: "s1",
  },
  "logout.failed": {
    type: "logout.failed",
    at: NOW,
    sub: "u1",
    clientId: "web",
    sessionId: "s1",
    gaveUp: true,
  },
  "client.registered": { type: "client.registered", at: NOW, clientId: "c1", address: "192.0.2.1" },
  "client.refused": { type: "client.refused", at: NOW, reason: "invalid_redirect_uri" },
  "code.replayed": { type: "code.replayed", at: NOW, clientId: "spa", grantId: "g1" },
  "token.refused": { type: "token.refused", at: NOW, reason: "secret_wrong", clientId: "web" },
  "key.rotated": { type: "key.rotated", at: NOW, alg: "ES256", kid: "k1" },
  "refresh.reuse_detected": {
    type: "refresh.reuse_detected",
    at: NOW,
    sub: "u1",
    familyId: "f1",
    sessionId: "s1",
  },
  "refresh.revoked": { type: "refresh.revoked", at: NOW, sub: "u1", familyId: "f1" },
  "refresh.rotated": { type: "refresh.rotated", at: NOW, sub: "u1", familyId: "f1" },
  "authz.denied": { type: "authz.denied", at: NOW, reason: "not the owner", route: "/notes/:id" },
  "credential.refused": {
    type: "credential.refused",
    at: NOW,
    strategy: "robot",
    code: "invalid_robot",
    message: "no robot of ours",
    route: "/notes",
  },
  "login.succeeded": { type: "login.succeeded", at: NOW, sub: "u1", address: "192.0.2.1" },
  "login.failed": { type: "login.failed", at: NOW, reason: "password_wrong", sub: "u1" },
  "login.throttled": { type: "login.throttled", at: NOW, attempt: "login", retryAfter: 30 },
  "user.created": { type: "user.created", at: NOW, sub: "u1" },
  "user.disabled": { type: "user.disabled", at: NOW, sub: "u1" },
  "user.identifier_changed": { type: "user.identifier_changed", at: NOW, sub: "u1" },
  "user.enabled": { type: "user.enabled", at: NOW, sub: "u1" },
  "user.removed": { type: "user.removed", at: NOW, sub: "u1" },
  "csrf.failed": { type: "csrf.failed", at: NOW, reason: "token_missing" },
  "password.changed": { type: "password.changed", at: NOW, sub: "u1" },
  "breach_query.failed": {
    type: "breach_query.failed",
    at: NOW,
    reason: "connection",
    accepted: true,
  },
  "factor.added": { type: "factor.added", at: NOW, sub: "u1", kind: "totp" },
  "factor.removed": { type: "factor.removed", at: NOW, sub: "u1", kind: "totp" },
  "factor.used": { type: "factor.used", at: NOW, sub: "u1", kind: "recovery_code" },
  "factor.failed": {
    type: "factor.failed",
    at: NOW,
    sub: "u1",
    kind: "totp",
    reason: "code_wrong",
  },
  "recovery_codes.created": { type: "recovery_codes.created", at: NOW, sub: "u1" },
  "password.removed": { type: "password.removed", at: NOW, sub: "u1" },
  "webauthn.registered": { type: "webauthn.registered", at: NOW, sub: "u1", credentialId: "c1" },
  "webauthn.asserted": {
    type: "webauthn.asserted",
    at: NOW,
    sub: "u1",
    credentialId: "c1",
    userVerified: true,
  },
  "webauthn.failed": {
    type: "webauthn.failed",
    at: NOW,
    ceremony: "authentication",
    reason: "signature_invalid",
  },
  "webauthn.counter_regressed": {
    type: "webauthn.counter_regressed",
    at: NOW,
    sub: "u1",
    credentialId: "c1",
  },
  "webauthn.renamed": { type: "webauthn.renamed", at: NOW, sub: "u1", credentialId: "c1" },
  "webauthn.removed": { type: "webauthn.removed", at: NOW, sub: "u1", credentialId: "c1" },
  "oauth.completed": {
    type: "oauth.completed",
    at: NOW,
    provider: "google",
    sub: "u1",
    account: "known",
  },
  "oauth.failed": {
    type: "oauth.failed",
    at: NOW,
    provider: "google",
    reason: "id_token_refused",
    detail: "expired",
  },
  "identity.linked": { type: "identity.linked", at: NOW, sub: "u1", provider: "google" },
  "identity.unlinked": { type: "identity.unlinked", at: NOW, sub: "u1", provider: "google" },
  "password.rehashed": { type: "password.rehashed", at: NOW, sub: "u1" },
  "session.created": { type: "session.created", at: NOW, sub: "u1", sessionId: "s1" },
  "session.revoked": { type: "session.revoked", at: NOW, sub: "u1", exceptSessionId: "s1" },
  "session.expired": {
    type: "session.expired",
    at: NOW,
    sub: "u1",
    sessionId: "s1",
    reason: "idle_limit",
  },
};

/** An emitter, and its warnings. */
function emitterTo(events: AuthEventListener | undefined) {
  const warnings: string[] = [];
  const emit = createEmitter({ events, now, warn: (message) => warnings.push(message) });
  return { emit, warnings };
}

/** Waits until all pending microtasks are settled. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

for (const event of Object.values(EVENTS)) {
  Deno.test(`createEmitter() emits ${event.type} with type and time, frozen`, () => {
    const told: AuthEvent[] = [];
    const { emit, warnings } = emitterTo((event) => void told.push(event));
    const { type, at: _at, ...members } = event;
    emit(type, members as never);
    assertEquals(told, [event]);
    assert(told.every((event) => Object.isFrozen(event)));
    assertEquals(warnings, []);
  });
}

Deno.test("createEmitter() emits synchronously, in order", () => {
  const told: string[] = [];
  const { emit } = emitterTo((event) => void told.push("sub" in event ? event.sub ?? "" : ""));
  for (const sub of ["a", "b", "c"]) emit("user.created", { sub });
  assertEquals(told.join(""), "abc");
});

Deno.test("createEmitter() reads the time for each event, and only with a listener", () => {
  let time = 5;
  const told: number[] = [];
  const emit = createEmitter({ events: (event) => void told.push(event.at), now: () => time++ });
  emit("user.created", { sub: "u1" });
  emit("user.created", { sub: "u1" });
  assertEquals(told, [5, 6]);
  createEmitter({ now: () => time++ })("user.created", { sub: "u1" });
  assertEquals(time, 7);
});

const SECRET = "s3cr3t";
const failure = () => new Error(SECRET);

/** Listeners that fail. No error may reach the caller or terminate the process. */
const FAILING: readonly [why: string, listener: AuthEventListener][] = [
  ["throws", () => {
    throw failure();
  }],
  ["throws a non-Error value", () => {
    // deno-lint-ignore no-throw-literal -- the subject of the test
    throw undefined;
  }],
  ["rejects at once", () => Promise.reject(failure())],
  ["rejects later", async () => {
    await Promise.resolve();
    throw failure();
  }],
  ["tries to change the event", (event) => {
    (event as { type: string }).type = "other";
  }],
];

for (const [why, listener] of FAILING) {
  Deno.test(`createEmitter() warns if a listener ${why}, and continues`, async () => {
    const { emit, warnings } = emitterTo(listener);
    emit("login.succeeded", { sub: "u1" });
    await settle();
    assertEquals(warnings, ["Cannot deliver event login.succeeded: the listener failed"]);
    emit("login.succeeded", { sub: "u1" });
    await settle();
    assertEquals(warnings.length, 2);
  });

  Deno.test(`createEmitter() ignores a failing warn callback after a listener that ${why}`, async () => {
    const warn = () => {
      throw failure();
    };
    const emit = createEmitter({ events: listener, now, warn });
    emit("login.succeeded", { sub: "u1" });
    await settle(); // an unhandled rejection would fail this test
  });
}

Deno.test("createEmitter() warns without data of the event or the error", async () => {
  const { emit, warnings } = emitterTo(() => Promise.reject(failure()));
  emit("login.failed", { reason: "password_wrong", sub: SECRET, address: SECRET });
  await settle();
  assertFalse(warnings.join().includes(SECRET));
});

Deno.test("createEmitter() passes the error itself to the warning", async () => {
  for (const [why, listener] of FAILING.slice(0, 4)) {
    const errors: unknown[] = [];
    const warn = (_message: string, error: unknown) => void errors.push(error);
    createEmitter({ events: listener, now, warn })("user.created", { sub: "u1" });
    await settle();
    const expected = why === "throws a non-Error value" ? ["undefined"] : [`Error: ${SECRET}`];
    assertEquals(errors.map(String), expected, why);
  }
});

Deno.test("createEmitter() does not await the listener", () => {
  let done = false;
  const { emit } = emitterTo(async () => {
    await new Promise<void>(() => {}); // never
    done = true;
  });
  emit("user.created", { sub: "u1" });
  assertFalse(done);
});

Deno.test("createEmitter() does nothing without a listener", () => {
  const { emit, warnings } = emitterTo(undefined);
  emit("user.created", { sub: "u1" });
  assertEquals(warnings, []);
});

Deno.test("createEmitter() emits frozen events", () => {
  const { emit } = emitterTo((event) => {
    assertThrows(() => Object.assign(event, { sub: "root" }), TypeError);
  });
  emit("user.created", { sub: "u1" });
});

Deno.test("nowSeconds() returns whole seconds since the epoch", () => {
  const before = Math.floor(Date.now() / 1000);
  const now = nowSeconds();
  assert(Number.isInteger(now) && now >= before && now <= Date.now() / 1000);
});

Deno.test("createClock() returns the system clock by default", () => {
  assertStrictEquals(createClock(undefined), nowSeconds);
});

const TIMES: readonly [why: string, given: number, read: number][] = [
  ["whole seconds", NOW, NOW],
  ["fractions of a second, rounded down", NOW + 0.999, NOW],
  ["the epoch", 0, 0],
  ["the start time of tests", 1, 1],
  ["before the epoch", -1.5, -2],
  ["the last second that is not taken for milliseconds", 1e11 - 1, 1e11 - 1],
  ["Date.now() / 1000", 1_700_000_000.123, NOW],
];

for (const [why, given, read] of TIMES) {
  Deno.test(`createClock() reads ${given} as ${read}: ${why}`, () => {
    assertEquals(createClock(() => given)(), read);
  });
}

const NO_TIMES: readonly [why: string, given: unknown][] = [
  ["milliseconds", NOW * 1_000],
  ["Date.now()", Date.now()],
  ["milliseconds in 1974", 126_230_400_000],
  ["the first time that is too late", 1e11],
  ["microseconds", NOW * 1e6],
  ["milliseconds in the distant past", -NOW * 1_000],
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["undefined", undefined],
  ["null", null],
  ["a string", `${NOW}`],
  ["a date", new Date(NOW * 1_000)],
  ["a bigint", BigInt(NOW)],
  ["a promise", Promise.resolve(NOW)],
  ["true", true],
  ["an array", [NOW]],
];

for (const [why, given] of NO_TIMES) {
  Deno.test(`createClock() throws for ${why}`, () => {
    const clock = createClock((() => given) as () => number);
    assertThrows(clock, RangeError, "Invalid clock: now() must return seconds");
  });
}

Deno.test("createClock() reads the clock at each call, and not before", () => {
  let time = NOW;
  const clock = createClock(() => time++);
  assertEquals(time, NOW);
  assertEquals([clock(), clock(), clock()], [NOW, NOW + 1, NOW + 2]);
});

Deno.test("createClock() passes on errors of the clock", () => {
  const clock = createClock(() => {
    throw new Error("no time today");
  });
  assertThrows(clock, Error, "no time today");
});
