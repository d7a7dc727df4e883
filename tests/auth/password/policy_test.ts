/** Requirements on new passwords: length, guessability, and the list of common passwords. */

import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { INPUTS } from "../../_effort.ts";
import { commonPasswords } from "../../../auth/password/_common_passwords.ts";
import { estimateGuesses, type MatchCode, wordsOf } from "../../../auth/password/_guessability.ts";
import { foldCase } from "../../../auth/password/_normalize.ts";
import {
  type PasswordPolicy,
  passwordPolicy,
  type PasswordPolicyOptions,
  type PasswordProblemCode,
} from "../../../auth/password/policy.ts";

const IDENTIFIER = "ada.lovelace@example.org";
const WORDS = ["Gatehouse Notes"];

const strict = passwordPolicy({ words: WORDS });
const lenient = passwordPolicy({ words: WORDS, minLength: 8 });

async function codesOf(
  policy: PasswordPolicy,
  password: unknown,
  identifier = IDENTIFIER,
): Promise<PasswordProblemCode[]> {
  return (await policy.check(password, { identifier })).map(({ code }) => code);
}

const PRINTABLE = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i));
/** 64 characters without any match. */
const LONG = "Vk3-mQ9_xT2.bL7~hR4+nW8=cZ1,pF6:gD5;sJ0!yB3?uE7*aX2^oK9%tM4@iC8h";

/** 256 characters without any match. */
const LONGEST = Array.from({ length: 256 }, (_, i) => String.fromCodePoint(0x4e00 + i * 79)).join(
  "",
);

/** SP 800-63B-4 §3.1.1.2: the numbered requirements, then those below them. */
const RULES: readonly (readonly [
  rule: string,
  policy: PasswordPolicy,
  password: string,
  codes: readonly PasswordProblemCode[],
])[] = [
  ["(1) 14 characters are too few for a single factor", strict, "five quiet her", ["too_short"]],
  ["(1) 15 characters are enough", strict, "five quiet hero", []],
  ["(1) 7 characters are always too few", lenient, "xk7vq2m", ["too_short"]],
  ["(1) 8 characters may be enough", lenient, "xk7vq2mt", []],
  ["(2) 64 characters are allowed", strict, LONG, []],
  ["(2) 256 characters are allowed", strict, LONGEST, []],
  ["(2) 257 characters are more than the maximum", strict, `${LONGEST}x`, ["too_long"]],
  ["(3) spaces are characters", strict, " a  b   c d e f ", []],
  ["(4) Unicode is allowed", strict, "пять тихих цапель", []],
  ["(4) a code point is one character: 14", strict, "🌵🎷🐙🚲🍋🔭🎲🪁🦉🧊🚀🍄🎻🗿", ["too_short"]],
  ["(4) a code point is one character: 15", strict, "🌵🎷🐙🚲🍋🔭🎲🪁🦉🧊🚀🍄🎻🗿🥨", []],
  ["(4) not a UTF-16 unit", lenient, "🌵🎷🐙🚲", ["too_short"]],
  ["(4) a mark that NFC composes is not a character", lenient, "áéíóúýć".normalize("NFD"), [
    "too_short",
  ]],
  ["(5) lower-case letters alone are accepted", strict, "fivequietheronsatdawn", []],
  ["(5) upper-case letters alone are accepted", strict, "FIVEQUIETHERONSATDAWN", []],
  ["(5) digits alone are accepted", strict, "830174659203847", []],
  ["(5) symbols alone are accepted", strict, "%)~{;&?<=*|>:^/", []],
  ["(9) nothing is truncated: late characters count", strict, `${"a".repeat(60)}xk7vq2mt`, []],
  ["a match and 7 characters count 8", strict, "aaaaaaaaaxk7vq2m", []],
  ["a match and 6 characters count 7", strict, "aaaaaaaaaaxk7vq2", ["repetitive"]],
  ["a word within a password is allowed", strict, "no password is as long as this one", []],
  ["a name within a password is allowed", strict, "for ada, who wrote of wheels", []],
  ["the whole password is common", lenient, "trustno1", ["common"]],
  ["with digits instead of letters: 1 for l", lenient, "e1ephant", ["common"]],
  ["with digits instead of letters: 1 for i", lenient, "sunsh1ne", ["common"]],
  ["with digits and symbols around it", lenient, "!1elephant1!", ["common"]],
  ["8 additional digits are enough", lenient, "elephant83017465", []],
  ["the whole password is a word", lenient, "elephant", ["common"]],
  ["the whole password is a name", lenient, "elizabeth", ["common"]],
  ["the whole password is the service's name", lenient, "gatehouse", ["contextual"]],
  ["the whole password is the user's identifier", lenient, "lovelace", ["contextual"]],
];

for (const [rule, policy, password, codes] of RULES) {
  Deno.test(`passwordPolicy() follows SP 800-63B-4 §3.1.1.2: ${rule}`, async () => {
    assertEquals(await codesOf(policy, password), [...codes]);
  });
}

Deno.test("passwordPolicy() follows SP 800-63B-4 §3.1.1.2: (3) every printable character", async () => {
  for (const character of PRINTABLE) {
    assertEquals(await codesOf(strict, `fivequiether${character}ns`), [], character);
  }
});

Deno.test("passwordPolicy() returns reasons and guidance without the password", async () => {
  const password = "Gatehouse1234aaaa";
  const problems = await strict.check(password);
  assertEquals(problems.map(({ code }) => code), ["contextual", "repetitive", "predictable"]);
  for (const { message } of [...problems, ...await lenient.check("pw"), ...await strict.check(1)]) {
    assert(/^(?:Add|Choose|Type|Use) [^.]+$/.test(message), message);
    assert(!message.includes(password));
  }
  const [short] = await lenient.check("pw");
  assertEquals(
    short?.message,
    "Use at least 8 characters: a few words that do not belong together will do",
  );
});

for (const value of [undefined, null, 5, {}, ["five quiet herons"], "five quiet\0herons"]) {
  Deno.test(`passwordPolicy() rejects ${JSON.stringify(value)} as a password`, async () => {
    assertEquals(await codesOf(strict, value), ["invalid_characters"]);
  });
}

Deno.test("passwordPolicy() decides equally for NFC and NFD", async () => {
  const policy = passwordPolicy({ minLength: 8, words: ["Zürichérie".normalize("NFD")] });
  for (const form of ["NFC", "NFD"]) {
    assertEquals(await codesOf(policy, "Zürichérie".normalize(form)), ["contextual"]);
    assertEquals(await codesOf(strict, "éèêëàâäîïôöûüçñ".normalize(form)), []);
    const named = await codesOf(lenient, "rené.über".normalize(form), "RENÉ.ÜBER".normalize("NFD"));
    assertEquals(named, ["contextual"]);
  }
});

Deno.test("passwordPolicy() uses the dictionaries only below 15 characters", async () => {
  assertEquals(await codesOf(passwordPolicy({ minLength: 14 }), "mailcreated5240"), ["common"]);
  assertEquals(await codesOf(passwordPolicy({ minLength: 15 }), "mailcreated5240"), []);
});

Deno.test("passwordPolicy() does not require a context", async () => {
  assertEquals(await strict.check("five quiet herons at dawn"), []);
  assertEquals(await strict.check("five quiet herons at dawn", {}), []);
});

const WRONG: readonly (readonly [
  why: string,
  options: Record<string, unknown>,
  error: typeof TypeError | typeof RangeError,
])[] = [
  ["minLength 7, below the standard's minimum", { minLength: 7 }, RangeError],
  ["minLength 257, above the maximum length", { minLength: 257 }, RangeError],
  ["minLength 8.5", { minLength: 8.5 }, RangeError],
  ["minLength NaN", { minLength: NaN }, RangeError],
  ["minLength Infinity", { minLength: Infinity }, RangeError],
  ["minLength as a string", { minLength: "15" }, TypeError],
  ["minLength null", { minLength: null }, TypeError],
  ["words as one string", { words: "Gatehouse" }, TypeError],
  ["a word that is not a string", { words: ["Gatehouse", 5] }, TypeError],
  ["breached as an array", { breached: ["password"] }, TypeError],
  ["breached null", { breached: null }, TypeError],
  ["a misspelt breached, which would check nothing", { breeched: () => true }, TypeError],
];

for (const [why, options, error] of WRONG) {
  Deno.test(`passwordPolicy() rejects ${why}`, () => {
    assertThrows(
      () => passwordPolicy(options as PasswordPolicyOptions),
      error,
      "Cannot create password policy: ",
    );
  });
}

Deno.test("passwordPolicy() accepts the smallest and the largest minimum", async () => {
  assertEquals(await codesOf(passwordPolicy({ minLength: 8 }), "xk7vq2mt"), []);
  const longest = passwordPolicy({ minLength: 256 });
  assertEquals(await codesOf(longest, LONGEST), []);
  assertEquals(await codesOf(longest, LONGEST.slice(1)), ["too_short"]);
});

Deno.test("passwordPolicy() calls `breached` last, with the NFC form, for passwords without other problems", async () => {
  const asked: string[] = [];
  const policy = passwordPolicy({
    breached: (password) => {
      asked.push(password);
      return password.includes("é");
    },
  });
  const nfd = "cinq hérons à l'aube".normalize("NFD");
  assertEquals(await codesOf(policy, nfd), ["breached"]);
  assertEquals(await codesOf(policy, "five quiet herons"), []);
  for (const refused of ["short", "aaaaaaaaaaaaaaaaé", "é".repeat(300), "\0", 5]) {
    assert(!(await codesOf(policy, refused)).includes("breached"));
  }
  assertEquals(asked, [nfd.normalize("NFC"), "five quiet herons"]);
});

Deno.test("passwordPolicy() awaits `breached`", async () => {
  const answers = [true, false];
  const policy = passwordPolicy({
    breached: async () => await Promise.resolve(answers.shift() === true),
  });
  assertEquals(await codesOf(policy, "five quiet herons"), ["breached"]);
  assertEquals(await codesOf(policy, "five quiet herons"), []);
});

Deno.test("passwordPolicy() rejects with the error of `breached`", async () => {
  const later = passwordPolicy({ breached: () => Promise.reject(new Error("out of order")) });
  const atOnce = passwordPolicy({
    breached: () => {
      throw new Error("out of order");
    },
  });
  for (const policy of [later, atOnce]) {
    await assertRejects(() => policy.check("five quiet herons"), Error, "out of order");
  }
});

const GOOD: readonly (readonly [kind: string, passwords: readonly string[]])[] = [
  ["dice words", [
    "correct horse battery staple",
    "jolt-ember-quilt-canal",
    "plaza mocha unfit wreath",
    "CrispOtterVelvetRamp",
    "shrug_tulip_anvil_foggy",
    "rind kelp bogus dwarf",
    "zipper.mantra.chowder",
    "unbent 4 gravy outlast",
    "tabby sixth wok relic prune",
    "Stoff Lampe Ziege Moos",
    "canoa trueno lápiz hueso",
  ]],
  ["random passwords of password managers", [
    "kT9#vPq2!mZx7Lw",
    "x4KjW8rTn2QbYc6",
    "hY7dkq-Mwr2pz-Xvnt9c",
    "0qv83ndk1zx6mbtw",
    "9f1c4be27d03a85e",
    "mZ/8+Qk1xT0vRb3JpHs5cA==",
    "tivko7-beqdUg-rynzow",
    "830174659203847",
    "%)~{;&?<=*|>:^/",
    "3b1f8d1e-52c7-4f0a-9c66-1f0e2ad7b941",
  ]],
  ["sentences", [
    "My cat was born in March 2019 in a shed",
    "every may we drive to the lake",
    "In October the geese leave, I stay",
    "the quick brown fox jumps over the lazy dog",
    "to be or not to be",
    "my sister ate 17 pancakes",
    "Who ordered the second soup?",
    "never again a boat in november",
    "Meine Oma fährt im Januar Ski",
    "le chat dort sous la table",
    "no password is as long as this one",
    "for ada, who wrote of wheels",
    "the gatehouse has a green door",
    "a very very very long day at sea",
    "banana mississippi papaya",
    "one two three four five",
  ]],
  ["other scripts", [
    "пять тихих цапель",
    "πέντε ήσυχοι ερωδιοί",
    "חמש אנפות שקטות בשחר",
    "خمسة طيور هادئة عند الفجر",
    "भोर में पाँच शांत बगुले",
    "夜明けに五羽の静かな鷺がいる川辺",
    "黎明时分五只安静的苍鹭站在河边看鱼",
    "새벽에 조용한 왜가리 다섯 마리",
    "นกกระสาเงียบห้าตัวยามเช้า",
    "հինգ լուռ ձկնկուլներ",
    "ხუთი მშვიდი ყანჩა",
    "🌵🎷🐙🚲🍋🔭🎲🪁🦉🧊🚀🍄🎻🗿🥨",
  ]],
];

for (const [kind, passwords] of GOOD) {
  Deno.test(`passwordPolicy() accepts ${kind}`, async () => {
    for (const policy of [strict, lenient]) {
      for (const password of passwords) {
        assertEquals(await policy.check(password, { identifier: IDENTIFIER }), [], password);
      }
    }
  });
}

/** Rejected although long enough, with all codes. */
const BAD: readonly (readonly [
  codes: readonly PasswordProblemCode[],
  passwords: readonly string[],
])[] = [
  [["repetitive"], [
    "aaaaaaaaaaaaaaa",
    "AAAAAAAAAAAAAAAAaaaa",
    "               ",
    "abcabcabcabcabc",
    "passwordpassword",
    "xyxyxyxyxyxyxyxy",
    "k7mQk7mQk7mQk7mQ",
    "hunter2hunter2hunter2",
    "lalalalalalalalala",
    "horse horse horse",
    "🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑",
    "日本日本日本日本日本日本日本日本",
    "aaabbbcccdddeee",
    "111222333444555",
    "....................",
    "go go go go go go",
    "kT9#vPq2kT9#vPq2",
    "ÄäÄäÄäÄäÄäÄäÄäÄä",
    "147258369147258369",
    "iloveyouiloveyou",
    "пароль пароль пароль",
  ]],
  [["predictable"], [
    "abcdefghijklmno",
    "zyxwvutsrqponmlk",
    "123456789012345",
    "987654321098765",
    "0123456789abcdef",
    "abcdefg1234567890",
    "qwertyuiopasdfgh",
    "qwertzuiopasdfgh",
    "azertyuiopqsdfghjklm",
    "asdfghjklqwertyuiop",
    "1qaz2wsx3edc4rfv",
    "zaq1xsw2cde3vfr4",
    "qazwsxedcrfvtgb",
    "q1w2e3r4t5y6u7i8o9p0",
    "1q2w3e4r5t6y7u8i",
    "йцукенгшщзфывапр",
    "абвгдежзийклмноп",
    "αβγδεζηθικλμνξο",
    "!@#$%^&*()_+!@#$",
    "qwerty!@#$%^1234",
    "poiuytrewqlkjhgfdsa",
    "😀😁😂😃😄😅😆😇😈😉😊😋😌😍😎",
    "qweasdzxcrtyfgh",
  ]],
  [["contextual"], [
    "ada.lovelace@example.org",
    "adalovelace@example",
    "ecalevol.ada.elpmaxe",
    "LOVELACE-EXAMPLE-9",
    "4d4.l0v3l4c3@3x4mpl3",
    "gatehouse-lovelace",
    "gatehouse notes gatehouse",
    "G4t3h0us3-N0t3s-26",
    "ada@gatehouse.notes",
    "ada_lovelace_26#",
    "l.o.v.e.l.a.c.e.1.2.3",
    "My Gatehouse Notes",
  ]],
  [["contextual", "predictable"], [
    "Ada Lovelace 2026!",
    "Gatehouse2026!!",
    "gatehouse12345678",
    "lovelace-abcdefgh",
    "Ada123456789012",
  ]],
  [["common"], [
    "password-passphrase",
    "P@ssw0rd-P@ssw0rd1",
    "ILoveYou Password!",
    "letmein-letmein!!",
    "changeme-changeme1",
  ]],
  [["common", "predictable"], [
    "Passwort2026!??",
    "welcome-admin-2026",
    "contraseña12345",
    "password12345678",
    "Password123456!!",
    "admin1234567890!",
    "welcome123456789",
    "letmeinqwertyuiop",
    "secretabcdefghijk",
  ]],
  [["common", "repetitive"], [
    "password!!!!!!!!",
  ]],
  [["contextual", "repetitive"], [
    "gatehouseaaaaaaaa",
  ]],
  [["repetitive", "predictable"], [
    "adaadaada1234567",
    "aaaaaaa12345678",
  ]],
  [["common", "contextual"], [
    "passwordLovelace",
    "welcome ada lovelace",
    "admin@gatehouse.example",
  ]],
  [["contextual", "repetitive", "predictable"], [
    "Gatehouse1234aaaa",
  ]],
];

/** Rejected with a minimum of 8 characters. */
const BAD_SHORT: readonly (readonly [
  codes: readonly PasswordProblemCode[],
  passwords: readonly string[],
])[] = [
  [["common"], [
    "password",
    "Password",
    "PASSWORD1",
    "p@ssw0rd",
    "P@$$w0rd!",
    "12345678",
    "123456789",
    "11111111",
    "iloveyou",
    "trustno1",
    "trustno1!!",
    "sunshine",
    "Sunshine1!",
    "princess99",
    "!!football!!",
    "superman",
    "starwars77",
    "michelle",
    "Jennifer1",
    "computer",
    "internet12",
    "dragonfly",
    "elephant!",
    "mountain1",
    "whatever",
    "qwertyui",
    "1qaz2wsx",
    "asdfghjk",
    "aaaabbbb",
    "changeme",
    "letmein1",
    "welcome1",
    "admin123",
    "password123",
  ]],
  [["common", "predictable"], [
    "baseball2026",
    "Alexander2026",
    "passw0rd2026",
  ]],
  [["predictable"], [
    "zxcvbnm,",
    "abcdefgh",
    "87654321",
  ]],
  [["repetitive"], [
    "aaaaaaaa",
    "ababababab",
    "xyzxyzxyz",
    "adaadaada",
  ]],
  [["contextual"], [
    "lovelace",
    "Lovelace1",
    "ecalevol",
    "gatehouse",
    "G@tehouse!",
    "example.org",
  ]],
  [["contextual", "predictable"], [
    "ada12345",
    "notes2026",
  ]],
];

for (const [codes, passwords] of BAD) {
  Deno.test(`passwordPolicy() rejects long passwords: ${codes.join(" and ")}`, async () => {
    for (const password of passwords) {
      const problems = await strict.check(password, { identifier: IDENTIFIER });
      assertEquals(problems.map(({ code }) => code), [...codes], password);
    }
  });
}

for (const [codes, passwords] of BAD_SHORT) {
  Deno.test(`passwordPolicy() rejects short passwords: ${codes.join(" and ")}`, async () => {
    for (const password of passwords) {
      const problems = await lenient.check(password, { identifier: IDENTIFIER });
      assertEquals(problems.map(({ code }) => code), [...codes], password);
    }
  });
}

Deno.test("passwordPolicy() is tested with enough passwords", () => {
  const count = (table: readonly (readonly [unknown, readonly string[]])[]) =>
    new Set(table.flatMap(([, passwords]) => passwords)).size;
  assert(count(GOOD) >= 40);
  assert(count(BAD) + count(BAD_SHORT) >= 80);
});

const NAMES = wordsOf("ada.lovelace@example.org", "contextual");

/** How passwords are split; `|` marks the splits. */
const COUNTS: readonly (readonly [
  why: string,
  cut: string,
  codes: readonly MatchCode[],
])[] = [
  ["unmatched characters", "c|o|r|r|e|c|t| |h|o|r|s|e", []],
  ["two equal characters as two", "a|a|b|b|c|c", []],
  ["three equal characters as one", "x|aaa|y", ["repetitive"]],
  ["many equal characters as one", "aaaaaaaaaaaaaaaaaaaa", ["repetitive"]],
  ["equal characters in any case", "aAaAaA", ["repetitive"]],
  ["four characters that repeat two as four", "1|2|1|2|x", []],
  ["six characters that repeat two as one", "121212", ["repetitive"]],
  ["six characters that repeat three as one", "xqmxqm", ["repetitive"]],
  ["an incomplete repetition", "kdmzkdmzkd", ["repetitive"]],
  ["a repeated sentence as one", "do re mi, do re mi, ", ["repetitive"]],
  ["the characters after a repetition", "do re mi, do re mi, |z|w|k", ["repetitive"]],
  ["an ascending sequence", "q|abcd|q", ["predictable"]],
  ["a descending sequence", "q|dcba|q", ["predictable"]],
  ["sequences of at most two as characters", "a|b|d|e|g|h", []],
  ["digits, and 0 after 9", "1234567890", ["predictable"]],
  ["descending digits", "9876|4|9|7", ["predictable"]],
  ["sequences in any alphabet", "αβγδε|ж|абвгд", ["predictable"]],
  ["two sequences as two", "abcd|9876", ["predictable"]],
  ["a keyboard row", "asdfghjkl", ["predictable"]],
  ["a reversed keyboard row", "poiuytrewq", ["predictable"]],
  ["rows of three keyboards", "qwertz|k|azertyui|d|йцукен", ["predictable"]],
  ["shifted digits", "!@#$%^", ["predictable"]],
  ["keyboard columns", "1qaz|2wsx|3edc", ["predictable"]],
  ["a reversed keyboard column", "zaq1|xsw2", ["predictable"]],
  ["two alternating keyboard rows", "q1w2e3r4t5", ["predictable"]],
  ["the number pad", "147|258|369", ["predictable"]],
  ["a year", "x|1984|x|2026", ["predictable"]],
  ["a year among digits as digits", "5|2|0|2|6|x|1|9|8|4|0", []],
  ["years out of range as digits", "2|1|5|6|x|1|8|5|7", []],
  ["a name", "x|lovelace|y", ["contextual"]],
  ["a name in capitals", "LOVELACE", ["contextual"]],
  ["a reversed name", "ecalevol", ["contextual"]],
  ["a name in digits and symbols", "l0v3l4c3|@|4d4", ["contextual"]],
  ["the local part of an address", "adalovelace|z|w|k", ["contextual"]],
  ["a name with another separator", "ada_lovelace|z|w|k", ["contextual"]],
  ["a name with separators everywhere", "x|a-d.a--l--o v*e-l.a-c_e|x", ["contextual"]],
  ["the whole address", "ada.lovelace@example.org|1|9|7", ["contextual"]],
  ["a part of a name as characters", "l|o|v|e|l|z", []],
  ["overlapping matches with the later one whole", "l|a|lovelace", ["contextual"]],
  ["the fewest parts, not the longest match first", "lovelace|exexexex|o", [
    "contextual",
    "repetitive",
  ]],
];

for (const [why, cut, codes] of COUNTS) {
  Deno.test(`estimateGuesses() counts ${why}`, () => {
    const parts = cut.split("|");
    const { count, codes: found } = estimateGuesses(foldCase(parts.join("")), NAMES);
    assertEquals([...found].sort(), [...codes]);
    assertEquals(count, parts.length);
  });
}

Deno.test("wordsOf() omits words of less than 3 characters, and duplicates", () => {
  const texts = (text: string) =>
    wordsOf(text, "contextual").map(({ characters }) => characters.join(""));
  assertEquals(texts("al@io.de"), ["aliode", "edoila"]);
  assertEquals(texts("Anna anna ANNA"), ["anna", "annaannaanna"]);
  assertEquals(texts("Straße"), ["strasse", "essarts"]);
  assertEquals(texts(""), []);
  assertEquals(texts("@@ - @"), []);
  assert(texts("x".repeat(2 ** 20)).join("").length < 1000);
});

/** Strings for which a naive algorithm takes exponential time. */
const HOSTILE: readonly (readonly [why: string, password: string, words: string])[] = [
  ["one character", "a".repeat(256), "a".repeat(256)],
  ["one character and a different last one", `${"a".repeat(255)}b`, `${"a".repeat(127)}c`],
  ["a period of two", "ab".repeat(128), "ab".repeat(100)],
  ["nested periods", "aabaabaac".repeat(28), "aabaabaacaabaabaab"],
  ["a walk", "abcdefghijklmnopqrstuvwxyz".repeat(9), "abcdefghijklmnopqrstuvwxyz"],
  ["separators only", "-".repeat(256), "aaa"],
  ["separators after each letter", "a----".repeat(51), "aaaaaaaaaab"],
  ["many words", "a-".repeat(128), Array.from({ length: 60 }, (_, i) => `aa${i}`).join(".")],
];

for (const [why, password, words] of HOSTILE) {
  Deno.test(`estimateGuesses() takes bounded time: ${why}`, () => {
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

/** A seeded generator, so that a failure can be reproduced: mulberry32's step. */
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
  Deno.test(`passwordPolicy() accepts 99.9 % of random passwords: ${name}`, async () => {
    const next = random(20260115);
    const policy = passwordPolicy({ words: ["Gatehouse"] });
    let refused = 0;
    const tries = Math.max(1_000, INPUTS / 6);
    for (let i = 0; i < tries; i++) {
      const length = 15 + next(10);
      const password = Array.from({ length }, () => pick(alphabet, next)).join("");
      const problems = await policy.check(password, { identifier: "ada.lovelace@example.org" });
      if (problems.length > 0) refused++;
    }
    assert(refused < tries / 1000, `${refused} of ${tries} rejected`);
  });
}

const ROWS = ["qwertyuiop", "asdfghjkl", "1234567890", "yxcvbnm", "1qaz", "wsx", "йцукенгшщз"];
const PLAIN = ["xk7vq2m", "é", "🌵", "7", " ", "Q", "語", "-"];

/** Kinds of matches, each of which counts as one. */
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

Deno.test("passwordPolicy() rejects passwords that count fewer than 8", async () => {
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
  assert(long > 2500, `${long} were long enough to be significant`);
});

Deno.test("passwordPolicy() reports every kind of match", async () => {
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

Deno.test("commonPasswords() is created once", () => {
  assertStrictEquals(commonPasswords(), commonPasswords());
});

Deno.test("commonPasswords() has entries of at least 8 characters, in lower case, without spaces", () => {
  const entries = [...commonPasswords()];
  assertEquals(entries.length, 19_599);
  assertEquals(entries.filter((entry) => !/^[!-~]{8,}$/.test(entry)), []);
  assertEquals(entries.filter((entry) => entry !== entry.toLowerCase()), []);
});

Deno.test("commonPasswords() is sorted", () => {
  const entries = [...commonPasswords()];
  assertEquals(entries, entries.toSorted());
});

const FOUND: readonly (readonly [why: string, password: string])[] = [
  ["the most frequent of 8 characters", "password"],
  ["digits", "12345678"],
  ["the end of the list of passwords", "1qaz2wsx3edc4rfv"],
  ["a woman's name", "elizabeth"],
  ["a man's name", "alexander"],
  ["a surname", "rodriguez"],
  ["a word", "elephant"],
  ["signs", "pa$$w0rd"],
];

for (const [why, password] of FOUND) {
  Deno.test(`commonPasswords() has ${why}`, () => {
    assert(commonPasswords().has(password));
  });
}

Deno.test("password/_common_passwords.ts contains the licence of its source", async () => {
  const text = await Deno.readTextFile(
    new URL("../../../auth/password/_common_passwords.ts", import.meta.url),
  );
  const head = text.slice(0, text.indexOf("*/")).replace(/\s+\*\s+/g, " ");
  for (
    const part of [
      "Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc.",
      "The above copyright notice and this permission notice shall be included in all copies or",
      'THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND',
    ]
  ) assert(head.includes(part), part);
});
