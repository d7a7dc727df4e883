/** What comes of a secret that is rotated, or lost, where the ring of signing keys is encrypted by it. */

import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import type { StoredKey } from "../../../auth/stores/types.ts";
import { assertRefused, OLD, OTHER, secretsOf, TODAY, withSecret } from "./_encrypted_keys.ts";
import { farAway, keyBench, kidOf, kidsOf, signerOf } from "./_key_service.ts";
import { ask, createTokenApp, refresh, signInForTokens } from "../http/_token_routes.ts";

Deno.test("keyService() with a new secret in front takes old tokens, and encrypts the ring by it", async () => {
  const bench = keyBench();
  const token = await withSecret(bench, OLD).sign({}, { expiresIn: 600 });
  await withSecret(bench, OLD).rotate();
  const [before, stored] = [await secretsOf(bench), await bench.ring()];
  assertEquals(before, [OLD, OLD]);

  const both = withSecret(bench, [TODAY, OLD]);
  await bench.verify(token, both.resolve);
  assertEquals(await secretsOf(bench), [TODAY, TODAY]);
  const times = (keys: readonly StoredKey[]) => keys.map(({ key: _, ...rest }) => rest);
  assertEquals(times(await bench.ring()), times(stored), "and changes nothing else");

  const only = withSecret(bench, TODAY);
  await bench.verify(token, only.resolve);
  assertEquals(await signerOf(only), await signerOf(both));
  await assertRefused(withSecret(bench, OLD), kidOf(token));
  assertEquals(bench.warnings, []);
});

Deno.test("keyService() encrypts a ring anew once, and writes it no more after", async () => {
  const bench = keyBench();
  await signerOf(withSecret(bench, OLD));
  const { save } = bench.calls;
  const service = withSecret(bench, [TODAY, OLD]);
  for (let minute = 0; minute < 5; minute++) {
    await signerOf(service);
    bench.clock.now += 60;
  }
  assertEquals(bench.calls.save - save, 1);
});

Deno.test("keyService() with a new secret behind, then in front, loses no token in any process", async () => {
  const bench = keyBench();
  const lists = [[OLD], [OLD, TODAY], [TODAY, OLD], [TODAY]];
  const tokens: string[] = [];
  for (const [i, list] of lists.entries()) {
    const next = lists[i + 1] ?? list; // while a deployment goes on, both are there
    const services = [list, next, list, next].map((secret) => withSecret(bench, secret));
    for (let minute = 0; minute < 3; minute++) {
      for (const service of services) {
        tokens.push(await service.sign({}, { expiresIn: 600 }));
        for (const token of tokens) await bench.verify(token, service.resolve);
      }
      await Promise.all(services.map((service) => service.jwks()));
      bench.clock.now += 60;
    }
    await signerOf(withSecret(bench, next)); // the deployment is over
    assertEquals(await secretsOf(bench), [next[0] ?? ""]);
    tokens.splice(0, tokens.length - 4);
  }
  assertEquals([bench.warnings, new Set(tokens.map(kidOf)).size], [[], 1]);
});

Deno.test("keyService() goes on by an old secret where the ring is not to be written, and says so", async () => {
  for (const outcome of ["lost", "fails"]) {
    const down = { yes: false, saves: 0 };
    const bench = keyBench({
      wrap: (store) => ({
        save(keys, expected) {
          if (!down.yes) return store.save(keys, expected);
          down.saves++;
          return outcome === "lost" ? Promise.resolve("lost") : Promise.reject(new Error("down"));
        },
      }),
    });
    const token = await withSecret(bench, OLD).sign({}, { expiresIn: 600 });
    down.yes = true;
    const service = withSecret(bench, [TODAY, OLD]);
    await bench.verify(token, service.resolve);
    assertEquals(await signerOf(service), kidOf(token));
    assertEquals([await secretsOf(bench), down.saves], [[OLD], 1], "tried once in a reading");
    const [warning = "", ...others] = bench.warnings;
    assertEquals(others, []);
    if (outcome === "fails") assertStringIncludes(warning, "keep the old secret");
    else assertEquals(warning, "");

    down.yes = false;
    bench.clock.now += 60;
    await service.jwks();
    assertEquals(await secretsOf(bench), [TODAY]);
  }
});

Deno.test("keyService() encrypts a ring anew of which any key is of an old secret", async () => {
  const algorithms = ["Ed25519", "ES256"] as const; // a key of each is all that a ring needs
  for (const secrets of [[OLD, TODAY], [TODAY, OLD]]) {
    const keys: StoredKey[] = [];
    for (const [i, secret] of secrets.entries()) {
      const bench = keyBench();
      await withSecret(bench, secret, { algorithms: algorithms.slice(i, i + 1) }).jwks();
      keys.push(...await bench.ring());
    }
    const bench = keyBench();
    await bench.store.save(keys, null);
    assertEquals(await secretsOf(bench), secrets);
    await withSecret(bench, [TODAY, OLD], { algorithms }).jwks();
    assertEquals([await secretsOf(bench), bench.calls.save], [[TODAY, TODAY], 2]);
  }
});

Deno.test("keyService() writes no ring anew of which one key does not open", async () => {
  const bench = keyBench();
  const service = withSecret(bench, OLD);
  await service.jwks();
  await service.rotate();
  const ring = await bench.store.load();
  const [one, two] = ring?.keys ?? [];
  assert(one !== undefined && two !== undefined);
  await bench.store.save([one, { ...two, key: one.key }], ring?.version ?? null);
  const { save } = bench.calls;
  await assertRefused(withSecret(bench, [TODAY, OLD]), one.kid);
  assertEquals([bench.calls.save, bench.warnings], [save, []]);
});

Deno.test("keyService() encrypts a ring anew and rotates it in one reading", async () => {
  const bench = keyBench();
  const old = await signerOf(withSecret(bench, OLD));
  const service = withSecret(bench, [TODAY, OLD]);
  await service.rotate();
  assertNotEquals(await signerOf(service), old);
  assertEquals(await secretsOf(bench), [TODAY, TODAY]);
});

Deno.test("keyService() encrypts a ring anew no more than twice in a reading, whoever undoes it", async () => {
  const down = { yes: false, loads: 0, saves: 0 };
  let first: readonly StoredKey[] = [];
  const bench = keyBench({
    wrap: (store) => ({
      async load() {
        const ring = await store.load();
        if (!down.yes || ring === null) return ring;
        return { keys: first, version: `${++down.loads}` };
      },
      save(keys, expected) {
        if (!down.yes) return store.save(keys, expected);
        down.saves++;
        return Promise.resolve("saved");
      },
    }),
  });
  const old = await signerOf(withSecret(bench, OLD));
  first = await bench.ring();
  down.yes = true;
  assertEquals(await signerOf(withSecret(bench, [TODAY, OLD])), old);
  assertEquals(down, { yes: true, loads: 3, saves: 2 });
});

Deno.test("keyService() without the secret signs, publishes and verifies nothing, and goes on when it is back", async () => {
  const bench = keyBench();
  const before = withSecret(bench, OLD);
  const token = await before.sign({}, { expiresIn: 600 });
  const ring = await bench.ring();
  await assertRefused(withSecret(bench, TODAY), kidOf(token));
  await assertRefused(withSecret(bench, [TODAY, OTHER]), kidOf(token));
  await assertRejects(() => bench.service().jwks(), TypeError, "a key is not a JWK");
  assertEquals(await bench.ring(), ring, "and writes nothing");
  await bench.verify(token, withSecret(bench, OLD).resolve);
  assertEquals(await signerOf(before), kidOf(token));
});

Deno.test("rotate() with revoke replaces a ring whose secret is lost, and refuses what it signed", async () => {
  const bench = keyBench();
  const token = await withSecret(bench, OLD).sign({}, { expiresIn: 600 });
  const services = [1, 3].map((turns) =>
    withSecret(bench, TODAY, { store: farAway(bench.store, turns) })
  );
  const [service] = services;
  assert(service !== undefined);
  await assertRefused(service, kidOf(token));
  await Promise.all(services.map((one) => one.rotate({ revoke: true })));
  assertEquals(await secretsOf(bench), [TODAY]);
  for (const one of services) {
    await bench.verify(await one.sign({}, { expiresIn: 60 }), service.resolve);
    assertEquals(await one.resolve({ alg: "Ed25519", kid: kidOf(token) }), undefined);
  }
  assertEquals(kidsOf(await service.jwks()), kidsOf({ keys: await bench.ring() }));
});

Deno.test("rotate() with revoke, called again, removes what a restored backup has brought back", async () => {
  const bench = keyBench();
  const first = withSecret(bench, TODAY);
  const token = await first.sign({}, { expiresIn: 600 });
  const backup = await bench.ring();
  await first.rotate({ revoke: true });
  const ring = await bench.store.load();
  await bench.store.save(backup, ring?.version ?? null);

  const service = withSecret(bench, TODAY); // nobody knows any more what was revoked
  await bench.verify(token, service.resolve);
  await service.rotate({ revoke: true });
  for (const one of [service, withSecret(bench, TODAY)]) {
    assertEquals(await one.resolve({ alg: "Ed25519", kid: kidOf(token) }), undefined);
    assertNotEquals(await signerOf(one), kidOf(token));
  }
});

Deno.test("registerAuth({ jwt }) with a new secret takes the tokens of the old one, then goes on without it", async () => {
  const first = createTokenApp({ secret: OLD });
  const { accessToken, refreshToken } = await signInForTokens(first);
  const { stores } = first;
  const statuses: number[] = [];
  for (const secret of [[OLD, TODAY], [TODAY, OLD], TODAY, OLD]) {
    const app = createTokenApp({ stores, secret });
    statuses.push((await ask(app, accessToken)).status);
  }
  assertEquals(statuses, [200, 200, 200, 500], "and the old one alone is a wrong one");
  const { status } = await refresh(createTokenApp({ stores, secret: TODAY }), refreshToken);
  assertEquals(status, 200);
});
