/** How long keys of another server are kept, and how often it is asked. */

import { assert, assertEquals, assertNotStrictEquals, assertStrictEquals } from "@std/assert";
import type { RemoteJwksOptions } from "../../../auth/jwt/remote_jwks.ts";
import { publish, type Publisher, setOf, signer, START, unavailable } from "./_remote_jwks.ts";

const { publicJwk, kid } = await signer();
const other = await signer("Ed25519");

/** [seconds after the first fetch, fetches by then] */
const FRESH: readonly (readonly [
  why: string,
  options: RemoteJwksOptions,
  headers: Record<string, string>,
  freshFor: number,
])[] = [
  ["the default", {}, {}, 600],
  ["the option", { cacheAge: 60 }, {}, 60],
  ["a smaller max-age", {}, { "Cache-Control": "max-age=100" }, 100],
  ["a larger max-age", {}, { "Cache-Control": "max-age=86400" }, 600],
  ["max-age less Age", {}, { "Cache-Control": "max-age=300", Age: "250" }, 50],
  ["a max-age below the cooldown", {}, { "Cache-Control": "max-age=1" }, 30],
  ["no-store", {}, { "Cache-Control": "no-store" }, 30],
  ["a cacheAge below the cooldown", { cacheAge: 10, cooldown: 40 }, {}, 40],
];
for (const [why, options, headers, freshFor] of FRESH) {
  Deno.test(`remoteJwks() fetches again after ${freshFor} s: ${why}`, async () => {
    const publisher = publish([], options);
    publisher.answer = () => setOf([publicJwk], headers);
    for (const [after, fetches] of [[0, 1], [freshFor - 1, 1], [freshFor, 2]] as const) {
      publisher.now = START + after;
      assertEquals((await publisher.find(kid)).length, 1);
      assertEquals(publisher.fetches, fetches);
    }
  });
}

const STALE: readonly (readonly [options: RemoteJwksOptions, usableFor: number])[] = [
  [{}, 600 + 3_600],
  [{ staleAge: 100 }, 700],
  [{ staleAge: 0 }, 600],
];
for (const [options, usableFor] of STALE) {
  Deno.test(`remoteJwks() uses keys for ${usableFor} s while none can be fetched, and fails closed then`, async () => {
    const publisher = publish([publicJwk], options);
    const { answer } = publisher;
    await publisher.find(kid);
    publisher.answer = unavailable;
    publisher.now = START + usableFor - 1;
    assertEquals((await publisher.find(kid)).length, 1);
    publisher.now = START + usableFor;
    assertEquals((await publisher.refusal(kid)).code, "service_unavailable");
    assertEquals((await publisher.refusal()).code, "service_unavailable");
    publisher.now += 30;
    publisher.answer = answer;
    assertEquals((await publisher.find(kid)).length, 1);
  });
}

Deno.test("remoteJwks() keeps the keys of before when the next answer is no set", async () => {
  const publisher = publish([publicJwk]);
  await publisher.find(kid);
  publisher.answer = () => Response.json({ keys: "none" });
  publisher.now += 600;
  assertEquals((await publisher.find(kid)).length, 1);
  assertEquals(publisher.fetches, 2);
});

Deno.test("remoteJwks() forgets a key that is no longer published", async () => {
  const publisher = publish([publicJwk]);
  await publisher.find(kid);
  publisher.answer = () => setOf([]);
  publisher.now += 600;
  assertEquals(await publisher.find(kid), []);
});

Deno.test("remoteJwks() tries again only after the cooldown of a failure, and says what failed", async () => {
  const publisher = publish([publicJwk]);
  const { answer } = publisher;
  publisher.answer = unavailable;
  const first = await publisher.refusal(kid);
  publisher.answer = answer;
  publisher.now += 29;
  const second = await publisher.refusal(kid);
  assert(first.cause instanceof Error);
  assertStrictEquals(second.cause, first.cause);
  assertEquals(publisher.fetches, 1);
  publisher.now += 1;
  assertEquals((await publisher.find(kid)).length, 1);
  assertEquals(publisher.fetches, 2);
});

Deno.test("remoteJwks() counts the cooldown from the end of a fetch that failed", async () => {
  const publisher = publish([publicJwk]);
  publisher.answer = () => {
    publisher.now += 5;
    return unavailable();
  };
  await publisher.refusal(kid);
  publisher.now = START + 34;
  await publisher.refusal(kid);
  assertEquals(publisher.fetches, 1);
  publisher.now = START + 35;
  await publisher.refusal(kid);
  assertEquals(publisher.fetches, 2);
});

Deno.test("remoteJwks() fetches for an unknown kid once per cooldown", async () => {
  const publisher = publish([publicJwk]);
  await publisher.find(kid);
  const ask = () => Promise.all(Array.from({ length: 100 }, (_, i) => publisher.find(`k${i}`)));
  for (const [after, fetches] of [[0, 1], [29, 1], [30, 2], [59, 2], [60, 3]] as const) {
    publisher.now = START + after;
    assertEquals((await ask()).flat(), []);
    assertEquals(publisher.fetches, fetches);
  }
});

Deno.test("remoteJwks() finds a new key as soon as a token names it, after the cooldown", async () => {
  const publisher = publish([publicJwk]);
  await publisher.find(kid);
  publisher.answer = () => setOf([publicJwk, other.publicJwk]);
  publisher.now += 29;
  assertEquals(await publisher.find(other.kid), []);
  publisher.now += 1;
  assertEquals((await publisher.find(other.kid)).length, 1);
});

Deno.test("remoteJwks() fetches once for all who come at once", async () => {
  const publisher = publish([publicJwk]);
  const { promise, resolve } = Promise.withResolvers<Response>();
  publisher.answer = () => promise;
  const found = Promise.all(Array.from({ length: 500 }, () => publisher.find(kid)));
  await new Promise((next) => setTimeout(next, 0));
  resolve(setOf([publicJwk]));
  const lists = await found;
  assertEquals([lists.length, publisher.fetches], [500, 1]);
  assert(lists.every(([key]) => key === lists[0]?.[0]));
});

Deno.test("remoteJwks() fails once for all who come at once", async () => {
  const publisher = publish([publicJwk]);
  publisher.answer = unavailable;
  const refusals = await Promise.all(Array.from({ length: 50 }, () => publisher.refusal(kid)));
  assertEquals(new Set(refusals.map(({ reason }) => reason)), new Set(["jwks_unavailable"]));
  assertEquals(publisher.fetches, 1);
});

Deno.test("remoteJwks() lets those with an unknown kid wait for a fetch that is under way", async () => {
  const publisher = publish([publicJwk]);
  await publisher.find(kid);
  publisher.now += 600;
  const { promise, resolve } = Promise.withResolvers<Response>();
  publisher.answer = () => promise;
  const found = [publisher.find(kid), publisher.find(other.kid)];
  resolve(setOf([publicJwk, other.publicJwk]));
  assertEquals((await Promise.all(found)).map(({ length }) => length), [1, 1]);
  assertEquals(publisher.fetches, 2);
});

Deno.test("remoteJwks() gives the same objects as long as a key stays", async () => {
  const publisher = publish([publicJwk]);
  const [first] = await publisher.find(kid);
  const [second] = await publisher.find(kid);
  assertStrictEquals(second, first);
  assert(Object.isFrozen(first));
  publisher.answer = () => setOf([other.publicJwk, { ...publicJwk }]);
  publisher.now += 600;
  const [third] = await publisher.find(kid);
  assertStrictEquals(third, first);
  publisher.answer = () => setOf([{ ...other.publicJwk, kid }]);
  publisher.now += 600;
  const [fourth] = await publisher.find(kid);
  assertNotStrictEquals(fourth, first);
  assertEquals(fourth?.kty, "OKP");
  assertEquals(publisher.fetches, 3);
});

/** What a clock that is set back by a day must not lead to. */
const SET_BACK:
  readonly (readonly [why: string, check: (publisher: Publisher) => Promise<void>])[] = [
    ["keys that are fresh for ever", async (publisher) => {
      publisher.now += 599;
      await publisher.find(kid);
      assertEquals(publisher.fetches, 1);
      publisher.now += 1;
      await publisher.find(kid);
      assertEquals(publisher.fetches, 2);
    }],
    ["a cooldown for ever", async (publisher) => {
      publisher.now += 30;
      assertEquals(await publisher.find("unknown"), []);
      assertEquals(publisher.fetches, 2);
    }],
    ["stale keys for ever", async (publisher) => {
      publisher.answer = unavailable;
      publisher.now += 600 + 3_599;
      assertEquals((await publisher.find(kid)).length, 1);
      publisher.now += 1;
      assertEquals((await publisher.refusal(kid)).code, "service_unavailable");
    }],
  ];
for (const [why, check] of SET_BACK) {
  Deno.test(`remoteJwks() does not take a clock that is set back for ${why}`, async () => {
    const publisher = publish([publicJwk]);
    await publisher.find(kid);
    publisher.now -= 86_400;
    assertEquals((await publisher.find(kid)).length, 1); // notices it
    await check(publisher);
  });
}

Deno.test("remoteJwks() tries again though the clock was set back after a failure", async () => {
  const publisher = publish([publicJwk]);
  const { answer } = publisher;
  publisher.answer = unavailable;
  await publisher.refusal(kid);
  publisher.answer = answer;
  publisher.now -= 86_400;
  await publisher.refusal(kid);
  publisher.now += 30;
  assertEquals((await publisher.find(kid)).length, 1);
});

Deno.test("remoteJwks() refuses a clock that tells no seconds, and goes on when it does", async () => {
  const publisher = publish([publicJwk]);
  for (const now of [NaN, Infinity, START * 1_000]) {
    publisher.now = now;
    const error = await publisher.find(kid).catch((error) => error);
    assert(error instanceof RangeError);
  }
  publisher.now = START;
  assertEquals((await publisher.find(kid)).length, 1);
});
