/**
 * Private signing keys in a database: encrypted by the application's secret, and open to any runtime that has it.
 *
 * @module
 */

import {
  authStores,
  deriveKeys,
  type Jwk,
  type KeyService,
  keyService,
  type KeyStore,
  publicJwk,
  type StoredKey,
  verifyJwt,
} from "../../mod.ts";
import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import type { AsymmetricAlgorithm } from "../../auth/jwt/jwa.ts";
import { OKP, P256 } from "../auth/jwt/_jws.ts";
import { memoryAdapter } from "../contracts/_memory_adapter.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";

const NOW = 1_700_000_000;
const OLD = "a secret that only the tests know, kept";
const TODAY = "another secret that only the tests know";
const REFUSED = "Cannot use key ring: a key cannot be decrypted by the given secret";

/** Keys of RFCs as node:crypto has encrypted them by {@linkcode OLD}. */
const ENCRYPTED: readonly EncryptedKey[] = [
  {
    alg: "ES256",
    jwk: P256,
    kid: "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U",
    text:
      "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwiY3R5IjoiandrK2pzb24iLCJraWQiOiJvS0l5d3ZHVXBUVlR5eE1RM2J3" +
      "SUllUVV1ZGZyX0NrTE1qQ0UxOUVDRC1VIiwia2V5Ijp7ImFsZyI6IkVTMjU2IiwiY3JlYXRlZEF0IjoxNjk5OTk5OTkwLCJh" +
      "Y3RpdmVBdCI6MTY5OTk5OTk5MH19..TAnjfEBqlMNdHMyE.nHtaRcBdGNIODA1Q8XlLOiPk31C6xiLdtv_5evvZfDPD8YSeQ" +
      "Wv2C1NSowcQ79feshPIkuFiPiFtZHM2_5u8oSSvZrWR63wGsf6F2MXmmcfUvpelV-cTjvCUzDidN7Mqq_hE9_E2Vnh30WOHu" +
      "Gf3d1YIc4aEjm896-V1hwY24II7Bv6x6hIFVoi5hNIvGK0jnpeTokatF2C0OAZZxNTX7-5wmMh-jxUj6PY4Qxjc2kg.Gmm01" +
      "I53sp9FVAXK0xGr-w",
  },
  {
    alg: "Ed25519",
    jwk: OKP,
    kid: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
    text:
      "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwiY3R5IjoiandrK2pzb24iLCJraWQiOiJrUHJLX3FteFZXYVlWQTl3d0JG" +
      "Nkl1bzN2Vnp6N1R4SENUd1hCeWdyUzRrIiwia2V5Ijp7ImFsZyI6IkVkMjU1MTkiLCJjcmVhdGVkQXQiOjE2OTk5OTk5OTAs" +
      "ImFjdGl2ZUF0IjoxNjk5OTk5OTkwfX0..sxNz-56ALrxELPI8.55U24SMPLMLS7RtACtYZf_ClFJQCRlnIoE5ROnxKkyxjqu" +
      "Xx57l1iIw_pVyjlJPEIAk_jYXwB2EtW_qxEB6H9Xd2UjpuaQxbhZkhdi8sPp9-a_CO-Yw8-H7IfCs0giLsylpZ1cf0bPZXaX" +
      "LY__gSHQ15qcJjC82HpACKOuzdHKb0.EH4aIz27ChxQrKDovq1iVg",
  },
];

interface EncryptedKey {
  readonly alg: AsymmetricAlgorithm;
  readonly jwk: Jwk;
  readonly kid: string;
  readonly text: string;
}

/** What somebody who can write to the database may do to a key. */
const CHANGES: readonly (readonly [why: string, change: (key: StoredKey) => Partial<StoredKey>])[] =
  [
    ["another header", (key) => ({ key: withBit(key, 0) })],
    ["another initialization vector", (key) => ({ key: withBit(key, 2) })],
    ["another ciphertext", (key) => ({ key: withBit(key, 3) })],
    ["another tag", (key) => ({ key: withBit(key, 4) })],
    ["a tag of one byte", ({ key }) => ({ key: String(key).replace(/[^.]+$/, "TA") })],
    ["a key of their own that is not encrypted", () => ({ key: P256 })],
    ["the text of another key", () => ({ key: ENCRYPTED[1]?.text })],
    ["a key for another algorithm", () => ({ alg: "ES384" })],
    ["a key that signs from another time on", () => ({ activeAt: NOW - 20 })],
    ["a key that ends", () => ({ retiredAt: NOW + 20 })],
    ["nothing in the place of a key", () => ({ key: "" })],
  ];

/** The cases, in the order in which they run. */
export const encryptedKeyCases: readonly RuntimeCase[] = [
  ...ENCRYPTED.map((row) => ({
    name: `encrypted keys: ${row.alg}, encrypted elsewhere, signs what its public half verifies`,
    async run() {
      const store = await storeWith(stored(row));
      const token = await sign(serviceOf(store, [OLD], [row.alg]));
      const keys = publicJwk(row.jwk);
      const { claims } = await verifyJwt(token, { algorithms: [row.alg], keys, now: () => NOW });
      assertSame(claims.sub, "ada");
    },
  })),
  {
    name: "encrypted keys: what is stored has no private number, and no two texts are the same",
    async run() {
      const algorithms: AsymmetricAlgorithm[] = ["ES256", "Ed25519", "RS256"];
      const store = openStore();
      await sign(serviceOf(store, [OLD], algorithms));
      const first = await ringOf(store);
      assertSame(first.map(({ alg }) => alg).sort(), algorithms.toSorted());
      await sign(serviceOf(store, [TODAY, OLD], algorithms));
      const again = await ringOf(store);
      for (const text of [...first, ...again].map(({ key }) => String(key))) {
        const shown = text.split(".").map((part) =>
          new TextDecoder().decode(decodeBase64Url(part))
        );
        assert(!/"(?:d|p|q|dp|dq|qi|kty)":/.test(shown.join()), "a part of it can be read");
        assert(/^[\w-]+\.\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/.test(text), "it is no compact JWE");
      }
      assertSame(new Set([...first, ...again].map(({ key }) => key)).size, 2 * algorithms.length);
    },
  },
  {
    name: "encrypted keys: a new secret takes over all keys and tokens of the old one",
    async run() {
      const store = openStore();
      const token = await sign(serviceOf(store, [OLD]));
      for (const secrets of [[OLD, TODAY], [TODAY, OLD], [TODAY]]) {
        const { resolve: keys } = serviceOf(store, secrets);
        const { claims } = await verifyJwt(token, { algorithms: ["ES256"], keys, now: () => NOW });
        assertSame(claims.sub, "ada");
      }
      await refuses(serviceOf(store, [OLD]));
    },
  },
  ...CHANGES.map(([why, change]) => ({
    name: `encrypted keys: nothing is signed or published by a ring with ${why}`,
    async run() {
      const [row] = ENCRYPTED as [EncryptedKey];
      await sign(serviceOf(await storeWith(stored(row)), [OLD]));
      await refuses(serviceOf(await storeWith({ ...stored(row), ...change(stored(row)) }), [OLD]));
    },
  })),
  {
    name: "encrypted keys: where the secret is lost, new keys replace the ring",
    async run() {
      const store = openStore();
      await sign(serviceOf(store, [OLD]));
      const service = serviceOf(store, [TODAY]);
      await refuses(service);
      await service.rotate({ revoke: true });
      const { claims } = await verifyJwt(await sign(service), {
        algorithms: ["ES256"],
        keys: serviceOf(store, [TODAY]).resolve,
        now: () => NOW,
      });
      assertSame(claims.sub, "ada");
    },
  },
];

function openStore(): KeyStore {
  return authStores(memoryAdapter({ now: () => NOW })).keys;
}

async function storeWith(key: StoredKey): Promise<KeyStore> {
  const store = openStore();
  assertSame(await store.save([key], null), "saved");
  return store;
}

async function ringOf(store: KeyStore): Promise<readonly StoredKey[]> {
  return (await store.load())?.keys ?? [];
}

function stored({ alg, kid, text }: EncryptedKey): StoredKey {
  return { kid, alg, key: text, createdAt: NOW - 10, activeAt: NOW - 10 };
}

/** A process. */
function serviceOf(
  store: KeyStore,
  secrets: readonly string[],
  algorithms: readonly AsymmetricAlgorithm[] = ["ES256"],
): KeyService {
  return keyService({ store, keys: deriveKeys(secrets), algorithms, now: () => NOW });
}

function sign(service: KeyService): Promise<string> {
  return service.sign({ sub: "ada" }, { expiresIn: 600 });
}

async function refuses(service: KeyService): Promise<void> {
  for (const attempt of [() => sign(service), () => service.jwks(), () => service.rotate()]) {
    const outcome = await attempt().then(
      () => "done",
      ({ name, message }) => `${name}: ${message}`,
    );
    assert(outcome.startsWith(`TypeError: ${REFUSED}`), outcome);
  }
}

/** The text of a key with one bit of a part changed. */
function withBit({ key }: StoredKey, part: number): string {
  const parts = String(key).split(".");
  const bytes = decodeBase64Url(parts[part] ?? "");
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  return parts.with(part, encodeBase64Url(bytes)).join(".");
}
