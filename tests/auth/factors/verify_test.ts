/** Verifying second factors: times, each code once, and what is no code. */

import { assert, assertEquals, assertFalse, assertRejects, assertThrows } from "@std/assert";
import {
  type FactorFailure,
  type FactorProof,
  factorService,
  type FactorServiceOptions,
} from "../../../auth/mod.ts";
import { types } from "../_services.ts";
import { CLIENT, factors, reasonOf, START, withTotp, wrongCode } from "./_factors.ts";

/** When the code of a step is presented, in seconds from its begin. */
const TIMES: readonly (readonly [seconds: number, reason: FactorFailure | undefined])[] = [
  [-31, "code_wrong"],
  [-30, undefined],
  [-1, undefined],
  [0, undefined],
  [1, undefined],
  [29, undefined],
  [30, undefined],
  [59, undefined],
  [60, "code_wrong"],
  [61, "code_wrong"],
];

for (const [seconds, reason] of TIMES) {
  Deno.test(`verify() ${reason ? "rejects" : "accepts"} a code ${seconds} s from its begin`, async () => {
    const { service, clock, events, code } = await withTotp();
    const begin = START + 300;
    const totp = await code(begin);
    clock.now = begin + seconds;
    const verify = () => service.verify("u1", { totp }, CLIENT);
    const event = { at: clock.now, sub: "u1", kind: "totp", ...CLIENT } as const;
    if (reason === undefined) {
      assertEquals(await verify(), { amr: ["otp"] });
      assertEquals(events, [{ type: "factor.used", ...event }]);
      assertEquals(await reasonOf(verify), "code_reused");
    } else {
      assertEquals(await reasonOf(verify), reason);
      assertEquals(events, [{ type: "factor.failed", reason, ...event }]);
    }
  });
}

Deno.test("verify() accepts each step once, and none before the last one", async () => {
  const { service, clock, code } = await withTotp();
  const [before, current, next] = [await code(), await code(START + 60), await code(START + 90)];
  clock.now = START + 60;
  await service.verify("u1", { totp: current }, CLIENT);
  for (const totp of [current, before]) {
    assertEquals(await reasonOf(() => service.verify("u1", { totp }, CLIENT)), "code_reused");
  }
  await service.verify("u1", { totp: next }, CLIENT); // the client's clock is ahead
  clock.now = START + 90;
  assertEquals(await reasonOf(() => service.verify("u1", { totp: next }, CLIENT)), "code_reused");
});

/** Proofs with a right code in a wrong form; `right` is the code of the current time. */
const WRONG:
  readonly (readonly [why: string, proofOf: (right: string, recovery: string) => unknown])[] = [
    ["no proof", () => undefined],
    ["null", () => null],
    ["a string", (right) => right],
    ["no member", () => ({})],
    ["both members", (totp, recoveryCode) => ({ totp, recoveryCode })],
    ["null as the code", () => ({ totp: null })],
    ["a number", (right) => ({ totp: Number(right) })],
    ["an array", (right) => ({ totp: [right] })],
    ["nothing", () => ({ totp: "" })],
    ["five digits", (right) => ({ totp: right.slice(0, 5) })],
    ["seven digits", (right) => ({ totp: `${right}0` })],
    ["two codes", (right) => ({ totp: right + right })],
    ["Arabic-Indic digits", (right) => ({ totp: shifted(right, 0x660) })],
    ["fullwidth digits", (right) => ({ totp: shifted(right, 0xff10) })],
    ["NUL at the end", (right) => ({ totp: `${right}\0` })],
    ["a code between 33 spaces", (right) => ({ totp: " ".repeat(33) + right })],
    ["a long string", () => ({ totp: "0".repeat(1_000_000) })],
    ["a recovery code as a code of the app", (_, recovery) => ({ totp: recovery })],
    ["a code of the app as a recovery code", (right) => ({ recoveryCode: right })],
    ["half a recovery code", (_, recovery) => ({ recoveryCode: recovery.slice(0, 5) })],
    ["an array of recovery codes", (_, recovery) => ({ recoveryCode: [recovery] })],
    ["an empty recovery code", () => ({ recoveryCode: "" })],
    ["null as a recovery code", () => ({ recoveryCode: null })],
  ];

function shifted(digits: string, zero: number): string {
  return digits.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

for (const [why, proofOf] of WRONG) {
  Deno.test(`verify() rejects ${why}, and uses nothing up`, async () => {
    const { service, code, recoveryCodes } = await withTotp();
    const [totp, [recoveryCode = ""]] = [await code(), recoveryCodes];
    const proof = proofOf(totp, recoveryCode) as FactorProof;
    assertEquals(await reasonOf(() => service.verify("u1", proof, CLIENT)), "code_wrong");
    await service.verify("u1", { totp }, CLIENT);
    await service.verify("u1", { recoveryCode }, CLIENT);
  });
}

Deno.test("verify() rejects a wrong code, a used one and every code of an unknown user alike", async () => {
  const { service, secret, clock, code, recoveryCodes, events } = await withTotp();
  const [totp, [recoveryCode = ""]] = [await code(), recoveryCodes];
  await service.verify("u1", { totp }, CLIENT);
  await service.verify("u1", { recoveryCode }, CLIENT);
  events.length = 0;
  const rows: readonly (readonly [sub: string, proof: FactorProof, reason: FactorFailure])[] = [
    ["u1", { totp: await wrongCode(secret, clock.now) }, "code_wrong"],
    ["u1", { totp }, "code_reused"],
    ["u1", { recoveryCode }, "code_wrong"],
    ["u1", { recoveryCode: "00000-00000" }, "code_wrong"],
    ["u2", { totp }, "factor_missing"],
    ["u2", { recoveryCode }, "factor_missing"],
    ["", { totp }, "factor_missing"],
    ["__proto__", { totp }, "factor_missing"],
    ["\0", { totp }, "factor_missing"],
  ];
  for (const [sub, proof, reason] of rows) { // reasonOf() compares what the client gets
    assertEquals(await reasonOf(() => service.verify(sub, proof, CLIENT)), reason, sub);
  }
  assertEquals(new Set(types(events)), new Set(["factor.failed"]));
  for (const text of [totp, recoveryCode]) assertFalse(JSON.stringify(events).includes(text));
});

Deno.test("verify() accepts codes with spaces, and recovery codes as people type them", async () => {
  const { service, code, recoveryCodes, clock } = await withTotp();
  const totp = await code();
  await service.verify("u1", { totp: ` ${totp.slice(0, 3)} ${totp.slice(3)}\n` }, CLIENT);
  const [first = "", second = ""] = recoveryCodes;
  const typed = [` ${first.toLowerCase()} `, second.replace("-", " ").replace(/1/g, "l")];
  for (const recoveryCode of typed) {
    assertEquals(await service.verify("u1", { recoveryCode }, CLIENT), { amr: ["otp"] });
    assertEquals(
      await reasonOf(() => service.verify("u1", { recoveryCode }, CLIENT)),
      "code_wrong",
    );
  }
  assertEquals((await service.list("u1")).recoveryCodes, 8);
  assertEquals(clock.now, START + 30);
});

// Options.

const OPTIONS: readonly (readonly [
  why: string,
  change: Record<string, unknown>,
  error: typeof TypeError | typeof RangeError,
])[] = [
  ["no store", { factors: undefined }, TypeError],
  ["no keys", { keys: undefined }, TypeError],
  ["no throttle", { throttle: undefined }, TypeError],
  ["a throttle that is false", { throttle: false }, TypeError],
  ["the store of the throttle", { throttle: { reserve: () => {} } }, TypeError],
  ["no issuer", { issuer: undefined }, TypeError],
  ["an empty issuer", { issuer: "" }, RangeError],
  ["an issuer with a colon", { issuer: "A:B" }, RangeError],
  ["an issuer with a line feed", { issuer: "A\nB" }, RangeError],
  ["a lone surrogate", { issuer: "\ud800" }, RangeError],
  ["a long issuer", { issuer: "a".repeat(101) }, RangeError],
];

for (const [why, change, error] of OPTIONS) {
  Deno.test(`factorService() rejects ${why}`, () => {
    const { stores } = factors();
    const keys = { encrypt: () => {}, decrypt: () => {} };
    const whole = { factors: stores.factors, keys, throttle: "insecureSkip", issuer: "Acme" };
    const options = (given: object) => given as unknown as FactorServiceOptions;
    factorService(options(whole));
    const create = () => factorService(options({ ...whole, ...change }));
    assertThrows(create, error, "Cannot create factor service");
  });
}

Deno.test("factorService() rejects a clock of milliseconds", async () => {
  const { service, clock } = factors();
  clock.now = Date.now();
  await assertRejects(() => service.enrolTotp("u1", "ada"), RangeError, "seconds");
  assert(Object.isFrozen(service));
});
