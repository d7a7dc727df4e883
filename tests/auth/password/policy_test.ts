/** Requirements on new passwords: length, guessability, and the list of common passwords. */

import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { INPUTS } from "../../_effort.ts";
import { commonPasswords } from "../../../auth/password/_common_passwords.ts";
import { wordsOf } from "../../../auth/password/_guessability.ts";
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
  ["(3) spaces are characters", strict, " q  v   k d x f ", []],
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
  ["(9) nothing is truncated: late characters count", strict, `${"a".repeat(60)}xk7vq2mtw`, []],
  ["a repetition and 9 characters count 10", strict, "aaaaaaaxk7vq2mtw", []],
  ["a repetition and 8 characters count 9", strict, "aaaaaaaaxk7vq2mt", ["repetitive"]],
  ["a common word and 9 letters count 10", strict, "elephant xk vq mt wzr", []],
  ["a common word and 8 letters count 9", strict, "elephant xk vq mt wz!", ["common"]],
  ["the longest common word counts, not every one", strict, "elephant mountain river", []],
  ["a common entry of 18 characters", strict, "telecommunications", ["common"]],
  ["a common entry of 15 characters", strict, "mailcreated5240", ["common"]],
  ["a word within a password is allowed", strict, "no password is as long as this one", []],
  ["a name within a password is allowed", strict, "for ada, who wrote of wheels", []],
  ["the whole password is common", lenient, "trustno1", ["common"]],
  ["with digits and symbols around it", lenient, "!1elephant1!", ["common"]],
  ["with 8 digits after it, such as a date", strict, "elephant83017465", ["common"]],
  ["9 additional digits are enough", strict, "elephant830174659", []],
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
  const password = "Gatehouse x1234aaaa";
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
  ["passphrases", [
    "correct horse battery staple",
    "five quiet herons at dawn",
    "seven green bottles on a wall",
    "elephant jumps over lamp",
    "mountain river candle",
    "purple monkey dishwasher",
    "student first power tower",
    "kitchen window garden",
    "two computers, one cable",
    "cheese42sandwich81moon",
    "hotel echo lima lima oscar",
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
    "gatehouse-x4KjW8rTn2Q",
    "x4KjW8rTn2Qb/ada",
    "elephant83017465294",
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
    "password manager ate my homework",
    "I secretly love my old passport",
    "coffee before breakfast",
    "understand the power of wind",
  ]],
  ["other scripts", [
    "пять тихих цапель",
    "зелёный слон пьёт чай",
    "我的猫喜欢在窗台上睡觉晒太阳哦",
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
  [["common"], [
    "112233445566778899",
    "A1B2C3D4E5F6G7H8!",
    "thisismypassword",
    "This is my password!",
    "ThisIsMyPassword2026",
    "thisismypassword01011990",
    "iloveyouforever",
    "I love you forever!!",
    "ilovemygirlfriend",
    "iloveyouiloveyou",
    "ILoveYou Password!",
    "mysecretpassword",
    "supersecretpassword",
    "passwordpassword",
    "password-passphrase",
    "P@ssw0rd-P@ssw0rd1",
    "Myp@ssw0rd2026!!",
    "password!!!!!!!!",
    "Password123456!!",
    "Passwort2026!??",
    "contraseña12345",
    "пароль пароль пароль",
    "welcome-admin-2026",
    "welcome123456789",
    "admin1234567890!",
    "administrator1234",
    "letmein-letmein!!",
    "letmeinqwertyuiop",
    "changeme-changeme1",
    "December2026!!!!",
    "princess 01.01.2000",
    "football football",
    "starwars-starwars",
    "trustno1trustno2",
    "michaeljackson99",
    "internationally",
    "congratulations1!",
    "mailcreated5240",
    "one two three four five",
    "123456789012345",
    "111222333444555",
    "147258369147258369",
    "1qaz2wsx3edc4rfv",
    "qazwsxedcrfvtgb",
    "q1w2e3r4t5y6u7i8o9p0",
    "1q2w3e4r5t6y7u8i",
    "qwerty!@#$%^1234",
  ]],
  [["repetitive"], [
    "aaaaaaaaaaaaaaa",
    "AAAAAAAAAAAAAAAAaaaa",
    "               ",
    "abcabcabcabcabc",
    "xyxyxyxyxyxyxyxy",
    "k7mQk7mQk7mQk7mQ",
    "hunter2hunter2hunter2",
    "Summer24!Summer24!",
    "lalalalalalalalala",
    "horse horse horse",
    "🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑",
    "日本日本日本日本日本日本日本日本",
    "....................",
    "go go go go go go",
    "kT9#vPq2kT9#vPq2",
    "ÄäÄäÄäÄäÄäÄäÄäÄä",
  ]],
  [["predictable"], [
    "aaabbbcccdddeee",
    "a3b4c5d6e7f8g9h1",
    "1z2y3x4w5v6u7t8s",
    "a-b-c-d-e-f-g-h-i",
    "abcdefghijklmno",
    "zyxwvutsrqponmlk",
    "987654321098765",
    "йцукенгшщзфывапр",
    "абвгдежзийклмноп",
    "αβγδεζηθικλμνξο",
    "!@#$%^&*()_+!@#$",
    "😀😁😂😃😄😅😆😇😈😉😊😋😌😍😎",
    "geese 31.12.2029",
    "geese 1998-2004",
  ]],
  [["contextual"], [
    "ada.lovelace@example.org",
    "adalovelace@example",
    "ecalevol.ada.elpmaxe",
    "LOVELACE-EXAMPLE-9",
    "gatehouse-lovelace",
    "gatehouse notes gatehouse",
    "GatehouseGatehouse1",
    "ada_lovelace_26#",
    "l.o.v.e.l.a.c.e.1.2.3",
    "My Gatehouse Notes",
    "Ada Lovelace 2026!",
    "Gatehouse2026!!",
    "lovelace19900101",
    "gatehouse12345678",
  ]],
  [["common", "contextual"], [
    "passwordLovelace",
    "gatehouse-password",
    "welcome to gatehouse",
    "welcome ada lovelace",
    "admin@gatehouse.example",
    "Ada123456789012",
    "mynameisada12345",
  ]],
  [["common", "predictable"], [
    "1qaz2wsx!QAZ@WSX",
    "aabbccddeeffgghh",
    "zaq1xsw2cde3vfr4",
    "1a2b3c4d5e6f7g8h",
    "0123456789abcdef",
    "abcdefg1234567890",
    "qwertyuiopasdfgh",
    "qwertzuiopasdfgh",
    "azertyuiopqsdfghjklm",
    "asdfghjklqwertyuiop",
    "poiuytrewqlkjhgfdsa",
    "qweasdzxcrtyfgh",
    "secretabcdefghijk",
  ]],
  [["contextual", "predictable"], [
    "lovelace-abcdefgh",
  ]],
  [["contextual", "repetitive"], [
    "gatehouseaaaaaaaa",
  ]],
  [["contextual", "repetitive", "predictable"], [
    "Gatehouse x1234aaaa",
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
    "pa$$w0rd",
    "12345678",
    "11111111",
    "iloveyou",
    "trustno1!!",
    "Sunshine1!",
    "princess99",
    "!!football!!",
    "starwars77",
    "michelle",
    "Jennifer1",
    "internet12",
    "elephant!",
    "whatever",
    "qwertyui",
    "1qaz2wsx",
    "aaaabbbb",
    "changeme",
    "letmein1",
    "welcome1",
    "admin123",
    "password123",
    "baseball2026",
    "Alexander2026",
    "passw0rd2026",
  ]],
  [["predictable"], [
    "zxcvbnm,",
    "abcdefgh",
    "87654321",
    "19.01.2000",
  ]],
  [["repetitive"], [
    "aaaaaaaa",
    "ababababab",
    "xyzxyzxyz",
  ]],
  [["contextual"], [
    "lovelace",
    "Lovelace1",
    "ecalevol",
    "gatehouse",
    "example.org",
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
  assert(count(BAD) >= 80);
});

Deno.test("wordsOf() omits words of less than 3 characters, and duplicates", () => {
  assertEquals(wordsOf("al@io.de"), ["aliode", "edoila"]);
  assertEquals(wordsOf("Anna anna ANNA"), ["annaannaanna", "anna"]);
  assertEquals(wordsOf("Straße"), ["strasse", "essarts"]);
  assertEquals(wordsOf(""), []);
  assertEquals(wordsOf("@@ - @"), []);
  assert(wordsOf("x".repeat(2 ** 20)).join("").length < 1000);
});

/** Strings for which a naive algorithm takes exponential or cubic time: with it these tests would take minutes. */
const HOSTILE: readonly (readonly [why: string, password: string, identifier: string])[] = [
  ["one character", "a".repeat(256), "a".repeat(256)],
  ["one character and a different last one", `${"a".repeat(255)}b`, `${"a".repeat(127)}c`],
  ["a period of two", "ab".repeat(128), "ab".repeat(100)],
  ["nested periods", "aabaabaac".repeat(28), "aabaabaacaabaabaab"],
  ["a walk", "abcdefghijklmnopqrstuvwxyz".repeat(9), "abcdefghijklmnopqrstuvwxyz"],
  ["starts of dates", "20-".repeat(85), "20-".repeat(85)],
  ["separators only", "-".repeat(256), "aaa"],
  ["separators after each letter", "a----".repeat(51), "aaaaaaaaaab"],
  ["many words", "a-".repeat(128), Array.from({ length: 60 }, (_, i) => `aa${i}`).join(".")],
];

for (const [why, password, identifier] of HOSTILE) {
  Deno.test(`passwordPolicy() takes bounded time: ${why}`, async () => {
    assert((await codesOf(strict, password, identifier)).length > 0);
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

/** Digits have many sequences by chance: a password of 15 has only 50 bits. */
const FEW: Readonly<Record<string, number>> = { digits: 1 / 200, "hexadecimal digits": 1 / 200 };

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
  const rate = FEW[name] ?? 1 / 1000;
  Deno.test(`passwordPolicy() accepts ${100 - 100 * rate} % of random passwords: ${name}`, async () => {
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
    assert(refused < tries * rate, `${refused} of ${tries} rejected`);
  });
}

const ROWS = ["qwertyuiop", "asdfghjkl", "1234567890", "yxcvbnm", "1qaz", "wsx", "йцукенгшщз"];
const PLAIN = ["xk7vq2m", "é", "🌵", "7", " ", "Q", "語", "-"];

/** Kinds of matches, each of which counts as one. */
const STRETCHES: readonly ((next: (limit: number) => number) => string)[] = [
  (next) => pick(LETTERS, next).repeat(4 + next(12)),
  (next) => LETTERS.join("").slice(next(20)).slice(0, 3 + next(12)),
  (next) => LETTERS.toReversed().join("").slice(next(20)).slice(0, 3 + next(12)),
  (next) => pick(ROWS, next).slice(0, 3 + next(8)),
  (next) => [...pick(ROWS, next)].toReversed().join(""),
  (next) => pick(["ada", "Lovelace", "EXAMPLE", "ada.lovelace", "gatehouse"], next),
  (next) => `${pick(LETTERS, next)}ñ${pick(LETTERS, next)}`.repeat(2 + next(3)),
  (next) => [...pick(PLAIN, next)].at(-1) ?? "",
];

Deno.test("passwordPolicy() rejects passwords that count fewer than 10", async () => {
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
  assertEquals(await codes("passwordGatehouse.xaaaax123x"), [
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

Deno.test("commonPasswords() has entries of at most 20 characters, the most that are looked up", () => {
  assertEquals(Math.max(...[...commonPasswords()].map(({ length }) => length)), 20);
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
