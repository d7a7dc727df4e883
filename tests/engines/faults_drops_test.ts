/**
 * Connections that drop during a write: the call rejects, the record is either unchanged or written, and a repeated call gets
 * the documented result.
 */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { authStores } from "../../auth/stores/repo.ts";
import type { AuthStores, RefreshRotation } from "../../auth/stores/types.ts";
import type { ThrottleRule } from "../../auth/throttle/rule.ts";
import { type Client, CLIENTS } from "./_adapters.ts";
import { engineTest } from "./_engines.ts";
import { assertFails, type FaultyPlace, inTime, openFaulty, secretsOf } from "./_faults.ts";
import type { DropMoment } from "./_proxy.ts";
import {
  credentialOf,
  familyOf,
  keyOf,
  RACE_TIME,
  sessionOf,
  userOf,
} from "../contracts/_races.ts";

/** The outcome of a write. */
type Outcome = { readonly result: unknown } | { readonly error: RegExp };

/** A write of one record. */
interface Write {
  readonly call: string;
  /** Its collection and key. */
  readonly record: readonly [collection: string, key: (id: string) => string];
  /** The record before the write, and how it is created. */
  readonly before?: {
    readonly value: (id: string) => unknown;
    readonly make: (stores: AuthStores, id: string) => Promise<unknown>;
  };
  /** A string that is first sent with the write. */
  readonly sent: (id: string) => string;
  readonly run: (stores: AuthStores, id: string) => Promise<unknown>;
  /** The record after the write. */
  readonly after: (id: string) => unknown;
  /** The outcome of the repeated call, if the first one was not made and if it was. */
  readonly again: Readonly<Record<DropMoment, Outcome>>;
}

const ONE_ATTEMPT: ThrottleRule = { kind: "window", limit: 1, seconds: 60 };

const itself = (id: string) => id;

const WRITES: readonly Write[] = [
  {
    call: "refreshTokens.rotate()",
    record: ["refresh_families", itself],
    before: {
      value: familyOf,
      make: ({ refreshTokens }, id) => refreshTokens.create(familyOf(id)),
    },
    sent: (id) => `next of ${id}`,
    run: ({ refreshTokens }, id) => refreshTokens.rotate(rotationOf(id)),
    after: (id) => ({ ...familyOf(id), currentHash: `next of ${id}`, generation: 1 }),
    again: {
      "before the request": { result: "rotated" },
      // The client presents a secret that is no longer current, as a thief would
      "after the request": { result: "reused" },
    },
  },
  {
    call: "refreshTokens.create()",
    record: ["refresh_families", itself],
    sent: itself,
    run: ({ refreshTokens }, id) => refreshTokens.create(familyOf(id)),
    after: familyOf,
    again: {
      "before the request": { result: undefined },
      "after the request": { error: /^Cannot create refresh family: its id is taken$/ },
    },
  },
  {
    call: "states.put()",
    record: ["states", itself],
    sent: itself,
    run: ({ states }, id) => states.put(id, "once", RACE_TIME + 60),
    after: () => "once",
    again: {
      "before the request": { result: undefined },
      "after the request": { result: undefined },
    },
  },
  {
    call: "states.consume()",
    record: ["states", itself],
    before: {
      value: () => "once",
      make: ({ states }, id) => states.put(id, "once", RACE_TIME + 60),
    },
    sent: itself,
    run: ({ states }, id) => states.consume(id),
    after: () => null,
    again: { "before the request": { result: "once" }, "after the request": { result: null } },
  },
  {
    call: "users.create()",
    record: ["users", itself],
    sent: itself,
    run: ({ users }, id) => users.create(userOf(id, `name of ${id}`)),
    after: (id) => ({ ...userOf(id, `name of ${id}`) }),
    again: {
      "before the request": { result: "created" },
      "after the request": { result: "identifier_taken" },
    },
  },
  {
    call: "sessions.create()",
    record: ["sessions", itself],
    sent: itself,
    run: ({ sessions }, id) => sessions.create(sessionOf(`id of ${id}`, id)),
    after: (id) => sessionOf(`id of ${id}`, id),
    again: {
      "before the request": { result: undefined },
      "after the request": { error: /^Cannot create session: its id or token is taken$/ },
    },
  },
  {
    call: "sessions.revoke()",
    record: ["sessions", (id) => `hash of ${id}`],
    before: {
      value: (id) => sessionOf(id, `hash of ${id}`),
      make: ({ sessions }, id) => sessions.create(sessionOf(id, `hash of ${id}`)),
    },
    sent: (id) => `hash of ${id}`,
    run: ({ sessions }, id) => sessions.revoke(id),
    after: () => null,
    again: {
      "before the request": { result: undefined },
      "after the request": { result: undefined },
    },
  },
  {
    call: "credentials.updateSignCount()",
    record: ["credentials", itself],
    before: {
      value: credentialOf,
      make: ({ credentials }, id) => credentials.create(credentialOf(id)),
    },
    sent: () => '"signCount":7',
    run: ({ credentials }, id) => credentials.updateSignCount(id, 0, 7),
    after: (id) => ({ ...credentialOf(id), signCount: 7 }),
    again: { "before the request": { result: "updated" }, "after the request": { result: "lost" } },
  },
  {
    call: "credentials.rename()",
    record: ["credentials", itself],
    before: {
      value: credentialOf,
      make: ({ credentials }, id) => credentials.create(credentialOf(id)),
    },
    sent: () => '"name":"Ada\'s phone"',
    run: ({ credentials }, id) => credentials.rename(id, "u1", "Ada's phone"),
    after: (id) => ({ ...credentialOf(id), name: "Ada's phone" }),
    again: {
      "before the request": { result: "renamed" },
      "after the request": { result: "renamed" },
    },
  },
  {
    call: "throttle.reserve()",
    record: ["throttle", itself],
    sent: () => '"failures":1',
    run: ({ throttle }, id) => throttle.reserve({ key: id, rule: ONE_ATTEMPT }, [], RACE_TIME),
    after: () => ({ failures: 1, lockedUntil: RACE_TIME + 60, expiresAt: RACE_TIME + 60 }),
    again: {
      "before the request": { result: { allowed: true, recorded: [] } },
      "after the request": { result: { allowed: false, retryAfter: 60 } },
    },
  },
  {
    call: "keys.save()",
    record: ["signing_keys", () => "ring"],
    sent: itself,
    run: ({ keys }, id) => keys.save([keyOf(id)], null),
    after: (id) => [keyOf(id)],
    again: { "before the request": { result: "saved" }, "after the request": { result: "lost" } },
  },
];

const MOMENTS: readonly DropMoment[] = ["before the request", "after the request"];

for (const { name, engine } of CLIENTS) {
  for (const write of WRITES) {
    for (const moment of MOMENTS) {
      const title = `authStores() over ${name}: ${write.call} rejects on a drop ${moment}`;
      engineTest(engine, title, (url) => runDrop(name, { url, write, moment }));
    }
  }
}

for (const write of WRITES) {
  for (const moment of MOMENTS) {
    const title = `authStores() over ioredis with retries: ${write.call} is made once on a drop`;
    engineTest("redis", `${title} ${moment}`, (url) => runResend(url, { write, moment }));
  }
}

interface Drop {
  readonly write: Write;
  readonly moment: DropMoment;
}

async function runDrop(client: Client, { url, ...drop }: Drop & { url: string }): Promise<void> {
  await using place = await openFaulty(client, { url, now: () => RACE_TIME });
  const { proxy, reconnected } = place;
  const { write: { before, after, run, again }, moment } = drop;
  const { faulty, id, look } = await prepare(place, drop);
  await assertFails(run(faulty, id), [...secretsOf(proxy.url), id]);
  assertEquals(proxy.drops, 1);
  const old = before?.value(id) ?? null;
  assertEquals(await look(), moment === "before the request" ? old : after(id));
  await reconnected();
  const expected = again[moment];
  await assertOutcome(inTime(run(faulty, id)), expected);
  assertEquals(proxy.drops, 1);
  const isTheft = "result" in expected && expected.result === "reused"; // the family is revoked then
  if (!isTheft) assertEquals(await look(), after(id));
}

/** A repeated write has the result of a single one, except that a taken value is gone the second time. */
async function runResend(url: string, drop: Drop): Promise<void> {
  await using place = await openFaulty("ioredis", { url, now: () => RACE_TIME, resends: true });
  const { write: { call, after, run, again }, moment } = drop;
  const { faulty, id, look } = await prepare(place, drop);
  const isTwice = moment === "after the request" && call === "states.consume()";
  const expected = isTwice ? { result: null } : again["before the request"];
  await assertOutcome(inTime(run(faulty, id)), expected);
  assertEquals(place.proxy.drops, 1);
  assertEquals(await look(), after(id));
}

/** Creates the record that the write needs, and arms the proxy. */
async function prepare(
  { faulty: { adapter: way }, direct: { adapter }, proxy }: FaultyPlace,
  { write, moment }: Drop,
): Promise<{
  readonly faulty: AuthStores;
  readonly id: string;
  readonly look: () => Promise<unknown>;
}> {
  const { record: [collection, keyOf], before, sent, run, after } = write;
  const faulty = authStores(way);
  const look = async (id: string) => (await adapter.get(collection, keyOf(id)))?.value ?? null;

  // Warm up: prepared statements and scripts are sent once
  await before?.make(faulty, "first");
  await run(faulty, "first");
  assertEquals(await look("first"), after("first"));
  await adapter.delete(collection, keyOf("first"));

  const id = "second";
  await before?.make(faulty, id);
  assertEquals(await look(id), before?.value(id) ?? null);
  proxy.dropAt(sent(id), moment);
  return { faulty, id, look: () => look(id) };
}

async function assertOutcome(work: Promise<unknown>, expected: Outcome): Promise<void> {
  if ("result" in expected) return assertEquals(await work, expected.result);
  const { message } = await assertRejects(() => work, Error);
  assertMatch(message, expected.error);
}

function rotationOf(id: string): RefreshRotation {
  return {
    familyId: id,
    fromHash: "first",
    toHash: `next of ${id}`,
    now: RACE_TIME,
    expiresAt: RACE_TIME + 600,
  };
}
