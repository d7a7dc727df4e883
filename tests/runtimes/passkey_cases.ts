/**
 * Ceremonies of passkeys: whatever a runtime's Web Crypto accepts, each of them registers the same keys and gives the same
 * reasons for refusals.
 *
 * @module
 */

import { decodeBase64Url } from "../../auth/_base64url.ts";
import { type Bytes, concatBytes } from "../../auth/_bytes.ts";
import { CeremonyError } from "../../auth/webauthn/_failure.ts";
import { importCoseKey, parseCoseKey } from "../../auth/webauthn/_cose.ts";
import type { CoseAlgorithm } from "../../auth/webauthn/types.ts";
import { AuthError, inMemoryAuthStores, type WebAuthnService, webAuthnService } from "../../mod.ts";
import {
  type Authenticator,
  createAuthenticator,
  type CreateChange,
  type GetChange,
  selfAttester,
} from "../auth/webauthn/_authenticator.ts";
import { ALGORITHMS } from "../auth/webauthn/_authenticator_keys.ts";
import { P521 } from "../auth/jwt/_jws.ts";
import { encodeCbor } from "../auth/webauthn/_cbor.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import { ACCEPTED_SIGN_INS, REGISTRATION_REFUSALS, SIGN_IN_REFUSALS } from "./passkey_refusals.ts";

const BROWSER = { browser: "a digest of its cookie" };
const NOW = 1_700_000_000;

interface Scene {
  readonly service: WebAuthnService;
  readonly authenticator: Authenticator;
  /** Both steps of a registration by u1. @returns The outcome: `ok`, or the reason of the refusal. */
  register(change?: CreateChange): Promise<string>;
  /** Both steps of a sign-in. @returns The same. */
  signIn(change?: GetChange): Promise<string>;
}

async function createScene(algorithm: CoseAlgorithm = -7): Promise<Scene> {
  const { users, credentials, states } = inMemoryAuthStores({ now: () => NOW });
  await users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: NOW });
  const reasons: string[] = [];
  const service = webAuthnService({
    rpId: "example.com",
    rpName: "Example",
    origins: ["https://example.com"],
    algorithms: ALGORITHMS,
    maxCredentials: 100,
    users,
    credentials,
    states,
    now: () => NOW,
    events: (event) => {
      if (event.type === "webauthn.failed") reasons.push(event.reason);
    },
  });
  const authenticator = createAuthenticator({ algorithm });

  /** Each refusal is an error for the client and one event with the reason. */
  async function outcome(ceremony: Promise<unknown>): Promise<string> {
    reasons.length = 0;
    try {
      await ceremony;
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      assertSame(reasons.length, 1);
    }
    return reasons[0] ?? "ok";
  }

  return {
    service,
    authenticator,
    async register(change) {
      const offered = await service.registrationOptions("u1", BROWSER);
      const options = { ...offered, excludeCredentials: [] }; // as of another authenticator
      const response = await authenticator.create(options, change);
      return await outcome(service.verifyRegistration(response, { ...BROWSER, sub: "u1" }));
    },
    async signIn(change) {
      const options = await service.authenticationOptions(BROWSER);
      const response = await authenticator.get(options, change);
      return await outcome(service.verifyAuthentication(response, BROWSER));
    },
  };
}

/** Registers with `none` and with self attestation, and signs in with both passkeys. */
async function roundTrip(algorithm: CoseAlgorithm): Promise<void> {
  const { register, signIn, service, authenticator } = await createScene(algorithm);
  assertSame([await register(), await register({ attester: selfAttester() })], ["ok", "ok"]);
  for (const credential of authenticator.credentials) {
    assertSame(await signIn({ credential }), "ok");
    const flip = (bytes: Bytes) => bytes.map((byte, i) => i === bytes.length - 1 ? byte ^ 1 : byte);
    assertSame(await signIn({ credential, signature: flip }), "signature_invalid");
  }
  assertSame((await service.list("u1")).credentials.length, 2);
}

/** The key of RFC 7515 A.4; its y begins with a zero. */
function p521(): Bytes {
  const members: readonly (readonly [number, number | Bytes])[] = [[1, 2], [3, -36], [-1, 3]];
  const [x, y] = [P521.x, P521.y].map((text) => decodeBase64Url(text ?? ""));
  assert(x !== undefined && y?.[0] === 0, "the key has changed");
  return encodeCbor(new Map([...members, [-2, x], [-3, y]]));
}

/** Why bytes are no key. */
function keyReason(bytes: Bytes): string {
  try {
    parseCoseKey(bytes);
    return "accepted";
  } catch (error) {
    if (error instanceof CeremonyError) return error.reason;
    throw error;
  }
}

/** Whether it refuses in a moment what would exhaust a recursive parser. workerd's clock stands still meanwhile. */
async function soon(run: () => Promise<void> | void): Promise<void> {
  const start = performance.now();
  for (let i = 0; i < 10; i++) await run();
  assert(performance.now() - start < 5_000, "it took too long");
}

/** 10⁶ arrays of one item, one in another. */
const NESTED: Bytes = /* @__PURE__ */ new Uint8Array(1_000_000).fill(0x81);

/** The cases, in the order in which they run. */
export const passkeyCases: readonly RuntimeCase[] = [
  { name: "passkeys: there are ten algorithms", run: () => assertSame(ALGORITHMS.length, 10) },
  ...ALGORITHMS.map((algorithm) => ({
    name: `passkeys: ${algorithm} registers, also with self attestation, and signs in`,
    run: () => roundTrip(algorithm),
  })),
  {
    name: "passkeys: a key of P-521 whose y begins with a zero is imported",
    async run() {
      const { type, extractable, usages } = await importCoseKey(parseCoseKey(p521()));
      assertSame([type, extractable, usages], ["public", false, ["verify"]]);
    },
  },
  {
    name: "passkeys: an algorithm that the runtime does not have is refused as key_invalid",
    async run() {
      const { register } = await createScene(-8);
      const absent = () => Promise.reject(new DOMException("Unknown", "NotSupportedError"));
      const key = { value: absent, configurable: true };
      Object.defineProperty(crypto.subtle, "importKey", key);
      try {
        assertSame(await register(), "key_invalid");
      } finally {
        Reflect.deleteProperty(crypto.subtle, "importKey");
      }
    },
  },
  ...REGISTRATION_REFUSALS.map(({ why, reason, change }) => ({
    name: `passkeys: registration refused: ${why}`,
    async run() {
      const { register, service } = await createScene();
      assertSame(await register(change), reason);
      assertSame((await service.list("u1")).credentials, []);
    },
  })),
  {
    name: "passkeys: sign-ins refused, and accepted ones between them",
    async run() {
      const { register, signIn, authenticator } = await createScene();
      await register();
      const [credential] = authenticator.credentials;
      assert(credential !== undefined, "no credential");
      const failed: string[] = [];
      for (const { why, reason, change } of SIGN_IN_REFUSALS) {
        const outcome = await signIn({ credential, ...change });
        if (outcome !== reason) failed.push(`${why}: ${outcome} is not ${reason}`);
      }
      for (const { why, change } of ACCEPTED_SIGN_INS) {
        const outcome = await signIn({ credential, ...change });
        if (outcome !== "ok") failed.push(`${why}: ${outcome}`);
      }
      assertSame(failed, []);
    },
  },
  {
    name: "passkeys: 10⁶ nested arrays are refused soon, wherever they are",
    async run() {
      const { register, signIn } = await createScene();
      await register();
      await soon(() => assertSame(keyReason(NESTED), "key_invalid"));
      const nested = { flags: { ed: true }, authData: (own: Bytes) => concatBytes(own, NESTED) };
      const malformed = "authenticator_data_malformed";
      await soon(async () => assertSame(await signIn(nested), malformed));
      const object = { attestationObject: () => NESTED };
      await soon(async () => assertSame(await register(object), "attestation_malformed"));
      const deep = { clientDataBytes: () => `${'{"a":'.repeat(1_500)}1${"}".repeat(1_500)}` };
      await soon(async () => assertSame(await signIn(deep), "client_data_malformed"));
    },
  },
];
