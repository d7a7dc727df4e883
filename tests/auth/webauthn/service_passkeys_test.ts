/** What a user sees and changes of the own passkeys, and records that come from elsewhere. */

import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import {
  createAuthenticator,
  createScene,
  recordOf,
  refusal,
  register,
  RP_ID,
  signIn,
  START,
} from "./_passkeys.ts";

const NAMES: readonly (readonly [why: string, name: unknown])[] = [
  ["no name", ""],
  ["spaces", "   "],
  ["65 characters", "x".repeat(65)],
  ["65 characters of two code units", "🔑".repeat(65)],
  ["a control character", "a\nb"],
  ["a character that reverses the line", "a\u202eb"],
  ["a line separator", "a\u2028b"],
  ["a paragraph separator", "a\u2029b"],
  ["a number", 5],
  ["null", null],
];

for (const [why, name] of NAMES) {
  Deno.test(`rename() and verifyRegistration() reject ${why}`, async () => {
    const scene = await createScene();
    const { id } = await register(scene, createAuthenticator(), { name: "Phone" });
    await assertRejects(() => scene.service.rename("ada", id, name as string), RangeError);
    const named = { name: name as string };
    await assertRejects(() => register(scene, createAuthenticator(), named), RangeError);
    assertEquals((await recordOf(scene, id)).name, "Phone");
    assertEquals((await scene.stores.credentials.list("ada")).length, 1);
  });
}

Deno.test("rename() sets the name of a user's own passkey", async () => {
  const scene = await createScene();
  const { id } = await register(scene);
  const longest = "🔑".repeat(64);
  assert(await scene.service.rename("ada", id, ` ${longest} `));
  assertEquals((await recordOf(scene, id)).name, longest);
  assertEquals(await scene.service.rename("eve", id, "mine"), false);
  assertEquals(await scene.service.rename("ada", "unknown", "mine"), false);
  assertEquals((await recordOf(scene, id)).name, longest);
});

Deno.test("remove() removes a user's own passkey, but not the last way to sign in", async () => {
  const scene = await createScene();
  const [first, second] = [await register(scene), await register(scene)];
  assertEquals(await scene.service.remove("eve", first.id), false);
  assert(await scene.service.remove("ada", first.id));
  assertEquals(await scene.service.remove("ada", first.id), false);
  const error = await refusal(() => scene.service.remove("ada", second.id));
  assertEquals([error.status, error.code], [409, "last_way_in"]);
  assertEquals((await scene.stores.credentials.list("ada")).map(({ id }) => id), [second.id]);
});

Deno.test("list() returns passkeys, the oldest first, and the arguments of the Signal API", async () => {
  const scene = await createScene();
  const created: string[] = [];
  for (const createdAt of [START + 9, START, START + 5]) {
    scene.clock.now = createdAt;
    created.push((await register(scene)).id);
  }
  const [newest = "", oldest = "", middle = ""] = created;
  const { credentials, signals } = await scene.service.list("ada");
  assertEquals(credentials.map(({ id }) => id), [oldest, middle, newest]);
  for (const passkey of credentials) {
    assertEquals(
      ["publicKey", "signCount", "userHandle", "sub"].filter((name) => name in passkey),
      [],
    );
  }
  const { userHandle: userId } = await recordOf(scene, oldest);
  assertEquals(signals, {
    allAcceptedCredentials: {
      rpId: RP_ID,
      userId,
      allAcceptedCredentialIds: [oldest, middle, newest],
    },
    currentUserDetails: {
      rpId: RP_ID,
      userId,
      name: "ada@example.org",
      displayName: "ada@example.org",
    },
  });
  assertEquals((await scene.service.list("nobody")).credentials, []);
});

Deno.test("webAuthnService() uses the handle of an imported passkey, also for the next one", async () => {
  const scene = await createScene();
  const phone = createAuthenticator();
  const { id } = await register(scene, phone);
  const imported = { ...await recordOf(scene, id), userHandle: "aW1wb3J0ZWQ" };
  await scene.stores.credentials.delete(id);
  await scene.stores.credentials.create(imported);
  const change = { userHandle: imported.userHandle };
  assertEquals((await signIn(scene, phone, { change })).sub, "ada");
  await refusal(() => signIn(scene, phone));
  scene.clock.now++;
  const next = await register(scene);
  assertEquals((await recordOf(scene, next.id)).userHandle, imported.userHandle);
  const { signals } = await scene.service.list("ada");
  assertEquals(signals.allAcceptedCredentials.userId, imported.userHandle);
});

Deno.test("webAuthnService() does not mix the passkeys of two domains in the same stores", async () => {
  const first = await createScene();
  const { stores, clock } = first;
  const domain = { rpId: "example.org", origins: ["https://example.org"] };
  const second = await createScene({ stores, clock, ...domain, maxCredentials: 1 });
  const phone = createAuthenticator();
  const here = await register(first, phone);
  const there = await register(second, phone);
  for (const [scene, { id }] of [[first, here], [second, there]] as const) {
    assertEquals((await scene.service.list("ada")).credentials.map((one) => one.id), [id]);
    assertEquals((await signIn(scene, phone)).credentialId, id);
  }
  const [a, b] = await Promise.all([recordOf(first, here.id), recordOf(first, there.id)]);
  assertNotEquals(a.userHandle, b.userHandle);
  const [key] = phone.credentials;
  assert(key !== undefined);
  const change = { credential: key, userHandle: a.userHandle };
  const error = await refusal(() => signIn(second, phone, { change }));
  assertEquals(error.reason, "rp_id_mismatch");
});

const EIGHT = ["a", "b", "c", "d", "e", "f", "g", "h"];

const TRANSPORTS: readonly (readonly [why: string, given: unknown, kept: unknown])[] = [
  ["known ones", ["usb", "ble"], ["ble", "usb"]],
  ["none", [], []],
  ["a new one", ["smart-card"], ["smart-card"]],
  ["eight", EIGHT, EIGHT],
  ["nine", [...EIGHT, "i"], undefined],
  ["a long name", ["usb", "x".repeat(17)], undefined],
  ["markup", ["usb", "<b>"], undefined],
  ["a number", ["usb", 5], undefined],
  ["an array", ["usb", ["usb"]], undefined],
  ["text", "usb", undefined],
];

for (const [why, transports, kept] of TRANSPORTS) {
  Deno.test(`verifyRegistration() ${kept === undefined ? "drops" : "keeps"} transports with ${why}`, async () => {
    const scene = await createScene();
    const { id } = await register(scene, createAuthenticator(), { change: { transports } });
    assertEquals((await recordOf(scene, id)).transports, kept);
  });
}
