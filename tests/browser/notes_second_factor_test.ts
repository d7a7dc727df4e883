/** The second factor of users of the notes service: set up, used, stepped up to, and lost. */

import { assertEquals, assertMatch } from "@std/assert";
import { addAuthenticator } from "./_authenticator.ts";
import { arriveAs, fillIn, focused, notesTest, PASSWORD, signIn, tabTo } from "./_notes.ts";
import { answer, leaveForId, notesIdTest, signInAtId } from "./_notes_id.ts";
import { enrol, enterCode, signInHalf, signOut } from "./_notes_mail.ts";
import { readQr } from "./_qr.ts";

/** What refusals leave in the console. */
const REFUSED = [/status of 4\d\d/];

notesTest("An authenticator app is set up by its QR code, and asked for", async ({ open }) => {
  const page = await open("/sign-in");
  await signIn(page, "ada");
  const { codeIn, recoveryCodes } = await enrol(page);
  assertEquals(recoveryCodes.length, 10);
  for (const code of recoveryCodes) assertMatch(code, /^[0-9A-Z]{5}-[0-9A-Z]{5}$/);
  await page.getByText("10 recovery codes are left.").waitFor();
  const left = await page.evaluate<string>("document.documentElement.outerHTML");
  assertEquals(left.includes(recoveryCodes[0] ?? ""), false);

  await signOut(page);
  await signInHalf(page, "ada");
  await page.locator("#code:focus").waitFor();
  await enterCode(page, "000000");
  await page.locator("#code[aria-invalid=true]:focus").waitFor();
  assertMatch(await page.locator("#code-error").innerText(), /^This code is wrong/);
  await enterCode(page, await codeIn(30));
  await arriveAs(page, "ada");
}, { errors: REFUSED });

notesTest(
  "The QR code, the link and the key are of one secret, which the page forgets",
  async (scene) => {
    const page = await scene.open("/sign-in?next=/security");
    await signIn(page, "ada", "/security");
    await tabTo(page, "Set up an authenticator app");
    await page.keyboard.press("Enter");
    await page.locator("#enrol:focus").waitFor();
    const uri = await readQr(page, "#qr");
    assertEquals(await page.locator("#otpauth").getAttribute("href"), uri);
    const key = (await page.locator("#secret").innerText()).replaceAll(" ", "");
    const { searchParams } = new URL(uri);
    assertMatch(uri, /^otpauth:\/\/totp\/Notes:ada\?/);
    assertEquals([searchParams.get("secret"), searchParams.get("issuer")], [key, "Notes"]);
    await page.getByRole("button", { name: "Cancel" }).click();
    const left = await page.evaluate<string>("document.documentElement.outerHTML");
    assertEquals(left.includes(key) || left.includes("otpauth://"), false);
    await page.getByRole("button", { name: "Set up an authenticator app" }).waitFor();
  },
);

notesTest("A browser can be remembered, and is not asked then", async ({ open }) => {
  const page = await open("/sign-in");
  await signIn(page, "ada");
  const { codeIn } = await enrol(page);
  await signOut(page);
  await signInHalf(page, "ada");
  await tabTo(page, "Do not ask in this browser for 30 days");
  await page.keyboard.press("Space");
  await enterCode(page, await codeIn(30));
  await arriveAs(page, "ada");
  await signOut(page);
  await signIn(page, "ada");
}, { errors: REFUSED });

notesTest("A recovery code signs in once, by keyboard alone", async ({ open }) => {
  const page = await open("/sign-in");
  await signIn(page, "ada");
  const { recoveryCodes: [code = ""] } = await enrol(page);
  await signOut(page);
  const enter = async () => {
    await signInHalf(page, "ada");
    await tabTo(page, "Use a recovery code");
    await page.keyboard.press("Enter");
    await tabTo(page, "Recovery code");
    await page.keyboard.type(code.toLowerCase());
    await page.keyboard.press("Enter");
  };
  await enter();
  await arriveAs(page, "ada");
  await signOut(page);
  await enter();
  await page.locator("#recovery-code[aria-invalid=true]:focus").waitFor();
}, { errors: REFUSED });

notesTest("A passkey signs in instead of the code", async ({ open, origin }) => {
  const page = await open("/sign-in?next=/passkeys");
  const authenticator = await addAuthenticator(page);
  await signIn(page, "ada", "/passkeys");
  await page.locator("#name").press("Enter");
  await page.locator("#list-status:focus").waitFor();
  await enrol(page);
  await authenticator.setPresent(false); // for the offer on the page to sign in
  await signOut(page);
  await page.goto(`${origin}/sign-in?next=/sessions`);
  await signInHalf(page, "ada");
  await authenticator.setPresent(true);
  await page.getByRole("button", { name: "Use a passkey instead" }).click();
  await arriveAs(page, "ada", "/sessions");
}, { errors: REFUSED });

notesTest("/second-factor leads back to the sign-in, once it took too long", async (scene) => {
  const { open, wait, origin } = scene;
  const page = await open("/sign-in");
  await signIn(page, "ada");
  const { codeIn } = await enrol(page);
  await signOut(page);
  await page.goto(`${origin}/sign-in?next=/sessions`);
  await signInHalf(page, "ada");
  wait(301);
  await enterCode(page, await codeIn(301));
  await page.getByText("This took too long").waitFor();
  await tabTo(page, "Sign in");
  await page.locator(".message a").click();
  await page.waitForURL(/\/sign-in\?next=%2Fsessions$/);
}, { errors: REFUSED });

notesTest("Deleting the account asks for the second factor, and goes on", async (scene) => {
  const { open, service, origin } = scene;
  await service.create({ title: "Secret of Ada" });
  const page = await open("/sign-in");
  await signIn(page, "ada");
  const { codeIn } = await enrol(page);
  await page.getByRole("link", { name: "Delete my account" }).click();
  await page.waitForURL(/\/step-up\?next=%2Fsecurity%2Fdelete$/);
  await enterCode(page, await codeIn(30));
  await page.waitForURL(/\/security\/delete$/);
  await page.getByRole("button", { name: "Delete my account" }).click();
  await page.getByRole("heading", { name: "Notes that only you read" }).waitFor();
  await page.goto(`${origin}/sign-in`);
  await fillIn(page, "ada", PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByText("The name or the password is wrong.").waitFor();
}, { errors: REFUSED });

notesTest("Deleting the account asks for the password after five minutes", async (scene) => {
  const { open, wait, origin } = scene;
  const page = await open("/sign-in");
  await signIn(page, "ada");
  wait(301);
  await page.goto(`${origin}/security/delete`);
  await page.getByText("Sign in again to show that it is you.").waitFor();
  await signIn(page, "ada", "/security/delete");
  wait(301);
  await page.getByRole("button", { name: "Delete my account" }).click();
  await page.getByText("Show again that it is you").waitFor();
  assertEquals((await focused(page)).role, "alert");
  await tabTo(page, "Sign in");
  await page.keyboard.press("Enter");
  await signIn(page, "ada", "/security/delete");
  await page.getByRole("button", { name: "Delete my account" }).click();
  await page.getByRole("heading", { name: "Notes that only you read" }).waitFor();
}, { errors: REFUSED });

notesTest(
  "/security makes new recovery codes and removes the app, after step-up",
  async (scene) => {
    const page = await scene.open("/sign-in");
    await signIn(page, "ada");
    const { codeIn, recoveryCodes } = await enrol(page);
    await page.getByRole("button", { name: "Make new recovery codes" }).click();
    await page.getByText("Show again that it is you").waitFor();
    await page.locator("#factor-section .message a").click();
    await enterCode(page, await codeIn(30));
    await page.waitForURL(/\/security$/);
    await page.getByRole("button", { name: "Make new recovery codes" }).click();
    await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
    const made = (await page.locator("#code-list").innerText()).trim().split(/\s+/);
    assertEquals([made.length, made.some((code) => recoveryCodes.includes(code))], [10, false]);
    await page.getByRole("button", { name: "I have kept them" }).click();
    await page.getByText("Use one of the codes when you are without your phone.").waitFor();
    await page.getByRole("button", { name: "Remove the app" }).click();
    await page.getByRole("button", { name: "Remove it" }).click();
    await page.getByText("The app is removed.").waitFor();
    assertEquals((await focused(page)).role, "status");
    await signOut(page);
    await signIn(page, "ada");
  },
  { errors: REFUSED },
);

notesIdTest("A sign-in at a provider leads to the second factor", async ({ notes, open }) => {
  const page = await open(`${notes}/sign-in`);
  await leaveForId(page);
  await signInAtId(page);
  await answer(page, "Allow");
  await page.waitForURL(`${notes}/`);
  const { codeIn } = await enrol(page);
  await signOut(page);
  await leaveForId(page);
  await answer(page, "Allow");
  await page.getByRole("heading", { name: "Second step" }).waitFor();
  await enterCode(page, await codeIn(30));
  await page.waitForURL(`${notes}/`);
  await page.getByText("Signed in as ada@example.com").waitFor();
}, { errors: REFUSED });
