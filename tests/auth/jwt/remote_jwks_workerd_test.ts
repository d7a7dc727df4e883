/** Keys of another server on Cloudflare Workers, where no request may wait for what another one does. */

import { assert, assertEquals } from "@std/assert";
import { publish, setOf, signer, unavailable } from "./_remote_jwks.ts";
import { onWorkerd } from "../_workerd.ts";

const { publicJwk, kid } = await signer();
const other = await signer("Ed25519");

Deno.test("remoteJwks() lets each request fetch by itself on workerd until keys are known, and shares them", async () => {
  await onWorkerd(async () => {
    const publisher = publish([publicJwk]);
    const held = Array.from({ length: 3 }, () => Promise.withResolvers<Response>());
    const answers = held.map(({ promise }) => promise);
    publisher.answer = () => answers.shift() ?? unavailable();
    const found = held.map(() => publisher.find(kid));
    assertEquals(publisher.fetches, 3);
    // The last to come is answered first, and waits for nobody
    held[2]?.resolve(setOf([publicJwk]));
    assertEquals((await found[2])?.length, 1);
    assertEquals((await publisher.find(kid)).length, 1);
    assertEquals(publisher.fetches, 3);
    held.forEach(({ resolve }) => resolve(setOf([publicJwk])));
    const lists = await Promise.all(found);
    assertEquals(lists.map(({ length }) => length), [1, 1, 1]);
    assert(lists.every(([key]) => key?.kid === kid));
  });
});

Deno.test("remoteJwks() goes on with known keys on workerd while another request fetches", async () => {
  await onWorkerd(async () => {
    const publisher = publish([publicJwk]);
    await publisher.find(kid);
    publisher.now += 600;
    const { promise, resolve } = Promise.withResolvers<Response>();
    publisher.answer = () => promise;
    const first = publisher.find(other.kid);
    assertEquals((await publisher.find(kid)).length, 1);
    assertEquals(await publisher.find(other.kid), []);
    resolve(setOf([publicJwk, other.publicJwk]));
    assertEquals((await first).length, 1);
    assertEquals(publisher.fetches, 2);
  });
});

Deno.test("remoteJwks() is not stopped on workerd by a request that was ended while it fetched", async () => {
  await onWorkerd(async () => {
    const publisher = publish([publicJwk]);
    const { answer } = publisher;
    const { promise, resolve } = Promise.withResolvers<Response>();
    publisher.answer = () => promise;
    const ended = publisher.find(kid);
    publisher.answer = answer;
    assertEquals((await publisher.find(kid)).length, 1);
    resolve(setOf([]));
    await ended.catch(() => {});
  });
});

Deno.test("remoteJwks() keeps the newer keys on workerd where an older answer comes last", async () => {
  await onWorkerd(async () => {
    const publisher = publish([publicJwk]);
    await publisher.find(kid);
    publisher.now += 600;
    const { promise, resolve } = Promise.withResolvers<Response>();
    publisher.answer = () => promise;
    const slow = publisher.find(kid);
    publisher.now += 30;
    publisher.answer = () => setOf([other.publicJwk]);
    assertEquals((await publisher.find(other.kid)).length, 1);
    resolve(setOf([publicJwk]));
    assertEquals(await slow, [], "a key that is published no more");
    assertEquals((await publisher.find(other.kid)).length, 1);
    assertEquals(publisher.fetches, 3);
  });
});

Deno.test("remoteJwks() asks on workerd once per cooldown for unknown kids, and after a failure", async () => {
  await onWorkerd(async () => {
    const publisher = publish([publicJwk]);
    const { answer } = publisher;
    publisher.answer = unavailable;
    await publisher.refusal(kid);
    await publisher.refusal(kid);
    assertEquals(publisher.fetches, 1);
    publisher.answer = answer;
    publisher.now += 30;
    await publisher.find(kid);
    publisher.now += 30;
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => publisher.find(`k${i}`)));
    assertEquals(publisher.fetches, 3);
  });
});
