/** Refresh families and the sessions that they belong to. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { sessionService } from "../../../auth/session/session_service.ts";
import {
  createServices,
  repeat,
  type Services,
  type ServicesOptions,
  START,
} from "../_services.ts";

const STAMPED = { sub: "u1", securityStamp: "s1", authTime: START, amr: ["pwd"] };

/** Families: one of each of Ada's three sessions, one of a session that is gone, one of none, one of Eve's. */
type Name = "a" | "b" | "c" | "gone" | "none" | "eve";

const ENDS: readonly [
  why: string,
  end: (begun: Begun) => Promise<unknown>,
  ended: readonly Name[],
][] = [
  [
    "revokeToken() ends the session's own",
    ({ sessions, tokens: [a = ""] }) => sessions.revokeToken(a),
    ["a"],
  ],
  ["revoke() ends the session's own", ({ sessions, ids: [a = ""] }) => sessions.revoke("u1", a), [
    "a",
  ]],
  [
    "revoke() of somebody else's session ends none",
    ({ sessions, ids: [a = ""] }) => sessions.revoke("u2", a),
    [],
  ],
  [
    "revoke() of a session that has ended by itself ends what was handed out with it",
    ({ sessions }) => sessions.revoke("u1", "ended by itself"),
    ["gone"],
  ],
  [
    "revoke() of such a session by somebody else ends none",
    ({ sessions }) => sessions.revoke("u2", "ended by itself"),
    [],
  ],
  [
    "create() ends those of the session that it replaces",
    ({ sessions, tokens: [a] }) => sessions.create(STAMPED, { replaces: a }),
    ["a"],
  ],
  ["create() that replaces nothing ends none", ({ sessions }) => sessions.create(STAMPED), []],
  [
    "revokeOthers() ends all but the session's own, those of no session that is there too",
    ({ sessions, ids: [a = ""] }) => sessions.revokeOthers("u1", a),
    ["b", "c", "gone", "none"],
  ],
  [
    "revokeOthers() that keeps a session of somebody else ends all of the user's",
    ({ sessions }) => sessions.revokeOthers("u1", "of eve"),
    ["a", "b", "c", "gone", "none"],
  ],
  ["revokeAll() ends all of the user's", ({ sessions }) => sessions.revokeAll("u1"), [
    "a",
    "b",
    "c",
    "gone",
    "none",
  ]],
  [
    "verify() of a session in use ends none",
    ({ sessions, tokens: [a = ""] }) => sessions.verify(a),
    [],
  ],
  [
    "verify() that finds a limit passed ends none",
    async ({ sessions, clock, tokens: [a = ""] }) => {
      clock.now += 3_600;
      assertEquals(await sessions.verify(a), undefined);
    },
    [],
  ],
  [
    "revokeToken() of no session ends none",
    ({ sessions }) => sessions.revokeToken("x".repeat(43)),
    [],
  ],
];
for (const [why, end, ended] of ENDS) {
  Deno.test(`${why}: refresh families`, async () => {
    const services = await begun();
    await end(services);
    assertEquals(await endedOf(services), ended);
  });
}

const DOWN: readonly [why: string, fail: () => Promise<never>][] = [
  ["cannot be asked", () => Promise.reject(new Error("The store is out of order"))],
  ["throw at once", () => {
    throw new Error("The store is out of order");
  }],
];
const WAYS: readonly [name: string, end: (begun: Begun) => Promise<unknown>][] = [
  ["revokeToken()", ({ sessions, tokens: [a = ""] }) => sessions.revokeToken(a)],
  ["revoke()", ({ sessions, ids: [a = ""] }) => sessions.revoke("u1", a)],
  ["revokeOthers()", ({ sessions, ids: [, b = ""] }) => sessions.revokeOthers("u1", b)],
  ["revokeAll()", ({ sessions }) => sessions.revokeAll("u1")],
];
for (const [name, end] of WAYS) {
  for (const [why, fail] of DOWN) {
    Deno.test(`${name} ends the session even where the refresh families ${why}, and rejects`, async () => {
      const services = await begun({
        wrap: ({ refreshTokens }) => ({ refreshTokens: { ...refreshTokens, revoke: fail } }),
      });
      const { sessions, tokens: [a = ""], events } = services;
      await assertRejects(() => end(services), Error, "out of order");
      assertEquals(await sessions.verify(a), undefined);
      assertEquals(events, []);
    });

    Deno.test(`${name} ends the refresh families even where the sessions ${why}, and rejects`, async () => {
      const services = await begun({
        wrap: ({ sessions }) => ({ sessions: { ...sessions, revoke: fail, revokeAll: fail } }),
      });
      await assertRejects(() => end(services), Error, "out of order");
      assert((await endedOf(services)).includes("a"));
      assertEquals(services.events, []);
    });
  }

  Deno.test(`${name} does without refresh families`, async () => {
    const services = await begun();
    const { stores, clock, tokens: [a = ""] } = services;
    const { sessions: store, users } = stores;
    const sessions = sessionService({ sessions: store, users, now: () => clock.now });
    await end({ ...services, sessions });
    assertEquals(await sessions.verify(a), undefined);
    assertEquals(await endedOf(services), []);
  });
}

for (const [why, fail] of DOWN) {
  Deno.test(`revoke() of a session that has ended by itself rejects where the refresh families ${why}`, async () => {
    const { sessions, events } = await begun({
      wrap: ({ refreshTokens }) => ({ refreshTokens: { ...refreshTokens, revoke: fail } }),
    });
    const attempt = async () => await sessions.revoke("u1", "ended by itself");
    await assertRejects(attempt, Error, "out of order");
    assertEquals(events, []);
  });
}

Deno.test("revoke() says of a session that has ended by itself that there is none, and tells nobody", async () => {
  const { sessions, events } = await begun();
  assertEquals(await sessions.revoke("u1", "ended by itself"), false);
  assertEquals(events, []);
});

interface Begun extends Services {
  readonly tokens: readonly string[];
  readonly ids: readonly string[];
}

async function begun(options: ServicesOptions = {}): Promise<Begun> {
  const services = createServices(options);
  const { sessions, stores: { users, refreshTokens }, events } = services;
  await users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: START });
  const begun = await Promise.all(repeat(3, () => sessions.create(STAMPED)));
  const ids = begun.map(({ session }) => session.id);
  const [a = "", b = "", c = ""] = ids;
  const from = { createdAt: START, authTime: START, amr: ["pwd"] };
  const times = { ...from, expiresAt: START + 86_400, familyExpiresAt: START + 864_000 };
  const fresh = { ...times, securityStamp: "s1", currentHash: "h", generation: 0, revoked: false };
  for (
    const [id, sessionId] of [["a", a], ["b", b], ["c", c], ["gone", "ended by itself"]] as const
  ) {
    await refreshTokens.create({ ...fresh, id, sub: "u1", sessionId });
  }
  await refreshTokens.create({ ...fresh, id: "none", sub: "u1" });
  await refreshTokens.create({ ...fresh, id: "eve", sub: "u2", sessionId: "of eve" });
  events.length = 0;
  return { ...services, tokens: begun.map(({ token }) => token), ids };
}

async function endedOf({ stores }: Services): Promise<Name[]> {
  const names: readonly Name[] = ["a", "b", "c", "gone", "none", "eve"];
  const families = await Promise.all(names.map((name) => stores.refreshTokens.find(name)));
  return names.filter((_, i) => families[i]?.revoked);
}
