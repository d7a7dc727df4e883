import { assertEquals } from "@std/assert";
import {
  findSigner,
  isPublished,
  planRing,
  replaceKeys,
  type RingKey,
  ringRules,
} from "../../../auth/keys/_rotation.ts";

const RULES = ringRules({
  algorithms: ["ES256"],
  rotateAfter: 10_000,
  cacheAge: 300,
  maxTokenAge: 700,
});
const LEAD = 720; // 2 × (300 + 60)
const KEEP = 850; // 60 + 700 + 30 + 60
const T = 1_000_000;

/** A key that was made to sign at once. */
function first(kid: string, ...[activeAt = T, retiredAt]: readonly number[]): RingKey {
  return { kid, alg: "ES256", createdAt: activeAt, activeAt, ...end(retiredAt) };
}

/** A key that was published before it signs. */
function later(kid: string, activeAt: number, retiredAt?: number): RingKey {
  return { ...first(kid, activeAt), createdAt: activeAt - LEAD, ...end(retiredAt) };
}

function end(retiredAt: number | undefined): { retiredAt?: number } {
  return retiredAt === undefined ? {} : { retiredAt };
}

Deno.test("ringRules() follow from the numbers of a service", () => {
  assertEquals([RULES.prepublishSeconds, RULES.retentionSeconds], [LEAD, KEEP]);
  const defaults = { algorithms: [], rotateAfter: 7_776_000, cacheAge: 600, maxTokenAge: 3_600 };
  const { prepublishSeconds: lead, retentionSeconds: keepFor } = ringRules(defaults);
  assertEquals([lead, keepFor], [1_320, 3_750]);
});

const SIGNERS: readonly [why: string, keys: RingKey[], at: number, kid: string | undefined][] = [
  ["there is none", [], T, undefined],
  ["it signs from its first second on", [first("a")], T, "a"],
  ["it signs until its last second", [first("a", T, T + 9), later("b", T + 9)], T + 8, "a"],
  ["the next one signs from that second on", [first("a", T, T + 9), later("b", T + 9)], T + 9, "b"],
  ["the order in the ring does not count", [later("b", T + 9), first("a", T, T + 9)], T + 9, "b"],
  ["the newest signs where two could", [first("b", T + 1), first("a", T)], T + 1, "b"],
  ["the last in the ring signs where two are as new", [first("a"), first("b")], T, "b"],
  ["one that has retired does not", [first("a", T, T + 9)], T + 9, undefined],
  ["one of another algorithm does not", [{ ...first("a"), alg: "ES384" }], T, undefined],
  ["one that is published first does not sign early", [later("a", T + 1)], T, undefined],
  [
    "one that was generated to sign at once does, if the clock is behind",
    [first("a", T + 99)],
    T,
    "a",
  ],
  ["the first of two that were generated so", [first("b", T + 9), first("a", T + 5)], T, "a"],
  ["one that signs goes before one by a clock ahead", [first("a"), first("b", T + 5)], T, "a"],
  ["one that was taken back in its first second", [first("a", T, T)], T, undefined],
  [
    "one that was taken back is no better by a clock behind",
    [first("a", T + 9, T + 9)],
    T,
    undefined,
  ],
  ["one that was taken back never signs", [later("a", T + 9, T)], T + 9, undefined],
];
for (const [why, keys, at, kid] of SIGNERS) {
  Deno.test(`findSigner() finds ${kid ?? "nothing"}: ${why}`, () => {
    assertEquals(findSigner(keys, "ES256", at)?.kid, kid);
  });
}

const KEPT: readonly [why: string, key: RingKey, at: number, kept: boolean][] = [
  ["has no end", first("a"), T + 1e9, true],
  ["is pending", later("a", T + 9), T, true],
  ["has just retired", first("a", T, T + 9), T + 9, true],
  ["may have signed what is still valid", first("a", T, T + 9), T + 9 + KEEP - 1, true],
  ["has signed nothing that is", first("a", T, T + 9), T + 9 + KEEP, false],
  ["was taken back", later("a", T + 9, T), T + KEEP, false],
];
for (const [why, key, at, kept] of KEPT) {
  Deno.test(`isPublished() is ${kept} for a key that ${why}`, () => {
    assertEquals(isPublished(key, at, RULES), kept);
  });
}

/** A plan in short: keys that stay with their end, keys to be made with their beginning and end. */
type Short = readonly (readonly [kid: string, ...times: (number | undefined)[]])[] | undefined;

const PLANS: readonly [why: string, keys: RingKey[], at: number, plan: Short][] = [
  ["an empty ring gets a key that signs at once", [], T, [["new", T, undefined]]],
  ["a key that signs is enough", [first("a")], T, undefined],
  ["it is enough until its end is near", [first("a")], T + 10_000 - LEAD - 1, undefined],
  ["the next one is made in time, and ends it", [first("a")], T + 10_000 - LEAD, [
    ["a", T + 10_000],
    ["new", T + 10_000, undefined],
  ]],
  ["one that is long overdue signs on until the next one may", [first("a")], T + 50_000, [
    ["a", T + 50_000 + LEAD],
    ["new", T + 50_000 + LEAD, undefined],
  ]],
  [
    "nothing is made twice",
    [first("a", T, T + 10_000), later("b", T + 10_000)],
    T + 9_999,
    undefined,
  ],
  [
    "the next one is enough",
    [first("a", T, T + 10_000), later("b", T + 10_000)],
    T + 10_000,
    undefined,
  ],
  [
    "a key that is to go causes no write",
    [first("a", T, T + 9), later("b", T + 9)],
    T + 9 + KEEP,
    undefined,
  ],
  ["it goes with the next one", [first("a", T, T + 9), later("b", T + 9)], T + 9 + 10_000 - LEAD, [
    ["b", T + 9 + 10_000],
    ["new", T + 9 + 10_000, undefined],
  ]],
  [
    "a key that stays is not touched",
    [
      first("a", T, T + 9),
      { ...first("b", T + 9), alg: "ES384", retiredAt: T + 50 },
    ],
    T + 9,
    [["a", T + 9], ["b", T + 50], ["new", T + 9, undefined]],
  ],
  ["where the ring has no key that signs yet, one does until then", [later("b", T + 9)], T, [
    ["b", undefined],
    ["new", T, T + 9],
  ]],
  ["a clock that is behind needs no key of its own", [first("a", T + 99)], T, undefined],
  ["one that another has overtaken ends", [first("a"), first("b", T + 9)], T + 10, [
    ["a", T + 10 + LEAD],
    ["b", undefined],
  ]],
  [
    "a next one that is years away was made by a clock ahead",
    [
      first("a", T, T + 1e9),
      later("b", T + 1e9),
    ],
    T + 10_000 - LEAD,
    [
      ["a", T + 10_000],
      ["b", undefined],
      ["new", T + 10_000, undefined],
    ],
  ],
  [
    "a next one of a clock five minutes ahead is waited for",
    [
      first("a", T, T + 10_300),
      later("b", T + 10_300),
    ],
    T + 10_000 - LEAD,
    undefined,
  ],
  [
    "an algorithm that is left out ends, after those who do not know it have made the next",
    [
      first("a"),
      { ...first("b"), alg: "ES384" },
    ],
    T + 9,
    [["a", undefined], ["b", T + 9 + LEAD]],
  ],
  [
    "a pending key of it ends after its beginning",
    [
      first("a"),
      { ...later("b", T + 50), alg: "ES384" },
    ],
    T + 50,
    [["a", undefined], ["b", T + 50 + LEAD]],
  ],
  ["one that comes back signs on until the next one may", [first("a", T, T + 100)], T + 9, [
    ["a", T + 9 + LEAD],
    ["new", T + 9 + LEAD, undefined],
  ]],
  ["one that comes back too late begins at once", [first("a", T, T + 100)], T + 100, [
    ["a", T + 100],
    ["new", T + 100, undefined],
  ]],
  ["one whose end is not near is left alone", [first("a", T, T + 9 + LEAD + 1)], T + 9, undefined],
  [
    "a key that was taken back is no next one",
    [first("a"), later("b", T + 10_000, T + 9_000)],
    T + 10_000 - LEAD,
    [["a", T + 10_000], ["b", T + 9_000], ["new", T + 10_000, undefined]],
  ],
  [
    "one that was made to sign at once by a clock ahead is waited for",
    [first("a", T, T + 50), first("b", T + 50)],
    T + 9,
    undefined,
  ],
];
for (const [why, keys, at, plan] of PLANS) {
  Deno.test(`planRing(): ${why}`, () => {
    const planned = planRing(keys, at, RULES);
    const short = planned && [
      ...planned.keys.map(({ kid, retiredAt }) => [kid, retiredAt]),
      ...planned.missing.map(({ activeAt, retiredAt }) => ["new", activeAt, retiredAt]),
    ];
    assertEquals(short, plan?.map((row) => [...row]));
    for (const { alg, createdAt } of planned?.missing ?? []) {
      assertEquals([alg, createdAt], ["ES256", at]);
    }
  });
}

const URGENT: readonly [why: string, keys: RingKey[], at: number, isUrgent: boolean][] = [
  ["no key signs", [], T, true],
  ["one signs, and the next one is due", [first("a")], T + 10_000, false],
  ["one signs, and another lacks its end", [first("a"), first("b", T + 9)], T + 10, false],
];
for (const [why, keys, at, isUrgent] of URGENT) {
  Deno.test(`planRing() is ${isUrgent ? "" : "not "}urgent where ${why}`, () => {
    assertEquals(planRing(keys, at, RULES)?.isUrgent, isUrgent);
  });
}

Deno.test("planRing() plans each algorithm separately", () => {
  const rules = { ...RULES, algorithms: ["ES256", "EdDSA", "PS256"] as const };
  const keys = [first("a"), { ...first("b", T + 5_000), alg: "PS256" }];
  const planned = planRing(keys, T + 10_000 - LEAD, rules);
  assertEquals(planned?.missing.map(({ alg, activeAt }) => [alg, activeAt]), [
    ["ES256", T + 10_000],
    ["EdDSA", T + 10_000 - LEAD],
  ]);
  assertEquals(planned?.keys.map(({ retiredAt }) => retiredAt), [T + 10_000, undefined]);
});

Deno.test("planRing() of its own result changes nothing until the next key is due", () => {
  let keys: RingKey[] = [];
  const changes: number[] = [];
  for (let at = T; at < T + 50_000; at += 10) {
    const planned = planRing(keys, at, RULES);
    if (planned === undefined) continue;
    changes.push(at - T);
    keys = [...planned.keys, ...planned.missing.map((key, i) => ({ ...key, kid: `${at} ${i}` }))];
    assertEquals(planRing(keys, at, RULES), undefined);
  }
  assertEquals(changes, [0, 9_280, 19_280, 29_280, 39_280, 49_280]);
  assertEquals(keys.length, 2, "what has gone is gone");
});

Deno.test("replaceKeys() retires all others at once, and those that have retired stay so", () => {
  const keys = [
    first("gone", T - 10_000, T - KEEP),
    first("old", T - 5_000, T - 1),
    first("signs", T - 1, T + 100),
    later("next", T + 100),
    { ...first("other"), alg: "ES384" },
  ];
  const { keys: kept, missing, isUrgent } = replaceKeys(keys, T, { rules: RULES, revoke: false });
  assertEquals(kept.map(({ kid, retiredAt }) => [kid, retiredAt]), [
    ["old", T - 1],
    ["signs", T],
    ["next", T],
    ["other", T],
  ]);
  assertEquals(missing, [{ alg: "ES256", createdAt: T, activeAt: T }]);
  assertEquals(isUrgent, true);
});

Deno.test("replaceKeys() that revokes leaves none", () => {
  const keys = [first("signs"), { ...first("other"), alg: "ES384" }];
  const { keys: kept, missing } = replaceKeys(keys, T, { rules: RULES, revoke: true });
  assertEquals(kept, []);
  assertEquals(missing, [{ alg: "ES256", createdAt: T, activeAt: T }]);
});
