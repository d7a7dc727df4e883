/** Tokens and header fields of chance: none passes, and none is anything but refused. */

import { assert } from "@std/assert";
import { AuthError } from "../../../auth/error.ts";
import { randomNumbers } from "../../static/_random.ts";
import { csrf, IN_A, IN_B, issued, refusal, request, sent, URL_HERE } from "./_csrf.ts";

/** The seeds are fixed: what passes today passes in every run. */
Deno.test("check() refuses 24,000 mutants of good tokens", async () => {
  const random = randomNumbers(42);
  const good = [await issued(csrf, IN_A), await issued(csrf, {}), await issued(csrf, IN_B)];
  const swap = (text: string, i: number, j: number) => {
    const letters = [...text];
    [letters[i], letters[j]] = [letters[j] ?? "", letters[i] ?? ""];
    return letters.join("");
  };
  const mutations: ((token: string) => string)[] = [
    (token) => { // one bit
      const at = random(token.length);
      return token.slice(0, at) + String.fromCharCode(token.charCodeAt(at) ^ (1 << random(7))) +
        token.slice(at + 1);
    },
    (token) => { // another digit
      const at = random(token.length);
      return token.slice(0, at) + "0123456789abcdef".charAt(random(16)) + token.slice(at + 1);
    },
    (token) => token.slice(0, random(token.length)),
    (token) => token.slice(1 + random(token.length - 1)),
    (token) => token + "0123456789abcdef.".charAt(random(17)).repeat(1 + random(4)),
    (token) => swap(token, random(token.length), random(token.length)),
    (token) => { // a part twice
      const at = random(token.length);
      return token.slice(0, at) + token.slice(random(token.length));
    },
    (token) => token.slice(0, random(65)) + (good[random(3)]?.token ?? "").slice(random(65)),
  ];
  let mutants = 0;
  while (mutants < 24_000) {
    const { token, jar } = good[random(3)] ?? { token: "", jar: {} };
    const mutant = (mutations[random(mutations.length)] ?? String)(token);
    if (good.some(({ token }) => token === mutant) || /[\0\r\n]/.test(mutant)) continue;
    mutants++;
    // Two in three have the cookie that an attacker would plant beside it
    const cookies = random(3) === 0 ? jar : { ...jar, "__Host-csrf": mutant };
    const reason = await refusal(csrf, sent(cookies, mutant));
    assert(reason !== undefined, `passed: ${mutant} for ${token}`);
  }
});

Deno.test("check(), checkOrigin() and issue() meet header fields of chance with an AuthError or nothing", async () => {
  const random = randomNumbers(7);
  const pick = <T>(list: readonly T[]) => list[random(list.length)] as T;
  const { token } = await issued(csrf, IN_A);
  const pieces = [
    "",
    " ",
    ";",
    "=",
    ",",
    ".",
    '"',
    "%00",
    "\u00a0",
    "\u00ff",
    "null",
    "__Host-sid",
    "__Host-csrf",
    "__Host-presid",
    "__proto__",
    token,
    "https://example.com",
    "https://",
    "[",
    "]",
    "@",
    ":99999",
    "://",
    "same-origin",
    "A".repeat(5_000),
  ];
  const text = () => Array.from({ length: random(8) }, () => pick(pieces)).join("");
  for (let i = 0; i < 5_000; i++) {
    const headers = new Headers();
    for (const name of ["Cookie", "X-CSRF-Token", "Origin", "Sec-Fetch-Site"]) {
      if (random(3) > 0) headers.set(name, text());
    }
    const url = pick([
      URL_HERE,
      "http://[::1]:8000/",
      "http://example.com:443/x",
      "https://b\u00fccher.example/",
    ]);
    const attempt = request(headers, pick(["POST", "PUT", "DELETE"]), url);
    assert(await refusal(csrf, attempt) !== undefined);
    await refusal(csrf, attempt, "checkOrigin");
    await csrf.issue(attempt).catch((error) => assert(error instanceof AuthError, String(error)));
  }
});
