/** Many at once, processes that end in between, and stores that fail. */

import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type { RefreshFailure, RotatedRefreshToken } from "../../../auth/tokens/refresh_types.ts";
import type { RefreshTokenStore } from "../../../auth/stores/types.ts";
import { begun, failure, familyOf, type RefreshOptions, withStore } from "./_refresh.ts";
import { repeat, types } from "../_services.ts";

Deno.test("rotate() lets one of 50 have the next token, which the others revoke", async () => {
  const services = await begun();
  const { refresh, issued, events } = services;
  const attempts = repeat(50, () => refresh.rotate(issued.refreshToken));
  const settled = await Promise.allSettled(attempts);
  const won = settled.flatMap((each): RotatedRefreshToken[] =>
    each.status === "fulfilled" ? [each.value] : []
  );
  assertEquals(won.length, 1);
  const lost = settled.filter(({ status }) => status === "rejected");
  assertEquals(lost.length, 49);
  for (const each of lost) {
    await failure(() => Promise.reject((each as PromiseRejectedResult).reason));
  }
  assertEquals((await familyOf(services, issued)).revoked, true);
  const newest = won[0]?.refreshToken ?? "";
  assertEquals(await failure(() => refresh.rotate(newest)), "revoked");
  assertEquals(types(events).sort(), ["refresh.reuse_detected", "refresh.rotated"]);
});

Deno.test("rotate() beside revoke() leaves nothing that is valid", async () => {
  for (const at of [0, 1, 5, 9]) {
    const { refresh, issued } = await begun();
    const works = repeat(
      10,
      (i) => i === at ? refresh.revoke(issued.refreshToken) : refresh.rotate(issued.refreshToken),
    );
    const settled = await Promise.allSettled(works);
    for (const each of settled) {
      const { refreshToken = "" } = each.status === "fulfilled" ? each.value ?? {} : {};
      if (refreshToken !== "") await failure(() => refresh.rotate(refreshToken));
    }
    assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "revoked");
  }
});

const KILLED: readonly [
  when: string,
  rotate: (store: RefreshTokenStore) => RefreshTokenStore["rotate"],
  expected: { readonly generation: number; readonly old: RefreshFailure | "valid" },
][] = [
  ["before", () => killed, { generation: 0, old: "valid" }],
  ["after", (store) => async (rotation) => {
    await store.rotate(rotation);
    return await killed();
  }, { generation: 1, old: "reused" }],
];
for (const [when, rotate, { generation, old }] of KILLED) {
  Deno.test(`rotate() that was killed ${when} the step of the store leaves the ${old === "valid" ? "old" : "next"} token valid, and no other`, async () => {
    let isKilled = true;
    const services = await begun(withStore((store) => ({
      rotate: (rotation) => (isKilled ? rotate(store) : store.rotate)(rotation),
    })));
    const { refresh, issued, events } = services;
    const before = await familyOf(services, issued);
    await assertRejects(() => refresh.rotate(issued.refreshToken), Error, "killed");
    assertEquals(events, []);
    const family = await familyOf(services, issued);
    assertEquals([family.generation, family.revoked], [generation, false]);
    assertEquals(family.currentHash === before.currentHash, old === "valid");
    isKilled = false;
    if (old === "valid") {
      const next = await refresh.rotate(issued.refreshToken);
      assertNotEquals(next.refreshToken, issued.refreshToken);
      assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "reused");
    } else {
      assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), old);
    }
    assertEquals((await familyOf(services, issued)).revoked, true);
  });
}

Deno.test("rotate() whose answer is lost leaves the next token valid until the old one is presented", async () => {
  const { refresh, issued } = await begun();
  const lost = await refresh.rotate(issued.refreshToken);
  const next = await refresh.rotate(lost.refreshToken);
  assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "reused");
  assertEquals(await failure(() => refresh.rotate(next.refreshToken)), "revoked");
});

const DOWN: readonly [what: string, options: RefreshOptions][] = [
  ["find() rejects", withStore(() => ({ find: () => Promise.reject(outOfOrder()) }))],
  ["find() throws", withStore(() => ({ find: throwing }))],
  ["rotate() rejects", withStore(() => ({ rotate: () => Promise.reject(outOfOrder()) }))],
  ["rotate() throws", withStore(() => ({ rotate: throwing }))],
  ["users reject", {
    wrap: ({ users }) => ({ users: { ...users, findBySub: () => Promise.reject(outOfOrder()) } }),
  }],
  ["users throw", { wrap: ({ users }) => ({ users: { ...users, findBySub: throwing } }) }],
];
for (const [what, options] of DOWN) {
  Deno.test(`rotate() rejects, and is no refusal, where the store's ${what}`, async () => {
    const { refresh, issued, events } = await begun(options);
    await assertRejects(() => refresh.rotate(issued.refreshToken), Error, "out of order");
    assertEquals(events, []);
  });
}

const ANSWERS: readonly unknown[] = [undefined, null, true, false, "", "ok", "ROTATED", 1, {}, [
  "rotated",
]];
for (const answer of ANSWERS) {
  Deno.test(`rotate() is no pass where the store answers ${JSON.stringify(answer)}`, async () => {
    const rotate = () => Promise.resolve(answer as "rotated");
    const { refresh, issued, events } = await begun(withStore(() => ({ rotate })));
    const attempt = () => refresh.rotate(issued.refreshToken);
    await assertRejects(attempt, TypeError, "Cannot rotate refresh token: the store");
    assertEquals(events, []);
  });
}

for (const outcome of ["reused", "expired", "revoked", "not_found"] as const) {
  Deno.test(`rotate() takes the store's word that a token is ${outcome}`, async () => {
    const rotate = () => Promise.resolve(outcome);
    const { refresh, issued, events } = await begun(withStore(() => ({ rotate })));
    assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), outcome);
    assertEquals(types(events), outcome === "reused" ? ["refresh.reuse_detected"] : []);
  });
}

Deno.test("revoke() rejects where the store does", async () => {
  const { refresh, issued } = await begun(withStore(() => ({
    revoke: () => Promise.reject(outOfOrder()),
  })));
  await assertRejects(() => refresh.revoke(issued.refreshToken), Error, "out of order");
});

function killed(): Promise<never> {
  return Promise.reject(new Error("The process was killed"));
}

function outOfOrder(): Error {
  return new Error("The store is out of order");
}

function throwing(): never {
  throw outOfOrder();
}
