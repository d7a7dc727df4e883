/** The catalogue "Guards, stores, keys", as far as it is about what stands beside a signing key in a store: rows are only added. */

import { assert, assertEquals } from "@std/assert";
import type { StoredKey } from "../../auth/stores/types.ts";
import {
  assertRefused,
  headerOf,
  readHeader,
  TODAY,
  withSecret,
} from "../auth/keys/_encrypted_keys.ts";
import { keyBench, kidOf, kidsOf, NUMBERS, signerOf, START } from "../auth/keys/_key_service.ts";

/** Tokens of a key that has signed all its life are still valid while its successor's successor waits. */
const OPTIONS = { maxTokenAge: 5_000 };

/** When there is a key of each kind. */
const LATER = START + 2 * NUMBERS.rotateAfter - 720;

/** A key that signs no more, one that does, and one that will. */
type Ring = readonly [retired: StoredKey, signer: StoredKey, next: StoredKey];

function without(key: StoredKey, name: keyof StoredKey): object {
  const { [name]: _, ...rest } = key;
  return rest;
}

/** What becomes of the ring when somebody writes to the store. */
const WRITTEN: readonly (readonly [what: string, change: (ring: Ring) => readonly unknown[]])[] = [
  [
    "a retired key that is put back to work",
    ([retired, ...rest]) => [without(retired, "retiredAt"), ...rest],
  ],
  [
    "a retired key that is put back to work by null",
    ([retired, ...rest]) => [{ ...retired, retiredAt: null }, ...rest],
  ],
  [
    "a retired key whose end is put off",
    ([retired, ...rest]) => [{ ...retired, retiredAt: LATER + 1e6 }, ...rest],
  ],
  [
    "a retired key whose end is put off by a second",
    ([retired, ...rest]) => [{ ...retired, retiredAt: (retired.retiredAt ?? 0) + 1 }, ...rest],
  ],
  [
    "a retired key that begins once more",
    ([retired, ...rest]) => [{ ...retired, activeAt: LATER, retiredAt: LATER + 5_000 }, ...rest],
  ],
  [
    "a key that is never to end",
    ([retired, signer, next]) => [retired, without(signer, "retiredAt"), next],
  ],
  [
    "a key that is to end at once",
    ([retired, signer, next]) => [retired, { ...signer, retiredAt: LATER }, next],
  ],
  [
    "a new key that is active at once",
    ([retired, signer, next]) => [retired, signer, { ...next, activeAt: LATER }],
  ],
  [
    "a new key that looks as if it was made to sign at once",
    ([retired, signer, next]) => [retired, signer, { ...next, createdAt: next.activeAt }],
  ],
  [
    "a new key that is never active",
    ([retired, signer, next]) => [retired, signer, { ...next, activeAt: LATER + 1e6 }],
  ],
  [
    "a key that was made at another time",
    ([retired, signer, next]) => [retired, { ...signer, createdAt: signer.createdAt - 1 }, next],
  ],
  [
    "a key for another algorithm that takes it",
    ([retired, signer, next]) => [retired, { ...signer, alg: "EdDSA" }, next],
  ],
  [
    "the times of two keys swapped",
    ([retired, signer, next]) => [
      { ...signer, kid: retired.kid, key: retired.key },
      { ...retired, kid: signer.kid, key: signer.key },
      next,
    ],
  ],
  [
    "the times of one key for all",
    ([retired, signer, next]) =>
      [retired, signer, next].map(({ kid, key }) => ({ ...signer, kid, key })),
  ],
];
for (const [what, change] of WRITTEN) {
  Deno.test(`[ATTACKS] a stored ring with ${what} → refused whole, until it is revoked`, async () => {
    const bench = keyBench();
    const service = withSecret(bench, TODAY, OPTIONS);
    const token = await service.sign({}, { expiresIn: 5_000 });
    for (bench.clock.now of [LATER - NUMBERS.rotateAfter, LATER]) await service.jwks();
    const ring = await bench.store.load();
    const [retired, signer, next, ...more] = ring?.keys ?? [];
    assert(retired !== undefined && signer !== undefined && next !== undefined);
    assertEquals([more, kidOf(token)], [[], retired.kid]);
    assertEquals([retired, signer, next].map(({ key }) => readHeader(key)), [
      headerOf(retired),
      headerOf(signer),
      headerOf(next),
    ]);
    assert((retired.retiredAt ?? Infinity) < LATER && next.activeAt > LATER);
    assertEquals(await signerOf(withSecret(bench, TODAY, OPTIONS)), signer.kid);

    const written = change([retired, signer, next]) as StoredKey[];
    await bench.store.save(written, ring?.version ?? null);
    const { save } = bench.calls;
    bench.clock.now += 60; // who knew the keys before knows them no more
    for (const one of [service, withSecret(bench, TODAY, OPTIONS)]) {
      for (const { kid } of [retired, signer, next]) await assertRefused(one, kid);
    }
    assertEquals(bench.calls.save, save, "and nothing is written");

    await service.rotate({ revoke: true });
    const other = withSecret(bench, TODAY, OPTIONS);
    await bench.verify(await service.sign({}, { expiresIn: 60 }), other.resolve);
    const [kid, ...others] = kidsOf(await other.jwks());
    assertEquals([others, [retired, signer, next].some((key) => key.kid === kid)], [[], false]);
  });
}
