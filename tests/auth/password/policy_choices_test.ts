/** Passwords that people choose: those that must pass, and those that must not. */

import { assert, assertEquals } from "@std/assert";
import { passwordPolicy, type PasswordProblemCode } from "../../../auth/password/policy.ts";

const IDENTIFIER = "ada.lovelace@example.org";
const WORDS = ["Gatehouse Notes"];

const strict = passwordPolicy({ words: WORDS });
const lenient = passwordPolicy({ words: WORDS, minLength: 8 });

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
  ["what password managers make", [
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
  Deno.test(`passwordPolicy() lets ${kind} pass`, async () => {
    for (const policy of [strict, lenient]) {
      for (const password of passwords) {
        assertEquals(await policy.check(password, { identifier: IDENTIFIER }), [], password);
      }
    }
  });
}

/** Refused although long enough; the codes are all of them. */
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

/** Refused where 8 characters are enough. */
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
  Deno.test(`passwordPolicy() refuses long passwords: ${codes.join(" and ")}`, async () => {
    for (const password of passwords) {
      const problems = await strict.check(password, { identifier: IDENTIFIER });
      assertEquals(problems.map(({ code }) => code), [...codes], password);
    }
  });
}

for (const [codes, passwords] of BAD_SHORT) {
  Deno.test(`passwordPolicy() refuses short passwords: ${codes.join(" and ")}`, async () => {
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
