/** What users of the notes service do by mail: verify, forget, and sign in by a link or a code. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { arriveAs, fillIn, focused, notesTest, openPage, signIn, tabTo } from "./_notes.ts";
import { mailed, register } from "./_notes_mail.ts";
import type { Page } from "./_playwright.ts";

/** What refusals leave in the console. */
const REFUSED = [/status of 4\d\d/];
const GRACE = "grace@example.org";
const NEW_PASSWORD = "seven green bottles on a wall";

/** Presses the button of the page that a link opens. */
async function follow(page: Page, url: string | undefined, button: string): Promise<void> {
  await page.goto(url ?? "");
  await page.getByRole("button", { name: button }).click();
}

/** Enters an address on the page to sign in, and has something sent there. */
async function send(page: Page, address: string, button: string): Promise<void> {
  await page.getByLabel("E-mail address or name").fill(address);
  await tabTo(page, button);
  await page.keyboard.press("Enter");
}

notesTest("/register sends a link, which verifies the address", async ({ open, origin }) => {
  const page = await open("/register");
  await register(page, GRACE);
  await page.getByText(`Verify ${GRACE} by the link`).waitFor();
  await tabTo(page, "outbox");
  await page.keyboard.press("Enter");
  await page.getByText("This page stands in for mail.").waitFor();
  await page.locator("[data-kind=verify_email] a").click();
  await page.waitForURL(/\/verify\?token=/);
  await tabTo(page, "Verify the address");
  await page.keyboard.press("Enter");
  await page.getByText(`${GRACE} is verified.`).waitFor();
  assertEquals([page.url(), (await focused(page)).role], [`${origin}/verify`, "status"]);

  await page.goto(`${origin}/security`);
  await page.getByText("Verified", { exact: true }).waitFor();
  await page.goto(`${origin}/`);
  await page.getByRole("heading", { name: "Your notes" }).waitFor();
  assertEquals(await page.getByText(`Verify ${GRACE}`).count(), 0);
});

notesTest(
  "A link is opened without effect, and verifies once",
  async ({ service, open, origin }) => {
    await service.user(GRACE);
    const { url } = await mailed(service, "verify_email");
    const page = await open("/");
    await page.goto(url ?? ""); // first, it asks whose account it is
    await signIn(page, GRACE, "/verify");
    assertEquals(page.url(), url);
    await page.reload();
    await follow(page, url, "Verify the address");
    await page.getByText(`${GRACE} is verified.`).waitFor();
    await follow(page, url, "Verify the address");
    await page.getByText("This link was used before").waitFor();
    assertEquals((await focused(page)).role, "alert");
    assert(page.url().startsWith(`${origin}/verify?token=`));
  },
  { errors: REFUSED },
);

notesTest("/forgot and /reset replace the password, and end all sessions", async (scene) => {
  const { service, open, another, origin } = scene;
  const program = await service.user(GRACE);
  const elsewhere = await openPage(await another(), `${origin}/sign-in?next=/sessions`);
  await signIn(elsewhere, GRACE, "/sessions");

  const page = await open("/sign-in");
  await tabTo(page, "Forgot your password?");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/forgot$/);
  await tabTo(page, "E-mail address or name");
  await page.keyboard.type(GRACE);
  await page.keyboard.press("Enter");
  await page.getByText("a link is on its way there").waitFor();
  assertEquals((await focused(page)).role, "status");

  const { url } = await mailed(service, "reset_password");
  await page.goto(url ?? "");
  await page.locator("#password").fill("seven ducks");
  await page.locator("#password").press("Enter");
  assertMatch(await page.locator("#password-error:not(:empty)").innerText(), /15/);
  await page.locator("#password").fill(NEW_PASSWORD);
  await page.locator("#password").press("Enter");
  await page.getByText("Your password is changed.").waitFor();
  assertEquals(page.url(), `${origin}/reset`);

  await elsewhere.reload();
  await elsewhere.getByText("Your session has ended. Sign in again to go on.").waitFor();
  const session = await program.call("/auth/session");
  await session.body?.cancel();
  assertEquals(session.status, 401);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.waitForURL(/\/sign-in$/);
  await fillIn(page, GRACE, NEW_PASSWORD);
  await page.keyboard.press("Enter");
  await arriveAs(page, GRACE);

  await page.goto(url ?? "");
  await page.locator("#password").fill("eight green bottles on a wall");
  await page.locator("#password").press("Enter");
  await page.getByText("This link was used before").waitFor();
}, { errors: REFUSED });

notesTest("A link signs in in the browser that asked for it alone", async (scene) => {
  const { service, open, another, origin } = scene;
  await service.user(GRACE);
  const page = await open("/sign-in");
  await send(page, GRACE, "Send me a link");
  await page.getByRole("heading", { name: "Look at your mail" }).waitFor();
  const { url } = await mailed(service, "sign_in_link");

  const elsewhere = await openPage(await another(), `${origin}/`);
  await follow(elsewhere, url, "Sign in");
  await elsewhere.getByText("Did you ask for the link in another browser").waitFor();
  assertEquals((await focused(elsewhere)).role, "alert");
  await elsewhere.goto(`${origin}/security`);
  assertEquals(new URL(elsewhere.url()).pathname, "/sign-in");

  await follow(page, url, "Sign in");
  await arriveAs(page, GRACE);
}, { errors: REFUSED });

notesTest("A code signs in on the page that asks for it", async ({ service, open }) => {
  await service.user(GRACE);
  const page = await open("/sign-in?next=/sessions");
  await send(page, GRACE, "Send me a code");
  await page.waitForURL(/\/sign-in\/code\?next=%2Fsessions$/);
  await page.locator("#code:focus").waitFor();
  assertEquals(await page.getByLabel("E-mail address").inputValue(), GRACE);
  const { code = "" } = await mailed(service, "sign_in_code");
  await page.keyboard.type(code === "123456" ? "654321" : "123456");
  await page.keyboard.press("Enter");
  await page.locator("#code[aria-invalid=true]:focus").waitFor();
  assertMatch(await page.locator("#code-error").innerText(), /^This is not the code/);
  await page.locator("#code").fill(code);
  await page.keyboard.press("Enter");
  await arriveAs(page, GRACE, "/sessions");
}, { errors: REFUSED });

notesTest(
  "Pages do not tell whether an address has an account",
  async ({ service, open, origin }) => {
    const page = await open("/sign-in");
    await send(page, "nobody@example.org", "Send me a link");
    await page.getByRole("heading", { name: "Look at your mail" }).waitFor();
    await page.goto(`${origin}/forgot`);
    await page.locator("#identifier").fill("nobody@example.org");
    await page.locator("#identifier").press("Enter");
    await page.getByText("a link is on its way there").waitFor();
    await page.goto(`${origin}/outbox`);
    await page.getByText("There are no messages.").waitFor();
    assertEquals(service.outbox.list(), []);
  },
);

notesTest("/sign-in asks for an address where one is needed", async ({ open }) => {
  const page = await open("/sign-in");
  await send(page, "ada", "Send me a code");
  await page.locator("#identifier[aria-invalid=true]:focus").waitFor();
  assertEquals(await page.locator("#identifier-error").innerText(), "Enter your e-mail address.");
});

notesTest("/security changes the address, once its new one is opened", async (scene) => {
  const { service, open, origin } = scene;
  await service.user(GRACE);
  const page = await open("/sign-in?next=/security");
  await signIn(page, GRACE, "/security");
  await page.getByText("Change the address").click();
  await page.getByLabel("New address").fill("hopper@example.org");
  await page.keyboard.press("Enter");
  await page.getByText("A link is on its way to hopper@example.org.").waitFor();
  assertEquals((await focused(page)).role, "status");
  assertEquals((await mailed(service, "email_changing")).to, GRACE);
  await page.reload();
  await page.locator("#email-section strong").waitFor();
  assertEquals(await page.locator("#email-section strong").innerText(), GRACE);

  await follow(page, (await mailed(service, "change_email")).url, "Verify the address");
  await page.getByText("hopper@example.org is verified.").waitFor();
  await page.goto(`${origin}/security`);
  await page.getByText("Signed in as hopper@example.org").waitFor();
  await page.getByText("Verified", { exact: true }).waitFor();
});
