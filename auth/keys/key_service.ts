/**
 * Signing keys that are made, published and replaced by themselves: for the tokens of one issuer, whichever of its processes
 * signs.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { keyStoreOf } from "./_encrypted_store.ts";
import { keyCache } from "./_cache.ts";
import { isAsymmetric, type SigningKey } from "./_import.ts";
import { findSigner, isPublished, type RingNumbers, ringRules } from "./_rotation.ts";
import { checkOptionalFunction, requireSeconds } from "../_options.ts";
import { warnConsole } from "../_report.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import { AuthError } from "../error.ts";
import type { AuthEventListener } from "../events.ts";
import type { AsymmetricAlgorithm } from "../jwt/jwa.ts";
import type { JwkSet, JwtClaims, KeyResolver } from "../jwt/types.ts";
import { jwtSigner } from "../jwt/jwt.ts";
import type { KeyStore } from "../stores/types.ts";

/** Options of {@linkcode keyService}. Give all processes on one store the same ones. */
export interface KeyServiceOptions {
  /** Keeps the ring of keys, private halves and all. */
  readonly store: KeyStore;
  /**
   * Encrypts the private keys before they are stored, and opens them: {@linkcode deriveKeys} makes them of the secret that
   * all processes have. `"insecureSkip"` is for a store that encrypts by itself.
   *
   * @default none, for a store that is not `persistent`; any other needs them
   */
  readonly keys?: Pick<DerivedKeys, "encrypt" | "decrypt"> | "insecureSkip" | undefined;
  /**
   * What the service signs by; the first is the one that {@linkcode KeyService.sign} takes by itself. One that is added gets
   * a key that signs at once. The keys of one that is left out sign no more here, and are published for as long as a token
   * may be of them.
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
   * For how many seconds others may keep the published keys, at most a day. A new key is published 2 × (`cacheAge` + 60)
   * seconds before it signs.
   *
   * @default {600}
   */
  readonly cacheAge?: number | undefined;
  /**
   * Seconds that the longest token is valid for, at most 30 days. A key is published for so long after it has signed last,
   * and two minutes and a half. Tokens that were signed before it was lowered may outlive their key.
   *
   * @default {3_600}
   */
  readonly maxTokenAge?: number | undefined;
  /** The time, in seconds since the epoch. The clocks of processes may be a minute apart. */
  readonly now?: (() => number) | undefined;
  /** Is told of `key.rotated`. */
  readonly events?: AuthEventListener | undefined;
  /** Is told of a listener that throws, and of a store that takes no new keys. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Options of {@linkcode KeyService.sign}. */
export interface SignTokenOptions {
  /** Algorithm, one of the service's. @default the service's first */
  readonly alg?: AsymmetricAlgorithm | undefined;
  /** Type of the token, RFC 8725 §3.11: `at+jwt`. @default {"JWT"} */
  readonly typ?: string | undefined;
  /** Seconds until it ends, from 1 to `maxTokenAge`. */
  readonly expiresIn: number;
}

/** Options of {@linkcode KeyService.rotate}. */
export interface RotateKeysOptions {
  /** Whether the old keys are removed, and whatever they signed is refused: somebody else may have them. @default {false} */
  readonly revoke?: boolean | undefined;
}

/** Signs tokens, and publishes what verifies them. Made by {@linkcode keyService}. */
export interface KeyService {
  /** What it signs by. */
  readonly algorithms: readonly AsymmetricAlgorithm[];
  /** For how many seconds others may keep the published keys. */
  readonly cacheAge: number;
  /** Seconds that the longest token is valid for. */
  readonly maxTokenAge: number;
  /**
   * Signs claims, with the `kid` of the key in the header. `iat` and `exp` are the service's, whatever the claims say.
   *
   * @throws {RangeError} If `expiresIn` is not an integer from 1 to `maxTokenAge`, or `alg` is not one of the service's.
   * @throws {TypeError} If a claim is of a wrong type, an option is unknown, or the stored ring is malformed; nothing is
   * signed by any of it.
   * @throws {AuthError} `service_unavailable` if other processes keep changing the ring, and no key signs.
   */
  sign(claims: JwtClaims, options: SignTokenOptions): Promise<string>;
  /**
   * The public halves, RFC 7517 §5: of keys that sign, that will, and that have signed what may still be valid. The same
   * object until they change.
   *
   * @throws {TypeError} If the stored ring is malformed.
   */
  jwks(): Promise<JwkSet>;
  /** Finds the key of a token of its own, by `kid` and `alg`: for `keys` of `verifyJwt`. */
  readonly resolve: KeyResolver;
  /**
   * Makes new keys that sign at once; what the old ones signed stays valid until it ends. Others that keep the published
   * keys refuse the new tokens until they read them again, which {@linkcode remoteJwks} does when it meets an unknown `kid`.
   *
   * With `revoke` the old keys go, and with them all that they signed: in this process at once, in others within a minute
   * (and as long as copies of their store lag), and at verifiers of others within `cacheAge`. It also replaces a ring that
   * is malformed, or that no secret opens any more.
   *
   * @throws {TypeError} If an option is unknown or `revoke` is no boolean; if the stored ring is malformed, and `revoke` is
   * not `true`.
   * @throws {AuthError} `service_unavailable` if other processes keep changing the ring, or all that can be read is a copy
   * of it that lags: this call has replaced no key. What the store throws goes through; whether the ring was written is
   * not known then, so call it again.
   */
  rotate(options?: RotateKeysOptions): Promise<void>;
}

const ACTION = "Cannot create key service";

/** Seconds from one reading of the store to the next, whatever key ids tokens name. */
const COOLDOWN = 5;

const DAY = 86_400;

/**
 * Creates a service that signs by keys of its own, and replaces them every 90 days. There is nothing to start: the first
 * token makes the first keys, and whoever signs, verifies or publishes does what is due.
 *
 * Processes share a store. Each reads it once a minute, so that a key which one of them revokes is refused by the others
 * within that. What verifies elsewhere reads the published keys: see {@linkcode jwksHandler}.
 *
 * With `keys`, the private keys are encrypted in the store, each as a JWE (RFC 7517 §7, AES-256-GCM). A secret is replaced
 * as {@linkcode deriveKeys} says, without a token lost: what an older one of the list opens is encrypted by the first one
 * when it is read. A key that none of them opens, that was never encrypted, or that was changed, its times and its algorithm
 * included, makes the whole ring one that is malformed: nothing is signed, published or verified by it, until the secret is
 * back. If it is lost, `rotate({ revoke: true })` makes new keys, and all tokens that were signed before are refused.
 *
 * What was stored once is as good as what is stored now: restore a backup from before a `rotate({ revoke: true })`, and call
 * that again before anything else, or the keys that it removed are back.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape; if the store is persistent, and there are no
 * `keys`.
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
  const keeper = keyCache({ store, rules, now, emit, warn });
  const signers = new WeakMap<CryptoKey, Signer>();
  let published: { readonly of: string; readonly set: JwkSet } | undefined;

  function find(keys: readonly SigningKey[], kid: string): SigningKey | undefined {
    const at = now();
    return keys.find((key) => key.kid === kid && isPublished(key, at, rules));
  }

  /** The signer of a key; that of the last `typ` is kept, since a service signs tokens of one. */
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
          throw new RangeError("Cannot sign token: alg is not one of the service's algorithms");
        }
        requireSeconds("Cannot sign token", { expiresIn }, { min: 1, max: maxTokenAge });
        if (typeof claims !== "object" || claims === null || Array.isArray(claims)) {
          throw new TypeError("Cannot sign token: the claims are no object");
        }
        const keys = await keeper.current();
        const at = now();
        const signer = findSigner(keys, alg, at);
        if (signer === undefined) {
          throw new AuthError("service_unavailable", { reason: "key_missing" });
        }
        return await signerOf(signer, typ)({ ...claims, iat: at, exp: at + expiresIn });
      },

      async jwks() {
        const keys = await keeper.current();
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
        const key = find(await keeper.current(), kid) ?? find(await keeper.current(COOLDOWN), kid);
        return key?.alg === alg ? key.publicKey : undefined;
      },

      async rotate(options: RotateKeysOptions = {}) {
        const { revoke = false } = options;
        if (typeof revoke !== "boolean") {
          throw new TypeError("Cannot rotate keys: revoke is neither true nor false");
        }
        await keeper.replace(revoke);
      },
    } satisfies KeyService,
  );
}

/** Signs by one key, and for one `typ`. */
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
      `${ACTION}: algorithms is no list of algorithms that have a public key, as ["ES256"]`,
    );
  }
  if (new Set(list).size < list.length) {
    throw new TypeError(`${ACTION}: algorithms names one twice`);
  }
  return Object.freeze([...list]);
}
