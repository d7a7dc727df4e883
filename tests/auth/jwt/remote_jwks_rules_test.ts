/** What keys of another server cost it, what is said of them, and which members make one a secret. */

import { assertEquals, assertInstanceOf } from "@std/assert";
import { remoteJwks, type RemoteJwksOptions } from "../../../auth/jwt/remote_jwks.ts";
import { pausesOf } from "../_pauses.ts";
import { ADDRESS, publish, setOf, signer, START, unavailable } from "./_remote_jwks.ts";

const ec = await signer();
const rsa = await signer("RS256");
const { publicJwk, kid } = ec;

Deno.test("remoteJwks() asks once per cooldown where nothing may be kept, and no stale key is taken", async () => {
  const publisher = publish([], { staleAge: 0 });
  publisher.answer = () => setOf([publicJwk], { "Cache-Control": "max-age=0" });
  for (const [after, fetches] of [[0, 1], [0, 1], [29, 1], [30, 2], [59, 2], [60, 3]] as const) {
    publisher.now = START + after;
    assertEquals((await publisher.find(kid)).length, 1);
    assertEquals(publisher.fetches, fetches, `${after} s`);
  }
});

Deno.test("remoteJwks() counts the age of keys from when they were asked for, not from when they came", async () => {
  const publisher = publish([]);
  publisher.answer = () => {
    publisher.now += 100;
    return setOf([publicJwk]);
  };
  await publisher.find(kid);
  for (const [after, fetches] of [[599, 1], [600, 2]] as const) {
    publisher.now = START + after;
    assertEquals((await publisher.find(kid)).length, 1);
    assertEquals(publisher.fetches, fetches, `${after} s`);
  }
});

Deno.test("remoteJwks() looks again for a token without a kid where no key is known at all", async () => {
  const publisher = publish([]);
  assertEquals(await publisher.find(), []);
  publisher.answer = () => setOf([publicJwk]);
  publisher.now += 29;
  assertEquals(await publisher.find(), []);
  publisher.now += 1; // fresh for 570 s more, and of no use
  assertEquals((await publisher.find()).map((key) => key.kid), [kid]);
  assertEquals(publisher.fetches, 2);
});

Deno.test("remoteJwks() says whose keys cannot be fetched, what that means, and why", async () => {
  const warned: (readonly [message: string, error: unknown])[] = [];
  const publisher = publish([publicJwk], {
    warn: (message, error) => void warned.push([message, error]),
  });
  const { answer } = publisher;
  publisher.answer = unavailable;
  const { cause } = await publisher.refusal(kid);
  publisher.answer = answer;
  publisher.now += 30;
  await publisher.find(kid);
  publisher.answer = unavailable;
  publisher.now += 600;
  await publisher.find(kid);
  const of = `Cannot fetch the keys of ${new URL(ADDRESS).origin}`;
  assertEquals(warned.map(([message]) => message), [
    `${of}: no keys are cached`,
    `${of}: cached keys are used for a while`,
  ]);
  for (const [, error] of warned) {
    assertInstanceOf(error, Error);
    assertEquals(error.message, "Cannot fetch JSON: the status is 503");
  }
  assertEquals(warned[0]?.[1], cause);
});

/** The bounds of each number, which are taken. */
const BOUNDS: readonly RemoteJwksOptions[] = [
  { cacheAge: 1 },
  { cooldown: 1 },
  { staleAge: 0 },
  { timeoutMs: 2 ** 31 - 1 }, // what timers can wait
  { cacheAge: 2 ** 31 - 1, cooldown: 2 ** 31 - 1, staleAge: 2 ** 31 - 1, maxBytes: 2 ** 31 - 1 },
];

for (const options of BOUNDS) {
  Deno.test(`remoteJwks() takes the options ${Deno.inspect(options)}`, async () => {
    remoteJwks(ADDRESS, { maxBytes: 1, timeoutMs: 1 });
    assertEquals((await publish([publicJwk], options).find(kid)).length, 1);
  });
}

/** Members of a private key. Of two primes, one or one half of the exponent is enough for the rest. */
for (const name of ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]) {
  Deno.test(`remoteJwks() takes a key with the one member ${name} for private, and says so`, async () => {
    const { [name]: value = [] } = rsa.privateJwk;
    const publisher = publish([{ ...rsa.publicJwk, [name]: value }, publicJwk]);
    assertEquals((await publisher.find()).map((key) => key.kid), [kid]);
    assertEquals(await publisher.find(rsa.kid), []);
    const [warning = "", ...more] = publisher.warnings;
    assertEquals([warning.includes("a private key or a secret"), more], [true, []]);
  });
}

Deno.test("remoteJwks() takes what is no text for no name, and warns of none that is there twice", async () => {
  const entries = [1, 1, null, null, undefined, undefined];
  const publisher = publish([...entries.map((each) => ({ ...publicJwk, kid: each })), publicJwk]);
  assertEquals((await publisher.find(kid)).length, 1);
  assertEquals(publisher.warnings, []);
});

Deno.test("remoteJwks() waits for five seconds where nobody says for how long", async () => {
  const publisher = publish([], { fetch: () => new Promise(() => {}) });
  const [first] = await pausesOf(async () => {
    assertEquals((await publisher.refusal(kid)).reason, "jwks_unavailable");
  });
  assertEquals(first, 5_000);
});
