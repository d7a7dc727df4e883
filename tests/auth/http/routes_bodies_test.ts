/** What is no body of POST /auth/register and /auth/login. */

import {
  assertRefused,
  assertUntouched,
  bytes,
  IDENTIFIER_REFUSED,
  prepared,
  type Refusal,
  sendBody,
} from "./_routes.ts";
import { ADA, PASSWORD } from "../_services.ts";

function invalidJson(detail: string): Refusal {
  return { status: 400, code: "invalid_json", detail };
}

function validationFailed(pointer: string, message: string): Refusal {
  const violations = [{ in: "body", pointer, message }];
  return { status: 422, code: "validation_failed", violations };
}

const NOT_JSON = invalidJson("The body is not JSON");
const NOT_UTF8 = invalidJson("The body is not UTF-8");
const NO_OBJECT = validationFailed("", "Expected an object");
const NO_FLAG = validationFailed("/remember", "Expected true or false");
const PROTO = invalidJson("The body has a member named __proto__");

/** What no account is made of and nobody signs in by, and what is said of it. */
const BODIES: readonly (readonly [
  why: string,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  refusal: Refusal,
])[] = [
  ["no body", undefined, invalidJson("The body is empty")],
  ["an empty body", "", invalidJson("The body is empty")],
  ["blanks", " \r\n", NOT_JSON],
  ["a list", "[]", NO_OBJECT],
  ["a list of credentials", JSON.stringify([ADA]), NO_OBJECT],
  ["null", "null", NO_OBJECT],
  ["a text", '"ada@example.org"', NO_OBJECT],
  ["a number", "1", NO_OBJECT],
  ["a truth", "true", NO_OBJECT],
  ["an empty object", "{}", IDENTIFIER_REFUSED],
  ["half an object", '{"identifier":"ada@example.org"', NOT_JSON],
  ["two objects", "{}{}", NOT_JSON],
  ["a trailing comma", '{"identifier":"ada@example.org",}', NOT_JSON],
  ["form data", "identifier=ada%40example.org&password=x", NOT_JSON],
  ["NaN", '{"identifier":NaN}', NOT_JSON],
  ["a byte that is no UTF-8", bytes('{"identifier":"', 0xff, '"}'), NOT_UTF8],
  ["a slash in too many bytes", bytes('{"identifier":"a', 0xc0, 0xaf, '"}'), NOT_UTF8],
  ["half a character at the end", bytes('{"identifier":"a"}', 0xe2, 0x82), NOT_UTF8],
  ["UTF-16", bytes(0xff, 0xfe, "{", 0, "}", 0), NOT_UTF8],
  ["an own __proto__", `{"__proto__":${JSON.stringify(ADA)}}`, PROTO],
  ["an own __proto__, escaped", '{"\\u005f\\u005fproto__":{"identifier":"a"}}', PROTO],
  ["an own __proto__ further in", '{"identifier":{"__proto__":{}}}', PROTO],
  [
    "a nesting of 2,000 levels",
    `{"identifier":${"[".repeat(2_000)}${"]".repeat(2_000)}}`,
    invalidJson("The body is nested too deeply"),
  ],
  [
    "a nesting of 500 levels",
    `{"identifier":${"[".repeat(500)}${"]".repeat(500)}}`,
    IDENTIFIER_REFUSED,
  ],
  ...[
    null,
    1,
    true,
    "",
    " ",
    [ADA.identifier],
    { $ne: null },
    { toString: "ada" },
    "a@x,b@y",
    "a b",
  ]
    .map((identifier) =>
      [
        `as identifier ${JSON.stringify(identifier)}`,
        JSON.stringify({ ...ADA, identifier }),
        IDENTIFIER_REFUSED,
      ] as const
    ),
  [
    "an identifier of 255 characters",
    JSON.stringify({ ...ADA, identifier: "a".repeat(255) }),
    IDENTIFIER_REFUSED,
  ],
  [
    "the members under other names",
    JSON.stringify({ Identifier: "ada", username: "ada", PASSWORD }),
    IDENTIFIER_REFUSED,
  ],
  ["inherited names", JSON.stringify({ constructor: ADA, prototype: ADA }), IDENTIFIER_REFUSED],
];

for (const path of ["/auth/register", "/auth/login"]) {
  for (const [why, body, refusal] of BODIES) {
    Deno.test(`POST ${path} refuses ${why} by ${refusal.status} ${refusal.code}`, async () => {
      const app = await prepared();
      await assertRefused(await sendBody(app.page, path, body), refusal);
      await assertUntouched(app);
    });
  }
}

for (const remember of [null, "true", "", 0, 1, [], {}]) {
  Deno.test(`POST /auth/login refuses as remember ${JSON.stringify(remember)} by 422 validation_failed`, async () => {
    const app = await prepared();
    await assertRefused(await app.page.post("/auth/login", { ...ADA, remember }), NO_FLAG);
    await assertUntouched(app);
  });
}
