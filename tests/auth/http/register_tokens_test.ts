/** What `registerAuth()` makes of the option `jwt`, one by one. */

import {
  type AuthEvent,
  createContainer,
  inMemoryAuthStores,
  type IssuedTokens,
  type JwtOptions,
  registerAuth,
  type TokenRuntime,
} from "@gatehouse/http";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { decode } from "../_decode.ts";
import { untyped } from "../../router/_helpers.ts";
import { SECRET, START } from "../_services.ts";
import { JWT } from "./_token_routes.ts";
import { present, refreshTokenOf } from "../tokens/_tokens.ts";

/** A sign-in of Ada, `u1`. */
const STAMPED = { sub: "u1", securityStamp: "s1", authTime: START, amr: ["pwd"] };

interface Bench {
  readonly runtime: TokenRuntime;
  readonly clock: { now: number };
  readonly events: AuthEvent[];
  readonly warnings: string[];
  issue(): Promise<IssuedTokens>;
}

async function createBench(
  jwt: Partial<JwtOptions> = {},
  listen: (event: AuthEvent) => void = () => {},
): Promise<Bench> {
  const stores = inMemoryAuthStores({ now: () => 0 });
  await stores.users.create({
    sub: "u1",
    identifier: "ada",
    securityStamp: "s1",
    createdAt: START,
  });
  const clock = { now: START };
  const events: AuthEvent[] = [];
  const warnings: string[] = [];
  const runtime = registerAuth({
    secret: SECRET,
    stores,
    container: createContainer(),
    now: () => clock.now,
    events: (event) => {
      events.push(event);
      listen(event);
    },
    warn: (message) => void warnings.push(message),
    jwt: { ...JWT, ...jwt },
  });
  return { runtime, clock, events, warnings, issue: () => runtime.tokens.issue(STAMPED) };
}

const CLIENTS: readonly (readonly [why: string, jwt: Partial<JwtOptions>, clientId: string])[] = [
  ["the audience by itself", {}, JWT.audience],
  ["the one that is said", { clientId: "notes-app" }, "notes-app"],
];

for (const [why, jwt, clientId] of CLIENTS) {
  Deno.test(`registerAuth() issues tokens to a client: ${why}`, async () => {
    const { issue } = await createBench(jwt);
    const { client_id, aud, iss } = decode((await issue()).accessToken).claims;
    assertEquals([client_id, aud, iss], [clientId, JWT.audience, JWT.issuer]);
  });
}

/** Keys sign for an hour, and for longer only where access tokens last longer. */
const LIFETIMES: readonly (readonly [lifetime: number | undefined, longest: number])[] = [
  [undefined, 3_600],
  [600, 3_600],
  [3_600, 3_600],
  [3_601, 3_601],
  [172_800, 172_800],
];

for (const [lifetime, longest] of LIFETIMES) {
  Deno.test(`registerAuth() has keys sign for ${longest} s where tokens last ${lifetime ?? "as they do"}`, async () => {
    const { issue, runtime: { tokens: { keys } } } = await createBench({ lifetime });
    assertEquals((await issue()).expiresIn, lifetime ?? 600);
    await keys.sign({ sub: "u1" }, { expiresIn: longest });
    await assertRejects(() => keys.sign({ sub: "u1" }, { expiresIn: longest + 1 }), RangeError);
  });
}

Deno.test("registerAuth() makes keys for the algorithms that are named, and the first signs", async () => {
  const { issue, runtime: { tokens } } = await createBench({ algorithms: ["EdDSA", "ES256"] });
  const { accessToken } = await issue();
  assertEquals(decode(accessToken).header["alg"], "EdDSA");
  const { keys } = await tokens.keys.jwks();
  assertEquals(keys.map(({ alg }) => alg).sort(), ["ES256", "EdDSA"]);
  assertEquals((await present(tokens, accessToken)).status, "authenticated");
});

const ROTATIONS: readonly (readonly [rotateAfter: number | undefined, keys: number])[] = [
  [undefined, 1],
  [86_400, 2],
];

for (const [rotateAfter, count] of ROTATIONS) {
  Deno.test(`registerAuth() has ${count} keys a day after the first one where rotateAfter is ${rotateAfter}`, async () => {
    const { issue, clock, events, runtime: { tokens } } = await createBench({ rotateAfter });
    await issue();
    clock.now += 86_400 - 60;
    assertEquals((await tokens.keys.jwks()).keys.length, count);
    assertEquals(events.map(({ type }) => type), Array(count).fill("key.rotated"));
    assertEquals(events.at(-1)?.at, count === 1 ? START : clock.now);
  });
}

/** How long refresh tokens last, by the limits that are set. */
const LIMITS: readonly (readonly [
  why: string,
  refresh: JwtOptions["refresh"],
  after: number,
  isGood: boolean,
])[] = [
  ["14 days by themselves", undefined, 1_209_599, true],
  ["no longer than 14 days", undefined, 1_209_600, false],
  ["a lifetime of their own", { lifetime: 60 }, 59, true],
  ["no longer than their lifetime", { lifetime: 60 }, 60, false],
  ["as long as their family", { familyLifetime: 100 }, 99, true],
  ["no longer than their family", { familyLifetime: 100 }, 100, false],
];

for (const [why, refresh, after, isGood] of LIMITS) {
  Deno.test(`registerAuth() hands out refresh tokens that last ${why}`, async () => {
    const { issue, clock, runtime: { tokens } } = await createBench({ refresh });
    const first = refreshTokenOf(await issue());
    clock.now += after;
    const attempt = tokens.refresh(first);
    if (!isGood) return void await assertRejects(() => attempt);
    const result = await present(tokens, (await attempt).accessToken);
    assertEquals(result.status, "authenticated"); // all by the one clock
  });
}

Deno.test("registerAuth() tells of listeners that fail at what tokens do", async () => {
  const { issue, warnings, events, runtime: { tokens } } = await createBench({}, () => {
    throw new Error("full");
  });
  await tokens.refresh(refreshTokenOf(await issue()));
  assertEquals(events.map(({ type }) => type), ["key.rotated", "refresh.rotated"]);
  assertEquals(warnings.length, 2);
  for (const { type } of events) assert(warnings.some((warning) => warning.includes(type)), type);
});

Deno.test("registerAuth() asks the application whether the owner of a token may still come in", async () => {
  const open = new Set(["u1"]);
  const { issue, runtime: { tokens } } = await createBench({ accept: ({ sub }) => open.has(sub) });
  const { accessToken } = await issue();
  assertEquals((await present(tokens, accessToken)).status, "authenticated");
  open.clear();
  const result = await present(tokens, accessToken);
  assert(result.status === "failed");
  assertEquals([result.code, result.message], ["invalid_token", "not_accepted"]);
});

for (const store of ["keys", "refreshTokens"] as const) {
  Deno.test(`registerAuth() refuses jwt without stores.${store}`, () => {
    const stores = { ...inMemoryAuthStores(), [store]: undefined };
    const make = () =>
      registerAuth({
        secret: SECRET,
        stores: untyped(stores),
        container: createContainer(),
        jwt: JWT,
      });
    assertThrows(make, TypeError, "jwt needs stores.keys and stores.refreshTokens");
  });
}
