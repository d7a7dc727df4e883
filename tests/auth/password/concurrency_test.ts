/** How many passwords are hashed at once, who waits, and who is sent away. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createRouter, json } from "../../../mod.ts";
import { AuthError } from "../../../auth/error.ts";
import type { HasherLimitOptions, PasswordHasher } from "../../../auth/password/hasher.ts";
import { type LimitedHasher, limitHasher } from "../../../auth/password/_concurrency.ts";

/** A hasher whose hashes end when the test says so. */
interface HeldHasher extends PasswordHasher {
  /** Passwords that are being hashed, in the order in which they began. */
  readonly running: string[];
  /** All that ever began. */
  readonly begun: string[];
  /** The most that ever ran at once. */
  readonly peak: () => number;
  /** Ends the one that runs longest, well or by an error. */
  end(error?: Error): Promise<void>;
}

function heldHasher(): HeldHasher {
  const running: string[] = [];
  const begun: string[] = [];
  const ends: { resolve: (text: string) => void; reject: (error: Error) => void }[] = [];
  let peak = 0;
  const work = (password: string) => {
    running.push(password);
    begun.push(password);
    peak = Math.max(peak, running.length);
    return new Promise<string>((resolve, reject) => ends.push({ resolve, reject }));
  };
  return {
    id: "held",
    running,
    begun,
    peak: () => peak,
    hash: work,
    verify: async (password) => await work(password) !== "",
    needsRehash: (encoded) => encoded === "old",
    async end(error) {
      const password = running.shift() ?? "";
      const { resolve, reject } = ends.shift() ?? {};
      if (error === undefined) resolve?.(`hash of ${password}`);
      else reject?.(error);
      await settle();
    },
  };
}

/** Lets everything run that waits for nothing but a turn. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Is let in, and hashes once. */
function hash(limited: LimitedHasher, password: string): Promise<string> {
  return limited.admit((hasher) => hasher.hash(password));
}

/** Is let in, and verifies once. */
function verify(limited: LimitedHasher, password: string): Promise<boolean> {
  return limited.admit((hasher) => hasher.verify(password, "x"));
}

/** Checks that somebody is sent away as a client of ours is. */
function assertBusy(error: unknown): void {
  assert(error instanceof AuthError);
  assertEquals([error.code, error.status], ["service_unavailable", 503]);
  assertEquals(error.headers, { "Retry-After": "5" });
}

/** [running, waiting, those who come at once] The last column over the first two is who is sent away. */
const LIMITS: readonly [
  why: string,
  options: HasherLimitOptions,
  running: number,
  waiting: number,
][] = [
  ["the default", {}, 4, 64],
  ["one alone", { running: 1, waiting: 0 }, 1, 0],
  ["one, and one who waits", { running: 1, waiting: 1 }, 1, 1],
  ["no waiting", { waiting: 0 }, 4, 0],
  ["two, and the default of those who wait", { running: 2 }, 2, 64],
  [
    "undefined, which is the default",
    { running: undefined as never, waiting: undefined as never },
    4,
    64,
  ],
];

for (const [why, options, running, waiting] of LIMITS) {
  Deno.test(`limitHasher() lets ${running} run and ${waiting} wait, and sends the others away: ${why}`, async () => {
    const held = heldHasher();
    const limited = limitHasher(held, options);
    const all = Array.from({ length: 500 }, (_, i) => hash(limited, `p${i}`));
    const outcomes = Promise.allSettled(all);
    await settle();
    assertEquals(held.running.length, running);
    for (let i = 0; i < running + waiting; i++) {
      assertEquals(held.running.length, Math.min(running, running + waiting - i));
      await held.end();
    }
    const settled = await outcomes;
    for (const [i, outcome] of settled.entries()) {
      if (i < running + waiting) {
        assertEquals(outcome, { status: "fulfilled", value: `hash of p${i}` });
      } else assertBusy(outcome.status === "rejected" && outcome.reason);
    }
    assertEquals(held.peak(), running);
    assertEquals(held.begun, Array.from({ length: running + waiting }, (_, i) => `p${i}`));
  });
}

Deno.test("limitHasher() sends away at once, and does not begin a hash for it", async () => {
  const held = heldHasher();
  const limited = limitHasher(held, { running: 1, waiting: 0 });
  const first = hash(limited, "a");
  assertBusy(await assertRejects(() => hash(limited, "b")));
  assertBusy(await assertRejects(() => verify(limited, "c")));
  assertEquals(held.begun, ["a"]);
  await held.end();
  assertEquals(await first, "hash of a");
});

Deno.test("limitHasher() serves hash() and verify() from one line, first come first served", async () => {
  const held = heldHasher();
  const limited = limitHasher(held, { running: 1 });
  const all = [
    hash(limited, "a"),
    verify(limited, "b"),
    hash(limited, "c"),
    verify(limited, "d"),
  ];
  for (const expected of ["a", "b", "c", "d"]) {
    await settle();
    assertEquals(held.running, [expected]);
    await held.end();
  }
  assertEquals(await Promise.all(all), ["hash of a", true, "hash of c", true]);
});

Deno.test("limitHasher() lets nobody pass those who wait", async () => {
  const held = heldHasher();
  const limited = limitHasher(held, { running: 1, waiting: 1 });
  const first = hash(limited, "a");
  const second = hash(limited, "b");
  const atTheEnd = first.then(() => hash(limited, "late")); // comes in the very turn in which the place is free
  await settle();
  await settle();
  await held.end();
  assertEquals(held.running, ["b"]);
  await held.end();
  assertEquals(held.running, ["late"]);
  await held.end();
  await Promise.all([second, atTheEnd]);
  assertEquals(held.peak(), 1);
});

/** Ways in which a hash fails. */
const FAILING: readonly [why: string, fail: () => Promise<never>][] = [
  ["rejects", () => Promise.reject(new Error("no memory"))],
  ["throws at once", () => {
    throw new Error("no memory");
  }],
];

for (const [why, fail] of FAILING) {
  Deno.test(`limitHasher() frees the place of a hash that ${why}`, async () => {
    const failing: PasswordHasher = { id: "x", hash: fail, verify: fail, needsRehash: () => false };
    const limited = limitHasher(failing, { running: 2, waiting: 1 });
    for (let i = 0; i < 20; i++) {
      await assertRejects(() => hash(limited, "a"), Error, "no memory");
      await assertRejects(() => verify(limited, "a"), Error, "no memory");
    }
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => hash(limited, "a")));
    assertEquals(
      outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.message),
      ["no memory", "no memory", "no memory"],
    );
  });
}

Deno.test("limitHasher() hands the place of a hash that fails to the next in line", async () => {
  const held = heldHasher();
  const limited = limitHasher(held, { running: 1 });
  const first = assertRejects(() => hash(limited, "a"), Error, "no memory");
  const second = hash(limited, "b");
  await settle();
  await held.end(new Error("no memory"));
  await first;
  assertEquals(held.running, ["b"]);
  await held.end();
  assertEquals(await second, "hash of b");
});

Deno.test("limitHasher() counts right after any order of ends, failures and arrivals", async () => {
  const held = heldHasher();
  const limited = limitHasher(held, { running: 3, waiting: 5 });
  const all: Promise<unknown>[] = [];
  for (let i = 0; i < 200; i++) {
    all.push(hash(limited, `p${i}`).catch((error) => error));
    if (i % 7 > 3) await held.end(i % 3 === 0 ? new Error("no memory") : undefined);
    assert(held.running.length <= 3);
  }
  while (held.running.length > 0) await held.end();
  await Promise.all(all);
  assertEquals(held.peak(), 3);
  const again = Array.from({ length: 8 }, () => hash(limited, "again")); // all eight places are free
  await settle();
  while (held.running.length > 0) await held.end();
  assertEquals((await Promise.all(again)).length, 8);
});

Deno.test("admit() takes a place before the work begins, and keeps it to the end, hash or no hash", async () => {
  const held = heldHasher();
  const limited = limitHasher(held, { running: 1, waiting: 1 });
  const steps: string[] = [];
  let leave = () => {};
  const idle = limited.admit(() => {
    steps.push("in");
    return new Promise<void>((resolve) => leave = resolve);
  });
  assertEquals(steps, ["in"]); // at once
  const first = hash(limited, "a");
  assertBusy(
    await assertRejects(() =>
      limited.admit(() => {
        steps.push("never");
        return Promise.resolve();
      })
    ),
  );
  assertEquals(steps, ["in"]);
  leave();
  await idle;
  const second = hash(limited, "b");
  assertBusy(await assertRejects(() => hash(limited, "c")));
  while (held.running.length > 0) await held.end();
  assertEquals(await Promise.all([first, second]), ["hash of a", "hash of b"]);
  assertEquals(held.begun, ["a", "b"]);
});

Deno.test("admit() frees the place of work that rejects or throws without a hash", async () => {
  const limited = limitHasher(heldHasher(), { running: 1, waiting: 0 });
  for (const [, fail] of FAILING) {
    for (let i = 0; i < 5; i++) await assertRejects(() => limited.admit(fail), Error, "no memory");
  }
  assertEquals(await limited.admit(() => Promise.resolve(7)), 7);
});

/** A service of two places, one for a hash that runs, and a clock that is set by hand. */
function clocked() {
  const held = heldHasher();
  let time = 1_700_000_000;
  const limited = limitHasher(held, { running: 1, waiting: 1, now: () => time });
  return { held, limited, pass: (seconds: number) => void (time += seconds) };
}

/** Work that a store never answers. */
function hang(limited: LimitedHasher): void {
  void limited.admit(() => new Promise(() => {}));
}

Deno.test("admit() holds a place for 60 seconds at most, so that a store that hangs keeps nobody out for ever", async () => {
  const { held, limited, pass } = clocked();
  for (let i = 0; i < 2; i++) hang(limited);
  for (const seconds of [0, 59]) {
    pass(seconds);
    assertBusy(await assertRejects(() => hash(limited, "early")));
  }
  pass(1);
  const late = hash(limited, "late");
  await settle();
  assertEquals(held.begun, ["late"]);
  await held.end();
  assertEquals(await late, "hash of late");
});

Deno.test("admit() counts the 60 seconds of each place from when it was taken", async () => {
  const { limited, pass } = clocked();
  hang(limited);
  pass(30);
  hang(limited);
  pass(30);
  assertEquals(await limited.admit(() => Promise.resolve("the first place")), "the first place");
  hang(limited);
  assertBusy(await assertRejects(() => limited.admit(() => Promise.resolve())));
  pass(30);
  assertEquals(await limited.admit(() => Promise.resolve("the second")), "the second");
});

Deno.test("admit() gives a place back once: who ends late takes nobody else's", async () => {
  const { limited, pass } = clocked();
  const leave: (() => void)[] = [];
  const slow = [0, 1].map(() => limited.admit(() => new Promise<void>((end) => leave.push(end))));
  pass(60);
  for (let i = 0; i < 2; i++) hang(limited); // in the places of the slow ones
  for (const end of leave) end();
  await Promise.all(slow);
  assertBusy(await assertRejects(() => limited.admit(() => Promise.resolve())));
});

Deno.test("admit() gives the turn of a hash that never ends to the next in line, after 60 seconds", async () => {
  let time = 1_700_000_000;
  const held = heldHasher();
  const limited = limitHasher(held, { running: 1, waiting: 9, now: () => time });
  const hung = hash(limited, "hung");
  await settle();
  time += 59;
  const second = hash(limited, "second");
  await settle();
  assertEquals(held.running, ["hung"]);
  time += 1;
  const third = hash(limited, "third"); // whoever comes looks at who may go
  await settle();
  assertEquals(held.running, ["hung", "second"]);
  await held.end(); // the one that hung, which has no turn to hand on
  assertEquals([await hung, held.running], ["hash of hung", ["second"]]);
  await held.end();
  assertEquals(held.running, ["third"]);
  await held.end();
  assertEquals(await Promise.all([second, third]), ["hash of second", "hash of third"]);
});

Deno.test("admit() lets work hash as often as it has to, one turn for each hash", async () => {
  const held = heldHasher();
  const limited = limitHasher(held, { running: 1, waiting: 1 });
  const twice = limited.admit(async (hasher) => [await hasher.hash("a"), await hasher.hash("b")]);
  const once = hash(limited, "c");
  for (const expected of ["a", "c", "b"]) {
    await settle();
    assertEquals(held.running, [expected]);
    await held.end();
  }
  assertEquals(await twice, ["hash of a", "hash of b"]);
  assertEquals(await once, "hash of c");
  const both = limited.admit((hasher) => Promise.all([hasher.hash("d"), hasher.hash("e")]));
  await settle();
  assertEquals(held.running, ["d"]);
  while (held.running.length > 0) await held.end();
  await both;
  assertEquals(held.peak(), 1);
});

Deno.test("admit() gives the hasher's id, its results and its needsRehash(), which waits for nobody", async () => {
  const held = heldHasher();
  const limited = limitHasher(held, { running: 1, waiting: 1 });
  const first = hash(limited, "a");
  await limited.admit((hasher) => {
    assertEquals([hasher.needsRehash("old"), hasher.needsRehash("new")], [true, false]);
    assertEquals(hasher.id, "held");
    assert(Object.isFrozen(hasher));
    return Promise.resolve();
  });
  await held.end();
  await first;
  assert(Object.isFrozen(limited));
});

Deno.test("admit() hands on password and hash as they are", async () => {
  const calls: unknown[][] = [];
  const limited = limitHasher({
    id: "x",
    hash: (...args) => Promise.resolve(String(calls.push(args))),
    verify: (...args) => Promise.resolve(calls.push(args) < 0),
    needsRehash: () => false,
  });
  assertEquals(await hash(limited, "p\u0000"), "1");
  assertEquals(await limited.admit((hasher) => hasher.verify("p", "$x$")), false);
  assertEquals(calls, [["p\u0000"], ["p", "$x$"]]);
});

Deno.test("limitHasher() beyond its limits is a 503 with Retry-After and no reason to a client", async () => {
  const held = heldHasher();
  const limited = limitHasher(held, { running: 1, waiting: 0 });
  const router = createRouter().get("/", async () => json({ hash: await hash(limited, "a") }));
  const first = router.request("/");
  await settle();
  const response = await router.request("/");
  assertEquals(response.status, 503);
  assertEquals(response.headers.get("Retry-After"), "5");
  const body = await response.json();
  assertEquals(body.code, "service_unavailable");
  assertEquals(JSON.stringify(body).includes("hashed"), false);
  await held.end();
  await (await first).body?.cancel();
});

for (const limit of [-1, 0.5, NaN, Infinity, "4", null, true, 4n]) {
  Deno.test(`limitHasher() refuses ${String(limit)} (${typeof limit}) as a limit`, () => {
    for (const options of [{ running: limit }, { waiting: limit }]) {
      assertThrows(
        () => limitHasher(heldHasher(), options as HasherLimitOptions),
        RangeError,
        "Cannot limit hasher",
      );
    }
  });
}

Deno.test("limitHasher() refuses to let none run", () => {
  assertThrows(() => limitHasher(heldHasher(), { running: 0 }), RangeError);
});
