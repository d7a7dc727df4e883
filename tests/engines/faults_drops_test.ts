/**
 * A connection that drops in the middle of a write: the caller hears that it failed, the engine has what was there before or
 * what was to be there, and the next call goes on from there.
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

/** What the caller of a write hears: a result, or that it is refused. */
type Heard = { readonly result: unknown } | { readonly error: RegExp };

/** A write, of a record that is found by an id. */
interface Write {
  readonly call: string;
  /** Its collection and key. */
  readonly record: readonly [collection: string, key: (id: string) => string];
  /** What is there before, and what puts it there. */
  readonly before?: {
    readonly value: (id: string) => unknown;
    readonly make: (stores: AuthStores, id: string) => Promise<unknown>;
  };
  /** Text that is sent with the write and with nothing before it. */
  readonly sent: (id: string) => string;
  readonly run: (stores: AuthStores, id: string) => Promise<unknown>;
  /** What is there afterwards. */
  readonly after: (id: string) => unknown;
  /** What the same call hears the next time: if it had not been made, and if it had. */
  readonly again: Readonly<Record<DropMoment, Heard>>;
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
      // Whoever heard nothing presents a secret that is not the current one any more, as a thief does
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
    call: "throttle.reserve()",
    record: ["throttle", itself],
    sent: () => '"failures":1',
    run: ({ throttle }, id) => throttle.reserve([{ key: id, rule: ONE_ATTEMPT }], RACE_TIME),
    after: () => ({ failures: 1, lockedUntil: RACE_TIME + 60, expiresAt: RACE_TIME + 60 }),
    again: {
      "before the request": { result: { allowed: true } },
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
      const title = `authStores() over ${name}: a drop ${moment} of ${write.call} is heard of`;
      engineTest(engine, title, (url) => runDrop(name, { url, write, moment }));
    }
  }
}

for (const write of WRITES) {
  for (const moment of MOMENTS) {
    const title =
      `authStores() over ioredis that sends again: ${write.call} is made once by a drop`;
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
  const heard = again[moment];
  await assertHears(inTime(run(faulty, id)), heard);
  assertEquals(proxy.drops, 1);
  const isTheft = "result" in heard && heard.result === "reused"; // then the family has ended
  if (!isTheft) assertEquals(await look(), after(id));
}

/** What is sent again is heard as if it had been sent once. Only what was taken is gone the second time. */
async function runResend(url: string, drop: Drop): Promise<void> {
  await using place = await openFaulty("ioredis", { url, now: () => RACE_TIME, resends: true });
  const { write: { call, after, run, again }, moment } = drop;
  const { faulty, id, look } = await prepare(place, drop);
  const isTwice = moment === "after the request" && call === "states.consume()";
  const heard = isTwice ? { result: null } : again["before the request"];
  await assertHears(inTime(run(faulty, id)), heard);
  assertEquals(place.proxy.drops, 1);
  assertEquals(await look(), after(id));
}

/** Makes all that comes before the write, and arms the proxy. */
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

  // What a connection, or Redis, learns once does not count: the statement, the script
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

async function assertHears(work: Promise<unknown>, heard: Heard): Promise<void> {
  if ("result" in heard) return assertEquals(await work, heard.result);
  const { message } = await assertRejects(() => work, Error);
  assertMatch(message, heard.error);
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
