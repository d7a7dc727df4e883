/** Passkeys of the notes service: sign-up and sign-in. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { addAuthenticator } from "./_authenticator.ts";
import {
  arriveAs,
  fillIn,
  focused,
  notesTest,
  openPage,
  PASSWORD,
  signIn,
  tabTo,
} from "./_notes.ts";
import {
  create,
  NOTE_REQUESTS,
  openAsAda,
  openAsNew,
  reasons,
  REFUSED,
  removeAll,
  signOut,
  untilOffered,
} from "./_passkeys.ts";

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
    await Promise.all([untilOffered(page), signOut(page)]);
    scene.wait(241);
    const renewed = page.waitForRequest("**/auth/webauthn/login/options");
    await page.clock.fastForward(241_000);
    await renewed;
    scene.wait(241); // only the second challenge is alive
    await authenticator.setPresent(true);
    await arriveAs(page, "ada");
  },
);

/** What is used instead of the offer, and what the page asks for, each time with what was offered before aborted. */
const INSTEAD: readonly (readonly [button: string, requests: readonly string[]])[] = [
  ["Sign in with a passkey", ["dialog"]],
  ["Sign in", ["password", "conditional"]], // which is wrong: passkeys are offered again
];
for (const [name, requests] of INSTEAD) {
  notesTest(`/sign-in ends the offer in the autofill at “${name}”`, async ({ context, open }) => {
    await context.addInitScript(NOTE_REQUESTS);
    const page = await open("/");
    await addAuthenticator(page, { automaticPresenceSimulation: false });
    await Promise.all([
      untilOffered(page),
      page.getByRole("link", { name: "Sign in" }).first().click(),
    ]);
    await page.locator("#identifier").fill("ada");
    await page.locator("#password").fill("five quiet herons at dusk");
    await Promise.all([
      untilOffered(page),
      page.getByRole("button", { name, exact: true }).click(),
    ]);
    assertEquals(await page.evaluate("requests"), [
      ["conditional", null],
      ...requests.map((request) => [request, true]),
    ]);
  }, REFUSED);
}

notesTest("/sign-in renews no offer while the page has no focus", async (scene) => {
  const { page, authenticator } = await openAsAda(scene);
  await create(page, "Laptop");
  await authenticator.setPresent(false);
  await page.clock.install();
  let requests = 0;
  await page.route("**/auth/webauthn/login/options", (route) => {
    requests++;
    return route.continue();
  });
  await Promise.all([untilOffered(page), signOut(page)]);
  await page.evaluate("document.hasFocus = () => false"); // as under the browser's dialog
  for (let hours = 0; hours < 3; hours++) await page.clock.fastForward(3_600_000);
  assertEquals(requests, 1);
  const renewed = page.waitForRequest("**/auth/webauthn/login/options");
  await page.evaluate("document.hasFocus = () => true, dispatchEvent(new Event('focus'))");
  await page.clock.fastForward(1_000);
  await renewed;
  await authenticator.setPresent(true);
  await arriveAs(page, "ada");
  assertEquals(requests, 2);
});

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
    await page.getByText("Without it you could not sign in any more.").waitFor();
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
