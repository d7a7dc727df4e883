/** Sign-in with a provider of another site, in a browser: cookies, tabs, the back button, and linked accounts. */

import { assert, assertEquals } from "@std/assert";
import { goBack } from "./_steps.ts";
import { agree, providerTest, signInAt } from "./_providers.ts";

const HOME = (url: URL) => url.pathname === "/";

providerTest(
  "The button of a provider signs in, with a cookie that a link from another site carries",
  async (scene) => {
    const page = await scene.open("/sign-in");
    await page.getByRole("link", { name: "Sign in with your organization" }).click();
    await page.waitForURL((url) => url.pathname === "/authorize");
    const [cookie] = (await scene.context.cookies()).filter(({ name }) =>
      name.startsWith("__Host-tx-")
    );
    assertEquals([cookie?.sameSite, cookie?.httpOnly, cookie?.secure], ["Lax", true, true]);
    await agree(page);
    await page.waitForURL(HOME);
    const names = (await scene.context.cookies()).map(({ name }) => name).sort();
    assertEquals(
      names,
      ["__Host-csrf", "__Host-presid", "__Host-sid"],
      "not the one of the sign-in",
    );
    const [callback] = scene.callbacks;
    assertEquals([callback?.method, callback?.site], ["GET", "cross-site"]);
  },
);

providerTest(
  "A provider that posts a form signs in: its cookie goes with a POST of another site",
  async (scene) => {
    const page = await scene.open("/sign-in");
    await page.getByRole("link", { name: "Sign in with your organization" }).click();
    await page.waitForURL((url) => url.pathname === "/authorize");
    const [cookie] = (await scene.context.cookies()).filter(({ name }) =>
      name.startsWith("__Host-tx-")
    );
    assertEquals(cookie?.sameSite, "None");
    await agree(page);
    await page.waitForURL(HOME);
    const [callback] = scene.callbacks;
    assertEquals([callback?.method, callback?.site], ["POST", "cross-site"]);
    assert(callback?.cookies.startsWith("__Host-tx-"));
    const text = await page.evaluate<string>(
      "fetch('/auth/session').then((response) => response.text())",
    );
    assertEquals(JSON.parse(text).session.provider, "oidc");
  },
  { form: true },
);

providerTest("Two tabs sign in at once, and end in the other order", async (scene) => {
  const [first, second] = [
    await scene.open("/sign-in"),
    await scene.open("/sign-in?next=/sessions"),
  ];
  for (const page of [first, second]) {
    await page.getByRole("link", { name: "Sign in with your organization" }).click();
    await page.waitForURL((url) => url.pathname === "/authorize");
  }
  await agree(second);
  await second.waitForURL((url) => url.pathname === "/sessions");
  await agree(first);
  await first.waitForURL(HOME);
  assertEquals(scene.callbacks.length, 2);
});

providerTest(
  "The back button after a sign-in does not repeat it, and a repeated callback says so",
  async (scene) => {
    const page = await scene.open("/sign-in");
    await signInAt(page);
    await page.waitForURL(HOME);
    await goBack(page);
    await page.waitForURL((url) => url.pathname === "/authorize");
    assertEquals(scene.callbacks.length, 1);

    await page.getByRole("button", { name: "Agree" }).click(); // the provider's old page: its state was used
    await page.waitForURL((url) => url.pathname === "/linked-accounts");
    assertEquals(scene.callbacks.length, 2);
    const message = page.locator("main > .message");
    await message.waitFor();
    assert((await message.innerText()).startsWith("Signing in there did not work."));
  },
);

providerTest(
  "The page of linked accounts links another account, and refuses to remove the last way in",
  async (scene) => {
    const page = await scene.open("/sign-in");
    await signInAt(page);
    await page.waitForURL(HOME);
    await page.goto(`${scene.origin}/linked-accounts`);
    scene.provider.change({ claims: { sub: "u-2", email: "ada@work.example" } });
    await page.getByRole("button", { name: "Link your organization" }).click();
    await agree(page);
    await page.waitForURL((url) => url.pathname === "/linked-accounts");
    await page.getByText("ada@work.example").waitFor();
    const remove = () => page.getByRole("button", { name: "Remove your organization" });
    assertEquals(await remove().count(), 2);
    await remove().first().click();
    await page.waitForURL((url) => url.pathname === "/linked-accounts");
    while (await remove().count() !== 1) await new Promise((resolve) => setTimeout(resolve, 20));
    await remove().first().click();
    const message = page.locator("main > .message");
    await page.getByText("Without it you could not sign in any more").waitFor();
    assert((await message.innerText()).includes("Add another way"));
  },
  { errors: [/status of 409/] },
);

providerTest(
  "A user who refuses at the provider reads it on the page to sign in",
  async (scene) => {
    scene.provider.change({ parameters: { error: "access_denied", code: undefined } });
    const page = await scene.open("/sign-in");
    await signInAt(page);
    await page.waitForURL((url) =>
      url.pathname === "/sign-in" && url.search === "?error=access_denied"
    );
    const message = page.locator("#account .message");
    await message.waitFor();
    assert((await message.innerText()).length > 10);
  },
);
