import { assert, assertEquals } from "@std/assert";
import { estimateGuesses, type MatchCode, wordsOf } from "../../../auth/password/_guessability.ts";
import { foldCase } from "../../../auth/password/_normalize.ts";
import { passwordPolicy, type PasswordProblemCode } from "../../../auth/password/policy.ts";

const NAMES = wordsOf("ada.lovelace@example.org", "contextual");

/** How passwords are cut; `|` shows where. */
const COUNTS: readonly (readonly [
  why: string,
  cut: string,
  codes: readonly MatchCode[],
])[] = [
  ["nothing foreseen", "c|o|r|r|e|c|t| |h|o|r|s|e", []],
  ["two equal characters are two", "a|a|b|b|c|c", []],
  ["three equal characters are one", "x|aaa|y", ["repetitive"]],
  ["so are many", "aaaaaaaaaaaaaaaaaaaa", ["repetitive"]],
  ["case makes no difference", "aAaAaA", ["repetitive"]],
  ["four characters that repeat two are four", "1|2|1|2|x", []],
  ["six that repeat two are one", "121212", ["repetitive"]],
  ["six that repeat three are one", "xqmxqm", ["repetitive"]],
  ["a repetition may break off", "kdmzkdmzkd", ["repetitive"]],
  ["a repeated sentence is one", "do re mi, do re mi, ", ["repetitive"]],
  ["and what follows counts", "do re mi, do re mi, |z|w|k", ["repetitive"]],
  ["up the alphabet", "q|abcd|q", ["predictable"]],
  ["down the alphabet", "q|dcba|q", ["predictable"]],
  ["up to three only", "a|b|d|e|g|h", []],
  ["digits, and 0 after 9", "1234567890", ["predictable"]],
  ["digits down", "9876|4|9|7", ["predictable"]],
  ["any alphabet", "αβγδε|ж|абвгд", ["predictable"]],
  ["two walks are two", "abcd|9876", ["predictable"]],
  ["a row of keys", "asdfghjkl", ["predictable"]],
  ["a row backwards", "poiuytrewq", ["predictable"]],
  ["keys of three keyboards", "qwertz|k|azertyui|d|йцукен", ["predictable"]],
  ["shifted digits", "!@#$%^", ["predictable"]],
  ["columns of keys", "1qaz|2wsx|3edc", ["predictable"]],
  ["a column up", "zaq1|xsw2", ["predictable"]],
  ["two rows in turn", "q1w2e3r4t5", ["predictable"]],
  ["the number pad", "147|258|369", ["predictable"]],
  ["a year", "x|1984|x|2026", ["predictable"]],
  ["a year among digits as digits", "5|2|0|2|6|x|1|9|8|4|0", []],
  ["a later and an earlier year as digits", "2|1|5|6|x|1|8|5|7", []],
  ["a name", "x|lovelace|y", ["contextual"]],
  ["a name in capitals", "LOVELACE", ["contextual"]],
  ["a name backwards", "ecalevol", ["contextual"]],
  ["a name in digits and signs", "l0v3l4c3|@|4d4", ["contextual"]],
  ["the part before the @", "adalovelace|z|w|k", ["contextual"]],
  ["with another separator", "ada_lovelace|z|w|k", ["contextual"]],
  ["with separators everywhere", "x|a-d.a--l--o v*e-l.a-c_e|x", ["contextual"]],
  ["the whole address", "ada.lovelace@example.org|1|9|7", ["contextual"]],
  ["half a name is none", "l|o|v|e|l|z", []],
  ["a cut that takes the later stretch whole", "l|a|lovelace", ["contextual"]],
  ["the fewest parts, not the longest first", "lovelace|exexexex|o", ["contextual", "repetitive"]],
];

for (const [why, cut, codes] of COUNTS) {
  Deno.test(`measurePassword() counts ${why}`, () => {
    const parts = cut.split("|");
    const { count, codes: found } = estimateGuesses(foldCase(parts.join("")), NAMES);
    assertEquals([...found].sort(), [...codes]);
    assertEquals(count, parts.length);
  });
}

Deno.test("wordsOf() leaves out what is shorter than 3 characters, and has each word once", () => {
  const texts = (text: string) =>
    wordsOf(text, "contextual").map(({ characters }) => characters.join(""));
  assertEquals(texts("al@io.de"), ["aliode", "edoila"]);
  assertEquals(texts("Anna anna ANNA"), ["anna", "annaannaanna"]);
  assertEquals(texts("Straße"), ["strasse", "essarts"]);
  assertEquals(texts(""), []);
  assertEquals(texts("@@ - @"), []);
  assert(texts("x".repeat(2 ** 20)).join("").length < 1000);
});

/** Texts in which a slower way to count would lose itself. */
const HOSTILE: readonly (readonly [why: string, password: string, words: string])[] = [
  ["one character", "a".repeat(256), "a".repeat(256)],
  ["one character and another last", `${"a".repeat(255)}b`, `${"a".repeat(127)}c`],
  ["a period of two", "ab".repeat(128), "ab".repeat(100)],
  ["periods in periods", "aabaabaac".repeat(28), "aabaabaacaabaabaab"],
  ["a walk", "abcdefghijklmnopqrstuvwxyz".repeat(9), "abcdefghijklmnopqrstuvwxyz"],
  ["separators only", "-".repeat(256), "aaa"],
  ["separators behind each letter", "a----".repeat(51), "aaaaaaaaaab"],
  ["many words", "a-".repeat(128), Array.from({ length: 60 }, (_, i) => `aa${i}`).join(".")],
];

for (const [why, password, words] of HOSTILE) {
  Deno.test(`measurePassword() reads no more than it has to: ${why}`, () => {
    let reads = 0;
    const characters = new Proxy(foldCase(password), {
      get(target, key, receiver) {
        reads++;
        return Reflect.get(target, key, receiver);
      },
    });
    const found = wordsOf(words, "contextual");
    estimateGuesses(characters, []);
    assert(reads < 40_000, `${reads} reads`); // 256 × 255 / 2, and a few for each start
    reads = 0;
    estimateGuesses(characters, found);
    assert(reads < 600_000, `${reads} reads with ${found.length} words`);
  });
}

/** A generator with a seed, so that a failure can be run again: mulberry32's step. */
function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

function pick(from: readonly string[], next: (limit: number) => number): string {
  return from[next(from.length)] ?? "";
}

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const ALPHABETS: Readonly<Record<string, readonly string[]>> = {
  digits: [..."0123456789"],
  "hexadecimal digits": [..."0123456789abcdef"],
  "small letters": LETTERS,
  "letters and digits": [...LETTERS, ...LETTERS.map((x) => x.toUpperCase()), ..."0123456789"],
  "printable ASCII": Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)),
  Cyrillic: Array.from({ length: 32 }, (_, i) => String.fromCharCode(0x430 + i)),
  hiragana: Array.from({ length: 83 }, (_, i) => String.fromCharCode(0x3041 + i)),
  Han: Array.from({ length: 2000 }, (_, i) => String.fromCharCode(0x4e00 + i)),
  emoji: Array.from({ length: 80 }, (_, i) => String.fromCodePoint(0x1f600 + i)),
};

for (const [name, alphabet] of Object.entries(ALPHABETS)) {
  Deno.test(`passwordPolicy() lets 99.9 % of random passwords pass: ${name}`, async () => {
    const next = random(20260115);
    const policy = passwordPolicy({ words: ["Gatehouse"] });
    let refused = 0;
    const tries = 4000;
    for (let i = 0; i < tries; i++) {
      const length = 15 + next(10);
      const password = Array.from({ length }, () => pick(alphabet, next)).join("");
      const problems = await policy.check(password, { identifier: "ada.lovelace@example.org" });
      if (problems.length > 0) refused++;
    }
    assert(refused < tries / 1000, `${refused} of ${tries} refused`);
  });
}

const ROWS = ["qwertyuiop", "asdfghjkl", "1234567890", "yxcvbnm", "1qaz", "wsx", "йцукенгшщз"];
const PLAIN = ["xk7vq2m", "é", "🌵", "7", " ", "Q", "語", "-"];

/** Kinds of stretches, each of which counts as one. */
const STRETCHES: readonly ((next: (limit: number) => number) => string)[] = [
  (next) => pick(LETTERS, next).repeat(3 + next(12)),
  (next) => LETTERS.join("").slice(next(20)).slice(0, 3 + next(12)),
  (next) => LETTERS.toReversed().join("").slice(next(20)).slice(0, 3 + next(12)),
  (next) => pick(ROWS, next).slice(0, 3 + next(8)),
  (next) => [...pick(ROWS, next)].toReversed().join(""),
  (next) => pick(["ada", "Lovelace", "EXAMPLE", "ada.lovelace", "4d4", "g@tehouse"], next),
  (next) => `${pick(LETTERS, next)}ñ${pick(PLAIN, next)}`.repeat(2 + next(3)),
  (next) => [...pick(PLAIN, next)].at(-1) ?? "",
];

Deno.test("passwordPolicy() refuses what is made of fewer than 8 stretches", async () => {
  const next = random(20260116);
  const policy = passwordPolicy({ words: ["Gatehouse"] });
  let long = 0;
  for (let i = 0; i < 5000; i++) {
    const kinds = Array.from({ length: 1 + next(7) }, () => STRETCHES[next(STRETCHES.length)]);
    const password = kinds.map((stretch) => stretch?.(next) ?? "").join("");
    const problems = await policy.check(password, { identifier: "ada.lovelace@example.org" });
    assert(problems.length > 0, password);
    if ([...password].length < 15) continue;
    long++;
    assert(problems.every(({ code }) => code !== "too_short"), password);
  }
  assert(long > 2500, `${long} were long enough to say something`);
});

Deno.test("passwordPolicy() tells every kind of stretch that was found", async () => {
  const codes = async (password: string): Promise<PasswordProblemCode[]> =>
    (await passwordPolicy({ words: ["Gatehouse"] }).check(password)).map(({ code }) => code);
  assertEquals(await codes("passwordGatehouseaaa123"), [
    "common",
    "contextual",
    "repetitive",
    "predictable",
  ]);
  assertEquals(await codes("abc"), ["too_short", "predictable"]);
});
