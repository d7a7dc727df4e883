import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
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
/** 64 characters that nothing foresees. */
const LONG = "Vk3-mQ9_xT2.bL7~hR4+nW8=cZ1,pF6:gD5;sJ0!yB3?uE7*aX2^oK9%tM4@iC8h";

/** 256 characters that nothing foresees. */
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
  ["(1) 7 characters are too few for all", lenient, "xk7vq2m", ["too_short"]],
  ["(1) 8 characters may be enough", lenient, "xk7vq2mt", []],
  ["(2) 64 characters are allowed", strict, LONG, []],
  ["(2) 256 characters are allowed", strict, LONGEST, []],
  ["(2) 257 are more than we hash", strict, `${LONGEST}x`, ["too_long"]],
  ["(3) spaces are characters", strict, " a  b   c d e f ", []],
  ["(4) Unicode is allowed", strict, "пять тихих цапель", []],
  ["(4) a code point is one character: 14", strict, "🌵🎷🐙🚲🍋🔭🎲🪁🦉🧊🚀🍄🎻🗿", ["too_short"]],
  ["(4) a code point is one character: 15", strict, "🌵🎷🐙🚲🍋🔭🎲🪁🦉🧊🚀🍄🎻🗿🥨", []],
  ["(4) not a UTF-16 unit", lenient, "🌵🎷🐙🚲", ["too_short"]],
  ["(4) a mark that NFC joins is none", lenient, "áéíóúýć".normalize("NFD"), ["too_short"]],
  ["(5) small letters alone will do", strict, "fivequietheronsatdawn", []],
  ["(5) capitals alone will do", strict, "FIVEQUIETHERONSATDAWN", []],
  ["(5) digits alone will do", strict, "830174659203847", []],
  ["(5) signs alone will do", strict, "%)~{;&?<=*|>:^/", []],
  ["(9) nothing is cut: what comes late counts", strict, `${"a".repeat(60)}xk7vq2mt`, []],
  ["a stretch and 7 characters count 8", strict, "aaaaaaaaaxk7vq2m", []],
  ["a stretch and 6 characters count 7", strict, "aaaaaaaaaaxk7vq2", ["repetitive"]],
  ["a word within a password is allowed", strict, "no password is as long as this one", []],
  ["a name within a password is allowed", strict, "for ada, who wrote of wheels", []],
  ["the whole of it is a common password", lenient, "trustno1", ["common"]],
  ["with digits for letters: 1 is an l", lenient, "e1ephant", ["common"]],
  ["with digits for letters: 1 is an i", lenient, "sunsh1ne", ["common"]],
  ["with digits and signs around it", lenient, "!1elephant1!", ["common"]],
  ["8 digits beside it are enough", lenient, "elephant83017465", []],
  ["the whole of it is a word", lenient, "elephant", ["common"]],
  ["the whole of it is a name", lenient, "elizabeth", ["common"]],
  ["the whole of it is the service", lenient, "gatehouse", ["contextual"]],
  ["the whole of it is the user", lenient, "lovelace", ["contextual"]],
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

Deno.test("passwordPolicy() gives a reason and guidance, and never the password", async () => {
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
  Deno.test(`passwordPolicy() takes no ${JSON.stringify(value)} for a text`, async () => {
    assertEquals(await codesOf(strict, value), ["invalid_characters"]);
  });
}

Deno.test("passwordPolicy() decides the same for NFC and NFD", async () => {
  const policy = passwordPolicy({ minLength: 8, words: ["Zürichérie".normalize("NFD")] });
  for (const form of ["NFC", "NFD"]) {
    assertEquals(await codesOf(policy, "Zürichérie".normalize(form)), ["contextual"]);
    assertEquals(await codesOf(strict, "éèêëàâäîïôöûüçñ".normalize(form)), []);
    const named = await codesOf(lenient, "rené.über".normalize(form), "RENÉ.ÜBER".normalize("NFD"));
    assertEquals(named, ["contextual"]);
  }
});

Deno.test("passwordPolicy() reads the list only below 15 characters", async () => {
  assertEquals(await codesOf(passwordPolicy({ minLength: 14 }), "mailcreated5240"), ["common"]);
  assertEquals(await codesOf(passwordPolicy({ minLength: 15 }), "mailcreated5240"), []);
});

Deno.test("passwordPolicy() needs no context", async () => {
  assertEquals(await strict.check("five quiet herons at dawn"), []);
  assertEquals(await strict.check("five quiet herons at dawn", {}), []);
});

const WRONG: readonly (readonly [
  why: string,
  options: Record<string, unknown>,
  error: typeof TypeError | typeof RangeError,
])[] = [
  ["minLength 7, under the standard's least", { minLength: 7 }, RangeError],
  ["minLength 257, that no password has", { minLength: 257 }, RangeError],
  ["minLength 8.5", { minLength: 8.5 }, RangeError],
  ["minLength NaN", { minLength: NaN }, RangeError],
  ["minLength Infinity", { minLength: Infinity }, RangeError],
  ["minLength as a text", { minLength: "15" }, TypeError],
  ["minLength null", { minLength: null }, TypeError],
  ["words as one text", { words: "Gatehouse" }, TypeError],
  ["a word that is no text", { words: ["Gatehouse", 5] }, TypeError],
  ["breached as a list", { breached: ["password"] }, TypeError],
  ["breached null", { breached: null }, TypeError],
];

for (const [why, options, error] of WRONG) {
  Deno.test(`passwordPolicy() refuses ${why}`, () => {
    assertThrows(
      () => passwordPolicy(options as PasswordPolicyOptions),
      error,
      "Cannot create password policy: ",
    );
  });
}

Deno.test("passwordPolicy() takes the smallest and the largest minimum", async () => {
  assertEquals(await codesOf(passwordPolicy({ minLength: 8 }), "xk7vq2mt"), []);
  const longest = passwordPolicy({ minLength: 256 });
  assertEquals(await codesOf(longest, LONGEST), []);
  assertEquals(await codesOf(longest, LONGEST.slice(1)), ["too_short"]);
});

Deno.test("passwordPolicy() asks `breached` last, with the NFC form, of what else would pass", async () => {
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

Deno.test("passwordPolicy() waits for `breached`", async () => {
  const answers = [true, false];
  const policy = passwordPolicy({
    breached: async () => await Promise.resolve(answers.shift() === true),
  });
  assertEquals(await codesOf(policy, "five quiet herons"), ["breached"]);
  assertEquals(await codesOf(policy, "five quiet herons"), []);
});

Deno.test("passwordPolicy() lets no password pass that `breached` could not look up", async () => {
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
