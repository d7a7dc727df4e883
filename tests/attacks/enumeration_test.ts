/** The catalogue "Passwords and throttle": account enumeration; rows are only added. */

import { createRouter, json } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import {
  ADA,
  CLIENT,
  fail,
  PASSWORD,
  refusal,
  repeat,
  shown,
  withUsers,
} from "../auth/_services.ts";

const WRONG = { ...ADA, password: "babbage did it" };

/** Accounts whose responses must not differ. */
const ACCOUNTS: readonly string[] = [ADA.identifier, "nobody", "unset", "disabled", "__proto__"];
const GUESSES: readonly (readonly [
  source: string,
  what: string,
  password: unknown,
  hashes?: number,
])[] = [
  ["ATTACKS", "a wrong password", "babbage did it", 5],
  ["ATTACKS", "a password of 2 KiB", "x".repeat(2048)],
  ["neighbour", "a password of 1 MB", "x".repeat(1_000_000)],
  ["ATTACKS", "the right password with NUL", `${PASSWORD}\0`],
  ["ATTACKS", "a lone surrogate", `${PASSWORD}\udfff`],
  ["neighbour", "an empty password", "", 5],
  ["neighbour", "no password", undefined],
  ["neighbour", "an object", { $ne: null }],
];
for (const [source, what, password, expected = 0] of GUESSES) {
  Deno.test(`[${source}] enumeration: ${what} → identical responses and the same number of hashes`, async () => {
    const { passwords, hasher } = await withUsers();
    const router = createRouter().get("/:account", async (req) => {
      await passwords.verify({ identifier: req.params.account, password } as never, CLIENT);
      return json("in");
    });
    const answers: string[][] = [];
    const hashes: number[] = [];
    for (const account of ACCOUNTS) {
      const answer: string[] = [];
      hasher.calls.length = 0;
      for (const _ of repeat(7, () => 0)) {
        const response = await router.request(`/${account}`);
        answer.push(JSON.stringify([response.status, ...response.headers, await response.text()]));
      }
      answers.push(answer);
      hashes.push(hasher.calls.length);
    }
    for (const answer of answers) assertEquals(answer, answers[0]);
    assertEquals(hashes, ACCOUNTS.map(() => expected));
    const locked = expected === 0 ? "401" : "429"; // an invalid password is not a guess
    assertEquals(answers[0]?.map((answer) => answer.slice(1, 4)), [
      ...repeat(5, () => "401"),
      locked,
      locked,
    ]);
  });
}

Deno.test("[ATTACKS] enumeration: the right password of a locked account → throttled like an unknown account", async () => {
  const { passwords, hasher } = await withUsers();
  const answers: unknown[] = [];
  for (const identifier of ACCOUNTS) {
    await fail(5, () => passwords.verify({ ...WRONG, identifier }, CLIENT));
    hasher.calls.length = 0;
    answers.push(shown(await refusal(() => passwords.verify({ ...ADA, identifier }, CLIENT))));
    assertEquals(hasher.calls, []);
  }
  for (const answer of answers) assertEquals(answer, answers[0]);
});
