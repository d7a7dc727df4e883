/** The catalogue "Passwords and throttle": identifiers; rows are only added. */

import { assertEquals } from "@std/assert";
import type { AuthError } from "../../auth/error.ts";
import {
  ADA,
  CLIENT,
  createServices,
  NOBODY,
  OTHER_PASSWORD,
  PASSWORD,
  refusal,
  repeat,
  withUsers,
} from "../auth/_services.ts";

const STRANGE: readonly (readonly [source: string, what: string, identifier: unknown])[] = [
  ["GHSA-7rqj-j65f-68wh", "two addresses", "ada@example.org,eve@example.org"],
  [
    "GHSA-7rqj-j65f-68wh",
    "two addresses with a semicolon between",
    "ada@example.org;eve@example.org",
  ],
  ["GHSA-7rqj-j65f-68wh", "two addresses with a space between", "ada@example.org eve@example.org"],
  ["GHSA-xv97-c62v-4587", "two @", "ada@example.org@evil.example"],
  ["GHSA-xv97-c62v-4587", "a full-width @ beside another", "ada＠example.org@evil.example"],
  ["GHSA-xv97-c62v-4587", "a full-width comma", "ada@example.org，eve@example.org"],
  ["ATTACKS", "an array", ["ada@example.org"]],
  ["ATTACKS", "an object", { toString: () => "ada@example.org" }],
  ["neighbour", "NUL", "ada@example.org\0"],
  ["neighbour", "a line feed inside", "ada@exam\nple.org"],
  ["neighbour", "a zero-width space", "ada\u200b@example.org"],
  ["neighbour", "a soft hyphen", "a\u00adda@example.org"],
  ["neighbour", "a direction override", "\u202eada@example.org"],
  ["neighbour", "a lone surrogate", "ada\ud800@example.org"],
  ["neighbour", "a name in angle brackets", "eve <ada@example.org>"],
  ["neighbour", "1 MB", "a".repeat(1_000_000)],
  ["neighbour", "255 characters", `${"a".repeat(243)}@example.org`],
];
for (const [source, what, identifier] of STRANGE) {
  Deno.test(`[${source}] identifier: ${what} → invalid_identifier, not counted`, async () => {
    const { passwords, hasher, throttle } = await withUsers();
    const account = { identifier: identifier as string, password: PASSWORD };
    for (const _ of repeat(30, () => 0)) {
      const errors = [
        await refusal(() => passwords.verify(account, CLIENT)),
        await refusal(() => passwords.createUser(account, { client: CLIENT })),
      ];
      for (const { code, status } of errors) {
        assertEquals([code, status], ["invalid_identifier", 400]);
      }
    }
    assertEquals(hasher.calls, []);
    await throttle.registration(CLIENT);
  });
}

const LOOK_ALIKES: readonly (readonly [source: string, what: string, identifier: string])[] = [
  ["GHSA-xv97-c62v-4587", "a full-width @", "ada＠example.org"],
  ["ATTACKS", "case", "ADA@EXAMPLE.ORG"],
  ["ATTACKS", "a trailing space", "ada@example.org "],
  ["neighbour", "no-break spaces around", "\u00a0ada@example.org\u00a0"],
  ["neighbour", "a byte order mark", "\ufeffada@example.org"],
  ["neighbour", "circled letters", "ⓐⓓⓐ@example.org"],
  ["neighbour", "mathematical letters", "𝐚𝐝𝐚@example.org"],
  ["neighbour", "Cyrillic а", "аda@example.org"],
  ["neighbour", "a combining mark", "ada\u0301@example.org"],
  ["neighbour", "a dot after the domain", "ada@example.org."],
];
for (const [source, what, identifier] of LOOK_ALIKES) {
  Deno.test(`[${source}] identifier: ${what} → the same user or another one, but no access`, async () => {
    const { passwords, stores } = await withUsers();
    const before = await stores.users.findBySub("u1");
    const created = await passwords.createUser({ identifier, password: OTHER_PASSWORD }).catch(
      (error: AuthError) => error.code,
    );
    if (typeof created === "string") {
      assertEquals(created, "identifier_unavailable");
      assertEquals((await passwords.verify({ ...ADA, identifier }, NOBODY)).sub, "u1");
    } else {
      assertEquals(
        (await refusal(() => passwords.verify({ ...ADA, identifier }, NOBODY))).status,
        401,
      );
    }
    assertEquals(await stores.users.findBySub("u1"), before);
    const error = await refusal(() =>
      passwords.verify({ ...ADA, password: OTHER_PASSWORD }, NOBODY)
    );
    assertEquals(error.code, "invalid_credentials");
  });
}

const NAMES: readonly string[] = ["__proto__", "constructor", "hasownproperty", "tostring"];
for (const identifier of NAMES) {
  Deno.test(`[neighbour] identifier: ${identifier} → a regular user`, async () => {
    const { passwords } = createServices();
    const account = { identifier, password: PASSWORD };
    assertEquals(
      (await refusal(() => passwords.verify(account, NOBODY))).code,
      "invalid_credentials",
    );
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    const error = await refusal(() => passwords.change(identifier, change, NOBODY));
    assertEquals(error.code, "wrong_password");
    await passwords.createUser(account, { sub: identifier });
    assertEquals((await passwords.verify(account, NOBODY)).sub, identifier);
  });
}
