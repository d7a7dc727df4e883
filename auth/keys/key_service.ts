/**
 * Signing keys of one issuer, generated, published and rotated automatically and shared by all of its processes.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { keyStoreOf } from "./_encrypted_store.ts";
import { keyCache } from "./_cache.ts";
import { isAsymmetric, type SigningKey } from "./_import.ts";
import { findSigner, isPublished, type RingNumbers, ringRules } from "./_rotation.ts";
import { checkOptionalFunction, rejectUnknownOptions, requireSeconds } from "../_options.ts";
import { warnConsole } from "../_report.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import { AuthError } from "../error.ts";
import type { AuthEventListener } from "../events.ts";
import type { AsymmetricAlgorithm } from "../jwt/jwa.ts";
import type { JwkSet, JwtClaims, KeyResolver } from "../jwt/types.ts";
import { jwtSigner } from "../jwt/jwt.ts";
import type { KeyStore } from "../stores/types.ts";

/** Options of {@linkcode keyService}. All processes on one store need the same ones. */
export interface KeyServiceOptions {
  /** Persists the ring of keys, including private halves. Its reads must be current: a lagging replica would restore revoked keys. */
  readonly store: KeyStore;
  /**
   * Encrypts the private keys before they are stored, and decrypts them: {@linkcode deriveKeys} derives them from the secret
   * that all processes share. `"insecureSkip"` is for a store that encrypts.
   *
   * @default none, for a store that is not `persistent`; required for any other
   */
  readonly keys?: Pick<DerivedKeys, "encrypt" | "decrypt"> | "insecureSkip" | undefined;
  /**
   * Algorithms that the service signs by; the first is the default of {@linkcode KeyService.sign}. An added algorithm gets a
   * key that signs at once. The keys of a removed one stop signing here, and are published until their tokens have expired.
   *
   * @default {["ES256"]}
   */
  readonly algorithms?: readonly AsymmetricAlgorithm[] | undefined;
  /**
   * For how many seconds a key signs; at least 2 × (`cacheAge` + 60), and at most ten years.
   *
   * @default {7_776_000} 90 days
   */
  readonly rotateAfter?: number | undefined;
  /**
   * For how many seconds verifiers may cache the published keys, at most a day. A new key is published
   * 2 × (`cacheAge` + 60) seconds before it signs.
   *
   * @default {600}
   */
  readonly cacheAge?: number | undefined;
  /**
   * Maximum lifetime of a token in seconds, at most 30 days. A key is published for so long after its last signature, plus
   * 150 seconds. Tokens that were signed before this option was lowered may outlive their key.
   *
   * @default {3_600}
   */
  readonly maxTokenAge?: number | undefined;
  /** The time, in seconds since the epoch. The clocks of processes may differ by a minute. */
  readonly now?: (() => number) | undefined;
  /** Called for every event: `key.rotated`. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings: a listener that throws, a store that does not take new keys. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Options of {@linkcode KeyService.sign}. */
export interface SignTokenOptions {
  /** Algorithm, one of the service's. @default the service's first */
  readonly alg?: AsymmetricAlgorithm | undefined;
  /** Type of the token, RFC 8725 §3.11: `at+jwt`. @default {"JWT"} */
  readonly typ?: string | undefined;
  /** Lifetime in seconds, from 1 to `maxTokenAge`. */
  readonly expiresIn: number;
}

/** Options of {@linkcode KeyService.rotate}. */
export interface RotateKeysOptions {
  /** Whether the old keys are removed, so that their tokens are rejected: for keys that may be stolen. @default {false} */
  readonly revoke?: boolean | undefined;
}

/** Signs tokens and publishes their keys. Created by {@linkcode keyService}. */
export interface KeyService {
  /** Algorithms that it signs by. */
  readonly algorithms: readonly AsymmetricAlgorithm[];
  /** For how many seconds verifiers may cache the published keys. */
  readonly cacheAge: number;
  /** Maximum lifetime of a token in seconds. */
  readonly maxTokenAge: number;
  /**
   * Signs claims, with the `kid` of the key in the header. `iat` and `exp` are set by the service, whatever the claims contain.
   *
   * @throws {RangeError} If `expiresIn` is not an integer from 1 to `maxTokenAge`, or `alg` is not one of the service's.
   * @throws {TypeError} If a claim has the wrong type, or the stored ring is malformed, which then does not sign.
   * @throws {AuthError} `service_unavailable` if other processes keep changing the ring, and no key signs.
   */
  sign(claims: JwtClaims, options: SignTokenOptions): Promise<string>;
  /**
   * The public JWK Set, RFC 7517 §5: pending and signing keys, and retired ones whose tokens may still be valid. The same
   * object until it changes.
   *
   * @throws {TypeError} If the stored ring is malformed.
   */
  jwks(): Promise<JwkSet>;
  /** Finds the key of one of its own tokens by `kid` and `alg`: for `keys` of `verifyJwt`. */
  readonly resolve: KeyResolver;
  /**
   * Generates new keys that sign at once; tokens of the old ones stay valid until they expire. Verifiers with cached keys
   * reject the new tokens until they fetch the keys again, which {@linkcode remoteJwks} does for an unknown `kid`.
   *
   * With `revoke` the old keys are removed, and their tokens are rejected: in this process at once, in others within a
   * minute, and by remote verifiers within `cacheAge`. It also replaces a ring that is malformed or that no secret decrypts.
   *
   * @throws {TypeError} If `revoke` is not a boolean; if the stored ring is malformed and `revoke` is not `true`.
   * @throws {AuthError} `service_unavailable` if other processes keep changing the ring: this call has replaced no key.
   * Errors of the store are passed on; whether the ring was written is unknown then, so retry.
   */
  rotate(options?: RotateKeysOptions): Promise<void>;
}

const ACTION = "Cannot create key service";

/** Minimum number of seconds between two reads of the store for unknown key ids. */
const COOLDOWN = 5;

const DAY = 86_400;

/**
 * Creates a service with its own signing keys, which are rotated every 90 days. There is no timer: the first token
 * generates the first keys, and every call that signs, verifies or publishes does what is due.
 *
 * Processes share a store. Each reads it once a minute, so that a key which one process revokes is rejected by the others
 * within that time. Other verifiers fetch the published keys: see {@linkcode jwksHandler}.
 *
 * With `keys`, the private keys are encrypted in the store, each as a JWE (RFC 7517 §7, AES-256-GCM). A secret is rotated
 * as described for {@linkcode deriveKeys}, without invalidating tokens: keys that an older secret decrypts are encrypted by
 * the first one when they are read. A key that no secret decrypts, that was never encrypted, or that was changed, including
 * its times and its algorithm, makes the whole ring malformed: nothing is signed, published or verified by it until the
 * secret is restored. If the secret is lost, `rotate({ revoke: true })` generates new keys, and all earlier tokens are
 * rejected.
 *
 * Reads of the store must be current. After restoring a backup from before a `rotate({ revoke: true })`, call that again
 * before anything else, or the removed keys are valid again.
 *
 * @throws {TypeError} If an option is missing or of the wrong type; if the store is persistent and `keys` are missing.
 * @throws {RangeError} If a number is out of its range.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores, keyService, verifyJwt } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const keys = keyService({ store: inMemoryAuthStores().keys });
 * const token = await keys.sign({ iss: "https://id.example", sub: "ada" }, { expiresIn: 600 });
 *
 * const { claims } = await verifyJwt(token, {
 *   algorithms: keys.algorithms,
 *   keys: keys.resolve,
 *   issuer: "https://id.example",
 * });
 * assertEquals(claims.sub, "ada");
 * assertEquals((await keys.jwks()).keys.length, 1);
 * ```
 */
export function keyService(options: KeyServiceOptions): KeyService {
  const { store, numbers, events, warn } = readOptions(options);
  const { algorithms, cacheAge, maxTokenAge } = numbers;
  const now = createClock(options.now);
  const rules = ringRules(numbers);
  const emit = createEmitter({ events, now, warn });
  const cache = keyCache({ store, rules, now, emit, warn });
  const signers = new WeakMap<CryptoKey, Signer>();
  let published: { readonly of: string; readonly set: JwkSet } | undefined;

  function find(keys: readonly SigningKey[], kid: string): SigningKey | undefined {
    const at = now();
    return keys.find((key) => key.kid === kid && isPublished(key, at, rules));
  }

  /** The signer of a key; the one for the last `typ` is cached, because a service mostly signs tokens of one type. */
  function signerOf({ kid, alg, privateKey: key }: SigningKey, typ: string): Signer["sign"] {
    const known = signers.get(key);
    if (known?.typ === typ) return known.sign;
    const sign = jwtSigner({ algorithms: [alg], key, header: { typ, kid } });
    signers.set(key, { typ, sign });
    return sign;
  }

  return Object.freeze(
    {
      algorithms,
      cacheAge,
      maxTokenAge,

      async sign(claims: JwtClaims, options: SignTokenOptions) {
        const { alg = algorithms[0], typ = "JWT", expiresIn } = options;
        if (alg === undefined || !algorithms.includes(alg)) {
          throw new RangeError("Cannot sign token: alg must be one of the service's algorithms");
        }
        requireSeconds("Cannot sign token", { expiresIn }, { min: 1, max: maxTokenAge });
        if (typeof claims !== "object" || claims === null || Array.isArray(claims)) {
          throw new TypeError("Cannot sign token: claims must be a plain object");
        }
        const keys = await cache.current();
        const at = now();
        const signer = findSigner(keys, alg, at);
        if (signer === undefined) {
          throw new AuthError("service_unavailable", { reason: "key_missing" });
        }
        return await signerOf(signer, typ)({ ...claims, iat: at, exp: at + expiresIn });
      },

      async jwks() {
        const keys = await cache.current();
        const at = now();
        const kept = keys.filter((key) => isPublished(key, at, rules));
        const of = kept.map(({ kid, alg }) => `${kid} ${alg}`).join();
        if (published?.of !== of) {
          const set = Object.freeze({ keys: Object.freeze(kept.map(({ jwk }) => jwk)) });
          published = { of, set };
        }
        return published.set;
      },

      async resolve({ kid, alg }) {
        if (typeof kid !== "string") return undefined;
        const key = find(await cache.current(), kid) ?? find(await cache.current(COOLDOWN), kid);
        return key?.alg === alg ? key.publicKey : undefined;
      },

      async rotate(options: RotateKeysOptions = {}) {
        const { revoke = false } = options;
        // A misspelt revoke would keep a stolen key
        rejectUnknownOptions<RotateKeysOptions>("Cannot rotate keys", options, { revoke: true });
        if (typeof revoke !== "boolean") {
          throw new TypeError("Cannot rotate keys: revoke must be a boolean");
        }
        await cache.replace(revoke);
      },
    } satisfies KeyService,
  );
}

/** Signs by one key and for one `typ`. */
interface Signer {
  readonly typ: string;
  readonly sign: (claims: JwtClaims) => Promise<string>;
}

function readOptions(options: KeyServiceOptions) {
  const { cacheAge = 600, maxTokenAge = 3_600, rotateAfter = 90 * DAY } = options;
  const { now, events, warn = warnConsole } = options;
  for (const [name, value] of Object.entries({ now, events, warn })) {
    checkOptionalFunction(ACTION, name, value);
  }
  const store = keyStoreOf(ACTION, { ...options, warn });
  requireSeconds(ACTION, { cacheAge }, { min: 0, max: DAY });
  requireSeconds(ACTION, { maxTokenAge }, { min: 1, max: 30 * DAY });
  const algorithms = readAlgorithms(options.algorithms ?? ["ES256"]);
  const numbers: RingNumbers = { algorithms, rotateAfter, cacheAge, maxTokenAge };
  requireSeconds(ACTION, { rotateAfter }, {
    min: ringRules(numbers).prepublishSeconds,
    max: 3_650 * DAY,
  });
  return { store, numbers, events, warn };
}

function readAlgorithms(list: readonly AsymmetricAlgorithm[]): readonly AsymmetricAlgorithm[] {
  if (!Array.isArray(list) || list.length === 0 || !list.every(isAsymmetric)) {
    throw new TypeError(
      `${ACTION}: algorithms must be an array of asymmetric algorithms`,
    );
  }
  if (new Set(list).size < list.length) {
    throw new TypeError(`${ACTION}: duplicate algorithm in algorithms`);
  }
  return Object.freeze([...list]);
}
