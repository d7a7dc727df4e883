/** Passkeys of the notes service: sign-up, sign-in, the list, and what happens when something is not as it should be. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { addAuthenticator, type Authenticator } from "./_authenticator.ts";
import {
  arriveAs,
  fillIn,
  focused,
  type NotesScene,
  notesTest,
  openPage,
  PASSWORD,
  signIn,
  tabTo,
} from "./_notes.ts";
import type { Page } from "./_playwright.ts";

/** What refusals leave in the console. */
const REFUSED = { errors: [/status of 4\d\d/] };

/** A tab with an authenticator. */
interface Tab {
  readonly page: Page;
  readonly authenticator: Authenticator;
}

/** Opens `/passkeys` as Ada, who has a password. */
async function openAsAda(
  { open }: NotesScene,
  options?: Parameters<typeof addAuthenticator>[1],
): Promise<Tab> {
  const page = await open("/sign-in?next=/passkeys");
  await signIn(page, "ada", "/passkeys");
  return { page, authenticator: await addAuthenticator(page, options) };
}

/** Opens `/passkeys` as somebody who registers with a passkey. */
async function openAsNew(
  { open }: Pick<NotesScene, "open">,
  identifier: string,
): Promise<Tab> {
  const page = await open("/register?next=/passkeys");
  const authenticator = await addAuthenticator(page);
  await page.locator("#identifier").fill(identifier);
  await page.getByRole("button", { name: "Create an account with a passkey" }).click();
  await arriveAs(page, identifier, "/passkeys");
  return { page, authenticator };
}

/** Creates a passkey on the page of the list. */
async function create(page: Page, name: string): Promise<void> {
  await page.locator("#name").fill(name);
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await page.getByRole("heading", { name, exact: true }).waitFor();
}

/** Signs out, and opens the page to sign in. With somebody at the authenticator, the offer in the autofill is taken. */
async function signOut(page: Page, to = "/sign-in"): Promise<void> {
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Notes that only you read" }).waitFor();
  await page.goto(new URL(to, page.url()).href);
}

function reasons({ service }: NotesScene): readonly string[] {
  return service.events.flatMap((event) => event.type === "webauthn.failed" ? [event.reason] : []);
}

notesTest("/passkeys and /sign-in are used by keyboard alone", async (scene) => {
  const page = await scene.open("/sign-in");
  await signIn(page, "ada");
  const authenticator = await addAuthenticator(page);
  await tabTo(page, "Passkeys");
  await page.keyboard.press("Enter");
  await page.getByText("You have no passkeys.").waitFor();
  await tabTo(page, "Name");
  assertEquals(await page.getByLabel("Name", { exact: true }).inputValue(), "Chrome on Linux");
  await tabTo(page, "Create a passkey");
  await page.keyboard.press("Enter");
  await page.getByText("You can sign in with “Chrome on Linux” from now on.").waitFor();
  assertEquals((await focused(page)).role, "status");
  await page.getByText(/not used yet/).waitFor();
  assertEquals(await page.locator("#name").inputValue(), "Chrome on Linux 2");

  await authenticator.setPresent(false);
  await signOut(page);
  await tabTo(page, "Keep me signed in on this browser");
  await page.keyboard.press("Space");
  await tabTo(page, "Sign in with a passkey");
  await authenticator.setPresent(true);
  await page.keyboard.press("Enter");
  await arriveAs(page, "ada");
  const session = (await scene.context.cookies()).find(({ name }) => name === "__Host-sid");
  assert(session !== undefined && session.expires !== -1, "nobody is kept signed in");
  await page.goto(`${scene.origin}/passkeys`);
  await page.getByText(/last used/).waitFor();
  assertEquals((await authenticator.credentials()).map(({ signCount }) => signCount), [2]);
});

notesTest("/sign-in offers passkeys in the autofill", async (scene) => {
  const { page } = await openAsAda(scene);
  await create(page, "Laptop");
  await signOut(page, "/sign-in?next=/sessions"); // nothing is pressed there
  await arriveAs(page, "ada", "/sessions");
});

notesTest(
  "/sign-in renews the offer in the autofill before its challenge expires",
  async (scene) => {
    const { page, authenticator } = await openAsAda(scene);
    await create(page, "Laptop");
    await authenticator.setPresent(false);
    await page.clock.install();
    const begun = page.waitForRequest("**/auth/webauthn/login/options");
    await signOut(page);
    await begun;
    await page.locator("#account[aria-busy=false]").waitFor();
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
    scene.wait(241);
    const renewed = page.waitForRequest("**/auth/webauthn/login/options");
    await page.clock.fastForward(241_000);
    await renewed;
    scene.wait(241); // only the second challenge is alive
    await authenticator.setPresent(true);
    await arriveAs(page, "ada");
  },
);

notesTest("/sign-in offers passkeys again when a challenge has expired", async (scene) => {
  const { page } = await openAsAda(scene);
  await create(page, "Laptop");
  await page.route("**/auth/webauthn/login/verify", (route) => {
    scene.wait(301);
    return route.continue();
  }, { times: 1 });
  const asked = page.waitForRequest("**/auth/webauthn/login/verify");
  await signOut(page);
  await asked;
  await arriveAs(page, "ada"); // by the second challenge
  assertEquals(reasons(scene), ["challenge_unknown"]);
}, REFUSED);

notesTest(
  "/sign-in takes a password while passkeys are offered, and offers them again",
  async (scene) => {
    const { page, authenticator } = await openAsAda(scene);
    await create(page, "Laptop");
    await authenticator.setPresent(false);
    await signOut(page);
    await fillIn(page, "ada", "five quiet herons at dusk");
    await authenticator.setPresent(true); // for the next offer
    await page.keyboard.press("Enter");
    await arriveAs(page, "ada");
    assertEquals(scene.service.events.filter(({ type }) => type === "login.failed").length, 1);
  },
  REFUSED,
);

notesTest("/sign-in says nothing when the dialog is dismissed", async (scene) => {
  const { page } = await openAsAda(scene);
  await signOut(page); // the authenticator has no passkey: the browser says the same as after a dismissal
  await tabTo(page, "Sign in with a passkey");
  const asked = page.waitForRequest("**/auth/webauthn/login/options");
  await page.keyboard.press("Enter");
  await asked;
  await page.locator("#account[aria-busy=false]").waitFor();
  assertEquals(await page.locator("#account .message:not(:empty)").count(), 0);
  assertEquals((await focused(page)).name, "Sign in with a passkey");
  await fillIn(page, "ada", PASSWORD);
  await page.keyboard.press("Enter");
  await arriveAs(page, "ada");
});

notesTest(
  "/register creates an account by a passkey alone, which cannot be removed then",
  async (scene) => {
    const { page, authenticator } = await openAsNew(scene, "grace");
    await page.getByRole("heading", { name: "Chrome on Linux", exact: true }).waitFor();
    await page.getByText("With a second one on another device").waitFor();
    await tabTo(page, "Remove");
    await page.keyboard.press("Enter");
    await tabTo(page, "Remove");
    await page.keyboard.press("Enter");
    await page.getByText("Without this passkey you could not sign in any more.").waitFor();
    assertEquals((await focused(page)).role, "alert");
    await page.keyboard.press("Escape");
    assertEquals((await focused(page)).name, "Remove");
    assertEquals((await authenticator.credentials()).length, 1);
    await signOut(page);
    await arriveAs(page, "grace");
  },
  REFUSED,
);

/** Identifiers that cannot be registered, and what stands at the field then. */
const TAKEN: readonly [why: string, identifier: string, text: RegExp][] = [
  ["a name that is taken", "ADA", /registered with this already/],
  ["a name with spaces", "grace hopper", /without spaces/],
  ["an empty name", "", /^Fill this in\.$/],
];
for (const [why, identifier, text] of TAKEN) {
  notesTest(`/register creates no passkey for ${why}`, async ({ open }) => {
    const page = await open("/register");
    const authenticator = await addAuthenticator(page);
    await page.locator("#identifier").fill(identifier);
    await tabTo(page, "Create an account with a passkey");
    await page.keyboard.press("Enter");
    assertMatch(await page.locator("#identifier-error:not(:empty)").innerText(), text);
    assertEquals((await focused(page)).id, "identifier");
    assertEquals(await authenticator.credentials(), []);
  }, REFUSED);
}

notesTest("/passkeys renames and removes, and tells the authenticator", async (scene) => {
  const { page, authenticator } = await openAsAda(scene);
  await create(page, "Laptop");
  await tabTo(page, "Rename");
  await page.keyboard.press("Enter");
  assertEquals((await focused(page)).name, "New name");
  await page.keyboard.type("Old laptop");
  await page.keyboard.press("Enter");
  await page.getByText("The passkey is called “Old laptop” now.").waitFor();
  assertEquals((await focused(page)).role, "status");
  await page.getByRole("heading", { name: "Old laptop", exact: true }).waitFor();

  await tabTo(page, "Remove");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Remove “Old laptop”?" }).waitFor();
  assertEquals((await focused(page)).name, "Keep it");
  await page.keyboard.press("Enter");
  assertEquals((await focused(page)).name, "Remove");
  assertEquals((await authenticator.credentials()).length, 1);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Remove “Old laptop”?" }).waitFor();
  await tabTo(page, "Remove");
  await page.keyboard.press("Enter");
  await page.getByText("“Old laptop” is removed.").waitFor();
  await page.getByText("You have no passkeys.").waitFor();
  assertEquals([await authenticator.credentials(), authenticator.deleted.length], [[], 1]);
});

notesTest("/sign-in has the browser forget a passkey that was removed elsewhere", async (scene) => {
  const { page, authenticator } = await openAsAda(scene);
  await create(page, "Laptop");
  await removeAll(scene);
  await authenticator.setPresent(false);
  await signOut(page);
  await tabTo(page, "Sign in with a passkey");
  await authenticator.setPresent(true);
  await page.keyboard.press("Enter");
  await page.getByText("This passkey was removed from your account.").waitFor();
  assertEquals((await focused(page)).role, "alert");
  assertEquals([await authenticator.credentials(), authenticator.deleted.length], [[], 1]);
  assertEquals(reasons(scene), ["credential_unknown"]);
}, REFUSED);

notesTest("/passkeys holds several passkeys of several people", async (scene) => {
  const { page, authenticator } = await openAsNew(scene, "grace");
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await page.getByText("There is a passkey of yours on this device already.").waitFor();
  const [first] = await authenticator.credentials();
  await signOut(page, "/register");
  await page.locator("#identifier").fill("hedy");
  await page.getByRole("button", { name: "Create an account with a passkey" }).click();
  await arriveAs(page, "hedy");
  const second = (await authenticator.credentials()).find(({ credentialId }) =>
    credentialId !== first?.credentialId
  );
  assert(first !== undefined && second !== undefined);
  assert(first.userHandle !== second.userHandle, "two accounts have one handle");

  for (const identifier of ["grace", "hedy"]) { // each of them by its own passkey
    await authenticator.remove(identifier === "grace" ? second.credentialId : first.credentialId);
    await signOut(page);
    await arriveAs(page, identifier);
    if (identifier === "grace") await authenticator.add(second);
  }
  const key = await addAuthenticator(page, {
    transport: "usb",
    defaultBackupEligibility: true,
    defaultBackupState: true,
  });
  await authenticator.detach();
  await page.goto(`${scene.origin}/passkeys`);
  await create(page, "Synced one");
  await page.getByText("Synced between your devices").waitFor();
  await page.getByText("On one device only").waitFor();
  assertEquals((await key.credentials()).length, 1);
}, REFUSED);

notesTest("/passkeys creates nothing when the user is not verified", async (scene) => {
  const { page, authenticator } = await openAsAda(scene, { isUserVerified: false });
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await page.locator("#create[aria-busy=true]").waitFor();
  await page.locator("#create[aria-busy=false]").waitFor();
  assertEquals(await page.locator("#create .message").innerText(), "");
  assertEquals(await authenticator.credentials(), []);
});

/** Makes a page ask for less than the service wants. */
const WITHOUT_VERIFICATION =
  `for (const name of ["parseCreationOptionsFromJSON", "parseRequestOptionsFromJSON"]) {
  const parse = PublicKeyCredential[name];
  PublicKeyCredential[name] = (options) => {
    const parsed = parse.call(PublicKeyCredential, options);
    parsed.userVerification = "discouraged";
    parsed.authenticatorSelection &&= { userVerification: "discouraged" }; // a discoverable one would be verified
    return parsed;
  };
}`;

notesTest(
  "A page that asks for no verification of the user creates nothing, and signs nobody in",
  async (scene) => {
    const { page, authenticator: key } = await openAsAda(scene, {
      transport: "usb",
      hasUserVerification: false,
      isUserVerified: false,
    });
    await page.evaluate(WITHOUT_VERIFICATION);
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByText("The passkey was not accepted.").waitFor();
    assertEquals(reasons(scene), ["user_unverified"]);

    await key.detach();
    await page.reload();
    const authenticator = await addAuthenticator(page);
    await create(page, "Laptop");
    await authenticator.setPresent(false);
    await authenticator.setVerified(false);
    await signOut(page);
    await page.evaluate(WITHOUT_VERIFICATION);
    await authenticator.setPresent(true);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("The passkey was not accepted.").waitFor();
    assert(reasons(scene).length > 1); // once more for each offer in the autofill
    assertEquals([...new Set(reasons(scene))], ["user_unverified"]);
    assertEquals(await page.locator("#sign-out").count(), 0);
  },
  REFUSED,
);

notesTest(
  "/passkeys leads to signing in again when the sign-in is old, and back",
  async (scene) => {
    const { page, authenticator } = await openAsAda(scene);
    scene.wait(901);
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByText("You signed in a while ago.").waitFor();
    assertEquals((await focused(page)).role, "alert");
    assertEquals(await authenticator.credentials(), []);
    await tabTo(page, "Sign in");
    await page.keyboard.press("Enter");
    await page.getByText("Sign in again, so that it is certain that it is you.").waitFor();
    await signIn(page, "ada", "/passkeys");
    await create(page, "Laptop");

    scene.wait(901); // now with the passkey
    await page.getByRole("button", { name: "Remove Laptop" }).click();
    await page.locator("#remove").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("link", { name: "Sign in" }).click();
    await arriveAs(page, "ada", "/passkeys");
    await page.getByRole("button", { name: "Remove Laptop" }).click();
    await page.locator("#remove").getByRole("button", { name: "Remove" }).click();
    await page.getByText("You have no passkeys.").waitFor();
  },
  REFUSED,
);

notesTest("/passkeys and /sign-in go on in a second tab", async (scene) => {
  const { page, authenticator } = await openAsAda(scene);
  await create(page, "Laptop");
  const other = await scene.open("/passkeys");
  await page.getByRole("button", { name: "Remove Laptop" }).click();
  await page.locator("#remove").getByRole("button", { name: "Remove" }).click();
  await page.getByText("You have no passkeys.").waitFor();
  await other.getByRole("button", { name: "Rename Laptop" }).click();
  await other.getByLabel("New name").press("Enter");
  await other.getByText("That passkey was removed before.").waitFor();
  await other.getByText("You have no passkeys.").waitFor();

  await page.bringToFront(); // browsers show no dialog of a tab that nobody sees
  await create(page, "Laptop");
  await signOut(page, "/");
  await other.goto(`${scene.origin}/sign-in`); // a challenge of a browser without a session
  await other.locator("#account[aria-busy=false]").waitFor();
  const key = await addAuthenticator(other, { automaticPresenceSimulation: false });
  for (const passkey of await authenticator.credentials()) await key.add(passkey);
  const elsewhere = await scene.open("/sign-in");
  await signIn(elsewhere, "ada"); // now the browser has one
  await other.bringToFront();
  await key.setPresent(true);
  await other.getByRole("button", { name: "Sign in with a passkey" }).click();
  await arriveAs(other, "ada");
}, REFUSED);

notesTest(
  "/sign-in and /register say that a browser has no passkeys",
  async ({ another, origin }) => {
    const context = await another();
    await context.addInitScript("delete globalThis.PublicKeyCredential");
    const page = await openPage(context, `${origin}/register`);
    await page.getByText("This browser has no passkeys.").waitFor();
    assertEquals(await page.locator("#passkey").count(), 0);
    await page.goto(`${origin}/sign-in?next=/passkeys`);
    await page.getByText("This browser has no passkeys.").waitFor();
    await signIn(page, "ada", "/passkeys");
    await page.getByText("This browser has no passkeys.").waitFor();
    assert(await page.getByRole("button", { name: "Create a passkey" }).isDisabled());
  },
);

/** Removes Ada's passkeys at the service. */
async function removeAll({ service }: NotesScene): Promise<void> {
  const { user: { sub } } = await (await service.call("/auth/session")).json();
  for (const { id } of await service.stores.credentials.list(sub)) {
    await service.stores.credentials.delete(id);
  }
}
