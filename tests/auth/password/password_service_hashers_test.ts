/** Several hashers, for the time in which an algorithm is replaced. */

import { scryptAsync } from "@noble/hashes/scrypt.js";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { PasswordHasher } from "../../../auth/password/hasher.ts";
import { scryptHasher } from "../../../auth/password/scrypt.ts";
import { type PasswordService, passwordService } from "../../../auth/password/password_service.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { AuthStores } from "../../../auth/stores/types.ts";
import { ADA, cheapHasher, countingHasher, NOBODY, OTHER_PASSWORD, refusal } from "../_services.ts";

function serviceOver(
  stores: AuthStores,
  hasher: PasswordHasher | readonly PasswordHasher[],
): PasswordService {
  return passwordService({ users: stores.users, throttle: "insecureSkip", hasher });
}

async function hashOfAda({ users }: AuthStores): Promise<string> {
  return (await users.findByIdentifier(ADA.identifier))?.passwordHash ?? "";
}

const scrypt = () => scryptHasher({ scrypt: scryptAsync, ln: 10, p: 1 });

Deno.test("passwordService() verifies by the hasher that hashed, and replaces by the first", async () => {
  const stores = inMemoryAuthStores();
  await serviceOver(stores, cheapHasher()).createUser(ADA);
  assertStringIncludes(await hashOfAda(stores), "$pbkdf2-sha256$i=1000$");

  const [first, second] = [countingHasher(scrypt()), countingHasher()];
  const passwords = serviceOver(stores, [first, second]);
  await refusal(() => passwords.verify({ ...ADA, password: OTHER_PASSWORD }, NOBODY));
  assertStringIncludes(
    await hashOfAda(stores),
    "$pbkdf2-sha256$",
    "a wrong password replaces nothing",
  );
  await passwords.verify(ADA, NOBODY);
  assertEquals([first.calls, second.calls], [["hash"], ["verify", "verify"]]);
  assertStringIncludes(await hashOfAda(stores), "$scrypt$ln=10,r=8,p=1$");

  await passwords.verify(ADA, NOBODY);
  assertEquals([first.calls, second.calls.length], [["hash", "verify"], 2]);
});

Deno.test("passwordService() works for unknown users by the first hasher", async () => {
  const [first, second] = [countingHasher(scrypt()), countingHasher()];
  await refusal(() => serviceOver(inMemoryAuthStores(), [first, second]).verify(ADA, NOBODY));
  assertEquals([first.calls, second.calls], [["hash"], []]);
});

Deno.test("passwordService() lets nobody in by a hash that no hasher of the list knows", async () => {
  const stores = inMemoryAuthStores();
  await serviceOver(stores, cheapHasher()).createUser(ADA);
  const warnings: string[] = [];
  const first = countingHasher(scrypt());
  const passwords = passwordService({
    users: stores.users,
    throttle: "insecureSkip",
    hasher: [first],
    warn: (message) => void warnings.push(message),
  });
  for (const calls of [["verify"], ["verify", "verify"]] as const) {
    assertEquals((await refusal(() => passwords.verify(ADA, NOBODY))).reason, "password_wrong");
    assertEquals(first.calls, [...calls]); // as much work as for any other user
  }
  assertEquals(warnings.length, 1);
  assertStringIncludes(warnings[0] ?? "", "no hasher has the id");
});

for (
  const [why, hashers] of [
    ["no hasher", []],
    ["two hashers with one id", [cheapHasher(), cheapHasher(2_000)]],
  ] as const
) {
  Deno.test(`passwordService() refuses ${why}`, () => {
    assertThrows(
      () => serviceOver(inMemoryAuthStores(), hashers),
      TypeError,
      "Cannot hash passwords",
    );
  });
}
