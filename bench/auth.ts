/**
 * What sessions and logins cost: `deno task bench:auth`.
 *
 * Prints what it takes to verify a session, beside the digest that each of them needs, and how many are verified in a
 * second; the memory of a session;
 * and the share of a login that is not hashing. Needs `--v8-flags=--expose-gc`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import {
  type AuthStores,
  cookiePolicy,
  csrfService,
  deriveKeys,
  inMemoryAuthStores,
  type PasswordHasher,
  passwordService,
  pbkdf2Hasher,
  type SessionService,
  sessionService,
  throttleService,
} from "@gatehouse/http/auth";
import { measure, median } from "./_measure.ts";
import { table } from "./_table.ts";

const SECRET = "a secret that only the tests know, kept";
const CREDENTIALS = { identifier: "ada@example.org", password: "lovelace wrote the notes" };
const SESSIONS = 100_000;
const LOGINS = 25;
/** Requests that are under way together, as on a server with something to do. */
const AT_ONCE = 32;
const DIGEST = "SHA-256 of the token";

/** A session of a user, and what verifies it. */
async function signIn(): Promise<{ sessions: SessionService; token: string }> {
  const stores = inMemoryAuthStores();
  await stores.users.create(userOf("u1"));
  const sessions = sessionService(stores);
  const { token } = await sessions.create(authenticationOf("u1"));
  return { sessions, token };
}

function userOf(sub: string) {
  return { sub, identifier: sub, securityStamp: "stamp", createdAt: 0 };
}

function authenticationOf(sub: string) {
  return { sub, securityStamp: "stamp", authTime: Math.floor(Date.now() / 1000), amr: ["pwd"] };
}

async function measureVerification(): Promise<string[][]> {
  const { sessions, token } = await signIn();
  const bytes = new TextEncoder().encode(token);
  const csrf = csrfService({ keys: deriveKeys(SECRET), cookies: cookiePolicy() });
  const page = new Request("https://example.com/");
  const issued = await csrf.issue(page, token);
  const cookie = [`__Host-sid=${token}`, ...issued.cookies.map((text) => text.split(";")[0])];
  const headers = {
    Cookie: cookie.join("; "),
    "X-CSRF-Token": issued.token,
    "Sec-Fetch-Site": "same-origin",
  };
  const post = new Request(page.url, { method: "POST", headers });
  await csrf.check(post);
  const contestants: readonly { name: string; run: () => Promise<unknown> }[] = [
    { name: DIGEST, run: () => crypto.subtle.digest("SHA-256", bytes) },
    { name: "sessions.verify()", run: () => sessions.verify(token) },
    { name: "csrf.checkOrigin()", run: () => csrf.checkOrigin(post) },
    { name: "csrf.check()", run: () => csrf.check(post) },
    { name: "csrf.issue()", run: () => csrf.issue(page, token) },
  ];
  const alone = await measure(contestants, () => undefined);
  const together = await measure(
    contestants.map(({ name, run }) => ({
      name,
      run: (): Promise<unknown> => Promise.all(Array.from({ length: AT_ONCE }, run)),
    })),
    () => undefined,
    { runs: 50 },
  );
  return alone.map(({ name, ns, over }, i) => {
    const many = together[i];
    return [
      name,
      (ns / 1000).toFixed(1),
      over(DIGEST).toFixed(2),
      Math.round(AT_ONCE * 1e9 / (many?.ns ?? NaN)).toLocaleString("en"),
      many?.over(DIGEST).toFixed(2) ?? "",
    ];
  });
}

/** Bytes of heap for each of many sessions, of as many users or of one. */
async function measureMemory(users: number): Promise<string[]> {
  const stores = inMemoryAuthStores();
  const sessions = sessionService(stores);
  for (let i = 0; i < users; i++) await stores.users.create(userOf(`u${i}`));
  const before = heapAfterCollection();
  for (let i = 0; i < SESSIONS; i++) await sessions.create(authenticationOf(`u${i % users}`));
  const bytes = (heapAfterCollection() - before) / SESSIONS;
  await keepAlive(stores);
  return [`${SESSIONS.toLocaleString("en")} of ${users.toLocaleString("en")}`, bytes.toFixed(0)];
}

function heapAfterCollection(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("Cannot measure memory: run with --v8-flags=--expose-gc");
  gc();
  gc();
  return Deno.memoryUsage().heapUsed;
}

/** Asks for something, so that nothing is collected before it was counted. */
async function keepAlive(stores: AuthStores): Promise<void> {
  await stores.sessions.list("u0");
}

/** The default hasher, and how long it took. */
function timed(hasher: PasswordHasher): { hasher: PasswordHasher; take: () => number } {
  let spent = 0;
  async function time<T>(work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      spent += performance.now() - start;
    }
  }
  return {
    hasher: {
      id: hasher.id,
      hash: (password) => time(() => hasher.hash(password)),
      verify: (password, encoded) => time(() => hasher.verify(password, encoded)),
      needsRehash: (encoded) => hasher.needsRehash(encoded),
    },
    take() {
      const result = spent;
      spent = 0;
      return result;
    },
  };
}

/** Whole logins: throttle, user, hash, session and CSRF token. */
async function measureLogin(): Promise<string[]> {
  const stores = inMemoryAuthStores();
  const keys = deriveKeys(SECRET);
  const { hasher, take } = timed(pbkdf2Hasher());
  const throttle = throttleService({ store: stores.throttle, keys });
  const passwords = passwordService({ ...stores, throttle, hasher });
  const sessions = sessionService(stores);
  const csrf = csrfService({ keys, cookies: cookiePolicy() });
  await passwords.createUser(CREDENTIALS);
  const request = new Request("https://example.com/auth/login", { method: "POST" });
  const wholes: number[] = [];
  const shares: number[] = [];
  for (let i = 0; i < LOGINS; i++) {
    take();
    const start = performance.now();
    const authentication = await passwords.verify(CREDENTIALS, { address: "192.0.2.1" });
    const { token } = await sessions.create(authentication);
    await csrf.issue(request, token);
    await throttle.issueDevice(authentication);
    const whole = performance.now() - start;
    wholes.push(whole);
    shares.push((whole - take()) / whole);
  }
  return [median(wholes).toFixed(1), `${(median(shares) * 100).toFixed(2)} %`];
}

if (import.meta.main) {
  console.log(
    table(
      ["", "µs alone", "÷ the digest", `per second, ${AT_ONCE} at once`, "÷ the digest"],
      await measureVerification(),
    ) + "\n",
  );
  console.log(
    table(["sessions of users", "bytes of heap each"], [
      await measureMemory(SESSIONS),
      await measureMemory(1000),
    ]) + "\n",
  );
  console.log(table(["login, ms", "outside the hash"], [await measureLogin()]));
}
