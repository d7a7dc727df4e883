/** Publishing keys with a router. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { createRouter } from "../../../mod.ts";
import type { JwkSet } from "../../../auth/jwt/types.ts";
import { jwksHandler } from "../../../auth/http/jwks_handler.ts";
import type { KeyService } from "../../../auth/keys/key_service.ts";
import { createTestApp } from "./_app.ts";
import { type KeyBench, keyBench, kidOf } from "../keys/_key_service.ts";
import { refusal } from "../_services.ts";

const PATH = "/.well-known/jwks.json";

interface Published {
  readonly bench: KeyBench;
  readonly service: KeyService;
  ask(init?: RequestInit): Promise<Response>;
}

function published(): Published {
  const bench = keyBench();
  const service = bench.service({ algorithms: ["ES256", "Ed25519"] });
  const router = createRouter().get(PATH, jwksHandler(service));
  return { bench, service, ask: async (init) => await router.request(PATH, init) };
}

Deno.test("jwksHandler() publishes the keys of a service, with header fields of a cacheable response", async () => {
  const { service, bench, ask } = published();
  const token = await service.sign({ sub: "u1" }, { expiresIn: 60 });
  const response = await ask();
  assertEquals(response.status, 200);
  const { etag, ...headers } = Object.fromEntries(response.headers);
  assertEquals(headers, {
    "access-control-allow-origin": "*",
    "cache-control": "public, max-age=300",
    "content-type": "application/jwk-set+json",
  });
  assertMatch(etag ?? "", /^"[\w-]{43}"$/);
  const set: JwkSet = await response.json();
  assertEquals(set, await service.jwks());
  assertEquals((await bench.verify(token, set)).header.kid, kidOf(token));
});

Deno.test("jwksHandler() answers HEAD like GET, without a body", async () => {
  const { ask } = published();
  const [get, head] = [await ask(), await ask({ method: "HEAD" })];
  assertEquals([head.status, await head.text()], [200, ""]);
  await get.body?.cancel();
  for (const name of ["ETag", "Cache-Control", "Content-Type", "Access-Control-Allow-Origin"]) {
    assertEquals(head.headers.get(name), get.headers.get(name), name);
  }
});

const LISTS: readonly [why: string, list: (etag: string) => string, status: number][] = [
  ["the ETag", (etag) => etag, 304],
  ["the ETag weakened by a cache", (etag) => `W/${etag}`, 304],
  ["the ETag among others", (etag) => `"a", ${etag} ,W/"b"`, 304],
  ["anything", () => "*", 304],
  ["another ETag", () => '"another"', 200],
  ["the ETag without quotes", (etag) => etag.slice(1, -1), 200],
  ["a part of the ETag", (etag) => `${etag.slice(0, -2)}"`, 200],
  ["the ETag in another case", (etag) => etag.toUpperCase(), 200],
  ["nothing", () => "", 200],
];
for (const [why, list, status] of LISTS) {
  for (const method of ["GET", "HEAD"]) {
    Deno.test(`jwksHandler() answers ${method} with ${status} if If-None-Match contains ${why}`, async () => {
      const { ask } = published();
      const first = await ask();
      await first.body?.cancel();
      const etag = first.headers.get("ETag") ?? "";
      const response = await ask({ method, headers: { "If-None-Match": list(etag) } });
      assertEquals(response.status, status);
      assertEquals(response.headers.get("ETag"), etag);
      assertEquals(response.headers.get("Cache-Control"), "public, max-age=300");
      assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
      assertEquals((await response.text()).length > 0, status === 200 && method === "GET");
    });
  }
}

Deno.test("jwksHandler() changes the ETag only when the keys change", async () => {
  const { bench, service, ask } = published();
  const tag = async () => {
    const response = await ask();
    await response.body?.cancel();
    return response.headers.get("ETag");
  };
  const first = await tag();
  bench.clock.now += 120;
  assertEquals(await tag(), first);
  await service.rotate();
  const second = await tag();
  assertNotEquals(second, first);
  const stale = await ask({ headers: { "If-None-Match": first ?? "" } });
  assertEquals([stale.status, (await stale.json()).keys.length], [200, 4]);
});

Deno.test("jwksHandler() computes one digest per set, even for new objects", async () => {
  const { bench, service, ask } = published();
  const copied = { cacheAge: 0, jwks: async () => structuredClone(await service.jwks()) };
  const router = createRouter().get(PATH, jwksHandler(copied));
  await service.jwks();
  const native = crypto.subtle.digest;
  let digests = 0;
  crypto.subtle.digest = function (this: SubtleCrypto, ...args: Parameters<typeof native>) {
    digests++;
    return Reflect.apply(native, crypto.subtle, args);
  };
  try {
    for (let i = 0; i < 20; i++) {
      await (await ask()).body?.cancel();
      await (await router.request(PATH)).body?.cancel();
      bench.clock.now += 2;
    }
  } finally {
    crypto.subtle.digest = native;
  }
  assertEquals(digests, 2, "one per handler");
});

Deno.test("jwksHandler() returns the same ETag for sets with the same contents", async () => {
  const { service } = published();
  const keys = { cacheAge: 0, jwks: async () => structuredClone(await service.jwks()) as JwkSet };
  const router = createRouter().get(PATH, jwksHandler(keys));
  const [one, two] = [await router.request(PATH), await router.request(PATH)];
  assertEquals(one.headers.get("ETag"), two.headers.get("ETag"));
  assertEquals(one.headers.get("Cache-Control"), "public, max-age=0");
  assertEquals(await one.text(), await two.text());
});

Deno.test("jwksHandler() on a route of all methods rejects all methods except GET and HEAD", async () => {
  const { service } = published();
  const router = createRouter().all(PATH, jwksHandler(service));
  for (const method of ["PUT", "DELETE", "PATCH"]) {
    const response = await router.request(PATH, { method });
    assertEquals([response.status, response.headers.get("Allow")], [405, "GET, HEAD"]);
    assertEquals((await response.json()).code, "method_not_allowed");
  }
});

Deno.test("jwksHandler() responds with an uncacheable 5xx if it cannot read its keys", async () => {
  const bench = keyBench({ wrap: () => ({ save: () => Promise.resolve("lost") }) });
  assertEquals((await refusal(bench.service().jwks)).status, 503);
  const router = createRouter({ onError: () => {} })
    .get(PATH, jwksHandler(bench.service()));
  const response = await router.request(PATH);
  assertEquals(response.status, 503);
  assertEquals((await response.json()).code, "service_unavailable");
  assert(!response.headers.get("Cache-Control")?.includes("public"));
});

for (const headers of [{}, { Cookie: "__Host-sid=unknown" }, { Authorization: "Bearer x" }]) {
  Deno.test(`jwksHandler() in a guarded router accepts requests with ${Object.keys(headers)[0] ?? "nothing"}`, async () => {
    const { service } = published();
    const { router } = createTestApp();
    router.get(PATH, jwksHandler(service), { auth: false });
    const response = await router.request(PATH, { headers });
    assertEquals([response.status, (await response.json()).keys.length], [200, 2]);
    assertEquals(response.headers.get("Cache-Control"), "public, max-age=300");
    assertEquals([response.headers.get("Vary"), response.headers.getSetCookie()], [null, []]);
  });
}

const WRONG: readonly [why: string, keys: unknown][] = [
  ["nothing", undefined],
  ["a set", { keys: [] }],
  ["no cacheAge", { jwks: () => ({ keys: [] }) }],
  ["a cacheAge that is a string", { jwks: () => ({ keys: [] }), cacheAge: "600" }],
  ["a negative cacheAge", { jwks: () => ({ keys: [] }), cacheAge: -1 }],
];
for (const [why, keys] of WRONG) {
  Deno.test(`jwksHandler() rejects ${why} as a key service`, () => {
    assertThrows(() => jwksHandler(keys as KeyService), TypeError, "keys must be a key service");
  });
}
