/** The page of passkeys, and the pages to sign in and to register, as they come from the service. */

import type { Credential } from "@gatehouse/http/auth";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { suggestedName } from "../../examples/notes/pages/passkeys.ts";
import { newCredential } from "../contracts/_credentials.ts";
import { type NotesService, withNotes } from "./_notes_service.ts";

const CHROME =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

/** A browser, the names that are taken, and the name that is suggested. */
const NAMES: readonly (readonly [
  why: string,
  userAgent: string | null,
  taken: readonly (string | undefined)[],
  suggested: string,
])[] = [
  ["of a browser", CHROME, [], "Chrome on Linux"],
  ["of a browser besides others", CHROME, ["Phone", undefined], "Chrome on Linux"],
  ["of a second passkey", CHROME, ["Chrome on Linux"], "Chrome on Linux 2"],
  ["of a third one", CHROME, ["Chrome on Linux", "Chrome on Linux 2"], "Chrome on Linux 3"],
  ["without the field", null, [], "Passkey"],
  ["without the field, again", null, ["Passkey"], "Passkey 2"],
  ["of a program, which may call itself anything", "<b>".repeat(100), [], "Passkey"],
];
for (const [why, userAgent, taken, suggested] of NAMES) {
  Deno.test(`suggestedName() returns “${suggested}” ${why}`, () => {
    assertEquals(suggestedName(userAgent, taken), suggested);
  });
}

/** A passkey, as its card says it. Times are in UTC until a script writes them. */
const CARDS: readonly (readonly [
  why: string,
  passkey: Partial<Credential>,
  text: readonly string[],
])[] = [
  ["a passkey of one device", {}, ["not used yet", "On one device only"]],
  [
    "a synced passkey",
    { backupEligible: true, backedUp: true },
    ["Synced between your devices"],
  ],
  ["a passkey that may be synced", { backupEligible: true }, ["Not synced yet"]],
  [
    "when it was used",
    { lastUsedAt: 1_800_000_000 },
    ["Created ", "2023-11-14 22:13 UTC", "last used ", "2027-01-15 08:00 UTC"],
  ],
  ["a passkey without a name", {}, ["<h3>Passkey</h3>", 'aria-label="Remove Passkey"']],
  [
    "a name as text",
    { name: '"><img src=x>' },
    ["<h3>&quot;&gt;&lt;img src=x&gt;</h3>", 'aria-label="Rename &quot;&gt;&lt;img src=x&gt;"'],
  ],
];
for (const [why, passkey, texts] of CARDS) {
  Deno.test(`/passkeys shows ${why}`, async () => {
    await withNotes(async (service) => {
      await addPasskey(service, passkey);
      const page = await (await service.page("/passkeys")).text();
      assertEquals(page.match(/<li class="card"/g)?.length, 1);
      for (const text of texts) assertStringIncludes(page, text);
      assertEquals(page.includes("<img"), false);
      assertStringIncludes(page, "With a second one on another device");
    });
  });
}

Deno.test("/passkeys shows the reader's passkeys only, the oldest first", async () => {
  await withNotes(async (service) => {
    const bob = await service.user("bob");
    await addPasskey(service, { id: "Mg", name: "Second", createdAt: 1_700_000_001 });
    await addPasskey(service, { id: "MQ", name: "First" });
    const page = await (await service.page("/passkeys")).text();
    assertEquals([...page.matchAll(/<h3>([^<]*)/g)].map(([, name]) => name), ["First", "Second"]);
    assertEquals(page.includes("With a second one"), false);
    assertStringIncludes(await (await bob.page("/passkeys")).text(), "You have no passkeys.");
  });
});

Deno.test("/passkeys suggests a name by the browser and the passkeys that there are", async () => {
  await withNotes(async (service) => {
    await addPasskey(service, { name: "Chrome on Linux" });
    const page = await (await service.page("/passkeys", { "User-Agent": CHROME })).text();
    assertMatch(page, /<input id="name" [^>]*value="Chrome on Linux 2"/);
  });
});

Deno.test("/passkeys is for people who are signed in, in every response private", async () => {
  await withNotes(async ({ page, stranger, call, send }) => {
    const response = await page("/passkeys");
    await response.body?.cancel();
    assertEquals(response.headers.get("cache-control"), "no-store");
    const refused = await stranger().page("/passkeys");
    await refused.body?.cancel();
    assertEquals(
      [refused.status, refused.headers.get("location")],
      [303, "/sign-in?next=%2Fpasskeys"],
    );
    const made = await send("POST", "/api-keys", { name: "backup", scope: ["notes:read"] });
    const { key } = await made.json();
    const program = await call("/passkeys", { headers: { "X-API-Key": key, "Cookie": "a=b" } });
    assertEquals([program.status, (await program.json()).code], [403, "insufficient_scope"]);
  });
});

Deno.test("/register gives the first passkey the browser's name", async () => {
  await withNotes(async ({ stranger }) => {
    const page = await (await stranger().page("/register", { "User-Agent": CHROME })).text();
    assertStringIncludes(page, 'data-passkey-name="Chrome on Linux"');
  });
});

/** `/sign-in` with and without a session, by its query: a target, or what the page says. */
const AGAIN: readonly (readonly [
  why: string,
  signedIn: boolean,
  query: string,
  shown: string | RegExp,
])[] = [
  ["leads on who is signed in", true, "?next=/passkeys", "/passkeys"],
  ["asks who is signed in, once more", true, "?next=/passkeys&again=1", /Sign in again to show/],
  ["asks nobody once more by other values", true, "?again=true", "/"],
  ["leads nobody elsewhere", true, "?next=//evil.example&again=1", /data-next="\/"/],
  ["asks who is not signed in for the first time", false, "?again=1", /No account yet\?/],
];
for (const [why, signedIn, query, shown] of AGAIN) {
  Deno.test(`/sign-in ${why}`, async () => {
    await withNotes(async ({ page, stranger }) => {
      const response = await (signedIn ? page : stranger().page)(`/sign-in${query}`);
      const text = await response.text();
      if (typeof shown === "string") assertEquals(response.headers.get("location"), shown);
      else assertMatch(text, shown);
      const isAgain = signedIn && shown instanceof RegExp;
      assertEquals(text.includes("Sign in again to show"), isAgain);
      assertEquals(text.includes('value="ada"'), isAgain);
    });
  });
}

async function addPasskey(
  { call, stores }: NotesService,
  passkey: Partial<Credential>,
): Promise<void> {
  const { user: { sub } } = await (await call("/auth/session")).json();
  const status = await stores.credentials.create({
    ...newCredential("AQ", sub),
    rpId: "localhost",
    createdAt: 1_700_000_000,
    ...passkey,
  });
  assertEquals(status, "created");
}
