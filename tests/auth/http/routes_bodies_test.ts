/** Bodies of the routes of authentication: syntax, types, members and sizes. */

import { assert, assertEquals } from "@std/assert";
import { rawFetch, withServer } from "../../attacks/_raw.ts";
import { ADA, PASSWORD } from "../_services.ts";
import {
  assertRefused,
  assertUntouched,
  bytes,
  CREDENTIALS_REFUSED,
  IDENTIFIER_REFUSED,
  prepared,
  type Refusal,
  sendBody,
} from "./_routes.ts";

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

/** Invalid bodies of sign-ins and registrations, and the errors. */
const BODIES: readonly (readonly [
  why: string,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  refusal: Refusal,
])[] = [
  ["no body", undefined, invalidJson("The body is empty")],
  ["an empty body", "", invalidJson("The body is empty")],
  ["blanks", " \r\n", NOT_JSON],
  ["an array", "[]", NO_OBJECT],
  ["an array of credentials", JSON.stringify([ADA]), NO_OBJECT],
  ["null", "null", NO_OBJECT],
  ["a string", '"ada@example.org"', NO_OBJECT],
  ["a number", "1", NO_OBJECT],
  ["a truth", "true", NO_OBJECT],
  ["an empty object", "{}", IDENTIFIER_REFUSED],
  ["a truncated object", '{"identifier":"ada@example.org"', NOT_JSON],
  ["two objects", "{}{}", NOT_JSON],
  ["a trailing comma", '{"identifier":"ada@example.org",}', NOT_JSON],
  ["form data", "identifier=ada%40example.org&password=x", NOT_JSON],
  ["NaN", '{"identifier":NaN}', NOT_JSON],
  ["a byte that is not UTF-8", bytes('{"identifier":"', 0xff, '"}'), NOT_UTF8],
  ["an overlong slash", bytes('{"identifier":"a', 0xc0, 0xaf, '"}'), NOT_UTF8],
  ["a truncated UTF-8 sequence at the end", bytes('{"identifier":"a"}', 0xe2, 0x82), NOT_UTF8],
  ["UTF-16", bytes(0xff, 0xfe, "{", 0, "}", 0), NOT_UTF8],
  ["a member __proto__", `{"__proto__":${JSON.stringify(ADA)}}`, PROTO],
  ["an escaped member __proto__", '{"\\u005f\\u005fproto__":{"identifier":"a"}}', PROTO],
  ["a nested member __proto__", '{"identifier":{"__proto__":{}}}', PROTO],
  [
    "a nesting of 2,000 levels",
    `{"identifier":${"[".repeat(2_000)}${"]".repeat(2_000)}}`,
    invalidJson("The body is nested too deeply"),
  ],
  [
    "a nesting of 400 levels",
    `{"identifier":${"[".repeat(400)}${"]".repeat(400)}}`,
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
        `the identifier ${JSON.stringify(identifier)}`,
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
    "members with other names",
    JSON.stringify({ Identifier: "ada", username: "ada", PASSWORD }),
    IDENTIFIER_REFUSED,
  ],
  [
    "names of inherited members",
    JSON.stringify({ constructor: ADA, prototype: ADA }),
    IDENTIFIER_REFUSED,
  ],
];

for (const path of ["/auth/register", "/auth/login"]) {
  for (const [why, body, refusal] of BODIES) {
    Deno.test(`POST ${path} rejects ${why} with ${refusal.status} ${refusal.code}`, async () => {
      const app = await prepared();
      await assertRefused(await sendBody(app.page, path, body), refusal);
      await assertUntouched(app);
    });
  }
}

for (const remember of [null, "true", "", 0, 1, [], {}]) {
  Deno.test(`POST /auth/login rejects ${JSON.stringify(remember)} as remember with 422 validation_failed`, async () => {
    const app = await prepared();
    await assertRefused(await app.page.post("/auth/login", { ...ADA, remember }), NO_FLAG);
    await assertUntouched(app);
  });
}

// How POST /auth/register and /auth/login check a body's type and members.

/** Invalid passwords. A login with one is not a guess: the same response, no hash, and nothing counted. */
const PASSWORDS: readonly (readonly [why: string, password: unknown])[] = [
  ["no password", undefined],
  ["null", null],
  ["a number", 123456789012345],
  ["a truth", true],
  ["an array", [PASSWORD]],
  ["an object", { $gt: "" }],
  ["NUL after the right one", PASSWORD + "\0"],
  ["a lone surrogate", PASSWORD + "\ud800"],
  ["2 KiB", "a".repeat(2_048)],
  ["1,025 bytes", "é".repeat(512) + "a"],
];

for (const [why, password] of PASSWORDS) {
  Deno.test(`POST /auth/login rejects a password that is ${why} like a wrong one, without a hash`, async () => {
    const app = await prepared();
    for (const identifier of [ADA.identifier, "nobody@example.org"]) {
      const response = await app.page.post("/auth/login", { identifier, password });
      await assertRefused(response, CREDENTIALS_REFUSED);
    }
    await assertUntouched(app);
  });

  Deno.test(`POST /auth/register rejects a password that is ${why} with 422 weak_password`, async () => {
    const app = await prepared();
    const response = await app.page.post("/auth/register", { identifier: "eve", password });
    const { code, violations } = await response.json();
    assertEquals([response.status, code], [422, "weak_password"]);
    assertEquals(
      new Set(violations.map((one: { pointer: string }) => one.pointer)),
      new Set(["/password"]),
    );
    assertEquals(await app.stores.users.findByIdentifier("eve"), null);
    await assertUntouched(app);
  });
}

/** Types that are JSON, and others. */
const TYPES: readonly (readonly [type: string | undefined, taken: boolean])[] = [
  ["application/json", true],
  ["Application/JSON; charset=UTF-8", true],
  ["application/vnd.api+json", true],
  [undefined, false],
  ["", false],
  ["text/plain", false],
  ["text/plain; application/json", false],
  ["text/json", false],
  ["application/jsonx", false],
  ["application/x-www-form-urlencoded", false],
  ["multipart/form-data; boundary=x", false],
  ["application/json, text/plain", false],
];

for (const path of ["/auth/register", "/auth/login"]) {
  for (const [type, taken] of TYPES) {
    Deno.test(`POST ${path} ${taken ? "accepts" : "rejects"} the type ${type ?? "undefined"}`, async () => {
      const app = await prepared();
      const body = bytes(JSON.stringify({ ...ADA, password: "babbage built engines" }));
      const response = await sendBody(app.page, path, body, { "Content-Type": type });
      if (taken) {
        assertEquals(response.status, path === "/auth/login" ? 401 : 409);
        return await response.body?.cancel();
      }
      await assertRefused(response, {
        status: 415,
        code: "unsupported_media_type",
        detail: "This resource takes application/json",
        headers: { accept: "application/json" },
      });
      await assertUntouched(app);
    });
  }

  Deno.test(`POST ${path} rejects a compressed body`, async () => {
    const app = await prepared();
    const stream = new Response(JSON.stringify(ADA)).body?.pipeThrough(
      new CompressionStream("gzip"),
    );
    const body = await new Response(stream).arrayBuffer();
    const response = await sendBody(app.page, path, body, { "Content-Encoding": "gzip" });
    assertEquals((await response.json()).code, "unsupported_media_type");
    await assertUntouched(app);
  });
}

/** Additional members, which must be ignored. */
const EXTRA = {
  sub: "u9",
  id: "u9",
  userId: "u9",
  role: "admin",
  roles: ["admin"],
  authTime: 9_999_999_999,
  amr: ["hwk", "mfa"],
  acr: "urn:high",
  scope: ["everything"],
  claims: { admin: true },
  session: { id: "s9", expiresAt: 9_999_999_999 },
  sessionId: "s9",
  expiresAt: 9_999_999_999,
  persistent: true,
  securityStamp: "stamp",
  passwordHash: "$pbkdf2-sha256$",
  disabled: false,
  createdAt: 1,
  method: "webauthn",
  csrfToken: "token",
  client: { address: "198.51.100.1" },
  constructor: { prototype: { admin: true } },
};

for (
  const [path, identifier] of [["/auth/register", "eve"], ["/auth/login", ADA.identifier]] as const
) {
  Deno.test(`POST ${path} uses only the credentials of a body`, async () => {
    const { page, stores, clock } = await prepared();
    const response = await page.post(path, { ...EXTRA, identifier, password: PASSWORD });
    const { principal, session, user, ...rest } = await response.json();
    const { sub = "" } = await stores.users.findByIdentifier(identifier) ?? {};
    assertEquals(sub === "u9", false);
    assertEquals(Object.keys(rest), ["csrfToken"]);
    const amr = ["pwd"];
    const authTime = clock.now;
    assertEquals(principal, { sub, method: "password", amr, authTime, sessionId: session.id });
    assertEquals(session, {
      id: session.id,
      sub,
      createdAt: clock.now,
      activeAt: clock.now,
      expiresAt: clock.now + 86_400,
      authTime,
      amr,
    });
    assertEquals(user, { sub, identifier });
    const { securityStamp, passwordHash = "", createdAt } = await stores.users.findBySub(sub) ?? {};
    assertEquals([securityStamp === "stamp", createdAt], [false, clock.now]);
    assertEquals(passwordHash.length > 20, true);
  });
}

Deno.test("POST /auth/login uses the last of two members with one name, like JSON.parse()", async () => {
  const { page } = await prepared();
  const twice =
    `{"identifier":"eve","identifier":"${ADA.identifier}","password":"x","password":"${PASSWORD}"}`;
  assertEquals((await sendBody(page, "/auth/login", twice)).status, 200);
  const before = `{"identifier":"${ADA.identifier}","password":"${PASSWORD}","password":"x"}`;
  assertEquals((await sendBody(page, "/auth/login", before)).status, 401);
});

Deno.test("POST /auth/register ignores remember: only a login reads it", async () => {
  const { page } = await prepared();
  const response = await page.post("/auth/register", {
    identifier: "eve",
    password: PASSWORD,
    remember: true,
  });
  assertEquals((await response.json()).session.persistent, undefined);
  const cookie = response.headers.getSetCookie().find((one) => one.startsWith("__Host-sid="));
  assertEquals(cookie?.includes("Max-Age"), false);
});

// DESIGN §17: bodies of the routes of authentication have at most 16 KiB, whatever their announced length.

const LIMIT = 16_384;

const TOO_LARGE: Refusal = {
  status: 413,
  code: "payload_too_large",
  detail: "The body exceeds 16384 bytes",
};

/** Credentials of a given number of bytes. The password is wrong. */
function credentials(size: number): string {
  return JSON.stringify({ ...ADA, password: "babbage built engines" }).padEnd(size);
}

/** A streamed body without a length, and how much of it was read. */
function pieces(
  size: number,
): { body: ReadableStream<Uint8Array<ArrayBuffer>>; asked: () => number } {
  const bytes = new TextEncoder().encode(credentials(size));
  let at = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += 4_096));
    },
  }, { highWaterMark: 0 });
  return { body, asked: () => at };
}

/** Announced lengths: correct, none, or wrong. */
const LENGTHS: readonly (readonly [why: string, length: (size: number) => string | undefined])[] = [
  ["the correct Content-Length", String],
  ["no Content-Length", () => undefined],
  ["a Content-Length of 10", () => "10"],
  ["a Content-Length that is not a number", () => "x"],
];

for (const [path, taken] of [["/auth/register", 409], ["/auth/login", 401]] as const) {
  for (const [why, length] of LENGTHS) {
    Deno.test(`POST ${path} accepts 16 KiB, and not a byte more, with ${why}`, async () => {
      const app = await prepared();
      const { page } = app;
      for (const size of [LIMIT + 1, 20_000, 1_048_576]) {
        const { body, asked } = pieces(size);
        const response = await sendBody(page, path, body, { "Content-Length": length(size) });
        await assertRefused(response, TOO_LARGE);
        assert(asked() <= LIMIT + 4_096, "reading stops");
      }
      await assertUntouched(app);
      const { body } = pieces(LIMIT);
      const most = await sendBody(page, path, body, { "Content-Length": length(LIMIT) });
      assertEquals(most.status, taken);
    });
  }

  Deno.test(`POST ${path} does not read a body whose announced length is too large`, async () => {
    const app = await prepared();
    const { body, asked } = pieces(100);
    const response = await sendBody(app.page, path, body, { "Content-Length": "16385" });
    await assertRefused(response, TOO_LARGE);
    assertEquals(asked(), 0);
    await assertUntouched(app);
  });

  Deno.test(`POST ${path} accepts 16 KiB, and not a byte more, over a socket`, async () => {
    const app = await prepared();
    const token = await app.page.token();
    await withServer(app.router.fetch, async (port) => {
      const headers = [
        "Content-Type: application/json",
        "Sec-Fetch-Site: same-origin",
        `X-CSRF-Token: ${token}`,
        `Cookie: ${app.page.jar.field()}`,
      ];
      const send = async (body: string, field: string) => {
        const init = { method: "POST", headers: [...headers, field], body };
        return (await rawFetch(port, path, init)).status;
      };
      const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      const [most, more] = [credentials(LIMIT), credentials(LIMIT + 1)];
      assertEquals(await send(more, `Content-Length: ${more.length}`), 413);
      assertEquals(await send(chunked(more), "Transfer-Encoding: chunked"), 413);
      assertEquals(await send(most, `Content-Length: ${most.length}`), taken);
      assertEquals(await send(chunked(most), "Transfer-Encoding: chunked"), taken);
    });
  });
}

Deno.test("POST /auth/logout reads no body", async () => {
  const app = await prepared();
  for (const size of [0, LIMIT + 1, 1_048_576]) {
    const { body, asked } = pieces(size);
    const response = await sendBody(app.page, "/auth/logout", body, { "Content-Type": undefined });
    assertEquals([response.status, asked()], [204, 0]);
  }
});

for (const type of [undefined, "text/plain", "application/json", "multipart/form-data"]) {
  Deno.test(`POST /auth/logout accepts any body of the type ${type ?? "undefined"}`, async () => {
    const { page } = await prepared();
    for (const body of ["", "{}", "[", '{"__proto__":{}}']) {
      const bytes = new TextEncoder().encode(body);
      const headers = { "Content-Type": type };
      assertEquals((await sendBody(page, "/auth/logout", bytes, headers)).status, 204);
    }
  });
}
