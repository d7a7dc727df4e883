/** What POST /auth/register and /auth/login make of a body's type and members. */

import { assertEquals } from "@std/assert";
import {
  assertRefused,
  assertUntouched,
  bytes,
  CREDENTIALS_REFUSED,
  prepared,
  sendBody,
} from "./_routes.ts";
import { ADA, PASSWORD } from "../_services.ts";

/** What is no password. A login with it is no guess: one answer, no hash, and nothing counted. */
const PASSWORDS: readonly (readonly [why: string, password: unknown])[] = [
  ["no password", undefined],
  ["null", null],
  ["a number", 123456789012345],
  ["a truth", true],
  ["a list", [PASSWORD]],
  ["an object", { $gt: "" }],
  ["NUL behind the right one", PASSWORD + "\0"],
  ["half a character", PASSWORD + "\ud800"],
  ["2 KiB", "a".repeat(2_048)],
  ["1,025 bytes", "é".repeat(512) + "a"],
];

for (const [why, password] of PASSWORDS) {
  Deno.test(`POST /auth/login answers a password that is ${why} as a wrong one, without a hash`, async () => {
    const app = await prepared();
    for (const identifier of [ADA.identifier, "nobody@example.org"]) {
      const response = await app.page.post("/auth/login", { identifier, password });
      await assertRefused(response, CREDENTIALS_REFUSED);
    }
    await assertUntouched(app);
  });

  Deno.test(`POST /auth/register refuses a password that is ${why} by 422 weak_password`, async () => {
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

/** What says that it is JSON, and what does not. */
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
    Deno.test(`POST ${path} ${taken ? "takes" : "refuses"} the type ${type ?? "that nobody says"}`, async () => {
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

  Deno.test(`POST ${path} refuses a compressed body`, async () => {
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

/** What is said beside the credentials, and must change nothing. */
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
  Deno.test(`POST ${path} takes nothing from a body but the credentials`, async () => {
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

Deno.test("POST /auth/login takes the last of two members with one name, as JSON.parse() does", async () => {
  const { page } = await prepared();
  const twice =
    `{"identifier":"eve","identifier":"${ADA.identifier}","password":"x","password":"${PASSWORD}"}`;
  assertEquals((await sendBody(page, "/auth/login", twice)).status, 200);
  const before = `{"identifier":"${ADA.identifier}","password":"${PASSWORD}","password":"x"}`;
  assertEquals((await sendBody(page, "/auth/login", before)).status, 401);
});

Deno.test("POST /auth/register does not remember: only a login does", async () => {
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
