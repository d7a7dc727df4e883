/** The page where people create, rename and remove their passkeys. */

import { assert, assertEquals } from "@std/assert";
import { addAuthenticator } from "./_authenticator.ts";
import { arriveAs, focused, notesTest, signIn, tabTo } from "./_notes.ts";
import { create, openAsAda, openAsNew, REFUSED, signOut } from "./_passkeys.ts";

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

/** Browsers that are told nothing, as scripts. */
const DEAF: readonly (readonly [why: string, script: string])[] = [
  ["cannot be told", "delete PublicKeyCredential.signalAllAcceptedCredentials"],
  [
    "refuses to be told",
    "PublicKeyCredential.signalAllAcceptedCredentials = () => Promise.reject(new Error())",
  ],
];
for (const [why, script] of DEAF) {
  notesTest(`/passkeys removes where the browser ${why}`, async (scene) => {
    const { page, authenticator } = await openAsAda(scene);
    await create(page, "Laptop");
    await page.evaluate(`void (${script})`);
    await page.getByRole("button", { name: "Remove Laptop" }).click();
    await page.locator("#remove").getByRole("button", { name: "Remove" }).click();
    await page.getByText("“Laptop” is removed.").waitFor();
    assertEquals((await authenticator.credentials()).length, 1);
  });
}

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
  await page.locator("#create[aria-busy=false]").waitFor(); // there is no attribute before the first attempt
  assertEquals(await page.locator("#create .message").innerText(), "");
  assertEquals(await authenticator.credentials(), []);
});

notesTest(
  "/passkeys leads to signing in again when the sign-in is old, and back",
  async (scene) => {
    const { page, authenticator } = await openAsAda(scene);
    scene.wait(901);
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByText("Show again that it is you: you signed in a while ago").waitFor();
    assertEquals((await focused(page)).role, "alert");
    assertEquals(await authenticator.credentials(), []);
    await tabTo(page, "Sign in");
    await page.keyboard.press("Enter");
    await page.getByText("Sign in again to show that it is you. Then").waitFor();
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
