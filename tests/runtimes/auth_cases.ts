/**
 * What authentication needs of a runtime: Web Crypto's algorithms and their limits, text normalisation, base64 with and
 * without the newer methods, header fields that come several times.
 *
 * @module
 */

import { scryptAsync } from "@noble/hashes/scrypt.js";
import {
  addressBucket,
  AuthError,
  type AuthStores,
  canonicalIdentifier,
  clientAddressReader,
  cookiePolicy,
  csrfService,
  deriveKeys,
  inMemoryAuthStores,
  passwordPolicy,
  type PasswordService,
  passwordService,
  pbkdf2Hasher,
  readCookie,
  scryptHasher,
  sessionService,
  throttleService,
} from "../../mod.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";

const NOBODY = { address: undefined };
const SECRET = "a secret that only the tests know, kept";
const PASSWORD = "correct horse battery staple";
const ADA = { identifier: "ada@example.org", password: "lovelace wrote the notes" };

/** Iterations that Cloudflare allows. */
const CAP = 100_000;

/** What node:crypto makes of the password, the salt 00112233…ff and 1,000 iterations. */
const ENCODED =
  "$pbkdf2-sha256$i=1000$ABEiM0RVZneImaq7zN3u/w$37Izw7UGVXXvQEMoyIGgy6cbcYD3Ipii7cXqXzpMAvk";

/** The code that a call is refused with; `none` if it is not. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "none";
  } catch (error) {
    if (error instanceof AuthError) return error.code;
    throw error;
  }
}

function services(
  { iterations = 1000, now }: { iterations?: number; now?: () => number } = {},
): { stores: AuthStores; passwords: PasswordService } {
  const stores = inMemoryAuthStores(now === undefined ? {} : { now });
  const throttle = throttleService({
    store: stores.throttle,
    keys: deriveKeys(SECRET),
    ...(now === undefined ? {} : { now }),
  });
  const passwords = passwordService({
    ...stores,
    throttle,
    hasher: pbkdf2Hasher({ iterations }),
    ...(now === undefined ? {} : { now }),
  });
  return { stores, passwords };
}

/** A request as a browser of ours sends it, with the cookies that it was given. */
function post(setCookies: readonly string[], headers: Record<string, string>): Request {
  const Cookie = setCookies.map((cookie) => cookie.split(";")[0]).join("; ");
  return requestOf("POST", { Cookie, ...headers });
}

/** Node and Bun leave out what pages may not set (Cookie, Origin, Sec-Fetch-Site); servers' requests have them. */
function requestOf(method: string, fields: Record<string, string>): Request {
  const request = new Request("https://example.com/", { method });
  return Object.defineProperty(request, "headers", { value: new Headers(fields) });
}

/** The cases, in the order in which they run. */
export const authCases: readonly RuntimeCase[] = [
  {
    name: "auth: HKDF keys are one for each purpose, and the same everywhere",
    async run() {
      const message = new Uint8Array([1, 2, 3]);
      const keys = deriveKeys(["another secret that only the tests know", SECRET]);
      const mac = await deriveKeys(SECRET).sign("csrf", message);
      assertSame([...mac.slice(0, 4)], EXPECTED_MAC);
      assertSame([await keys.verify("csrf", message, mac)], [true]);
      assertSame([await keys.verify("device", message, mac)], [false]);
    },
  },
  {
    name: "auth: PBKDF2 hashes verify, other passwords and corrupt hashes do not",
    async run() {
      const hasher = pbkdf2Hasher({ iterations: 1000 });
      const own = await hasher.hash(PASSWORD);
      assertSame([await hasher.verify(PASSWORD, own), await hasher.verify("x", own)], [
        true,
        false,
      ]);
      assertSame([await hasher.verify(PASSWORD, ENCODED)], [true]);
      assertSame([await hasher.verify(PASSWORD, ENCODED.replace("i=1000", "i=4294967295"))], [
        false,
      ]);
    },
  },
  {
    name: "auth: 600,000 iterations of PBKDF2 hash",
    async run() {
      assert((await pbkdf2Hasher().hash(PASSWORD)).startsWith("$pbkdf2-sha256$i=600000$"), "hash");
    },
  },
  {
    name: "auth: where PBKDF2 is capped, the error names the option hasher",
    async run() {
      const message = await withCap(() =>
        pbkdf2Hasher().hash(PASSWORD).then(
          () => "hashed",
          (error) => error instanceof TypeError ? error.message : String(error),
        )
      );
      assert(message.includes('the option "hasher"'), message);
      await withCap(() => pbkdf2Hasher({ iterations: CAP }).hash(PASSWORD));
    },
  },
  {
    name: "auth: scrypt of a library stands in for PBKDF2",
    async run() {
      const hasher = scryptHasher({ scrypt: scryptAsync });
      const { stores } = services();
      const keys = deriveKeys(SECRET);
      const throttle = throttleService({ store: stores.throttle, keys });
      const passwords = passwordService({ ...stores, throttle, hasher });
      await passwords.createUser(ADA);
      const stored = await stores.users.findByIdentifier(ADA.identifier);
      assert(stored?.passwordHash?.startsWith("$scrypt$ln=14,r=8,p=5$"), "no scrypt hash");
      const { amr } = await passwords.verify(ADA, NOBODY);
      assertSame(amr, ["pwd"]);
      assertSame(await codeOf(passwords.verify({ ...ADA, password: PASSWORD }, NOBODY)), REFUSED);
    },
  },
  {
    name: "auth: login has one answer for unknown users and wrong passwords, and locks",
    async run() {
      const { passwords } = services();
      await passwords.createUser(ADA);
      const client = { address: "192.0.2.1" };
      const wrong = { ...ADA, password: PASSWORD };
      for (const credentials of [wrong, { ...wrong, identifier: "eve@example.org" }]) {
        for (let i = 0; i < 5; i++) {
          assertSame(await codeOf(passwords.verify(credentials, client)), REFUSED);
        }
        assertSame(await codeOf(passwords.verify(credentials, client)), "throttled");
      }
      assertSame(await codeOf(passwords.verify(ADA, client)), "throttled");
      assertSame(await codeOf(passwords.verify(ADA, { address: "192.0.2.2" })), "none");
    },
  },
  {
    name: "auth: identifiers and passwords have one Unicode form",
    async run() {
      assertSame(canonicalIdentifier(" Ａda＠Example.ORG"), "ada@example.org");
      const { passwords } = services();
      await passwords.createUser({ identifier: "zoe", password: "caf\u00e9 au lait, encore" });
      const { sub } = await passwords.verify({
        identifier: "ZOE",
        password: "cafe\u0301 au lait, encore",
      }, NOBODY);
      assertSame(typeof sub, "string");
    },
  },
  {
    name: "auth: the policy refuses what is common, with the lowest and the default minimum",
    async run() {
      const lenient = passwordPolicy({ minLength: 8 });
      const codes = async (policy: typeof lenient, text: string) =>
        (await policy.check(text)).map(({ code }) => code);
      assertSame((await codes(lenient, "trustno1")).length > 0, true);
      assertSame(await codes(lenient, "gx9#mKq2"), []);
      assertSame((await codes(passwordPolicy(), "aaaaaaaaaaaaaaaaaaaa")).length > 0, true);
    },
  },
  {
    name: "auth: sessions end at their limits, and with the password",
    async run() {
      let time = 1_000_000;
      const now = () => time;
      const { stores, passwords } = services({ now });
      const sessions = sessionService({ ...stores, now });
      const authentication = await passwords.createUser(ADA);
      const { token } = await sessions.create(authentication);
      time += 3_599;
      assertSame((await sessions.verify(token))?.session.activeAt, time);
      time += 3_600;
      assertSame([await sessions.verify(token)], [undefined]);
      const second = await sessions.create(authentication, { replaces: token });
      const change = { currentPassword: ADA.password, newPassword: PASSWORD };
      await passwords.change(authentication.sub, { ...change }, NOBODY);
      assertSame([await sessions.verify(second.token)], [undefined]);
    },
  },
  {
    name: "auth: one of 200 updates at once wins",
    async run() {
      const { stores, passwords } = services();
      const { sub } = await passwords.createUser(ADA);
      const { version = "" } = await stores.users.findBySub(sub) ?? {};
      const results = await Promise.all(
        Array.from(
          { length: 200 },
          () => stores.users.update(sub, version, { securityStamp: "next" }),
        ),
      );
      assertSame(results.filter((result) => result === "updated").length, 1);
    },
  },
  {
    name: "auth: CSRF tokens pass from their own session alone",
    async run() {
      const csrf = csrfService({ keys: deriveKeys(SECRET), cookies: cookiePolicy() });
      const cookies = cookiePolicy();
      const session = cookies.set("sid", "s1");
      const { token, cookies: issued } = await csrf.issue(requestOf("GET", {}), "s1");
      const own = { "X-CSRF-Token": token, Origin: "https://example.com" };
      await csrf.check(post([session, ...issued], own));
      const other = post([cookies.set("sid", "s2"), ...issued], own);
      assertSame(await codeOf(csrf.check(other)), "csrf_failed");
      const foreign = post([session, ...issued], { ...own, Origin: "https://evil.example.com" });
      assertSame(await codeOf(csrf.check(foreign)), "csrf_failed");
      const bare = post([session], { Origin: "https://example.com" });
      await csrf.checkOrigin(bare);
    },
  },
  {
    name: "auth: a cookie that comes twice is ambiguous, however its fields arrive",
    run() {
      const headers = new Headers();
      headers.append("Cookie", "__Host-sid=a");
      headers.append("Cookie", "__Host-sid=b");
      const reading = readCookie(headers.get("Cookie"), "__Host-sid");
      const value = reading.status === "found" ? reading.value : "";
      assert(reading.status === "ambiguous" || value.includes(","), JSON.stringify(reading));
      assertSame(readCookie("\u00a0__Host-sid=a", "__Host-sid").status, "absent");
    },
  },
  {
    name: "auth: addresses are read strictly, IPv6 by /64",
    run() {
      const read = clientAddressReader({
        clientAddress: () => "10.0.0.1",
        trustedProxies: ["10.0.0.0/8"],
      });
      const request = requestOf("GET", { "X-Forwarded-For": "203.0.113.9, 2001:db8::1:2:3:4" });
      assertSame(read(request), "2001:db8::1:2:3:4");
      assertSame(addressBucket("2001:db8::1:2:3:4"), addressBucket("2001:db8::ffff:0:0:9"));
      assertSame(addressBucket("::ffff:1.2.3.4"), addressBucket("1.2.3.4"));
    },
  },
];

const REFUSED = "invalid_credentials";

/** First bytes of HMAC-SHA-256 of 01 02 03 under the HKDF key of the purpose csrf, by node:crypto. */
const EXPECTED_MAC: readonly number[] = [107, 65, 125, 246];

/** Does something under the limit that Cloudflare sets in production, and that workerd alone does not have. */
async function withCap<T>(work: () => Promise<T>): Promise<T> {
  const { subtle } = crypto;
  const deriveBits = (algorithm: Pbkdf2Params, key: CryptoKey, length: number) => {
    if (algorithm.iterations <= CAP) {
      return SubtleCrypto.prototype.deriveBits.call(subtle, algorithm, key, length);
    }
    const text = `Pbkdf2 failed: iteration counts above ${CAP} are not supported`;
    return Promise.reject(new DOMException(text, "NotSupportedError"));
  };
  Object.defineProperty(subtle, "deriveBits", { value: deriveBits, configurable: true });
  try {
    return await work();
  } finally {
    Reflect.deleteProperty(subtle, "deriveBits");
  }
}
